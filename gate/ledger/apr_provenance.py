"""The provenance line of `apr`, `{"requested", "ran", "fell_back"}`: it comes in through `gate ingest`, one run a file.

What is taken for a pass: exit code 0, `ran` equal to `requested`, and `fell_back` false. A fallback is a failure,
whatever the exit code; a null or absent `ran` or `fell_back` leaves the verdict out. Nothing else is known of the run:
which model it was, and what was asked and answered, says the caller in a file (`--run`), and a shape turns red what
that file leaves out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from gate import strict_json
from gate.errors import BadFile
from gate.malformed import Table, checked
from gate.names import Name
from gate.rules import Sha256

if TYPE_CHECKING:
    from gate.files import InputFile
    from gate.ledger.given import Given

FORMAT = "apr-provenance"
TAKES = ("version", "commit", "host", "measured_at", "binary", "exit_code", "run")

Count = Annotated[int, Field(ge=0, le=2**53)]


class Provenance(BaseModel):
    """The line."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True, defer_build=True)

    requested: Name
    ran: Name | None = None
    fell_back: bool | None = None


class RunModel(Table):
    """The model file."""

    file: Name
    sha256: Sha256 | None = None


class RunFile(Table):
    """What the caller says of the run: the fields of a native row that the line can't say."""

    model: RunModel
    verb: Name
    context: Name | None = None
    thinking: Literal["on", "off"] | None = None
    prompt_tokens: Count | None = None
    answer_chars: Count | None = None
    seconds: Annotated[float, Field(ge=0)] | None = None


def to_native(file: InputFile, given: Given) -> dict[str, Any]:
    """Return the native run receipt of the one run that the line in `file` speaks of.

    Raises:
        BadFile: it isn't one such line, or the run's file isn't one; the message names each place.
        CallersError: an option that the line needs wasn't given.
    """
    lines = list(strict_json.parse_lines(file))
    if len(lines) > 1:
        raise BadFile(file.path, f"line {lines[1][0]}", "there is a second line", "A run has one line of provenance.")
    ((number, line),) = lines
    said = checked(Provenance, line, file.path, f"line {number}")
    given.require("version", "commit", "host", "measured_at", "exit_code", "run")
    described: InputFile = given.demand("run")
    run = checked(RunFile, strict_json.parse_file(described), described.path)
    exit_code: int = given.demand("exit_code")
    verdict, reason = _verdict(said, exit_code)
    row = {
        **run.model_dump(exclude_none=True),
        "verdict": verdict,
        "backend": said.model_dump(include={"requested", "ran", "fell_back"}, exclude_none=True),
        "exit_code": exit_code,
        "reason": reason,
    }
    return {
        "schema": "taggate/run-receipt/v1",
        "release": given.release(),
        "host": given.demand("host"),
        "measured_at": given.demand("measured_at"),
        "producer": f"apr provenance line; the run as the caller describes it (sha256 {described.sha256})",
        "source": {"format": FORMAT, "sha256": file.sha256},
        "left_out": {f"the field {name}": 1 for name in sorted(said.model_extra or {})},
        "runs": [{name: value for name, value in row.items() if value is not None}],
    }


def _verdict(said: Provenance, exit_code: int) -> tuple[str | None, str]:
    faults = [f"exit code {exit_code}"] if exit_code else []
    if said.fell_back:
        faults.append("fell back")
    if said.ran is not None and said.ran != said.requested:
        faults.append(f"{said.requested} was asked for, and {said.ran} ran")
    if faults:
        return "fail", "; ".join(faults)
    if said.ran is None or said.fell_back is None:
        return None, "the line doesn't say where it ran, or whether it fell back"
    return "pass", ""
