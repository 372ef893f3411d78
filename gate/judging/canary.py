"""What a canary is: a node that breaks constraints on purpose, and the results that it must have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from gate.iris import Iri
from gate.obligations.node import Node

if TYPE_CHECKING:
    from gate.judging.judge import Result

NAMESPACE = "https://w3id.org/taggate/canary/"  # of no release: `iris.node` begins all of those with another one


class Expected(NamedTuple):
    """A result that must be reported: the parts of a `Result` that an engine must get right."""

    shape: str
    component: str
    focus: str
    value: str | None
    severity: str

    @classmethod
    def of(cls, result: Result) -> Expected:
        """Return what of a result is compared."""
        return cls(result.shape, result.component, result.focus, result.value, result.severity)


class Unplanted(NamedTuple):
    """A constraint that no canary breaks: its shape, its parameter by local name, and why."""

    shape: str
    parameter: str
    why: str


@dataclass(frozen=True, slots=True)
class Canaries:
    """The nodes to be judged, the results that they must have, and the constraints that none of them breaks."""

    nodes: tuple[Node, ...]
    expected: frozenset[Expected]
    unplanted: tuple[Unplanted, ...]

    @property
    def constraints(self) -> int:
        """How many constraints are planted."""
        return len({(one.shape, one.component) for one in self.expected})


def is_canary(iri: str) -> bool:
    """Say whether a node is a canary, or one of what a canary leads to."""
    return iri.startswith(NAMESPACE)


def to_json(canaries: Canaries) -> dict[str, Any]:
    """Return canaries as JSON has them."""
    return {
        "nodes": [
            [node.iri, node.types, [[n, isinstance(v, Iri), v] for n, v in node.facts]] for node in canaries.nodes
        ],
        "expected": sorted(canaries.expected, key=str),
        "unplanted": canaries.unplanted,
    }


def of_json(said: Any) -> Canaries:
    """Return canaries as `to_json` wrote them.

    Raises:
        ValueError, TypeError, LookupError, AttributeError: it is no such thing.
    """
    nodes = tuple(
        Node(Iri(iri), tuple(types), "canary", tuple((n, Iri(v) if is_iri else v) for n, is_iri, v in facts))
        for iri, types, facts in said["nodes"]
    )
    expected = frozenset(Expected(*one) for one in said["expected"])
    return Canaries(nodes, expected, tuple(Unplanted(*one) for one in said["unplanted"]))
