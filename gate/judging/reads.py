"""What the shapes read of a node: which properties, how far, and whether it matters which node it is.

`gate.judging.following` derives it from the shapes graph, and nothing of it is written by hand.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple


@dataclass(slots=True, eq=False)  # each is itself
class Reads:
    """What is read of a node: of which properties (by IRI), and what of the nodes that each leads to.

    `exact` says that it matters which node it is, and not only what is said of it.
    """

    properties: dict[str, Reads] = field(default_factory=dict)
    exact: bool = False

    def follow(self, predicate: str) -> Reads:
        """Return what is read of the values of a property, which is read from now on."""
        return self.properties.setdefault(predicate, Reads())

    def add(self, other: Reads) -> None:
        """Read all that `other` reads, too."""
        self.exact |= other.exact
        for predicate, read in other.properties.items():
            self.follow(predicate).add(read)


class Root(NamedTuple):
    """A shape with targets of its own.

    Args:
        shape: its IRI.
        targets: what it targets, as (local name of the kind of target, term) pairs.
        reads: what it reads of a node that it targets.
        whole: why it must be judged on the whole graph; empty: it need not.
        deep: whether its results may be about nodes that its own nodes lead to.
    """

    shape: str
    targets: tuple[tuple[str, str], ...]
    reads: Reads
    whole: str
    deep: bool


class Read(NamedTuple):
    """What a shapes graph reads: each root, and every IRI that it mentions, which is never taken for another."""

    roots: tuple[Root, ...]
    mentioned: frozenset[str]


def to_json(read: Read) -> dict[str, Any]:
    """Return what is read as JSON has it."""
    roots = [[root.shape, root.targets, _reads_to_json(root.reads), root.whole, root.deep] for root in read.roots]
    return {"roots": roots, "mentioned": sorted(read.mentioned)}


def _reads_to_json(reads: Reads) -> list[Any]:
    return [reads.exact, {predicate: _reads_to_json(own) for predicate, own in reads.properties.items()}]


def of_json(said: Any) -> Read:
    """Return what is read, as `to_json` wrote it.

    Raises:
        ValueError, TypeError, LookupError, AttributeError: it is no such thing.
    """
    roots = tuple(
        Root(shape, tuple((kind, wanted) for kind, wanted in targets), _reads_of_json(reads), whole, deep)
        for shape, targets, reads, whole, deep in said["roots"]
    )
    return Read(roots, frozenset(said["mentioned"]))


def _reads_of_json(said: Any) -> Reads:
    exact, properties = said
    return Reads({predicate: _reads_of_json(own) for predicate, own in properties.items()}, exact)
