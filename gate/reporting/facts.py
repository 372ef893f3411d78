"""What a template may say of a release: the verdict, and what pages need of it in the order in which they show it.

The moment of judging is none of it. Two checks of the same inputs make the same page, so that a committed one can be
compared with what would be rendered now.
"""

from __future__ import annotations

import datetime
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gate.reporting import signers
from gate.reporting.groups import by_cause
from gate.reporting.issues import issues, outside
from gate.reporting.performance import claims
from gate.reporting.spans import Owed
from gate.states import MISSING
from gate.verdict import state_counts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.files import InputFile
    from gate.reporting.changes import Changes
    from gate.states import CellState
    from gate.verdict import Verdict

MANY = 5  # issues, from which on a page begins with a list of them


_KINDS = {
    "kernels": "kernels", "conformance": "tensor shapes", "tokenizers": "tokenizers", "parity": "output parity",
    "suites": "suites", "suite_rows": "rows of suites", "claims": "claims of speed",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Signed:
    """Who vouches for the receipts and the decisions, in words, and which key vouches for which files."""

    receipts: str
    decisions: str
    keys: list[tuple[str, str, list[str]]]


@dataclass(frozen=True, slots=True)
class Earlier:
    """A receipt that measured an earlier commit and stands, that commit, and the ignored paths that differ since."""

    receipt: str
    commit: str
    paths: tuple[str, ...]


def facts(verdict: Verdict, changes: Changes | str | None, templates: tuple[InputFile, ...]) -> dict[str, Any]:
    """Return what a template may say.

    Args:
        verdict: the judged release.
        changes: what changed since the release before; None: there is none to compare with; a text: why it can't be.
        templates: the project's own templates, which the page names.
    """
    groups = by_cause(verdict.findings)
    owed = Owed.of(verdict.nodes.values())
    told = issues(verdict, owed)
    red_outside, each_outside = outside(verdict.scope, owed)
    return {
        "verdict": verdict,
        "counts": verdict.counts,
        "issues": told,
        "known_failures": [issue for issue in told if issue.fails],
        "withdrawn": [issue for issue in told if not issue.fails],
        "many": len(told) >= MANY,
        "red_outside": red_outside,
        "each_outside": each_outside,
        "refused": [group for group in groups if group.severity == "violation"],
        "notices": [group for group in groups if group.severity != "violation"],
        "missing": _missing(verdict),
        "earlier": list(_earlier(verdict)),
        "measured": _measured(verdict),
        "changes": None if isinstance(changes, str) else changes,
        "incomparable": changes if isinstance(changes, str) else None,
        "templates": templates,
        "obligations": obligations(verdict),
        "speed": claims(verdict),
        "signed": Signed(signers.receipts(verdict), signers.decisions(verdict), signers.keys(verdict)),
    }


def obligations(verdict: Verdict) -> list[tuple[str, dict[str, int]]]:
    """Return how the obligations beside cells stand, counted, by what a reader calls their kind."""
    everything = (verdict.kernels | verdict.others).items()
    return [(_KINDS[kind], state_counts(Counter(one.state for one in found))) for kind, found in everything]


def _missing(verdict: Verdict) -> list[tuple[str | None, str | None, list[CellState]]]:
    """Return the cells that were never measured, by host and model."""
    found: dict[tuple[str | None, str | None], list[CellState]] = {}
    for cell in verdict.cells:
        if cell.state == MISSING:
            found.setdefault((cell.node.about.host, cell.node.about.model), []).append(cell)
    return [(host, model, cells) for (host, model), cells in found.items()]


def _earlier(verdict: Verdict) -> Iterator[Earlier]:
    for node in verdict.nodes.values():
        commit = next((str(value) for name, value in node.facts if name == "earlierCommit"), None)
        if commit is not None:
            ignored = tuple(str(value) for name, value in node.facts if name == "ignoredDifference")
            yield Earlier(node.label, commit, ignored)


def _measured(verdict: Verdict) -> tuple[str, str] | None:
    """Return the days, in UTC, of the first and the last receipt that says when it was measured."""
    days = sorted(
        datetime.datetime.fromisoformat(str(value)).astimezone(datetime.UTC).date()
        for node in verdict.nodes.values() if node.types and node.types[0] == "Receipt"
        for name, value in node.facts if name == "measuredAt"
    )  # fmt: skip
    return (days[0].isoformat(), days[-1].isoformat()) if days else None
