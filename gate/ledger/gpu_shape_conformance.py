"""`gpu-shape-conformance/v1`: whether one host's kernels are right for each quant type at each tensor shape it holds.

What is taken for a pass: a row whose `pass` is true, whose `worst` error is a number within the receipt's `tolerance`,
which names no `panic`, and whose type has a negative control that went red. The control feeds the kernel a corrupted
block; where it stays green, or its error lies within the tolerance, the harness can't see that type's errors, so that
its passes prove nothing: they are read as `skip`. A `pass` that contradicts its own row is reported and is no pass.
Where the harness ended with another code than 0, or counts other numbers of passed or failed rows than are here,
excluded ones aside, no row is a pass either.

The bound of each row is the receipt's `tolerance`, and that field is its source. How wide it may be, the rules say.

A row says `excluded` where the product doesn't run the type on that GPU. It is handed on, and is never a pass. Where
`excluded_types` says otherwise, that is reported, and the rows count.

`qtype` is ggml's number of a quant type. The class of a tensor's shape is `<k>x<n_held>`: a row of `k` numbers, and the
number of rows that the models hold, however many of them the harness tested.

Its rows serve as the host's census where the receipt names the census files that they were generated from: the harness
writes a row for each type and shape that they hold. Beside an inventory's own census it can only add to what is owed.

The format has a full `commit` and no version, which that commit then says. `gpu` is `NVIDIA GB10, 12.1`.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from gate.errors import BadFile
from gate.ledger import ggml
from gate.ledger.foreign import Foreign, Magnitude, unread
from gate.ledger.rows import Binding, ConformanceRow, Receipt
from gate.malformed import checked
from gate.names import Name
from gate.rules import compute_capability
from gate.subject import FULL_COMMIT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gate.files import InputFile

_CAPABILITY = re.compile(r", *([0-9]{1,2}\.[0-9])$")
Size = Annotated[int, Field(gt=0, le=2**53)]
QuantType = Annotated[int, Field(ge=0, lt=2**31)]


class ShapeRow(Foreign):
    """An entry of `rows`."""

    qtype: QuantType
    k: Size
    n_held: Size
    pass_: Annotated[bool | None, Field(alias="pass")] = None
    worst: Magnitude = None
    excluded: bool | None = None
    panic: str | None = None


class Control(Foreign):
    """A negative control: whether it went red, and by which error."""

    red: bool | None = None
    worst: Magnitude = None


class ShapeConformance(Foreign):
    """The document."""

    host: Name
    commit: str | None = None
    gpu: str | None = None
    cc_major: int | None = None
    tolerance: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    harness_rc: int | None = None
    failed: int | None = None
    passed: int | None = None
    excluded_types: list[QuantType] | None = None
    census: dict[str, str] = {}
    negative_controls: dict[str, Control] = {}
    blind_types: list[QuantType] = []
    rows: list[ShapeRow] = []


def read(file: InputFile, schema: str, document: Any, lines: Iterable[tuple[int, Any]] | None) -> Receipt:
    """Return the conformance receipt in `file`.

    Raises:
        BadFile: it is no such document; the message names each place.
    """
    if lines is not None:
        raise BadFile(file.path, "line 1", f"{schema} is one JSON object", "Name the file .json.")
    found = checked(ShapeConformance, document, file.path)
    commit = found.commit if found.commit and FULL_COMMIT.fullmatch(found.commit) else None
    rows = [_row(index, row, found) for index, row in enumerate(found.rows)]
    why = _harness_failed(found)
    if why is not None:
        rows = [
            replace(row, verdict="error", reason=row.reason or why) if row.verdict == "pass" else row for row in rows
        ]
    capability = _CAPABILITY.search(found.gpu or "")
    return Receipt(
        file, schema, Binding(None, commit, versionless=True, binaryless=True), host=found.host,
        conformance=tuple(rows),
        census=tuple((row.quant, row.shape) for row in rows) if found.census else None,
        compute=compute_capability(capability[1]) if capability else None,
        gpu=(_CAPABILITY.sub("", found.gpu).strip() or None) if found.gpu else None,
        left_out=unread(found, rows=found.rows), contradictions=tuple(_contradictions(found, rows, why)),
    )  # fmt: skip


def _row(index: int, row: ShapeRow, found: ShapeConformance) -> ConformanceRow:
    verdict, reason = _judged(row, found)
    return ConformanceRow(
        place=f"rows[{index}]", quant=ggml.type_name(row.qtype), shape=f"{row.k}x{row.n_held}", verdict=verdict,
        excluded=row.excluded, worst=row.worst, bound=found.tolerance,
        bound_source="the receipt's tolerance" if found.tolerance is not None else None, reason=row.panic or reason,
    )  # fmt: skip


def _judged(row: ShapeRow, found: ShapeConformance) -> tuple[str | None, str | None]:
    """Return a row's verdict by its own checks, and why it is none that `pass` would say."""
    if row.pass_ is not True:
        return (None if row.pass_ is None else "fail"), None
    if row.panic is not None:
        return "error", None
    if row.worst is None or found.tolerance is None or row.worst > found.tolerance:
        return "fail", "no error within the tolerance is recorded, though pass is true"
    control = found.negative_controls.get(str(row.qtype))
    blind = control is None or control.red is not True or row.qtype in found.blind_types
    if blind or _within(control, found.tolerance):
        return "skip", "the type's negative control did not go red, so that a pass proves nothing"
    return "pass", None


def _within(control: Control | None, tolerance: float | None) -> bool:
    """Say whether a control's error lies within the tolerance, so that no error of the type would be seen."""
    return control is not None and control.worst is not None and tolerance is not None and control.worst <= tolerance


def _harness_failed(found: ShapeConformance) -> str | None:
    """Say why the harness as a whole can't be believed, so that none of its passes is one."""
    if found.harness_rc:
        return f"the harness ended with {found.harness_rc}"
    judged = [row.pass_ for row in found.rows if row.excluded is not True]
    excluded = [row.pass_ for row in found.rows if row.excluded is True]
    for name, said, value in (("failed", found.failed, False), ("passed", found.passed, True)):
        here = judged.count(value)
        # A row that says neither may be counted or not, and so may an excluded one that says it passed.
        most = here + judged.count(None) + (excluded.count(True) if value else 0)
        if said is not None and not here <= said <= most:
            return f"the harness counts {said} {name} rows, and {here} are here"
    return None


def _contradictions(found: ShapeConformance, rows: list[ConformanceRow], why: str | None) -> Iterator[str]:
    if why is not None:
        yield why
    claimed = Counter(row.verdict for row, said in zip(rows, found.rows, strict=True) if said.pass_ is True)
    denied = claimed["fail"] + (claimed["error"] if why is None else 0)
    if denied:
        yield f"pass is true of {denied} rows whose own checks deny it"
    for number, control in sorted(found.negative_controls.items()):
        if control.red is True and _within(control, found.tolerance):
            yield f"the control of type {number} went red, by an error of {control.worst:g} within the tolerance"
    yield from _exclusions(found)
    capability = _CAPABILITY.search(found.gpu or "")
    if capability and found.cc_major is not None and capability[1].partition(".")[0] != str(found.cc_major):
        yield f"cc_major is {found.cc_major}, and gpu says {capability[1]}"


def _exclusions(found: ShapeConformance) -> Iterator[str]:
    """Yield where the receipt's list of excluded types and its rows say two things."""
    if found.excluded_types is None:
        return
    listed = set(found.excluded_types)
    for qtype in sorted({row.qtype for row in found.rows if (row.excluded is True) != (row.qtype in listed)}):
        name, word = ggml.type_name(qtype), "lists" if qtype in listed else "lacks"
        yield f"excluded_types {word} {name}, and rows of it say otherwise"
