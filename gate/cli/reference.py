"""`docs/cli.md`, made from the commands themselves: `python -m gate.cli.reference > docs/cli.md`."""

from __future__ import annotations

import inspect
import textwrap
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Iterator

MEND = "python -m gate.cli.reference > docs/cli.md"
WIDTH = 120

_HEAD = f"""\
<!-- written by: {MEND} -->
# Commands

Every command with its options, as `gate COMMAND --help` (or `-h`) says them. The page is made from the commands and
checked against them: don't edit it. Everything that names a release takes the same options; `--verbose` is one of them.

What is for a person is as wide as the terminal or `COLUMNS` says, and in colour on a terminal alone: `NO_COLOR` and
`TERM=dumb` forbid it, `FORCE_COLOR` asks for it elsewhere. No pager is ever started.
"""


def render() -> str:
    """Return the page."""
    from gate.cli import gate

    context = click.Context(gate, info_name="gate", **gate.context_settings)
    return "\n".join([_HEAD, *_command(context)])


def _command(context: click.Context) -> Iterator[str]:
    """Yield the lines of a command's section, then those of the commands below it."""
    command = context.command
    yield f"## {context.command_path}"
    yield ""
    yield f"    {' '.join([context.command_path, *command.collect_usage_pieces(context)])}"
    yield ""
    yield from _prose(inspect.cleandoc(command.help or ""))
    yield from _options(context)
    yield from _prose(inspect.cleandoc(command.epilog or ""))
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            if below is not None:
                yield from _command(click.Context(below, info_name=name, parent=context))


def _options(context: click.Context) -> Iterator[str]:
    options = [one for one in context.command.get_params(context) if isinstance(one, click.Option)]
    records = [one.get_help_record(context) for one in options if "--help" not in one.opts]  # the page's head tells it
    for names, says in filter(None, records):
        yield from _wrapped(f"- `{names}`: {_escaped(says)}", "  ")
    if any(records):
        yield ""


def _prose(text: str) -> Iterator[str]:
    """Yield paragraphs; one that click prints as it stands becomes a block under its first line."""
    for paragraph in text.split("\n\n"):
        lines = paragraph.strip("\n").splitlines()
        if lines[:1] != ["\b"]:
            yield from _wrapped(_escaped(" ".join(lines)))
        else:
            yield from _wrapped(_escaped(lines[1]))
            yield ""
            yield "```text"
            yield from textwrap.dedent("\n".join(lines[2:])).splitlines()
            yield "```"
        yield ""


def _wrapped(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def _escaped(text: str) -> str:
    from gate.reporting.markdown import text as escaped

    return str(escaped(text)).replace("&#39;", "'").replace("&#34;", '"')  # a quotation mark is no markup in a text


if __name__ == "__main__":
    click.echo(render(), nl=False)
