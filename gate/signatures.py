"""Signatures: what the shapes read of a node, as one value. Nodes of one signature are judged alike.

A signature keeps each value that is read, and puts in the place of a node what is read of that node in turn, to the
depth that the shapes read to. A node that the shapes mention, or whose identity they read, stays itself. Two nodes of
one signature, targeted by the same shapes, then have the same results, but for their own names.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

from gate import iris
from gate.iris import Iri, named
from gate.obligations.node import PLACED

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator

    from gate.nodes import Nodes
    from gate.obligations.node import Facts, Node, Value
    from gate.reads import Reads


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

    @property
    def anything(self) -> bool:
        """Whether anything is read of the node itself."""
        return self.exact or self.types or bool(self.names)


def name_of(predicate: str) -> str:
    """Return the name that a fact has for a property."""
    local = unquote(predicate.removeprefix(iris.NAMESPACE))
    return local if predicate.startswith(iris.NAMESPACE) and named(local) == predicate else predicate


# The values that a node has, each as (name, type, value), and the nodes that it leads to.
_Sorted = tuple[tuple[tuple[str, type, "Hashable"], ...], tuple[tuple[str, Iri], ...]]


class Signatures:
    """The signatures of nodes: what is the same for many of them is worked out once."""

    def __init__(self, nodes: Nodes, mentioned: frozenset[str]) -> None:
        self._nodes, self._mentioned = nodes, mentioned
        self._common: dict[tuple[int, int], tuple[Facts, _Sorted]] = {}
        self._own: dict[tuple[int, frozenset[str]], tuple[str, ...]] = {}

    def signature(self, iri: str, wanted: Wanted) -> Hashable:
        """Return what is read of a node.

        Args:
            iri: the node.
            wanted: what the shapes that judge it read.
        """
        if wanted.exact or iri in self._mentioned:
            return iri
        node = self._nodes[iri]
        common, own = self._facts(node, wanted)
        # What kind of term it is; its classes; its values; and what is read of the nodes that it leads to.
        found = iri[:2] == "_:", node.types if wanted.types else None, common[0], own[0]
        led_to = common[1] + own[1]
        return (*found, self._led_to(led_to, wanted.names)) if led_to else found

    def _facts(self, node: Node, wanted: Wanted) -> tuple[_Sorted, _Sorted]:
        """Return what is read of a node's facts: of those that others share with it, and of its own."""
        if wanted.beyond:
            return _NOTHING, self._sorted((*node.placed(), *node.facts), wanted)
        shared = node.common
        if not shared:
            return _NOTHING, self._sorted(node.facts, wanted)
        key = id(wanted), id(shared)
        found = self._common.get(key)
        if found is None:
            found = self._common[key] = shared, self._sorted(shared, wanted)  # kept, so that its id stays its own
        return found[1], self._sorted(self._own_facts(node, wanted), wanted)

    def _own_facts(self, node: Node, wanted: Wanted) -> Iterable[tuple[str, Value]]:
        names = node.own_names
        key = id(wanted), names
        own = self._own.get(key)
        if own is None:
            own = self._own[key] = tuple(name for name in wanted.names if name in names)
        return [(name, value) for name in own for value in node.values(name)]

    def _sorted(self, facts: Iterable[tuple[str, Value]], wanted: Wanted) -> _Sorted:
        """Return those facts that are read: the values, and apart from them the nodes."""
        nodes, mentioned, names = self._nodes, self._mentioned, wanted.names
        values: list[tuple[str, type, Hashable]] = []
        led_to: list[tuple[str, Iri]] = []
        for name, value in facts:
            read = names.get(name)
            if read is None:
                continue
            kind = value.__class__
            if isinstance(value, Iri) and not read.exact and value in nodes and value not in mentioned:
                led_to.append((name, value))
            else:
                # A number and a truth value that Python holds equal are two terms, and so are 0.0 and -0.0.
                values.append((name, kind, repr(value) if kind is float else value))
        return tuple(values), tuple(led_to)

    def _led_to(self, led_to: tuple[tuple[str, Iri], ...], names: dict[str, Wanted]) -> Hashable:
        """Return what is read of the nodes that a node leads to: how many of each signature, each node once."""
        parts = [
            (name, iri[:2] == "_:", self.signature(iri, names[name]) if names[name].anything else None)
            for name, iri in (dict.fromkeys(led_to) if len(led_to) > 1 else led_to)
        ]
        return parts[0] if len(parts) == 1 else frozenset(Counter(parts).items())

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
            facts = sorted((name, type(v).__name__, repr(v)) for name, v in (*node.placed(), *node.facts))
            told.append((iri, sorted(node.types), facts))
        return repr(told)

    def _next(self, node: Node, wanted: Wanted) -> Iterator[tuple[str, Wanted]]:
        for name, value in node.facts if not wanted.beyond else (*node.placed(), *node.facts):
            if name in wanted.names and isinstance(value, Iri) and value in self._nodes:
                yield value, wanted.names[name]


_NOTHING: _Sorted = (), ()
