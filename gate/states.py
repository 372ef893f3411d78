"""How an obligation stands: passed, missing, failed, known to fail, or withdrawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gate.obligations.node import Node

PASSED, MISSING, FAILED, KNOWN, DECLAIMED = "passed", "missing", "failed", "known", "declaimed"


@dataclass(frozen=True, slots=True)
class CellState:
    """How one cell, or kernel, stands: one of the states above, and the node that says so."""

    node: Node
    state: str

    @property
    def label(self) -> str:
        """The cell's name."""
        return self.node.label
