"""The census: the quant types and tensor shapes that a host's models hold, each of which must conform on that host.

A kernel is admitted for a type by the shapes of one model, and runs at those of every other. So what is owed comes from
what is held, and a row counts for its own host alone: one architecture says nothing of another.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from gate.ledger import ggml

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gate.ledger.rows import ConformanceRow, Ledger, Receipt
    from gate.rules import Host, Rules

Pair = tuple[str, str]  # a quant type and a class of tensor shapes


@dataclass(frozen=True, slots=True)
class OwedShape:
    """A quant type at one class of tensor shapes on one host, and the kernels that its rows there say they measured."""

    host: str
    quant: str
    shape: str
    kernels: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """The name that findings use: `gx10/conformance/IQ3_S/3584x1024`."""
        return "/".join((self.host, "conformance", self.quant, self.shape))


class Census(NamedTuple):
    """What a receipt says that its host's models hold: an inventory, or a conformance receipt of what it measured."""

    receipt: Receipt
    pairs: tuple[Pair, ...]
    of_inventory: bool


class MeasuredShape(NamedTuple):
    """A row of a conformance receipt, and what it keys onto (None: nothing, and `why` says so)."""

    receipt: Receipt
    row: ConformanceRow
    owed: OwedShape | None
    why: str | None


def censuses(ledger: Ledger, rules: Rules) -> dict[str, list[Census]]:
    """Return each required host's censuses: its inventory's, and one that a conformance receipt was generated from."""
    found: dict[str, list[Census]] = {host.id: [] for host in rules.required_hosts}
    for host, receipt in _of_required(ledger, rules):
        for pairs, of_inventory in (
            (receipt.inventory.census if receipt.inventory else None, True), (receipt.census, False),
        ):  # fmt: skip
            if pairs:  # an empty one says that nothing is held, which no model that runs there agrees with
                spelled = tuple((ggml.spelled(quant), shape) for quant, shape in pairs)
                found[host.id].append(Census(receipt, spelled, of_inventory))
    return found


def answered_by_themselves(found: list[Census]) -> tuple[str, ...]:
    """Return the receipts that alone say what a host holds, and answer it: what one drops is then asked by nobody."""
    if any(census.of_inventory for census in found):
        return ()
    return tuple(dict.fromkeys(census.receipt.file.path for census in found))


def uncensused(found: list[Census], rules: Rules) -> tuple[str, ...]:
    """Return the quant types that a host's inventories say owed files hold, and that no census of the host names."""
    held = {
        ggml.spelled(name)
        for receipt in {census.receipt.file.path: census.receipt for census in found}.values()
        if receipt.inventory
        for model in receipt.inventory.held
        if rules.document.models.owes(model.file)
        for name in model.tensor_types or ()
    }
    return tuple(sorted(held - {quant for census in found for quant, _ in census.pairs} - ggml.NUMBERS))


def _of_required(ledger: Ledger, rules: Rules) -> Iterator[tuple[Host, Receipt]]:
    for receipt in ledger.receipts:
        host = rules.host_named(receipt.host) if receipt.host else None
        if host is not None and host.required:
            yield host, receipt


def owed_shapes(
    found: dict[str, list[Census]], ledger: Ledger, rules: Rules, fresh: Callable[[Receipt], bool | None]
) -> tuple[OwedShape, ...]:
    """Return everything that must conform, by host, quant type and shape.

    Its kernels are known only where each row of the shape is fresh and names its own: one that is stale, or names none,
    may speak of any.
    """
    kernels: dict[tuple[str, str, str], set[str | None]] = {}
    for host, receipt in _of_required(ledger, rules):
        for row in receipt.conformance:
            named = row.kernel if fresh(receipt) else None
            kernels.setdefault((host.id, ggml.spelled(row.quant), row.shape), set()).add(named)
    return tuple(
        OwedShape(host, quant, shape, _all_named(kernels.get((host, quant, shape), set())))
        for host, held in found.items()
        for quant, shape in sorted({pair for census in held for pair in census.pairs})
    )


def _all_named(kernels: set[str | None]) -> tuple[str, ...]:
    named = sorted(kernel for kernel in kernels if kernel is not None)
    return tuple(named) if len(named) == len(kernels) else ()


def measured(ledger: Ledger, rules: Rules, shapes: tuple[OwedShape, ...]) -> Iterator[MeasuredShape]:
    """Yield every row of a conformance receipt with what it keys onto on its own host."""
    by_key = {(owed.host, owed.quant, owed.shape): owed for owed in shapes}
    for receipt in ledger.receipts:
        host = rules.host_named(receipt.host) if receipt.host else None
        for row in receipt.conformance:
            owed = by_key.get((host.id, ggml.spelled(row.quant), row.shape)) if host else None
            yield MeasuredShape(receipt, row, owed, None if owed else _why(host))


def _why(host: Host | None) -> str:
    if host is None:
        return "its host is unknown"
    if not host.required:
        return f"{host.id} is not required, and owes nothing"
    return f"no model on {host.id} holds this quant type in this shape"
