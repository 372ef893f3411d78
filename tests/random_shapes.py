"""Random graphs and random shapes: every construct of SHACL Core, nested, over few values, so that much is alike."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from rdflib import BNode, Graph, Literal, Namespace, URIRef
from rdflib.collection import Collection
from rdflib.namespace import RDF, SH, XSD

EX = Namespace("https://example.org/")
CLASSES = [EX[f"Class{index}"] for index in range(3)]
PROPERTIES = [EX[f"p{index}"] for index in range(4)]
NODES: list[Any] = [*(EX[f"node{index}"] for index in range(8)), BNode("one"), BNode("two")]
_TWINS: dict[Any, Any] = {node: EX[f"twin{index}"] for index, node in enumerate(NODES[:8])} | {BNode("two"): BNode("2")}
ENUMERATED = [EX.red, EX.green]
LITERALS = [
    Literal(1), Literal(2), Literal(True), Literal(1.0), Literal("1"), Literal(""), Literal("two"),
    Literal("zwei", lang="de"), Literal("two", lang="en"), Literal("2026-01-01", datatype=XSD.date), Literal(EX.node0),
]  # fmt: skip
NUMBERS = [Literal(1), Literal(2), Literal(1.5)]


def data() -> st.SearchStrategy[Graph]:
    """Return a graph of either form below."""
    return st.one_of(anything(), families())


@st.composite
def families(draw: st.DrawFn) -> Graph:
    """Return a graph of parents and children: parents lead to some of the children, who are all alike but for few."""
    graph = Graph()
    facts = st.lists(st.tuples(st.sampled_from(PROPERTIES[:2]), st.sampled_from([*ENUMERATED, *LITERALS])), max_size=2)
    children = [EX[f"child{index}"] for index in range(4)]
    kinds = [(draw(st.sampled_from(CLASSES)), draw(facts)) for _ in range(2)]
    for child in children:
        kind, own = kinds[draw(st.integers(0, 3)) == 0]
        graph.add((child, RDF.type, kind))
        for fact in own:
            graph.add((child, *fact))
    for parent in NODES[: draw(st.integers(2, 5))]:
        graph.add((parent, RDF.type, CLASSES[0]))
        for name in PROPERTIES[:2]:
            for child in draw(st.lists(st.sampled_from(children), max_size=3, unique=True)):
                graph.add((parent, name, child))
    return graph


@st.composite
def anything(draw: st.DrawFn) -> Graph:
    """Return a graph of few nodes, properties and values; nodes lead to nodes, and to themselves. Some have a twin."""
    graph = Graph()
    for node in draw(st.lists(st.sampled_from(NODES), min_size=1, max_size=len(NODES), unique=True)):
        for kind in draw(st.lists(st.sampled_from(CLASSES), max_size=2, unique=True)):
            graph.add((node, RDF.type, kind))
        values = st.sampled_from([*NODES, *ENUMERATED, *LITERALS])
        for fact in draw(st.lists(st.tuples(st.sampled_from(PROPERTIES), values), max_size=5)):
            graph.add((node, *fact))
    if draw(st.booleans()):
        for triple in list(graph):
            graph.add(tuple(_TWINS.get(term, term) for term in triple))
    return graph


class _Shapes:
    """Writes random shapes into one graph."""

    def __init__(self, draw: st.DrawFn, *, simple: bool) -> None:
        self.draw, self.simple, self.graph, self.count = draw, simple, Graph(), 0

    def one(self, choices: Any) -> Any:
        return self.draw(st.sampled_from(choices))

    def chance(self, of: int) -> bool:
        return self.draw(st.integers(0, of - 1)) == 0

    def list_of(self, items: list[Any]) -> BNode:
        head = BNode()
        Collection(self.graph, head, items)
        return head

    def path(self) -> Any:
        if self.simple or not self.chance(4):
            return self.one(PROPERTIES)
        kind = self.one(["sequence", "inverse", "alternative", "zeroOrMore", "oneOrMore", "zeroOrOne"])
        if kind == "sequence":
            return self.list_of([self.one(PROPERTIES), self.one(PROPERTIES)])
        node = BNode()
        items = self.list_of([self.one(PROPERTIES), self.one(PROPERTIES)])
        value = items if kind == "alternative" else self.one(PROPERTIES)
        self.graph.add((node, SH[f"{kind}Path"], value))
        return node

    def shape(self, depth: int, *, with_path: bool) -> URIRef:
        self.count += 1
        shape = EX[f"Shape{self.count}"]
        self.graph.add((shape, RDF.type, SH.PropertyShape if with_path else SH.NodeShape))
        if with_path:
            self.graph.add((shape, SH.path, self.path()))
        if self.chance(4):
            self.graph.add((shape, SH.severity, self.one([SH.Warning, SH.Info])))
        for kind in self.draw(
            st.lists(st.sampled_from(self.kinds(depth, with_path)), min_size=1, max_size=2, unique=True)
        ):
            self.add(shape, kind, depth)
        return shape

    def child(self, depth: int) -> URIRef:
        return self.shape(depth - 1, with_path=self.chance(2))

    def kinds(self, depth: int, with_path: bool) -> list[str]:
        kinds = ["class", "datatype", "nodeKind", "in", "hasValue", "languageIn"]
        kinds += ["minCount", "maxCount", "uniqueLang"] if with_path else []
        kinds += ["bound", "length", "pattern"] if not self.simple or self.chance(3) else []
        kinds += [] if self.simple else (["equals", "disjoint"] + (["lessThan"] if with_path else ["closed"]))
        if depth > 0:
            kinds += ["node", "property", "not", "and", "or", "xone"] + (["qualified"] if with_path else [])
        return kinds

    def add(self, shape: URIRef, kind: str, depth: int) -> None:
        add = self.graph.add
        if kind == "node":
            add((shape, SH.node, self.shape(depth - 1, with_path=False)))
        elif kind == "not":
            add((shape, SH["not"], self.child(depth)))
        elif kind == "property":
            add((shape, SH.property, self.shape(depth - 1, with_path=True)))
        elif kind in {"and", "or", "xone"}:
            add((shape, SH[kind], self.list_of([self.child(depth), self.child(depth)])))
        elif kind == "qualified":
            add((shape, SH.qualifiedValueShape, self.child(depth)))
            add((shape, SH[self.one(["qualifiedMinCount", "qualifiedMaxCount"])], self.one([Literal(1), Literal(2)])))
            if not self.simple and self.chance(3):
                add((shape, SH.qualifiedValueShapesDisjoint, Literal(True)))
        elif kind == "in":
            add((shape, SH["in"], self.list_of(self.some([*ENUMERATED, *LITERALS, *NODES[:2]]))))
        elif kind == "languageIn":
            add((shape, SH.languageIn, self.list_of([Literal("de")])))
        elif kind == "closed":
            add((shape, SH.closed, Literal(True)))
            add((shape, SH.ignoredProperties, self.list_of([RDF.type, PROPERTIES[0]])))
        else:
            name, values = _PARAMETERS[kind]
            add((shape, SH[self.one(name)], self.one(values)))

    def some(self, values: list[Any]) -> list[Any]:
        return self.draw(st.lists(st.sampled_from(values), min_size=1, max_size=4, unique=True))

    def root(self) -> None:
        shape = self.shape(2, with_path=self.chance(2))
        for _ in range(self.draw(st.integers(1, 2))):
            kind = self.one(["targetClass", "targetClass", "targetSubjectsOf", "targetObjectsOf", "targetNode"])
            values = {"targetClass": CLASSES, "targetNode": [*NODES[:3], EX.absent]}.get(kind, PROPERTIES)
            self.graph.add((shape, SH[kind], self.one(values)))


_PARAMETERS: dict[str, tuple[list[str], list[Any]]] = {
    "class": (["class"], CLASSES),
    "datatype": (["datatype"], [XSD.integer, XSD.string, XSD.boolean, RDF.langString]),
    "nodeKind": (["nodeKind"], [SH.IRI, SH.Literal, SH.BlankNode, SH.BlankNodeOrIRI, SH.IRIOrLiteral]),
    "hasValue": (["hasValue"], [*ENUMERATED, *LITERALS, *NODES[:2]]),
    "minCount": (["minCount"], [Literal(1), Literal(2), Literal(3)]),
    "maxCount": (["maxCount"], [Literal(0), Literal(1), Literal(2)]),
    "uniqueLang": (["uniqueLang"], [Literal(True)]),
    "bound": (["minInclusive", "minExclusive", "maxInclusive", "maxExclusive"], NUMBERS),
    "length": (["minLength", "maxLength"], [Literal(1), Literal(3)]),
    "pattern": (["pattern"], [Literal("node[0-3]"), Literal("^t"), Literal("1")]),
    "equals": (["equals"], PROPERTIES),
    "disjoint": (["disjoint"], PROPERTIES),
    "lessThan": (["lessThan", "lessThanOrEquals"], PROPERTIES),
}


@st.composite
def shapes(draw: st.DrawFn, *, simple: bool = False) -> Graph:
    """Return a graph of one to three shapes with targets, and all that they lead to.

    Args:
        draw: hypothesis's.
        simple: only what can be followed from node to node, so that classes are made of it.
    """
    written = _Shapes(draw, simple=simple)
    for _ in range(draw(st.integers(1, 3))):
        written.root()
    return written.graph
