"""Obligations and receipts as RDF, and the graph as text."""

from __future__ import annotations

import io
import json
import math
import unicodedata
from typing import TYPE_CHECKING, Any

from rdflib import Graph, Literal, Namespace, URIRef
from rdflib.namespace import RDFS, XSD
from rdflib.plugins.serializers.turtle import TurtleSerializer

from gate import iris
from gate.iris import Iri, named

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rdflib.term import IdentifiedNode
    from rdflib.term import Node as Term

    from gate.obligations.node import Node, Value

GATE = Namespace(iris.NAMESPACE)
FORMATS = ("ttl", "nt", "jsonld")


def term(value: Value) -> IdentifiedNode | Literal:
    """Return a value of a fact as RDF has it.

    Booleans and integers are typed literals, text is plain: a plain string and the same one typed `xsd:string` are
    different terms to some engines, so that nothing here writes the typed one.
    """
    return URIRef(value) if isinstance(value, Iri) else Literal(value)


def build(nodes: Iterable[Node]) -> Graph:
    """Return the graph of `nodes`."""
    graph = Graph(bind_namespaces="none")
    graph.bind("gate", GATE)
    graph.bind("rdfs", RDFS)
    graph.bind("xsd", XSD)
    terms: dict[object, Term] = {}
    add = graph.add

    def held(value: Value) -> Term:
        key = (type(value), repr(value) if isinstance(value, float) else value)  # 0.0 and -0.0 are two literals
        found = terms.get(key)
        if found is None:
            found = terms[key] = term(value)
        return found

    for node in nodes:
        subject = URIRef(node.iri)
        for name, value in node.said():
            add((subject, held(Iri(named(name))), held(value)))
    return graph


# What no text of the graph holds as it is: what drives a terminal, turns a line around or breaks it. Turtle, N-Triples
# and JSON can name every character by its number, and it stays the same character.
_UNSAFE = {"Cc", "Cf", "Cs", "Zl", "Zp"}
_SHORT = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _numbered(character: str) -> str:
    """Return a character by its number, as RDF names it (RDF 1.1 Turtle, section 6.4)."""
    number = ord(character)
    return f"\\u{number:04X}" if number <= 0xFFFF else f"\\U{number:08X}"


def _quoted(text: str) -> str:
    """Return a plain literal of Turtle and N-Triples: on one line, whatever it holds."""
    return '"' + "".join(
        _SHORT.get(c) or (_numbered(c) if unicodedata.category(c) in _UNSAFE else c) for c in text
    ) + '"'  # fmt: skip


def _is_plain(term: Term) -> bool:
    return isinstance(term, Literal) and term.datatype is None and term.language is None


class _Turtle(TurtleSerializer):
    """Turtle whose texts are quoted here."""

    def label(self, node: Term, position: int) -> str:
        """Return a term as it stands in the text."""
        return _quoted(str(node)) if _is_plain(node) else super().label(node, position)


def _turtle(graph: Graph) -> str:
    stream = io.BytesIO()
    _Turtle(graph).serialize(stream)
    return stream.getvalue().decode("utf-8")


def _n_triples(graph: Graph) -> str:
    lines = [" ".join(_quoted(str(t)) if _is_plain(t) else t.n3() for t in triple) + " .\n" for triple in graph]
    return "".join(sorted(lines))


def _json_ld(graph: Graph) -> str:
    document = _sorted(json.loads(graph.serialize(format="json-ld")))
    text = json.dumps(document, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    return "\n".join(line if line.isprintable() else _json_line(line) for line in text.split("\n"))


def _json_line(line: str) -> str:
    """Return a line of JSON with what isn't safe in it by its number, which in JSON is that of UTF-16."""
    return "".join(json.dumps(c)[1:-1] if unicodedata.category(c) in _UNSAFE else c for c in line)


def _sorted(document: Any) -> Any:
    """Return a JSON-LD document with its arrays in one order: to JSON-LD they are sets, and this graph has no lists."""
    if isinstance(document, dict):
        return {key: _sorted(value) for key, value in document.items()}
    if isinstance(document, float) and math.isinf(document):
        return "INF" if document > 0 else "-INF"  # as xsd:double spells it; JSON has no such number
    if isinstance(document, list):
        return sorted(map(_sorted, document), key=lambda item: json.dumps(item, sort_keys=True))
    return document


def serialize(graph: Graph, form: str) -> str:
    """Return `graph` as text in one of `FORMATS`, the same bytes for the same graph.

    No text in it reaches further than its own quotation marks: a terminal obeys none, and none begins a line.

    Raises:
        KeyError: `form` is none of them.
    """
    text = {"ttl": _turtle, "nt": _n_triples, "jsonld": _json_ld}[form](graph)
    return text if text.endswith("\n") else text + "\n"
