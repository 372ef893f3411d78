"""The throughput of aprender against llama.cpp, which carries no schema: it comes in through `gate ingest`.

What is taken for a figure: each sample of a rate (`…_per_sec`, `…_rps`), in which more is better, of the lane `apr`,
beside the sample of the same number of the lane `llamacpp`. The lanes were driven one after the other by one client
with one protocol; the n-th sample of each is the n-th run. The protocol is the configuration, the pinned comparator's
build is kept.

Left out, and counted: latencies (`…_ms`), in which less is better, so that no claim of at least so much can rest on
them; the medians, which are no runs; the ratios that the file computed itself; and other lanes, such as the published
build's, which are figures of another binary. The headline is prose.

The file names a version and a short commit: `--commit` names the full one and may not contradict it. It names no file
for its model and no time of day: the options do. Its host is what stands before the first comma, unless `--host` says
otherwise.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from gate import strict_json
from gate.errors import BadFile
from gate.ledger.foreign import Foreign, unread
from gate.malformed import checked
from gate.versions import VersionText

if TYPE_CHECKING:
    from gate.files import InputFile
    from gate.ledger.given import Given

FORMAT = "apr-findings"
TAKES = ("version", "commit", "host", "measured_at", "binary", "model", "sha256", "configuration")

Rate = Annotated[float, Field(ge=0, le=1e15, allow_inf_nan=False)]
Line = Annotated[str, Field(min_length=1)]

_BUILD = re.compile(r"(\S+) \(([0-9a-f]{7,40})\).*")
_RATES = ("_per_sec", "_rps")
_OTHER_LANES = "other lanes' samples"


class Samples(Foreign):
    """One metric of one lane."""

    median: Rate | None = None
    samples: list[Rate]


Lane = dict[str, Samples]


class Findings(Foreign):
    """The document."""

    protocol: Line
    host: Line
    comparator_pin: Line
    apr_build: Line
    apr: Annotated[Lane, Field(min_length=1)]
    llamacpp: Lane


class Version(Foreign):
    """The version in the build's line."""

    version: VersionText


def to_native(file: InputFile, given: Given) -> dict[str, Any]:
    """Return the native performance receipt that says what the file says.

    Raises:
        BadFile: it is no such file, or an option contradicts it; the message names the place.
        CallersError: an option that must say what the file doesn't is missing.
    """
    document = strict_json.parse_file(file)
    findings = checked(Findings, document, file.path)
    given.require("commit", "measured_at", "model")
    model = {"file": given.demand("model"), "sha256": given.sha256}
    return {
        "schema": "taggate/performance-receipt/v1",
        "release": _release(file, findings, given),
        "host": given.host or findings.host.partition(",")[0].strip(),
        "measured_at": given.demand("measured_at"),
        "producer": "apr test llm bench",
        "source": {"format": FORMAT, "sha256": file.sha256},
        "left_out": {name: count for name, count in _left_out(findings, document).items() if count} | unread(findings),
        "rows": [
            {
                "model": {key: value for key, value in model.items() if value is not None},
                "metric": metric,
                "configuration": given.configuration or findings.protocol,
                "run": index + 1,
                "value": value,
                "comparator": _comparator(findings, metric, index),
            }
            for metric, measured in sorted(findings.apr.items())
            if metric.endswith(_RATES)
            for index, value in enumerate(measured.samples)
        ],
    }


def _comparator(findings: Findings, metric: str, index: int) -> dict[str, Any]:
    """Return the comparator with its sample of this number; without a value where it has none."""
    named = {"name": "llama.cpp", "pin": findings.comparator_pin}
    samples = findings.llamacpp[metric].samples if metric in findings.llamacpp else []
    return named | ({"value": samples[index]} if index < len(samples) else {})


def _release(file: InputFile, findings: Findings, given: Given) -> dict[str, str]:
    """Return the version and the full commit, in which the file and the options must agree."""
    build = _BUILD.fullmatch(findings.apr_build)
    if build is None:
        raise BadFile(file.path, "apr_build", f"{findings.apr_build[:80]!r} names no version and commit")
    version = checked(Version, {"version": build[1]}, f"{file.path}, apr_build").version
    commit: str = given.demand("commit")
    if given.version not in {None, version}:
        raise BadFile(file.path, "apr_build", f"it measured {version}, and --release says {given.version}")
    if not commit.startswith(build[2]):
        raise BadFile(file.path, "apr_build", f"it measured the commit {build[2]}, and --commit says {commit}")
    return {"version": version, "commit": commit} | given.named_binary()


def _left_out(findings: Findings, document: dict[str, Any]) -> dict[str, int]:
    """Count what is no figure of a claim."""
    both = [findings.apr, findings.llamacpp]
    latencies = [m for lane in both for metric, m in lane.items() if not metric.endswith(_RATES)]
    extra = sum(
        max(0, len(measured.samples) - len(findings.apr[metric].samples if metric in findings.apr else []))
        for metric, measured in findings.llamacpp.items()
        if metric.endswith(_RATES)
    )
    lanes = [value for key, value in document.items() if key not in {"apr", "llamacpp"} and isinstance(value, dict)]
    tables = [table for lane in lanes for table in lane.values() if isinstance(table, dict)]
    return {
        "samples of latencies, in which less is better": sum(len(measured.samples) for measured in latencies),
        "medians": sum(measured.median is not None for lane in both for measured in lane.values()),
        "samples of the comparator without one of apr": extra,
        _OTHER_LANES: sum(len(t["samples"]) for t in tables if isinstance(t.get("samples"), list)),
        "ratios computed in the file": sum(
            isinstance(value, (int, float))
            for key, lane in document.items() if key.endswith("_over_llamacpp") and isinstance(lane, dict)
            for value in lane.values()
        ),
    }  # fmt: skip
