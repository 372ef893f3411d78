"""`gate ingest llama-bench`: its samples are runs, and what it contradicts is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.falsifiers import performance
from tests.foreign import BOUND, SHA, ingest, ingested, receipt
from tests.release import BINARY, COMMIT, VERSION, Release, judged
from tests.release import gate_here as gate


def bench(**changes: Any) -> list[dict[str, Any]]:
    return [
        {"build_commit": COMMIT[:8], "backends": "CUDA", "model_filename": "models/alpha-q4_k_m.gguf", "n_prompt": 0,
         "n_gen": 128, "n_depth": 0, "n_gpu_layers": 99, "test_time": "2026-10-12T08:00:00Z", "avg_ts": 101.0,
         "samples_ns": [1, 2, 3], "samples_ts": [100.0, 101.0, 102.0], **changes}
    ]  # fmt: skip


def test_the_samples_of_llama_bench_are_runs(tmp_path: Path) -> None:
    options = ("--release", VERSION, "--commit", COMMIT, "--host", "lambda", "--sha256", SHA)
    found = ingested(
        tmp_path,
        "llama-bench",
        bench() + bench(n_prompt=512, n_depth=64, samples_ts=[7], samples_ns=[1], avg_ts=7.0),
        *options,
    )
    rows = receipt(found).performances
    assert [(row.metric, row.run, row.value) for row in rows] == [
        ("tg128", 1, 100.0), ("tg128", 2, 101.0), ("tg128", 3, 102.0), ("pp512+tg128 @ d64", 1, 7.0),
    ]  # fmt: skip
    assert rows[0].configuration == "backends=CUDA, n_gpu_layers=99"
    assert (found["measured_at"], found["left_out"]) == (
        "2026-10-12T08:00:00Z", {"averages": 2, "times in nanoseconds": 4},
    )  # fmt: skip
    assert "binary_sha256" not in found["release"]
    other = bench(build_commit="8cf427ff")
    named = ingested(tmp_path, "llama-bench", other, *options, "--comparator", "llama.cpp", "--configuration", "c")
    (row, *_) = receipt(named).performances
    assert (row.value, row.comparator, row.comparator_value, row.comparator_pin, row.configuration) == (
        None, "llama.cpp", 100.0, "8cf427ff", "c",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("document", "options", "said"),
    [
        (bench(build_commit="8cf427ff"), (), "[0].build_commit: it measured 8cf427ff, and --commit says"),
        (bench(build_commit="unknown"), (), "it measured unknown, and --commit says"),
        (bench(), ("--model", "beta.gguf"), "it measured 'alpha-q4_k_m.gguf', and --model says 'beta.gguf'"),
        (bench(), ("--model", "b.gguf", "--comparator", "llama.cpp"), "and --model says 'b.gguf'"),
    ],
)
def test_an_option_that_llama_bench_contradicts_is_refused(
    document: Any, options: Any, said: str, tmp_path: Path
) -> None:
    done = ingest(tmp_path, "llama-bench", document, *BOUND, *options)
    assert done.returncode == 3
    assert said in done.stderr


@pytest.mark.parametrize(
    ("document", "said"),
    [
        (bench(n_gen=0), "source.json, [0].n_prompt: it measured neither a prompt nor an answer"),
        (bench() + bench(n_gen=0, n_depth=512), "source.json, [1].n_prompt: it measured neither"),
        (bench() + bench(build_commit="8cf427ff"), "[1].build_commit: it measured 8cf427ff, and [0] c0ffee00"),
        (bench(avg_ts=102.0), "[0].avg_ts: it is 102.0, and samples_ts come to 101 on average"),
        (bench() + bench(avg_ts=0), "[1].avg_ts: it is 0.0, and samples_ts come to 101 on average"),
        (bench(samples_ts=[110.0, 101.0, 102.0]), "[0].avg_ts: it is 101.0, and samples_ts come to 104.333 on average"),
        (bench(samples_ns=[1, 2]), "[0].samples_ts: it has 3 samples, and samples_ns has 2"),
    ],
)
@pytest.mark.parametrize("own", [True, False])
def test_what_can_not_all_be_of_one_measurement_is_refused_by_its_place(
    document: Any, said: str, own: bool, tmp_path: Path
) -> None:
    whose = () if own else ("--comparator", "llama.cpp")
    done = ingest(tmp_path, "llama-bench", document, *BOUND, *whose)
    assert (done.returncode, done.stdout) == (3, "")
    assert said in done.stderr
    assert not (tmp_path / "out.json").exists()


def test_an_average_may_be_rounded_or_absent(tmp_path: Path) -> None:
    for average in (101.2, 100.9, None):
        ingested(tmp_path, "llama-bench", bench(avg_ts=average), *BOUND)
    ingested(tmp_path, "llama-bench", bench(samples_ns=[], samples_ts=[0, 0], avg_ts=0), *BOUND)


@pytest.mark.parametrize("document", [[], {}, bench(samples_ts=[]), bench(samples_ts=["1"]), bench(n_gen=-1)])
def test_what_llama_bench_never_writes_is_refused(document: Any, tmp_path: Path) -> None:
    assert ingest(tmp_path, "llama-bench", document, *BOUND).returncode == 3


def test_a_claim_rests_on_two_tools_that_measured_one_configuration(release: Release) -> None:
    performance.rules(('"decode_tok_per_sec"', '"tg128"'))(release)
    del release.documents[performance.RECEIPT]
    folder = release.write()
    options = (*BOUND, "--sha256", SHA, "--configuration", "one user, 128 in, 128 out")
    binary = ("--binary", BINARY["lambda"])
    for name, samples, who in (
        ("own", [95, 96, 97], binary),
        ("theirs", [100, 100, 100], ("--comparator", "llama.cpp")),
    ):
        (folder / "bench.json").write_text(json.dumps(bench(samples_ts=samples, avg_ts=sum(samples) / 3)))
        output = f"receipts/{VERSION}/{name}.json"
        done = gate(folder, "ingest", "llama-bench", "bench.json", "--output", output, *options, *who)
        assert done.returncode == 0, done.stderr
    verdict = judged(folder)
    assert [f for f in verdict["findings"] if f["severity"] == "violation"] == []
    assert next(s for s in verdict["shapes"] if s["id"] == "performance")["focus_nodes"] == 1
