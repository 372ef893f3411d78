"""The tokenizer of every owed model, once for all hosts: its ids are owed equal to a pinned comparator's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.iris import term
from gate.obligations.node import About, Node, known
from gate.obligations.orphan import orphan, unrequired

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.iris import Iri
    from gate.ledger.rows import Receipt, TokenizerRow
    from gate.obligations.ground import Ground
    from gate.obligations.universe import OwedModel

TARGETS = ("TokenizerCell", "TokenizerRow")
REQUIRED = False  # only where the rules require it; a release whose every file is unidentified is red on its hosts


def nodes(ground: Ground) -> Iterator[Node]:
    """Yield each owed model's tokenizer and the comparisons recorded of it. One sha256 is one model."""
    if not ground.rules.document.require.tokenizer:
        yield from unrequired(ground, "tokenizers", "require.tokenizer")
        return
    models: dict[str, OwedModel] = {}
    names: dict[str, set[str]] = {}
    for model in ground.models:
        if model.sha256 is not None:
            models.setdefault(model.sha256, model)
            names.setdefault(model.sha256, set()).update(model.names)
    rows: dict[str | None, list[tuple[Receipt, TokenizerRow]]] = {}
    for receipt in ground.ledger.receipts:
        for row in receipt.tokenizers:
            rows.setdefault(row.sha256, []).append((receipt, row))
    for sha256, model in sorted(models.items(), key=lambda item: (item[1].file, item[0])):
        own = rows.get(sha256, [])
        iri, label = ground.iri("tokenizer", sha256), f"tokenizer/{model.file}"
        yield Node(
            iri, ("TokenizerCell",), label,
            known(sha256=sha256) + tuple(("receipt", _row_iri(ground, receipt, row)) for receipt, row in own),
            _about(model, own[0][0] if own else None),
        )  # fmt: skip
        for receipt, row in own:
            yield Node(
                _row_iri(ground, receipt, row), ("TokenizerRow",), label, _facts(ground, receipt, row, names[sha256]),
                _about(model, receipt), iri,
            )  # fmt: skip
    for unowed, others in rows.items():
        if unowed not in models:
            why = "it names no sha256" if unowed is None else "no required host owes a model of this sha256"
            for receipt, row in others:
                yield orphan(ground, receipt, row, "tokenizer", why)


def _row_iri(ground: Ground, receipt: Receipt, row: TokenizerRow) -> Iri:
    return ground.iri("receipt", receipt.file.path, "tokenizer", row.place)


def _about(model: OwedModel, receipt: Receipt | None) -> About:
    return About(model=model.file, quant=model.quant, receipt=receipt.file.path if receipt else None)


def _facts(
    ground: Ground, receipt: Receipt, row: TokenizerRow, names: set[str]
) -> tuple[tuple[str, Iri | bool | int | float | str], ...]:
    return known(
        place=row.place,
        version=receipt.binding.version,
        commit=receipt.binding.commit,
        fresh=ground.fresh(receipt),
        file=row.file,
        nameHolds=row.file in names,
        binary=receipt.binding.binary,
        binaryHolds=ground.same_binary(receipt),
        comparator=row.comparator,
        comparatorPin=row.comparator_pin,
        corpus=row.corpus,
        tokensCompared=row.compared,
        tokensAsked=ground.rules.document.require.tokenizer_tokens,
        mismatches=row.mismatches,
        roundTrip=row.round_trip,
        verdict=term(row.verdict) if row.verdict else None,
        reason=row.reason or None,
    )
