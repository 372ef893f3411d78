"""What a verdict as RDF says of its own making: the release, the check, the software, each input with its digest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rdflib import Graph, Literal, Namespace, URIRef
from rdflib.namespace import DCTERMS, DOAP, PROV, RDF, RDFS, SH, XSD

from gate import __version__, iris
from gate.graph import GATE
from gate.verdict import instant

if TYPE_CHECKING:
    from gate.verdict import Verdict

EARL = Namespace("http://www.w3.org/ns/earl#")
# What a report says in all. These are no terms of the vocabulary: a shape could ask for them of the graph, which has
# none, and pass.
REPORT = Namespace("https://w3id.org/taggate/report#")
SOFTWARE = URIRef("https://w3id.org/taggate")

_COUNTS = {
    "owed": "cellsOwed", "passed": "cellsPassed", "missing": "cellsMissing", "failed": "cellsFailed",
    "known": "cellsKnown", "declaimed": "cellsDeclaimed",
}  # fmt: skip


def graph() -> Graph:
    """Return an empty graph that knows the prefixes."""
    found = Graph(bind_namespaces="none")
    for prefix, namespace in (
        ("gate", GATE), ("report", REPORT), ("sh", SH), ("prov", PROV), ("earl", EARL), ("dcterms", DCTERMS),
        ("doap", DOAP), ("rdfs", RDFS), ("xsd", XSD),
    ):  # fmt: skip
        found.bind(prefix, namespace)
    return found


def iri(verdict: Verdict, *segments: str) -> URIRef:
    """Return the node of the release that `segments` lead to."""
    return URIRef(iris.node(verdict.version, *segments))


def describe(found: Graph, verdict: Verdict, document: URIRef) -> None:
    """Say of `document` which release it speaks of, what it says of that in all, and how it was made."""
    release, check = iri(verdict), iri(verdict, "check")
    moment = Literal(instant(verdict.evaluated_at), datatype=XSD.dateTime)
    add = found.add
    add((document, RDF.type, PROV.Entity))
    add((document, DCTERMS.subject, release))
    add((document, PROV.wasGeneratedBy, check))
    add((document, PROV.generatedAtTime, moment))
    add((document, REPORT.mayBeCut, Literal(verdict.conforms)))
    for name, count in verdict.to_json()["counts"]["cells"].items():
        if name in _COUNTS:
            add((document, REPORT[_COUNTS[name]], Literal(count)))
    if verdict.scope is not None:
        add((document, GATE.underScope, iri(verdict, "scope", verdict.scope.name)))
    add((release, RDF.type, GATE.Release))
    for predicate, value in (("version", verdict.version), ("commit", verdict.commit), ("tag", verdict.tag)):
        add((release, GATE[predicate], Literal(value)))
    add((check, RDF.type, PROV.Activity))
    add((check, PROV.endedAtTime, moment))
    add((check, PROV.wasAssociatedWith, SOFTWARE))
    add((SOFTWARE, RDF.type, PROV.SoftwareAgent))
    add((SOFTWARE, RDFS.label, Literal("taggate")))
    add((SOFTWARE, DOAP.revision, Literal(__version__)))
    for path, sha256 in verdict.inputs:
        entity = _input(verdict, path)
        add((check, PROV.used, entity))
        add((entity, RDF.type, PROV.Entity))
        add((entity, GATE.path, Literal(path)))
        add((entity, GATE.sha256, Literal(sha256)))


def _input(verdict: Verdict, path: str) -> URIRef:
    """Return the node of an input: a receipt's own, as `gate graph` has it, so that the two can be joined."""
    receipt = iri(verdict, "receipt", path)
    return receipt if str(receipt) in verdict.nodes else iri(verdict, "input", path)


def turtle(found: Graph, verdict: Verdict, what: str) -> str:
    """Return the graph as Turtle, which begins with a line that says what it is."""
    text = found.serialize(format="turtle")
    return f"# taggate: {what} of {verdict.tag}\n\n{text.strip()}\n"
