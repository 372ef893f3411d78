"""`gate lint`."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate.cli.options import DEFAULT_RULES, Once, emit

if TYPE_CHECKING:
    from gate.lint import Findings


@click.command(epilog="""\b
Examples:
  gate lint
  gate lint --rules ci/gate.toml

Exit codes: 0 all of it can be read; 2 the gate can't be trusted to read it; 3 a file can't be taken, and each such file
is named. 0 says nothing of a release: gate check does.
""")  # fmt: skip
@click.option("--rules", cls=Once, type=click.Path(path_type=Path), default=DEFAULT_RULES, show_default=True,
              metavar="FILE", help="The rules; all other paths are relative to their folder.")  # fmt: skip
def command(rules: Path) -> int:
    """Can every file be read: rules, decisions, contexts, keys, shapes, the receipts of every release?

    Nothing is judged, and no tag is asked for: this is for a hook before a commit. What it finds would end a check with
    3; it names all of it at once.
    """
    from gate import lint

    found = lint.read(rules)
    for fault in found.faults:
        with contextlib.suppress(OSError):  # nobody hears it, and the code says it
            click.echo(f"gate: {fault}", err=True)
    if found.faults:
        return max(fault.exit_code for fault in found.faults)
    emit(_said(found), None)
    return 0


def _said(found: Findings) -> str:
    from gate.errors import visible

    receipts = _counted(sum(found.receipts.values()), "receipt")
    read = f"{', '.join(found.files)}; {receipts} of {_counted(len(found.receipts), 'release')}"
    lines = [*found.notes, f"All of it can be read: {read}. Nothing was judged."]
    return "".join(f"{visible(line)}\n" for line in lines)


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
