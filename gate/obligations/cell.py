"""Every cell: one run owed, and the rows that claim to be it. What a pass is stands in `shapes/cell.ttl` alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.obligations.node import Node, known
from gate.obligations.row import row_iri

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.iris import Iri
    from gate.obligations.ground import Ground
    from gate.obligations.join import Joined

TARGETS = ("Cell", "CellRow")
REQUIRED = True


def nodes(ground: Ground) -> Iterator[Node]:
    """Yield each cell. One that a de-claim in force covers is no `Cell`: it is listed, not owed."""
    rows: dict[Iri, list[Joined]] = {}
    for joined in ground.rows:
        if joined.cell is not None:
            rows.setdefault(ground.cell_iri(joined.cell), []).append(joined)
    for cell in ground.cells:
        iri = ground.cell_iri(cell)
        own = rows.get(iri, [])
        yield Node(
            iri, ("DeclaimedCell",) if iri in ground.declaimed else ("Cell",), cell.label,
            known(contextTokens=cell.tokens, pinned=cell.model.pinned or None)
            + tuple(("receipt", row_iri(ground, joined)) for joined in own),
            ground.about(cell, own[0].receipt if own else None),
        )  # fmt: skip
