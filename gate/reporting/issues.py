"""What the users of a release are told of: each de-claim and known failure, where it lies, and in which order."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gate.iris import NAMESPACE, quote
from gate.reporting.spans import Owed, name_of, span

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gate.obligations.node import About
    from gate.reporting.spans import Span
    from gate.states import CellState
    from gate.verdict import Verdict
    from gate.withdrawn import Declaimed, KnownFailed, Rejected, Ruled, Scoped, Told


@dataclass(frozen=True, slots=True)
class Line:
    """One obligation: its label, and in brief what rejects it (nothing where that isn't said)."""

    label: str
    briefs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table of what is red: a model (or what else is red), on which hosts, what of it, and by which rule."""

    hosts: tuple[str, ...]
    name: str
    what: str
    briefs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Issue:
    """What a user is told of one decision.

    `fails` tells a known failure from a claim that is withdrawn. `ruling` is a de-claim's own, and of a known failure
    the scope's that lets it ship. `recorded` says how the runs went that a de-claim covers.
    """

    told: Told
    fails: bool
    ruling: Ruled | None
    warned: bool
    spans: tuple[Span, ...]
    lines: tuple[Line, ...]
    rows: tuple[Row, ...]
    recorded: str
    anchor: str

    @property
    def sees(self) -> str:
        """What a user will see: the symptom, else the reason."""
        return self.told.symptom or self.told.why or "No reason is given."

    @property
    def ends(self) -> str:
        """When it ends, as a table has it."""
        return " or ".join(filter(None, (self.told.until, self.told.expires))) or "no end"

    @property
    def until(self) -> str:
        """When it ends, in words."""
        told, ends = self.told, []
        if told.until:
            ends.append(f"release {told.until}, which {'mends it' if self.fails else 'restores the claim'}")
        if told.expires:
            ends.append(f"the end of {told.expires}, UTC")
        return ", or ".join(ends) + (", whichever comes first" if len(ends) > 1 else "") or "no end is given"


def issues(verdict: Verdict, owed: Owed) -> list[Issue]:
    """Return what users are told, by ticket, then by name: the same order in every release."""
    found = [_withdrawn(verdict, owed, each) for each in verdict.declaimed]
    found += [_failing(verdict, owed, each) for each in verdict.known_failures]
    found.sort(key=lambda issue: (issue.told.issue is None, issue.told.issue or 0, issue.told.id, issue.fails))
    return found


def outside(scope: Scoped | None, owed: Owed) -> tuple[tuple[Row, ...], tuple[Line, ...]]:
    """Return what is red outside a scope: by model, and each by its name."""
    red = scope.red_outside if scope else ()
    return _rows(owed, red), _lines(red)


def _withdrawn(verdict: Verdict, owed: Owed, declaim: Declaimed) -> Issue:
    return Issue(
        declaim.told, fails=False, ruling=declaim.ruling, warned=declaim.warned,
        spans=_spans(verdict, owed, [(each.label, each.node.about) for each in declaim.covered]),
        lines=tuple(Line(each.label) for each in declaim.covered), rows=(),
        recorded=_recorded(verdict, declaim.cells), anchor=_anchor(declaim.told),
    )  # fmt: skip


def _failing(verdict: Verdict, owed: Owed, known: KnownFailed) -> Issue:
    ruling = verdict.scope.ruling if verdict.scope else None
    return Issue(
        known.told, fails=True, ruling=ruling, warned=False,
        spans=_spans(verdict, owed, [(each.label, each.about) for each in known.rejected]),
        lines=_lines(known.rejected), rows=_rows(owed, known.rejected), recorded="", anchor=_anchor(known.told),
    )  # fmt: skip


def _spans(verdict: Verdict, owed: Owed, covered: list[tuple[str, About]]) -> tuple[Span, ...]:
    """Return what is covered, each host as a user of the software knows it: by its GPU too, where the rules name it."""
    names = {host.id: f"{host.id} ({host.gpu})" if host.gpu else host.id for host in verdict.hosts}
    return tuple(
        replace(each, hosts=tuple(names.get(host, host) for host in each.hosts)) for each in span(owed, covered)
    )


def _lines(rejected: Iterable[Rejected]) -> tuple[Line, ...]:
    return tuple(Line(each.label, each.briefs) for each in rejected)


def _rows(owed: Owed, rejected: Iterable[Rejected]) -> tuple[Row, ...]:
    """Return one row for each model, and for each other thing: one for all hosts on which it is red alike."""
    groups: dict[tuple[str, str | None], list[Rejected]] = {}
    for each in rejected:
        groups.setdefault((name_of(each.label, each.about), each.about.host), []).append(each)
    rows: dict[tuple[str, str, tuple[str, ...]], list[str]] = {}
    for (name, host), own in sorted(groups.items(), key=lambda item: (item[0][0], item[0][1] or "")):
        briefs = tuple(dict.fromkeys(brief for each in own for brief in each.briefs))
        rows.setdefault((name, owed.axes([each.about for each in own]), briefs), []).extend([host] if host else [])
    return tuple(Row(tuple(hosts), name, what, briefs) for (name, what, briefs), hosts in rows.items())


def _recorded(verdict: Verdict, cells: Iterable[CellState]) -> str:
    """Return what the rows of withdrawn cells say of themselves, counted: nothing asks them to pass."""
    said: Counter[str] = Counter()
    for cell in cells:
        rows = [verdict.nodes[str(value)] for name, value in cell.node.facts if name == "receipt"]
        words = [str(value).removeprefix(NAMESPACE) for row in rows for name, value in row.facts if name == "verdict"]
        said.update(words or ["not run"])
    return ", ".join(f"{count} {word}" for word, count in sorted(said.items(), key=lambda item: (-item[1], item[0])))


def _anchor(told: Told) -> str:
    """Return what a link to the issue ends in; no two decisions have one id, so no two have one anchor."""
    return f"issue-{quote(told.id)}"
