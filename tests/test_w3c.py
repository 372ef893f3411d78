"""The W3C's own cases of SHACL Core: an engine that judges here reports what the Recommendation's authors expect."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyshacl
import pytest
import shacl
from rdflib import BNode, Graph, URIRef
from rdflib.namespace import RDF, SH

from gate.errors import GateError
from gate.judging.classes import Classes
from gate.judging.judge import Result
from gate.shape_lint import SEVERITIES
from tests import w3c
from tests.triples import Triples, shapes_of
from tests.w3c import Case, Expected, cases, read

FEWEST = 90  # cases: fewer were not read, whatever their manifests say

# An engine: the data and the shapes in, every result out; None where it reports that it can't judge.
Engine = Callable[[Graph, Graph], list[Expected] | None]


def plain_pyshacl(data: Graph, shapes: Graph) -> list[Expected] | None:
    """pyshacl, as it is called for a release: neither inference nor its advanced features, the data left as it is."""
    _, report, _ = pyshacl.validate(data, shacl_graph=shapes, inplace=True, advanced=False)
    if not isinstance(report, Graph):
        return None
    return sorted(read(report, one) for one in report.objects(None, SH.result))


def second_engine(data: Graph, shapes: Graph) -> list[Expected] | None:
    """The engine of `gate check --cross-check`."""
    compiled = shacl.Shapes.from_text(shapes.serialize(format="nt"), format="ntriples")
    found = compiled.validate_text(data.serialize(format="nt"), format="ntriples")
    report = Graph().parse(data=found.serialize("ntriples"), format="nt")
    return sorted(read(report, one) for one in report.objects(None, SH.result))


def by_classes(data: Graph, shapes: Graph) -> list[Expected] | None:
    """The engine of `gate check`: one of each class of alike nodes."""
    if set(shapes.objects(None, SH.severity)) - SEVERITIES:
        return plain_pyshacl(data, shapes)  # the gate refuses a severity of a project's own before it judges
    nodes = Triples(data)
    try:
        found = Classes().judge(nodes, shapes_of(shapes)).results
    except GateError:
        return None
    report = Graph()
    for one in found:
        _report(report, one, nodes.data, shapes)
    return sorted(read(report, one) for one in report.subjects(SH.focusNode))


def _report(report: Graph, one: Result, data: Graph, shapes: Graph) -> None:
    """Write a result as pyshacl does: of a property shape with its path, of a closed one with the property it refuses."""
    head = BNode()
    shape = next(term for term in {*shapes.subjects(), *shapes.objects()} if str(term) == one.shape)
    focus = URIRef(one.focus) if one.focus_said is None else one.focus_said.term()
    value = None if one.value_said is None else one.value_said.term()
    path = shapes.value(shape, SH.path)
    if one.component == "ClosedConstraintComponent":
        path = next(p for p in data.predicates(focus, value))
    for predicate, term in (
        (SH.focusNode, focus), (SH.value, value), (SH.resultPath, path), (SH.sourceShape, shape),
        (SH.sourceConstraintComponent, SH[one.component]), (SH.resultSeverity, SH[one.severity.capitalize()]),
    ):  # fmt: skip
        if term is not None:
            report.add((head, predicate, term))
    pending = [path] if isinstance(path, BNode) else []
    while pending:
        step = pending.pop()
        is_list = (step, RDF.first, None) in shapes  # of which a report says no more, whatever stands there beside it
        for predicate, term in shapes.predicate_objects(step):
            if is_list and predicate not in {RDF.first, RDF.rest}:
                continue
            report.add((step, predicate, term))
            pending += [term] if isinstance(term, BNode) else []


ENGINES: dict[str, Engine] = {"pyshacl": plain_pyshacl, "shacl": second_engine, "classes": by_classes}

# The cases that are answered otherwise by every engine which gets its shapes from rdflib, and why. Each rejects what the
# Recommendation lets pass, never the reverse.
DIFFERENCES = {
    "property/uniqueLang-002": 'rdflib reads "1" as true, so that a shape judges which says no more than sh:uniqueLang 1',
}


@pytest.fixture(scope="module")
def suite(request: pytest.FixtureRequest) -> list[Case]:
    cache = request.config.cache
    assert cache is not None, "pytest runs without its cache plugin: there is nowhere to keep the cases"
    return list(cases(w3c.folder(cache.mkdir("w3c"))))


def test_every_case_is_read(suite: list[Case]) -> None:
    assert len(suite) >= FEWEST
    assert len({case.name for case in suite}) == len(suite)
    assert sum(len(case.expected or ()) for case in suite) > FEWEST


@pytest.mark.parametrize("engine", ENGINES)
def test_the_engine_reports_what_is_expected(engine: str, suite: list[Case]) -> None:
    judge = ENGINES[engine]
    found = {case.name: (case.expected, judge(case.data, case.shapes)) for case in suite}
    differing = {name: answers for name, answers in found.items() if answers[0] != answers[1]}
    assert set(differing) == set(DIFFERENCES), differing


def test_cases_that_cannot_be_had_fail_a_ci_run_and_are_skipped_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(w3c, "download", lambda _: None)
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="could not get the source distribution"):
        w3c.folder(tmp_path)
    monkeypatch.delenv("CI")
    with pytest.raises(pytest.skip.Exception, match="could not get"):
        w3c.folder(tmp_path)


def test_another_file_of_that_name_is_refused(tmp_path: Path) -> None:
    (tmp_path / "pyshacl-0.40.1.tar.gz").write_bytes(b"other")
    with pytest.raises(AssertionError, match="is not the distribution that the cases are known from"):
        w3c.folder(tmp_path)
