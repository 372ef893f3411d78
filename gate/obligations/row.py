"""Every row of a run receipt, with the facts that a cell's shape reads. One that keys onto no cell is an orphan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.iris import term
from gate.ledger import evidence_path
from gate.obligations.node import About, Node, known

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.obligations.ground import Ground
    from gate.obligations.join import Joined
    from gate.obligations.universe import Cell

TARGETS = ("Row", "UnrequiredRow")
REQUIRED = False


def nodes(ground: Ground) -> Iterator[Node]:
    """Yield each row."""
    for joined in ground.rows:
        yield _row(ground, joined)


def _row(ground: Ground, joined: Joined) -> Node:
    receipt, row, cell, why = joined
    if cell is not None:
        about, label = ground.about(cell, receipt), cell.label
    else:
        about = About(host=row.host, model=row.file, verb=row.verb, thinking=row.thinking, context=row.context,
                      receipt=receipt.file.path)  # fmt: skip
        label = f"{receipt.file.path}, {row.place}"
    wanted = ground.rules.document.cells.backend
    facts = known(
        cell=ground.cell_iri(cell) if cell else None,
        orphanedBy=why,
        place=row.place,
        file=row.file,
        nameHolds=row.file in cell.model.names if cell else None,
        binary=receipt.binding.binary,
        binaryHolds=ground.binary_holds(receipt),
        verdict=term(row.verdict) if row.verdict else None,
        reason=row.reason,
        version=receipt.binding.version,
        commit=receipt.binding.commit,
        fresh=ground.fresh(receipt),
        staleBecause=ground.stale_because(receipt),
        backend=term(f"backend-{row.backend}") if row.backend else None,
        requiredBackend=term(f"backend-{wanted}"),
        backendMet=row.backend == wanted if row.backend else None,
        fallback=row.fell_back,
        exitCode=row.exit_code,
        promptTokens=row.prompt_tokens,
        contextTokens=cell.tokens if cell else None,
        contextMet=_context_met(row.prompt_tokens, cell.tokens) if cell else None,
        contextLength=cell.model.context_length if cell else None,
        lengthHolds=_within(row.prompt_tokens, cell.model.context_length) if cell else None,
        answerChars=row.answer_chars,
        answered=row.answer_chars > 0 if row.answer_chars is not None else None,
        seconds=row.seconds,
        thinkClosed=row.think_closed,
        requiredBytes=row.required_bytes,
        gpuMemoryBytes=cell.gpu_memory_bytes if cell and row.required_bytes is not None else None,
        shortfallShown=_shortfall_shown(row.required_bytes, cell.gpu_memory_bytes) if cell else None,
        evidence=evidence_path(receipt, row.evidence) if row.evidence else None,
        evidenceHolds=_evidence_holds(ground, joined),
    )
    iri = ground.cell_iri(cell) if cell else None
    return Node(ground.row_iri(joined), _types(cell), label, facts, about, iri)


def _types(cell: Cell | None) -> tuple[str, ...]:
    """Return the classes of a row: what its cell owes decides which constraints judge it."""
    if cell is None:
        return ("Row",)
    return ("Row", "RefusalRow" if cell.refusal_owed else "CellRow")


def _context_met(prompt_tokens: int | None, owed: int | None) -> bool | None:
    """Say whether the prompt filled its context; without a size, whether there was a prompt at all."""
    if prompt_tokens is None:
        return None
    return prompt_tokens >= (owed if owed is not None else 1)


def _within(prompt_tokens: int | None, length: int | None) -> bool | None:
    """Say whether a prompt is one that the model can read; None where either was never measured."""
    return None if prompt_tokens is None or length is None else prompt_tokens <= length


def _shortfall_shown(required: int | None, total: int | None) -> bool | None:
    """Say whether a refusal names more than the GPU's total memory. More than what is free right now proves nothing."""
    return None if required is None or total is None else required > total


def _evidence_holds(ground: Ground, joined: Joined) -> bool | None:
    """Say whether the file that a row names as its evidence is the one that it vouches for."""
    if joined.row.evidence is None:
        return None
    found = ground.ledger.evidence.get(evidence_path(joined.receipt, joined.row.evidence))
    return found == joined.row.evidence.sha256
