"""The inventory of an aprender model ladder as JSON Lines, without a schema: it comes in through `gate ingest`.

One line a file that the host holds: its name, its size and, where it was hashed, its sha256. It measured neither
architecture nor context length nor template, so that the native receipt doesn't say them, and what is owed of such a
model is owed in full. Nothing is taken for a pass: an inventory only adds to what is owed.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from gate import strict_json
from gate.malformed import checked
from gate.names import Name
from gate.rules import Sha256

if TYPE_CHECKING:
    from gate.files import InputFile
    from gate.ledger.given import Given

FORMAT = "apr-ladder-inventory"
TAKES = ("version", "commit", "host", "measured_at")


class HeldFile(BaseModel):
    """One line."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True, defer_build=True)

    file: Name
    sha256: Sha256 | None = None
    bytes: Annotated[int, Field(ge=0, le=2**53)] | None = None
    arch: str | None = None
    context_length: Annotated[int, Field(gt=0, le=2**53)] | None = None


def to_native(file: InputFile, given: Given) -> dict[str, Any]:
    """Return the native inventory receipt that says what the lines in `file` say.

    Raises:
        BadFile: a line is no such entry; the message names it.
        CallersError: an option that the inventory needs wasn't given.
    """
    held = [checked(HeldFile, line, file.path, f"line {n}") for n, line in strict_json.parse_lines(file)]
    given.require("version", "commit", "host", "measured_at")
    left_out = Counter(f"the field {name}" for entry in held for name in entry.model_extra or {})
    identified = sum(entry.sha256 is not None for entry in held)
    return {
        "schema": "taggate/inventory-receipt/v1",
        "release": given.release(),
        "host": given.demand("host"),
        "measured_at": given.demand("measured_at"),
        "producer": f"apr model ladder, {len(held)} files: {identified} with a sha256",
        "source": {"format": FORMAT, "sha256": file.sha256},
        "left_out": dict(left_out),
        "models": [{k: v for k, v in _fields(entry).items() if v is not None} for entry in held],
    }


def _fields(entry: HeldFile) -> dict[str, Any]:
    return {name: getattr(entry, name) for name in HeldFile.model_fields}
