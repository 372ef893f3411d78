"""The options that every command about a release has, and what they mean."""

from __future__ import annotations

import contextlib
import datetime
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gate.check import Request
from gate.errors import CallersError
from gate.files import write_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Command = "Callable[..., int | None]"


class Moment(click.ParamType[datetime.datetime]):
    """A moment with a time zone."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime.datetime:
        """Return the moment that `value` spells; one without a zone is refused."""
        try:
            moment = datetime.datetime.fromisoformat(str(value))
        except ValueError:
            self.fail(f"{value!r} is not a time such as 2026-10-12T09:00:00Z", param, ctx)
        if moment.tzinfo is None:
            self.fail(f"{value!r} has no time zone; end it with Z or +02:00", param, ctx)
        return moment


def release(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give `command` the options `--tag`, `--commit`, `--rules` and `--now`, handed to it as one `request`."""

    def ask(tag: str, commit: str | None, rules: Path, now: datetime.datetime | None, **others: Any) -> Any:
        return command(request=Request(rules, tag, commit, now), **others)

    ask.__doc__ = command.__doc__
    ask.__dict__.update(command.__dict__)
    for option in (
        click.option("--now", type=Moment(), metavar="TIME", help="Judge as of this time, with its zone. "
                     "Never before the newest receipt."),
        click.option("--rules", type=click.Path(path_type=Path), default=Path("gate.toml"), show_default=True,
                     metavar="FILE", help="The rules; all other paths are relative to their folder."),
        click.option("--commit", metavar="SHA", help="The full commit that is judged. Without it: git's tag, else the "
                     "release's release.toml. All that are there must agree."),
        click.option("--tag", required=True, metavar="TAG", help="The tag that asks to be cut: v0.71.0 or 0.71.0."),
    ):  # fmt: skip
        ask = option(ask)
    return ask


@contextlib.contextmanager
def progress() -> Iterator[Callable[[str], None]]:
    """Yield what is told each stage; it shows them where a person watches, and says nothing into a log."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console

    with Console(stderr=True).status("starting") as status:
        yield lambda stage: status.update(f"{stage} …")


def emit(text: str, output: Path | None) -> None:
    """Write `text` to the file `output`, whole or not at all, or to standard output.

    Raises:
        CallersError: the file, or standard output, can't be written.
    """
    if output is not None:
        write_whole(output, text.encode("utf-8"))
        return
    try:
        sys.stdout.buffer.write(text.encode("utf-8"))
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # The reader has gone; the exit code still says what was found.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        raise CallersError(f"standard output can't be written: {error.strerror}") from None
