"""Goes through a shapes graph and notes what its shapes read of a node.

It follows SHACL Core's definitions (W3C Recommendation, 20 July 2017, sections 2 to 4), so that a shape of a project's
own, with a property of its own, is read as well. A shape that can't be followed is named with the reason: it is judged
on the whole graph.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rdflib import Literal, URIRef
from rdflib.namespace import OWL, RDF, RDFS, SH

from gate.errors import BadFile
from gate.judging.reads import Read, Reads, Root
from gate.shape_lint import TARGETS, list_items, short

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rdflib import Graph
    from rdflib.term import Node as Term

# What a shape says without reading anything of a node.
_SAYS = {
    RDF.type, SH.path, SH.severity, SH.message, SH.name, SH.description, SH.order, SH.group, SH.defaultValue,
    SH.deactivated, SH.flags, *TARGETS,
}  # fmt: skip
# Constraints to which two nodes are alike, whatever they are called: they count values, ask what kind of term one is,
# or compare it with constants of the shapes, which are never taken for anything else.
_OF_ANY_NODE = {
    SH.datatype, SH.nodeKind, SH.minCount, SH.maxCount, SH.languageIn, SH.uniqueLang, SH.hasValue, SH["in"],
    SH.qualifiedMinCount, SH.qualifiedMaxCount,
}  # fmt: skip
# Constraints that compare values with each other, or read the text of an IRI.
_OF_THIS_NODE = {
    SH.minExclusive, SH.minInclusive, SH.maxExclusive, SH.maxInclusive, SH.minLength, SH.maxLength, SH.pattern,
}  # fmt: skip
_PAIRS = {SH.equals, SH.disjoint, SH.lessThan, SH.lessThanOrEquals}
_SHAPES = {SH.node, SH.property, SH["not"], SH.qualifiedValueShape}
_LISTS = {SH["and"], SH["or"], SH.xone}
_SWITCHES = {SH.closed, SH.qualifiedValueShapesDisjoint}  # they reach further, where they are set


class _TooFar(Exception):
    """A shape reads what can't be followed from node to node."""


def of(graph: Graph) -> Read:
    """Return what the shapes of a graph read."""
    custom = (None, RDF.type, SH.ConstraintComponent) in graph or (None, SH.parameter, None) in graph
    roots = tuple(_root(graph, shape, custom=custom) for shape in sorted(_targeted(graph), key=str))
    return Read(roots, frozenset(str(term) for triple in graph for term in triple if isinstance(term, URIRef)))


def _targeted(graph: Graph) -> set[Term]:
    return {s for target in TARGETS for s in graph.subjects(target)} | set(_implicit(graph))


def _implicit(graph: Graph) -> Iterator[Term]:
    """Yield the shapes that are classes, and so target themselves (section 2.1.3.3)."""
    for kind in (RDFS.Class, OWL.Class):
        for shape in graph.subjects(RDF.type, kind):
            if (shape, RDF.type, SH.NodeShape) in graph or (shape, RDF.type, SH.PropertyShape) in graph:
                yield shape


def _root(graph: Graph, shape: Term, *, custom: bool) -> Root:
    targets = [(short(kind).removeprefix("sh:"), str(o)) for kind in TARGETS for o in graph.objects(shape, kind)]
    targets += [("targetClass", str(s)) for s in _implicit(graph) if s == shape]
    literal = any(isinstance(o, Literal) for o in graph.objects(shape, SH.targetNode))
    reads, follower = Reads(), _Follower(graph)
    if custom or literal:
        why = "the shapes define a constraint component of their own" if custom else "sh:targetNode is a literal"
        return Root(str(shape), tuple(sorted(targets)), Reads(), why, deep=True)
    try:
        follower.shape(shape, reads, (), below=False)
    except _TooFar as error:
        return Root(str(shape), tuple(sorted(targets)), Reads(), str(error), deep=True)
    return Root(str(shape), tuple(sorted(targets)), reads, "", follower.deep)


class _Follower:
    """Goes through one root and all that it leads to, and notes what is read on the way."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.deep = False

    def shape(self, shape: Term, node: Reads, above: tuple[Term, ...], *, below: bool) -> None:
        """Note in `node` what `shape` reads of a node.

        Args:
            shape: the shape.
            node: what is read of the node that it judges.
            above: the shapes that lead here.
            below: whether that node is one that the root's own node leads to.
        """
        if shape in above:
            raise _TooFar(f"{short(shape)} leads back to itself")
        above = (*above, shape)
        paths = list(self.graph.objects(shape, SH.path))
        if len(paths) > 1:
            raise _TooFar(f"{short(shape)} has several paths")
        values = node if not paths else self._end(shape, paths[0], node)
        for predicate, value in self.graph.predicate_objects(shape):
            if predicate in _OF_THIS_NODE:
                values.exact = True
            elif predicate in _PAIRS:
                values.exact = True
                node.follow(str(value)).exact = True
            elif predicate == SH["class"]:
                values.follow(str(RDF.type)).exact = True
            elif predicate in _SHAPES:
                self._child(predicate, value, values, above, below=below or bool(paths))
            elif predicate in _LISTS:
                for item in self._items(shape, value):
                    self.shape(item, values, above, below=below or bool(paths))
            elif predicate not in _SAYS | _OF_ANY_NODE:
                self._other(shape, predicate, value)

    def _child(self, predicate: Term, child: Term, values: Reads, above: tuple[Term, ...], *, below: bool) -> None:
        if predicate == SH.property and below:
            self.deep = True  # its results are about the value, and not about the root's own node
        self.shape(child, values, above, below=below)

    def _end(self, shape: Term, path: Term, node: Reads) -> Reads:
        """Return what is read of the nodes at the end of a path, whose properties are read from now on."""
        if isinstance(path, URIRef):
            return node.follow(str(path))
        if not self._is_plain_list(path):
            raise _TooFar(f"the path of {short(shape)} is more than properties that follow each other")
        for step in self._items(shape, path):
            if not isinstance(step, URIRef):
                raise _TooFar(f"the path of {short(shape)} is more than properties that follow each other")
            node = node.follow(str(step))
        # Two ways may lead to one node, or to two that are alike: as many values as there are nodes.
        node.exact = True
        return node

    def _is_plain_list(self, head: Term) -> bool:
        """Say whether a list is one and nothing else: of what is a path of another kind too, engines take either."""
        while head != RDF.nil:
            if sorted(self.graph.predicates(head), key=str) != [RDF.first, RDF.rest]:
                return False
            (head,) = self.graph.objects(head, RDF.rest)
        return True

    def _items(self, shape: Term, head: Term) -> list[Term]:
        try:
            return list_items(self.graph, head)
        except BadFile as error:
            raise _TooFar(f"{short(shape)}: {error}") from None

    def _other(self, shape: Term, predicate: Term, value: Term) -> None:
        """Refuse to follow what SHACL Core gives a meaning to that reaches further, or what isn't of Core."""
        if predicate == SH.ignoredProperties or (predicate in _SWITCHES and str(value) in {"false", "0"}):
            return
        if str(predicate).startswith(str(SH)):
            raise _TooFar(f"{short(shape)} uses {short(predicate)}")
