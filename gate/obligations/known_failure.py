"""Every known failure: complete, in force, in a release that ships under a scope, and re-proven red as it says.

What it covers and what is red for its reason is listed as known, with each rejection as a node of its own: a shape says
which rejections a decision may stand for. What is red for another reason stays what it is, and what passes makes the
known failure stale.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.iris import term
from gate.obligations.aside import is_as_stated
from gate.obligations.decision import decided_facts, path_of
from gate.obligations.node import About, Node, known

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.iris import Iri
    from gate.obligations.ground import Ground, Known
    from gate.obligations.outcome import Outcome

TARGETS = ("KnownFailure", "KnownRejection")
REQUIRED = False  # most releases ship nothing red


def decided(ground: Ground, outcome: Outcome) -> Iterator[Node]:
    """Yield each known failure of the decisions, and what it stands for."""
    owners: dict[Iri, Iri] = {}
    for failure in ground.known_failures:
        yield _failure(ground, failure, outcome, owners)
        yield from _rejections(ground, failure, outcome)


def failure_iri(ground: Ground, failure: Known) -> Iri:
    """Return the IRI of a known failure, as of a de-claim."""
    if failure.failure.id is None:
        return ground.iri("unnamed-known-failure", str(failure.index))
    return ground.iri("known-failure", failure.failure.id)


def _failure(ground: Ground, known_failure: Known, outcome: Outcome, owners: dict[Iri, Iri]) -> Node:
    failure, iri = known_failure.failure, failure_iri(ground, known_failure)
    passing = [one for one in known_failure.covered if outcome.fails(one) is False]
    applies = known_failure.applies
    others = {owners.setdefault(one, iri) for one in known_failure.covered} - {iri} if applies else set()
    return Node(
        iri, ("KnownFailure",) if known_failure.begun else ("PendingKnownFailure",), known_failure.label,
        decided_facts(ground, failure)
        + known(inForce=not known_failure.ended)
        + tuple(("check", text) for text in failure.check or ())
        + known(underScope=ground.iri("scope", ground.scope.name) if ground.scope else None)
        + tuple(("covers", one) for one in known_failure.covered)
        + tuple(("passing", one) for one in passing)
        + tuple(("overlaps", one) for one in sorted(others)),
        About(issue=failure.issue, receipt=path_of(ground)),
    )  # fmt: skip


def _rejections(ground: Ground, known_failure: Known, outcome: Outcome) -> Iterator[Node]:
    """Yield what rejects the obligations that a known failure stands for, one node each."""
    if not known_failure.applies:
        return
    for iri in known_failure.covered:
        found = outcome.found.get(iri, ())
        if is_as_stated(known_failure, found):
            for index, one in enumerate(found):
                yield Node(
                    ground.iri("known-rejection", known_failure.label, iri, str(index)), ("KnownRejection",),
                    known_failure.label,
                    known(
                        of=iri, rejection=one.brief, because=term(one.reason), says=one.message,
                        recorded=not one.absent, ran=iri in outcome.ran,
                    ),
                    About(issue=known_failure.failure.issue, receipt=path_of(ground)),
                    failure_iri(ground, known_failure),
                )  # fmt: skip
