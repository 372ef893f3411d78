"""Plants canaries: derives nodes that break each constraint of the shapes, from what SHACL says of each constraint.

Of every class there are two canaries. One lacks everything, so that every demand for a value rejects it. One has too
much: of each property a value that each constraint rejects. SHACL Core lets the second break them all at once, since a
further value never mends what another one broke. Shapes that `sh:property` leads to get two more of what the property
holds.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, NamedTuple

from rdflib import Literal, URIRef
from rdflib.namespace import SH

from gate import iris
from gate.iris import Iri, local
from gate.judging.canary import NAMESPACE, Canaries, Expected, Unplanted
from gate.judging.faults import LACKING, MOST, PAIRED, Value, component, lacks, refuses, rejected, steps
from gate.obligations.node import Node
from gate.shape_lint import CONSTRAINTS, TARGETS, references

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rdflib import Graph
    from rdflib.term import Node as Term

_SEVERAL = "the shape has several of them, and one is planted"
_COUNTED = {SH.qualifiedMinCount, SH.qualifiedMaxCount}  # what sh:qualifiedValueShape asks stands in these
_ASKED = CONSTRAINTS - {SH.qualifiedValueShape} | _COUNTED


def plant(graph: Graph) -> Canaries:
    """Return the canaries of a shapes graph."""
    planter = _Planter(graph)
    for head, kind in sorted(graph.subject_objects(SH.targetClass), key=str):
        planter.target(head, kind)
    for target in TARGETS:
        for head in sorted(graph.subjects(target), key=str):
            if target != SH.targetClass and (head, SH.targetClass, None) not in graph:
                planter.give_up_all(head, f"its target is sh:{local(target)}, and no class")
    return planter.canaries()


class _Pair(NamedTuple):
    """The two nodes that are planted in one place: the one that lacks everything, the one that has too much."""

    bare: Iri
    wrong: Iri


def _fresh(focus: Iri, step: URIRef, index: int | str) -> Iri:
    """Return a node of which nothing is said, for a property of `focus`."""
    return Iri(f"{focus.removesuffix('/wrong')}/{local(step)}/{index}")


class _Planter:
    """Gathers the nodes, what is expected of them, and what can't be planted."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.types: dict[Iri, tuple[str, ...]] = {}
        self.facts: dict[Iri, dict[tuple[str, Value], None]] = {}
        self.expected: set[Expected] = set()
        self.unplanted: dict[Unplanted, None] = {}
        self.wanted: dict[tuple[Iri, URIRef, bool], int] = {}  # of a path from a node: how many values at least

    def canaries(self) -> Canaries:
        for (focus, step, backwards), count in self.wanted.items():
            self._fill(focus, step, count, backwards=backwards)
        nodes = (Node(iri, kinds, "canary", tuple(self.facts[iri])) for iri, kinds in self.types.items())
        left = (one for one in self.unplanted if not self._planted_elsewhere(one))
        return Canaries(tuple(nodes), frozenset(self.expected), tuple(sorted(left)))

    def _planted_elsewhere(self, one: Unplanted) -> bool:
        """Say whether a constraint that couldn't be planted in one place is in another."""
        planted = component(SH[one.parameter])
        return one.why != _SEVERAL and any((e.shape, e.component) == (one.shape, planted) for e in self.expected)

    def target(self, shape: Term, kind: Term) -> None:
        """Plant what a shape asks of the nodes of a class."""
        if not str(kind).startswith(iris.NAMESPACE):
            self.give_up_all(shape, f"{kind} is no class of the vocabulary")
            return
        name = str(kind).removeprefix(iris.NAMESPACE)
        self._ask(shape, self._pair(f"{NAMESPACE}{name}", (name,)), frozenset({kind}))

    def give_up_all(self, shape: Term, why: str) -> None:
        """Name every constraint of a shape, and of those that it leads to, as one that isn't planted."""
        for parameter in sorted(set(self.graph.predicates(shape)) & _ASKED - {SH.property}, key=str):
            self._give_up(shape, parameter, why)
        for child in references(self.graph, shape):
            self.give_up_all(child, why)

    def _give_up(self, shape: Term, parameter: Term, why: str) -> None:
        self.unplanted[Unplanted(str(shape), local(parameter), why)] = None

    def _pair(self, place: str, types: tuple[str, ...] = ()) -> _Pair:
        pair = _Pair(Iri(f"{place}/bare"), Iri(f"{place}/wrong"))
        for node in pair:
            self.types.setdefault(node, types)
            self.facts.setdefault(node, {})
        return pair

    def _expect(self, shape: Term, parameter: Term, focus: Iri, value: Value | None) -> None:
        severity = local(self.graph.value(shape, SH.severity) or SH.Violation).lower()
        shown = None if value is None else str(value if isinstance(value, Iri) else Literal(value))
        self.expected.add(Expected(str(shape), component(parameter), focus, shown, severity))

    def _ask(self, shape: Term, at: _Pair, types: frozenset[Term] = frozenset()) -> None:
        """Plant what a shape asks of the nodes in one place."""
        path = self.graph.value(shape, SH.path)
        way = None if path is None else steps(self.graph, path)
        if path is not None and (way is None or not all(str(step).startswith(iris.NAMESPACE) for step, _ in way)):
            self.give_up_all(shape, "its path is none that can be walked through the vocabulary")
            return
        for parameter, argument in self._constraints(shape):
            if parameter == SH.property:
                self._ask(argument, at if way is None else self._beyond(at, way), types if way is None else frozenset())
            elif way is None:
                self._at_node(shape, parameter, argument, at, types)
            else:
                self._at_values(shape, parameter, argument, at, way)
            if parameter != SH.property:
                self._give_up_inner(shape, parameter, argument)

    def _constraints(self, shape: Term) -> Iterator[tuple[Term, Term]]:
        """Yield each constraint of a shape; of those that it has several times over, the first one."""
        for parameter in sorted(set(self.graph.predicates(shape)) & _ASKED, key=str):
            first, *others = sorted(self.graph.objects(shape, parameter), key=str)
            yield parameter, first
            for other in others:
                if parameter == SH.property:
                    yield parameter, other
                else:
                    self._give_up(shape, parameter, _SEVERAL)

    def _give_up_inner(self, shape: Term, parameter: Term, argument: Term) -> None:
        """Name the constraints of a shape that judges as a whole: which of them rejected isn't reported."""
        if parameter in _COUNTED:
            inner: list[Term] = list(self.graph.objects(shape, SH.qualifiedValueShape))
        elif parameter == SH.node:
            inner = [argument]
        else:
            inner = [] if parameter not in {SH["and"], SH["or"], SH.xone, SH["not"]} else references(self.graph, shape)
        for child in inner:
            self.give_up_all(child, "only the whole that it is a part of is reported")

    def _at_node(self, shape: Term, parameter: Term, argument: Term, at: _Pair, types: frozenset[Term]) -> None:
        """Plant a constraint on the node itself."""
        if parameter == SH.closed:
            self.facts[at.wrong]["canary", at.bare] = None  # a property of no vocabulary
            self._expect(shape, parameter, at.wrong, at.bare)
        elif parameter == SH.disjoint and self._is_fact(argument):
            self.facts[at.wrong][local(argument), at.wrong] = None
            self._expect(shape, parameter, at.wrong, at.wrong)
        elif refuses(self.graph, shape, parameter, argument, at.bare, types):
            self._expect(shape, parameter, at.bare, None if parameter == SH.hasValue else at.bare)
        else:
            self._give_up(shape, parameter, "it doesn't reject a node of the class for what it is")

    def _at_values(
        self, shape: Term, parameter: Term, argument: Term, at: _Pair, way: list[tuple[URIRef, bool]]
    ) -> None:
        """Plant a constraint on what a property shape's path leads to."""
        end, (last, backwards) = self._walk(at.wrong, way[:-1]), way[-1]
        alone = bool(self.types[at.bare])  # nothing leads to the canaries of a class
        if parameter in LACKING and lacks(self.graph, shape, parameter, argument, alone=alone):
            self._want(end, last, 1, backwards=backwards)  # so that the other one doesn't break it too
            self._expect(shape, parameter, at.bare, None)
        elif parameter == SH.maxCount and int(str(argument)) < MOST:
            self._want(end, last, int(str(argument)) + 1, backwards=backwards)
            self._expect(shape, parameter, at.wrong, None)
        else:
            # One that another property holds too must not be the one that it must lack.
            fresh = _fresh(end, last, local(parameter) if parameter in PAIRED else 0)
            value = self._paired(parameter, argument, at.wrong, fresh) if parameter in PAIRED else rejected(
                self.graph, shape, parameter, argument, fresh)  # fmt: skip
            if value is None or (backwards and not isinstance(value, Iri)):
                self._give_up(shape, parameter, "no value is known that it rejects")
                return
            self._put(end, last, value, backwards=backwards)
            self._expect(shape, parameter, at.wrong, value)

    def _paired(self, parameter: Term, other: Term, focus: Iri, fresh: Iri) -> Value | None:
        """Return a value that is wrong beside one of another property, which is planted with it."""
        if parameter == SH.equals:
            return fresh  # the other property never holds it
        if not self._is_fact(other):
            return None
        # The value, and what stands beside it: the nearest that is wrong.
        beside: Value = fresh if parameter == SH.disjoint else 1
        self.facts[focus][local(other), beside] = None
        return 2 if parameter == SH.lessThanOrEquals else beside

    @staticmethod
    def _is_fact(predicate: Term) -> bool:
        return str(predicate).startswith(iris.NAMESPACE)

    def _beyond(self, at: _Pair, way: list[tuple[URIRef, bool]]) -> _Pair:
        """Return the two nodes that a path leads to from the one that has too much."""
        end, (last, backwards) = self._walk(at.wrong, way[:-1]), way[-1]
        pair = self._pair(f"{end.removesuffix('/wrong')}/{local(last)}")
        for node in pair:
            self._put(end, last, node, backwards=backwards)
        return pair

    def _walk(self, start: Iri, way: list[tuple[URIRef, bool]]) -> Iri:
        """Return the node at the end of a way that is laid from `start`."""
        for step, backwards in way:
            further = self._pair(f"{start.removesuffix('/wrong')}/{local(step)}").wrong
            self._put(start, step, further, backwards=backwards)
            start = further
        return start

    def _want(self, focus: Iri, step: URIRef, count: int, *, backwards: bool) -> None:
        key = (focus, step, backwards)
        self.wanted[key] = max(count, self.wanted.get(key, 0))

    def _fill(self, focus: Iri, step: URIRef, count: int, *, backwards: bool) -> None:
        """Put values until there are enough to break a `sh:maxCount`: what others put counts."""
        if backwards:
            held: set[Value] = {node for node, facts in self.facts.items() if (local(step), focus) in facts}
        else:
            held = {value for name, value in self.facts[focus] if name == local(step)}
        fresh = (_fresh(focus, step, index) for index in range(1, count + 1))
        for value in itertools.islice((f for f in fresh if f not in held), max(0, count - len(held))):
            self._put(focus, step, value, backwards=backwards)

    def _put(self, focus: Iri, step: URIRef, value: Value, *, backwards: bool) -> None:
        subject, thing = (Iri(str(value)), focus) if backwards else (focus, value)
        self.types.setdefault(subject, ())
        self.facts.setdefault(subject, {})[local(step), thing] = None
