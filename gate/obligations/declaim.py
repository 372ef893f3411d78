"""Every de-claim: complete, in force, selecting something that fails, alone in it, and contradicted by no rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.obligations.decision import decided_facts, path_of
from gate.obligations.node import About, Node, known

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.iris import Iri
    from gate.obligations.ground import Coverage, Ground
    from gate.obligations.outcome import Outcome

TARGETS = ("Declaim",)
REQUIRED = False  # most releases withdraw nothing


def decided(ground: Ground, outcome: Outcome) -> Iterator[Node]:
    """Yield each de-claim of the decisions."""
    owners: dict[Iri, Iri] = {}  # what each obligation is withdrawn by: the first de-claim in force that covers it
    for coverage in ground.coverage:
        yield _declaim(ground, coverage, outcome, owners)


def coverage_iri(ground: Ground, coverage: Coverage) -> Iri:
    """Return the IRI of a de-claim: by its id, or, in a place that no id can take, by where it stands in the file."""
    if coverage.declaim.id is None:
        return ground.iri("unnamed-declaim", str(coverage.index))
    return ground.iri("declaim", coverage.declaim.id)


def _declaim(ground: Ground, coverage: Coverage, outcome: Outcome, owners: dict[Iri, Iri]) -> Node:
    declaim, iri = coverage.declaim, coverage_iri(ground, coverage)
    covered = [ground.owed_iri(owed) for owed in coverage.covered]
    others = {owners.setdefault(one, iri) for one in covered} - {iri} if coverage.in_force else set()
    return Node(
        iri, ("Declaim",) if coverage.begun else ("PendingDeclaim",), coverage.label,
        decided_facts(ground, declaim)
        + known(
            rulingBy=declaim.ruling.by, rulingOn=declaim.ruling.on.isoformat() if declaim.ruling.on else None,
            rulingWords=declaim.ruling.words, rulingPast=ground.is_past(declaim.ruling.on),
            inForce=not coverage.ended, claimable=_claimable(coverage, covered, outcome),
        )
        + tuple(("covers", one) for one in covered)
        + tuple(("contradictedBy", one) for one in sorted(_contradicting(ground, coverage)))
        + tuple(("overlaps", one) for one in sorted(others)),
        About(issue=declaim.issue, receipt=path_of(ground)),
    )  # fmt: skip


def _claimable(coverage: Coverage, covered: list[Iri], outcome: Outcome) -> bool | None:
    """Say whether all that is withdrawn would pass now, so that there is no reason left to withdraw it."""
    if not coverage.in_force or not covered:
        return False  # it withdraws nothing, which is red by itself
    fails = [outcome.fails(iri) for iri in covered]
    return None if None in fails else not any(fails)


def _contradicting(ground: Ground, coverage: Coverage) -> set[Iri]:
    """Return the models that the rules claim by name on cells which the de-claim withdraws.

    A pinned model is claimed on each of its hosts. A representative shows the long contexts of its whole architecture,
    and does so still where one host owes them: it is contradicted where none does, and other models lean on it.
    """
    pinned = {ground.model_iri(cell.model) for cell in coverage.cells if cell.model.pinned}
    return pinned | {
        ground.model_iri(cell.model) for cell in coverage.cells
        if coverage.in_force and (cell.model.arch, cell.context) in ground.unrepresented
        and ground.represents(cell.model)
    }  # fmt: skip
