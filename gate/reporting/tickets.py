"""The tickets of a release as a table: for a terminal, as Markdown, as JSON. Each says all of what is known."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gate import strict_json
from gate.findings import plain

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Group
    from rich.table import Table as RichTable

    from gate.decisions import DecisionsDocument
    from gate.ledger.rows import Ticket, Tickets

SCHEMA = "taggate/ticket-status/v1"
_ROOM = 80  # columns that a terminal has where the table fits it
UNKNOWN = "—"
NOT_LISTED = "not listed"
_LONGEST = 100_000  # of a text: a table of tickets is where they are read in full


@dataclass(frozen=True, slots=True)
class Line:
    """One ticket of the table: what is known of it (None: no source knows it), and the decisions that name it."""

    number: int
    ticket: Ticket | None
    decisions: tuple[str, ...]

    @property
    def state(self) -> str:
        """How it stands, in words: what the tracker says, and what its row says."""
        found = self.ticket
        if found is None:
            return NOT_LISTED
        plainly = found.state_reason in {None, "completed", "reopened"}
        said = found.state or ""
        said += "" if plainly or not said else f" ({str(found.state_reason).replace('_', ' ')})"
        row = ("row done" if found.said_done else "row open") if found.row else ""
        return ", ".join(part for part in (said, row) if part)

    @property
    def owner(self) -> str:
        """Who has it: its owner, or those whom the tracker assigned it to."""
        return (self.ticket.owner or ", ".join(self.ticket.assignees)) if self.ticket else ""

    @property
    def details(self) -> tuple[tuple[str, str], ...]:
        """What is known beside the columns, each with its name."""
        found = self.ticket
        decisions = ", ".join(self.decisions)
        if found is None:
            return (("named by", decisions),)
        folded = "" if not found.folded else "its row" if found.folded is True else f"#{found.folded}"
        pairs = (
            ("done when", found.done_when or ""),
            ("branch", found.branch or ""),
            ("evidence", ", ".join(map(str, found.evidence))),
            ("folded into", folded),
            ("named by", decisions),
        )
        return tuple((name, value) for name, value in pairs if value)

    def to_json(self) -> dict[str, Any]:
        """Return the ticket as the JSON of the table has it; null: nobody says."""
        found = self.ticket
        known: dict[str, Any] = {"number": self.number, "listed": found is not None}
        if found is not None:
            proofs = [
                {name: value for name in p.__slots__ if (value := getattr(p, name)) is not None} for p in found.evidence
            ]
            known |= {
                "title": found.title or None, "state": found.state, "state_reason": found.state_reason,
                "milestone": found.milestone, "labels": list(found.labels), "assignees": list(found.assignees),
                "priority": found.priority, "owner": found.owner, "row": found.row, "checked": found.checked,
                "done": found.said_done, "folded": found.folded, "done_when": found.done_when, "branch": found.branch,
                "text": found.text, "sources": list(found.sources), "evidence": proofs,
            }  # fmt: skip
        return known | {"decisions": list(self.decisions)}


def lines(tickets: Tickets, decisions: DecisionsDocument) -> list[Line]:
    """Return a line for each ticket that is known, and for each that a decision names, by number."""
    naming: dict[int, list[str]] = {}
    named = [(d.issue, d.id or f"declaim[{i}]") for i, d in enumerate(decisions.declaim)]
    named += [(k.issue, k.id or f"known_failure[{i}]") for i, k in enumerate(decisions.known_failure)]
    for issue, name in named:
        if issue is not None:
            naming.setdefault(issue, []).append(name)
    known = {ticket.number: ticket for ticket in tickets.tickets}
    return [Line(n, known.get(n), tuple(naming.get(n, ()))) for n in sorted(known.keys() | naming.keys())]


def render(tickets: Tickets, found: list[Line], form: str) -> str:
    """Return the table in the form `text`, `markdown` or `json`."""
    if form == "json":
        return _json(tickets, found)
    return _markdown(tickets, found) if form == "markdown" else _text(tickets, found)


def _json(tickets: Tickets, found: Iterable[Line]) -> str:
    moment = tickets.imported_at.isoformat().replace("+00:00", "Z")
    return strict_json.written({
        "schema": SCHEMA, "release": {"version": tickets.version}, "imported_at": moment,
        "left_out": tickets.left_out, "tickets": [line.to_json() for line in found],
    })  # fmt: skip


def _headline(tickets: Tickets, found: list[Line]) -> str:
    still = sum(line.ticket is not None and line.ticket.open for line in found)
    moment = tickets.imported_at.isoformat(timespec="seconds").replace("+00:00", "Z")
    return f"{len(tickets.tickets)} tickets of {tickets.version}, imported {moment}; {still} still to be done"


def _text(tickets: Tickets, found: list[Line]) -> str:
    from rich.padding import Padding
    from rich.text import Text

    from gate.reporting.terminal import page, printed

    console = page()
    console.print(Text(_headline(tickets, found), "bold"))
    for what, count in sorted(tickets.left_out.items()):
        console.print(Padding(Text(f"left out: {plain(what)} ({count})", "dim"), (0, 0, 0, 2)))
    console.print()
    console.print(_table(found) if console.width >= _ROOM else _paragraphs(found))
    return printed(console)


def _columns(line: Line) -> tuple[str, ...]:
    ticket = line.ticket
    known = (ticket.priority, ticket.milestone) if ticket else (None, None)
    return tuple(plain(column or UNKNOWN) for column in (*known, line.owner))


def _said(line: Line) -> list[str]:
    title = plain(line.ticket.title, _LONGEST) if line.ticket else ""
    return [title or UNKNOWN, *(f"{name}: {plain(value, _LONGEST)}" for name, value in line.details)]


def _paragraphs(found: list[Line]) -> Group:
    """Return the tickets one below the other, for a terminal that has no room for a table."""
    from rich.console import Group
    from rich.padding import Padding
    from rich.text import Text

    paragraphs: list[Padding | Text] = []
    for line in found:
        named = zip(("prio", "milestone", "owner"), _columns(line), strict=True)
        known = [f"{name} {value}" for name, value in named if value != UNKNOWN]
        paragraphs.append(Text("; ".join([f"#{line.number}: {plain(line.state)}", *known]), overflow="fold"))
        paragraphs += [Padding(Text(said, overflow="fold"), (0, 0, 0, 2)) for said in _said(line)]
    return Group(*paragraphs)


def _table(found: list[Line]) -> RichTable:
    from rich.table import Table
    from rich.text import Text

    widest = max([5, *(len(str(line.number)) + 1 for line in found)])
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="bold", expand=True)
    for name, width in (("", widest), ("state", 20), ("prio", 4), ("milestone", 11), ("owner", 12)):
        table.add_column(name, width=width, overflow="fold")
    table.add_column("ticket", ratio=1, overflow="fold")
    for line in found:
        state = Text(plain(line.state).replace(", row", "\nrow"))
        others = (Text(column) for column in _columns(line))
        table.add_row(Text(f"#{line.number}"), state, *others, Text("\n".join(_said(line))))
    return table


_COLUMNS = ("ticket", "title", "state", "priority", "owner", "milestone", "done when", "branch", "evidence", "named by")


def _markdown(tickets: Tickets, found: list[Line]) -> str:
    rows = [f"{_cell(_headline(tickets, found))}.", ""]
    rows += [f"- left out: {_cell(what)} ({count})" for what, count in sorted(tickets.left_out.items())]
    rows += [""] if tickets.left_out else []
    rows += [f"| {' | '.join(_COLUMNS)} |", f"|{'---|' * len(_COLUMNS)}"]
    for line in found:
        ticket, details = line.ticket, dict(line.details)
        cells = [
            f"#{line.number}",
            *(ticket.title if ticket else "", line.state, (ticket.priority if ticket else None) or "", line.owner),
            (ticket.milestone if ticket else None) or "",
            *(details.get(name, "") for name in _COLUMNS[6:]),
        ]
        rows.append(f"| {' | '.join(_cell(cell) or UNKNOWN for cell in cells)} |")
    return "\n".join(rows) + "\n"


def _cell(value: str) -> str:
    """Return a stranger's words as a cell: one line, nothing that turns it around, and no markup of any kind."""
    from gate.reporting.markdown import text

    if re.fullmatch(r"#\d+", value):
        return value
    return str(text(plain(value, _LONGEST)))
