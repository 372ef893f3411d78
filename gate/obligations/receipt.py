"""Every file of the ledger: whether it agrees with itself, and whether it can vouch for anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.obligations.node import About, Node, known

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.ledger.rows import Receipt
    from gate.obligations.ground import Ground

TARGETS = ("Receipt",)
REQUIRED = True


def nodes(ground: Ground) -> Iterator[Node]:
    """Yield one node a receipt."""
    for receipt in ground.ledger.receipts:
        yield _node(ground, receipt)


def _node(ground: Ground, receipt: Receipt) -> Node:
    facts = known(
        path=receipt.file.path,
        sha256=receipt.file.sha256,
        schema=receipt.schema,
        version=receipt.binding.version,
        commit=receipt.binding.commit,
        binary=receipt.binding.binary,
        measuredAt=receipt.measured_at.isoformat().replace("+00:00", "Z") if receipt.measured_at else None,
        producer=receipt.producer,
        superseded=receipt.superseded,
    )
    quarrels = tuple(("quarrel", quarrel) for quarrel in receipt.binding.quarrels)
    left_out = tuple(("leftOut", f"{what}: {count}") for what, count in sorted(receipt.left_out.items()))
    host = ground.rules.host_named(receipt.host) if receipt.host else None
    about = About(host=host.id if host else None, receipt=receipt.file.path)
    return Node(
        ground.iri("receipt", receipt.file.path), ("Receipt",), receipt.file.path, facts + quarrels + left_out, about
    )
