"""The scope of this very release: ruled in words, alone, and naming models that are owed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.obligations.decision import path_of
from gate.obligations.node import About, Node, known
from gate.obligations.selectors import matches

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.decisions import Scope
    from gate.obligations.ground import Ground
    from gate.obligations.outcome import Outcome

TARGETS = ("Scope", "TicketedScope")
REQUIRED = False  # a release without one owes everything


def decided(ground: Ground, outcome: Outcome) -> Iterator[Node]:
    """Yield each scope of the release that is judged. Those of other releases say nothing of it."""
    within = ground.declaimed.union(*(known.covered for known in ground.known_failures))
    red = any(found and iri not in within for iri, found in outcome.found.items())
    # Where tickets are kept, what ships red has one.
    kinds = ("Scope", "TicketedScope") if red and ground.tickets_asked else ("Scope",)
    for index, scope in ground.scopes:
        ruling = scope.ruling
        facts = known(
            name=scope.name,
            issue=scope.issue,
            rulingBy=ruling.by,
            rulingOn=ruling.on.isoformat() if ruling.on else None,
            rulingWords=ruling.words,
            rulingPast=ground.is_past(ruling.on),
            alone=len(ground.scopes) == 1,
        )
        facts += tuple(("admits", ground.model_iri(m)) for m in ground.models if ground.admits(scope, m))
        facts += tuple(("unmatched", pattern) for pattern in _unmatched(ground, scope))
        iri = ground.iri("scope", scope.name, *([] if len(ground.scopes) == 1 else [str(index)]))
        yield Node(iri, kinds, scope.name, facts, About(issue=scope.issue, receipt=path_of(ground)))


def _unmatched(ground: Ground, scope: Scope) -> list[str]:
    """Return what the scope names and nothing owed answers to: a slip there leaves out more than was meant."""
    return [
        pattern for pattern in scope.models
        if not any(matches(pattern, name) for model in ground.models for name in model.known_as)
    ]  # fmt: skip
