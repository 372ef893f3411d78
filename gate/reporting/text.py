"""The verdict for a terminal, a log and a tired person: the answer, the counts, the causes, what to do next."""

from __future__ import annotations

from collections import Counter
from shlex import quote
from typing import TYPE_CHECKING

from rich.padding import Padding
from rich.text import Text

from gate import since
from gate.findings import plain
from gate.reporting import signers
from gate.reporting.groups import by_cause
from gate.reporting.terminal import columns, item, page, printed
from gate.states import DECLAIMED, FAILED, KNOWN, MISSING, PASSED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console
    from rich.table import Table

    from gate.reporting.groups import Group, Where
    from gate.verdict import Verdict
    from gate.withdrawn import Scoped, Told

MOST_GROUPS = 9
MOST_HOSTS = 3
MOST_NAMES = 3
MOST_REMEDIES = 8

_KINDS = {"kernels": "kernels", "conformance": "tensor shapes"}

_STYLE = {"violation": "bold red", "warning": "yellow", "info": "cyan"}


def render(verdict: Verdict, *, color: bool | None = None) -> str:
    """Return the verdict as text.

    Args:
        verdict: what to say.
        color: whether to style it; None: where it is wanted (`terminal.page`).
    """
    console = page(color=color)
    _headline(console, verdict)
    _counts(console, verdict)
    groups = by_cause(verdict.findings)
    _causes(console, "Why", [g for g in groups if g.severity == "violation"])
    _judged(console, verdict)
    _causes(console, "Also", [g for g in groups if g.severity != "violation"])
    _decisions(console, verdict)
    _retired(console, verdict)
    _next(console, verdict, groups)
    return printed(console)


def answer(verdict: Verdict) -> str:
    """Return the answer alone, and the scope that it is given under, if it is."""
    console = page()
    _answer(console, verdict)
    return printed(console)


def _answer(console: Console, verdict: Verdict) -> None:
    if verdict.conforms:
        line = Text.assemble((" CONFORMS ", "bold white on green"), f"  {verdict.tag} may be cut.")
    else:
        line = Text.assemble((" REFUSED ", "bold white on red"), f"  {verdict.tag} must not be cut.")
    console.print(line)
    if verdict.scope is not None:
        console.print(_scope(verdict.scope), overflow="fold")


def _headline(console: Console, verdict: Verdict) -> None:
    _answer(console, verdict)
    console.print(Text(f"{plain(verdict.project)} {verdict.version} at commit {verdict.commit}", "dim"))
    if compared := since.words(verdict.ground):
        console.print(Text(f"Compared with {plain(compared)}.", "dim"), overflow="fold")
    console.print()


def _scope(scope: Scoped) -> Text:
    """Say that a scope narrowed the gate, and whose words allow it."""
    ruling = scope.ruling
    by = ", ".join(filter(None, (ruling.by, ruling.on)))
    left_out = f"{len(scope.outside)} obligations are left out, {len(scope.red_outside)} of them red."
    words = (f"“{plain(ruling.words)}”" if ruling.words else "no words allow it") + (f" ({plain(by)})" if by else "")
    return Text.assemble(
        (f"Under the scope {plain(scope.name)}", "bold yellow"), f": {words}. {left_out}"
    )  # fmt: skip


def _counts(console: Console, verdict: Verdict) -> None:
    cells = _counted("cells", verdict.states)
    console.print(cells.append(f"; {verdict.refusals} of them owe a refusal" if verdict.refusals else ""))
    for kind, found in verdict.kernels.items():
        console.print(_counted(_KINDS[kind], Counter(one.state for one in found)))


def _counted(what: str, states: Counter[str]) -> Text:
    failed = states[FAILED] + states[KNOWN]
    owed = states[PASSED] + states[MISSING] + failed
    return Text.assemble(
        (f"{owed} {what.removesuffix('s') if owed == 1 else what} owed", "bold"), ": ",
        (f"{states[PASSED]} passed", "green" if states[PASSED] else ""), ", ",
        (f"{states[MISSING]} missing", "bold red" if states[MISSING] else ""), ", ",
        (f"{failed} failed", "bold red" if states[FAILED] else "yellow" if failed else ""),
        (f" ({states[KNOWN]} of them known)" if states[KNOWN] else "", "yellow"), "; ",
        (f"{states[DECLAIMED]} de-claimed", "yellow" if states[DECLAIMED] else ""),
    )  # fmt: skip


def _judged(console: Console, verdict: Verdict) -> None:
    """Say how many nodes each shape judged: a cause comes first, and a shape that judged none is not named."""
    console.print()
    judged = ", ".join(f"{s.id} {s.focus_nodes}" for s in verdict.shapes if s.focus_nodes)
    console.print(Text(f"Judged, by shape: {judged}.", "dim"), overflow="fold")
    canaries = verdict.canaries
    console.print(
        Text(f"Canaries: a fault was planted for each of {canaries.constraints} constraints, and seen.", "dim")
    )
    for unplanted in canaries.unplanted:
        said = f"No fault can be planted for {unplanted.parameter} of {plain(unplanted.shape)}: {unplanted.why}."
        console.print(Text(said, "dim"), overflow="fold")
    for shape, because in verdict.whole:
        said = f"On the whole graph, since it can't be judged by classes: {plain(shape)} ({plain(because)})."
        console.print(Text(said, "dim"), overflow="fold")
    console.print(Text(f"Receipts: {signers.receipts(verdict)}.", "dim"), overflow="fold")
    console.print(Text(f"Decisions: {signers.decisions(verdict)}.", "dim"), overflow="fold")


def _causes(console: Console, title: str, groups: list[Group]) -> None:
    if not groups:
        return
    console.print()
    console.print(Text(title, "bold"))
    for group in groups[:MOST_GROUPS]:
        says = Text(f"{group.says} ").append(f"[{group.shape}: {group.property}, {group.reason}]", "dim")
        console.print(item(group.count, says, _STYLE[group.severity]))
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
    table = columns(3)
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


def _decisions(console: Console, verdict: Verdict) -> None:
    """Show what is withdrawn, what is red and known, and what the scope leaves out: each is named in the notes."""
    _section(console, "Withdrawn, and named in the notes", ((len(d.covered), d.told) for d in verdict.declaimed))
    known = ((len(k.rejected), k.told) for k in verdict.known_failures)
    _section(console, "Red and known, and named in the notes", known)
    if verdict.scope is not None and verdict.scope.red_outside:
        console.print()
        console.print(Text("Red outside the scope, and named in the notes", "bold"))
        causes = Counter(brief for rejected in verdict.scope.red_outside for brief in rejected.briefs)
        for brief, count in causes.most_common():
            console.print(item(count, Text(brief)))


def _section(console: Console, title: str, decisions: Iterable[tuple[int, Told]]) -> None:
    for index, (count, told) in enumerate(decisions):
        if index == 0:
            console.print()
            console.print(Text(title, "bold"))
        ticket = f" (#{told.issue})" if told.issue else ""
        until = f", until {told.until}" if told.until else ""
        console.print(item(count, Text(f"{told.id}{ticket}{until}: {plain(told.why or '')}")))


def _retired(console: Console, verdict: Verdict) -> None:
    if not verdict.retired:
        return
    console.print()
    console.print(Text("Given up for good", "bold"))
    for retired in verdict.retired:
        ticket = f" (#{retired.issue})" if retired.issue else ""
        console.print(item(len(retired.things), Text(f"{retired.id}{ticket}: {plain(retired.why or '')}")))
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
    rest = len(remedies) - MOST_REMEDIES
    if rest > 0:
        steps = "step" if rest == 1 else "steps"
        console.print(Text(f"    and {rest} more {steps}, which the check names once these are done"))
    red = next((c.label for c in verdict.cells if c.state == FAILED), None)
    red = red or next((c.label for c in verdict.cells if c.state == MISSING), None)
    red = red or next(finding.focus for finding in verdict.violations)
    console.print(Text(f"    gate explain {quote(red)} --tag {verdict.tag}"), soft_wrap=True)
