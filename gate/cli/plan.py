"""`gate plan`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gate.cli.options import Once, emit, output, progress, refuse_input, release

if TYPE_CHECKING:
    from pathlib import Path

    from gate.check import Request


@click.command(epilog="""\b
Examples:
  gate plan --tag 0.71.0
  gate plan --tag 0.71.0 --host gx10 --format sh > next.sh && MEASURE=./measure sh next.sh

Exit code 0 means that the plan was made, not that the release conforms.
""")  # fmt: skip
@release
@click.option("--host", cls=Once, metavar="HOST", help="Plan for this host alone: its id or an alias.")
@click.option("--failed", is_flag=True, help="Plan the cells that failed too, once what fails is mended.")
@click.option("--format", "form", cls=Once, type=click.Choice(["text", "json", "sh"]), default="text",
              show_default=True, help="For people, for programs, or a script that calls $MEASURE.")  # fmt: skip
@output("the plan")
def command(request: Request, host: str | None, failed: bool, form: str, output: Path | None) -> int:  # noqa: FBT001
    """What must be measured next?

    Every owed cell that no run of this release shows, by host and model, each model loaded once, the short prompts
    first. How long it will take is what the same cells took in the releases of the ledger.
    """
    from gate import plan, rules
    from gate.check import check
    from gate.errors import CallersError
    from gate.reporting import plan as rendered

    read_rules = rules.read(request.rules)
    wanted = read_rules.host_named(host) if host is not None else None
    if host is not None and wanted is None:
        known = ", ".join(one.id for one in read_rules.document.hosts)
        raise CallersError(f"--host: no rule knows {host!r}\n  Known: {known}.")
    with progress() as stage:
        verdict = check(request, stage=stage)
        stage("timing the steps by earlier receipts")
        made = plan.make(verdict, read_rules, host=wanted.id if wanted else None, failed=failed)
    refuse_input(output, verdict.ledger, verdict.read, request)
    render = {"text": rendered.as_text, "json": rendered.as_json, "sh": rendered.as_script}[form]
    emit(render(made), output)
    return 0
