"""`gate graph`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gate.cli.options import Once, emit, output, progress, refuse_input, release

if TYPE_CHECKING:
    from pathlib import Path

    from gate.check import Request


@click.command(epilog="""\b
Examples:
  gate graph --tag 0.71.0 > release.ttl
  gate graph --tag 0.71.0 --format nt --output release.nt
""")  # fmt: skip
@release
@click.option("--format", "form", cls=Once, type=click.Choice(["ttl", "nt", "jsonld"]), default="ttl",
              show_default=True, help="Turtle, N-Triples (sorted) or JSON-LD.")  # fmt: skip
@output("the graph")
def command(request: Request, form: str, output: Path | None) -> int:
    """Print the graph that the shapes judge, so that any SHACL engine can judge it too.

    The terms are explained in shapes/vocabulary.ttl.
    """
    from gate.check import prepare
    from gate.graph import serialize

    with progress() as stage:
        case = prepare(request, stage=stage)
        stage("building the graph")
        text = serialize(case.nodes.graph(), form)
    rules = case.ground.rules
    refuse_input(output, rules.document.project.ledger, [rules.file.path], request)
    emit(text, output)
    return 0
