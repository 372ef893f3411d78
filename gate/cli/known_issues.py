"""`gate known-issues`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gate.cli.options import emit, output, progress, refuse_input, release

if TYPE_CHECKING:
    from pathlib import Path

    from gate.check import Request


@click.command(epilog="""\b
Example:
  gate known-issues --tag 0.71.0 --output docs/known-issues.md

The exit code is the verdict's: the page of a refused release is written, says so, and ends with 1.
""")  # fmt: skip
@release
@output("the page")
def command(request: Request, output: Path | None) -> int:
    """Render the known-issues page, in Markdown.

    One section for each claim that the release withdraws: what it covers, why, until when, and its ticket.
    """
    from gate.check import check
    from gate.reporting.markdown import render

    with progress() as stage:
        verdict = check(request, stage=stage)
    refuse_input(output, verdict.ledger, verdict.read, request)
    emit(render("known-issues.md.j2", verdict), output)
    return verdict.exit_code
