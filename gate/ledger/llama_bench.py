"""`llama-bench -o json`, of llama.cpp: it comes in through `gate ingest`.

What is taken for a figure: each sample of `samples_ts`, in tokens a second; the n-th is the n-th run. The metric is
called as llama-bench calls its tests: `pp512` for a prompt of 512 tokens, `tg128` for 128 generated ones, `pp512+tg128`
for both, with ` @ d512` after a context that was filled before. What else bears on the speed is the configuration, or
what `--configuration` calls it; backends and GPU stand in it.

The figures are the product's own, unless `--comparator` says of whom they are: then they are the comparator's, pinned
to llama-bench's `build_commit`. Averages and deviations are no runs, and times are the same samples in another unit:
both are left out and counted. A test without samples is refused: an average doesn't say of how many runs it is one.

Refused too is what can't all be of one measurement, because nobody can say which part of it is: an average (`avg_ts`)
that its own samples don't come to, a sample without its time or a time without its sample, tests of several builds in
one file, and a test of neither prompt nor answer, which measured nothing.

llama-bench names no host and no full commit, and no sha256 of its model: the options do. `--commit` must begin with the
file's `build_commit`, unless the figures are a comparator's, and `--model` must be the file that was measured. Its time
is that of the last test, unless `--measured-at` says otherwise.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from pathlib import PureWindowsPath
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, RootModel

from gate import strict_json
from gate.errors import BadFile
from gate.ledger.foreign import Foreign
from gate.ledger.instants import Instant
from gate.malformed import checked

if TYPE_CHECKING:
    from gate.files import InputFile
    from gate.ledger.given import Given

FORMAT = "llama-bench"
TAKES = ("version", "commit", "host", "measured_at", "binary", "model", "sha256", "comparator", "configuration")

Count = Annotated[int, Field(ge=0, le=2**53)]
Rate = Annotated[float, Field(ge=0, le=1e15, allow_inf_nan=False)]

# How far an average may lie from that of the samples: llama-bench writes both with six decimals, and people round.
ROUNDING = 0.005

# What bears on the speed and stands in the configuration, where the build of llama-bench records it.
_CONFIGURATION = (
    "backends", "gpu_info", "n_gpu_layers", "n_batch", "n_ubatch", "n_threads", "type_k", "type_v", "flash_attn",
    "split_mode", "no_kv_offload", "use_mmap", "tensor_split", "tensor_buft_overrides",
)  # fmt: skip


class BenchTest(Foreign):
    """One test."""

    build_commit: Annotated[str, Field(min_length=1)]
    model_filename: Annotated[str, Field(min_length=1)]
    n_prompt: Count
    n_gen: Count
    n_depth: Count = 0
    test_time: Instant
    avg_ts: Rate | None = None
    samples_ts: Annotated[list[Rate], Field(min_length=1)]
    samples_ns: list[Count] = []


class Bench(RootModel[list[BenchTest]]):
    """The document: an array of tests."""


def to_native(file: InputFile, given: Given) -> dict[str, Any]:
    """Return the native performance receipt that says what llama-bench says.

    Raises:
        BadFile: it isn't what llama-bench writes; the message names each place.
        CallersError: an option that must say what the file doesn't is missing.
    """
    document = strict_json.parse_file(file)
    tests = checked(Bench, document, file.path).root
    if not tests:
        raise BadFile(file.path, "", "it holds no test")
    given.require("version", "commit", "host")
    for index, test in enumerate(tests):
        _coherent(file, f"[{index}]", test, tests[0])
        _agree(file, f"[{index}]", test, given)
    measured_at = given.measured_at or max(test.test_time for test in tests).isoformat().replace("+00:00", "Z")
    counts = {
        "averages": sum(test.avg_ts is not None for test in tests),
        "times in nanoseconds": sum(len(test.samples_ns) for test in tests),
    }
    return {
        "schema": "taggate/performance-receipt/v1",
        "release": given.release(),
        "host": given.demand("host"),
        "measured_at": measured_at,
        "producer": f"llama-bench {tests[0].build_commit}",
        "source": {"format": FORMAT, "sha256": file.sha256},
        "left_out": {name: count for name, count in counts.items() if count} | _unread(tests),
        "rows": [
            {
                "model": _model(test, given),
                "metric": _metric(test),
                "configuration": given.configuration or _configuration(test),
                "run": index + 1,
                **_figure(test, value, given),
            }
            for test in tests
            for index, value in enumerate(test.samples_ts)
        ],
    }


def _coherent(file: InputFile, place: str, test: BenchTest, first: BenchTest) -> None:
    """Refuse a test that says two things of itself, that measured nothing, or that another build ran than the first."""
    if not test.n_prompt and not test.n_gen:
        wrong = "it measured neither a prompt nor an answer: n_gen is 0 too"
        raise BadFile(file.path, f"{place}.n_prompt", wrong, "A test has tokens to read or to write.")
    if test.build_commit != first.build_commit:
        raise BadFile(
            file.path, f"{place}.build_commit",
            f"it measured {test.build_commit[:80]}, and [0] {first.build_commit[:80]}",
            "One file is of one build: bring the tests of each build in by themselves.",
        )  # fmt: skip
    if test.samples_ns and len(test.samples_ns) != len(test.samples_ts):
        wrong = f"it has {len(test.samples_ts)} samples, and samples_ns has {len(test.samples_ns)}"
        raise BadFile(file.path, f"{place}.samples_ts", wrong, "Each sample has its time.")
    average = statistics.fmean(test.samples_ts)
    if test.avg_ts is not None and not math.isclose(test.avg_ts, average, rel_tol=ROUNDING, abs_tol=1e-6):
        wrong = f"it is {test.avg_ts}, and samples_ts come to {average:.6g} on average"
        raise BadFile(file.path, f"{place}.avg_ts", wrong, "Nobody knows which of the two was measured: measure again.")


def _agree(file: InputFile, place: str, test: BenchTest, given: Given) -> None:
    """Refuse options that contradict a test. A comparator's build is another commit than the product's."""
    commit = given.demand("commit")
    if given.comparator is None and not commit.startswith(test.build_commit):
        raise BadFile(
            file.path, f"{place}.build_commit", f"it measured {test.build_commit[:80]}, and --commit says {commit}",
            "Where the figures are a comparator's, name it with --comparator.",
        )  # fmt: skip
    if given.model not in {None, _file(test)}:
        raise BadFile(
            file.path, f"{place}.model_filename", f"it measured {_file(test)[:80]!r}, and --model says {given.model!r}"
        )


def _file(test: BenchTest) -> str:
    # A Windows path is read as one, and a POSIX path has its name after the last slash there too.
    return PureWindowsPath(test.model_filename).name


def _model(test: BenchTest, given: Given) -> dict[str, str]:
    return {"file": _file(test)} | ({"sha256": given.sha256} if given.sha256 else {})


def _metric(test: BenchTest) -> str:
    parts = [f"pp{test.n_prompt}"] if test.n_prompt else []
    parts += [f"tg{test.n_gen}"] if test.n_gen else []
    return "+".join(parts) + (f" @ d{test.n_depth}" if test.n_depth else "")


def _configuration(test: BenchTest) -> str:
    recorded = test.model_extra or {}
    return ", ".join(f"{name}={recorded[name]}" for name in _CONFIGURATION if name in recorded) or "not recorded"


def _unread(tests: list[BenchTest]) -> dict[str, int]:
    """Count the fields of the tests that neither a figure nor its configuration has."""
    fields = Counter(name for test in tests for name in test.model_extra or {} if name not in _CONFIGURATION)
    return {f"the field {name}": count for name, count in sorted(fields.items())}


def _figure(test: BenchTest, value: float, given: Given) -> dict[str, Any]:
    if given.comparator is None:
        return {"value": value}
    return {"comparator": {"name": given.comparator, "pin": test.build_commit, "value": value}}
