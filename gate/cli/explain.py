"""`gate explain`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gate.cli.options import Once, emit, progress, release

if TYPE_CHECKING:
    from gate.check import Request


@click.command(epilog="""\b
Examples:
  gate explain lambda/Qwen3-8B-Q4_K_M.gguf/run/think-off/4k --tag 0.69.0
  gate explain dogfood --tag 0.69.0
  gate explain gx10 --shape host --tag 0.69.0

A label stands in every finding: a cell's is its host, model, verb, thinking mode and context. Exit code 0 means that it
was explained, not that it passed.
""")  # fmt: skip
@click.argument("label")
@click.option("--shape", cls=Once, metavar="NAME", help="The file of shapes that judges it, where several things have "
              "one label.")  # fmt: skip
@release
def command(request: Request, label: str, shape: str | None) -> int:
    """Why does LABEL stand as it does?

    LABEL is a cell, or anything else that a finding names: a host, a model, a suite, a kernel, a receipt, a decision.
    Shows what it is and why it is owed, what was recorded of it, every constraint and whether it holds, the decision
    that covers it, if one does, and what to do.
    """
    from gate.check import check
    from gate.reporting.explain import render

    with progress() as stage:
        verdict = check(request, stage=stage)
    emit(render(verdict, label, shape), None)
    return 0
