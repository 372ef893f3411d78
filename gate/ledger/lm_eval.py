"""The results of lm-evaluation-harness (`results_*.json`): they come in through `gate ingest`.

Nothing is taken for a pass. A metric is a figure, and no threshold stands beside it: each becomes a row that was not
judged (`skip`) with its value in the note, and the receipt has no verdict. A suite that the rules require is red on it,
until somebody judges the figures; a receipt of this format never says GO.

The file names the harness's own commit (`git_hash`) and no release of the product: the options do. What a task has
beside its metrics, the samples and the configuration are left out and counted.
"""

from __future__ import annotations

import datetime
from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from gate import strict_json
from gate.errors import BadFile
from gate.malformed import checked

if TYPE_CHECKING:
    from gate.files import InputFile
    from gate.ledger.given import Given

FORMAT = "lm-eval"
TAKES = ("version", "commit", "measured_at", "suite")

_STDERR = "_stderr"


class Results(BaseModel):
    """The document."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True, defer_build=True)

    results: Annotated[dict[str, dict[str, Any]], Field(min_length=1)]
    date: float | None = None


def to_native(file: InputFile, given: Given) -> dict[str, Any]:
    """Return the native suite receipt that holds the metrics in `file`, none of them judged.

    Raises:
        BadFile: it is no such document; the message names each place.
        CallersError: an option that the file needs wasn't given.
    """
    document = checked(Results, strict_json.parse_file(file), file.path)
    left_out = Counter(f"the field {name}" for name in document.model_extra or {})
    rows = []
    for task, values in document.results.items():
        metrics = {name: value for name, value in values.items() if "," in name}
        left_out.update(f"results, the field {name}" for name in values if name not in metrics)
        figures = {name: value for name, value in metrics.items() if not _is_error(name)}
        rows += [_row(file, task, name, metrics) for name in figures]
    if not rows:
        raise BadFile(
            file.path, "results", "no task has a metric", "A metric is called acc,none: its name, its filter."
        )
    measured_at = given.measured_at or _date(file, document)
    given.require("version", "commit", measured_at=measured_at)
    return {
        "schema": "taggate/suite-receipt/v1",
        "release": given.release(),
        "measured_at": measured_at,
        "producer": f"lm-evaluation-harness, {len(document.results)} tasks, {len(rows)} metrics, none judged",
        "source": {"format": FORMAT, "sha256": file.sha256},
        "left_out": dict(sorted(left_out.items())),
        "suite": given.suite or "lm-eval",
        "rows": rows,
    }


def _is_error(metric: str) -> bool:
    return metric.partition(",")[0].endswith(_STDERR)


def _row(file: InputFile, task: str, metric: str, metrics: dict[str, Any]) -> dict[str, Any]:
    name, _, filtered = metric.partition(",")
    value, error = metrics[metric], metrics.get(f"{name}{_STDERR},{filtered}")
    for said in (value, error):
        # The harness writes N/A where it estimated none.
        if isinstance(said, bool) or not isinstance(said, int | float | str | None):
            raise BadFile(file.path, f"results.{task[:80]}.{metric[:80]}", "it is neither a number nor N/A")
    spread = f" (standard error {error})" if isinstance(error, int | float) else ""
    return {
        "name": f"{task}/{metric}",
        "result": "skip",
        "note": f"{metric} is {value}{spread}; no threshold judges it",
    }


def _date(file: InputFile, document: Results) -> str | None:
    """Return when the harness began, which it writes as seconds since 1970."""
    if document.date is None:
        return None
    try:
        return datetime.datetime.fromtimestamp(document.date, datetime.UTC).isoformat()
    except (OverflowError, OSError, ValueError):
        raise BadFile(file.path, "date", f"{document.date} is no time of any day") from None
