"""Signatures: what the shapes read of a node, as one value. Nodes of one signature are judged alike.

A signature keeps each value that is read, and puts in the place of a node what is read of that node in turn, to the
depth that the shapes read to. A node that the shapes mention, or whose identity they read, stays itself. Two nodes of
one signature, targeted by the same shapes, then have the same results, but for their own names.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from rdflib.namespace import RDF

from gate import iris
from gate.graph import named, places
from gate.iris import Iri
from gate.reads import Reads

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator

    from gate.nodes import Nodes, Value
    from gate.obligations.node import Node
    from gate.reads import Read, Root

_TYPE = str(RDF.type)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """`Reads` as the facts of a node are named. `beyond` says whether more is read than its classes and facts."""

    names: dict[str, _Wanted]
    types: bool
    exact: bool
    beyond: bool

    @classmethod
    def of(cls, reads: Reads) -> _Wanted:
        """Return what `reads` reads."""
        names = {_name(p): cls.of(read) for p, read in reads.properties.items() if p != _TYPE}
        return cls(names, _TYPE in reads.properties, reads.exact, not places().isdisjoint(names))

    @property
    def anything(self) -> bool:
        """Whether anything is read of the node itself."""
        return self.exact or self.types or bool(self.names)


def _name(predicate: str) -> str:
    """Return the name that a fact has for a property."""
    local = unquote(predicate.removeprefix(iris.NAMESPACE))
    return local if predicate.startswith(iris.NAMESPACE) and named(local) == predicate else predicate


def _key(value: Value) -> Hashable:
    """Return what tells a value from all others: 1, 1.0 and true are three, and so are a text and an IRI."""
    return value.__class__, repr(value)


@dataclass(frozen=True, slots=True)
class Plan:
    """The roots that judge some nodes, and all that they read of each."""

    roots: tuple[Root, ...]
    wanted: _Wanted


class Lone(NamedTuple):
    """What is targeted and is no node, so that nothing is said of it.

    `led_from` is a node that leads there; None where none does, and a shape only names it.
    """

    value: Value
    roots: set[Root]
    led_from: str | None


class Signatures:
    """The signatures of nodes, under the shapes that target them."""

    def __init__(self, nodes: Nodes, read: Read) -> None:
        self._nodes, self._mentioned = nodes, read.mentioned
        self._roots = tuple(root for root in read.roots if not root.whole)
        self._plans: dict[Hashable, Plan | None] = {}
        self._by_class = self._targets("targetClass")
        self._by_subject = {_name(wanted): roots for wanted, roots in self._targets("targetSubjectsOf").items()}
        self._by_name = self._targets("targetNode")
        self._by_object = {_name(wanted): roots for wanted, roots in self._targets("targetObjectsOf").items()}
        self._pointed: dict[str, set[Root]] = {}
        # What nodes lead to and is targeted for it, though nothing is said of it.
        self.led_to: dict[Hashable, Lone] = {}
        self._note_who_leads_where()

    def _targets(self, kind: str) -> dict[str, set[Root]]:
        found: dict[str, set[Root]] = {}
        for root in self._roots:
            for own, wanted in root.targets:
                if own == kind:
                    found.setdefault(wanted, set()).add(root)
        return found

    def _note_who_leads_where(self) -> None:
        """Note what is targeted since a node leads there: nodes, and what is none."""
        for node in self._nodes.values() if self._by_object else ():
            for name, value in self._all(node):
                roots = self._by_object.get(name)
                if roots and isinstance(value, Iri) and value in self._nodes:
                    self._pointed.setdefault(value, set()).update(roots)
                elif roots:
                    self.led_to.setdefault(_key(value), Lone(value, set(), node.iri)).roots.update(roots)

    def lone(self) -> Iterable[Lone]:
        """Return what is targeted and is no node."""
        named = (Iri(iri) for iri in self._by_name if iri not in self._nodes)
        found: dict[Hashable, Lone] = {_key(iri): Lone(iri, set(self._by_name[iri]), None) for iri in named}
        for key, lone in self.led_to.items():
            roots = found[key].roots if key in found else set()
            found[key] = Lone(lone.value, lone.roots | roots, lone.led_from)
        return found.values()

    def _all(self, node: Node) -> Iterator[tuple[str, Value]]:
        yield from ((_TYPE, Iri(named(kind))) for kind in node.types)
        yield from self._nodes.beyond(node)
        yield from node.facts

    def plan(self, node: Node) -> Plan | None:
        """Return the roots that judge a node and what they read of it; None where none does."""
        others = self._others(node) if self._by_subject or self._by_name or self._pointed else frozenset()
        key = (node.types, others)
        if key not in self._plans:
            targeted = {root for kind in node.types for root in self._by_class.get(named(kind), ())} | others
            self._plans[key] = self._planned(targeted) if targeted else None
        return self._plans[key]

    def _others(self, node: Node) -> frozenset[Root]:
        """Return the roots that target a node by something else than its class."""
        found = {*self._by_name.get(node.iri, ()), *self._pointed.get(node.iri, ())}
        if self._by_subject:
            found.update(root for name, _ in self._all(node) for root in self._by_subject.get(name, ()))
        return frozenset(found)

    def _planned(self, targeted: set[Root]) -> Plan:
        reads = Reads()
        for root in targeted:
            reads.add(root.reads)
        return Plan(tuple(root for root in self._roots if root in targeted), _Wanted.of(reads))

    def signature(self, iri: str, wanted: _Wanted) -> Hashable:
        """Return what is read of a node.

        Args:
            iri: the node.
            wanted: what the shapes that judge it read.
        """
        if wanted.exact or iri in self._mentioned:
            return iri
        nodes, node, names = self._nodes, self._nodes[iri], wanted.names
        values: list[Hashable] = []
        led_to: list[tuple[str, Iri]] = []
        for name, value in node.facts if not wanted.beyond else (*nodes.beyond(node), *node.facts):
            read = names.get(name)
            if read is None:
                continue
            kind = value.__class__
            if isinstance(value, Iri) and not read.exact and value in nodes and value not in self._mentioned:
                led_to.append((name, value))
            else:
                # A number and a truth value that Python holds equal are two terms, and so are 0.0 and -0.0.
                values.append((name, kind, repr(value) if kind is float else value))
        found = iri[:2] == "_:", node.types if wanted.types else None, tuple(values)
        return (*found, self._led_to(led_to, names)) if led_to else found

    def _led_to(self, led_to: list[tuple[str, Iri]], names: dict[str, _Wanted]) -> Hashable:
        """Return what is read of the nodes that a node leads to: how many of each signature, each node once."""
        parts = [
            (name, iri.startswith("_:"), self.signature(iri, names[name]) if names[name].anything else None)
            for name, iri in (dict.fromkeys(led_to) if len(led_to) > 1 else led_to)
        ]
        return parts[0] if len(parts) == 1 else frozenset(Counter(parts).items())

    def reached(self, focus: Iterable[tuple[str, Plan]]) -> dict[str, None]:
        """Return given nodes, and all that the shapes which judge each of them read on the way."""
        found: dict[str, None] = {}
        pending = [(iri, plan.wanted) for iri, plan in focus]
        while pending:
            iri, reads = pending.pop()
            found[iri] = None
            if not reads.names:
                continue
            node = self._nodes[iri]
            for name, value in node.facts if not reads.beyond else (*self._nodes.beyond(node), *node.facts):
                if name in reads.names and isinstance(value, Iri) and value in self._nodes:
                    pending.append((value, reads.names[name]))
        return found
