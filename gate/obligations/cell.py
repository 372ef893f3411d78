"""Every cell: one run owed, and the rows that claim to be it. What a pass is stands in `shapes/cell.ttl` alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.obligations.ground import Ground
    from gate.obligations.node import Node

TARGETS = ("Cell", "CellRow")
REQUIRED = True


def nodes(ground: Ground) -> Iterator[Node]:
    """Yield each cell that owes a pass."""
    for cell in ground.cells:
        if not cell.refusal_owed:
            yield ground.cell_node(cell, "Cell")
