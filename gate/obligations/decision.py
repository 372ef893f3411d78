"""What every decision that has selectors says of itself, as facts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.obligations.node import known

if TYPE_CHECKING:
    from gate.decisions import Decision
    from gate.iris import Iri
    from gate.obligations.ground import Ground

Facts = tuple[tuple[str, "Iri | bool | int | float | str"], ...]


def decided_facts(ground: Ground, decision: Decision) -> Facts:
    """Return the facts that a de-claim and a known failure have alike, its selectors among them."""
    return known(
        id=decision.id, issue=decision.issue, since=decision.since, until=decision.until,
        expires=decision.expires.isoformat() if decision.expires else None, why=decision.why,
        ownVersion=ground.subject.version, ownDay=ground.moment.date().isoformat() if decision.expires else None,
    ) + tuple((f"selects-{axis}", value) for axis, values in decision.given().items() for value in values)  # fmt: skip


def path_of(ground: Ground) -> str | None:
    """Return the file that the decisions stand in."""
    return ground.decisions.file.path if ground.decisions.file else None
