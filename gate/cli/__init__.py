"""The command line: one module a command, imported when it is called, so that `gate --help` costs nothing."""

from __future__ import annotations

import importlib
import shutil
from typing import TYPE_CHECKING

import click

from gate import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping

    from click.shell_completion import CompletionItem

# Each command with the line that `gate --help` says of it, so that help needs none of their modules.
COMMANDS: Mapping[str, str] = {
    "init": "Begin: write commented rules, decisions, a first release and a pipeline.",
    "check": "May this tag be cut? Judge a release, and say why not.",
    "explain": "Why anything stands as it does: receipt, values, shape, decision.",
    "plan": "What to measure next: the missing cells by host and model, with their time.",
    "notes": "Render the release notes: how it was gated, and every known issue.",
    "known-issues": "Render the known issues: every claim that the release withdraws.",
    "diff": "What changed between two releases: cells, obligations, findings, decisions.",
    "tag": "Cut the tag of a release that conforms, with what the verdict said.",
    "hook": "The gate as a git hook: before a push, or on the server.",
    "graph": "Print the graph that the shapes judge.",
    "lint": "Can every file be read? For a hook before a commit; nothing is judged.",
    "sign": "Sign decisions and receipts with an SSH key.",
    "ingest": "Turn a result without a schema into a native receipt.",
    "inventory": "What a host holds: scan a folder of models into an inventory receipt.",
    "tickets": "Tickets: import them, show them, show that one is done.",
    "schema": "Print the JSON Schemas of the native receipts.",
    "completion": "Print the script that completes words in a shell.",
}


_LEAST = 52  # columns: click wraps its help for no terminal that is narrower


def help_width() -> int | None:
    """Return how wide the help is to be on a narrow terminal; None: click knows."""
    width = shutil.get_terminal_size().columns
    return max(width - 2, 20) if width < _LEAST else None


class Commands(click.Group):
    """The commands, each imported when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names of the commands in the order that help shows them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return the command of this name, or None."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"gate.cli.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the commands that begin so without importing any, and the options that do."""
        from click.shell_completion import CompletionItem

        found = [CompletionItem(name, help=says) for name, says in COMMANDS.items() if name.startswith(incomplete)]
        return [*found, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the list of commands without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]}, epilog="""
Exit codes: 0 the release conforms; 1 refused; 2 declined: nothing was judged; 3 the caller's error, named with file and
place. Only 0 lets a tag through.

\b
The everyday path:
  gate check --tag 0.71.0          may this tag be cut?
  gate explain LABEL --tag 0.71.0  why is this red?
  gate notes --tag 0.71.0          what do we tell our users?
""")  # fmt: skip
@click.version_option(__version__, prog_name="gate", message="%(prog)s %(version)s")
def gate() -> None:
    """May this tag be cut?

    Run receipts become a graph; SHACL shapes say that a missing cell is a violation, never a skip; the gate refuses the
    tag unless the graph conforms.
    """
