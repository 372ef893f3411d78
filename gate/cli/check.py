"""`gate check`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate.cli.options import emit, progress, release

if TYPE_CHECKING:
    from gate.check import Request


@click.command(epilog="""\b
Examples:
  gate check --tag 0.71.0
  gate check --tag v0.71.0 --commit "$(git rev-parse HEAD)"
  gate check --tag 0.71.0 --format json --output verdict.json

\b
Exit codes: 0 the release conforms; 1 refused: at least one violation;
2 declined: nothing was judged; 3 the caller's error. Only 0 lets a tag through.
""")  # fmt: skip
@release
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True,
              help="text is for people, json for machines; both say the same.")  # fmt: skip
@click.option("--output", type=click.Path(path_type=Path), metavar="FILE",
              help="Write the verdict to FILE, whole or not at all. Standard output then has the text.")  # fmt: skip
def command(request: Request, form: str, output: Path | None) -> int:
    """May this tag be cut?

    Reads the rules, the decisions and every receipt of the release, derives what the release owes, and lets the shapes
    judge it. A cell that nobody measured is a violation.
    """
    from gate.check import check

    with progress() as stage:
        verdict = check(request, stage=stage)
    if form == "json":
        from gate.reporting.document import render as render_json

        emit(render_json(verdict), output)
    if form == "text" or output is not None:
        from gate.reporting.text import render

        if form == "text" and output is not None:
            emit(render(verdict, color=False), output)
        emit(render(verdict), None)
    return verdict.exit_code
