"""Every kernel that a model runs on any required host, owed on each of them. What a pass is stands in `kernel.ttl`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from gate.iris import term
from gate.obligations import dispatch
from gate.obligations.node import About, Node, known
from gate.obligations.orphan import unrequired

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.iris import Iri
    from gate.ledger.rows import KernelRow
    from gate.obligations.dispatch import MeasuredKernel, OwedKernel
    from gate.obligations.ground import Ground
    from gate.obligations.universe import OwedModel
    from gate.rules import Host

TARGETS = (
    "Kernel", "KernelHost", "DispatchingModel", "OwedKernelRow", "ContinuousKernelRow", "BoundedKernelRow",
    "DiscreteKernelRow",
)  # fmt: skip
REQUIRED = False  # only where the rules require kernels


def nodes(ground: Ground) -> Iterator[Node]:
    """Yield each required host, the models that it runs, the kernels that they run, and the rows of both."""
    if not ground.rules.document.require.kernels:
        yield from unrequired(ground, "kernels", "require.kernels")
        return
    for host in ground.rules.required_hosts:
        yield _host(ground, host)
    claimed = {(c.host, c.model.key) for c in ground.cells if ground.cell_iri(c) not in ground.declaimed}
    for model in ground.models:
        # A model that is withdrawn from its host in full need not be run there, and what it would run isn't known.
        if model.held and (model.host, model.key) in claimed:
            yield _model(ground, model)
    rows = list(dispatch.measured(ground.ledger, ground.rules, ground.kernels))
    by_kernel: dict[OwedKernel, list[MeasuredKernel]] = {owed: [] for owed in ground.kernels}
    for measured in rows:
        if measured.owed is not None:
            by_kernel[measured.owed].append(measured)
    kinds: dict[str, set[bool]] = {}
    for measured in rows:
        if measured.owed is not None:
            kinds.setdefault(measured.owed.kernel, set()).add(measured.row.discrete)
    for owed, own in by_kernel.items():
        yield _kernel(ground, owed, own, one_kind=len(kinds.get(owed.kernel, ())) <= 1)
    for measured in rows:
        yield _row(ground, measured)


def _host(ground: Ground, host: Host) -> Node:
    receipts = dict.fromkeys(
        receipt.file.path for receipt in ground.ledger.receipts
        if receipt.kernels and receipt.host and ground.rules.host_named(receipt.host) == host
    )  # fmt: skip
    return Node(
        ground.iri("kernel-host", host.id), ("KernelHost",), host.id,
        tuple(("receipt", ground.iri("receipt", path)) for path in receipts),
        About(host=host.id, receipt=next(iter(receipts), None)),
    )  # fmt: skip


def _model(ground: Ground, model: OwedModel) -> Node:
    """Return a model as its host runs it. A list that a kernel receipt of another release gives says nothing now."""
    lists = [
        found for found in ground.dispatched[model.host, model.key]
        if found.receipt.inventory is not None or ground.fresh(found.receipt)
    ]  # fmt: skip
    pairs = dict.fromkeys(pair for found in lists for pair in found.pairs)
    kernels = [dispatch.OwedKernel(model.host, kernel, quant) for kernel, quant in pairs]
    return Node(
        ground.iri("host", model.host, "runs", model.key), ("DispatchingModel",), f"{model.host}/{model.file}",
        known(sha256=model.sha256) + tuple(("dispatches", ground.owed_iri(owed)) for owed in kernels),
        About(host=model.host, model=model.file, quant=model.quant,
              receipt=lists[0].receipt.file.path if lists else None),
    )  # fmt: skip


def _row_iri(ground: Ground, measured: MeasuredKernel) -> Iri:
    return ground.iri("receipt", measured.receipt.file.path, measured.row.place)


def _kernel(ground: Ground, owed: OwedKernel, own: list[MeasuredKernel], *, one_kind: bool) -> Node:
    iri = ground.owed_iri(owed)
    seen: set[str | None] = set()
    again = []
    for measured in own:
        if measured.row.case in seen:
            again.append(_row_iri(ground, measured))
        seen.add(measured.row.case)
    return Node(
        iri, ("Kernel",), owed.label,
        tuple(("receipt", _row_iri(ground, measured)) for measured in own)
        + tuple(("measuredAgain", row) for row in again)
        + (("oneKind", one_kind),),
        _about(owed, own[0].receipt.file.path if own else None),
    )  # fmt: skip


def _about(owed: OwedKernel, receipt: str | None) -> About:
    return About(host=owed.host, kernel=owed.kernel, quant=owed.quant, receipt=receipt)


def _row(ground: Ground, measured: MeasuredKernel) -> Node:
    receipt, row, owed, why = measured
    iri = ground.owed_iri(owed) if owed else None
    host = ground.rules.host_named(receipt.host) if receipt.host else None
    own = ground.computes[host.id] if host else None
    facts = known(
        cell=iri, orphanedBy=why, place=row.place, case=row.case, verdict=term(row.verdict) if row.verdict else None,
        reason=row.reason, version=receipt.binding.version, commit=receipt.binding.commit,
        fresh=ground.fresh(receipt), staleBecause=ground.stale_because(receipt),
        compute=receipt.compute, ownCompute=own,
        computeHolds=None if receipt.compute is None or own is None else receipt.compute == own,
        gpu=receipt.gpu, ownGpu=host.gpu if host else None, gpuHolds=ground.same_gpu(receipt),
        binary=receipt.binding.binary, binaryHolds=ground.same_binary(receipt),
        maxErr=row.max_err, bound=row.bound, boundSource=row.bound_source,
        indexMismatch=row.index_mismatch, tieMargin=row.tie_margin,
        withinBound=None if row.discrete else _within(row.max_err, row.bound),
        tiesHold=_ties_hold(row) if row.discrete else None,
    )  # fmt: skip
    judged = _classes(row) if iri is not None else ()
    about = (
        _about(owed, receipt.file.path)
        if owed
        else About(host=receipt.host, kernel=row.kernel, quant=row.quant, receipt=receipt.file.path)
    )
    label = owed.label if owed else f"{receipt.file.path}, {row.place}"
    return Node(_row_iri(ground, measured), ("Row", *judged), label, facts, about, iri)


def _classes(row: KernelRow) -> tuple[str, ...]:
    """Return what a row must show: an error within a bound, or picks that differ by ties alone, which a bound tells."""
    if not row.discrete:
        return ("OwedKernelRow", "ContinuousKernelRow", "BoundedKernelRow")
    return ("OwedKernelRow", "DiscreteKernelRow") + (("BoundedKernelRow",) if row.index_mismatch else ())


def _within(error: float | None, bound: float | None) -> bool | None:
    """Say whether an error is within its bound; None where either is unknown. An infinite bound bounds nothing."""
    if error is None or bound is None:
        return None
    return math.isfinite(bound) and error <= bound


def _ties_hold(row: KernelRow) -> bool | None:
    """Say whether no pick differs, or each that does is a tie: the widest gap among them is within the bound.

    An infinite gap says that something was picked which no reference ever would, however many picks are said to differ.
    None where the mismatches or the gap weren't recorded, or the bound that decides wasn't.
    """
    if row.index_mismatch is None or row.tie_margin is None:
        return None
    return math.isfinite(row.tie_margin) if row.index_mismatch == 0 else _within(row.tie_margin, row.bound)
