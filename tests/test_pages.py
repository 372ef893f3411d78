"""What the pages tell: issues in spans that say exactly what they cover, known failures as a table, what changed."""

from __future__ import annotations

import datetime
import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from gate.check import Request, check
from gate.obligations.node import About
from gate.reporting import pages
from gate.reporting.changes import Changes, Names, grouped
from gate.reporting.spans import Owed, Span, span
from gate.verdict import Verdict
from tests.falsifiers.falsifier import judge
from tests.falsifiers.known_failure import shipped_red
from tests.falsifiers.scope import SCOPE
from tests.many import many, multiplied
from tests.reading import shown, words
from tests.release import DECLAIM, NOW, VERSION, Release, declaimed, green, judged
from tests.release import gate_here as gate

ROOT = Path(__file__).parent.parent
FORMS = ("md", "html")


def both(page: str, verdict: Verdict, changes: Changes | None = None) -> dict[str, str]:
    """Return a page in both formats, which say the same words."""
    found = {form: pages.render(page, form, verdict, changes=changes) for form in FORMS}
    assert words(found["md"], "md") == words(found["html"], "html")
    return found


# ------------------------------------------------------------------ the sample


@pytest.fixture(scope="module")
def sample() -> Verdict:
    return check(Request(ROOT / "gate.toml", "0.70.0", now=datetime.datetime.now(datetime.UTC)))


def test_the_samples_known_issues_tell_all_of_qwen3_on_gb10(sample: Verdict) -> None:
    found = both("known-issues", sample)
    (declaim,) = sample.declaimed
    assert len(declaim.cells) == 56
    for form, page in found.items():
        text = " ".join(shown(page, form).text.split())
        for said in (
            "qwen3-on-gb10 (#4590)", "Qwen3-1.7B-Q4_K_M.gguf, Qwen3-8B-Q4_K_M.gguf on gx10 (NVIDIA GB10): run, chat, serve, code",
            "27-34x slow", "release 0.71.0, which restores the claim", "“0.70 de-claims Qwen3 on GB10.” (release owner, 2026-09-28)",
            "Recorded all the same: 48 pass, 8 error.", "Run Qwen3 on another GPU",
        ):  # fmt: skip
            assert said in text
        for cell in declaim.cells:
            assert re.search(rf"{re.escape(cell.label)}\s", shown(page, form).text)
        assert shown(page, form).links - {"data:,"} == {"https://github.com/paiml/aprender/issues/4590"}


def test_a_page_says_nothing_of_when_it_was_made(sample: Verdict) -> None:
    later = replace(sample, evaluated_at=sample.evaluated_at + datetime.timedelta(days=400))
    for page in ("notes", "known-issues"):
        assert both(page, sample) == both(page, later)


# ------------------------------------------------------------------ what an issue covers


def about(host: str, model: str, verb: str, thinking: str | None = "off", context: str = "4k") -> About:
    return About(host=host, model=model, verb=verb, thinking=thinking, context=context)


EVERY = [
    about(host, model, verb, thinking, context)
    for host in ("gx10", "lambda") for model in ("a.gguf", "b.gguf") for verb in ("run", "chat")
    for thinking in ("off", "on") for context in ("4k", "8k")
]  # fmt: skip


def spans(*covered: About) -> tuple[Span, ...]:
    owed = Owed()
    for each in EVERY:
        owed.points.setdefault((each.host, each.model, str(each.verb)), {})[each.thinking, each.context] = None
    return span(owed, [(f"{each.host}/{each.model}/{each.verb}", each) for each in covered])


def only(**wanted: str) -> list[About]:
    return [each for each in EVERY if all(getattr(each, axis) == value for axis, value in wanted.items())]


def test_all_of_a_model_is_told_by_its_verbs() -> None:
    assert spans(*EVERY) == (Span(("a.gguf", "b.gguf"), ("gx10", "lambda"), "run, chat"),)
    assert spans(*only(model="a.gguf", host="gx10")) == (Span(("a.gguf",), ("gx10",), "run, chat"),)


def test_modes_and_contexts_are_told_where_they_narrow() -> None:
    one = {"model": "a.gguf", "host": "gx10"}
    assert spans(*only(**one, context="8k"))[0].cells == "run, chat (at 8k)"
    assert spans(*only(**one, thinking="on", verb="run"))[0].cells == "run (thinking on)"
    assert spans(*only(**one, thinking="on", context="4k"))[0].cells == "run, chat (thinking on, at 4k)"


def test_what_is_no_product_is_told_in_parts_and_never_as_more_than_it_is() -> None:
    ragged = [about("gx10", "a.gguf", "run", "off", "4k"), about("gx10", "a.gguf", "run", "on", "8k")]
    assert spans(*ragged)[0].cells == "run (thinking off at 4k, and thinking on at 8k)"
    verbs = [*only(model="a.gguf", host="gx10", verb="run"), about("gx10", "a.gguf", "chat", "off", "4k")]
    assert spans(*verbs)[0].cells == "run; chat (thinking off, at 4k)"


def test_hosts_and_models_stand_together_where_they_are_alike_and_apart_where_not() -> None:
    covered = [*only(model="a.gguf"), *only(model="b.gguf", host="gx10")]
    assert spans(*covered) == (
        Span(("a.gguf",), ("gx10", "lambda"), "run, chat"), Span(("b.gguf",), ("gx10",), "run, chat"),
    )  # fmt: skip


def test_kernels_and_suites_are_told_by_their_names() -> None:
    found = span(Owed(), [
        ("gx10/gemv/Q4_K", About(host="gx10", kernel="gemv")), ("lambda/gemv/Q4_K", About(host="lambda", kernel="gemv")),
        ("dogfood/fmt", About()),
    ])  # fmt: skip
    assert found == (Span(("gemv/Q4_K",), ("gx10", "lambda"), ""), Span(("dogfood/fmt",), (), ""))


def test_a_model_that_has_no_thinking_mode_is_told_without_one() -> None:
    assert span(Owed(), [("x", about("gx10", "a.gguf", "run", None))])[0].cells == "run"


# ------------------------------------------------------------------ order and ends


def test_issues_stand_by_ticket_then_by_name_and_a_new_one_moves_no_other(tmp_path: Path) -> None:
    verdict, _ = judge(many(tmp_path, 6, failing=2).write())
    many_more = multiplied(verdict, 40)
    for form in FORMS:
        page = pages.render("known-issues", form, many_more)
        tickets = [int(number) for number in re.findall(r"-slow\S* \(.*?#(\d+)", page)]
        assert tickets == sorted(tickets)
        assert len(tickets) == 40
    one_less = replace(many_more, declaimed=many_more.declaimed[:20] + many_more.declaimed[21:])
    before, after = (pages.render("known-issues", "md", v).splitlines() for v in (many_more, one_less))
    start = next(i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b)
    gone = len(before) - len(after)
    assert before[:start] + before[start + gone :] == after


@pytest.mark.parametrize(
    ("until", "expires", "words"),
    [
        ('until = "0.72.0"', "", "release 0.72.0, which restores the claim."),
        ('until = "0.72.0"', "expires = 2026-12-31",
         "release 0.72.0, which restores the claim, or the end of 2026-12-31, UTC, whichever comes first."),
        ("", "expires = 2026-12-31", "the end of 2026-12-31, UTC."),
        ("", "", "no end is given."),
    ],
)  # fmt: skip
def test_until_is_a_release_a_day_or_the_sooner_of_both(until: str, expires: str, words: str, release: Release) -> None:
    declaimed(release, DECLAIM.replace('until = "0.72.0"', f"{until}\n{expires}"))
    verdict, _ = judge(release.write())
    if until or expires:
        assert f"- **Until:** {words}\n" in both("known-issues", verdict)["md"]


def test_of_a_symptom_and_a_reason_the_symptom_is_what_a_user_sees(release: Release) -> None:
    declaimed(release, DECLAIM + 'symptom = "You wait."\ninstead = "Use beta on lambda."\n')
    verdict, _ = judge(release.write())
    page = both("known-issues", verdict)["md"]
    assert "**What you will see:** You wait.\n" in page
    assert "**What to do instead:** Use beta on lambda.\n" in page
    assert "- **Why:** Correct, but slow.\n" in page


# ------------------------------------------------------------------ the real case's table of known failures

RED = {
    "Qwen3.5-2B-Q4_K_M.gguf": (4661, "chat loses the system prompt", ("gx10",)),
    "Qwen3.5-4B-Q4_K_M.gguf": (4662, "empty answer at 8k | after a pipe", ("gx10", "lambda")),
    "Qwen3-8B-Q4_K_M.gguf": (4663, "golden output, greedy", ("lambda",)),
    "Qwen2.5-Coder-7B-Q4_K_M.gguf": (4664, "stop token printed", ("gx10", "lambda")),
    "Qwen3.5-35B-A3B-UD-IQ4_XS.gguf": (4665, "capability_match: no CUDA forward for qwen35moe", ("gx10", "lambda")),
    "Qwen3.5-0.8B-Q4_K_M.gguf": (4666, "golden output, thinking on", ("gx10", "lambda")),
}


def crux(folder: Path, *, mended: str | None = None, seventh: str | None = None) -> Path:
    """Write 0.70.2 as it shipped: six known failures on two GPUs, under the scope `crux-smoke`."""
    release = many(folder, len(RED))
    text = json.dumps(release.documents)
    for index, file in enumerate(RED):
        text = text.replace(f"model-{index:04}-q4_k_m.gguf", file)
    release.documents = json.loads(text.replace(VERSION, "0.70.2"))
    release.rules = release.rules.replace('owed = ["*q4_k*"]', "").replace("[models]", "")
    for host in ("gx10", "lambda"):
        for row in release.documents[f"receipts/0.70.2/{host}.json"]["runs"]:
            file = row["model"]["file"]
            _, reason, hosts = RED.get(file, (0, "", ()))
            red = (host in hosts and file != mended) or (file == seventh and host == "lambda")
            row.update(verdict="fail" if red else "pass", reason=reason if red else "")
    release.claims = "".join(
        f'[[known_failure]]\nid = "red-{issue}"\nmodel = "{file}"\nhost = {json.dumps(hosts)}\nissue = {issue}\n'
        f'until = "0.71.0"\nwhy = "{reason}."\ncheck = "{reason}"\n'
        for file, (issue, reason, hosts) in RED.items()
    ) + (
        '[[scope]]\nrelease = "0.70.2"\nname = "crux-smoke"\nmodels = ["Qwen*", "good*"]\n'
        'ruling = { by = "release owner", on = 2026-10-05, words = "0.70.2 ships on the smoke." }\n'
    )  # fmt: skip
    return release.write()


def test_the_six_known_failures_of_0_70_2_are_a_table_of_their_notes(tmp_path: Path) -> None:
    verdict = check(Request(crux(tmp_path) / "gate.toml", "0.70.2", now=datetime.datetime.fromisoformat(NOW)))
    assert [f.message for f in verdict.violations] == []
    found = both("notes", verdict)
    lines = found["md"].splitlines()
    assert lines[0] == "# demo 0.70.2"
    assert lines[2].startswith(
        "**Gated under the scope `crux-smoke`:** “0.70.2 ships on the smoke.” (release owner, 2026-10-05)"
    )
    start = lines.index("| host | model | what fails | ticket | until |")
    assert lines[start + 2 : start + 9] == [
        *(
            f"| {', '.join(hosts)} | `{file}` | {reason.replace('|', chr(92) + '|').replace('_', chr(92) + '_')}. In run, chat. "
            f"(cell: verdict, failed) | [#{issue}](https://example.org/demo/issues/{issue}) | 0.71.0 |"
            for file, (issue, reason, hosts) in RED.items()
        ),
        "",
    ]  # fmt: skip
    tickets = {link for link in shown(found["html"], "html").links if "/issues/" in link}
    assert tickets == {f"https://example.org/demo/issues/{issue}" for issue, _, _ in RED.values()}
    for page in both("known-issues", verdict).values():
        for issue, reason, _ in RED.values():
            assert f"{issue}" in page
            assert reason.split("|")[0].split("_")[0] in page


def test_one_of_the_six_mended_is_stale_and_a_seventh_is_red(tmp_path: Path) -> None:
    now = datetime.datetime.fromisoformat(NOW)
    mended = check(Request(crux(tmp_path / "a", mended="Qwen3.5-0.8B-Q4_K_M.gguf") / "gate.toml", "0.70.2", now=now))
    assert {(f.focus, f.property, f.reason) for f in mended.violations} == {("red-4666", "red", "stale")}
    for page in both("notes", mended).values():
        assert "REFUSED: v0.70.2 must not be released." in page
        assert "/issues/4666" not in page.split("Known failures")[1].split("Refused")[0]
    seventh = check(Request(crux(tmp_path / "b", seventh="Qwen3.5-2B-Q4_K_M.gguf") / "gate.toml", "0.70.2", now=now))
    assert {f.about.host for f in seventh.violations} == {"lambda"}
    assert {f.about.model for f in seventh.violations} == {"Qwen3.5-2B-Q4_K_M.gguf"}


def test_what_is_red_outside_the_scope_is_listed_in_both_pages(release: Release) -> None:
    release.claims = SCOPE.replace('["alpha-q4_k_m.gguf", "beta*"]', '"alpha-q4_k_m.gguf"')
    release.row("gx10", "beta-q4_k_m.gguf")["verdict"] = "fail"
    del release.receipt("lambda.json")["runs"][-1]
    verdict, _ = judge(release.write())
    assert verdict.conforms
    for page in ("notes", "known-issues"):
        text = both(page, verdict)["md"]
        assert "## Red outside the scope" in text
        assert "| gx10 | `beta-q4_k_m.gguf` | run (at 4k): cell: verdict, failed |" in text
        assert "- `lambda/beta-q4_k_m.gguf/code/think-off/declared`: cell: receipt, missing\n" in text


def test_a_known_failure_that_covers_nothing_red_is_not_said_to_fail(release: Release) -> None:
    shipped_red(release)
    release.row("gx10", "beta-q4_k_m.gguf").update(verdict="pass", exit_code=0)
    verdict, _ = judge(release.write())
    assert not verdict.conforms
    assert "nothing of it was found to fail" in both("known-issues", verdict)["md"]


# ------------------------------------------------------------------ what changed


def test_without_an_earlier_release_the_notes_say_so(release: Release) -> None:
    verdict, _ = judge(release.write())
    assert "## What changed\n\nNo earlier release to compare with.\n" in both("notes", verdict)["md"]


def test_what_changed_is_told_by_host_and_model_and_by_name(release: Release) -> None:
    verdict, _ = judge(release.write())
    cells = [(cell.label, cell.node.about) for cell in verdict.cells]
    lists = [
        "newly_passing", "newly_failing", "newly_missing", "newly_declaimed", "claimed_again", "first_owed", "no_longer_owed",
    ]  # fmt: skip
    groups = {name: grouped(cells[index * 9 : index * 9 + 9]) for index, name in enumerate(lists)}
    names = {name: Names((f"new <{name}>",), (f"old_{name}",)) for name in ("hosts", "models", "verbs", "contexts")}
    page = both("notes", verdict, Changes("0.70.0", **groups, **names))["md"]
    told = page.split("## What changed")[1].split("## Known issues")[0]
    assert "Compared with 0.70.0." in told
    for title in (
        "Newly failing", "Newly missing", "Newly de-claimed", "No longer owed", "Newly passing", "Claimed again",
        "Owed for the first time", "Hosts added", "Hosts withdrawn", "Models added", "Verbs withdrawn", "Contexts added",
    ):  # fmt: skip
        assert f"**{title}:**" in told
    for label, _ in cells[: 9 * len(lists)]:
        assert f"- `{label}`\n" in told
    assert "- `alpha-q4_k_m.gguf` on gx10: 9\n" in told
    assert "new &lt;hosts&gt;" in told
    assert "Nothing that is owed stands otherwise." in both("notes", verdict, Changes("0.70.0"))["md"]


# ------------------------------------------------------------------ a committed page


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = declaimed(green(tmp_path_factory.mktemp("rendered"))).write()
    for name in ("NOTES.md", "notes.html"):
        assert gate(folder, "notes", "--tag", VERSION, "--now", NOW, "--output", name).returncode == 0
    return folder


@pytest.fixture
def committed(rendered: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(rendered, tmp_path, dirs_exist_ok=True))


@pytest.mark.parametrize("name", ["NOTES.md", "notes.html"])
def test_a_committed_page_holds_whenever_it_is_asked(name: str, committed: Path) -> None:
    assert ("<!doctype html>" in (committed / name).read_text()) == name.endswith("html")
    for now in (["--now", NOW], ["--now", "2027-01-01T00:00:00Z"], []):
        done = gate(committed, "notes", "--tag", VERSION, *now, "--check", name)
        assert (done.returncode, done.stdout) == (0, f"{name} says what would be rendered now.\n")


@pytest.mark.parametrize("name", ["NOTES.md", "notes.html"])
def test_a_committed_page_that_says_something_else_is_shown_where(name: str, committed: Path) -> None:
    page = committed / name
    page.write_text(page.read_text().replace("Correct, but slow.", "Fine\x1b[2J\u202e."))
    done = gate(committed, "notes", "--tag", VERSION, "--now", NOW, "--check", name)
    assert done.returncode == 1
    assert done.stdout.splitlines()[:2] == [f"--- {name}", "+++ what would be rendered now"]
    assert re.search(r"^@@ -\d+,5 \+\d+,5 @@$", done.stdout, flags=re.MULTILINE)
    assert re.search(r"^-.*Fine\\x1b\[2J\\u202e\.", done.stdout, flags=re.MULTILINE)
    assert re.search(r"^\+.*Correct, but slow\.", done.stdout, flags=re.MULTILINE)
    assert "\x1b" not in done.stdout


def test_a_decision_that_changed_makes_the_page_say_something_else(committed: Path) -> None:
    claims = committed / "claims.toml"
    claims.write_text(claims.read_text().replace("0.72.0", "0.73.0"))
    done = gate(committed, "notes", "--tag", VERSION, "--now", NOW, "--check", "NOTES.md")
    assert done.returncode == 1
    assert "-- **Until:** release 0.72.0" in done.stdout


def test_the_page_of_a_refused_release_can_hold_and_says_that_it_is_refused(release: Release) -> None:
    release.row("lambda", "alpha-q4_k_m.gguf")["verdict"] = "fail"
    folder = release.write()
    ask = ("known-issues", "--tag", VERSION, "--now", NOW)
    assert gate(folder, *ask, "--output", "page.md").returncode == 1
    done = gate(folder, *ask, "--check", "page.md")
    assert (done.returncode, "v0.71.0 is refused all the same." in done.stdout) == (0, True)


def test_a_difference_is_cut_to_what_can_be_read(committed: Path) -> None:
    (committed / "NOTES.md").write_text("".join(f"line {number} {'x' * 500}\n" for number in range(20_000)))
    done = gate(committed, "notes", "--tag", VERSION, "--now", NOW, "--check", "NOTES.md")
    assert done.returncode == 1
    assert len(done.stdout.splitlines()) < 50
    assert max(map(len, done.stdout.splitlines())) < 200
    assert done.stdout.endswith("… and so on\n")


@pytest.mark.parametrize(
    ("end", "shown"),
    [("", "(no line break)"), ("\r\n", "\\r"), ("\n\n", "@@"), (" \n", "@@")],
    ids=["no line break", "a carriage return", "a line too many", "a blank at the end"],
)
def test_every_byte_of_a_committed_page_counts(end: str, shown: str, committed: Path) -> None:
    page = committed / "NOTES.md"
    page.write_bytes(page.read_bytes().removesuffix(b"\n") + end.encode())
    done = gate(committed, "notes", "--tag", VERSION, "--now", NOW, "--check", "NOTES.md")
    assert (done.returncode, shown in done.stdout) == (1, True), done.stdout


def test_a_long_line_is_shown_where_it_differs(committed: Path) -> None:
    page = committed / "notes.html"
    page.write_text(page.read_text().replace("that passed.</p>", "that failed.</p>"))
    done = gate(committed, "notes", "--tag", VERSION, "--now", NOW, "--check", "notes.html")
    assert "that failed." in done.stdout
    assert "that passed." in done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--check", "none.md"], "none.md: there is no such file"),
        (["--check", "latin.md"], "latin.md, byte 1: it is not UTF-8"),
        (["--check", "."], "it is not a regular file"),
        (["--check", "NOTES.md", "--output", "x.md"], "give one of them"),
        (["--format", "pdf"], "is not one of"),
    ],
)
def test_what_cannot_be_compared_is_the_callers_error(arguments: list[str], words: str, committed: Path) -> None:
    (committed / "latin.md").write_bytes(b"\xff")
    done = gate(committed, "notes", "--tag", VERSION, "--now", NOW, *arguments)
    assert (done.returncode, words in done.stderr) == (3, True), done.stderr


def test_a_format_that_is_given_stands_whatever_the_file_is_called(committed: Path) -> None:
    ask = ("notes", "--tag", VERSION, "--now", NOW)
    gate(committed, *ask, "--format", "html", "--output", "page.txt")
    assert (committed / "page.txt").read_text() == (committed / "notes.html").read_text()
    assert gate(committed, *ask, "--format", "html", "--check", "page.txt").returncode == 0
    assert gate(committed, *ask, "--check", "page.txt").returncode == 1
    assert gate(committed, *ask, "--format", "html").stdout == (committed / "notes.html").read_text()


def test_a_comparison_writes_nothing(committed: Path) -> None:
    before = {path: path.read_bytes() for path in committed.rglob("*") if path.is_file()}
    (committed / "NOTES.md").write_text("other")
    gate(committed, "notes", "--tag", VERSION, "--now", NOW, "--check", "NOTES.md")
    (committed / "NOTES.md").write_bytes(before[committed / "NOTES.md"])
    assert {path: path.read_bytes() for path in committed.rglob("*") if path.is_file()} == before
    assert judged(committed)["verdict"] == "conforms"
