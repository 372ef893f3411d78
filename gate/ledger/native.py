"""The native receipts, `taggate/*-receipt/v1`: JSON (one object), or JSON Lines (a header line, then one row a line).

What a row leaves out stays None, and a shape turns it red; what it says in the wrong type is refused by the file.
"""

from __future__ import annotations

from itertools import chain, repeat
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from gate.errors import BadFile
from gate.ledger.columns import rows_of
from gate.ledger.instants import Instant
from gate.ledger.rows import Binding, Evidence, Held, Inventory, Receipt, RunRow, SuiteRow, SuiteRun, Told
from gate.malformed import Table, checked
from gate.names import Name
from gate.rules import Compute, Sha256, Text
from gate.subject import Commit
from gate.versions import VersionText

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gate.files import InputFile
    from gate.ledger.columns import Columns

_BATCH = 4096  # lines that are validated at once

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


_Receipt = RunReceipt | InventoryReceipt | SuiteReceipt

ROWS_KEY: dict[str, tuple[str, type[Table]]] = {
    "taggate/run-receipt/v1": ("runs", Run),
    "taggate/inventory-receipt/v1": ("models", HeldModel),
    "taggate/suite-receipt/v1": ("rows", SuiteCheck),
}
MODELS: dict[str, type[_Receipt]] = {
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
    key, row_model = ROWS_KEY[schema]
    if lines is None:
        receipt, columns = _document(file, schema, header)
        rows: Iterable[tuple[list[str], Columns]] = [(_places(key, columns), columns)]
    else:
        receipt = checked(MODELS[schema], header, file.path, "line 1")
        if getattr(receipt, key):
            raise _rows_in_header(file, key)
        rows = _in_columns(file, row_model, lines)
    binding = Binding(receipt.release.version, receipt.release.commit, receipt.release.binary_sha256)
    common = {
        "measured_at": receipt.measured_at, "producer": receipt.producer, "left_out": dict(receipt.left_out),
        "contradictions": tuple(receipt.contradictions),
    }  # fmt: skip
    if isinstance(receipt, RunReceipt):
        shared: dict[tuple[Any, ...], Told] = {}
        runs = tuple(chain.from_iterable(_runs(places, receipt.host, columns, shared) for places, columns in rows))
        return Receipt(file, schema, binding, host=receipt.host, runs=runs, **common)  # type: ignore[arg-type]
    if isinstance(receipt, InventoryReceipt):
        held = tuple(held for _, columns in rows for held in _held(columns))
        census = None if receipt.census is None else tuple((c.quant, c.shape) for c in receipt.census)
        inventory = Inventory(receipt.gpu.name, receipt.gpu.compute, held, receipt.gpu.memory_bytes, census)
        return Receipt(file, schema, binding, host=receipt.host, inventory=inventory, **common)  # type: ignore[arg-type]
    checks = tuple(check for _, columns in rows for check in _checks(columns))
    suite = SuiteRun(receipt.suite, receipt.verdict, checks, receipt.summary.rows)
    return Receipt(file, schema, binding, suite=suite, **common)  # type: ignore[arg-type]


def _document(file: InputFile, schema: str, document: Any) -> tuple[_Receipt, Columns]:
    """Return the header and the rows of one JSON object."""
    key, row_model = ROWS_KEY[schema]
    own = document.get(key)
    columns = rows_of(row_model).read(own) if isinstance(own, list) else None
    if columns is not None:
        return checked(MODELS[schema], document | {key: []}, file.path), columns
    receipt = checked(MODELS[schema], document, file.path)
    return receipt, rows_of(row_model).columns(getattr(receipt, key))


def _in_columns(
    file: InputFile, model: type[Table], lines: Iterable[tuple[int, Any]]
) -> Iterator[tuple[list[str], Columns]]:
    """Yield the rows that stand on lines of their own, each with its place, many at a time.

    Raises:
        BadFile: a line is no such row; the first of them is named, also where a later line is no JSON.
    """
    for numbered in _batches(lines):
        places = [f"line {number}" for number, _ in numbered]
        rows = [row for _, row in numbered]
        columns = rows_of(model).read(rows)
        if columns is None:
            found = [checked(model, row, file.path, place) for place, row in zip(places, rows, strict=True)]
            columns = rows_of(model).columns(found)
        yield places, columns


def _batches(lines: Iterable[tuple[int, Any]]) -> Iterator[list[tuple[int, Any]]]:
    """Yield the lines many at a time; where one can't be read, those before it first."""
    batch: list[tuple[int, Any]] = []
    try:
        for line in lines:
            batch.append(line)
            if len(batch) == _BATCH:
                yield batch
                batch = []
    except BadFile:
        if batch:
            yield batch
        raise
    if batch:
        yield batch


def _places(key: str, columns: Columns) -> list[str]:
    return [f"{key}[{index}]" for index in range(len(next(iter(columns.values()))))]


def _rows_in_header(file: InputFile, key: str) -> BadFile:
    return BadFile(file.path, f"line 1, {key}", "rows stand in the header", "Give each row a line of its own.")


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
        raise _rows_in_header(file, key)
    return [(f"line {number}", checked(model, row, file.path, f"line {number}")) for number, row in lines]


def _runs(places: list[str], host: str, rows: Columns, shared: dict[tuple[Any, ...], Told]) -> Iterator[RunRow]:
    """Return the runs at `places`; the columns stand here in the order of the fields of `RunRow` and of `Told`.

    `shared` holds what was told before: in one column a value has one type, so that what is equal is the same.
    """
    said = zip(
        repeat(host, len(places)), rows["verb"], rows["context"], rows["thinking"], rows["verdict"],
        rows["backend.ran"], rows["backend.fell_back"], rows["exit_code"], rows["prompt_tokens"], rows["think_closed"],
        rows["required_bytes"], map(_tuple, rows["warnings"]), strict=True,
    )  # fmt: skip
    proofs = zip(rows["evidence.path"], rows["evidence.sha256"], strict=True)
    return map(RunRow._make, zip(
        places, rows["model.file"], rows["model.sha256"],
        [shared.get(told) or shared.setdefault(told, Told._make(told)) for told in said],
        rows["answer_chars"], rows["seconds"], rows["reason"],
        [None if path is None else Evidence(path, sha256) for path, sha256 in proofs], strict=True,
    ))  # fmt: skip


def _held(rows: Columns) -> Iterator[Held]:
    """Yield the files of an inventory; the columns stand here in the order of the fields of `Held`."""
    dispatched = [None if d is None else tuple((k.kernel, k.quant) for k in d) for d in rows["dispatched"]]
    types = [None if t is None else tuple(name for name, count in t.items() if count) for t in rows["tensor_types"]]
    yield from map(
        Held, rows["file"], rows["sha256"], rows["arch"], rows["quant"], rows["context_length"],
        map(_tuple, rows["template_markers"]), map(_tuple, rows["thinking_modes"]), rows["weights_bytes"],
        rows["kv_bytes_per_token"], rows["workspace_bytes"], dispatched, types,
    )  # fmt: skip


def _checks(rows: Columns) -> Iterator[SuiteRow]:
    yield from map(SuiteRow, rows["name"], rows["result"], rows["note"])


def _tuple(values: list[str] | None) -> tuple[str, ...] | None:
    return None if values is None else tuple(values)
