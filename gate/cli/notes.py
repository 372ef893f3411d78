"""`gate notes`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gate.cli.page import deliver, page

if TYPE_CHECKING:
    from pathlib import Path

    from gate.check import Request


@click.command(epilog="""\b
Examples:
  gate notes --tag 0.71.0
  gate notes --tag 0.71.0 --output NOTES.md
  gate notes --tag 0.71.0 --output notes.html
  gate notes --tag 0.71.0 --check NOTES.md

The exit code is the verdict's: notes of a refused release are written, say so in their first lines, and end with 1.
With --check it says of the file alone: 0 where it holds exactly what would be rendered now, else 1 and a difference.
""")  # fmt: skip
@page("the notes")
def command(request: Request, form: str | None, output: Path | None, committed: Path | None) -> int:
    """Render the release notes, in Markdown or as one HTML file.

    How the release was gated, what changed, every claim of speed with its figures, every known issue with each cell
    that it covers, every known failure, what was refused, and what was not measured. Templates in reports/ beside the
    rules take the place of the gate's own.
    """
    return deliver("notes", request, form, output, committed)
