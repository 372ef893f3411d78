"""The native receipts of kernels: their errors against a reference, and their conformance at each tensor shape.

They are JSON or JSON Lines, like every native receipt, and as strict. What a row leaves out stays None, and a shape
turns it red where it is needed. A measured error may be the word `NaN`, which is read as unknown, or `inf`.

A conformance receipt may count its rows in a summary. Where the summary counts others than are there, rows were lost or
turned, and no row of it is a pass.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from gate.ledger.foreign import Magnitude
from gate.ledger.native import Count, GpuBlock, Header, Verdict, placed_rows
from gate.ledger.rows import Binding, ConformanceRow, KernelRow, Receipt
from gate.malformed import Table, checked
from gate.names import Name
from gate.rules import Text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gate.files import InputFile


class Kernel(Table):
    """One row of a kernel receipt: a kernel against its reference.

    A discrete kernel, which picks indexes, has `index_mismatch` (how many picks differ) and `tie_margin` (the widest
    gap among them between what was picked and what was not); every other has `max_err`. `case` tells apart the rows of
    a kernel that was measured in several ways.
    """

    kernel: Name
    quant: Name | None = None
    case: Text | None = None
    verdict: Verdict | None = None
    discrete: bool = False
    max_err: Magnitude = None
    bound: Magnitude = None
    bound_source: Text | None = None
    index_mismatch: Count | None = None
    tie_margin: Magnitude = None
    reason: str | None = None


class Conformance(Table):
    """One row of a conformance receipt: one quant type in one class of tensor shapes.

    `excluded` says whether the product doesn't run the type on this host; `worst` is the largest error found, `bound`
    what it was held to, and `bound_source` where that comes from.
    """

    quant: Name
    shape: Name
    kernel: Name | None = None
    verdict: Verdict | None = None
    excluded: bool | None = None
    worst: Magnitude = None
    bound: Magnitude = None
    bound_source: Text | None = None
    reason: str | None = None


class KernelReceipt(Header):
    """`taggate/kernel-receipt/v1`: kernels of one host against their references."""

    schema_: Literal["taggate/kernel-receipt/v1"] = Field(alias="schema")
    host: Name
    gpu: GpuBlock = GpuBlock()
    rows: list[Kernel] = []


class ConformanceSummary(Table):
    """What a conformance receipt says of itself: how many rows it has, and how many of them passed and failed."""

    rows: Count | None = None
    passed: Count | None = None
    failed: Count | None = None


class ConformanceReceipt(Header):
    """`taggate/conformance-receipt/v1`: the quant types and tensor shapes that one host's kernels are right for."""

    schema_: Literal["taggate/conformance-receipt/v1"] = Field(alias="schema")
    host: Name
    gpu: GpuBlock = GpuBlock()
    summary: ConformanceSummary = ConformanceSummary()
    rows: list[Conformance] = []


MODELS: dict[str, type[KernelReceipt | ConformanceReceipt]] = {
    "taggate/kernel-receipt/v1": KernelReceipt,
    "taggate/conformance-receipt/v1": ConformanceReceipt,
}
_ROWS: dict[str, type[Table]] = {
    "taggate/kernel-receipt/v1": Kernel,
    "taggate/conformance-receipt/v1": Conformance,
}


def read(file: InputFile, schema: str, header: Any, lines: Iterable[tuple[int, Any]] | None) -> Receipt:
    """Return the native receipt in `file`.

    Args:
        file: the file.
        schema: the header's schema, one of `MODELS`.
        header: the document, or the first line of JSON Lines.
        lines: the lines after the header with their numbers; None for one JSON object.

    Raises:
        BadFile: it is no such receipt; the message names each place.
    """
    receipt = checked(MODELS[schema], header, file.path, "" if lines is None else "line 1")
    rows = placed_rows(file, "rows", list(receipt.rows), _ROWS[schema], lines)
    conformance = [_conformance(place, row) for place, row in rows if isinstance(row, Conformance)]
    lost = _miscounted(receipt.summary, conformance) if isinstance(receipt, ConformanceReceipt) else None
    if lost is not None:
        conformance = [
            replace(row, verdict="error", reason=row.reason or lost) if row.verdict == "pass" else row
            for row in conformance
        ]
    return Receipt(
        file,
        schema,
        Binding(receipt.release.version, receipt.release.commit, receipt.release.binary_sha256),
        measured_at=receipt.measured_at,
        producer=receipt.producer,
        host=receipt.host,
        kernels=tuple(_kernel(place, row) for place, row in rows if isinstance(row, Kernel)),
        conformance=tuple(conformance),
        compute=receipt.gpu.compute,
        gpu=receipt.gpu.name,
        left_out=dict(receipt.left_out),
        contradictions=(*receipt.contradictions, *([lost] if lost is not None else [])),
    )


def _miscounted(summary: ConformanceSummary, rows: list[ConformanceRow]) -> str | None:
    """Say what a summary counts that isn't there; None where it counts what is, or doesn't count."""
    verdicts = [row.verdict for row in rows]
    counted = {
        "rows": len(rows), "passed": verdicts.count("pass"), "failed": verdicts.count("fail") + verdicts.count("error"),
    }  # fmt: skip
    for name, found in counted.items():
        said = getattr(summary, name)
        if said is not None and said != found:
            return f"summary.{name} is {said}, and the rows here give {found}"
    return None


def _kernel(place: str, row: Kernel) -> KernelRow:
    return KernelRow(
        place=place, kernel=row.kernel, quant=row.quant, verdict=row.verdict, discrete=row.discrete,
        max_err=row.max_err, bound=row.bound, bound_source=row.bound_source, index_mismatch=row.index_mismatch,
        tie_margin=row.tie_margin, reason=row.reason, case=row.case,
    )  # fmt: skip


def _conformance(place: str, row: Conformance) -> ConformanceRow:
    return ConformanceRow(
        place=place, quant=row.quant, shape=row.shape, verdict=row.verdict, excluded=row.excluded, kernel=row.kernel,
        worst=row.worst, bound=row.bound, bound_source=row.bound_source, reason=row.reason,
    )  # fmt: skip
