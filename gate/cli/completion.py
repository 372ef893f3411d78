"""`gate completion`, and the completing itself.

The scripts are click's own. They run `gate` without arguments and with a variable that says what is asked; only then is
it heeded, so that one left in the environment never answers in place of a verdict.
"""

from __future__ import annotations

import os

import click

VARIABLE = "_GATE_COMPLETE"
SHELLS = ("bash", "zsh", "fish")


@click.command(epilog="""\b
Examples:
  eval "$(gate completion bash)"                                   in ~/.bashrc
  eval "$(gate completion zsh)"                                    in ~/.zshrc
  gate completion fish > ~/.config/fish/completions/gate.fish

Commands, options and their words are completed; --tag from the ledger's releases and the tags of git, --host from the
rules.
""")  # fmt: skip
@click.argument("shell", metavar="SHELL", type=click.Choice(SHELLS))
def command(shell: str) -> int:
    """Print the script that completes words in SHELL: bash, zsh or fish."""
    from click.shell_completion import ShellComplete, get_completion_class

    from gate.cli import gate
    from gate.cli.options import emit

    found = get_completion_class(shell)
    if found is None:
        raise click.UsageError(f"click completes nothing in {shell}")
    # The base class's method: that of bash starts the bash of this machine, to see whether it is too old.
    emit(ShellComplete.source(found(gate, {}, "gate", VARIABLE)), None)
    return 0


def complete() -> bool:
    """Print what may stand for the word that is typed, where a shell asks for it; say whether one does.

    A failure prints nothing: its words would land in the line that is typed.
    """
    from click.shell_completion import get_completion_class

    from gate.cli import gate
    from gate.cli.options import emit

    shell, _, asked = os.environ[VARIABLE].partition("_")
    found = get_completion_class(shell) if shell in SHELLS and asked == "complete" else None
    if found is None:
        return False
    try:
        emit(found(gate, {}, "gate", VARIABLE).complete() + "\n", None)
    except Exception:  # noqa: BLE001 - nobody is there to be told
        return True
    return True
