"""Every quant type at every tensor shape that a required host holds. What a pass is stands in `conformance.ttl`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from gate.iris import term
from gate.obligations import census
from gate.obligations.node import About, Node, known
from gate.obligations.orphan import unrequired

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.iris import Iri
    from gate.obligations.census import MeasuredShape, OwedShape
    from gate.obligations.ground import Ground
    from gate.rules import Host

TARGETS = (
    "Conformance", "ConformanceHost", "InventoriedHost", "TrustedHost", "OwedConformanceRow", "MeasuredConformanceRow",
)  # fmt: skip
REQUIRED = False  # only where the rules require conformance


def nodes(ground: Ground) -> Iterator[Node]:
    """Yield each required host, what its census holds, and the rows that measured it."""
    if not ground.rules.document.require.conformance:
        yield from unrequired(ground, "conformance", "require.conformance")
        return
    rows = list(census.measured(ground.ledger, ground.rules, ground.shapes))
    for host in ground.rules.required_hosts:
        yield _host(ground, host)
    by_shape: dict[OwedShape, list[MeasuredShape]] = {owed: [] for owed in ground.shapes}
    for measured in rows:
        if measured.owed is not None:
            by_shape[measured.owed].append(measured)
    for owed, own in by_shape.items():
        iri = ground.owed_iri(owed)
        yield Node(
            iri, ("Conformance",), owed.label,
            known(tensorShape=owed.shape)
            + tuple(("receipt", _row_iri(ground, measured)) for measured in own),
            _about(owed, own[0].receipt.file.path if own else None),
        )  # fmt: skip
    for measured in rows:
        yield _row(ground, measured)


def _host(ground: Ground, host: Host) -> Node:
    censuses = dict.fromkeys(found.receipt.file.path for found in ground.censuses[host.id])
    receipts = dict.fromkeys(
        receipt.file.path for receipt in ground.ledger.receipts
        if receipt.conformance and receipt.host and ground.rules.host_named(receipt.host) == host
    )  # fmt: skip
    by_inventory = ground.rules.document.require.conformance_census == "inventory"
    return Node(
        ground.iri("conformance-host", host.id),
        ("ConformanceHost", "InventoriedHost" if by_inventory else "TrustedHost"), host.id,
        tuple(("census", path) for path in censuses)
        + tuple(("selfCensus", path) for path in census.answered_by_themselves(ground.censuses[host.id]))
        + tuple(("uncensused", quant) for quant in census.uncensused(ground.censuses[host.id], ground.rules))
        + tuple(("receipt", ground.iri("receipt", path)) for path in receipts),
        About(host=host.id, receipt=next(iter({**censuses, **receipts}), None)),
    )  # fmt: skip


def _row_iri(ground: Ground, measured: MeasuredShape) -> Iri:
    return ground.iri("receipt", measured.receipt.file.path, measured.row.place)


def _about(owed: OwedShape, receipt: str | None) -> About:
    kernel = owed.kernels[0] if len(owed.kernels) == 1 else None
    return About(host=owed.host, kernel=kernel, quant=owed.quant, receipt=receipt)


def _row(ground: Ground, measured: MeasuredShape) -> Node:
    receipt, row, owed, why = measured
    iri = ground.owed_iri(owed) if owed else None
    host = ground.rules.host_named(receipt.host) if receipt.host else None
    own = ground.computes[host.id] if host else None
    largest = ground.rules.document.require.conformance_tolerance
    facts = known(
        cell=iri, orphanedBy=why, place=row.place, verdict=term(row.verdict) if row.verdict else None,
        reason=row.reason, typeExcluded=row.excluded, worstError=row.worst, tensorShape=row.shape,
        bound=row.bound, boundSource=row.bound_source, largestBound=largest,
        withinBound=_at_most(row.worst, row.bound), boundHolds=_at_most(row.bound, largest),
        version=receipt.binding.version, commit=receipt.binding.commit,
        fresh=ground.fresh(receipt), staleBecause=ground.stale_because(receipt),
        compute=receipt.compute, ownCompute=own,
        computeHolds=None if receipt.compute is None or own is None else receipt.compute == own,
        gpu=receipt.gpu, ownGpu=host.gpu if host else None, gpuHolds=ground.same_gpu(receipt),
        binary=receipt.binding.binary, binaryHolds=ground.same_binary(receipt),
    )  # fmt: skip
    judged: tuple[str, ...] = ()
    if iri is not None:
        # What the product doesn't run there is red for that, whatever else the row says of it.
        judged = ("OwedConformanceRow",) if row.excluded else ("OwedConformanceRow", "MeasuredConformanceRow")
    about = (
        _about(owed, receipt.file.path)
        if owed
        else About(host=receipt.host, kernel=row.kernel, quant=row.quant, receipt=receipt.file.path)
    )
    label = owed.label if owed else f"{receipt.file.path}, {row.place}"
    return Node(_row_iri(ground, measured), ("Row", *judged), label, facts, about, iri)


def _at_most(measured: float | None, bound: float | None) -> bool | None:
    """Say whether a measure is within its bound; None where either is unknown. An infinite bound bounds nothing."""
    if measured is None or bound is None:
        return None
    return math.isfinite(bound) and measured <= bound
