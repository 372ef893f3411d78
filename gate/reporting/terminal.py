"""What is printed for a person: as wide as the terminal, in colour where it is wanted, and no name cut short."""

from __future__ import annotations

import io
import shutil
import sys

from rich.console import Console
from rich.table import Table
from rich.text import Text

LOG_WIDTH = 110  # where there is no terminal to ask
NARROW = 60  # below it, columns leave no room for a name


def page(*, color: bool | None = None) -> Console:
    """Return a console that prints into memory; `printed` returns what it printed.

    Args:
        color: whether to style it; None: for standard output, where that is a terminal or `FORCE_COLOR` asks for it,
            and neither `NO_COLOR` nor `TERM=dumb` forbids it.
    """
    watched = color is None and sys.stdout.isatty()
    return Console(
        file=io.StringIO(),
        force_terminal=True if watched else color,
        width=shutil.get_terminal_size().columns if watched else LOG_WIDTH,
        height=24,  # without one, rich takes every dumb terminal for 80 wide
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )


def printed(console: Console) -> str:
    """Return what was printed to a `page`, without blanks at the ends of lines."""
    stream = console.file
    assert isinstance(stream, io.StringIO)  # noqa: S101 - `page` made it
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines()) + "\n"


def item(count: int, says: Text, style: str = "") -> Table:
    """Return one line of a list: how many, and of what; where it goes on in a next line, below what it goes on with."""
    table = columns(2)
    table.columns[0].width = 5
    table.columns[0].justify = "right"
    table.add_row(Text(str(count), style), says)
    return table


def columns(number: int) -> Table:
    """Return a table of columns without lines between, in which a text that is too long is folded and never cut."""
    table = Table.grid(padding=(0, 2))
    for _ in range(number):
        table.add_column(overflow="fold")
    return table
