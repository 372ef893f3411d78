"""The verdict as a summary in Markdown, for a pull request or a job: the answer, the counts, the causes, the cells.

A comment on GitHub holds 65,536 characters, and a job's summary a mebibyte; what is longer is refused whole. So the
page never has more bytes than a comment may have characters, and what there is no room for is counted.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from gate.findings import plain
from gate.reporting.groups import by_cause
from gate.reporting.markdown import code, text
from gate.states import DECLAIMED, FAILED, KNOWN, MISSING, PASSED
from gate.verdict import instant

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from gate.reporting.formats import Setting
    from gate.reporting.groups import Group, Where
    from gate.verdict import Verdict
    from gate.withdrawn import Told

MOST_BYTES = 65_536
_TAILS = 4_096  # of these, kept for titles and for the lines that count what is left out
_MOST_NAMES = 3

_COLUMNS = "| | owed | passed | missing | failed | de-claimed |\n|---|---:|---:|---:|---:|---:|"


def render(verdict: Verdict, setting: Setting) -> str:  # noqa: ARG001 - the one signature of all formats
    """Return the summary, of at most `MOST_BYTES`."""
    page = _Page()
    page.add("\n\n".join(_head(verdict)))
    hosts = (_row(code(host.id), host.states) for host in verdict.hosts)
    page.listed(f"{_COLUMNS}\n{_totals(verdict)}", hosts, "| {} more hosts | | | | | |", joined="\n")
    groups = by_cause(verdict.findings)
    causes = [group for group in groups if group.severity == "violation"]
    page.listed("### Why", map(_cause, causes), "- and {} more causes")
    remedies = dict.fromkeys(group.remedy for group in causes if group.remedy)
    page.listed("### What to do", (f"1. {text(remedy)}" for remedy in remedies), "1. and {} more steps")
    withdrawn = (_decision(len(d.covered), d.told) for d in verdict.declaimed)
    page.listed("### Withdrawn", withdrawn, "- and {} more decisions")
    known = (_decision(len(k.rejected), k.told) for k in verdict.known_failures)
    page.listed("### Red and known", known, "- and {} more decisions")
    page.listed("### Red outside the scope", _outside(verdict), "- and {} more causes")
    notices = (_cause(group) for group in groups if group.severity != "violation")
    page.listed("### Also", notices, "- and {} more causes")
    for state in (FAILED, MISSING):
        cells = [f"- {code(cell.label)}" for cell in verdict.cells if cell.state == state]
        title = f"<details><summary>{len(cells)} cells {state}</summary>"
        page.listed(title, cells, "- and {} more cells", closes="</details>")
    return page.text()


class _Page:
    """A page that grows up to its limit, and counts what it has no room for."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._room = MOST_BYTES - _TAILS

    def add(self, part: str) -> None:
        """Add a part, whole."""
        self._parts.append(part)
        self._room -= _size(part) + 2

    def listed(self, title: str, items: Iterable[str], more: str, *, joined: str = "\n\n", closes: str = "") -> None:
        """Add a title and as many items as there is room for; nothing where there are none.

        Args:
            title: what stands above the items.
            items: each on a line of its own.
            more: what is said of those that there is no room for, with `{}` for their number.
            joined: what stands between the title and the items.
            closes: what stands below the items.
        """
        shown: list[str] = []
        used, rest = _size(title) + _size(closes), 0
        for item in items:
            used += _size(item) + 1
            if rest or used > self._room:
                rest += 1
            else:
                shown.append(item)
        if shown or rest:
            lines = [*shown, more.format(rest)] if rest else shown
            self.add(joined.join([title, "\n".join(lines)]) + (f"\n\n{closes}" if closes else ""))

    def text(self) -> str:
        """Return the page, which ends in one line break."""
        return "\n\n".join(self._parts) + "\n"


def _size(part: str) -> int:
    return len(part.encode("utf-8"))


def _head(verdict: Verdict) -> Iterator[str]:
    yield f"<!-- taggate: summary of {verdict.version} -->"
    answer = "CONFORMS: {} may be cut" if verdict.conforms else "REFUSED: {} must not be cut"
    yield f"## {answer.format(text(plain(verdict.tag)))}"
    if verdict.scope is not None:
        ruling = verdict.scope.ruling
        words = f"“{text(plain(ruling.words))}”" if ruling.words else "no words allow it"
        by = ", ".join(text(plain(value)) for value in (ruling.by, ruling.on) if value)
        left_out = (
            f"{len(verdict.scope.outside)} obligations are left out, {len(verdict.scope.red_outside)} of them red."
        )
        yield f"**Under the scope {text(verdict.scope.name)}**: {words}{f' ({by})' if by else ''}. {left_out}"
    at = f"at commit {code(verdict.commit)}, judged {instant(verdict.evaluated_at)}"
    yield f"{text(plain(verdict.project))} {text(verdict.version)} {at} from {verdict.receipts} receipts."
    if verdict.states[KNOWN]:
        yield f"Of the cells that failed, {verdict.states[KNOWN]} are known to."


def _totals(verdict: Verdict) -> str:
    kinds = {kind: Counter(one.state for one in found) for kind, found in verdict.kernels.items()}
    return "\n".join([_row("**all**", verdict.states), *(_row(kind, states) for kind, states in kinds.items())])


def _row(name: str, states: Mapping[str, int]) -> str:
    passed, missing, declaimed = (states.get(state, 0) for state in (PASSED, MISSING, DECLAIMED))
    failed = states.get(FAILED, 0) + states.get(KNOWN, 0)
    numbers = (passed + missing + failed, passed, missing, failed, declaimed)
    return f"| {name} | {' | '.join(map(str, numbers))} |"


def _cause(group: Group) -> str:
    if group.count == 1:
        detail = plain(group.example.message.removeprefix(group.says))
        where = f"{code(group.example.focus)} {text(detail)}".strip()
    else:
        where = "; ".join(map(_where, group.where[:_MOST_NAMES]))
        rest = group.where[_MOST_NAMES:]
        where += f"; {sum(one.count for one in rest)} on {len(rest)} more hosts" if rest else ""
    brief = code(f"{group.shape}: {group.property}, {group.reason}")
    return f"- **{group.count}** {text(group.says)} {brief}<br>{where}"


def _where(where: Where) -> str:
    names = ", ".join(f"{code(name)}{f' ({count})' if count > 1 else ''}" for name, count in where.names[:_MOST_NAMES])
    rest = len(where.names) - _MOST_NAMES
    host = f"{code(where.host)} {where.count}: " if where.host is not None else ""
    return f"{host}{names}{f', and {rest} more' if rest > 0 else ''}"


def _decision(count: int, told: Told) -> str:
    ticket = f" (#{told.issue})" if told.issue else ""
    until = f", until {text(told.until)}" if told.until else ""
    return f"- **{count}** {text(told.id)}{ticket}{until}: {text(plain(told.why or ''))}"


def _outside(verdict: Verdict) -> Iterator[str]:
    red = verdict.scope.red_outside if verdict.scope else ()
    for brief, count in Counter(brief for rejected in red for brief in rejected.briefs).most_common():
        yield f"- **{count}** {code(brief)}"
