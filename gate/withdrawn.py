"""What a release's decisions come to: what they withdraw, what they ship red, and what a scope leaves out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gate.decisions import Decision, Ruling
    from gate.obligations.ground import Ground
    from gate.obligations.node import About, Node
    from gate.obligations.outcome import Found, Outcome
    from gate.states import CellState


@dataclass(frozen=True, slots=True)
class Ruled:
    """Who decided, on which day, in which words."""

    by: str | None
    on: str | None
    words: str | None

    @classmethod
    def of(cls, ruling: Ruling) -> Ruled:
        """Return a ruling as reports show it."""
        return cls(ruling.by, ruling.on.isoformat() if ruling.on else None, ruling.words)

    def to_json(self) -> dict[str, Any]:
        """Return the ruling as the verdict's JSON has it."""
        return {"by": self.by, "on": self.on, "words": self.words}


@dataclass(frozen=True, slots=True)
class Told:
    """What a decision tells: its ticket, when it begins and ends, why, what a user sees and what to do instead."""

    id: str
    issue: int | None
    since: str | None
    until: str | None
    expires: str | None
    why: str | None
    symptom: str | None
    instead: str | None

    @classmethod
    def of(cls, decision: Decision, label: str) -> Told:
        """Return what a decision called `label` tells."""
        return cls(
            label, decision.issue, decision.since, decision.until,
            decision.expires.isoformat() if decision.expires else None,
            decision.why, decision.symptom, decision.instead,
        )  # fmt: skip

    def to_json(self) -> dict[str, Any]:
        """Return the decision as the verdict's JSON has it: what it may leave out is there only where it is given."""
        found = {"id": self.id, "issue": self.issue, "since": self.since, "until": self.until, "why": self.why}
        return found | {k: v for k in ("expires", "symptom", "instead") if (v := getattr(self, k)) is not None}


@dataclass(frozen=True, slots=True)
class Rejected:
    """An obligation that a decision covers: its label, where it lies, and what rejects it (nothing: it would pass)."""

    label: str
    about: About
    found: tuple[Found, ...]

    @property
    def briefs(self) -> tuple[str, ...]:
        """What rejects it, each once, as reports show it in brackets."""
        return tuple(dict.fromkeys(one.brief for one in self.found))


@dataclass(frozen=True, slots=True)
class Declaimed:
    """A de-claim in force: the cells that it covers, the kernels and tensor shapes, and how many of them would fail.

    `warned` says whether the product itself must warn of it.
    """

    told: Told
    ruling: Ruled
    cells: tuple[CellState, ...]
    kernels: tuple[CellState, ...]
    failing: tuple[Rejected, ...]
    warned: bool

    @property
    def covered(self) -> tuple[CellState, ...]:
        """Everything that it covers."""
        return self.cells + self.kernels

    def to_json(self) -> dict[str, Any]:
        """Return the de-claim as the verdict's JSON has it."""
        return self.told.to_json() | {
            "ruling": self.ruling.to_json(), "cells": [one.label for one in self.covered],
            "failing": [one.label for one in self.failing],
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class KnownFailed:
    """A known failure in force: what it says is red, and what it stands for, each with what rejects it."""

    told: Told
    check: tuple[str, ...]
    rejected: tuple[Rejected, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the known failure as the verdict's JSON has it."""
        return self.told.to_json() | {
            "check": list(self.check),
            "cells": [{"focus": one.label, "findings": list(one.briefs)} for one in self.rejected],
        }


@dataclass(frozen=True, slots=True)
class Scoped:
    """The scope that narrows a release: whose words allow it, which models it names, and what it leaves out."""

    name: str
    models: tuple[str, ...]
    ruling: Ruled
    outside: tuple[Rejected, ...]

    @property
    def red_outside(self) -> tuple[Rejected, ...]:
        """What would refuse the tag, if it were owed."""
        return tuple(one for one in self.outside if one.found)

    def to_json(self) -> dict[str, Any]:
        """Return the scope as the verdict's JSON has it."""
        red = [{"focus": one.label, "findings": list(one.briefs)} for one in self.red_outside]
        return {
            "name": self.name, "models": list(self.models), "ruling": self.ruling.to_json(),
            "outside": {"obligations": len(self.outside), "red": red},
        }  # fmt: skip


def declaimed(ground: Ground, aside: Mapping[str, CellState], outcome: Outcome) -> tuple[Declaimed, ...]:
    """Return the de-claims in force, by their places in the file.

    Args:
        ground: what was judged.
        aside: how everything stands that they withdraw, by IRI.
        outcome: what rejects it.
    """
    return tuple(
        Declaimed(
            told=Told.of(coverage.declaim, coverage.label),
            ruling=Ruled.of(coverage.declaim.ruling),
            cells=tuple(aside[ground.cell_iri(cell)] for cell in coverage.cells),
            kernels=tuple(aside[ground.owed_iri(owed)] for owed in coverage.kernels),
            failing=tuple(
                _rejected(aside[iri].node, outcome)
                for iri in map(ground.owed_iri, coverage.covered)
                if outcome.fails(iri)
            ),
            warned=coverage.declaim.warning,
        )
        for coverage in ground.coverage
        if coverage.in_force
    )


def known_failures(ground: Ground, nodes: Mapping[str, Node], outcome: Outcome) -> tuple[KnownFailed, ...]:
    """Return the known failures in force, with what they stand for: what is listed as known, and nothing else."""
    return tuple(
        KnownFailed(
            told=Told.of(known.failure, known.label),
            check=known.failure.check or (),
            rejected=tuple(
                _rejected(nodes[iri], outcome) for iri in known.covered if nodes[iri].types[0].startswith("Known")
            ),
        )
        for known in ground.known_failures
        if known.applies
    )


def scope(ground: Ground, nodes: Mapping[str, Node], outcome: Outcome) -> Scoped | None:
    """Return the scope of the release, with everything that it leaves out."""
    if ground.scope is None:
        return None
    outside = (_rejected(n, outcome) for n in nodes.values() if n.types[0].startswith("Outside"))
    return Scoped(ground.scope.name, ground.scope.models, Ruled.of(ground.scope.ruling), tuple(outside))


def _rejected(node: Node, outcome: Outcome) -> Rejected:
    return Rejected(node.label, node.about, outcome.found[node.iri])
