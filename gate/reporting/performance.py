"""The performance claims of a release as its notes tell them: what was claimed, of how many runs, with which figures.

A figure is shown beside a comparator's only where the claim names that comparator. Any other is the project's own, and
the notes say that it is compared with nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gate.iris import Iri
from gate.reporting.owed import threshold, values
from gate.states import PASSED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.obligations.node import Node
    from gate.states import CellState
    from gate.verdict import Verdict


@dataclass(frozen=True, slots=True)
class MeasuredRun:
    """One run behind a claim: its figures as the graph has them; None where one was not measured."""

    number: int
    host: str | None
    value: float | None
    comparator_value: float | None
    ratio: float | None
    below: bool  # whether it stays below what the claim says


@dataclass(frozen=True, slots=True)
class Claim:
    """A performance claim: `shown` where no constraint on it fails, and otherwise `reasons` say which do."""

    id: str
    model: str | None
    metric: str
    configuration: str
    says: str  # the threshold in words, with how many of how many runs
    comparator: str | None
    pins: tuple[str, ...]
    hosts: tuple[str, ...]
    has_threshold: bool
    runs: tuple[MeasuredRun, ...]
    shown: bool
    reasons: tuple[str, ...]

    @property
    def reached(self) -> int:
        """How many of the runs reach what the claim says."""
        return sum(not run.below for run in self.runs)


def claims(verdict: Verdict) -> list[Claim]:
    """Return every performance claim that the rules make, in their order."""
    return [_claim(verdict, found) for found in verdict.others.get("claims", ())]


def _claim(verdict: Verdict, found: CellState) -> Claim:
    node = found.node
    comparator = next(iter(values(node, "comparator")), None)
    own = {node.iri} | {other.iri for other in verdict.nodes.values() if other.owner == node.iri}
    red = [finding for finding in verdict.violations if finding.result.focus in own]
    return Claim(
        id=node.label, model=node.about.model, metric=values(node, "metric")[0],
        configuration=values(node, "configuration")[0], says=threshold(node), comparator=comparator,
        pins=tuple(values(node, "comparatorPin")) if comparator else (), hosts=tuple(values(node, "measuredOn")),
        has_threshold=bool(values(node, "atLeast")), runs=tuple(_runs(verdict, node)), shown=found.state == PASSED,
        reasons=tuple(dict.fromkeys(finding.says for finding in red)),
    )  # fmt: skip


def _runs(verdict: Verdict, claim: Node) -> Iterator[MeasuredRun]:
    for name, iri in claim.facts:
        if name == "measuredRun" and isinstance(iri, Iri):
            run = verdict.nodes[iri]
            facts = dict(run.facts)
            yield MeasuredRun(
                number=int(facts["runNumber"]), host=run.about.host, value=_figure(facts.get("value")),
                comparator_value=_figure(facts.get("comparatorValue")), ratio=_figure(facts.get("ratio")),
                below=facts.get("belowClaim") is True,
            )  # fmt: skip


def figure(value: float | None) -> str:
    """Return a measured figure as a reader needs it, or that there is none."""
    return "not measured" if value is None else f"{value:.6g}"


def _figure(value: object) -> float | None:
    return value if isinstance(value, float) else None
