"""The join of rows to cells: which rows key onto which cell, and which onto none."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gate import iris

if TYPE_CHECKING:
    from gate.iris import Iri
    from gate.ledger.rows import Ledger, Receipt, RunRow
    from gate.obligations.universe import Cell
    from gate.rules import Host, Rules


class Joined(NamedTuple):
    """A row, its IRI, its receipt, and the cell that it keys onto (None: none, and `why` says so).

    The IRI is made of the receipt and the row's place there, so that two equal rows stay two.
    """

    iri: Iri
    receipt: Receipt
    row: RunRow
    cell: Cell | None
    why: str | None


_Axes = tuple[str, str | None, str]  # verb, thinking mode, context


def join(ledger: Ledger, rules: Rules, cells: tuple[Cell, ...], version: str) -> tuple[Joined, ...]:
    """Return every row of the ledger with its cell, by receipt and place in it.

    A row is bound to a cell by host, sha256, verb, thinking mode and context. One without a sha256 says only what the
    file was called, and keys onto nothing.
    """
    owed: dict[str, dict[str, dict[_Axes, Cell]]] = {host.id: {} for host in rules.document.hosts}
    axes: dict[_Axes, _Axes] = {}  # few, and each held once
    for cell in cells:
        model = cell.model
        if model.sha256 is not None:
            key = (cell.verb, cell.thinking, cell.prompt.context)
            owed[model.host].setdefault(model.sha256, {})[axes.setdefault(key, key)] = cell
    hosts = {name: rules.host_named(name) for name in {row.host for r in ledger.receipts for row in r.runs}}
    modeless = not rules.document.cells.thinking
    found: list[Joined] = []
    for receipt in ledger.receipts:
        above = iris.node(version, "receipt", receipt.file.path)
        for row in receipt.runs:
            iri = iris.below(above, row.place)
            named, verb, context, mode = row.told[:4]
            host, sha256 = hosts[named], row.sha256
            if host is None or sha256 is None or context is None:
                found.append(Joined(iri, receipt, row, None, _lacks(host, sha256)))
                continue
            # Without the axis there is one mode, and a receipt may call it by its name.
            thinking = None if modeless and mode == "off" else mode
            model_owed = owed[host.id].get(sha256)
            own = model_owed.get((verb, thinking, context)) if model_owed is not None else None
            why = None if own is not None else _unowed(host, known=model_owed is not None)
            found.append(Joined(iri, receipt, row, own, why))
    return tuple(found)


def _lacks(host: Host | None, sha256: str | None) -> str:
    if host is None:
        return "its host is unknown"
    return "it names no sha256" if sha256 is None else "it names no context"


def _unowed(host: Host, *, known: bool) -> str:
    if not host.required:
        return f"{host.id} is not required, and owes nothing"
    if not known:
        return f"{host.id} owes no model of this sha256"
    return "the model owes no such verb, thinking mode or context"
