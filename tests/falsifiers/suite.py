"""What turns a suite red."""

from __future__ import annotations

from typing import Any

from tests.falsifiers.falsifier import Falsifier, without
from tests.release import OTHER_COMMIT, VERSION, Release


def _delete(release: Release) -> None:
    del release.documents[f"receipts/{VERSION}/dogfood.json"]


def _unrequired(release: Release) -> None:
    release.documents[f"receipts/{VERSION}/smoke.json"] = release.receipt("dogfood.json") | {"suite": "smoke"}


def _twice(release: Release) -> None:
    release.documents[f"receipts/{VERSION}/dogfood-again.json"] = release.receipt("dogfood.json")


def _no_verdict(release: Release) -> None:
    del release.receipt("dogfood.json")["verdict"]


def _suite(**values: Any) -> Any:
    return lambda release: release.receipt("dogfood.json").update(values)


def _release(**values: str) -> Any:
    return lambda release: release.receipt("dogfood.json")["release"].update(values)


def _red(constraint: str, component: str, name: str, prop: str, reason: str, change: Any) -> Falsifier:
    return Falsifier(constraint, component, name, (("dogfood", prop, reason),), change)


FALSIFIERS = [
    _red("Suite-run", "MinCount", "the suite never ran", "receipt", "missing", _delete),
    _red("Suite-run", "MinCount", "another suite ran", "receipt", "missing", _suite(suite="smoke")),
    _red("Suite-once", "MaxCount", "two runs", "receipt", "ambiguous", _twice),
    _red("SuiteRun-verdict", "In", "the verdict is NO-GO", "verdict", "failed", _suite(verdict="no-go")),
    _red("SuiteRun-verdict", "MinCount", "no verdict is recorded", "verdict", "failed", _no_verdict),
    _red("SuiteRun-fresh", "In", "a run inherited from another commit", "fresh", "stale", _release(commit=OTHER_COMMIT)),
    _red("SuiteRun-fresh", "In", "a run inherited from another version", "fresh", "stale", _release(version="0.70.0")),
    _red("SuiteRun-passed", "MinInclusive", "every check was skipped under a GO", "passed", "failed",
         _suite(rows=[{"name": "fmt", "result": "skip"}])),
    Falsifier("Suite-required", "MinCount", "a run of a suite that nobody requires", (("smoke", "required", "orphan"),),
              _unrequired, severity="warning"),
    Falsifier("SuiteRun-fresh", "MinCount", "nobody asked whether it is fresh", (("dogfood", "fresh", "stale"),),
              edit=without("SuiteRun", "fresh")),
    _red("SuiteRun-summary", "In", "the summary counts rows that aren't there", "summary", "contradicted",
         _suite(summary={"rows": 134})),
    _red("SuiteRun-summary", "In", "the summary counts fewer rows than are there", "summary", "contradicted",
         _suite(summary={"rows": 0})),
    *(
        _red("SuiteCheck-verdict", "In", f"a check says {result} under a GO", "checks", "failed",
             _suite(rows=[{"name": "fmt", "result": "pass"}, {"name": "test", "result": result}]))
        for result in ("fail", "error", "refused")
    ),
]  # fmt: skip
