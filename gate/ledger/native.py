"""The native receipts, `taggate/*-receipt/v1`: JSON (one object), or JSON Lines (a header line, then one row a line).

What a row leaves out stays None, and a shape turns it red; what it says in the wrong type is refused by the file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from gate.errors import BadFile
from gate.ledger.instants import Instant
from gate.ledger.rows import Binding, Evidence, Held, Inventory, Receipt, RunRow, SuiteRow, SuiteRun
from gate.malformed import Table, checked
from gate.names import Name
from gate.rules import Compute, Sha256, Text
from gate.subject import Commit
from gate.versions import VersionText

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gate.files import InputFile

Verdict = Literal["pass", "fail", "error", "skip", "refused"]
Count = Annotated[int, Field(ge=0, le=2**53)]


class ReleaseBlock(Table):
    """What was measured."""

    version: VersionText
    commit: Commit
    binary_sha256: Sha256 | None = None


class ModelBlock(Table):
    """The model file that a row measured."""

    file: Name
    sha256: Sha256 | None = None


class BackendBlock(Table):
    """Which backend was asked for, which one ran, and whether the run fell back."""

    requested: Name | None = None
    ran: Name | None = None
    fell_back: bool | None = None


class EvidenceBlock(Table):
    """A file beside the receipt that the row rests on."""

    path: Text
    sha256: Sha256


class Run(Table):
    """One row of a run receipt."""

    model: ModelBlock
    verb: Name
    context: Name | None = None
    thinking: Literal["on", "off"] | None = None
    verdict: Verdict | None = None
    backend: BackendBlock = BackendBlock()
    exit_code: int | None = None
    prompt_tokens: Count | None = None
    answer_chars: Count | None = None
    seconds: Annotated[float, Field(ge=0)] | None = None
    reason: str | None = None
    think_closed: bool | None = None
    required_bytes: Count | None = None
    warnings: list[str] | None = None
    evidence: EvidenceBlock | None = None


class KernelBlock(Table):
    """A kernel, at the quant type that it works on; a kernel that works on no weights has none."""

    kernel: Name
    quant: Name | None = None


class CensusBlock(Table):
    """A quant type that a host's models hold, in one class of tensor shapes."""

    quant: Name
    shape: Name


class HeldModel(Table):
    """One file of an inventory."""

    file: Name
    sha256: Sha256 | None = None
    bytes: Count | None = None
    arch: Text | None = None
    quant: Text | None = None
    context_length: Annotated[int, Field(gt=0, le=2**53)] | None = None
    template_markers: list[str] | None = None
    thinking_modes: list[Literal["on", "off"]] | None = None
    weights_bytes: Count | None = None
    kv_bytes_per_token: Count | None = None
    workspace_bytes: Count | None = None
    tensor_types: dict[Name, Count] | None = None
    dispatched: list[KernelBlock] | None = None


class GpuBlock(Table):
    """The GPU that the host measured with."""

    name: Text | None = None
    compute: Compute | None = None
    memory_bytes: Count | None = None


class SuiteCheck(Table):
    """One check of a suite."""

    name: Text
    result: Verdict
    note: str = ""


class SourceBlock(Table):
    """The foreign file that a receipt was made from, so that anyone can check it against the original."""

    format: Text
    sha256: Sha256


class Header(Table):
    """What every native receipt begins with."""

    release: ReleaseBlock
    measured_at: Instant
    producer: Text
    source: SourceBlock | None = None
    left_out: dict[Text, Annotated[int, Field(gt=0, le=2**53)]] = {}
    contradictions: list[Text] = []


class RunReceipt(Header):
    """`taggate/run-receipt/v1`: runs of models on one host."""

    schema_: Literal["taggate/run-receipt/v1"] = Field(alias="schema")
    host: Name
    runs: list[Run] = []


class InventoryReceipt(Header):
    """`taggate/inventory-receipt/v1`: what one host holds."""

    schema_: Literal["taggate/inventory-receipt/v1"] = Field(alias="schema")
    host: Name
    gpu: GpuBlock = GpuBlock()
    census: list[CensusBlock] | None = None
    models: list[HeldModel] = []


class SummaryBlock(Table):
    """What a suite receipt says of itself: how many rows it has."""

    rows: Count | None = None


class SuiteReceipt(Header):
    """`taggate/suite-receipt/v1`: one run of one suite."""

    schema_: Literal["taggate/suite-receipt/v1"] = Field(alias="schema")
    suite: Name
    verdict: Literal["go", "no-go"] | None = None
    summary: SummaryBlock = SummaryBlock()
    rows: list[SuiteCheck] = []


ROWS_KEY: dict[str, tuple[str, type[Table]]] = {
    "taggate/run-receipt/v1": ("runs", Run),
    "taggate/inventory-receipt/v1": ("models", HeldModel),
    "taggate/suite-receipt/v1": ("rows", SuiteCheck),
}
MODELS: dict[str, type[RunReceipt | InventoryReceipt | SuiteReceipt]] = {
    "taggate/run-receipt/v1": RunReceipt,
    "taggate/inventory-receipt/v1": InventoryReceipt,
    "taggate/suite-receipt/v1": SuiteReceipt,
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
    key, row_model = ROWS_KEY[schema]
    rows = placed_rows(file, key, getattr(receipt, key), row_model, lines)
    binding = Binding(receipt.release.version, receipt.release.commit, receipt.release.binary_sha256)
    common = {
        "measured_at": receipt.measured_at, "producer": receipt.producer, "left_out": dict(receipt.left_out),
        "contradictions": tuple(receipt.contradictions),
    }  # fmt: skip
    if isinstance(receipt, RunReceipt):
        runs = tuple(_run(place, receipt.host, row) for place, row in rows)
        return Receipt(file, schema, binding, host=receipt.host, runs=runs, **common)  # type: ignore[arg-type]
    if isinstance(receipt, InventoryReceipt):
        held = tuple(_held(row) for _, row in rows)
        census = None if receipt.census is None else tuple((c.quant, c.shape) for c in receipt.census)
        inventory = Inventory(receipt.gpu.name, receipt.gpu.compute, held, receipt.gpu.memory_bytes, census)
        return Receipt(file, schema, binding, host=receipt.host, inventory=inventory, **common)  # type: ignore[arg-type]
    checks = tuple(SuiteRow(row.name, row.result, row.note) for _, row in rows)
    suite = SuiteRun(receipt.suite, receipt.verdict, checks, receipt.summary.rows)
    return Receipt(file, schema, binding, suite=suite, **common)  # type: ignore[arg-type]


def placed_rows(
    file: InputFile, key: str, own: list[Any], model: type[Table], lines: Iterable[tuple[int, Any]] | None
) -> list[tuple[str, Any]]:
    """Return the rows of a native receipt, each with its place: the document's own, or those of its lines.

    Args:
        file: the file, for messages.
        key: the key that the rows stand under in one object.
        own: the rows of the document, or of the header line.
        model: what a row on a line of its own must be.
        lines: the lines after the header with their numbers; None for one JSON object.

    Raises:
        BadFile: a JSON Lines header holds rows, or a line is no such row.
    """
    if lines is None:
        return [(f"{key}[{index}]", row) for index, row in enumerate(own)]
    if own:
        raise BadFile(file.path, f"line 1, {key}", "rows stand in the header", "Give each row a line of its own.")
    return [(f"line {number}", checked(model, row, file.path, f"line {number}")) for number, row in lines]


def _run(place: str, host: str, row: Run) -> RunRow:
    return RunRow(
        place=place, host=host, file=row.model.file, sha256=row.model.sha256, verb=row.verb, context=row.context,
        thinking=row.thinking, verdict=row.verdict, backend=row.backend.ran, fell_back=row.backend.fell_back,
        exit_code=row.exit_code, prompt_tokens=row.prompt_tokens, answer_chars=row.answer_chars, seconds=row.seconds,
        reason=row.reason, evidence=Evidence(row.evidence.path, row.evidence.sha256) if row.evidence else None,
        think_closed=row.think_closed, required_bytes=row.required_bytes,
        warnings=None if row.warnings is None else tuple(row.warnings),
    )  # fmt: skip


def _held(row: HeldModel) -> Held:
    markers = None if row.template_markers is None else tuple(row.template_markers)
    return Held(
        row.file, row.sha256, row.arch, row.quant, row.context_length, markers,
        modes=None if row.thinking_modes is None else tuple(row.thinking_modes), weights_bytes=row.weights_bytes,
        kv_bytes_per_token=row.kv_bytes_per_token, workspace_bytes=row.workspace_bytes,
        dispatched=None if row.dispatched is None else tuple((k.kernel, k.quant) for k in row.dispatched),
        tensor_types=None if row.tensor_types is None else tuple(name for name, n in row.tensor_types.items() if n),
    )  # fmt: skip
