"""The kernels that a release owes: what any model runs on one required host is owed on all of them.

A kernel that is right on one architecture may not load on another, so that a measurement counts for its own host alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from gate.ledger import ggml

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gate.ledger.rows import KernelRow, Ledger, Receipt
    from gate.obligations.universe import OwedModel
    from gate.rules import Rules

Pair = tuple[str, str | None]  # a kernel, and the quant type that it works on


@dataclass(frozen=True, slots=True)
class OwedKernel:
    """A kernel at one quant type on one host. One that works on no weights has no quant type."""

    host: str
    kernel: str
    quant: str | None

    @property
    def label(self) -> str:
        """The name that findings use: `gx10/kernel/iq3_s_gemv/IQ3_S`."""
        return "/".join((self.host, "kernel", self.kernel, *([self.quant] if self.quant else [])))


class Dispatched(NamedTuple):
    """One dispatch list of a model, and the receipt that says it."""

    receipt: Receipt
    pairs: tuple[Pair, ...]


class MeasuredKernel(NamedTuple):
    """A row of a kernel receipt, and the kernel that it keys onto (None: none, and `why` says so)."""

    receipt: Receipt
    row: KernelRow
    owed: OwedKernel | None
    why: str | None


def _spelled(pairs: Iterable[Pair]) -> tuple[Pair, ...]:
    return tuple((kernel, ggml.spelled(quant) if quant else None) for kernel, quant in pairs)


def dispatched(ledger: Ledger, rules: Rules, models: tuple[OwedModel, ...]) -> dict[tuple[str, str], list[Dispatched]]:
    """Return the dispatch lists of each owed model that its host holds, by host and the model's key there.

    An inventory gives them, or a kernel receipt that says of what model it speaks by sha256.
    """
    found: dict[tuple[str, str], list[Dispatched]] = {(m.host, m.key): [] for m in models if m.held}
    for receipt in ledger.receipts:
        host = rules.host_named(receipt.host) if receipt.host else None
        for key, pairs in _lists(receipt):
            if host is not None and (host.id, key) in found:
                found[host.id, key].append(Dispatched(receipt, _spelled(pairs)))
    return found


def _lists(receipt: Receipt) -> Iterator[tuple[str, tuple[Pair, ...]]]:
    for held in receipt.inventory.held if receipt.inventory else ():
        if held.dispatched is not None:
            yield held.sha256 or f"file:{held.file}", held.dispatched
    for dispatch in receipt.dispatches:
        yield dispatch.sha256 or f"file:{dispatch.file}", dispatch.kernels


def owed_kernels(lists: dict[tuple[str, str], list[Dispatched]], rules: Rules) -> tuple[OwedKernel, ...]:
    """Return every kernel that is owed, by host, kernel and quant type."""
    pairs = {pair for found in lists.values() for one in found for pair in one.pairs}
    ordered = sorted(pairs, key=lambda pair: (pair[0], pair[1] or ""))
    return tuple(OwedKernel(host.id, kernel, quant) for host in rules.required_hosts for kernel, quant in ordered)


def measured(ledger: Ledger, rules: Rules, kernels: tuple[OwedKernel, ...]) -> Iterator[MeasuredKernel]:
    """Yield every row of a kernel receipt with the kernel of its own host that it keys onto."""
    by_key = {(owed.host, owed.kernel, owed.quant): owed for owed in kernels}
    for receipt in ledger.receipts:
        host = rules.host_named(receipt.host) if receipt.host else None
        for row in receipt.kernels:
            quant = ggml.spelled(row.quant) if row.quant else None
            owed = by_key.get((host.id, row.kernel, quant)) if host else None
            yield MeasuredKernel(receipt, row, owed, None if owed else _why(host.id if host else None, rules))


def _why(host: str | None, rules: Rules) -> str:
    if host is None:
        return "its host is unknown"
    if host not in {required.id for required in rules.required_hosts}:
        return f"{host} is not required, and owes nothing"
    return "no model on a required host runs this kernel at this quant type"
