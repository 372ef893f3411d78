"""`gate explain`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gate.cli.options import emit, progress, release

if TYPE_CHECKING:
    from gate.check import Request


@click.command(epilog="""\b
Example:
  gate explain lambda/Qwen3-8B-Q4_K_M.gguf/run/think-off/4k --tag 0.69.0

A cell's name stands in every finding: host, model, verb, thinking mode and context. Exit code 0 means that the cell was
explained, not that it passed.
""")  # fmt: skip
@click.argument("cell")
@release
def command(request: Request, cell: str) -> int:
    """Why does one CELL stand as it does?

    Shows the receipt and the row, every value that the shape asks for and what it must be, and the decision that covers
    the cell, if one does.
    """
    from gate.check import check
    from gate.reporting.explain import render

    with progress() as stage:
        verdict = check(request, stage=stage)
    emit(render(verdict, cell), None)
    return 0
