"""The native receipts of comparisons: of token ids, of outputs and of speed, each with what it was compared with.

They are JSON or JSON Lines, like every native receipt, and as strict. What a row leaves out stays None, and a shape
turns it red where it is needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from gate.ledger.native import Count, Header, ModelBlock, Verdict, placed_rows
from gate.ledger.rows import Binding, ParityRow, PerformanceRow, Receipt, TokenizerRow
from gate.malformed import Table, checked
from gate.names import Name
from gate.rules import Text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gate.files import InputFile

Figure = Annotated[float, Field(ge=0, le=1e15, allow_inf_nan=False)]
RunNumber = Annotated[int, Field(gt=0, le=2**53)]


class ComparatorBlock(Table):
    """The software that ids are compared with, and its exact build."""

    name: Name
    pin: Text | None = None


class MeasuredComparator(ComparatorBlock):
    """A comparator with what was measured of it in the same run."""

    value: Figure | None = None


class TokenizerComparison(Table):
    """One row of a tokenizer receipt."""

    model: ModelBlock
    comparator: ComparatorBlock | None = None
    corpus: Text | None = None
    compared: Count | None = None
    mismatches: Count | None = None
    round_trip: bool | None = None
    verdict: Verdict | None = None
    reason: str | None = None


class OutputComparison(Table):
    """One row of a parity receipt: one prompt."""

    model: ModelBlock
    prompt: Text
    backend: Name | None = None
    against: Name | None = None
    compared: Count | None = None
    matching_prefix: Count | None = None
    ended: bool | None = None


class PerformanceFigure(Table):
    """One row of a performance receipt: one figure of one run. More must be better; `value` is the product's own."""

    model: ModelBlock
    metric: Name
    configuration: Text
    run: RunNumber
    value: Figure | None = None
    comparator: MeasuredComparator | None = None


class TokenizerReceipt(Header):
    """`taggate/tokenizer-receipt/v1`: token ids against a comparator's. They are the same on every host."""

    schema_: Literal["taggate/tokenizer-receipt/v1"] = Field(alias="schema")
    host: Name | None = None
    rows: list[TokenizerComparison] = []


class ParityReceipt(Header):
    """`taggate/parity-receipt/v1`: outputs of runs on one host against a reference run's."""

    schema_: Literal["taggate/parity-receipt/v1"] = Field(alias="schema")
    host: Name
    rows: list[OutputComparison] = []


class PerformanceReceipt(Header):
    """`taggate/performance-receipt/v1`: figures of runs on one host."""

    schema_: Literal["taggate/performance-receipt/v1"] = Field(alias="schema")
    host: Name
    rows: list[PerformanceFigure] = []


MODELS: dict[str, type[TokenizerReceipt | ParityReceipt | PerformanceReceipt]] = {
    "taggate/tokenizer-receipt/v1": TokenizerReceipt,
    "taggate/parity-receipt/v1": ParityReceipt,
    "taggate/performance-receipt/v1": PerformanceReceipt,
}
_ROWS: dict[str, type[Table]] = {
    "taggate/tokenizer-receipt/v1": TokenizerComparison,
    "taggate/parity-receipt/v1": OutputComparison,
    "taggate/performance-receipt/v1": PerformanceFigure,
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
        tokenizers=tuple(_tokenizer(place, row) for place, row in rows if isinstance(row, TokenizerComparison)),
        parities=tuple(_parity(place, row) for place, row in rows if isinstance(row, OutputComparison)),
        performances=tuple(_performance(place, row) for place, row in rows if isinstance(row, PerformanceFigure)),
        left_out=dict(receipt.left_out),
        contradictions=tuple(receipt.contradictions),
    )


def _tokenizer(place: str, row: TokenizerComparison) -> TokenizerRow:
    return TokenizerRow(
        place=place, file=row.model.file, sha256=row.model.sha256,
        comparator=row.comparator.name if row.comparator else None,
        comparator_pin=row.comparator.pin if row.comparator else None,
        corpus=row.corpus, compared=row.compared, mismatches=row.mismatches, round_trip=row.round_trip,
        reason=row.reason, verdict=row.verdict,
    )  # fmt: skip


def _parity(place: str, row: OutputComparison) -> ParityRow:
    return ParityRow(
        place=place, file=row.model.file, sha256=row.model.sha256, prompt=row.prompt, backend=row.backend,
        against=row.against, compared=row.compared, matching_prefix=row.matching_prefix, ended=row.ended,
    )  # fmt: skip


def _performance(place: str, row: PerformanceFigure) -> PerformanceRow:
    return PerformanceRow(
        place=place, file=row.model.file, sha256=row.model.sha256, metric=row.metric, run=row.run,
        configuration=row.configuration, value=row.value,
        comparator=row.comparator.name if row.comparator else None,
        comparator_value=row.comparator.value if row.comparator else None,
        comparator_pin=row.comparator.pin if row.comparator else None,
    )  # fmt: skip
