"""Why one cell stands as it does: the receipt, its values, the shape, the decision."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from gate.errors import CallersError
from gate.findings import plain
from gate.iris import NAMESPACE, Iri
from gate.states import DECLAIMED, FAILED, KNOWN, MISSING, PASSED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gate.findings import Finding
    from gate.obligations.node import Node
    from gate.shape_files import Shape
    from gate.states import CellState
    from gate.verdict import Verdict
    from gate.withdrawn import Declaimed

_SAYS = {
    PASSED: "PASSED: exactly one row keys onto it, and the row is a pass.",
    MISSING: "MISSING: it is owed, and no row keys onto it.",
    FAILED: "FAILED: what was recorded is not a pass.",
    KNOWN: "KNOWN FAILURE: it is red, as a decision says that it would be.",
    DECLAIMED: "DE-CLAIMED: a decision takes it out of what is owed.",
}
_WIDTH = 22


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
    return (
        f"{verdict.tag} owes no cell {plain(label)!r}; of its {len(labels)} cells, these are near:\n{words}\n"
        "  A model owes no context beyond its own length, and no thinking mode that its template doesn't have."
    )


def _lines(verdict: Verdict, cell: CellState) -> Iterator[str]:
    yield cell.label
    yield f"  {_SAYS[cell.state]}"
    yield f"  judged for {verdict.tag} at commit {verdict.commit}"
    yield ""
    yield from _obligation(verdict, cell)
    for declaim in verdict.declaimed:
        if any(covered.label == cell.label for covered in declaim.cells):
            yield ""
            yield from _decision(declaim)
    found = _findings(verdict, cell)
    rows = [verdict.nodes[str(value)] for name, value in cell.node.facts if name == "receipt"]
    for row in rows:
        yield ""
        yield from _row(verdict, row, found, judged=cell.state != DECLAIMED)
    yield from _rejected(found)


def _findings(verdict: Verdict, cell: CellState) -> list[Finding]:
    return [f for f in verdict.findings if f.focus == cell.label and f.severity == "violation"]


def _obligation(verdict: Verdict, cell: CellState) -> Iterator[str]:
    about, facts = cell.node.about, dict(cell.node.facts)
    claimed = (
        f"the rules pin {about.model} on {about.host}" if facts.get("pinned") else f"{about.host} holds {about.model}"
    )
    verb = "Claimed" if cell.state == DECLAIMED else "Owed"
    yield f"{verb}, because {claimed}"
    if "contextTokens" in facts:
        yield f"  at the context {about.context}: a prompt of at least {facts['contextTokens']} tokens"
    yield f"  by one run of version {verdict.version} at this very commit"
    if cell.node.types[0] == "RefusalCell":
        needed, total = facts["neededBytes"], facts["gpuMemoryBytes"]
        yield f"  as a refusal: it needs {needed:,} bytes, and the GPU has {total:,} in all"


def _decision(declaim: Declaimed) -> Iterator[str]:
    told, by = declaim.told, declaim.ruling
    yield f"Decision: {told.id}"
    ruling = " ".join(filter(None, (by.by, f"on {by.on}" if by.on else None)))
    for name, value in (
        ("ticket", f"#{told.issue}" if told.issue else None), ("since", told.since), ("until", told.until),
        ("expires", told.expires), ("why", told.why), ("ruling", ruling), ("words", by.words),
    ):  # fmt: skip
        if value:
            yield f"  {name:<{_WIDTH}} {plain(value)}"


def _row(verdict: Verdict, row: Node, found: list[Finding], *, judged: bool) -> Iterator[str]:
    """Show each constraint of a pass with the facts that it looks at, then what else the row says.

    The row of a de-claimed cell is shown and not judged: nothing asks it to pass.
    """
    facts = dict(row.facts)
    yield f"Receipt: {row.about.receipt}, {facts.pop('place')}"
    facts.pop("cell", None)
    red = {finding.property for finding in found}
    kind = next((name for name in row.types if name in verdict.row_constraints), "CellRow")
    constraints = verdict.row_constraints[kind]
    for shape in constraints:
        yield from _constraint(verdict, shape, facts, red=shape.name in red, judged=judged)
    seen = {name for shape in constraints for name in (*shape.shows, *shape.mentions, shape.path)}
    for name, value in facts.items():
        if name not in seen:
            yield f"    {verdict.labels.get(name, name):<{_WIDTH}} {_shown(value)}"


def _constraint(
    verdict: Verdict, shape: Shape, facts: Mapping[str, object], *, red: bool, judged: bool
) -> Iterator[str]:
    """Show one constraint: ✗ rejects, ✓ holds, · asks nothing of this row."""
    asks = judged and any(name in facts for name in (*shape.shows, shape.path))
    mark = "✗" if red else "✓" if asks else "·"
    shown = "; ".join(
        f"{verdict.labels.get(name, name)} {_shown(facts[name]) if name in facts else 'not recorded'}"
        for index, name in enumerate((*shape.shows, *shape.mentions))
        if name in facts or index == 0
    )
    yield f"  {mark} {shape.name:<{_WIDTH}} {shown}"
    if red:
        yield f"    {'':<{_WIDTH}} rule: {shape.description}"


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Iri):
        return value.removeprefix(NAMESPACE).removeprefix("backend-")
    return plain(str(value))


def _rejected(found: list[Finding]) -> Iterator[str]:
    if not found:
        return
    yield ""
    yield "Rejected by"
    for finding in found:
        yield f"  shapes/{finding.shape}.ttl, {finding.property} ({finding.reason}): {finding.says}"
    for remedy in dict.fromkeys(finding.remedy for finding in found if finding.remedy):
        yield f"  → {remedy}"
