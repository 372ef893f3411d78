"""`--format` and `--artifact`: which formats a check renders, and where each of them goes."""

from __future__ import annotations

import contextlib
import difflib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gate.cli.options import emit
from gate.errors import CallersError, visible
from gate.reporting.formats import FORMATS, NEEDS_ARTIFACTS, Artifact

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click.shell_completion import CompletionItem


@dataclass(frozen=True, slots=True)
class Target:
    """A format, and the file that it is written to; None: standard output."""

    form: str
    file: Path | None = None


class FormatType(click.ParamType[Target]):
    """`FORMAT`, or `FORMAT=FILE`."""

    name = "format"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Target:
        """Return what `value` asks for."""
        if isinstance(value, Target):
            return value
        form, equals, file = str(value).partition("=")
        if form not in FORMATS:
            near = difflib.get_close_matches(form, FORMATS, n=1)
            hint = f"did you mean {near[0]}? " if near else ""
            self.fail(f"{form!r} is no format; {hint}Known: {', '.join(FORMATS)}", param, ctx)
        if equals and file in {"", "-"}:
            self.fail(f"{value!r} names no file; write {form}=FILE, or {form} alone for standard output", param, ctx)
        return Target(form, Path(file) if equals else None)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002
        """Return the formats that begin so."""
        from click.shell_completion import CompletionItem

        return [CompletionItem(name, help=form.says) for name, form in FORMATS.items() if name.startswith(incomplete)]


def targets(asked: Sequence[Target], output: Path | None, shipped: Sequence[Path]) -> list[Target]:
    """Return every target: the files first, then what standard output gets.

    One format may be bare; without any, that is the text. It goes to `output` where that is given, and the text to
    standard output, so that a log still has what a person reads.

    Args:
        asked: what `--format` asks for.
        output: what `--output` names.
        shipped: what `--artifact` names. Only one format has a use for artifacts, and it needs one.

    Raises:
        CallersError: two formats are bare, two of all these files are one, or artifacts and formats don't match.
    """
    bare = [target.form for target in asked if target.file is None]
    if len(bare) > 1:
        raise CallersError(
            f"--format: {' and '.join(bare)} would both go to standard output\n  Write all but one as FORMAT=FILE."
        )
    form = bare[0] if bare else "text"
    files = [target for target in asked if target.file is not None]
    if output is not None:
        files, form = [*files, Target(form, output)], "text"
    wanted = [*files, Target(form)]
    needed = any(target.form == NEEDS_ARTIFACTS for target in wanted)
    if needed and not shipped:
        raise CallersError(f"--format {NEEDS_ARTIFACTS}: name each file that the release ships with --artifact FILE")
    if shipped and not needed:
        raise CallersError(f"--artifact: only --format {NEEDS_ARTIFACTS} has a use for it")
    _refuse_shared([target.file for target in files if target.file is not None], shipped)
    return wanted


def _refuse_shared(files: Sequence[Path], shipped: Sequence[Path]) -> None:
    ships = Counter(map(_resolved, shipped))
    written = Counter(map(_resolved, files))
    for file in shipped:
        if ships[_resolved(file)] > 1:
            raise CallersError(f"--artifact: {visible(str(file))} is given more than once")
    for file in files:
        if written[_resolved(file)] > 1:
            raise CallersError(f"--format: {visible(str(file))} would be written twice; give each format its own file")
        if _resolved(file) in ships:
            raise CallersError(f"--format: {visible(str(file))} is an artifact; write elsewhere")


def _resolved(file: Path) -> Path:
    try:
        return file.resolve()
    except (OSError, RuntimeError):  # a loop: RuntimeError until Python 3.12
        raise CallersError(f"{visible(str(file))}: it is a symbolic link to itself") from None


def artifacts(shipped: Sequence[Path]) -> tuple[Artifact, ...]:
    """Return what the release ships, each with its digest: named by its file's name, or by its path where two share it.

    Raises:
        BadFile: one can't be read.
    """
    from gate.files import digest

    names = Counter(file.name for file in shipped)
    return tuple(
        Artifact(file.name if names[file.name] == 1 else file.as_posix(), digest(file, str(file))) for file in shipped
    )


def publish(rendered: Sequence[tuple[Target, str]]) -> None:
    """Write each text to its target: all of them, or none where one can't be written.

    Raises:
        CallersError: one can't be written. The files that were are removed: this run has no verdict.
    """
    written: list[Path] = []
    try:
        for target, text in rendered:
            emit(text, target.file)
            if target.file is not None:
                written.append(target.file)
    except BaseException:
        for file in written:
            if file.is_file():
                with contextlib.suppress(OSError):
                    file.resolve().unlink()
        raise
