"""Why one cell stands as it does: the receipt, its values, the shape, the decision."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from gate.errors import CallersError
from gate.iris import NAMESPACE, Iri
from gate.verdict import DECLAIMED, FAILED, MISSING, PASSED, plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.obligations.node import Node
    from gate.verdict import CellState, Declaimed, Verdict

_SAYS = {
    PASSED: "PASSED: exactly one row keys onto it, and the row is a pass.",
    MISSING: "MISSING: it is owed, and no row keys onto it.",
    FAILED: "FAILED: what was recorded is not a pass.",
    DECLAIMED: "DE-CLAIMED: a decision takes it out of what is owed.",
}


def render(verdict: Verdict, label: str) -> str:
    """Return what the verdict knows of the cell called `label`.

    Raises:
        CallersError: the release has no such cell; the message names the nearest ones.
    """
    cell = next((cell for cell in verdict.cells if cell.label == label), None)
    if cell is None:
        raise CallersError(_no_such_cell(verdict, label))
    return "\n".join(_lines(verdict, cell)) + "\n"


def _no_such_cell(verdict: Verdict, label: str) -> str:
    labels = [cell.label for cell in verdict.cells]
    near = difflib.get_close_matches(label, labels, n=3, cutoff=0.5) or labels[:3]
    words = "\n".join(f"  {name}" for name in near)
    return f"{verdict.tag} owes no cell {plain(label)!r}; of its {len(labels)} cells, these are near:\n{words}"


def _lines(verdict: Verdict, cell: CellState) -> Iterator[str]:
    yield cell.label
    yield f"  {_SAYS[cell.state]}"
    yield f"  judged for {verdict.tag} at commit {verdict.commit}"
    yield from _decisions(verdict, cell)
    for name, value in cell.node.facts:
        if name == "receipt":
            yield from _row(verdict.nodes[str(value)])
    yield from _owed(verdict, cell)
    yield from _findings(verdict, cell)


def _decisions(verdict: Verdict, cell: CellState) -> Iterator[str]:
    for declaim in verdict.declaimed:
        if any(covered.label == cell.label for covered in declaim.cells):
            yield ""
            yield from _decision(declaim)


def _decision(declaim: Declaimed) -> Iterator[str]:
    yield f"Decision: {declaim.id}"
    for name, value in (
        ("ticket", f"#{declaim.issue}" if declaim.issue else None), ("until", declaim.until), ("why", declaim.why),
        ("ruling", " ".join(filter(None, (declaim.by, f"on {declaim.on}" if declaim.on else None)))),
        ("words", declaim.words),
    ):  # fmt: skip
        if value:
            yield f"  {name:<16} {plain(value)}"


def _row(row: Node) -> Iterator[str]:
    facts = dict(row.facts)
    yield ""
    yield f"Receipt: {row.about.receipt}, {facts.pop('place')}"
    for name, value in facts.items():
        if name != "cell":
            yield f"  {name:<16} {_shown(value)}"


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Iri):
        return value.removeprefix(NAMESPACE).removeprefix("backend-")
    return plain(str(value))


def _owed(verdict: Verdict, cell: CellState) -> Iterator[str]:
    """Say what the cell owes, in the words of its own facts."""
    facts = dict(cell.node.facts)
    yield ""
    yield "Owed, because"
    about = cell.node.about
    pinned = f"the rules pin {about.model} on {about.host}"
    yield f"  {pinned if facts.get('pinned') else f'{about.host} holds {about.model}'}"
    if "contextTokens" in facts:
        yield f"  its context {cell.node.about.context} asks for a prompt of {facts['contextTokens']} tokens"
    yield f"  one row must say so for {verdict.version} at this commit: shapes/cell.ttl says what a pass is"


def _findings(verdict: Verdict, cell: CellState) -> Iterator[str]:
    found = [f for f in verdict.findings if f.shape != "row" and f.focus == cell.label]
    if not found:
        return
    yield ""
    yield "Rejected by"
    for finding in found:
        yield f"  {finding.shape}: {finding.property} ({finding.reason}) {finding.message}"
    for remedy in dict.fromkeys(f.remedy for f in found if f.remedy):
        yield f"  → {remedy}"
