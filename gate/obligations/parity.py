"""The output of every owed model on every required host, owed equal to the reference run's that the rules name."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from gate.iris import term
from gate.obligations.node import About, Node, known
from gate.obligations.orphan import orphan, unrequired

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.iris import Iri
    from gate.ledger.rows import ParityRow, Receipt
    from gate.obligations.ground import Ground
    from gate.obligations.universe import OwedModel
    from gate.rules import Host, Parity

TARGETS = ("ParityCell", "ParityRow")
REQUIRED = False  # only where the rules require it

_Rows = list[tuple["Receipt", "ParityRow"]]


def nodes(ground: Ground) -> Iterator[Node]:
    """Yield each model on each required host, and the prompts that were compared with the reference there.

    A row is bound by host and sha256. One against another reference is no comparison that the rules ask for: an orphan.
    """
    asked = ground.rules.document.require.parity
    if asked is None:
        yield from unrequired(ground, "parities", "require.parity")
        return
    owed = {(model.host, model.sha256) for model in ground.models}
    rows: dict[tuple[str, str | None], _Rows] = {}
    for receipt in ground.ledger.receipts:
        host = ground.rules.host_named(receipt.host) if receipt.host else None
        for row in receipt.parities:
            why = _unowed(row, host, asked, owed)
            if why is not None:
                yield orphan(ground, receipt, row, "parity", why)
            elif host is not None:
                rows.setdefault((host.id, row.sha256), []).append((receipt, row))
    for model in ground.models:
        if model.sha256 is not None:
            yield from _cell(ground, model, asked, rows.get((model.host, model.sha256), []))


def _unowed(row: ParityRow, host: Host | None, asked: Parity, owed: set[tuple[str, str | None]]) -> str | None:
    """Return why a row counts for nothing; None where it is of an owed model, against the reference."""
    if host is None:
        return "its host is not one of the rules"
    if row.against is None:
        return "it names no reference"
    if row.against != asked.against:
        return f"it is compared with {row.against}, and the rules ask for {asked.against}"
    if row.sha256 is None:
        return "it names no sha256"
    return None if (host.id, row.sha256) in owed else f"{host.id} owes no model of this sha256"


def _cell(ground: Ground, model: OwedModel, asked: Parity, rows: _Rows) -> Iterator[Node]:
    iri, label = ground.iri("parity", model.host, model.key), f"parity/{model.host}/{model.file}"
    prompts = Counter(row.prompt for _, row in rows)
    yield Node(
        iri, ("ParityCell",), label,
        known(reference=asked.against, prefixAsked=asked.prefix)
        + tuple(("receipt", _row_iri(ground, receipt, row)) for receipt, row in rows)
        + tuple(("recordedTwice", prompt) for prompt, count in prompts.items() if count > 1),
        _about(model, rows[0][0] if rows else None),
    )  # fmt: skip
    for receipt, row in rows:
        facts = _facts(ground, receipt, row, asked, model)
        yield Node(_row_iri(ground, receipt, row), ("ParityRow",), label, facts, _about(model, receipt), iri)


def _row_iri(ground: Ground, receipt: Receipt, row: ParityRow) -> Iri:
    return ground.iri("receipt", receipt.file.path, "parity", row.place)


def _about(model: OwedModel, receipt: Receipt | None) -> About:
    path = receipt.file.path if receipt else None
    return About(host=model.host, model=model.file, quant=model.quant, receipt=path)


def _facts(
    ground: Ground, receipt: Receipt, row: ParityRow, asked: Parity, model: OwedModel
) -> tuple[tuple[str, Iri | bool | int | float | str], ...]:
    wanted = ground.rules.document.cells.backend
    return known(
        place=row.place,
        version=receipt.binding.version,
        commit=receipt.binding.commit,
        fresh=ground.fresh(receipt),
        file=row.file,
        nameHolds=row.file in model.names,
        binary=receipt.binding.binary,
        binaryHolds=ground.same_binary(receipt),
        prompt=row.prompt,
        reference=row.against,
        backend=term(f"backend-{row.backend}") if row.backend else None,
        requiredBackend=term(f"backend-{wanted}"),
        backendMet=row.backend == wanted if row.backend else None,
        tokensCompared=row.compared,
        matchingPrefix=row.matching_prefix,
        prefixOwed=_owed(row, asked),
        referenceEnded=row.ended,
        splitAt=_split(row.matching_prefix, row.compared),
    )


def _owed(row: ParityRow, asked: Parity) -> int | None:
    """Return how long a prefix must match: the whole one, unless the reference ended before; None: nothing counted."""
    if row.compared is None:
        return None
    return min(asked.prefix, row.compared) if row.ended else asked.prefix


def _split(matching: int | None, compared: int | None) -> int | None:
    """Return the first token that differs, counted from 0; None where none is known to differ."""
    if matching is None or compared is None or matching >= compared:
        return None
    return matching
