"""The verdict for a terminal, a log and a tired person: the answer, the counts, the causes, what to do next."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from gate import since
from gate.reporting.groups import by_cause
from gate.verdict import DECLAIMED, FAILED, MISSING, PASSED, plain

if TYPE_CHECKING:
    from gate.reporting.groups import Group, Where
    from gate.verdict import Verdict

LOG_WIDTH = 110  # where there is no terminal to ask
MOST_GROUPS = 9
MOST_HOSTS = 3
MOST_NAMES = 3
MOST_REMEDIES = 5

_STYLE = {"violation": "bold red", "warning": "yellow", "info": "cyan"}


def render(verdict: Verdict, *, color: bool | None = None) -> str:
    """Return the verdict as text.

    Args:
        verdict: what to say.
        color: whether to style it; None: where standard output is a terminal that takes it (`NO_COLOR` is heeded).
    """
    terminal = sys.stdout.isatty() if color is None else color
    width = None if sys.stdout.isatty() else LOG_WIDTH
    stream = io.StringIO()
    console = Console(
        file=stream,
        force_terminal=terminal,
        width=width,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )
    _headline(console, verdict)
    _counts(console, verdict)
    groups = by_cause(verdict.findings)
    _causes(console, "Why", [g for g in groups if g.severity == "violation"])
    _causes(console, "Also", [g for g in groups if g.severity != "violation"])
    _declaims(console, verdict)
    _retired(console, verdict)
    _next(console, verdict, groups)
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines()) + "\n"


def _headline(console: Console, verdict: Verdict) -> None:
    if verdict.conforms:
        line = Text.assemble((" CONFORMS ", "bold white on green"), f"  {verdict.tag} may be cut.")
    else:
        line = Text.assemble((" REFUSED ", "bold white on red"), f"  {verdict.tag} must not be cut.")
    console.print(line)
    console.print(Text(f"{plain(verdict.project)} {verdict.version} at commit {verdict.commit}", "dim"))
    if compared := since.words(verdict.ground):
        console.print(Text(f"Compared with {plain(compared)}.", "dim"), overflow="fold")
    console.print()


def _counts(console: Console, verdict: Verdict) -> None:
    states = verdict.states
    cells = Text.assemble(
        (f"{states[PASSED] + states[MISSING] + states[FAILED]} cells owed", "bold"), ": ",
        (f"{states[PASSED]} passed", "green" if states[PASSED] else ""), ", ",
        (f"{states[MISSING]} missing", "bold red" if states[MISSING] else ""), ", ",
        (f"{states[FAILED]} failed", "bold red" if states[FAILED] else ""), "; ",
        (f"{states[DECLAIMED]} de-claimed", "yellow" if states[DECLAIMED] else ""),
        f"; {verdict.refusals} of them owe a refusal" if verdict.refusals else "",
    )  # fmt: skip
    console.print(cells)
    judged = ", ".join(f"{s.id} {s.focus_nodes}" for s in verdict.shapes if s.focus_nodes)
    console.print(
        Text(f"Judged, by shape: {judged}. Receipts: {verdict.receipts}, none signed.", "dim"), overflow="fold"
    )


def _causes(console: Console, title: str, groups: list[Group]) -> None:
    if not groups:
        return
    console.print()
    console.print(Text(title, "bold"))
    for group in groups[:MOST_GROUPS]:
        line = Text.assemble((f"{group.count:>5}", _STYLE[group.severity]), f"  {group.says} ")
        console.print(line.append(f"[{group.shape}: {group.property}, {group.reason}]", "dim"), overflow="fold")
        console.print(Padding(_places(group), (0, 0, 0, 7)))
    if len(groups) > MOST_GROUPS:
        rest_count = sum(group.count for group in groups[MOST_GROUPS:])
        console.print(
            Text(
                f"       and {len(groups) - MOST_GROUPS} more causes with {rest_count} findings: --format json has all"
            )
        )


def _places(group: Group) -> Text | Table:
    """Return where a cause rejects: the one thing that it names, or its hosts and what they name."""
    if group.count == 1:
        detail = group.example.message.removeprefix(group.says).strip()
        return Text(f"{group.example.focus} {detail}".strip())
    return places(group.where)


def places(found: tuple[Where, ...]) -> Table:
    """Return a table of hosts with their counts and names, the first few of each."""
    table = Table.grid(padding=(0, 2))
    for where in found[:MOST_HOSTS]:
        if where.host is None:
            table.add_row(Text(_names(where)))
        else:
            table.add_row(Text(where.host), Text(str(where.count)), Text(_names(where)))
    rest = found[MOST_HOSTS:]
    if rest:
        table.add_row(Text("others"), Text(str(sum(where.count for where in rest))), Text(f"on {len(rest)} more hosts"))
    return table


def _names(where: Where) -> str:
    shown = [f"{name} ({count})" if count > 1 else name for name, count in where.names[:MOST_NAMES]]
    rest = where.names[MOST_NAMES:]
    if len(rest) == 1:  # naming it takes no more room than counting it
        name, count = rest[0]
        shown, rest = [*shown, f"{name} ({count})" if count > 1 else name], ()
    return ", ".join(shown) + (f", and {len(rest)} more" if rest else "")


def _declaims(console: Console, verdict: Verdict) -> None:
    if not verdict.declaimed:
        return
    console.print()
    console.print(Text("Withdrawn, and named in the notes", "bold"))
    for declaim in verdict.declaimed:
        ticket = f" (#{declaim.issue})" if declaim.issue else ""
        until = f", until {declaim.until}" if declaim.until else ""
        console.print(
            Text(f"{len(declaim.covered):>5}  {declaim.id}{ticket}{until}: {plain(declaim.why or '')}"), overflow="fold"
        )


def _retired(console: Console, verdict: Verdict) -> None:
    if not verdict.retired:
        return
    console.print()
    console.print(Text("Given up for good", "bold"))
    for retired in verdict.retired:
        ticket = f" (#{retired.issue})" if retired.issue else ""
        console.print(
            Text(f"{len(retired.things):>5}  {retired.id}{ticket}: {plain(retired.why or '')}"), overflow="fold"
        )
        names = [plain(name) for name in retired.things[:MOST_NAMES]]
        more = len(retired.things) - MOST_NAMES
        listed = ", ".join(names) + (f", and {more} more" if more > 0 else "")
        console.print(Padding(Text(listed), (0, 0, 0, 7)))


def _next(console: Console, verdict: Verdict, groups: list[Group]) -> None:
    console.print()
    console.print(Text("Next", "bold"))
    if verdict.conforms:
        console.print(Text(f"    Cut the tag; gate notes --tag {verdict.tag} renders what to tell the users."))
        return
    remedies = list(dict.fromkeys(g.remedy for g in groups if g.severity == "violation" and g.remedy))
    for number, remedy in enumerate(remedies[:MOST_REMEDIES], start=1):
        console.print(Padding(Text(f"{number}. {remedy}"), (0, 0, 0, 4)))
    if len(remedies) > MOST_REMEDIES:
        console.print(
            Text(f"    and {len(remedies) - MOST_REMEDIES} more steps, which the check names once these are done")
        )
    red = next((c.label for c in verdict.cells if c.state == FAILED), None)
    red = red or next((c.label for c in verdict.cells if c.state == MISSING), None)
    if red is not None:
        from shlex import quote

        console.print(Text(f"    gate explain {quote(red)} --tag {verdict.tag}"), soft_wrap=True)
