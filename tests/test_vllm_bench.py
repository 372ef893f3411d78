"""`gate ingest vllm-bench`: a benchmark is one run, and one with failures has no figure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.foreign import BOUND, MODEL, ingest, ingested, receipt

VLLM = {
    "date": "20261012-090000", "backend": "vllm", "model_id": "demo/alpha", "num_prompts": 100, "request_rate": "inf",
    "max_concurrency": 8, "completed": 100, "request_throughput": 3.5, "output_throughput": 450.0,
    "total_token_throughput": 900.0, "mean_ttft_ms": 20.0, "p99_ttft_ms": 30.0, "errors": ["", ""],
}  # fmt: skip


def test_a_vllm_benchmark_is_one_run(tmp_path: Path) -> None:
    found = ingested(tmp_path, "vllm-bench", VLLM, *BOUND, *MODEL, "--number", "2")
    rows = receipt(found).performances
    assert [(row.metric, row.run, row.value) for row in rows] == [
        ("request_throughput", 2, 3.5), ("output_throughput", 2, 450.0), ("total_token_throughput", 2, 900.0),
    ]  # fmt: skip
    assert rows[0].configuration == "backend=vllm, request_rate=inf, max_concurrency=8, num_prompts=100"
    assert found["left_out"] == {"latencies": 2, "the field date": 1, "the field model_id": 1}
    offline = {"elapsed_time": 2.0, "num_requests": 8, "requests_per_second": 4.0, "tokens_per_second": 512.0}
    rows = receipt(ingested(tmp_path, "vllm-bench", offline, *BOUND, *MODEL, "--comparator", "vllm")).performances
    assert [(row.metric, row.run, row.comparator, row.comparator_value) for row in rows] == [
        ("requests_per_second", 1, "vllm", 4.0), ("tokens_per_second", 1, "vllm", 512.0),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "change",
    [
        {"completed": 99},
        {"completed": 101},
        {"completed": 0, "num_prompts": None},
        {"num_requests": 8},
        {"failed": 1},
        {"errors": ["", "timed out"]},
    ],
)
def test_the_rates_of_a_run_with_failures_are_no_figures(change: Any, tmp_path: Path) -> None:
    found = ingested(tmp_path, "vllm-bench", VLLM | change, *BOUND, *MODEL)
    assert [row.value for row in receipt(found).performances] == [None] * 3
    assert found["left_out"]["rates of a run in which requests failed"] == 3


def test_a_benchmark_of_latencies_alone_holds_no_figure(tmp_path: Path) -> None:
    done = ingest(tmp_path, "vllm-bench", {"avg_latency": 1.0, "latencies": [1.0]}, *BOUND, *MODEL)
    assert done.returncode == 3
    assert "it holds no rate" in done.stderr
