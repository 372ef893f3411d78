"""Any RDF graph as nodes, and any shapes graph as shapes: what the engines are compared on."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING

from rdflib import BNode, Graph, Literal, URIRef
from rdflib.namespace import RDF, RDFS, SH

from gate.files import InputFile
from gate.iris import NAMESPACE, Iri
from gate.nodes import Nodes
from gate.obligations.node import About, Node
from gate.shape_files import Shape, Shapes
from gate.shape_lint import TARGETS, all_shapes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rdflib.term import IdentifiedNode
    from rdflib.term import Node as Term

    from gate.obligations.node import Value


class _Literal(str):
    """A literal as a fact holds it: one text for one literal, as in a release, whose values are told apart by type."""

    __slots__ = ("is_of",)
    is_of: Literal

    @classmethod
    def of(cls, literal: Literal) -> _Literal:
        """Return a literal as a value of a fact."""
        found = cls(repr((str(literal), literal.datatype, literal.language)))
        found.is_of = literal
        return found


class Triples(Nodes):
    """The subjects of an RDF graph as nodes. A blank node's name begins with `_:`, so that no IRI is taken for it."""

    def __init__(self, data: Graph) -> None:
        self.data = Graph()
        for triple in data:
            self.data.add(tuple(_named(term) for term in triple))  # type: ignore[arg-type]  # it is three terms
        self.has_subclasses = (None, RDFS.subClassOf, None) in data
        types: dict[Iri, list[str]] = {}
        facts: dict[Iri, list[tuple[str, Value]]] = {}
        for s, p, o in sorted(self.data):
            facts.setdefault(Iri(s), [])
            if p == RDF.type and isinstance(o, URIRef):
                types.setdefault(Iri(s), []).append(_name(o))
            else:
                facts[Iri(s)].append((_name(p), _Literal.of(o) if isinstance(o, Literal) else Iri(o)))
        super().__init__(
            (iri, Node(iri, tuple(types.get(iri, ())), iri, tuple(own), About(), owner=iri))
            for iri, own in facts.items()
        )

    def graph(self, only: Iterable[str] | None = None) -> Graph:
        """Return what is said of some subjects, or of all."""
        graph = Graph()
        wanted = set(self.data.subjects()) if only is None else {self.term(Iri(iri)) for iri in only}
        for triple in self.data:
            if triple[0] in wanted:
                graph.add(triple)
        return graph

    @staticmethod
    def term(value: Value) -> IdentifiedNode | Literal:
        """Return a value as the graph has it."""
        if isinstance(value, _Literal):
            return value.is_of
        assert isinstance(value, Iri)
        return BNode(value) if value.startswith("_:") else URIRef(value)


def _named(term: Term) -> Term:
    return BNode(f"_:{term}") if isinstance(term, BNode) else term


def _name(term: Term) -> str:
    return str(term).removeprefix(NAMESPACE)


def shapes_of(graph: Graph) -> Shapes:
    """Return a shapes graph as the gate's shapes, all in one file; nothing refuses what is unusual in it."""
    found = {
        str(one): Shape(str(one), "own", "", str(one), 0.0, "", "failed", (), (), "", "", constrains=True)
        for one in {*all_shapes(graph), *graph.objects(None, SH.property)}
    }
    targets = tuple(sorted({(str(p), str(o)) for p in TARGETS for o in graph.objects(None, p)}))
    lines = sorted(line for line in graph.serialize(format="nt").splitlines() if line)
    file = InputFile("own.ttl", hashlib.sha256("\n".join(lines).encode()).hexdigest(), b"")
    return judging(Shapes(("own",), (file,), (), found, {"own": targets}, {}, {}, frozenset()), graph)


def judging(shapes: Shapes, graph: Graph) -> Shapes:
    """Return shapes that judge by a graph of their own, which no files hold."""
    other = replace(shapes)
    other.__dict__["graph"] = graph  # where it is kept once it is made of files
    return other
