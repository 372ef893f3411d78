"""The result of vLLM's benchmarks (`vllm bench serve --save-result`, `vllm bench throughput --output-json`).

It has no schema and comes in through `gate ingest`. What is taken for a figure: the rates that the file holds, in which
more is better: requests and tokens a second. One file is one run: `--number` says which of a claim's, 1 without it. A
run in which a request failed measured something else than its rates say: they are left out, and nothing is recorded but
that the run was there. Latencies, in which less is better, are left out and counted.

The figures are the product's own, unless `--comparator` says of whom they are: then they are the comparator's.

vLLM writes its local time without a zone, and names no host, version, commit or file of its model: the options do. The
configuration is made of what the file says of the load, or is what `--configuration` calls it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from gate import strict_json
from gate.errors import BadFile
from gate.ledger.foreign import Foreign
from gate.malformed import checked

if TYPE_CHECKING:
    from gate.files import InputFile
    from gate.ledger.given import Given

FORMAT = "vllm-bench"
TAKES = (
    "version", "commit", "host", "measured_at", "binary", "model", "sha256", "comparator", "configuration", "number",
)  # fmt: skip

Count = Annotated[int, Field(ge=0, le=2**53)]
Rate = Annotated[float, Field(ge=0, le=1e15, allow_inf_nan=False)]

_RATES = (
    "request_throughput", "request_goodput", "output_throughput", "total_token_throughput",  # serve
    "requests_per_second", "tokens_per_second",  # throughput
)  # fmt: skip
_LOAD = (
    "backend", "endpoint_type", "dataset_name", "request_rate", "burstiness", "max_concurrency", "num_prompts",
    "num_requests", "total_input_tokens", "total_num_tokens",
)  # fmt: skip


class VllmResult(Foreign):
    """The document. Of a run without failures, `completed` is what `num_prompts` or `num_requests` asked for."""

    request_throughput: Rate | None = None
    request_goodput: Rate | None = None
    output_throughput: Rate | None = None
    total_token_throughput: Rate | None = None
    requests_per_second: Rate | None = None
    tokens_per_second: Rate | None = None
    num_prompts: Count | None = None
    num_requests: Count | None = None
    completed: Count | None = None
    failed: Count | None = None
    errors: list[Any] = []


def to_native(file: InputFile, given: Given) -> dict[str, Any]:
    """Return the native performance receipt that says what the benchmark says.

    Raises:
        BadFile: it isn't what vLLM writes, or holds no rate; the message names each place.
        CallersError: an option that must say what the file doesn't is missing.
    """
    document = strict_json.parse_file(file)
    result = checked(VllmResult, document, file.path)
    rates = {name: value for name in _RATES if (value := getattr(result, name)) is not None}
    if not rates:
        raise BadFile(file.path, "", f"it holds no rate; the rates are {', '.join(_RATES)}")
    given.require("version", "commit", "host", "measured_at", "model")
    model = {"file": given.demand("model"), "sha256": given.sha256}
    whole = not _failures(result)
    counts = {
        "latencies": sum(name.endswith("_ms") for name in document),
        "rates of a run in which requests failed": 0 if whole else len(rates),
    }
    return {
        "schema": "taggate/performance-receipt/v1",
        "release": given.release(),
        "host": given.demand("host"),
        "measured_at": given.demand("measured_at"),
        "producer": "vLLM benchmark",
        "source": {"format": FORMAT, "sha256": file.sha256},
        "left_out": {name: count for name, count in counts.items() if count} | _unread(result),
        "rows": [
            {
                "model": {key: value for key, value in model.items() if value is not None},
                "metric": name,
                "configuration": given.configuration or _configuration(document),
                "run": given.number or 1,
                **_figure(value if whole else None, given),
            }
            for name, value in rates.items()
        ],
    }


def _failures(result: VllmResult) -> bool:
    """Say whether a request failed, or none was completed. vLLM lists an empty text for each that did not fail."""
    asked = {count for count in (result.num_prompts, result.num_requests) if count is not None}
    other = result.completed is not None and (result.completed == 0 or bool(asked - {result.completed}))
    return other or bool(result.failed) or any(result.errors)


def _configuration(document: dict[str, Any]) -> str:
    return ", ".join(f"{name}={document[name]}" for name in _LOAD if document.get(name) is not None) or "not recorded"


def _unread(result: VllmResult) -> dict[str, int]:
    """Count the fields that neither a rate nor its configuration has; latencies are counted together."""
    fields = sorted(set(result.model_extra or {}) - set(_LOAD))
    return {f"the field {name}": 1 for name in fields if not name.endswith("_ms")}


def _figure(value: float | None, given: Given) -> dict[str, Any]:
    measured = {} if value is None else {"value": value}
    return measured if given.comparator is None else {"comparator": {"name": given.comparator, **measured}}
