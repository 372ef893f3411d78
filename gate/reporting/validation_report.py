"""The verdict as the W3C's SHACL validation report, linked with PROV to everything that it rests on.

`sh:conforms` is what SHACL defines: false as soon as there is any result, a warning too. Whether the tag may be cut
stands in `report:mayBeCut`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rdflib import BNode, Literal, URIRef
from rdflib.namespace import RDF, RDFS, SH

from gate.graph import GATE
from gate.reporting import provenance

if TYPE_CHECKING:
    from rdflib import Graph
    from rdflib.term import Node as Term

    from gate.findings import Finding
    from gate.reporting.formats import Setting
    from gate.verdict import Verdict

_SEVERITIES = {"violation": SH.Violation, "warning": SH.Warning, "info": SH.Info}


def render(verdict: Verdict, setting: Setting) -> str:  # noqa: ARG001 - the one signature of all formats
    """Return the report as Turtle."""
    graph = provenance.graph()
    report = provenance.iri(verdict, "report")
    graph.add((report, RDF.type, SH.ValidationReport))
    graph.add((report, SH.conforms, Literal(not verdict.findings)))
    provenance.describe(graph, verdict, report)
    width = len(str(len(verdict.findings)))
    for number, finding in enumerate(verdict.findings, start=1):
        # A number, and no blank node: the same verdict must give the same bytes.
        result = provenance.iri(verdict, "report", f"{number:0{width}}")
        graph.add((report, SH.result, result))
        _describe(graph, verdict, result, finding)
    return provenance.turtle(graph, verdict, "the SHACL validation report")


def _describe(graph: Graph, verdict: Verdict, result: URIRef, finding: Finding) -> None:
    said = finding.result
    focus = URIRef(said.focus) if said.focus_said is None else said.focus_said.term()
    shape, value_found = URIRef(said.shape), None if said.value_said is None else said.value_said.term()
    for predicate, value in (
        (RDF.type, SH.ValidationResult), (SH.focusNode, focus), (SH.sourceShape, shape),
        (SH.sourceConstraintComponent, SH[said.component]), (SH.resultSeverity, _SEVERITIES[finding.severity]),
        (SH.resultMessage, Literal(finding.message)), (GATE.because, GATE[finding.reason]),
    ):  # fmt: skip
        graph.add((result, predicate, value))
    if value_found is not None:
        graph.add((result, SH.value, value_found))
    path = verdict.judging.graph.value(shape, SH.path)
    if path is not None:
        graph.add((result, SH.resultPath, _copied(verdict.judging.graph, path, graph)))
    if isinstance(focus, URIRef):
        graph.add((focus, RDFS.label, Literal(finding.focus)))


def _copied(shapes: Graph, node: Term, graph: Graph) -> Term:
    """Return a path's node in `graph`: an IRI as it is, a path of several steps as a copy of its own."""
    if not isinstance(node, BNode):
        return node
    copy = BNode()
    for predicate, value in shapes.predicate_objects(node):
        graph.add((copy, predicate, _copied(shapes, value, graph)))
    return copy
