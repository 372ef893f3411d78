"""Every performance claim of the rules, the runs behind it, and their figures: divided and counted, not judged."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from gate.obligations.node import About, Node, known
from gate.obligations.orphan import orphan, unrequired

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.iris import Iri
    from gate.ledger.rows import PerformanceRow, Receipt
    from gate.obligations.ground import Ground
    from gate.rules import Host, PerformanceClaim

TARGETS = ("PerformanceClaim", "ComparedClaim", "ThresholdClaim", "PerformanceRun", "PerformanceRow")
REQUIRED = False  # only where the rules claim anything

_Found = tuple["Receipt", "PerformanceRow"]


@dataclass(frozen=True)
class _Run:
    """One numbered run on one host: the figures that are the product's own, and those of the claim's comparator.

    A run has one of each, which its shape asks. Where it has more, the product's least is held against the most of the
    comparator, so that no count gets better by a figure too many.
    """

    host: str
    number: int
    own: tuple[_Found, ...]
    compared: tuple[_Found, ...]

    @cached_property
    def rows(self) -> dict[tuple[str, str], _Found]:
        """Every row of the run once: one that holds both figures is one row."""
        return {(receipt.file.path, row.place): (receipt, row) for receipt, row in (*self.own, *self.compared)}

    @property
    def value(self) -> float | None:
        """The own figure."""
        return min((row.value for _, row in self.own if row.value is not None), default=None)

    @property
    def comparator_value(self) -> float | None:
        """The comparator's figure; None where none was measured."""
        return max((row.comparator_value for _, row in self.compared if row.comparator_value is not None), default=None)

    @property
    def ratio(self) -> float | None:
        """The own figure over the comparator's. A comparator that did nothing was not measured."""
        if self.value is None or not self.comparator_value:
            return None
        ratio = self.value / self.comparator_value
        return ratio if math.isfinite(ratio) else None

    @property
    def pins(self) -> set[str | None]:
        """The comparator's builds that its figures name; None among them where one names none."""
        return {row.comparator_pin for _, row in self.compared}

    def reached(self, claim: PerformanceClaim) -> float | None:
        """What the claim's threshold is held against."""
        return self.ratio if claim.comparator is not None else self.value

    def below(self, claim: PerformanceClaim) -> bool | None:
        """Whether it stays below what the claim says; None where the claim has no threshold, or it no figure."""
        figure = self.reached(claim)
        return None if claim.at_least is None or figure is None else figure < claim.at_least


def nodes(ground: Ground) -> Iterator[Node]:
    """Yield each claim, its runs and their figures; and the figures of no claim."""
    claims = ground.rules.document.claims.performance
    if not claims:
        yield from unrequired(ground, "performances", "claims.performance")
        return
    counted: set[tuple[str, str]] = set()
    for claim in claims:
        yield from _claim(ground, claim, counted)
    for receipt in ground.ledger.receipts:
        for row in receipt.performances:
            if (receipt.file.path, row.place) not in counted:
                yield orphan(ground, receipt, row, "performance", _unclaimed(ground, receipt, row))


def _unclaimed(ground: Ground, receipt: Receipt, row: PerformanceRow) -> str:
    """Return why a figure counts for no claim."""
    if _host(ground, receipt) is None:
        return "its host is not a required one"
    if row.value is None and row.comparator_value is None:
        return "it has no figure"
    if row.value is None:
        return "no claim speaks of its model, metric, configuration and comparator, or its run has no own figure"
    return "no claim speaks of its model, metric and configuration"


def _host(ground: Ground, receipt: Receipt) -> Host | None:
    """Return the required host that a receipt is of."""
    host = ground.rules.host_named(receipt.host) if receipt.host else None
    return host if host in ground.rules.required_hosts else None


def _claim(ground: Ground, claim: PerformanceClaim, counted: set[tuple[str, str]]) -> Iterator[Node]:
    """Yield a claim, its runs and their figures, and add the receipt and place of each figure to `counted`."""
    names, digests = _model(ground, claim.model)
    found = [
        (receipt, row)
        for receipt in ground.ledger.receipts
        if _host(ground, receipt) is not None
        for row in receipt.performances
        if row.metric == claim.metric and (row.file in names or row.sha256 in digests)
    ]
    runs = _runs(ground, claim, [(receipt, row) for receipt, row in found if row.configuration == claim.configuration])
    others = sorted({row.configuration for _, row in found} - {claim.configuration})
    first = next((receipt.file.path for run in runs for receipt, _ in run.own), None)
    iri = ground.iri("claim", claim.id)
    yield Node(
        iri, _types(claim), claim.id,
        known(
            metric=claim.metric, configuration=claim.configuration, comparator=claim.comparator, atLeast=claim.at_least,
            runsOwed=claim.of, runsRecorded=len(runs),
            runsNumbered=len({run.number for run in runs if run.number <= claim.of}),
        )
        + _counts(claim, runs)
        + tuple(("otherConfiguration", other) for other in others)
        + tuple(("measuredOn", host) for host in sorted({run.host for run in runs}))
        + tuple(("comparatorPin", pin) for pin in sorted({pin for run in runs for pin in run.pins if pin is not None}))
        + tuple(("measuredModel", digest) for digest in _digests(runs))
        + tuple(("measuredRun", _run_iri(ground, claim, run)) for run in runs),
        About(model=claim.model, receipt=first),
    )  # fmt: skip
    for run in runs:
        counted.update(run.rows)
        yield from _run(ground, claim, run, names, digests)


def _types(claim: PerformanceClaim) -> tuple[str, ...]:
    compared = ("ComparedClaim",) if claim.comparator is not None else ()
    return ("PerformanceClaim", *compared, *(("ThresholdClaim",) if claim.at_least is not None else ()))


def _model(ground: Ground, claimed: str) -> tuple[set[str], set[str]]:
    """Return the names that the claimed file has, and its sha256: one sha256 is one model, whatever it is called."""
    known_files = [(pin.file, pin.sha256) for pin in ground.rules.document.models.pinned]
    for receipts in ground.inventories.values():
        held = [item for receipt in receipts if receipt.inventory for item in receipt.inventory.held]
        known_files += [(item.file, item.sha256) for item in held if item.sha256 is not None]
    digests = {sha256 for file, sha256 in known_files if file == claimed}
    return {claimed} | {file for file, sha256 in known_files if sha256 in digests}, digests


def _runs(ground: Ground, claim: PerformanceClaim, found: list[_Found]) -> list[_Run]:
    """Return the runs that have a figure of the product's own, by host and number."""
    groups: dict[tuple[str, int], list[_Found]] = {}
    for receipt, row in found:
        host = _host(ground, receipt)
        groups.setdefault((host.id if host else "", row.run), []).append((receipt, row))
    runs = [
        _Run(
            host,
            number,
            own=tuple(pair for pair in rows if pair[1].value is not None),
            compared=tuple(
                pair for pair in rows
                if pair[1].comparator_value is not None and pair[1].comparator == claim.comparator
            ),
        )
        for (host, number), rows in sorted(groups.items())
    ]  # fmt: skip
    return [run for run in runs if run.own]


def _counts(claim: PerformanceClaim, runs: list[_Run]) -> tuple[tuple[str, Iri | bool | int | float | str], ...]:
    """Return how many runs were compared, how many missed and may miss, and which missed, with their figures."""
    facts = known(runsCompared=None if claim.comparator is None else sum(run.ratio is not None for run in runs))
    if claim.at_least is None:
        return facts
    missed = [(f"run {run.number} on {run.host or 'no host'}", run.reached(claim)) for run in runs if run.below(claim)]
    return (
        facts
        + known(runsMissed=len(missed), runsMayMiss=claim.of - claim.runs)
        + tuple(("missedRun", f"{run}: {figure:.6g}") for run, figure in missed)
    )


def _digests(runs: list[_Run]) -> list[str]:
    return sorted({row.sha256 for run in runs for _, row in run.rows.values() if row.sha256 is not None})


def _run_iri(ground: Ground, claim: PerformanceClaim, run: _Run) -> Iri:
    return ground.iri("claim", claim.id, "run", run.host or "?", str(run.number))


def _run(ground: Ground, claim: PerformanceClaim, run: _Run, names: set[str], digests: set[str]) -> Iterator[Node]:
    def row_iri(found: _Found) -> Iri:
        return ground.iri("claim", claim.id, "figure", found[0].file.path, found[1].place)

    iri, label, owner = _run_iri(ground, claim, run), f"{claim.id}, run {run.number}", ground.iri("claim", claim.id)
    host = run.host or None
    yield Node(
        iri, ("PerformanceRun",), label,
        known(
            runNumber=run.number, value=run.value, comparatorValue=run.comparator_value, ratio=run.ratio,
            belowClaim=run.below(claim),
            comparatorPinned=None not in run.pins,
        )
        + tuple(("figure", row_iri(found)) for found in run.own)
        + tuple(("comparatorFigure", row_iri(found)) for found in run.compared),
        About(host=host, model=claim.model, receipt=run.own[0][0].file.path), owner,
    )  # fmt: skip
    for receipt, row in run.rows.values():
        yield Node(
            row_iri((receipt, row)), ("PerformanceRow",), label,
            known(
                place=row.place, version=receipt.binding.version, commit=receipt.binding.commit,
                fresh=ground.fresh(receipt), sha256=row.sha256, binary=receipt.binding.binary,
                # A row of the comparator alone is of no binary of the release.
                binaryHolds=ground.same_binary(receipt) if row.value is not None else None,
                identified=row.sha256 in digests if row.sha256 is not None else None,
                file=row.file, nameHolds=row.file in names,
                value=row.value, comparator=row.comparator, comparatorValue=row.comparator_value,
                comparatorPin=row.comparator_pin,
            ),
            About(host=host, model=claim.model, receipt=receipt.file.path), owner,
        )  # fmt: skip
