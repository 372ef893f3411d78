"""The notes and pages: they say what the verdict says, and nothing in a name or a reason becomes markup."""

from __future__ import annotations

import html
import re
import unicodedata
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from gate.findings import plain
from gate.reporting import markdown
from gate.reporting.groups import by_cause
from gate.reporting.text import render
from tests.falsifiers.conformance import with_conformance
from tests.falsifiers.falsifier import judge
from tests.falsifiers.kernel import GEMV, with_kernels
from tests.release import DECLAIM, NOW, VERSION, Release, declaimed, parities, performances, tokenizers
from tests.release import gate_here as gate

PRINTABLE = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40)


class Tags(HTMLParser):
    """The tags, links and text of a page, as a browser would see them."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.links: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.links |= {value or "" for name, value in attrs if name in {"href", "src"}}

    def handle_data(self, data: str) -> None:
        self.text += data


def shown(page: str) -> Tags:
    """Return what a browser makes of a Markdown page, raw HTML allowed as on most sites."""
    tags = Tags()
    tags.feed(MarkdownIt("commonmark", {"html": True}).enable("table").render(page))
    return tags


def test_the_notes_of_a_conforming_release_name_what_is_withdrawn(release: Release) -> None:
    verdict, _ = judge(declaimed(release).write())
    page = markdown.render("notes.md.j2", verdict)
    assert page.startswith("# demo 0.71.0\n")
    assert "It conforms" in page
    assert "| gx10 | NVIDIA GB10 (12.1) | 24 | 24 | 0 | 0 | 12 |" in page
    assert "### beta-on-gx10 ([#4590](https://example.org/demo/issues/4590))" in page
    for words in (
        "Correct, but slow.",
        "release 0.72.0 restores the claim",
        "“0.71 de-claims beta on GB10.”",
        "(release owner, 2026-09-28)",
    ):
        assert words in page
    for declaim in verdict.declaimed:
        for cell in declaim.cells:
            assert f"- `{cell.label}`\n" in page
    assert "## Refused" not in page
    assert "Nothing that is owed was left unmeasured." in page


def test_the_notes_of_a_refused_release_say_so_in_their_first_line(release: Release) -> None:
    release.row("lambda", "alpha-q4_k_m.gguf").update(verdict="fail", reason="golden output")
    del release.receipt("gx10.json")["runs"][:2]
    verdict, _ = judge(release.write())
    for template in ("notes.md.j2", "known-issues.md.j2"):
        page = markdown.render(template, verdict)
        assert "must not be released" in page.splitlines()[0 if template.startswith("notes") else 2]
    page = markdown.render("notes.md.j2", verdict)
    assert page.splitlines()[0].startswith(
        "**REFUSED: v0.71.0 must not be released.** 2 cells were never measured and 1 failed"
    )
    assert "golden output" in page
    assert "| gx10 | `alpha-q4_k_m.gguf` | 2 |" in page
    assert "No claim is withdrawn" in page


def test_the_commands_write_the_pages_and_end_with_the_verdicts_code(release: Release) -> None:
    release.row("lambda", "alpha-q4_k_m.gguf")["verdict"] = "fail"
    folder = declaimed(release).write()
    for command in ("notes", "known-issues"):
        done = gate(folder, command, "--tag", VERSION, "--now", NOW, "--output", "page.md")
        assert (done.returncode, done.stdout) == (1, "")
        direct = gate(folder, command, "--tag", VERSION, "--now", NOW)
        assert direct.stdout == (folder / "page.md").read_text()
        assert "beta-on-gx10" in direct.stdout


HOSTILE = [
    "<script>alert(1)</script>", "</details><img src=x onerror=alert(1)>", "[click](javascript:alert(1))", "![x](http://x/y)",
    "a | b | c", "`code` ``more``", "# heading", "- list", "1. list", "> quote", "***", "line\nbreak\n\n# heading", "&lt;b&gt;",
    "{{ 7 * 7 }} {% raw %}", "$x$", "~~gone~~", "\\", "<https://evil.example>", "https://evil.example", "\u202egnp.exe", "🦆",
    "<!-- comment", "    indented", "| --- |", "[ref]: http://evil.example", "```\nfence", "_a_ *b* __c__",
]  # fmt: skip
ALLOWED = {
    "h1",
    "h2",
    "h3",
    "p",
    "ul",
    "li",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "code",
    "strong",
    "a",
    "details",
    "summary",
    "hr",
}


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_that_is_recorded_becomes_markup(text: str, release: Release) -> None:
    claims = DECLAIM.replace('"Correct, but slow."', repr_toml(text)).replace(
        '"0.71 de-claims beta on GB10."', repr_toml(text)
    )
    declaimed(release, claims)
    release.row("lambda", "alpha-q4_k_m.gguf").update(verdict="fail", reason=text)
    verdict, _ = judge(release.write())
    for template in ("notes.md.j2", "known-issues.md.j2"):
        page = shown(markdown.render(template, verdict))
        assert page.tags <= ALLOWED
        assert page.links == {"https://example.org/demo/issues/4590"}
        said = re.sub(r"\s", "", text.replace("\u202e", ""))
        assert said in re.sub(r"[\s\ufffd]", "", page.text.replace("\u202e", ""))


def repr_toml(text: str) -> str:
    return '"' + "".join(f"\\U{ord(c):08X}" for c in text) + '"'


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(PRINTABLE)
def test_running_text_and_code_spans_show_the_text_and_nothing_else(text: str) -> None:
    for escape in (markdown.text, markdown.code):
        page = shown(f"before {escape(text)} after\n\n| a |\n|---|\n| {escape(text)} |\n")
        assert page.tags <= {"p", "code", "table", "thead", "tbody", "tr", "th", "td"}
        assert page.links == set()
        alone = shown(f"{escape(text)}\n")
        assert alone.tags <= {"p", "code"}


@given(PRINTABLE)
def test_plain_text_is_one_line_that_no_terminal_obeys(text: str) -> None:
    line = plain(text)
    assert len(line) <= 241
    assert not any(unicodedata.category(c) in {"Cc", "Cf", "Zl", "Zp"} for c in line.replace("\u200d", ""))


def test_a_repository_that_is_no_link_makes_none(release: Release) -> None:
    release.rules = release.rules.replace('"https://example.org/demo"', '"javascript:alert(1)"')
    verdict, _ = judge(declaimed(release).write())
    assert shown(markdown.render("known-issues.md.j2", verdict)).links == set()


def test_the_text_fits_a_screen_however_much_is_red(release: Release) -> None:
    for name in ("lambda.json", "gx10.json"):
        for index, row in enumerate(release.receipt(name)["runs"]):
            row.update(verdict="fail", exit_code=index + 1, answer_chars=0, prompt_tokens=1, reason=f"reason {index}")
            row["backend"] = {"ran": "cpu", "fell_back": True}
    verdict, _ = judge(release.write())
    text = render(verdict, color=False)
    assert len(verdict.findings) == 432
    assert len(text.splitlines()) <= 50
    assert text.splitlines()[0] == " REFUSED   v0.71.0 must not be cut."
    assert max(map(len, text.splitlines())) <= 110


def test_kernels_and_tensor_shapes_are_counted_in_the_text(release: Release) -> None:
    with_kernels(release)
    with_conformance(release)
    release.receipt("kernels-gx10.json")["rows"][1]["verdict"] = "fail"
    release.receipt("shapes-gx10.json")["rows"].pop()
    release.claims = DECLAIM + DECLAIM.replace("beta-on", "iq3-on").replace('arch = "qwen35"', 'kernel = "iq3_s_gemv"')
    verdict, _ = judge(release.write())
    lines = render(verdict, color=False).splitlines()
    assert lines[3:6] == [
        "60 cells owed: 60 passed, 0 missing, 0 failed; 12 de-claimed",
        "3 kernels owed: 2 passed, 0 missing, 1 failed; 1 de-claimed",
        "2 tensor shapes owed: 1 passed, 1 missing, 0 failed; 1 de-claimed",
    ]


def test_a_release_that_owes_no_kernels_counts_none_in_the_text(release: Release) -> None:
    verdict, _ = judge(release.write())
    text = render(verdict, color=False)
    assert "72 cells owed" in text
    assert "kernel" not in text
    assert "tensor" not in text


def test_the_cause_stands_before_what_was_judged(release: Release) -> None:
    release.row("lambda", "alpha-q4_k_m.gguf")["verdict"] = "fail"
    verdict, _ = judge(release.write())
    lines = render(verdict, color=False).splitlines()
    places = [next(i for i, line in enumerate(lines) if line.startswith(word)) for word in ("Why", "Judged", "Next")]
    assert places == sorted(places)


@pytest.mark.parametrize("causes", [8, 9])
def test_up_to_eight_next_steps_are_all_named(causes: int, release: Release) -> None:
    faults = [
        {"verdict": "fail"}, {"backend": {"ran": "cpu", "fell_back": True}}, {"exit_code": 1}, {"prompt_tokens": 1},
        {"answer_chars": 0}, {"think_closed": False}, {"evidence": {"path": "none.txt", "sha256": "0" * 64}},
    ]  # fmt: skip
    for fault in faults:
        release.row("lambda", "alpha-q4_k_m.gguf").update(fault)
    if causes == 9:
        release.receipt("dogfood.json")["verdict"] = "no-go"
    verdict, _ = judge(release.write())
    lines = [line.strip() for line in render(verdict, color=False).splitlines()]
    steps = [line for line in lines if re.match(r"\d\. ", line)]
    assert len(steps) == 8
    assert any(line.startswith("and 1 more step, which") for line in lines) == (causes == 9)


def test_a_red_kernel_is_what_the_text_says_how_to_explain(release: Release) -> None:
    with_kernels(release)
    release.receipt("kernels-gx10.json")["rows"][0]["verdict"] = "fail"
    verdict, _ = judge(release.write())
    assert render(verdict, color=False).splitlines()[-1] == f"    gate explain {GEMV} --tag v0.71.0"


# ---------------------------------------------------------------- what the notes say of speed, and of each obligation

CLAIM = """
[[claims.performance]]
id = "{0}"
model = "alpha-q4_k_m.gguf"
metric = "decode_tok_per_sec"
configuration = "one user, 128 in, 128 out"
{1}
of = 3
"""
COMPARED = 'comparator = "llama.cpp"\nat_least = 0.9\nruns = 2'


def speeding(release: Release, *claims: str) -> Release:
    release.rules += "".join(claims)
    release.documents[f"receipts/{VERSION}/speed.json"] = performances("lambda")
    return release


def speed(release: Release) -> str:
    verdict, _ = judge(release.write())
    page = html.unescape(markdown.render("notes.md.j2", verdict))
    return page.partition("## Speed\n")[2].partition("\n## ")[0]


def test_the_notes_show_a_claim_that_is_compared_run_by_run(release: Release) -> None:
    speeding(release, CLAIM.format("decode", COMPARED)).receipt("speed.json")["rows"][1]["value"] = 80.5
    page = speed(release)
    for words in (
        "### decode\n",
        "`decode_tok_per_sec` of `alpha-q4_k_m.gguf`, one user, 128 in, 128 out: at least 0.9 of llama.cpp's in 2 of 3 runs.",
        "**Shown:** 2 of 3 runs reach it.",
        "Compared with llama.cpp, build `d1d3c3396`, in the same runs on lambda.",
        "| run | own figure | llama.cpp's | ratio | |",
        "| 1 | 95 | 100 | 0.95 | |",
        "| 2 | 80.5 | 100 | 0.805 | below |",
    ):
        assert words in page, page


def test_an_own_figure_is_shown_as_that_and_compared_with_nothing(release: Release) -> None:
    page = speed(speeding(release, CLAIM.format("own", ""), CLAIM.format("floor", "at_least = 90\nruns = 3")))
    own, floor = page.split("### floor")
    assert "the own figure, in 3 runs." in own
    assert "**Shown:** 3 of 3 runs are recorded." in own
    assert "at least 90 in 3 of 3 runs." in floor
    for part in (own, floor):
        assert "The project's own figure, compared with nothing, on lambda." in part
        assert "| run | own figure | |" in part
        assert "llama" not in part
        assert "ratio" not in part


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda rows: rows[0].update(value=10.0), "More runs stay below what the claim says than it allows."),
        (lambda rows: [row.pop("comparator") for row in rows], "The comparator was not measured in every run"),
        (lambda rows: rows.clear(), "Fewer runs of these numbers were measured than the claim speaks of."),
    ],
)
def test_a_claim_that_is_not_shown_says_so_and_why(change: Any, said: str, release: Release) -> None:
    speeding(release, CLAIM.format("decode", COMPARED.replace("runs = 2", "runs = 3")))
    change(release.receipt("speed.json")["rows"])
    verdict, _ = judge(release.write())
    for template in ("notes.md.j2", "known-issues.md.j2"):
        page = markdown.render(template, verdict)
        assert f"**Not shown:** {said}" in page, page
        assert "**Shown:**" not in page
    if "comparator" in said:
        assert "| 1 | 95 | not measured | not compared | |" in page


def test_the_known_issues_name_no_claim_that_is_shown(release: Release) -> None:
    verdict, _ = judge(speeding(release, CLAIM.format("decode", COMPARED)).write())
    assert "decode" not in markdown.render("known-issues.md.j2", verdict)


def test_nothing_in_a_claim_becomes_markup(release: Release) -> None:
    hostile = "<script>alert(1)</script> | *a* [x](http://evil.example) `b`"
    claim = CLAIM.format("decode", COMPARED).replace("one user, 128 in, 128 out", hostile).replace("llama.cpp", "*<b>*")
    for row in speeding(release, claim).receipt("speed.json")["rows"]:
        row["configuration"] = hostile
        row["comparator"] |= {"name": "*<b>*", "pin": "`|<i>"}
    verdict, _ = judge(release.write())
    assert verdict.conforms
    page = shown(markdown.render("notes.md.j2", verdict))
    assert page.tags <= ALLOWED
    assert page.links == set()
    assert "*<b>*'s" in page.text


def test_the_notes_count_every_obligation_beside_cells(release: Release) -> None:
    with_kernels(release)
    with_conformance(release)
    release.rules = release.rules.replace(
        "[require]",
        '[require]\ntokenizer = true\nparity = { against = "cpu", prefix = 20 }\n'
        'rows = [{ suite = "dogfood", rows = ["fmt"] }]',
    )
    speeding(release, CLAIM.format("decode", COMPARED))
    release.documents[f"receipts/{VERSION}/tokenizers.json"] = tokenizers()
    release.documents[f"receipts/{VERSION}/parity-lambda.json"] = parities("lambda")
    release.receipt("kernels-gx10.json")["rows"][1]["verdict"] = "fail"
    release.claims = DECLAIM.replace('arch = "qwen35"', 'kernel = "iq3_s_gemv"')
    verdict, _ = judge(release.write())
    page = markdown.render("notes.md.j2", verdict)
    for line in (
        "| obligation | owed | passed | missing | failed | de-claimed |",
        "| kernels | 3 | 2 | 0 | 1 | 1 |",
        "| tensor shapes | 2 | 2 | 0 | 0 | 1 |",
        "| tokenizers | 2 | 2 | 0 | 0 | 0 |",
        "| output parity | 4 | 2 | 2 | 0 | 0 |",
        "| suites | 1 | 1 | 0 | 0 | 0 |",
        "| rows of suites | 1 | 1 | 0 | 0 | 0 |",
        "| claims of speed | 1 | 1 | 0 | 0 | 0 |",
    ):
        assert line in page, page
    assert page.index("| kernels | 3") < page.index("## Speed")


def test_a_release_without_claims_says_nothing_of_speed(release: Release) -> None:
    verdict, _ = judge(release.write())
    page = markdown.render("notes.md.j2", verdict)
    assert "## Speed" not in page
    assert "| suites | 1 | 1 | 0 | 0 | 0 |" in page
    assert "| kernels" not in page


def test_color_is_for_terminals_only(release: Release) -> None:
    verdict, _ = judge(release.write())
    assert "\x1b[" not in render(verdict)
    assert "\x1b[" in render(verdict, color=True)


def test_findings_of_one_cause_are_one_group(release: Release) -> None:
    del release.receipt("gx10.json")["runs"][:3]
    del release.receipt("lambda.json")["runs"][:2]
    verdict, _ = judge(release.write())
    (group,) = by_cause(verdict.findings)
    assert (group.count, group.reason) == (5, "missing")
    assert [(w.host, w.count, w.names) for w in group.where] == [
        ("gx10", 3, (("alpha-q4_k_m.gguf", 3),)), ("lambda", 2, (("alpha-q4_k_m.gguf", 2),)),
    ]  # fmt: skip
