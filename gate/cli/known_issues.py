"""`gate known-issues`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gate.cli.page import deliver, page

if TYPE_CHECKING:
    from pathlib import Path

    from gate.check import Request


@click.command(epilog="""\b
Examples:
  gate known-issues --tag 0.71.0 --output docs/known-issues.md
  gate known-issues --tag 0.71.0 --output known-issues.html
  gate known-issues --tag 0.71.0 --check docs/known-issues.md

The exit code is the verdict's: the page of a refused release is written, says so, and ends with 1.
With --check it says of the file alone: 0 where it holds exactly what would be rendered now, else 1 and a difference.
""")  # fmt: skip
@page("the known issues")
def command(request: Request, form: str | None, output: Path | None, committed: Path | None) -> int:
    """Render the known-issues page, in Markdown or as one HTML file.

    One section for each claim that the release withdraws, and each failure that it ships: what a user will see and can
    do instead, what it covers, since when, until when, and its ticket.
    """
    return deliver("known-issues", request, form, output, committed)
