"""Every row that the rules expect of a required suite, by name: there once, passed, in a run of this very release."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.iris import term
from gate.obligations.node import About, Node, known

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.iris import Iri
    from gate.ledger.rows import Receipt, SuiteRow
    from gate.obligations.ground import Ground

TARGETS = ("ExpectedRow", "ExpectedRowResult")
REQUIRED = False  # only where the rules name the rows of a suite


def nodes(ground: Ground) -> Iterator[Node]:
    """Yield each expected row, and what the runs of its suite recorded under its name."""
    for expected in ground.rules.document.require.rows:
        recorded: dict[str, list[tuple[Receipt, int, SuiteRow]]] = {}
        for receipt in ground.ledger.receipts:
            if receipt.suite is not None and receipt.suite.suite == expected.suite:
                for index, row in enumerate(receipt.suite.rows):
                    recorded.setdefault(row.name, []).append((receipt, index, row))
        for name in expected.rows:
            yield from _row(ground, expected.suite, name, recorded.get(name, []))


def _row(ground: Ground, suite: str, name: str, found: list[tuple[Receipt, int, SuiteRow]]) -> Iterator[Node]:
    iri, label = ground.iri("suite", suite, "row", name), f"{suite}/{name}"
    yield Node(
        iri, ("ExpectedRow",), label,
        known(name=name) + tuple(("receipt", _result_iri(ground, receipt, index)) for receipt, index, _ in found),
        About(receipt=found[0][0].file.path if found else None),
    )  # fmt: skip
    for receipt, index, row in found:
        binding = receipt.binding
        yield Node(
            _result_iri(ground, receipt, index), ("ExpectedRowResult",), label,
            known(
                name=name, verdict=term(row.result), note=row.note or None, fresh=ground.fresh(receipt),
                version=binding.version, commit=binding.commit,
            ),
            About(receipt=receipt.file.path), iri,
        )  # fmt: skip


def _result_iri(ground: Ground, receipt: Receipt, index: int) -> Iri:
    return ground.iri("receipt", receipt.file.path, "suite", f"rows[{index}]")
