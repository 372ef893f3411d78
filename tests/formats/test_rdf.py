"""The validation report and EARL: read by rdflib, judged by shapes that say what each vocabulary asks for."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pyshacl
import pytest
from rdflib import Graph, Literal, Namespace, URIRef
from rdflib.compare import isomorphic
from rdflib.namespace import DCTERMS, PROV, RDF, SH

from gate import graph, iris, shape_files
from gate.reporting.formats import Setting, render
from gate.verdict import Verdict
from tests.falsifiers.falsifier import judge
from tests.formats.conftest import RELEASES, ROOT
from tests.formats.shipped import DECLAIMED_CELL, KNOWN_CELL, OUTSIDE_CELL, shipped
from tests.release import Release

EARL, GATE = Namespace("http://www.w3.org/ns/earl#"), Namespace(iris.NAMESPACE)
REPORT = Namespace("https://w3id.org/taggate/report#")
SHAPES = Path(__file__).parent


def parsed(form: str, verdict: Verdict) -> Graph:
    return Graph().parse(data=render(form, verdict, Setting()), format="turtle")


def assert_valid(found: Graph, shapes: str) -> None:
    conforms, _, text = pyshacl.validate(found, shacl_graph=Graph().parse(SHAPES / shapes), inplace=True)
    assert conforms, text


def results(report: Graph) -> Counter[tuple[str, ...]]:
    """Return what each result of a validation report says, whatever it is called."""
    return Counter(
        tuple(str(report.value(result, SH[name])) for name in
              ("focusNode", "sourceShape", "sourceConstraintComponent", "resultSeverity", "resultPath", "value"))
        for result in report.objects(None, SH.result)
    )  # fmt: skip


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize(("form", "shapes"), [("ttl", "report.ttl"), ("earl", "earl.ttl")])
def test_it_is_what_its_vocabulary_asks_for(form: str, shapes: str, release: str, verdicts: dict[str, Verdict]) -> None:
    assert_valid(parsed(form, verdicts[release]), shapes)


@pytest.mark.parametrize(("shapes", "broken"), [
    ("report.ttl", lambda found: found.remove((None, SH.focusNode, None))),
    ("report.ttl", lambda found: found.remove((None, SH.resultSeverity, None))),
    ("report.ttl", lambda found: found.set((next(found.subjects(SH.conforms)), SH.conforms, Literal("false")))),
    ("report.ttl", lambda found: found.remove((None, PROV.used, None))),
    ("earl.ttl", lambda found: found.remove((None, EARL.outcome, None))),
    ("earl.ttl", lambda found: found.remove((None, EARL.assertedBy, None))),
    ("earl.ttl", lambda found: found.set((next(found.subjects(EARL.outcome)), EARL.outcome, EARL.untested))),
])  # fmt: skip
def test_those_shapes_would_notice(shapes: str, broken: object, verdicts: dict[str, Verdict]) -> None:
    found = parsed("ttl" if shapes == "report.ttl" else "earl", verdicts["0.71.0"])
    assert callable(broken)
    broken(found)
    assert not pyshacl.validate(found, shacl_graph=Graph().parse(SHAPES / shapes), inplace=True)[0]


@pytest.mark.parametrize("release", RELEASES)
def test_the_report_says_what_pyshacl_says_of_the_same_graph(release: str, verdicts: dict[str, Verdict]) -> None:
    verdict = verdicts[release]
    data = graph.build(verdict.nodes.values())
    conforms, own, _ = pyshacl.validate(data, shacl_graph=verdict.judging.graph, inplace=True)
    assert isinstance(own, Graph)
    report = parsed("ttl", verdict)
    assert results(report) == results(own)
    (stated,) = report.objects(None, SH.conforms)
    assert stated == Literal(conforms)


def test_a_report_of_warnings_alone_conforms_not_and_the_tag_may_be_cut(release: Release) -> None:
    release.documents["receipts/0.71.0/notes.txt"] = "hello"
    verdict, _ = judge(release.write())
    report = parsed("ttl", verdict)
    (node,) = report.subjects(RDF.type, SH.ValidationReport)
    assert verdict.conforms
    assert (report.value(node, SH.conforms), report.value(node, REPORT.mayBeCut)) == (Literal(False), Literal(True))


@pytest.mark.parametrize("form", ["ttl", "earl"])
def test_the_inputs_are_linked_with_their_digests_and_the_release(form: str, verdicts: dict[str, Verdict]) -> None:
    verdict = verdicts["0.71.0"]
    report = parsed(form, verdict)
    (document,) = report.subjects(PROV.wasGeneratedBy)
    check = report.value(document, PROV.wasGeneratedBy)
    used = {
        (str(report.value(entity, GATE.path)), str(report.value(entity, GATE.sha256)))
        for entity in report.objects(check, PROV.used)
    }
    assert used == set(verdict.inputs)
    release = report.value(document, DCTERMS.subject)
    assert report.value(release, GATE.commit) == Literal(verdict.commit)
    judged = graph.build(verdict.nodes.values())
    receipts = set(judged.subjects(RDF.type, GATE.Receipt))
    assert receipts <= set(report.objects(check, PROV.used))


def test_every_source_shape_and_reason_is_known(verdicts: dict[str, Verdict]) -> None:
    vocabulary = Graph().parse(ROOT / "shapes" / "vocabulary.ttl")
    for verdict in verdicts.values():
        report = parsed("ttl", verdict)
        assert {str(shape) for shape in report.objects(None, SH.sourceShape)} <= set(verdict.judging.shapes)
        for reason in set(report.objects(None, GATE.because)):
            assert (reason, RDF.type, GATE.Reason) in vocabulary


def test_the_report_is_of_the_graph_that_gate_graph_prints(verdicts: dict[str, Verdict]) -> None:
    """Anyone can judge that graph again with the shapes, and hold the result against the report."""
    verdict = verdicts["0.71.0"]
    printed = Graph().parse(data=graph.serialize(graph.build(verdict.nodes.values()), "ttl"), format="turtle")
    assert isomorphic(printed, graph.build(verdict.nodes.values()))
    focus = set(parsed("ttl", verdict).objects(None, SH.focusNode))
    assert focus <= set(printed.subjects())


def test_a_path_of_several_steps_and_a_literal_in_focus_are_carried_through(release: Release) -> None:
    release.documents["shapes/mine.ttl"] = (
        "@prefix gate: <https://w3id.org/taggate/ns#> .\n@prefix sh: <http://www.w3.org/ns/shacl#> .\n"
        "<https://example.org/a> a sh:PropertyShape ; sh:targetClass gate:Suite ; sh:minCount 9 ;\n"
        '  sh:path ( gate:receipt [ sh:inversePath gate:receipt ] ) ; sh:message "Few." .\n'
        "<https://example.org/b> a sh:NodeShape ; sh:targetObjectsOf gate:gpu ; sh:nodeKind sh:IRI ;\n"
        '  sh:message "No IRI." .\n'
    )
    verdict, _ = judge(release.write())
    found = parsed("ttl", verdict)
    data = graph.build(verdict.nodes.values())
    _, own, _ = pyshacl.validate(data, shacl_graph=verdict.judging.graph, inplace=True)
    assert isinstance(own, Graph)
    kept = ("focusNode", "sourceShape", "value")
    ours, theirs = (
        Counter(tuple(g.value(r, SH[name]) for name in kept) for r in g.objects(None, SH.result)) for g in (found, own)
    )
    assert ours == theirs
    assert Literal("NVIDIA GB10") in set(found.objects(None, SH.focusNode))
    path = next(p for r, p in found.subject_objects(SH.resultPath) if not isinstance(p, URIRef))
    assert found.value(path, RDF.first) == GATE.receipt
    render("earl", verdict, Setting())


# ---------------------------------------------------------------- EARL


def _outcome(found: Graph, label: str) -> tuple[str, str, str]:
    """Return the outcome of the test of this title, why, and what is said of it."""
    (case,) = found.subjects(DCTERMS.title, Literal(label))
    (assertion,) = found.subjects(EARL.test, case)
    result = found.value(assertion, EARL.result)
    outcome, because, info = (found.value(result, p) for p in (EARL.outcome, GATE.because, EARL.info))
    return str(outcome).removeprefix(str(EARL)), str(because).removeprefix(str(GATE)), str(info)


def test_there_is_one_assertion_an_obligation(verdicts: dict[str, Verdict]) -> None:
    for verdict in verdicts.values():
        found = parsed("earl", verdict)
        tests = Counter(found.objects(None, EARL.test))
        assert set(tests.values()) == {1}
        owed = {
            iri for file in verdict.focus_nodes for iri in verdict.judged(file)
            if verdict.nodes[iri].types != ("Row",)
        }  # fmt: skip
        assert {str(test) for test in tests} == owed | {cell.node.iri for cell in verdict.cells}


def test_what_was_never_measured_failed_and_is_never_untested(release: Release) -> None:
    release.receipt("lambda.json")["runs"].remove(release.row("lambda", "alpha-q4_k_m.gguf"))
    release.row("lambda", "alpha-q4_k_m.gguf", "chat").update(verdict="skip")
    verdict, _ = judge(release.write())
    found = parsed("earl", verdict)
    missing = "lambda/alpha-q4_k_m.gguf/run/think-off/4k"
    assert _outcome(found, missing)[:2] == ("failed", "missing")
    assert _outcome(found, missing.replace("/run/", "/chat/"))[:2] == ("failed", "failed")
    assert set(found.objects(None, EARL.outcome)) == {EARL.passed, EARL.failed}


def test_what_decisions_set_aside_is_told_and_never_passed(release: Release) -> None:
    verdict, _ = judge(shipped(release).write())
    found = parsed("earl", verdict)
    outcome, because, info = _outcome(found, KNOWN_CELL)
    assert (outcome, because) == ("failed", "failed")
    assert "Known failure beta-times-out (#4666)" in info
    for cell, words in (
        (DECLAIMED_CELL, "De-claimed by no-chat (#7)"),
        (OUTSIDE_CELL, "Left out by the scope smoke, and red"),
    ):
        outcome, because, info = _outcome(found, cell)
        assert (outcome, because) == ("inapplicable", "None")
        assert words in info
    own = shape_files.read(Path("no such folder"))
    assert own.labels["DeclaimedCell"]
