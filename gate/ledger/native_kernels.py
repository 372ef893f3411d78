"""The native receipts of kernels: their errors against a reference, and their conformance at each tensor shape.

They are JSON or JSON Lines, like every native receipt, and as strict. What a row leaves out stays None, and a shape
turns it red where it is needed. A measured error may be the word `NaN`, which is read as unknown, or `inf`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from gate.ledger.foreign import Magnitude
from gate.ledger.native import Count, GpuBlock, Header, Verdict, placed_rows
from gate.ledger.rows import Binding, ConformanceRow, KernelRow, Receipt
from gate.malformed import Table, checked
from gate.names import Name
from gate.rules import Text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gate.files import InputFile


def _boundless(value: Any) -> Any:
    return "inf" if isinstance(value, str) and value.strip().lower() == "nan" else value


# The largest error of a shape. It is held against no bound, so that NaN, which is within none, is read as infinite.
Worst = Annotated[Magnitude, BeforeValidator(_boundless)]


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

    `excluded` says whether the product doesn't run the type on this host; `worst` is the largest error found.
    """

    quant: Name
    shape: Name
    kernel: Name | None = None
    verdict: Verdict | None = None
    excluded: bool | None = None
    worst: Worst = None
    reason: str | None = None


class KernelReceipt(Header):
    """`taggate/kernel-receipt/v1`: kernels of one host against their references."""

    schema_: Literal["taggate/kernel-receipt/v1"] = Field(alias="schema")
    host: Name
    gpu: GpuBlock = GpuBlock()
    rows: list[Kernel] = []


class ConformanceReceipt(Header):
    """`taggate/conformance-receipt/v1`: the quant types and tensor shapes that one host's kernels are right for."""

    schema_: Literal["taggate/conformance-receipt/v1"] = Field(alias="schema")
    host: Name
    gpu: GpuBlock = GpuBlock()
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
    return Receipt(
        file,
        schema,
        Binding(receipt.release.version, receipt.release.commit, receipt.release.binary_sha256),
        measured_at=receipt.measured_at,
        producer=receipt.producer,
        host=receipt.host,
        kernels=tuple(_kernel(place, row) for place, row in rows if isinstance(row, Kernel)),
        conformance=tuple(_conformance(place, row) for place, row in rows if isinstance(row, Conformance)),
        compute=receipt.gpu.compute,
        gpu=receipt.gpu.name,
        left_out=dict(receipt.left_out),
        contradictions=tuple(receipt.contradictions),
    )


def _kernel(place: str, row: Kernel) -> KernelRow:
    return KernelRow(
        place=place, kernel=row.kernel, quant=row.quant, verdict=row.verdict, discrete=row.discrete,
        max_err=row.max_err, bound=row.bound, bound_source=row.bound_source, index_mismatch=row.index_mismatch,
        tie_margin=row.tie_margin, reason=row.reason, case=row.case,
    )  # fmt: skip


def _conformance(place: str, row: Conformance) -> ConformanceRow:
    return ConformanceRow(
        place=place, quant=row.quant, shape=row.shape, verdict=row.verdict, excluded=row.excluded, kernel=row.kernel,
        worst=row.worst, reason=row.reason,
    )  # fmt: skip
