"""What to measure next: the owed cells that no run of this release shows, in an order that loads each model once."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from gate import ledger, versions
from gate.errors import GateError
from gate.states import FAILED, MISSING
from gate.subject import Subject

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from gate.rules import Rules
    from gate.states import CellState
    from gate.verdict import Verdict

SCHEMA = "taggate/plan/v1"
AGAIN = {"stale", "ambiguous"}  # findings that a run of this release, and nothing else, takes away

Run = tuple[str, str, str, str | None, str]  # host, sha256, verb, thinking, context


@dataclass(frozen=True, slots=True)
class Step:
    """One cell to measure. `seconds` is what its like took before; None: nobody timed one."""

    label: str
    host: str
    model: str
    sha256: str | None
    verb: str
    thinking: str | None
    context: str
    tokens: int | None
    why: str
    seconds: float | None

    def to_json(self) -> dict[str, Any]:
        """Return the step as the plan's JSON has it."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Plan:
    """The steps, by host and model, and what the plan leaves out.

    `failed` is how many failed cells it leaves out, `others` what is missing beside cells, and `unread` the releases
    whose runs couldn't be timed, with the reason.
    """

    tag: str
    commit: str
    steps: tuple[Step, ...]
    failed: int
    others: tuple[tuple[str, str], ...]
    unread: tuple[tuple[str, str], ...]

    def to_json(self) -> dict[str, Any]:
        """Return the plan as `taggate/plan/v1`."""
        return {
            "schema": SCHEMA, "tag": self.tag, "commit": self.commit, "failed_cells_left_out": self.failed,
            "steps": [step.to_json() for step in self.steps],
            "other_obligations": [{"shape": shape, "focus": focus} for shape, focus in self.others],
            "releases_not_timed": [{"version": version, "why": why} for version, why in self.unread],
        }  # fmt: skip


def make(verdict: Verdict, rules: Rules, *, host: str | None = None, failed: bool = False) -> Plan:
    """Return what to measure next.

    Args:
        verdict: how every cell stands.
        rules: they say where the receipts of earlier releases are, whose times are what a step is expected to take.
        host: plan for this host alone; None: for all.
        failed: plan the cells that failed too, which will fail again unless what they ran has been mended.
    """
    timed, unread = _timed(rules)
    again = {finding.owner for finding in verdict.violations if finding.reason in AGAIN}
    wanted = [cell for cell in verdict.cells if host is None or cell.node.about.host == host]
    steps = [_step(cell, again, timed) for cell in wanted if _is_due(cell, again, failed=failed)]
    left_out = sum(cell.state == FAILED and not _is_due(cell, again, failed=failed) for cell in wanted)
    cells = {cell.node.iri for cell in verdict.cells}
    others = dict.fromkeys(
        (finding.shape, finding.focus)
        for finding in verdict.violations
        if finding.reason in AGAIN | {"missing"} and finding.owner not in cells
    )
    return Plan(verdict.tag, verdict.commit, tuple(_load_once(steps)), left_out, tuple(others), unread)


def _is_due(cell: CellState, again: set[str], *, failed: bool) -> bool:
    return cell.state == MISSING or (cell.state == FAILED and (failed or cell.node.iri in again))


def _step(cell: CellState, again: set[str], timed: Mapping[Run | tuple[str, ...], list[float]]) -> Step:
    about, facts = cell.node.about, dict(cell.node.facts)
    host, model, verb, context = str(about.host), str(about.model), str(about.verb), str(about.context)
    why = "missing" if cell.state == MISSING else "stale" if cell.node.iri in again else "failed"
    like = timed.get((host, str(about.sha256), verb, about.thinking, context)) or timed.get(
        (host, str(about.sha256), context)
    )
    tokens = facts.get("contextTokens")
    return Step(
        cell.label, host, model, about.sha256, verb, about.thinking, context,
        tokens if isinstance(tokens, int) else None, why, round(median(like), 1) if like else None,
    )  # fmt: skip


def _load_once(steps: Iterable[Step]) -> list[Step]:
    """Return the steps in the order to run them: a host at a time, each model loaded once, the short prompts first."""
    return sorted(steps, key=lambda step: (step.host, step.model, step.sha256 or "", step.tokens or 0))


def _timed(rules: Rules) -> tuple[dict[Run | tuple[str, ...], list[float]], tuple[tuple[str, str], ...]]:
    """Return how long runs took, in seconds, in any release of the ledger; and the releases that can't be read."""
    found: dict[Run | tuple[str, ...], list[float]] = {}
    unread = []
    for version in _releases(rules):
        subject = Subject(version, "0" * 40, versions.tag_of_version(version, rules.document.project.tag), {}, None)
        try:
            receipts = ledger.read(rules, subject).receipts
        except GateError as error:
            unread.append((version, str(error).splitlines()[0]))
            continue
        for row in (row for receipt in receipts for row in receipt.runs):
            host = rules.host_named(row.host)
            if host is not None and row.sha256 and row.context and row.seconds is not None:
                exactly = (host.id, row.sha256, row.verb, row.thinking, row.context)
                found.setdefault(exactly, []).append(row.seconds)
                found.setdefault((host.id, row.sha256, row.context), []).append(row.seconds)
    return found, tuple(unread)


def _releases(rules: Rules) -> Iterator[str]:
    """Yield the releases that the ledger has a folder for, the earliest first."""
    folder = rules.folder / rules.document.project.ledger
    names = []
    for path in folder.iterdir() if folder.is_dir() else ():
        try:
            names.append((versions.parse(path.name), path.name))
        except ValueError:
            continue
    yield from (name for _, name in sorted(names))
