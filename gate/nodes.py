"""Every node of a release by its IRI, and their graph: all of it, or only what an engine needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.errors import Declined
from gate.iris import named

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rdflib import Graph
    from rdflib.term import IdentifiedNode, Literal

    from gate.obligations.node import Node, Value


class Nodes(dict[str, "Node"]):
    """Nodes by IRI, in the order that findings come in."""

    has_subclasses = False  # the vocabulary's classes are flat, and no fact says otherwise

    @classmethod
    def of(cls, nodes: Iterable[Node]) -> Nodes:
        """Return `nodes` by IRI.

        Raises:
            Declined: two obligations would be one node.
        """
        given = list(nodes)
        found = cls((node.iri, node) for node in given)
        if len(found) < len(given):
            twice = next(node.iri for node in given if found[node.iri] is not node)
            raise Declined(f"two obligations are one node, {twice}: the gate can't be trusted; report this")
        return found

    def graph(self, only: Iterable[str] | None = None) -> Graph:
        """Return the graph of all nodes, or of those whose IRIs are in `only`."""
        from gate import graph

        return graph.build(self.values() if only is None else (self[iri] for iri in only))

    def targeted(self, kind: str, wanted: str) -> bool:
        """Say whether a target declaration (SHACL, section 2.1.3) selects any node.

        Args:
            kind: the IRI of the kind of target.
            wanted: the class, property or node that it names.
        """
        target = kind.rpartition("#")[2]
        if target == "targetNode":
            return wanted in self  # a node that isn't there is no obligation
        if target == "targetClass":
            return any(named(kind) == wanted for node in self.values() for kind in node.types)
        return any(named(name) == wanted for node in self.values() for name, _ in node.said())

    @staticmethod
    def term(value: Value) -> IdentifiedNode | Literal:
        """Return a value of a fact as RDF has it."""
        from gate import graph

        return graph.term(value)
