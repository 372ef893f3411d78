"""Which shapes judge which nodes: their targets (SHACL, section 2.1.3), without a graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from gate.iris import Iri, named
from gate.judging.reads import Reads
from gate.judging.signatures import Wanted, name_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from gate.judging.reads import Root
    from gate.nodes import Nodes
    from gate.obligations.node import Node, Value


@dataclass(frozen=True, slots=True, eq=False)  # each is itself
class Plan:
    """The roots that judge some nodes, and all that they read of each."""

    roots: tuple[Root, ...]
    wanted: Wanted


class Lone(NamedTuple):
    """What is targeted and is no node, so that nothing is said of it.

    `led_from` is a node that leads there; None where none does, and a shape only names it.
    """

    value: Value
    roots: set[Root]
    led_from: str | None


class Focus:
    """The plan of each node."""

    def __init__(self, nodes: Nodes, roots: Iterable[Root]) -> None:
        self._nodes, self._roots = nodes, tuple(roots)
        self._plans: dict[Hashable, Plan | None] = {}
        self._by_class = self._targets("targetClass")
        self._by_subject = {name_of(wanted): own for wanted, own in self._targets("targetSubjectsOf").items()}
        self._by_name = self._targets("targetNode")
        self._by_object = {name_of(wanted): own for wanted, own in self._targets("targetObjectsOf").items()}
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
            for name, value in node.said():
                roots = self._by_object.get(name)
                if roots and isinstance(value, Iri) and value in self._nodes:
                    self._pointed.setdefault(value, set()).update(roots)
                elif roots:
                    self.led_to.setdefault(_key(value), Lone(value, set(), node.iri)).roots.update(roots)

    def lone(self) -> Iterable[Lone]:
        """Return what is targeted and is no node."""
        by_name = (Iri(iri) for iri in self._by_name if iri not in self._nodes)
        found: dict[Hashable, Lone] = {_key(iri): Lone(iri, set(self._by_name[iri]), None) for iri in by_name}
        for key, lone in self.led_to.items():
            roots = found[key].roots if key in found else set()
            found[key] = Lone(lone.value, lone.roots | roots, lone.led_from)
        return found.values()

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
            found.update(root for name, _ in node.said() for root in self._by_subject.get(name, ()))
        return frozenset(found)

    def _planned(self, targeted: set[Root]) -> Plan:
        reads = Reads()
        for root in targeted:
            reads.add(root.reads)
        return Plan(tuple(root for root in self._roots if root in targeted), Wanted.of(reads))


def _key(value: Value) -> Hashable:
    """Return what tells a value from all others: 1, 1.0 and true are three, and so are a text and an IRI."""
    return value.__class__, repr(value)
