"""The options that every command about a release has, and what they mean."""

from __future__ import annotations

import contextlib
import datetime
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gate import streams
from gate.errors import CallersError
from gate.files import write_whole
from gate.reporting.formats import is_one_of_ours

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from click.shell_completion import CompletionItem

    from gate.check import Request


_MOST = 20  # kinds of things left out that are named on the terminal

# Where the rows of each native receipt stand that the gate itself writes, and what one of them is called.
_ROWS = {
    "taggate/run-receipt/v1": ("runs", "run"),
    "taggate/inventory-receipt/v1": ("models", "file"),
    "taggate/suite-receipt/v1": ("rows", "check"),
    "taggate/parity-receipt/v1": ("rows", "prompt"),
    "taggate/performance-receipt/v1": ("rows", "figure"),
}

DEFAULT_RULES = Path("gate.toml")


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
        try:
            return moment.astimezone(datetime.UTC)
        except OverflowError:
            self.fail(f"{value!r} lies beyond the calendar", param, ctx)


class Once(click.Option):
    """An option that may be given once: the last of two would silently win, and the log would show the first."""

    def __init__(self, *arguments: Any, **attributes: Any) -> None:
        default = attributes.pop("default", None)
        attributes |= {"multiple": True, "default": None if default is None else [default]}
        super().__init__(*arguments, **attributes)

    def process_value(self, ctx: click.Context, value: Any) -> Any:
        """Return the one value, or None."""
        found = super().process_value(ctx, value) or ()
        if len(found) > 1:
            raise click.BadParameter(f"it is given {len(found)} times, and once is right", ctx, self)
        return found[0] if found else None

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        """Return what a shell offers for the option's value: for `--tag` and `--host`, what the rules know."""
        offered = _offered(self.name or "", ctx, incomplete)
        return super().shell_complete(ctx, incomplete) if offered is None else offered


def offer_tags(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """Return what a shell offers for an argument that is a tag."""
    return _offered("tag", ctx, incomplete) or []


def _offered(name: str, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]] | None:
    from click.shell_completion import CompletionItem

    from gate.cli import suggestions

    suggest = suggestions.OF.get(name)
    if suggest is None:
        return None
    return [CompletionItem(text) for text in suggest(ctx.params.get("rules") or DEFAULT_RULES, incomplete)]


_VERBOSE = "gate.verbose"  # where a command's context keeps it


def _note_verbose(context: click.Context, _: click.Parameter, value: bool) -> None:  # noqa: FBT001 - as click calls it
    context.meta[_VERBOSE] = value


# For every command that shows its `progress`.
verbose = click.option("--verbose", "-v", is_flag=True, expose_value=False, callback=_note_verbose,
                       help="Say on standard error how long each stage took.")  # fmt: skip


def cached(command: Callable[..., Any]) -> Callable[..., Any]:
    """Have `command` use what earlier runs derived, and give it the option `--no-cache` not to.

    For those that show a verdict. What cuts a tag, or lets one through, takes nobody's word: it derives everything.
    """

    def run(*, no_cache: bool, **given: Any) -> Any:
        from gate import cache

        with cache.used(None if no_cache else cache.of_user()):
            return command(**given)

    run.__doc__ = command.__doc__
    run.__dict__.update(command.__dict__)
    return click.option(
        "--no-cache", is_flag=True, help="Take nothing from the cache; derive everything again. It says the same."
    )(run)


def release(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give `command` the options `--tag`, `--commit`, `--rules` and `--now`, handed to it as one `request`.

    And `--verbose`, which `progress` heeds, and `--no-cache`.
    """

    def ask(tag: str, commit: str | None, rules: Path, now: datetime.datetime | None, **others: Any) -> Any:
        from gate.check import Request

        return command(request=Request(rules, tag, commit, now), **others)

    ask.__doc__ = command.__doc__
    ask.__dict__.update(command.__dict__)
    for option in (
        cached,
        verbose,
        click.option("--now", cls=Once, type=Moment(), metavar="TIME", help="Judge as of this time, with its zone. "
                     "Never before the newest receipt."),
        click.option("--rules", cls=Once, type=click.Path(path_type=Path), default=DEFAULT_RULES, show_default=True,
                     metavar="FILE", help="The rules; all other paths are relative to their folder."),
        click.option("--commit", cls=Once, metavar="SHA", help="The full commit that is judged. Without it: git's tag, "
                     "else the release's release.toml. All that are there must agree."),
        click.option("--tag", cls=Once, required=True, metavar="TAG",
                     help="The tag that asks to be cut: v0.71.0 or 0.71.0."),
    ):  # fmt: skip
        ask = option(ask)
    return ask


def output(what: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a command the option `--output`, which writes `what` to a file."""
    return click.option(
        "--output", cls=Once, type=click.Path(path_type=Path), metavar="FILE",
        help=f"Write {what} to FILE, whole or not at all.",
    )  # fmt: skip


def forget_earlier(file: Path | None) -> None:
    """Remove an earlier run's verdict: where this run ends without one, nobody must take it for this one's.

    Raises:
        CallersError: it can't be read or removed.
    """
    if file is None or not file.is_file() or file.is_symlink():
        return
    try:
        with file.open("rb") as stream:
            begins = stream.read(1024)
        if is_one_of_ours(begins):
            file.unlink()
    except OSError as error:
        raise CallersError(f"{file}: it can't be written: {error.strerror}") from None


def refuse_input(
    file: Path | None, ledger: str, inputs: Iterable[str], request: Request, option: str = "--output"
) -> None:
    """Refuse to write over what was judged, or where the next check would read it: into the ledger, or the shapes.

    Args:
        file: what is to be written; None: nothing.
        ledger: the folder of all releases, relative to the rules' folder, as the inputs are.
        inputs: the paths of everything that was read.
        request: it knows the rules' folder.
        option: what names the file.

    Raises:
        CallersError: `file` is such a place.
    """
    from gate.shape_files import FOLDER

    if file is None:
        return
    folder = request.rules.parent.resolve()
    target = file.resolve()
    read = [(folder / name).resolve() for name in (ledger, FOLDER)]
    if any(place in target.parents for place in read) or any(target == (folder / path).resolve() for path in inputs):
        raise CallersError(
            f"{option}: {file} is an input of the check, or lies in the ledger or among the shapes; write elsewhere"
        )


@contextlib.contextmanager
def progress(*, quiet: bool = False) -> Iterator[Callable[[str], None]]:
    """Yield what is told each stage as it begins; it shows them where a person watches, and says nothing into a log.

    Args:
        quiet: say nothing to a person either.

    Raises:
        UsageError: `--verbose` is given, too.
    """
    context = click.get_current_context(silent=True)
    if context is not None and context.meta.get(_VERBOSE, False):
        if quiet:
            raise click.UsageError("--quiet and --verbose contradict each other; give one of them")
        yield from _timed()
        return
    if quiet or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console

    with Console(stderr=True).status("starting") as status:
        yield lambda stage: status.update(f"{stage} …")


def _timed() -> Iterator[Callable[[str], None]]:
    """Yield what says a stage with the time that it took, once the next one begins or all end."""
    begun: list[tuple[str, float]] = []

    def end() -> None:
        if begun:
            stage, since = begun.pop()
            with contextlib.suppress(OSError):  # nobody hears it, and the verdict doesn't hang on it
                click.echo(f"gate: {time.monotonic() - since:6.2f} s  {stage}", err=True)

    def begin(stage: str) -> None:
        end()
        begun.append((stage, time.monotonic()))

    try:
        yield begin
    finally:
        end()


def announce(output: Path, document: Mapping[str, Any]) -> None:
    """Say on standard error what a native receipt that was written holds, and what its writer left out.

    Args:
        output: where it was written.
        document: the receipt.
    """
    from gate.findings import plain

    key, one = _ROWS[document["schema"]]
    count = len(document[key])
    lines = [f"gate: {output} is written: {document['schema']}, {count} {one if count == 1 else f'{one}s'}"]
    left_out = [f"{plain(name)} ({number})" for name, number in sorted(document.get("left_out", {}).items())]
    if len(left_out) > _MOST:
        left_out[_MOST:] = [f"and {len(left_out) - _MOST} more kinds, which the receipt names"]
    lines += [f"  left out: {', '.join(left_out)}"] if left_out else []
    contradictions = len(document.get("contradictions", ()))
    lines += [f"  contradictions that the receipt names: {contradictions}"] if contradictions else []
    with contextlib.suppress(OSError):  # what was written is written, whether or not anyone hears of it
        click.echo("\n".join(lines), err=True)


def emit(text: str, output: Path | None) -> None:
    """Write `text` to the file `output`, whole or not at all, or to standard output.

    Raises:
        CallersError: the file, or standard output, can't be written.
    """
    if output is not None:
        write_whole(output, text.encode("utf-8"))
        return
    streams.say(text)
