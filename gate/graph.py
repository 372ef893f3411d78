"""Obligations and receipts as RDF, and the graph as text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rdflib import Graph, Literal, Namespace, URIRef
from rdflib.namespace import RDF, RDFS, XSD

from gate import iris
from gate.iris import Iri

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rdflib.term import Node as Term

    from gate.obligations.node import Node

GATE = Namespace(iris.NAMESPACE)
FORMATS = {"ttl": "turtle", "nt": "nt", "jsonld": "json-ld"}

_AXES = {
    "host": "onHost", "model": "ofModel", "verb": "verb", "thinking": "thinking", "context": "atContext",
    "kernel": "kernel", "quant": "quant", "receipt": "fromReceipt",
}  # fmt: skip


def build(nodes: Iterable[Node]) -> Graph:
    """Return the graph of `nodes`.

    Booleans and integers are typed literals, text is plain: a plain string and the same one typed `xsd:string` are
    different terms to some engines, so that nothing here writes the typed one.
    """
    graph = Graph(bind_namespaces="none")
    graph.bind("gate", GATE)
    graph.bind("rdfs", RDFS)
    graph.bind("xsd", XSD)
    terms: dict[object, Term] = {}
    add = graph.add

    def term(value: object) -> Term:
        key = (type(value), value)
        found = terms.get(key)
        if found is None:
            found = terms[key] = URIRef(value) if isinstance(value, Iri) else Literal(value)
        return found

    for node in nodes:
        subject = URIRef(node.iri)
        for name in node.types:
            add((subject, RDF.type, term(iris.term(name))))
        if node.owner is None:  # otherwise the obligation that it is judged under says where it lies
            add((subject, RDFS.label, Literal(node.label)))
            for axis, place in node.about.given().items():
                if axis in _AXES:
                    add((subject, term(iris.term(_AXES[axis])), term(place)))
        for name, value in node.facts:
            add((subject, term(iris.term(name)), term(value)))
    return graph


def _sorted(document: Any) -> Any:
    """Return a JSON-LD document with its arrays in one order: to JSON-LD they are sets, and this graph has no lists."""
    if isinstance(document, dict):
        return {key: _sorted(value) for key, value in document.items()}
    if isinstance(document, list):
        return sorted(map(_sorted, document), key=lambda item: json.dumps(item, sort_keys=True))
    return document


def serialize(graph: Graph, form: str) -> str:
    """Return `graph` as text in one of `FORMATS`, the same bytes for the same graph.

    Raises:
        KeyError: `form` is none of them.
    """
    text = graph.serialize(format=FORMATS[form])
    if form == "nt":
        return "".join(sorted(text.splitlines(keepends=True)))
    if form == "jsonld":
        return json.dumps(_sorted(json.loads(text)), indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    return text if text.endswith("\n") else text + "\n"
