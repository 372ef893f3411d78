"""Every cell that can't fit the GPU: it owes an honest refusal, which names more memory than the GPU has in all.

A cell fits if weights + KV bytes per token x tokens + workspace <= the GPU's total memory. A term that nobody measured
leaves the cell owed as a pass.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.obligations.many import cell_nodes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.obligations.ground import Ground
    from gate.obligations.node import Node

TARGETS = ("RefusalCell", "RefusalRow")
REQUIRED = False  # most models fit


def nodes(ground: Ground) -> Iterator[Node]:
    """Return each cell that owes a refusal."""
    return cell_nodes(ground, "RefusalCell", refusal_owed=True)
