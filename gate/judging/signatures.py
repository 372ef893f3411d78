"""Signatures: what the shapes read of a node, as one value. Nodes of one signature are judged alike.

A signature keeps each value that is read, and puts in the place of a node what is read of that node in turn, to the
depth that the shapes read to. A node that the shapes mention, or whose identity they read, keeps its name beside that.
Two nodes of one signature, targeted by the same shapes, then have the same results, but for their own names: in one
graph, and in two.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

from gate import iris
from gate.iris import Iri, named
from gate.obligations.node import PLACED, Node

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator

    from gate.judging.reads import Reads
    from gate.nodes import Nodes
    from gate.obligations.node import Facts, Value


@dataclass(frozen=True, slots=True, eq=False)  # each is itself
class Wanted:
    """What is read of a node, as its facts are named.

    Args:
        names: what is read of the nodes that each fact leads to.
        types: whether its classes are read.
        exact: whether it matters which node it is.
        beyond: whether more is read than its classes and facts.
    """

    names: dict[str, Wanted]
    types: bool
    exact: bool
    beyond: bool

    @classmethod
    def of(cls, reads: Reads) -> Wanted:
        """Return what `reads` reads."""
        names = {name_of(p): cls.of(read) for p, read in reads.properties.items() if p != iris.TYPE}
        return cls(names, iris.TYPE in reads.properties, reads.exact, not PLACED.isdisjoint(names))


def name_of(predicate: str) -> str:
    """Return the name that a fact has for a property."""
    local = unquote(predicate.removeprefix(iris.NAMESPACE))
    return local if predicate.startswith(iris.NAMESPACE) and named(local) == predicate else predicate


class Values:
    """The values of facts that are read, each as (name, type, value). Two of the same values are one object."""

    __slots__ = ("said",)

    def __init__(self, said: tuple[tuple[str, type, Hashable], ...]) -> None:
        self.said = said


@dataclass(frozen=True, slots=True)
class _Told:
    """What is read of facts that nodes share: the values, the nodes; and what they don't share, by name.

    `shared` is kept, so that what is known by its identity stays its own.
    """

    shared: Facts
    values: Values
    led_to: tuple[tuple[str, Iri], ...]
    own: tuple[str, ...]


class Signatures:
    """The signatures of nodes: what is the same for many of them is worked out once."""

    def __init__(self, nodes: Nodes, mentioned: frozenset[str]) -> None:
        self._nodes, self._mentioned = nodes, mentioned
        self._told: dict[tuple[int, int, type], _Told] = {}
        self._values: dict[tuple[tuple[str, type, Hashable], ...], Values] = {}

    def signature(self, iri: str, wanted: Wanted) -> Hashable:
        """Return what is read of a node.

        Args:
            iri: the node.
            wanted: what the shapes that judge it read.
        """
        node = self._nodes[iri]
        # Which one it is, where that matters; what kind of term; and its classes.
        name = iri if wanted.exact or iri in self._mentioned else None
        found = name, iri[:2] == "_:", node.types if wanted.types else None
        if not wanted.names:
            return found
        if wanted.beyond or node.__class__ is Node:
            values, led_to = self._sorted(_facts(node, wanted), wanted)
            return (*found, self._one(values), self._led_to(led_to, wanted.names))
        told = self._of_shared(node, wanted)
        own = [(name, value) for name in told.own for value in node.values(name)]
        if len(own) == 1 and not told.led_to:  # a cell with its row, a row with its cell: what there is a million of
            ((name, value),) = own
            led = self._lean(name, value, wanted.names[name])
            if led is not None:
                return (*found, told.values, (), led)
        values, led_to = self._sorted(own, wanted)
        return (*found, told.values, values, self._led_to(told.led_to + led_to, wanted.names))

    def _lean(self, name: str, value: Value, read: Wanted) -> Hashable:
        """Return what `_led_to` does of one node of which at most the classes are read; None where more is."""
        if read.names or read.exact or value.__class__ is not Iri or value in self._mentioned:
            return None
        node = self._nodes.get(value)
        if node is None or value[:2] == "_:":
            return None
        return name, (None, False, node.types if read.types else None)

    def _of_shared(self, node: Node, wanted: Wanted) -> _Told:
        shared = node.common
        key = id(wanted), id(shared), node.__class__
        told = self._told.get(key)
        if told is None:
            values, led_to = self._sorted(shared, wanted)
            own = tuple(name for name in wanted.names if name in node.own_names)
            told = self._told[key] = _Told(shared, self._one(values), led_to, own)
        return told

    def _one(self, values: tuple[tuple[str, type, Hashable], ...]) -> Values:
        found = self._values.get(values)
        if found is None:
            found = self._values[values] = Values(values)
        return found

    def _sorted(
        self, facts: Iterable[tuple[str, Value]], wanted: Wanted
    ) -> tuple[tuple[tuple[str, type, Hashable], ...], tuple[tuple[str, Iri], ...]]:
        """Return those facts that are read: the values, and apart from them the nodes."""
        nodes, names = self._nodes, wanted.names
        values: list[tuple[str, type, Hashable]] = []
        led_to: list[tuple[str, Iri]] = []
        for name, value in facts:
            if name not in names:
                continue
            kind = value.__class__
            if kind is Iri and value in nodes:
                led_to.append((name, value))  # type: ignore[arg-type]  # an Iri
            else:
                # A number and a truth value that Python holds equal are two terms, and so are 0.0 and -0.0.
                values.append((name, kind, repr(value) if kind is float else value))
        return tuple(values), tuple(led_to)

    def _led_to(self, led_to: tuple[tuple[str, Iri], ...], names: dict[str, Wanted]) -> Hashable:
        """Return what is read of the nodes that a node leads to: how many of each signature, each node once."""
        if not led_to:
            return None
        if len(led_to) == 1:
            ((name, iri),) = led_to
            return name, self.signature(iri, names[name])
        return frozenset(Counter((name, self.signature(iri, names[name])) for name, iri in set(led_to)).items())

    def reached(self, focus: Iterable[tuple[str, Wanted]]) -> dict[str, None]:
        """Return given nodes, and all that the shapes which judge each of them read on the way."""
        found: dict[str, None] = {}
        pending = list(focus)
        while pending:
            iri, wanted = pending.pop()
            found[iri] = None
            if wanted.names:
                pending += self._next(self._nodes[iri], wanted)
        return found

    def exactly(self, focus: Iterable[tuple[str, Wanted]]) -> str:
        """Return all that the graph says of given nodes, and of all that is read on the way, as a text."""
        told = []
        for iri in sorted(self.reached(focus)):
            node = self._nodes[iri]
            told.append((iri, sorted((name, type(value).__name__, repr(value)) for name, value in node.said())))
        return repr(told)

    def _next(self, node: Node, wanted: Wanted) -> Iterator[tuple[str, Wanted]]:
        for name, value in _facts(node, wanted):
            if name in wanted.names and isinstance(value, Iri) and value in self._nodes:
                yield value, wanted.names[name]


def _facts(node: Node, wanted: Wanted) -> Facts:
    """Return the facts of a node among which all is that is read."""
    return (*node.placed(), *node.facts) if wanted.beyond else node.facts
