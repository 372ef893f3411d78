"""Every de-claim: complete, still in force, selecting something, and contradicted by no pinned model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.obligations.node import About, Node, known

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.iris import Iri
    from gate.obligations.ground import Coverage, Ground

TARGETS = ("Declaim",)
REQUIRED = False  # most releases withdraw nothing


def nodes(ground: Ground) -> Iterator[Node]:
    """Yield each de-claim of the decisions."""
    for coverage in ground.coverage:
        yield _declaim(ground, coverage)


def coverage_iri(ground: Ground, coverage: Coverage) -> Iri:
    """Return the IRI of a de-claim: by its id, or, in a place that no id can take, by where it stands in the file."""
    if coverage.declaim.id is None:
        return ground.iri("unnamed-declaim", str(coverage.index))
    return ground.iri("declaim", coverage.declaim.id)


def _declaim(ground: Ground, coverage: Coverage) -> Node:
    declaim = coverage.declaim
    ruling = declaim.ruling
    contradicting = sorted({ground.model_iri(cell.model) for cell in coverage.cells if cell.model.pinned})
    return Node(
        coverage_iri(ground, coverage),
        ("Declaim",) if coverage.begun else ("PendingDeclaim",), coverage.label,
        known(
            id=declaim.id, issue=declaim.issue, since=declaim.since, until=declaim.until, why=declaim.why,
            rulingBy=ruling.by, rulingOn=ruling.on.isoformat() if ruling.on else None, rulingWords=ruling.words,
            inForce=not coverage.ended, ownVersion=ground.subject.version,
        )
        + tuple((f"selects-{axis}", value) for axis, values in declaim.given().items() for value in values)
        + tuple(("covers", ground.owed_iri(owed)) for owed in coverage.covered)
        + tuple(("contradictedBy", iri) for iri in contradicting),
        About(issue=declaim.issue, receipt=ground.decisions.file.path if ground.decisions.file else None),
    )  # fmt: skip
