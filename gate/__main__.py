"""The command `gate`, and the promise behind its exit codes: a crash is never a verdict."""

from __future__ import annotations

import contextlib
import gc
import os
import sys
from collections.abc import Sequence  # noqa: TC003 - a signature that readers see

from gate import streams

CONFORMS, REFUSED, DECLINED, CALLERS_ERROR = 0, 1, 2, 3


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command and end the process with 0, 1, 2 or 3 (`docs/exit-codes.md`), whatever happens."""
    # A check builds millions of objects without cycles and ends: collecting costs a quarter of the time at a million
    # cells, and frees nothing.
    gc.disable()
    # A plugin of pydantic's that happens to be installed has no say in what is read. To look for one, pydantic opens
    # the metadata of everything that is.
    os.environ["PYDANTIC_DISABLE_PLUGINS"] = "__all__"
    streams.prepare()
    code = run(list(sys.argv[1:] if arguments is None else arguments))
    streams.let_go()
    # Everything is written and closed. To free a million cells one by one, as Python does at its end, takes seconds.
    os._exit(code)


def run(arguments: list[str]) -> int:
    """Return the exit code of the command with `arguments`."""
    import click

    from gate.cli import gate, help_width
    from gate.errors import GateError

    if not arguments and "_GATE_COMPLETE" in os.environ:
        from gate.cli import completion

        if completion.complete():
            return DECLINED  # no shell asks for the code, and nothing was judged
    try:
        # Not `gate.main`: where the reader has gone it ends with 1, which is a refusal here, and a variable of the
        # environment has it complete words in place of judging.
        with gate.make_context("gate", list(arguments), terminal_width=help_width()) as context:
            code = gate.invoke(context)
    except click.exceptions.Exit as ending:  # --help and --version
        return DECLINED if ending.exit_code else CONFORMS
    except click.ClickException as error:
        with contextlib.suppress(OSError):  # nobody hears it, and the code says it
            error.show()
        return CALLERS_ERROR
    except GateError as error:
        _say(f"gate: {error}")
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        _say("gate: interrupted; nothing was judged")
        return DECLINED
    except BaseException as error:  # noqa: BLE001 - a crash is never a verdict, whatever it is
        return _crashed(error)
    return code if code in {CONFORMS, REFUSED, DECLINED, CALLERS_ERROR} else DECLINED


def _crashed(error: BaseException) -> int:
    import traceback

    from gate import __version__

    where = traceback.extract_tb(error.__traceback__)
    last = f", at {os.path.basename(where[-1].filename)}:{where[-1].lineno}" if where else ""  # noqa: PTH119
    _say(
        f"gate: the gate itself failed, and judged nothing: {type(error).__name__}: {error}\n"
        f"  No tag may be cut on this. Please report it with these lines and the command: taggate {__version__}, "
        f"Python {sys.version.split()[0]}{last}.\n"
        "  GATE_TRACEBACK=1 prints where it happened."
    )
    if os.environ.get("GATE_TRACEBACK"):
        traceback.print_exception(error)
    return DECLINED


def _say(text: str) -> None:
    with contextlib.suppress(OSError):  # nobody hears it, and the code says it
        try:
            sys.stderr.write(text.encode("utf-8", "backslashreplace").decode("utf-8") + "\n")
        except UnicodeError:
            sys.stderr.write(ascii(text) + "\n")


if __name__ == "__main__":
    main()
