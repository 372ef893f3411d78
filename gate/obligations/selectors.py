"""Which cells a decision selects: all that it names must match, and nothing broader than was written."""

from __future__ import annotations

import fnmatch
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gate.decisions import Selector
    from gate.obligations.universe import Cell
    from gate.rules import Rules


def matches(pattern: str, value: str | None) -> bool:
    """Say whether `value` is what `pattern` says: a glob where one is written, otherwise the very same text."""
    if value is None:
        return False
    if any(character in pattern for character in "*?["):
        return value == pattern or fnmatch.fnmatchcase(value, pattern)
    return value == pattern


def selected(selector: Selector, cells: Iterable[Cell], rules: Rules, computes: dict[str, str | None]) -> list[Cell]:
    """Return the cells that `selector` covers, in their order.

    Args:
        selector: the decision.
        cells: every cell of the release.
        rules: they know the aliases of a host.
        computes: each host's compute capability.
    """
    given = selector.given()
    named = rules.host_named(given["host"]) if "host" in given else None
    if named is not None:
        given["host"] = named.id
    return [cell for cell in cells if all(_axis(axis, want, cell, computes) for axis, want in given.items())]


def _axis(axis: str, want: str, cell: Cell, computes: dict[str, str | None]) -> bool:
    if axis == "model":
        return any(matches(want, name) for name in cell.model.names)
    values = {
        "arch": cell.model.arch,
        "quant": cell.model.quant,
        "host": cell.host,
        "compute": computes.get(cell.host),
        "verb": cell.verb,
        "context": cell.context,
        "thinking": cell.thinking,
    }
    return matches(want, values.get(axis))  # a cell has no kernel: a decision on one covers no cell
