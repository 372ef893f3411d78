"""Every suite that the rules require: one run of it, of this very release, that says GO."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.iris import term
from gate.obligations.node import About, Node, known

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.iris import Iri
    from gate.ledger.rows import Receipt, SuiteRun
    from gate.obligations.ground import Ground

TARGETS = ("Suite", "UnrequiredSuiteRun")
REQUIRED = False  # only where the rules require a suite

_NOT_RED = {"pass", "skip"}  # a skipped check proves nothing, and denies nothing either


def nodes(ground: Ground) -> Iterator[Node]:
    """Yield each required suite, its runs, and their failed checks."""
    for name in ground.rules.document.require.suites:
        runs = [(r, r.suite) for r in ground.ledger.receipts if r.suite is not None and r.suite.suite == name]
        yield Node(
            ground.iri("suite", name), ("Suite",), name,
            tuple(("receipt", _run_iri(ground, receipt)) for receipt, _ in runs),
            About(receipt=runs[0][0].file.path if runs else None),
        )  # fmt: skip
        for receipt, run in runs:
            yield from _run(ground, receipt, run)

    for receipt in ground.ledger.receipts:
        if receipt.suite is not None and receipt.suite.suite not in ground.rules.document.require.suites:
            about = About(receipt=receipt.file.path)
            facts = known(verdict=term(receipt.suite.verdict) if receipt.suite.verdict else None)
            yield Node(_run_iri(ground, receipt), ("UnrequiredSuiteRun",), receipt.suite.suite, facts, about)


def _run_iri(ground: Ground, receipt: Receipt) -> Iri:
    return ground.iri("receipt", receipt.file.path, "suite")


def _run(ground: Ground, receipt: Receipt, run: SuiteRun) -> Iterator[Node]:
    about, suite = About(receipt=receipt.file.path), ground.iri("suite", run.suite)
    failed = [(i, row) for i, row in enumerate(run.rows) if row.result not in _NOT_RED]
    rows = [ground.iri("receipt", receipt.file.path, f"rows[{i}]") for i, _ in failed]
    yield Node(
        _run_iri(ground, receipt), ("SuiteRun",), run.suite,
        known(
            verdict=term(run.verdict) if run.verdict else None,
            version=receipt.binding.version, commit=receipt.binding.commit, fresh=ground.fresh(receipt),
            staleBecause=ground.stale_because(receipt),
            ownVersion=ground.subject.version, ownCommit=ground.subject.commit,
            rowsRecorded=len(run.rows), rowsClaimed=run.claimed_rows,
            summaryHolds=None if run.claimed_rows is None else run.claimed_rows == len(run.rows),
        )
        # A run that lists its checks shows at least one that passed; one that lists none only has its word.
        + known(passedChecks=sum(row.result == "pass" for row in run.rows) if run.rows else None)
        + tuple(("failedCheck", iri) for iri in rows),
        about, suite,
    )  # fmt: skip
    for iri, (_, row) in zip(rows, failed, strict=True):
        facts = known(name=row.name, verdict=term(row.result), note=row.note or None)
        yield Node(iri, ("SuiteCheck",), run.suite, facts, about, suite)
