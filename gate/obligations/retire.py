"""Every decision that gives something up for good with this release: complete, and naming something that is gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate import versions
from gate.obligations.losses import applies, losses, retire_iri
from gate.obligations.node import About, Node, known

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.decisions import Retire
    from gate.iris import Iri
    from gate.obligations.ground import Ground

TARGETS = ("Retire", "SettledRetire", "OpenRetire")
REQUIRED = False  # most releases give nothing up


def nodes(ground: Ground) -> Iterator[Node]:
    """Yield each decision of the file; one of an earlier or a later release is listed, and not judged."""
    covered: dict[int, list[Iri]] = {}
    for loss in losses(ground):
        for index in loss.retired_by:
            covered.setdefault(index, []).append(loss.iri(ground))
    for index, retire in enumerate(ground.decisions.document.retire):
        yield _retire(ground, index, retire, covered.get(index, []))


def _types(ground: Ground, retire: Retire) -> tuple[str, ...]:
    """Return the classes of a decision: what it must show depends on when it is of, and on what can be known.

    One of an earlier version may name what vanished since the release before that, and need not. Where the rules of the
    release before aren't known, what vanished from them can't be, so that a decision may name it unseen.
    """
    if retire.release is None:
        return ("Retire",)
    judged, release = versions.parse(ground.subject.version), versions.parse(retire.release)
    if judged.finalize_version() < release:
        return ("PendingRetire",)
    if release.finalize_version() == judged.finalize_version():
        known_rules = all(previous.origin.rules_at is not None for previous in ground.previous)
        return ("Retire", "SettledRetire" if known_rules else "OpenRetire")
    current = any(applies(retire, previous.version, ground.subject.version) for previous in ground.previous)
    return ("Retire",) if current else ("PastRetire",)


def _retire(ground: Ground, index: int, retire: Retire, covered: list[Iri]) -> Node:
    ruling = retire.ruling
    return Node(
        retire_iri(ground, index), _types(ground, retire), retire.id or f"retire[{index}]",
        known(
            id=retire.id, issue=retire.issue, atRelease=retire.release, why=retire.why,
            rulingBy=ruling.by, rulingOn=ruling.on.isoformat() if ruling.on else None, rulingWords=ruling.words,
        )
        + tuple((f"selects-{axis}", value) for axis, values in retire.given().items() for value in values)
        + tuple(("comparedWith", previous.version) for previous in ground.previous)
        + tuple(("retires", iri) for iri in covered),
        About(issue=retire.issue, receipt=ground.decisions.file.path if ground.decisions.file else None),
    )  # fmt: skip
