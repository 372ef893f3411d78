"""Everything that the release before owed and this one doesn't: given up by a decision, or it vanished unsaid."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.obligations.losses import losses, retire_iri
from gate.obligations.node import About, Node, known

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.obligations.ground import Ground
    from gate.obligations.losses import Loss

TARGETS = ("Vanished",)
REQUIRED = False  # a first release has none before it, and most let nothing go


def nodes(ground: Ground) -> Iterator[Node]:
    """Yield each thing that vanished, with the decisions that name it."""
    for loss in losses(ground):
        yield _vanished(ground, loss)


def _vanished(ground: Ground, loss: Loss) -> Node:
    thing = loss.thing
    return Node(
        loss.iri(ground), ("Vanished",), thing.label,
        known(vanishedKind=thing.kind, wasOwed=thing.was, isOwed=thing.now, cellsLost=thing.cells or None)
        + tuple(("owedBy", version) for version in loss.owed_by)
        + tuple(("vanishedFrom", host) for host in thing.hosts)
        + tuple(("retiredBy", retire_iri(ground, index)) for index in loss.retired_by),
        About(
            host=thing.name if thing.kind == "host" else thing.host, model=thing.called("model"),
            verb=thing.called("verb"), context=thing.called("context"),
            thinking=thing.called("thinking") if thing.kind == "mode" else None,
            kernel=thing.called("kernel"), quant=thing.called("quant"),
        ),
    )  # fmt: skip
