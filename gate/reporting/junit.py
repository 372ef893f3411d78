"""The verdict as JUnit XML: one test case an obligation, the cells in suites by host.

What the format can say is less than what the gate knows, so that each state has one place:

- a missing cell is a failure of the type `missing`, never a skip; one that was recorded and is no pass, `failed`;
- what a decision sets aside (de-claimed, known to fail under a scope, outside the scope) is skipped, by that name and
  with the decision's words: a pass would be a lie, and a failure would contradict a verdict that conforms;
- a warning fails nothing, and stands in the first suite's output.

So a report has a failure if, and only if, the release is refused. It is written with the standard library's XML: what
junitparser writes depends on whether lxml is installed, and the same verdict must give the same bytes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from gate.reporting.places import Places
from gate.reporting.tested import RED, tested
from gate.states import DECLAIMED, KNOWN, PASSED
from gate.verdict import instant

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.reporting.formats import Setting
    from gate.reporting.tested import Tested
    from gate.verdict import Verdict

# What XML 1.0 has no way to write.
_UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SKIPPED = {DECLAIMED: "de-claimed", KNOWN: "known to fail", "outside": "outside the scope"}


def render(verdict: Verdict, setting: Setting) -> str:
    """Return the verdict as a JUnit XML document."""
    suites: dict[tuple[str, str | None], list[Tested]] = {}
    every = tested(verdict)
    for test in every:
        suites.setdefault((f"cells on {test.host}", test.host) if test.is_cell else (test.kind, None), []).append(test)
    root = ET.Element("testsuites", {"name": _text(f"taggate {verdict.project} {verdict.tag}"), **_counts(every)})
    places = Places(verdict)
    for index, ((name, host), tests) in enumerate(suites.items()):
        suite = ET.SubElement(root, "testsuite", {"name": _text(name), **_counts(tests), **_time(tests)})
        suite.set("timestamp", instant(verdict.evaluated_at).removesuffix("Z"))
        if host is not None:
            suite.set("hostname", _text(host))
        if index == 0:
            properties = ET.SubElement(suite, "properties")
            for key, value in _properties(verdict):
                ET.SubElement(properties, "property", name=key, value=_text(value))
        for test in tests:
            _case(suite, test, places, setting)
        if index == 0 and (notices := "\n".join(_notices(verdict))):
            ET.SubElement(suite, "system-out").text = _text(notices)
    ET.indent(root, " ")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _text(text: str) -> str:
    return _UNWRITABLE.sub("\ufffd", text)


def _counts(tests: list[Tested]) -> dict[str, str]:
    red = sum(test.state in RED for test in tests)
    passed = sum(test.state == PASSED for test in tests)
    counts = {"tests": len(tests), "failures": red, "errors": 0, "skipped": len(tests) - red - passed}
    return {name: str(count) for name, count in counts.items()}


def _time(tests: list[Tested]) -> dict[str, str]:
    seconds = [test.seconds for test in tests if test.seconds is not None]
    return {"time": f"{sum(seconds):.3f}"} if seconds else {}


def _properties(verdict: Verdict) -> Iterator[tuple[str, str]]:
    document = verdict.to_json()
    yield "verdict", document["verdict"]
    yield "version", verdict.version
    yield "commit", verdict.commit
    if verdict.scope is not None:
        yield "scope", verdict.scope.name
    for kind, counts in document["counts"].items():
        for name, count in counts.items() if isinstance(counts, dict) else [("", counts)]:
            yield ".".join(filter(None, ("counts", kind, name))), str(count)


def _notices(verdict: Verdict) -> Iterator[str]:
    for finding in verdict.findings:
        if finding.severity != "violation":
            yield f"{finding.severity}: {finding.focus} [{finding.brief()}] {finding.message}"


def _case(suite: ET.Element, test: Tested, places: Places, setting: Setting) -> None:
    case = ET.SubElement(
        suite, "testcase", name=_text(test.label), classname=_text(f"{test.kind}.{test.host or 'release'}")
    )
    case.attrib |= _time([test])
    if test.state in RED:
        first = test.findings[0].message if test.findings else "It is owed, and no row keys onto it."
        failure = ET.SubElement(case, "failure", type=test.state, message=_text(first))
        failure.text = _text("\n".join([*_lines(test, places, setting), *test.told]))
    elif test.state != PASSED:
        ET.SubElement(case, "skipped", type=test.state, message=_text((test.told or (_SKIPPED[test.state],))[0]))
        if test.told[1:]:
            ET.SubElement(case, "system-out").text = _text("\n".join(test.told[1:]))


def _lines(test: Tested, places: Places, setting: Setting) -> Iterator[str]:
    """Yield what rejects an obligation, where that lies and what to do, a line each."""
    for finding in test.findings:
        yield f"[{finding.brief()}] {finding.message}"
        place = places.of(finding)[0]
        path = setting.located(place.path) or place.path
        yield f"  at {path}" + (f", line {place.line}" if place.line else "")
    for remedy in dict.fromkeys(finding.remedy for finding in test.findings if finding.remedy):
        yield f"-> {remedy}"
