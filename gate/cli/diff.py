"""`gate diff`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate.check import Request
from gate.cli.options import Moment, Once, cached, emit, offer_tags, output, progress, refuse_input, verbose

if TYPE_CHECKING:
    import datetime


@click.command(epilog="""\b
Examples:
  gate diff 0.70.0 0.71.0
  gate diff v0.70.0 v0.71.0 --commit "$(git rev-parse HEAD)" --format json --output difference.json

Each release is taken as its git tag has it: rules, decisions, contexts and shapes. Where git has no such tag, today's
are taken, and the output says so. The gate's own shapes are those of today.

The exit code says nothing of either release: 0 is a comparison, 2 and 3 are as of gate check.
""")  # fmt: skip
@click.argument("before", metavar="A", shell_complete=offer_tags)
@click.argument("after", metavar="B", shell_complete=offer_tags)
@click.option("--rules", cls=Once, type=click.Path(path_type=Path), default=Path("gate.toml"), show_default=True,
              metavar="FILE", help="Today's rules: they say where everything is.")  # fmt: skip
@click.option("--commit", cls=Once, metavar="SHA", help="The full commit of B. Without it: git's tag, else its "
              "release.toml. All that are there must agree.")  # fmt: skip
@click.option("--earlier-commit", cls=Once, metavar="SHA", help="The full commit of A, as --commit.")
@click.option("--now", cls=Once, type=Moment(), metavar="TIME", help="Judge both as of this time, with its zone.")
@click.option("--format", "form", cls=Once, type=click.Choice(["text", "json"]), default="text", show_default=True,
              help="text groups what changed, json lists every cell.")  # fmt: skip
@output("the difference")
@verbose
@cached
def command(
    before: str,
    after: str,
    rules: Path,
    commit: str | None,
    earlier_commit: str | None,
    now: datetime.datetime | None,
    form: str,
    output: Path | None,
) -> int:
    """What changed from release A to release B?

    Both are judged, and compared: which cells pass, fail or are missing that didn't; which are withdrawn, or claimed
    again; what is owed for the first time, and what no longer; which findings and decisions came and went.
    """
    import datetime

    from gate import earlier
    from gate import rules as rules_module
    from gate.check import assess
    from gate.comparison import compare
    from gate.reporting import difference

    with progress() as stage:
        today = rules_module.read(rules)
        verdicts, at = [], now or datetime.datetime.now(datetime.UTC)
        for tag, named in ((before, earlier_commit), (after, commit)):
            stage(f"reading {tag}")
            with earlier.release(today, tag, named, at) as ground:
                verdicts.append(assess(ground, stage=stage))
        found = compare(*verdicts)
    inputs = {path for verdict in verdicts for path in verdict.read}
    refuse_input(output, today.document.project.ledger, inputs, Request(rules, after))
    if output is not None:
        emit(difference.as_json(found) if form == "json" else difference.render(found, color=False), output)
    emit(difference.as_json(found) if form == "json" and output is None else difference.render(found), None)
    return 0
