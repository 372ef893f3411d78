"""Every cell whose de-claim says that the product warns: a run of it printed a warning which names the ticket.

The software, the notes and the gate tell the same story, or somebody is told nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gate.obligations.node import About, Node, known

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.obligations.ground import Coverage, Ground
    from gate.obligations.universe import Cell

TARGETS = ("WarnedCell",)
REQUIRED = False  # only where a de-claim says so


def nodes(ground: Ground) -> Iterator[Node]:
    """Yield each cell that a de-claim in force withdraws and says to be warned of."""
    for coverage in ground.coverage:
        if coverage.in_force and coverage.declaim.warning:
            for cell in coverage.cells:
                yield _cell(ground, coverage, cell)


def _cell(ground: Ground, coverage: Coverage, cell: Cell) -> Node:
    """Return a cell with the runs of this very release that printed the warning, and what its runs printed."""
    declaim = coverage.declaim
    own = ground.rows_of(cell)
    ticket = _names(declaim.issue, ground.rules.document.project.repository) if declaim.issue else None
    warned = [
        joined for joined in own
        if ground.fresh(joined.receipt) and joined.row.verdict not in {None, "skip"}
        and ticket and any(map(ticket.search, joined.row.warnings or ()))
    ]  # fmt: skip
    return Node(
        ground.iri("warning", coverage.label, ground.cell_iri(cell)), ("WarnedCell",), cell.label,
        known(declaim=coverage.label)
        + tuple(("warnedBy", joined.iri) for joined in warned)
        + tuple(("printed", text) for text in dict.fromkeys(t for joined in own for t in joined.row.warnings or ())),
        About(
            host=cell.host, model=cell.model.file, verb=cell.verb, thinking=cell.thinking, context=cell.context,
            issue=declaim.issue, receipt=own[0].receipt.file.path if own else None,
        ),
    )  # fmt: skip


def _names(issue: int, repository: str | None) -> re.Pattern[str]:
    """Return what finds a ticket in a warning: `#4590`, or its address in the project's own repository."""
    address = rf"|{re.escape(repository.rstrip('/'))}/issues/{issue}" if repository else ""
    return re.compile(rf"(?:(?<![\w#/])#{issue}{address})(?![\w-])")
