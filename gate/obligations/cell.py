"""Every cell: one run owed, and the rows that claim to be it. What a pass is stands in `shapes/cell.ttl` alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.obligations.many import cell_nodes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.obligations.ground import Ground
    from gate.obligations.node import Node

TARGETS = ("Cell", "CellRow")
REQUIRED = True


def nodes(ground: Ground) -> Iterator[Node]:
    """Return each cell that owes a pass."""
    return cell_nodes(ground, "Cell", refusal_owed=False)
