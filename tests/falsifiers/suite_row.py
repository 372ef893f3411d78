"""What turns an expected row of a suite red. Each starts from a release that is green with the rows required."""

from __future__ import annotations

from typing import Any

from rdflib import Graph, URIRef
from rdflib.namespace import RDF

from gate.iris import term
from tests.falsifiers.falsifier import Falsifier, without
from tests.release import OTHER_COMMIT, Release

FMT, TEST = "dogfood/fmt", "dogfood/test all"


def required(release: Release) -> None:
    """Expect two rows of the suite, which both passed."""
    release.rules += '[[require.rows]]\nsuite = "dogfood"\nrows = ["fmt", "test all"]\n'
    release.receipt("dogfood.json")["rows"].append({"name": "test all", "result": "pass"})


def _rows(*rows: dict[str, Any]) -> Any:
    def change(release: Release) -> None:
        required(release)
        release.receipt("dogfood.json")["rows"] = [{"name": "fmt", "result": "pass"}, *rows]

    return change


def _stale(release: Release) -> None:
    required(release)
    release.receipt("dogfood.json")["release"]["commit"] = OTHER_COMMIT


def _unjudged(graph: Graph) -> None:
    for row in list(graph.subjects(RDF.type, URIRef(term("ExpectedRowResult")))):
        if str(row).endswith("/rows%5B1%5D"):
            graph.remove((row, RDF.type, URIRef(term("ExpectedRowResult"))))


def _red(constraint: str, component: str, name: str, prop: str, reason: str, change: Any) -> Falsifier:
    return Falsifier(f"ExpectedRow-{constraint}", component, name, ((TEST, prop, reason),), change)


_STALE = (("dogfood", "fresh", "stale"), (FMT, "fresh", "stale"), (TEST, "fresh", "stale"))

FALSIFIERS = [
    _red("recorded", "MinCount", "the row is gone", "receipt", "missing", _rows()),
    _red("recorded", "MinCount", "the row only looks the same", "receipt", "missing",
         _rows({"name": "Test all", "result": "pass"})),
    _red("once", "MaxCount", "the row stands twice", "receipt", "ambiguous",
         _rows({"name": "test all", "result": "pass"}, {"name": "test all", "result": "pass"})),
    Falsifier("ExpectedRow-judged", "Class", "a result escaped the constraints", ((TEST, "receipt", "failed"),),
              required, _unjudged),
    _red("verdict", "In", "the row was skipped", "verdict", "failed", _rows({"name": "test all", "result": "skip"})),
    Falsifier("ExpectedRow-verdict", "In", "the row failed",
              (("dogfood", "checks", "failed"), (TEST, "verdict", "failed")),
              _rows({"name": "test all", "result": "fail"})),
    Falsifier("ExpectedRow-verdict", "MinCount", "nobody says how the rows ended",
              ((FMT, "verdict", "failed"), (TEST, "verdict", "failed")), required, without("ExpectedRowResult", "verdict")),
    Falsifier("ExpectedRow-fresh", "In", "a row of another commit", _STALE, _stale),
    Falsifier("ExpectedRow-fresh", "MinCount", "nobody asked whether the rows are fresh", _STALE[1:], required,
              without("ExpectedRowResult", "fresh")),
]  # fmt: skip
