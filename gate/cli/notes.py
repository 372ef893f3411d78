"""`gate notes`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gate.cli.options import emit, output, progress, refuse_input, release

if TYPE_CHECKING:
    from pathlib import Path

    from gate.check import Request


@click.command(epilog="""\b
Examples:
  gate notes --tag 0.71.0
  gate notes --tag 0.71.0 --output NOTES.md

The exit code is the verdict's: notes of a refused release are written, say so in their first line, and end with 1.
""")  # fmt: skip
@release
@output("the notes")
def command(request: Request, output: Path | None) -> int:
    """Render the release notes, in Markdown.

    How the release was gated, the hosts with their counts, every claim of speed with its figures, every known issue
    with each cell that it covers, what was refused, and what was not measured.
    """
    from gate.check import check
    from gate.reporting.markdown import render

    with progress() as stage:
        verdict = check(request, stage=stage)
    refuse_input(output, verdict.ledger, verdict.read, request)
    emit(render("notes.md.j2", verdict), output)
    return verdict.exit_code
