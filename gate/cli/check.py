"""`gate check`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate.cli.options import forget_earlier, output, progress, refuse_input, release
from gate.cli.targets import FormatType, Target, artifacts, publish, targets
from gate.reporting.formats import FORMATS

if TYPE_CHECKING:
    from collections.abc import Callable

    from gate.check import Request
    from gate.judging.judge import Engine

_FORMATS = "\n".join(f"  {name:<9} {form.says}" for name, form in FORMATS.items())


def _classes() -> Engine:
    from gate.judging.classes import Classes

    return Classes()


def _pyshacl() -> Engine:
    from gate.judging.pyshacl_engine import PySHACL

    return PySHACL()


ENGINES: dict[str, Callable[[], Engine]] = {"classes": _classes, "pyshacl": _pyshacl}


@click.command(epilog=f"""\b
Formats; all of them say the same:
{_FORMATS}

\b
FORMAT=FILE writes a file, FORMAT alone goes to standard output. Without a
format of its own, standard output gets the text.

\b
Examples:
  gate check --tag 0.71.0
  gate check --tag v0.71.0 --commit "$(git rev-parse HEAD)"
  gate check --tag 0.71.0 --format json --output verdict.json
  gate check --tag 0.71.0 --format json=verdict.json --format junit=junit.xml
  gate check --tag 0.71.0 --format vsa=vsa.json --artifact demo.tar.gz

Exit codes: 0 the release conforms; 1 refused: at least one violation; 2 declined: nothing was judged; 3 the caller's
error. Only 0 lets a tag through.
""")  # fmt: skip
@release
@click.option("--format", "asked", type=FormatType(), multiple=True, metavar="FORMAT[=FILE]",
              help="A format of the verdict, and the file that it goes to. Repeatable.")  # fmt: skip
@output("the verdict")
@click.option("--artifact", "shipped", type=click.Path(path_type=Path), multiple=True, metavar="FILE",
              help="A file that the release ships, for --format vsa. Repeatable.")  # fmt: skip
@click.option(
    "--engine",
    type=click.Choice(tuple(ENGINES)),
    default="classes",
    show_default=True,
    metavar="NAME",
    help="What judges: classes (pyshacl, over one of each class of alike nodes) or pyshacl (over the whole graph). "
    "Both say the same.",
)
@click.option("--cross-check", is_flag=True, help="Let a second, independent engine judge the same graph, and decline "
              "where the two disagree on a single result. Needs: pip install 'shacl>=0.3.4'.")  # fmt: skip
@click.option("--quiet", "-q", is_flag=True, help="Of the text, print the answer alone. Errors are said as ever.")
def command(
    request: Request,
    asked: tuple[Target, ...],
    output: Path | None,
    shipped: tuple[Path, ...],
    engine: str,
    *,
    cross_check: bool,
    quiet: bool,
) -> int:
    """May this tag be cut?

    Reads the rules, the decisions and every receipt of the release, derives what the release owes, and lets the shapes
    judge it. A cell that nobody measured is a violation. With --output, standard output has the text.
    """
    from gate import git
    from gate.check import check
    from gate.reporting import formats, text

    wanted = targets(asked, output, shipped)
    if quiet and Target("text") not in wanted:
        raise click.UsageError("--quiet is for the text; write the other format as FORMAT=FILE")
    for target in wanted:
        forget_earlier(target.file)
    ships = artifacts(shipped)
    with progress(quiet=quiet) as stage:
        judging = ENGINES[engine]()
        if cross_check:
            from gate.judging.second_opinion import Agreed

            judging = Agreed(judging)
        verdict = check(request, judging, stage)
    for target in wanted:
        option = "--output" if target.file is output else "--format"
        refuse_input(target.file, verdict.ledger, verdict.read, request, option)
    setting = formats.Setting(git.shown_prefix(request.rules.parent), ships)
    # Standard output may be a terminal, with a width and colors of its own.
    said = text.answer if quiet else text.render
    publish([
        (one, said(verdict) if one == Target("text") else formats.render(one.form, verdict, setting))
        for one in wanted
    ])  # fmt: skip
    return verdict.exit_code
