"""Decisions that are read and not applied yet: known failures, and this release's scopes. Named, never silent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.obligations.node import About, Node, known

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.obligations.ground import Ground

TARGETS = ("Unapplied",)
REQUIRED = False


def nodes(ground: Ground) -> Iterator[Node]:
    """Yield each decision that leaves this release owed in full, though its writer meant otherwise."""
    path = ground.decisions.file.path if ground.decisions.file else None
    for index, failure in enumerate(ground.decisions.document.known_failure):
        label = failure.id or f"known_failure[{index}]"
        about = About(issue=failure.issue, receipt=path)
        yield Node(ground.iri("known-failure", str(index)), ("Unapplied",), label, known(applied=False), about)
    for index, scope in enumerate(ground.decisions.document.scope):
        if scope.release == ground.subject.version:
            label = f"scope[{index}] {scope.name}"
            about = About(receipt=path)
            yield Node(ground.iri("scope", str(index)), ("Unapplied",), label, known(applied=False), about)
