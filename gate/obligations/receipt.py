"""Every file of the ledger: whether it agrees with itself, and whether it can vouch for anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.obligations.node import About, Node, known

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.iris import Iri
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
        binaryless=True if ground.binary_unsayable(receipt) else None,
    )
    quarrels = tuple(("quarrel", quarrel) for quarrel in receipt.binding.quarrels)
    earlier = _earlier(ground, receipt)
    contradictions = tuple(("contradiction", contradiction) for contradiction in receipt.contradictions)
    left_out = tuple(("leftOut", f"{what}: {count}") for what, count in sorted(receipt.left_out.items()))
    host = ground.rules.host_named(receipt.host) if receipt.host else None
    about = About(host=host.id if host else None, receipt=receipt.file.path)
    return Node(
        ground.iri("receipt", receipt.file.path),
        ("Receipt",),
        receipt.file.path,
        facts + earlier + quarrels + contradictions + left_out,
        about,
    )


def _earlier(ground: Ground, receipt: Receipt) -> tuple[tuple[str, Iri | bool | int | float | str], ...]:
    """Return what is known of a receipt of an earlier commit: the paths that differ since, or why it is stale."""
    commit = receipt.binding.commit
    if commit is None or commit == ground.subject.commit or not ground.rules.document.freshness.ignore:
        return ()
    since = ground.since(commit)
    stands = known(earlierCommit=commit if ground.fresh(receipt) else None, staleBecause=ground.stale_because(receipt))
    return stands + tuple(("ignoredDifference", path) for path in (since.ignored if since.stands else ()))
