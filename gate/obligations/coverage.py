"""Every context that a model owes is owed as a pass somewhere: refusals on every host would leave nothing shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.obligations.node import About, Node, known

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.obligations.ground import Ground
    from gate.obligations.universe import Cell

TARGETS = ("Coverage",)
REQUIRED = False  # without an identified model there is none; its host is red


def nodes(ground: Ground) -> Iterator[Node]:
    """Yield one node for each identified model and context, with the hosts that owe it as a pass."""
    found: dict[tuple[str, str], list[Cell]] = {}
    declaimed = ground.declaimed
    for cell in ground.cells:
        sha256 = cell.model.sha256
        if sha256 is not None and cell.iri not in declaimed:
            found.setdefault((sha256, cell.prompt.context), []).append(cell)
    for (sha256, context), cells in found.items():
        owed = sorted({cell.host for cell in cells if not cell.refusal_owed})
        refused = sorted({cell.host for cell in cells if cell.refusal_owed})
        file = cells[0].model.file
        gaps: list[str] = []
        if owed and refused:
            shown = {(cell.verb, cell.thinking) for cell in cells if not cell.refusal_owed}
            gaps = sorted({_mode(cell) for cell in cells if (cell.verb, cell.thinking) not in shown})
        yield Node(
            ground.iri("coverage", sha256, context), ("Coverage",), f"{file}/{context}",
            known(contextTokens=cells[0].tokens)
            + tuple(("passOwedOn", ground.iri("host", host)) for host in owed)
            + tuple(("uncovered", gap) for gap in gaps)
            + tuple(("refusalOwedOn", ground.iri("host", host)) for host in refused),
            About(model=file, context=context),
        )  # fmt: skip


def _mode(cell: Cell) -> str:
    return f"{cell.verb}, thinking {cell.thinking}" if cell.thinking else cell.verb
