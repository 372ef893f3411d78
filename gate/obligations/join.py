"""The join of rows to cells: which rows key onto which cell, and which onto none."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gate.ledger.rows import Ledger, Receipt, RunRow
    from gate.obligations.universe import Cell
    from gate.rules import Rules


class Joined(NamedTuple):
    """A row, its receipt, and the cell that it keys onto (None: none, and `why` says so)."""

    receipt: Receipt
    row: RunRow
    cell: Cell | None
    why: str | None


Key = tuple[str, str, str, str | None, str]


def join(ledger: Ledger, rules: Rules, cells: tuple[Cell, ...]) -> tuple[Joined, ...]:
    """Return every row of the ledger with its cell, by receipt and place in it.

    A row is bound to a cell by host, sha256, verb, thinking mode and context. One without a sha256 says only what the
    file was called, and keys onto nothing.
    """
    by_key: dict[Key, Cell] = {
        (c.host, c.model.sha256, c.verb, c.thinking, c.context): c for c in cells if c.model.sha256
    }
    owed = {(c.host, c.model.sha256) for c in cells}
    return tuple(_joined(receipt, row, rules, by_key, owed) for receipt in ledger.receipts for row in receipt.runs)


def _joined(
    receipt: Receipt, row: RunRow, rules: Rules, by_key: dict[Key, Cell], owed: set[tuple[str, str | None]]
) -> Joined:
    host = rules.host_named(row.host)
    thinking = row.thinking
    if not rules.document.cells.thinking and thinking == "off":
        thinking = None  # without the axis there is one mode, and a receipt may call it by its name
    if host is None or row.sha256 is None or row.context is None:
        lacks = (
            "its host is unknown"
            if host is None
            else "it names no sha256"
            if row.sha256 is None
            else "it names no context"
        )
        return Joined(receipt, row, None, lacks)
    cell = by_key.get((host.id, row.sha256, row.verb, thinking, row.context))
    if cell is not None:
        return Joined(receipt, row, cell, None)
    if not host.required:
        return Joined(receipt, row, None, f"{host.id} is not required, and owes nothing")
    if (host.id, row.sha256) not in owed:
        return Joined(receipt, row, None, f"{host.id} owes no model of this sha256")
    return Joined(receipt, row, None, "the model owes no such verb, thinking mode or context")
