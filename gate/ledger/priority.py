"""How urgent a ticket is, P0 to P3, where a label or a title says so."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable

Priority = Literal["P0", "P1", "P2", "P3"]
PRIORITIES: tuple[Priority, ...] = ("P0", "P1", "P2", "P3")

_WORD = re.compile(r"(?<![A-Za-z0-9])[Pp]([0-3])(?![A-Za-z0-9])")  # `P0`, `priority:p0`, `P0-critical`
_HEAD = re.compile(r"(?:^|[\s\[(])P([0-3])(?=[\]):,]|\s+[—\u2013-]\s)")  # `0.70.2 P0: no forward`, `[P0] …`, `P0 - …`


def of_labels(labels: Iterable[str]) -> Priority | None:
    """Return the most urgent priority that a label names, so that a forgotten label can't hide one; None: none does."""
    return min((PRIORITIES[int(found)] for label in labels for found in _WORD.findall(label)), default=None)


def of_title(title: str) -> Priority | None:
    """Return the most urgent priority that a title sets off as a word of its own: it counts where nothing else says."""
    return min((PRIORITIES[int(found)] for found in _HEAD.findall(title)), default=None)
