"""What holds of the formats of every verdict, whatever is red in it: the table of falsifiers asks for it each time."""

from __future__ import annotations

from pathlib import Path

import junitparser

from gate.reporting.formats import Setting, render
from gate.reporting.places import Places
from gate.verdict import Verdict


def assert_reports_hold(verdict: Verdict, folder: Path) -> None:
    """Assert that JUnit fails exactly where the verdict does, and that each finding lies in a file and line that exist."""
    report = junitparser.JUnitXml.fromstring(render("junit", verdict, Setting()).encode())
    assert (report.failures > 0) == (not verdict.conforms)
    places = Places(verdict)
    for finding in verdict.findings:
        found = places.of(finding)
        assert found, finding
        for place in found:
            lines = (folder / place.path).read_text(encoding="utf-8").split("\n")
            assert place.line is None or lines[place.line - 1].strip(" #"), (finding, place)
