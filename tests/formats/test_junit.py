"""JUnit XML, read back by junitparser: nothing in it is greener than the verdict."""

from __future__ import annotations

import junitparser
import pytest

from gate.reporting.formats import Setting, render
from gate.verdict import Verdict
from tests.falsifiers.falsifier import CELL, judge
from tests.falsifiers.known_failure import KNOWN, shipped_red
from tests.falsifiers.scope import SCOPE
from tests.falsifiers.warning import warned
from tests.formats.conftest import RELEASES
from tests.formats.shipped import DECLAIMED_CELL, KNOWN_CELL, OUTSIDE_CELL, shipped
from tests.release import Release


def report(verdict: Verdict) -> junitparser.JUnitXml:
    return junitparser.JUnitXml.fromstring(render("junit", verdict, Setting()).encode())


def cases(verdict: Verdict) -> dict[tuple[str, str], junitparser.TestCase]:
    found = [((suite.name, case.name), case) for suite in report(verdict) for case in suite]
    assert len({key for key, _ in found}) == len(found)
    return dict(found)


def result(case: junitparser.TestCase) -> junitparser.junitparser.Result:
    (found,) = case.result
    return found


@pytest.mark.parametrize("release", RELEASES)
def test_every_cell_is_one_case_in_the_suite_of_its_host(release: str, verdicts: dict[str, Verdict]) -> None:
    verdict = verdicts[release]
    found = [key for key in cases(verdict) if key[0].startswith("cells on ")]
    assert sorted(found) == sorted((f"cells on {cell.node.about.host}", cell.label) for cell in verdict.cells)
    assert (report(verdict).failures > 0) == (not verdict.conforms)


def test_the_counts_that_a_reader_sees_first_are_those_of_the_cases(verdicts: dict[str, Verdict]) -> None:
    for verdict in verdicts.values():
        parsed = report(verdict)
        stated = (parsed.tests, parsed.failures, parsed.errors, parsed.skipped)
        for suite in parsed:
            own = (suite.tests, suite.failures, suite.errors, suite.skipped)
            suite.update_statistics()
            assert own == (suite.tests, suite.failures, suite.errors, suite.skipped)
        parsed.update_statistics()
        assert stated == (parsed.tests, parsed.failures, parsed.errors, parsed.skipped)


def test_a_missing_cell_is_a_failure_and_never_a_skip(release: Release) -> None:
    release.receipt("lambda.json")["runs"].remove(release.row("lambda", "alpha-q4_k_m.gguf"))
    verdict, _ = judge(release.write())
    case = cases(verdict)["cells on lambda", CELL]
    failure = result(case)
    assert isinstance(failure, junitparser.Failure)
    assert (failure.type, failure.message) == ("missing", "No run of this cell was recorded.")
    assert "at gate.toml, line 30" in failure.text
    assert "-> Run the missing cells" in failure.text
    assert report(verdict).skipped == 0


def test_a_failed_cell_names_all_that_rejects_it_and_where(release: Release) -> None:
    release.row("lambda", "alpha-q4_k_m.gguf").update(verdict="fail", exit_code=3, reason="golden output")
    verdict, _ = judge(release.write())
    failure = result(cases(verdict)["cells on lambda", CELL])
    assert failure.type == "failed"
    for words in (
        "[cell: verdict, failed]",
        "golden output",
        "[cell: exitCode, failed]",
        "at receipts/0.71.0/lambda.json",
    ):
        assert words in failure.text


def test_the_violations_of_others_are_failures_in_suites_of_their_own(verdicts: dict[str, Verdict]) -> None:
    verdict = verdicts[RELEASES[0]]
    red = {key for key, case in cases(verdict).items() if any(isinstance(r, junitparser.Failure) for r in case.result)}
    owed = {(f.shape, f.focus) for f in verdict.violations if f.shape != "cell"}
    assert {key for key in red if not key[0].startswith("cells on ")} == owed
    assert ("suite", "dogfood") in owed


def test_warnings_fail_nothing_and_are_told(release: Release) -> None:
    release.documents["receipts/0.71.0/notes.txt"] = "hello"
    verdict, _ = judge(release.write())
    parsed = report(verdict)
    assert (parsed.failures, parsed.skipped) == (0, 0)
    told = render("junit", verdict, Setting()).partition("<system-out>")[2].partition("</system-out>")[0]
    assert "info: 0.71.0 [release: read, unread]" in told
    assert "notes.txt" in told


def test_what_a_decision_sets_aside_is_skipped_by_its_words_and_neither_passes_nor_fails(release: Release) -> None:
    verdict, _ = judge(shipped(release).write())
    assert verdict.conforms
    found = cases(verdict)
    for cell, kind, message in (
        (KNOWN_CELL, "known", "Known failure beta-times-out (#4666), until 0.72.0: The run times out."),
        (DECLAIMED_CELL, "declaimed", "De-claimed by no-chat (#7), until 0.72.0: Chat loses the first message."),
        (OUTSIDE_CELL, "outside", "Left out by the scope smoke, and red"),
    ):
        skipped = result(found[f"cells on {cell.split('/')[0]}", cell])
        assert isinstance(skipped, junitparser.Skipped)
        assert (skipped.type, skipped.message) == (kind, message)
    assert report(verdict).failures == 0
    assert "timed out after 900 s" in found["cells on gx10", KNOWN_CELL].system_out
    assert "No run of this cell was recorded." in found["cells on gx10", DECLAIMED_CELL].system_out
    assert "golden output" in found["cells on lambda", OUTSIDE_CELL].system_out


def test_a_known_failure_that_was_not_measured_is_a_failure(release: Release) -> None:
    shipped_red(release, (KNOWN + SCOPE).replace('"exitCode"', '"exitCode", "receipt"'))
    release.receipt("gx10.json")["runs"].remove(release.row("gx10", "beta-q4_k_m.gguf"))
    verdict, _ = judge(release.write())
    failure = result(cases(verdict)["cells on gx10", KNOWN_CELL])
    assert (type(failure), failure.type) == (junitparser.Failure, "missing")


def test_a_suite_that_is_known_to_fail_and_never_ran_is_a_failure(release: Release) -> None:
    selects = 'model = "beta-q4_k_m.gguf"\nhost = "gx10"\nverb = "run"\ncontext = "4k"\n'
    claims = (
        (KNOWN + SCOPE).replace(selects, 'suite = "dogfood"\n').replace('["timed out*", "exitCode"]', '["receipt"]')
    )
    release.claims = claims
    del release.documents["receipts/0.71.0/dogfood.json"]
    verdict, _ = judge(release.write())
    assert not verdict.conforms
    failure = result(cases(verdict)["suite", "dogfood"])
    assert (type(failure), failure.type) == (junitparser.Failure, "missing")
    assert "Known failure beta-times-out" in failure.text


def test_a_withdrawn_cell_whose_warning_was_not_printed_fails_as_a_warning(release: Release) -> None:
    warned(release)
    release.row("gx10", "beta-q4_k_m.gguf")["warnings"] = []
    verdict, _ = judge(release.write())
    assert not verdict.conforms
    found = cases(verdict)
    assert isinstance(result(found["cells on gx10", KNOWN_CELL]), junitparser.Skipped)
    assert isinstance(result(found["warning", KNOWN_CELL]), junitparser.Failure)


@pytest.mark.parametrize("target", ["sh:targetClass gate:DeclaimedCell", "sh:targetObjectsOf gate:sha256"])
def test_a_violation_that_no_obligation_carries_is_a_test_of_its_own(target: str, release: Release) -> None:
    release.documents["shapes/mine.ttl"] = (
        "@prefix gate: <https://w3id.org/taggate/ns#> .\n@prefix sh: <http://www.w3.org/ns/shacl#> .\n"
        f"<https://example.org/mine> a sh:NodeShape ; {target} ; sh:property [\n"
        '  sh:path gate:holds ; sh:minCount 1 ; sh:name "mine" ; sh:message "Mine." ] .\n'
    )
    if "Declaimed" in target:
        shipped(release)
    verdict, _ = judge(release.write())
    assert not verdict.conforms
    red = {key for key, case in cases(verdict).items() if any(isinstance(r, junitparser.Failure) for r in case.result)}
    assert red
    assert {suite for suite, _ in red} == {"mine"}


@pytest.mark.parametrize("text", ["\ufffe\uffff", "]]>", "<b>&amp;", "\x1b[2J", "a\nb", "\u2028", "🦆"])
def test_whatever_is_recorded_is_well_formed(text: str, release: Release) -> None:
    release.row("lambda", "alpha-q4_k_m.gguf").update(verdict="fail", reason=text)
    verdict, _ = judge(release.write())
    failure = result(cases(verdict)["cells on lambda", CELL])
    assert failure.type == "failed"
    assert not set(failure.text) & set("\x1b\ufffe\uffff")
