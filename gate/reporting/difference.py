"""What changed between two releases, for a terminal and a log: grouped by cause, host and model, as a verdict is."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from rich.padding import Padding
from rich.text import Text

from gate.comparison import (
    CLAIMED_AGAIN,
    FIRST_OWED,
    NEWLY_FAILING,
    NEWLY_MISSING,
    NEWLY_PASSING,
    NO_LONGER_OWED,
)  # fmt: skip
from gate.findings import plain
from gate.reporting.groups import by_place
from gate.reporting.terminal import page, printed
from gate.reporting.text import places
from gate.states import DECLAIMED, FAILED, KNOWN, MISSING, PASSED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console

    from gate.comparison import Change, Decision, Difference
    from gate.findings import Finding
    from gate.obligations.thing import Thing
    from gate.verdict import Verdict

_STYLE = {NEWLY_FAILING: "bold red", NEWLY_MISSING: "bold red", NEWLY_PASSING: "green", NO_LONGER_OWED: "yellow"}
_MOST = 12  # of things, findings or decisions in one list: the JSON has all


def as_json(difference: Difference) -> str:
    """Return the difference as a JSON document that ends in a line break."""
    return json.dumps(difference.to_json(), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def render(difference: Difference, *, color: bool | None = None) -> str:
    """Return the difference as text.

    Args:
        difference: what to say.
        color: whether to style it; None: where it is wanted (`terminal.page`).
    """
    console = page(color=color)
    before, after = difference.before, difference.after
    console.print(Text(f"{plain(after.project)}: {before.version} → {after.version}", "bold"))
    for verdict in (before, after):
        console.print(Text(_stands(verdict)), overflow="fold")
    if difference.nothing:
        console.print(Text("\nNothing differs."))
    _changes(console, difference)
    _things(console, "Added", difference.added)
    _things(console, "Withdrawn", difference.withdrawn)
    _findings(console, "Newly red", difference.new_findings)
    _findings(console, "No longer red", difference.gone_findings)
    _decisions(console, "Decisions added", difference.decisions_added)
    _decisions(console, "Decisions ended", difference.decisions_ended)
    _decisions(console, "Decisions changed", difference.decisions_changed)
    return printed(console)


def _stands(verdict: Verdict) -> str:
    states, origin = verdict.states, verdict.ground.origin
    owed = states[PASSED] + states[MISSING] + states[FAILED] + states[KNOWN]
    because = origin.because if origin is not None else None
    rules = f" By today's rules, because {plain(because)}." if because is not None else ""
    return (
        f"{verdict.version} {'conforms' if verdict.conforms else 'is refused'}: {owed} cells owed, "
        f"{states[PASSED]} passed, {states[MISSING]} missing, {states[FAILED] + states[KNOWN]} failed; "
        f"{states[DECLAIMED]} de-claimed.{rules}"
    )


def _changes(console: Console, difference: Difference) -> None:
    if not difference.changes:
        return
    _title(console, "Cells, kernels and tensor shapes")
    for kind, changes in difference.by_change.items():
        ways: dict[str, list[Change]] = {}
        for change in changes:
            ways.setdefault(_words(change), []).append(change)
        for words, members in ways.items():
            console.print(Text.assemble((f"{len(members):>5}", _STYLE.get(kind, "bold")), f"  {words}"))
            found = by_place((c.about.host, c.about.model or c.label) for c in members)
            console.print(Padding(places(found), (0, 0, 0, 7)))
    unchanged = ", ".join(f"{count} {state}" for state, count in difference.unchanged.items())
    console.print(Text(f"       unchanged: {unchanged or 'none'}", "dim"))


def _words(change: Change) -> str:
    """Return what a change is called, and how the cell stands where that doesn't say it."""
    if change.change in {FIRST_OWED, CLAIMED_AGAIN}:
        return f"{change.change}, and {change.after}"
    return f"{change.change}; it was {change.before}" if change.change == NO_LONGER_OWED else change.change


def _things(console: Console, title: str, things: Iterable[Thing]) -> None:
    lines = []
    for thing in things:
        where = f" on {', '.join(thing.hosts)}" if thing.hosts else ""
        cells = f"; {thing.cells} cells" if thing.cells else ""
        lines.append(f"{plain(thing.label)}{where}: {plain(thing.was)} → {plain(thing.now)}{cells}")
    _list(console, title, lines)


def _findings(console: Console, title: str, findings: Iterable[Finding]) -> None:
    _list(console, title, [f"{plain(f.focus)}: {f.message} [{f.shape}: {f.property}, {f.reason}]" for f in findings])


def _decisions(console: Console, title: str, decisions: Iterable[Decision]) -> None:
    lines = []
    for decision in decisions:
        ticket = f" (#{decision.issue})" if decision.issue else ""
        changes = [f"{key}: {plain(str(was))} → {plain(str(now))}" for key, (was, now) in decision.changed.items()]
        says = "; ".join(changes) or plain(str(decision.says.get("why", "")))
        lines.append(f"{decision.kind} {plain(decision.id)}{ticket}{': ' if says else ''}{says}")
    _list(console, title, lines)


def _list(console: Console, title: str, lines: list[str]) -> None:
    if not lines:
        return
    _title(console, title)
    for line in lines[:_MOST]:
        console.print(Padding(Text(line), (0, 0, 0, 4)))
    if len(lines) > _MOST:
        console.print(Text(f"    and {len(lines) - _MOST} more: --format json has all"))


def _title(console: Console, title: str) -> None:
    console.print()
    console.print(Text(title, "bold"))
