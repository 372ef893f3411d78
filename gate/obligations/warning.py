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
    own = ground.rows_of_cells.get(ground.cell_iri(cell), [])
    wanted = [rf"(?:#|issues/){declaim.issue}"] if declaim.issue else []
    wanted += [re.escape(declaim.id)] if declaim.id else []
    names_it = re.compile(rf"(?<![\w#])(?:{'|'.join(wanted)})(?![\w-])") if wanted else None
    warned = [
        joined for joined in own
        if ground.fresh(joined.receipt) and names_it and any(map(names_it.search, joined.row.warnings or ()))
    ]  # fmt: skip
    return Node(
        ground.iri("warning", coverage.label, ground.cell_iri(cell)), ("WarnedCell",), cell.label,
        known(declaim=coverage.label)
        + tuple(("warnedBy", ground.row_iri(joined)) for joined in warned)
        + tuple(("printed", text) for text in dict.fromkeys(t for joined in own for t in joined.row.warnings or ())),
        About(
            host=cell.host, model=cell.model.file, verb=cell.verb, thinking=cell.thinking, context=cell.context,
            issue=declaim.issue, receipt=own[0].receipt.file.path if own else None,
        ),
    )  # fmt: skip
