"""`gate tickets`."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gate.cli.options import Moment, Once, emit

if TYPE_CHECKING:
    from collections.abc import Callable

    from gate.ledger.ticket_import import Place
    from gate.rules import Rules


@click.group(epilog="""\b
Examples:
  gh issue list --state all --limit 100000 \\
    --json number,title,state,stateReason,milestone,labels,assignees,url > issues.json
  gate tickets import issues.json master.md --tag 0.71.0
  gate tickets status --tag 0.71.0
  gate tickets prove 4346 --tag 0.71.0 --test dogfood/fmt
""")  # fmt: skip
def command() -> None:
    """The tickets of a release.

    Where a release has tickets, every decision's ticket must be open and planned for the release that ends it, a row of
    a master ticket is done only with evidence, and an open P0 on the release's milestone blocks.
    """


def _release(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options `--tag` and `--rules`, handed to it as they are given."""
    for option in (
        click.option("--rules", "rules_file", cls=Once, type=click.Path(path_type=Path), default=Path("gate.toml"),
                     show_default=True, metavar="FILE", help="The rules; the ledger is relative to their folder."),
        click.option("--tag", cls=Once, required=True, metavar="TAG", help="The release: v0.71.0 or 0.71.0."),
    ):  # fmt: skip
        function = option(function)
    return function


def _place(rules_file: Path, tag: str) -> tuple[Rules, Place]:
    """Return the rules, and where the tickets of the release are.

    Raises:
        CallersError: the rules can't be taken, or the tag is none of this project's.
    """
    from gate import rules, versions
    from gate.errors import CallersError
    from gate.ledger.ticket_import import Place

    found = rules.read(rules_file)
    try:
        version = versions.version_of_tag(tag, found.document.project.tag)
    except ValueError as error:
        raise CallersError(f"--tag: {error}") from None
    shown = f"{found.document.project.ledger}/{version}"
    return found, Place(version, found.folder / shown, shown)


def _there(place: Place) -> dict[str, Any]:
    from gate.errors import CallersError
    from gate.ledger.ticket_import import existing

    document = existing(place)
    if document is None:
        raise CallersError(f"{place.name}: there is no such file\n  Import the tickets first: gate tickets import.")
    return document


def _write(place: Place, document: dict[str, Any]) -> None:
    """Write the tickets, whole or not at all; what is written can be read back, or nothing is written."""
    from gate import strict_json
    from gate.errors import CallersError
    from gate.files import InputFile, write_whole
    from gate.ledger import tickets

    text = strict_json.written(document)
    tickets.read(InputFile(place.name, "", b""), strict_json.parse(text, place.name))
    try:
        place.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CallersError(f"{place.folder}: the folder can't be made: {error.strerror}") from None
    write_whole(place.file, text.encode("utf-8"))


@command.command(name="import", epilog="""\b
Examples:
  gate tickets import issues.json --tag 0.71.0
  gate tickets import issues.json master.md --tag 0.71.0 --afresh

\b
Forms:
  gh      gh issue list --state all --limit 100000 \\
            --json number,title,state,stateReason,milestone,labels,assignees,url
  rest    the JSON of GitHub's REST interface: one issue, or a list
  master  a master ticket in Markdown or plain text, each row
            - title #4346 — text — done when: … (branch: …)

A ticket that two sources know has what both say. Where they contradict each other, nothing is written.
""")  # fmt: skip
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@_release
@click.option("--form", cls=Once, type=click.Choice(["gh", "rest", "master"]),
              help="How each FILE is read. [default: as its content shows]")  # fmt: skip
@click.option("--afresh", is_flag=True, help="Forget what earlier imports said. Evidence of tickets still named stays.")
@click.option("--imported-at", cls=Once, type=Moment(), metavar="TIME", help="When, with its zone. [default: now]")
def import_(
    files: tuple[Path, ...], tag: str, rules_file: Path, form: str | None, *, afresh: bool,
    imported_at: datetime.datetime | None,
) -> int:  # fmt: skip
    """Read tickets into tickets.json, beside the receipts of the release.

    Bodies and other fields are let go; what is left out is counted and named.
    """
    from gate.ledger import ticket_import

    rules, place = _place(rules_file, tag)
    before = ticket_import.existing(place)
    repository = rules.document.project.repository
    sources = [ticket_import.read(file, form, repository, place) for file in files]
    moment = (imported_at or datetime.datetime.now(datetime.UTC)).isoformat(timespec="seconds").replace("+00:00", "Z")
    document, dropped = ticket_import.combined(place, before, sources, moment, afresh=afresh)
    _write(place, document)
    emit(ticket_import.told(place, document, sources, dropped), None)
    return 0


@command.command(epilog="""\b
Examples:
  gate tickets status --tag 0.71.0
  gate tickets status --tag 0.71.0 --format markdown --output TICKETS.md

It shows and doesn't judge: gate check does.
""")  # fmt: skip
@_release
@click.option("--format", "form", cls=Once, type=click.Choice(["text", "json", "markdown"]), default="text",
              show_default=True, help="All three say the same.")  # fmt: skip
@click.option("--output", cls=Once, type=click.Path(path_type=Path), metavar="FILE",
              help="Write the table to FILE, whole or not at all.")  # fmt: skip
def status(tag: str, rules_file: Path, form: str, output: Path | None) -> int:
    """Show every ticket: how it stands, who has it, when it is done, what shows it, which decision names it."""
    from gate import decisions, strict_json
    from gate.errors import CallersError
    from gate.files import read_input
    from gate.ledger import tickets
    from gate.reporting.tickets import lines, render

    rules, place = _place(rules_file, tag)
    _there(place)
    file = read_input(place.file, place.name)
    found = tickets.read(file, strict_json.parse_file(file))
    ledger = (rules.folder / rules.document.project.ledger).resolve()
    if output is not None and ledger in output.resolve().parents:
        raise CallersError(f"--output: {output} lies in the ledger, where the next check would read it")
    emit(render(found, lines(found, decisions.read(rules).document), form), output)
    return 0


@command.command(epilog="""\b
Examples:
  gate tickets prove 4346 --tag 0.71.0 --test dogfood/fmt
  gate tickets prove 4665 --tag 0.71.0 --receipt receipts/0.71.0/runs-gx10.jsonl
  gate tickets prove 5119 --tag 0.71.0 --not-reproduced receipts/0.71.0/logs/5119.txt

The sha256 that the file has now is written down with it. gate check judges what it shows.
""")  # fmt: skip
@click.argument("number", type=click.IntRange(min=1, max=2**31 - 1), metavar="NUMBER")
@_release
@click.option("--test", cls=Once, metavar="SUITE/ROW", help="A row of a suite, which passed in this release's receipt.")
@click.option("--receipt", cls=Once, type=click.Path(path_type=Path), metavar="PATH", help="A receipt of this release.")
@click.option("--not-reproduced", cls=Once, type=click.Path(path_type=Path), metavar="PATH",
              help="A file in the release's folder that shows that it no longer reproduces.")  # fmt: skip
@click.option("--only", is_flag=True, help="Forget what was said to show it before.")
def prove(
    number: int, tag: str, rules_file: Path, test: str | None, receipt: Path | None, not_reproduced: Path | None, *,
    only: bool,
) -> int:  # fmt: skip
    """Say what shows that a ticket is done: a test, a receipt, or that it no longer reproduces.

    Exactly one of the three is given; another call adds another one, and each of them must hold.
    """
    from gate.ledger import ticket_import, ticket_proofs

    if sum(given is not None for given in (test, receipt, not_reproduced)) != 1:
        raise click.UsageError("give one of --test, --receipt and --not-reproduced")
    _, place = _place(rules_file, tag)
    document = _there(place)
    if test is not None:
        proof = ticket_proofs.of_test(test)
    elif receipt is not None:
        proof = ticket_proofs.of_file(ticket_proofs.RECEIPT, receipt, place.folder)
    else:
        proof = ticket_proofs.of_file(ticket_proofs.NOT_REPRODUCED, not_reproduced or Path(), place.folder)
    changed = ticket_import.proved(place, document, number, proof, only=only)
    _write(place, changed)
    entry = next(entry for entry in changed["tickets"] if entry["number"] == number)
    emit(ticket_import.told_proofs(place, entry), None)
    return 0
