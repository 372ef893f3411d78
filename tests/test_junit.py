"""`gate ingest junit`: a suite goes only with a pass, and nothing that could hide a failure is read."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate import ledger
from gate.errors import BadFile, CallersError, GateError
from gate.ledger import junit
from gate.ledger.given import Given
from tests.foreign import AT, SAID, text
from tests.release import COMMIT, VERSION

CASES = '<testcase classname="t" name="a"/><testcase classname="t" name="b">{}</testcase>'


def xml(inner: str, **counters: int) -> str:
    said = " ".join(f'{name}="{value}"' for name, value in counters.items())
    return f'<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="unit" timestamp="2026-10-12T09:00:00+02:00" {said}>{inner}</testsuite></testsuites>'


def of_junit(content: str | bytes, given: Given = SAID) -> Any:
    document = junit.to_native(text(content), given)
    ledger.read_receipt(text("", "x"), document)
    return document


@pytest.mark.parametrize(
    ("inner", "result", "verdict"),
    [
        ("", "pass", "go"), ("<system-out>fail</system-out>", "pass", "go"), ("<skipped/>", "skip", "go"),
        ('<failure message="m">t</failure>', "fail", "no-go"), ("<error/>", "error", "no-go"),
        ("<failure/><error/>", "error", "no-go"), ("<skipped/><failure/>", "fail", "no-go"),
        ('<flakyFailure message="m"><stackTrace>s</stackTrace></flakyFailure>', "fail", "no-go"), ("<rerunError/>", "error", "no-go"),
    ],
)  # fmt: skip
def test_a_case_is_what_its_elements_say(inner: str, result: str, verdict: str) -> None:
    found = of_junit(xml(CASES.format(inner)))
    assert [row["result"] for row in found["rows"]] == ["pass", result]
    assert (found["verdict"], found["suite"]) == (verdict, "unit")
    assert [row["name"] for row in found["rows"]] == ["t::a", "t::b"]
    assert found["measured_at"] == AT


def test_a_suite_goes_only_with_a_pass() -> None:
    assert of_junit(xml(""))["verdict"] == "no-go"
    assert of_junit(xml('<testcase name="a"><skipped message="later"/></testcase>'))["verdict"] == "no-go"
    assert of_junit("<testsuites/>", Given(VERSION, COMMIT, None, AT, "unit"))["verdict"] == "no-go"
    inner = '<testsuite name="o"><testsuite name="i" failures="2"><testcase name="a"/></testsuite></testsuite>'
    assert of_junit(inner, Given(VERSION, COMMIT, None, AT))["contradictions"] == [
        "testsuite 'i': failures is 2, and its cases say 0"
    ]
    nested = '<testsuite name="o"><testsuite name="i"><testcase name="a"><failure/></testcase></testsuite></testsuite>'
    assert of_junit(nested, Given(VERSION, COMMIT, None, AT))["verdict"] == "no-go"


def test_counters_that_differ_from_the_cases_are_reported_and_no_go() -> None:
    found = of_junit(xml(CASES.format(""), tests=134))
    assert found["contradictions"] == ["testsuite 'unit': tests is 134, and its cases say 2"]
    assert found["verdict"] == "no-go"
    assert of_junit(xml(CASES.format(""), tests=2, failures=1))["verdict"] == "no-go"
    assert of_junit(xml(CASES.format(""), tests=2, failures=0, errors=0))["verdict"] == "go"
    assert of_junit(xml(CASES.format(""), skipped=1))["verdict"] == "no-go"
    assert of_junit(xml(CASES.format("<skipped/>"), tests=2, skipped=1))["verdict"] == "go"


@pytest.mark.parametrize("counter", ["tests", "failures", "errors", "skipped"])
def test_the_counters_of_the_root_count_all_cases(counter: str) -> None:
    whole = xml(CASES.format("")).replace(
        "</testsuites>", '<testsuite name="o"><testcase name="c"/></testsuite></testsuites>'
    )
    said = Given(VERSION, COMMIT, None, AT, "unit")
    found = of_junit(whole.replace("<testsuites>", f'<testsuites {counter}="10">'), said)
    counted = 3 if counter == "tests" else 0
    assert found["contradictions"] == [f"testsuites: {counter} is 10, and its cases say {counted}"]
    assert found["verdict"] == "no-go"
    right = whole.replace("<testsuites>", '<testsuites tests="3" failures="0" errors="0" skipped="0">')
    assert of_junit(right, said)["verdict"] == "go"
    with pytest.raises(BadFile, match="testsuites: its tests is 'x', which is no count"):
        of_junit(whole.replace("<testsuites>", '<testsuites tests="x">'), said)


@pytest.mark.parametrize(
    ("status", "result"),
    [("run", "pass"), ("notrun", "skip"), ("failed", "fail"), ("ERROR", "error"), ("disabled", "skip")],
)
def test_the_status_of_a_case_counts(status: str, result: str) -> None:
    found = of_junit(xml(f'<testcase name="a" status="{status}"/>'))
    assert found["rows"][0]["result"] == result
    assert of_junit(xml(f'<testcase name="a" result="{status}"/>'))["rows"][0]["result"] == result


BOMB = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>'


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (BOMB + "<testsuites>&b;</testsuites>", "line 1: it has a document type"),
        ('<!DOCTYPE x SYSTEM "file:///etc/passwd"><testsuites/>', "it has a document type"),
        ('<testsuites xmlns="urn:x"/>', "it has a default namespace"),
        (xml('<testcase name="a"><Failure/></testcase>'), "<Failure> is not known inside <testcase>"),
        (xml('<testcase name="a"><x:failure xmlns:x="u"/></testcase>'), "<x:failure> is not known inside <testcase>"),
        ('<testsuites><testcase name="a"/></testsuites>', "<testcase> is not known inside <testsuites>"),
        ("<report/>", "<report> is not known as its outermost element"), ("", "it is not XML"), ("{}", "it is not XML"),
        ("<testsuites>", "it is not XML"), (b"\xff\xfe<", "it is not XML"), (xml("<testcase/>"), "a case has no name"),
        ('<?xml version="1.0" encoding="nonsense"?><testsuites/>', "it is not XML"),
        (xml('<testcase name="a" status="odd"/>'), "its status is 'odd', which says no known result"),
        ('<testsuite name="x" tests="many"><testcase name="a"/></testsuite>', "its tests is 'many', which is no count"),
        ('<testsuite name="x" timestamp="now"><testcase name="a"/></testsuite>', "its timestamp is no time"),
        ("<testsuite>" * 40 + "</testsuite>" * 40, "nested too deeply"),
    ],
)  # fmt: skip
def test_xml_that_could_hide_a_failure_is_refused(content: str | bytes, said: str) -> None:
    with pytest.raises(BadFile) as refused:
        of_junit(content, Given(VERSION, COMMIT, None, None, "unit"))
    assert str(refused.value).startswith("x")
    assert said in str(refused.value)


def test_junit_needs_what_it_does_not_say() -> None:
    two = "<testsuites><testsuite name='a'><testcase name='x'/></testsuite><testsuite name='b'/></testsuites>"
    with pytest.raises(CallersError, match=r"^--suite is needed"):
        of_junit(two, SAID)
    with pytest.raises(CallersError, match=r"^--measured-at is needed"):
        of_junit("<testsuite name='a' timestamp='2026-10-12T09:00:00'/>", Given(VERSION, COMMIT))
    with pytest.raises(CallersError, match=r"^--release, --commit, --measured-at and --suite are needed"):
        of_junit(two, Given())


ELEMENTS = st.sampled_from(["failure", "error", "skipped", "system-out", "properties", "flakyError", "Failure", "x"])


@settings(deadline=None)
@given(st.lists(ELEMENTS, max_size=3), st.text(max_size=6))
def test_no_junit_mutant_goes(inner: list[str], said: str) -> None:
    children = "".join(f"<{name}/>" for name in inner)
    try:
        found = of_junit(xml(f'<testcase name="a">{children}</testcase>'))
    except GateError:
        assert {"Failure", "x"} & set(inner)
        return
    assert (found["verdict"] == "go") == (not {"failure", "error", "flakyError", "skipped"} & set(inner))
    try:
        of_junit(said)
    except GateError:
        return
