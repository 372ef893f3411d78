"""A row of a comparison that counts for nothing: named, so that one which fails can't vanish."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.obligations.node import About, Node, known

if TYPE_CHECKING:
    from gate.ledger.rows import ParityRow, PerformanceRow, Receipt, TokenizerRow
    from gate.obligations.ground import Ground


def orphan(
    ground: Ground, receipt: Receipt, row: TokenizerRow | ParityRow | PerformanceRow, kind: str, why: str
) -> Node:
    """Return the node of a row that keys onto no obligation, as `Row-cell` warns of it; `why` says why it doesn't."""
    path = receipt.file.path
    return Node(
        ground.iri("receipt", path, kind, row.place), ("Row",), f"{path}, {row.place}",
        known(
            orphanedBy=why, place=row.place, file=row.file, sha256=row.sha256, version=receipt.binding.version,
            commit=receipt.binding.commit, fresh=ground.fresh(receipt),
        ),
        About(host=receipt.host, model=row.file, receipt=path),
    )  # fmt: skip
