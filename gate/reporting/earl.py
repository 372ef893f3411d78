"""The verdict in EARL 1.0: one assertion an obligation, as Turtle.

Each asserts of the release what came of one test. A missing cell is `earl:failed`, and `gate:because gate:missing`: the
test asks whether exactly one run was recorded and passed, it was carried out, and the answer is no. `earl:untested`
would let a reader pass over what nobody measured. A known failure is `earl:failed` too, with what the decision says;
what was withdrawn, or lies outside the scope, is `earl:inapplicable`. No outcome is `untested` or `cantTell`: the gate
judges everything or ends without a verdict.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rdflib import BNode, Literal, URIRef
from rdflib.namespace import DCTERMS, RDF, XSD

from gate import iris
from gate.graph import GATE
from gate.reporting import provenance
from gate.reporting.provenance import EARL
from gate.reporting.tested import OUTSIDE, tested
from gate.states import DECLAIMED, FAILED, KNOWN, MISSING, PASSED
from gate.verdict import instant

if TYPE_CHECKING:
    from rdflib import Graph

    from gate.reporting.formats import Setting
    from gate.reporting.tested import Tested
    from gate.verdict import Verdict

_OUTCOMES = {
    PASSED: "passed", MISSING: "failed", FAILED: "failed", KNOWN: "failed", DECLAIMED: "inapplicable",
    OUTSIDE: "inapplicable",
}  # fmt: skip
_BECAUSE = {MISSING: "missing", FAILED: "failed", KNOWN: "failed"}


def render(verdict: Verdict, setting: Setting) -> str:  # noqa: ARG001 - the one signature of all formats
    """Return the report as Turtle."""
    graph = provenance.graph()
    report, release = provenance.iri(verdict, "earl"), provenance.iri(verdict)
    provenance.describe(graph, verdict, report)
    graph.add((provenance.SOFTWARE, RDF.type, EARL.Software))
    graph.add((release, RDF.type, EARL.TestSubject))
    for test in tested(verdict):
        assertion = _assertion(verdict, test)
        graph.add((report, DCTERMS.hasPart, assertion))
        _describe(graph, verdict, assertion, test)
    return provenance.turtle(graph, verdict, "what was tested, in EARL,")


def _assertion(verdict: Verdict, test: Tested) -> URIRef:
    """Return the IRI of an assertion: that of its obligation, below `assertion` and the kind."""
    release = iris.node(verdict.version)
    tail = test.iri.removeprefix(release) if test.iri in verdict.nodes else f"/{iris.quote(test.iri)}"
    return URIRef(f"{release}/assertion/{iris.quote(test.kind)}{tail}")


def _describe(graph: Graph, verdict: Verdict, assertion: URIRef, test: Tested) -> None:
    # What a shape of the project's own targets may be no node of the release, and even no IRI.
    case = URIRef(test.iri) if test.iri in verdict.nodes else provenance.iri(verdict, "focus", test.iri)
    result = BNode()
    for predicate, value in (
        (RDF.type, EARL.Assertion), (EARL.assertedBy, provenance.SOFTWARE), (EARL.subject, provenance.iri(verdict)),
        (EARL.test, case), (EARL.mode, EARL.automatic), (EARL.result, result),
    ):  # fmt: skip
        graph.add((assertion, predicate, value))
    graph.add((case, RDF.type, EARL.TestCase))
    graph.add((case, DCTERMS.title, Literal(test.label)))
    for kind in test.types:
        graph.add((case, RDF.type, GATE[kind]))
    graph.add((result, RDF.type, EARL.TestResult))
    graph.add((result, EARL.outcome, EARL[_OUTCOMES[test.state]]))
    graph.add((result, DCTERMS.date, Literal(instant(verdict.evaluated_at), datatype=XSD.dateTime)))
    if test.state in _BECAUSE:
        graph.add((result, GATE.because, GATE[_BECAUSE[test.state]]))
    said = [f"[{finding.brief()}] {finding.message}" for finding in test.findings]
    if text := "\n".join([*test.told, *said]):
        graph.add((result, EARL.info, Literal(text)))
