"""The judge: SHACL over the graph. The shapes alone say what a pass is; this module only carries what they say.

`Engine` is the whole interface: nodes, the shapes, and what the shapes say of them. Another engine takes over by having
`judge`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from gate.errors import Declined

if TYPE_CHECKING:
    from rdflib.term import IdentifiedNode, Literal
    from rdflib.term import Node as Term

    from gate.nodes import Nodes
    from gate.shape_files import Shapes


class Said(NamedTuple):
    """A term of RDF, in words: an `iri`, a `blank` node or a `literal`, with its datatype or its language."""

    text: str
    kind: str = "iri"
    datatype: str | None = None
    language: str | None = None

    @classmethod
    def of(cls, term: Term) -> Said:
        """Return a term in words."""
        from rdflib import BNode, Literal

        if isinstance(term, Literal):
            return cls(str(term), "literal", None if term.datatype is None else str(term.datatype), term.language)
        return cls(str(term), "blank" if isinstance(term, BNode) else "iri")

    def term(self) -> IdentifiedNode | Literal:
        """Return the term."""
        from rdflib import BNode, Literal, URIRef

        if self.kind == "literal":
            datatype = None if self.datatype is None else URIRef(self.datatype)
            return Literal(self.text, datatype=datatype, lang=self.language, normalize=False)
        return BNode(self.text) if self.kind == "blank" else URIRef(self.text)


class Result(NamedTuple):
    """One rejection: which shape, by which constraint component, of which node, for which value (None: none).

    `focus_said` is the node in full where it is no IRI; `value_said` the value in full where there is one.
    """

    shape: str
    component: str
    focus: str
    value: str | None
    severity: str
    focus_said: Said | None = None
    value_said: Said | None = None


class Judgement(NamedTuple):
    """What an engine says.

    Args:
        engine: its name.
        results: every rejection, in any order.
        focus_nodes: by file of shapes, the nodes that its shapes really judged, each once, in any order.
        whole: the shapes that could only be judged on the whole graph, each with the reason; empty where every shape
            was judged so.
    """

    engine: str
    results: list[Result]
    focus_nodes: dict[str, list[str]]
    whole: tuple[tuple[str, str], ...] = ()


class Engine(Protocol):
    """What judges."""

    def judge(self, nodes: Nodes, shapes: Shapes) -> Judgement:
        """Return what validating the graph of `nodes` against `shapes` says."""


def judge(engine: Engine, nodes: Nodes, shapes: Shapes) -> Judgement:
    """Return what `engine` says, each result known to come from one of `shapes`.

    Raises:
        Declined: a result names a shape that no file holds.
    """
    judgement = engine.judge(nodes, shapes)
    for result in judgement.results:
        if result.shape not in shapes.shapes:
            raise Declined(f"the judge names the shape {result.shape}, which no file holds: the gate can't be trusted")
    return judgement
