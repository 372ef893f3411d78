"""`gate check`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gate.cli.options import Once, emit, forget_earlier, output, progress, refuse_input, release

if TYPE_CHECKING:
    from pathlib import Path

    from gate.check import Request


@click.command(epilog="""\b
Examples:
  gate check --tag 0.71.0
  gate check --tag v0.71.0 --commit "$(git rev-parse HEAD)"
  gate check --tag 0.71.0 --format json --output verdict.json

Exit codes: 0 the release conforms; 1 refused: at least one violation; 2 declined: nothing was judged; 3 the caller's
error. Only 0 lets a tag through.
""")  # fmt: skip
@release
@click.option("--format", "form", cls=Once, type=click.Choice(["text", "json"]), default="text", show_default=True,
              help="text is for people, json for machines; both say the same.")  # fmt: skip
@output("the verdict")
@click.option("--quiet", "-q", is_flag=True, help="Of the text, print the answer alone. Errors are said as ever.")
def command(request: Request, form: str, output: Path | None, *, quiet: bool) -> int:
    """May this tag be cut?

    Reads the rules, the decisions and every receipt of the release, derives what the release owes, and lets the shapes
    judge it. A cell that nobody measured is a violation. With --output, standard output has the text.
    """
    from gate.check import check
    from gate.reporting import document, text

    if quiet and form != "text" and output is None:
        raise click.UsageError("--quiet is for the text; with --output, a file has the rest")
    forget_earlier(output)
    with progress(quiet=quiet) as stage:
        verdict = check(request, stage=stage)
    refuse_input(output, verdict.ledger, verdict.read, request)
    if output is not None:
        emit(document.render(verdict) if form == "json" else text.render(verdict, color=False), output)
    # With a file for machines, the log still has what a person reads.
    said = text.answer(verdict) if quiet else text.render(verdict)
    emit(document.render(verdict) if form == "json" and output is None else said, None)
    return verdict.exit_code
