"""`gate ingest lm-eval`: metrics are figures, and never a go."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gate import ledger
from gate.errors import BadFile
from gate.ledger import lm_eval
from gate.ledger.given import Given
from tests.foreign import text
from tests.release import COMMIT, VERSION

RESULTS: dict[str, Any] = {
    "results": {
        "gsm8k": {"alias": "gsm8k", "exact_match,strict-match": 0.81, "exact_match_stderr,strict-match": 0.01},
        "arc": {"alias": "arc", "acc,none": 0.5, "acc_stderr,none": "N/A", "sample_len": 3},
    },
    "date": 1760259600.0, "config": {"model": "hf"}, "git_hash": "abc1234",
}  # fmt: skip


def test_metrics_are_figures_and_never_a_go() -> None:
    found = lm_eval.to_native(text(json.dumps(RESULTS)), Given(VERSION, COMMIT))
    receipt = ledger.read_receipt(text("", "x"), found)
    assert receipt.suite is not None
    assert receipt.suite.verdict is None
    assert [(row.name, row.result, row.note) for row in receipt.suite.rows] == [
        ("gsm8k/exact_match,strict-match", "skip", "exact_match,strict-match is 0.81 (standard error 0.01); no threshold judges it"),
        ("arc/acc,none", "skip", "acc,none is 0.5; no threshold judges it"),
    ]  # fmt: skip
    assert found["measured_at"] == "2025-10-12T09:00:00+00:00"
    assert found["left_out"] == {
        "results, the field alias": 2, "results, the field sample_len": 1, "the field config": 1, "the field git_hash": 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"results": {}}, "results"), ({"results": {"a": {"alias": "a"}}}, "no task has a metric"), ({"results": 3}, "results"),
        ({"results": {"a": {"acc,none": True}}}, "results.a.acc,none: it is neither a number"),
        ({"results": {"a": {"acc,none": [1]}}}, "results.a.acc,none: it is neither a number"), ({"date": 1e20}, "date"),
        ({"date": "x"}, "date"),
    ],
)  # fmt: skip
def test_odd_metrics_are_refused(change: Any, said: str) -> None:
    with pytest.raises(BadFile) as refused:
        lm_eval.to_native(text(json.dumps(RESULTS | change)), Given(VERSION, COMMIT))
    assert said in str(refused.value)
