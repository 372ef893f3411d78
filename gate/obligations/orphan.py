"""Rows that count for nothing, because they key onto nothing or no rule asks for their kind: each is named.

One which fails can't vanish so, and one which passes isn't taken for more than it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.obligations.node import About, Node, known

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.ledger.rows import ConformanceRow, KernelRow, ParityRow, PerformanceRow, Receipt, TokenizerRow
    from gate.obligations.ground import Ground

    _Measurement = KernelRow | ConformanceRow | TokenizerRow | ParityRow | PerformanceRow


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


def unrequired(ground: Ground, kind: str, key: str) -> Iterator[Node]:
    """Yield every row of a kind that no rule asks for, as `Row-required` warns of it.

    Args:
        ground: what the release is judged from.
        kind: the field of a receipt that holds its rows: `kernels`.
        key: the key of the rules that would ask for them: `require.kernels`.
    """
    for receipt in ground.ledger.receipts:
        path = receipt.file.path
        rows: tuple[_Measurement, ...] = getattr(receipt, kind)
        for row in rows:
            yield Node(
                ground.iri("receipt", path, kind, row.place), ("UnrequiredRow",), f"{path}, {row.place}",
                known(
                    orphanedBy=f"the rules have no {key}", place=row.place, version=receipt.binding.version,
                    commit=receipt.binding.commit, fresh=ground.fresh(receipt),
                ),
                About(
                    host=receipt.host, model=getattr(row, "file", None), kernel=getattr(row, "kernel", None),
                    quant=getattr(row, "quant", None), receipt=path,
                ),
            )  # fmt: skip
