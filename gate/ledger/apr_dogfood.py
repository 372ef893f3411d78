"""The dogfood receipt of the aprender project, which carries no schema: it comes in through `gate ingest`.

What is taken for a pass: a verdict of `GO`. Each gate's own result is kept as a row. `PASS` is a pass, `FAIL` a
failure; `DEFER`, `SKIP`, `REPORT`, `WARN`, `INFO` and `MANUAL` ran nothing that could fail, and become `skip`. Other
fields are counted as left out.
"""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from gate import strict_json
from gate.errors import BadFile
from gate.ledger.foreign import Foreign, unread
from gate.malformed import checked
from gate.subject import Commit
from gate.versions import VersionText

if TYPE_CHECKING:
    from gate.files import InputFile
    from gate.ledger.given import Given

FORMAT = "apr-dogfood"
TAKES: tuple[str, ...] = ()

_RESULTS = {"PASS": "pass", "FAIL": "fail"}


class DogfoodGate(Foreign):
    """One gate of the receipt."""

    gate: str
    result: Literal["PASS", "FAIL", "DEFER", "SKIP", "REPORT", "WARN", "INFO", "MANUAL"]
    note: str = ""


class Dogfood(Foreign):
    """The document."""

    crate: str
    version: VersionText
    timestamp: Annotated[str, Field(pattern=r"^\d{8}T\d{6}Z$")]
    commit: Commit
    verdict: Literal["GO", "NO-GO"]
    gates: Annotated[list[DogfoodGate], Field(min_length=1)]


def to_native(file: InputFile, _: Given) -> dict[str, Any]:
    """Return the native suite receipt that says what the dogfood receipt in `file` says.

    Raises:
        BadFile: it is no dogfood receipt; the message names each place.
    """
    dogfood = checked(Dogfood, strict_json.parse_file(file), file.path)
    try:
        measured = datetime.datetime.strptime(dogfood.timestamp, "%Y%m%dT%H%M%SZ").replace(tzinfo=datetime.UTC)
    except ValueError:
        raise BadFile(file.path, "timestamp", f"{dogfood.timestamp!r} is no time of any day") from None
    return {
        "schema": "taggate/suite-receipt/v1",
        "release": {"version": dogfood.version, "commit": dogfood.commit},
        "measured_at": measured.isoformat().replace("+00:00", "Z"),
        "producer": f"dogfood of {dogfood.crate}",
        "source": {"format": FORMAT, "sha256": file.sha256},
        "left_out": unread(dogfood, gates=dogfood.gates),
        "suite": "dogfood",
        "verdict": dogfood.verdict.lower(),
        "rows": [
            {
                "name": gate.gate,
                "result": _RESULTS.get(gate.result, "skip"),
                "note": gate.note if gate.result in _RESULTS else f"{gate.result}: {gate.note}",
            }
            for gate in dogfood.gates
        ],
    }
