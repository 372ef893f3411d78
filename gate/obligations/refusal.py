"""Every cell that can't fit the GPU: it owes an honest refusal, which names more memory than the GPU has in all.

A cell fits if weights + KV bytes per token x tokens + workspace <= the GPU's total memory. A term that nobody measured
leaves the cell owed as a pass.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.obligations.ground import Ground
    from gate.obligations.node import Node

TARGETS = ("RefusalCell", "RefusalRow")
REQUIRED = False  # most models fit


def nodes(ground: Ground) -> Iterator[Node]:
    """Yield each cell that owes a refusal."""
    for cell in ground.cells:
        if cell.refusal_owed:
            yield ground.cell_node(cell, "RefusalCell")
