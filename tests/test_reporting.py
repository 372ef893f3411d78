"""The notes and pages: they say what the verdict says, and nothing in a name or a reason becomes markup."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gate.findings import plain
from gate.reporting import html, markdown, pages
from gate.reporting.groups import by_cause
from gate.reporting.legible import legible
from gate.reporting.text import render
from tests.falsifiers.conformance import with_conformance
from tests.falsifiers.falsifier import judge
from tests.falsifiers.kernel import GEMV, with_kernels
from tests.reading import shown, words
from tests.release import DECLAIM, NOW, VERSION, Release, declaimed
from tests.release import gate_here as gate

PAGES, FORMS = ("notes", "known-issues"), ("md", "html")
PRINTABLE = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40)


def test_the_notes_of_a_conforming_release_name_what_is_withdrawn(release: Release) -> None:
    verdict, _ = judge(declaimed(release).write())
    page = pages.render("notes", "md", verdict)
    assert page.startswith("# demo 0.71.0\n")
    assert "It conforms" in page
    assert "| gx10 | NVIDIA GB10 (12.1) | 24 | 24 | 0 | 0 | 12 |" in page
    assert "### beta-on-gx10 ([#4590](https://example.org/demo/issues/4590))" in page
    for said in (
        "Correct, but slow.",
        "release 0.72.0, which restores the claim",
        "“0.71 de-claims beta on GB10.”",
        "(release owner, 2026-09-28)",
    ):
        assert said in page
    for declaim in verdict.declaimed:
        for cell in declaim.cells:
            assert f"- `{cell.label}`\n" in page
    assert "## Refused" not in page
    assert "Nothing that is owed was left unmeasured." in page


def test_the_notes_of_a_refused_release_say_so_in_their_first_lines(release: Release) -> None:
    release.row("lambda", "alpha-q4_k_m.gguf").update(verdict="fail", reason="golden output")
    del release.receipt("gx10.json")["runs"][:2]
    verdict, _ = judge(release.write())
    for page in PAGES:
        for form in FORMS:
            first = shown(pages.render(page, form, verdict), form).text.strip().splitlines()
            assert "demo 0.71.0" in first[0]
            assert "must not be released" in " ".join(first[1:4])
    page = pages.render("notes", "md", verdict)
    assert page.splitlines()[2].startswith(
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
    "h1", "h2", "h3", "p", "ul", "li", "table", "thead", "tbody", "tr", "th", "td", "code", "strong", "a", "details",
    "summary", "hr",
}  # fmt: skip
OF_A_WHOLE_PAGE = {
    "html", "head", "meta", "title", "link", "style", "body", "main", "footer", "section", "b", "dl", "dt", "dd", "nav",
}  # fmt: skip


def hostile(release: Release, text: str) -> Release:
    """Let a release say `text` wherever it says anything of its own, and fail."""
    claims = DECLAIM.replace('"Correct, but slow."', repr_toml(text)).replace(
        '"0.71 de-claims beta on GB10."', repr_toml(text)
    )
    declaimed(release, f"{claims}symptom = {repr_toml(text)}\ninstead = {repr_toml(text)}\n")
    release.rules = release.rules.replace('"NVIDIA GB10"', repr_toml(text))
    release.row("lambda", "alpha-q4_k_m.gguf").update(verdict="fail", reason=text)
    return release


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_that_is_recorded_becomes_markup(text: str, release: Release) -> None:
    verdict, _ = judge(hostile(release, text).write())
    for page in PAGES:
        seen = {form: shown(pages.render(page, form, verdict), form) for form in FORMS}
        assert seen["md"].tags <= ALLOWED
        assert seen["html"].tags <= ALLOWED | OF_A_WHOLE_PAGE
        for form in FORMS:
            assert seen[form].links <= {"https://example.org/demo/issues/4590", "data:,"}
            said = re.sub(r"\s", "", text.replace("\u202e", ""))
            assert said in re.sub(r"[\s\ufffd]", "", seen[form].text)


@pytest.mark.parametrize("text", HOSTILE[::4])
def test_both_formats_say_the_same_words_in_the_same_order(text: str, release: Release) -> None:
    verdict, _ = judge(hostile(release, text).write())
    for page in PAGES:
        assert words(pages.render(page, "md", verdict), "md") == words(pages.render(page, "html", verdict), "html")


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


@given(PRINTABLE, PRINTABLE)
def test_what_is_put_together_with_markdown_is_escaped_for_it_too(one: str, other: str) -> None:
    marked = markdown.link("ticket", "https://example.org/1")
    whole = markdown.Marked("{} {}").format(marked, one)
    for put in (marked + one, markdown.join([marked, one, other], "; "), marked.join([one, other]), whole):
        page = shown(f"{put}\n")
        assert page.tags <= {"p", "a", "code"}
        assert page.links <= {"https://example.org/1"}


@given(PRINTABLE)
def test_what_a_page_shows_is_one_line_that_turns_nothing_around_it(text: str) -> None:
    line = legible(text)
    inside = line.removeprefix("\u2068").removesuffix("\u2069") if line.startswith("\u2068") else line
    assert not any(unicodedata.category(c) in {"Cc", "Cs", "Zl", "Zp"} for c in line)
    assert not set(inside) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
    assert line.startswith("\u2068") == any(unicodedata.bidirectional(c) in {"R", "AL"} for c in line)
    assert str(html.code(text)).startswith("<code>")


def test_emoji_and_the_scripts_of_the_world_stay_as_they_are() -> None:
    for text in ("🦆 👩‍👩‍👧 👍🏽", "می‌خواهم", "हिन्दी", "日本語", "é"):
        assert legible(text).strip("\u2068\u2069") == text


@given(PRINTABLE)
def test_plain_text_is_one_line_that_no_terminal_obeys(text: str) -> None:
    line = plain(text)
    assert len(line) <= 241
    assert not any(unicodedata.category(c) in {"Cc", "Cf", "Zl", "Zp"} for c in line.replace("\u200d", ""))


def test_a_repository_that_is_no_link_makes_none(release: Release) -> None:
    release.rules = release.rules.replace('"https://example.org/demo"', '"javascript:alert(1)"')
    verdict, _ = judge(declaimed(release).write())
    assert shown(pages.render("known-issues", "md", verdict)).links == set()
    assert shown(pages.render("known-issues", "html", verdict), "html").links == {"data:,"}


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
