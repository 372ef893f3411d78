"""What the commands share that render a page of a release: its format, where it goes, and whether it still holds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gate.cli.options import Once, emit, output, progress, refuse_input, release
from gate.errors import CallersError

if TYPE_CHECKING:
    from collections.abc import Callable

    from gate.check import Request
    from gate.reporting.changes import Changes
    from gate.verdict import Verdict


def page(what: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a command that renders `what` its options: those of a release, `--format`, `--output` and `--check`."""

    def options(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in (
            click.option("--check", "committed", cls=Once, type=click.Path(path_type=Path), metavar="FILE",
                         help=f"Write nothing; say whether FILE is {what} as they would be rendered now."),
            output(what),
            click.option("--format", "form", cls=Once, type=click.Choice(["md", "html"]),
                         help="Without it: html where FILE ends in .html, else md."),
        ):  # fmt: skip
            command = option(command)
        return release(command)

    return options


def deliver(name: str, request: Request, form: str | None, output: Path | None, committed: Path | None) -> int:
    """Render a page and write it, or compare it with the one that is committed.

    Args:
        name: the page: `notes` or `known-issues`.
        request: the release.
        form: the format; None: what the file's name says.
        output: where to write it; None: to standard output.
        committed: what to compare it with; None: it is written.

    Returns:
        The exit code: the verdict's; or, where a page is compared, 0 if it says exactly what would be rendered now.

    Raises:
        CallersError: a file can't be read or written, or a template of the project's own can't be taken.
    """
    from gate.check import check
    from gate.files import decode, read_input
    from gate.reporting import pages, templates
    from gate.reporting.committed import difference

    if output is not None and committed is not None:
        raise CallersError("--check: it writes nothing, and --output says where to write; give one of them")
    held = decode(read_input(committed, str(committed))) if committed is not None else None
    own = templates.read(request.rules.parent / templates.FOLDER)
    with progress() as stage:
        verdict = check(request, stage=stage)
        changes = _changes(verdict) if name == pages.NOTES else None
        stage("rendering the page")
        refuse_input(output, verdict.ledger, [*verdict.read, *(file.path for file in own.own)], request)
        page = pages.render(name, form or pages.form_of(output or committed), verdict, own, changes)
    if held is None:
        emit(page, output)
        return verdict.exit_code
    told = difference(held, page, str(committed))
    refused = "" if verdict.conforms else f" {verdict.tag} is refused all the same."
    emit(told or f"{committed} says what would be rendered now.{refused}\n", None)
    return 1 if told else 0


def _changes(verdict: Verdict) -> Changes | str | None:
    """Return what changed since the release before; why it can't be said; or None, where there is none before."""
    from gate import check
    from gate.comparison import compare
    from gate.errors import GateError
    from gate.findings import plain
    from gate.reporting import changes

    try:
        before = check.before(verdict)
    except GateError as error:
        return plain(str(error))
    return changes.of(compare(before, verdict)) if before is not None else None
