"""`apr-model-ladder-receipt`, v1 and v2, as the aprender project writes them: one file a host.

What is taken for a pass: of `rungs` what `apr_ladder_rungs` says; of `cells` a row whose own `verdict` says `pass`.
Its backend, fallback, exit code (`rc`), prompt and answer are handed on as they stand, and the shapes decide. Nothing
is inferred: rows without a `prompt_tokens` stay without one.

A `quant` that is a number is llama.cpp's of a file type, as the headers of GGUF files hold it, and read as its name.

A v1 receipt has no inventory, a short commit and no cells. It is read, so that nobody wonders where it went, and
vouches for nothing: it can't stand for its host.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from gate.errors import BadFile
from gate.ledger import apr_ladder_rungs, ggml
from gate.ledger.foreign import Foreign, unread
from gate.ledger.instants import Instant
from gate.ledger.rows import Binding, Held, Inventory, Receipt, RunRow, Told
from gate.malformed import checked
from gate.names import Name
from gate.rules import Compute, Sha256
from gate.subject import FULL_COMMIT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gate.files import InputFile

OPENS = "<think>"

_NUMBER = re.compile("[0-9]{1,9}")
_VERSION_LINE = re.compile(r"apr (\S+) \(([0-9a-f]+)\)")


def _named(quant: Any) -> Any:
    """Return a quantization by its name: apr writes the number that llama.cpp gives a file type, `15` for `Q4_K_M`."""
    if isinstance(quant, bool):
        return quant
    number = int(quant) if isinstance(quant, str) and _NUMBER.fullmatch(quant) else quant
    return ggml.file_type_name(number) if isinstance(number, int) and 0 <= number < 2**31 else quant


Bytes = Annotated[int, Field(ge=0, le=2**53)]
Quant = Annotated[str | None, BeforeValidator(_named)]


class LadderModel(Foreign):
    """An entry of `inventory`."""

    file: Name
    sha256: Sha256 | None = None
    arch: str | None = None
    quant: Quant = None
    context_length: Annotated[int, Field(gt=0, le=2**53)] | None = None
    template_markers: list[str] | None = None
    thinking_markers: list[str] | None = None
    generation_opens_think: bool | None = None
    thinking_modes: list[Literal["on", "off"]] | None = None
    weights_bytes: Bytes | None = None
    kv_bytes_per_token: Bytes | None = None
    workspace_bytes: Bytes | None = None


class LadderCell(Foreign):
    """A row of `cells`."""

    file: Name
    sha256: Sha256 | None = None
    verb: Name
    context: Name | None = None
    thinking: Literal["on", "off"] | None = None
    verdict: Literal["pass", "fail", "error", "skip", "refused"] | None = None
    backend: Name | None = None
    fallback: bool | None = None
    rc: int | None = None
    prompt_tokens: Annotated[int, Field(ge=0, le=2**53)] | None = None
    answer_chars: Annotated[int, Field(ge=0, le=2**53)] | None = None
    reason: str | None = None


class Ladder(Foreign):
    """The document."""

    host: Name
    version: str | None = None
    sha: str | None = None
    apr_sha: str | None = None
    apr_version: str | None = None
    gpu: str | None = None
    cc: Compute | None = None
    inventory: list[LadderModel] | None = None
    cells: list[LadderCell] = []
    rungs: list[Any] = []
    executed: int | None = None
    red: int | None = None
    date: str | None = None
    gpu_mem_total_bytes: Bytes | None = None


class Dated(Foreign):
    """When a v2 receipt was written."""

    date: Instant | None = None


def read(file: InputFile, schema: str, document: Any, lines: Iterable[tuple[int, Any]] | None) -> Receipt:
    """Return the ladder receipt in `file`.

    Raises:
        BadFile: it is no such document; the message names each place.
    """
    if lines is not None:
        raise BadFile(file.path, "line 1", f"{schema} is one JSON object", "Name the file .json.")
    ladder = checked(Ladder, document, file.path)
    left_out = unread(ladder, inventory=ladder.inventory or [], cells=ladder.cells)
    if schema.endswith("/v1"):
        left_out |= {"rows of a v1 receipt": len(ladder.cells) + len(ladder.rungs)}
        why = "a v1 receipt has no inventory and no full commit, and can't stand for its host"
        return Receipt(file, schema, _binding(ladder), host=ladder.host, superseded=why, left_out=left_out)
    rungs = checked(apr_ladder_rungs.Rungs, {"rungs": ladder.rungs}, file.path).rungs
    tried = [apr_ladder_rungs.rows(rung, ladder.host, f"rungs[{i}]") for i, rung in enumerate(rungs)]
    contradictions = tuple(
        said for i, rung in enumerate(rungs) for said in apr_ladder_rungs.contradictions(rung, tried[i], f"rungs[{i}]")
    )
    return Receipt(
        file, schema, _binding(ladder), measured_at=checked(Dated, {"date": ladder.date}, file.path).date,
        host=ladder.host, inventory=_inventory(ladder),
        runs=tuple(_run(index, ladder.host, cell) for index, cell in enumerate(ladder.cells))
        + tuple(row for found in tried for _, row in found),
        left_out=left_out | apr_ladder_rungs.left_out(rungs),
        contradictions=contradictions + tuple(_miscounted(ladder, rungs)),
    )  # fmt: skip


def _miscounted(ladder: Ladder, rungs: list[apr_ladder_rungs.Rung]) -> Iterator[str]:
    """Yield where the receipt's own counts differ from its rungs."""
    red = sum(rung.green is False for rung in rungs)
    for name, said, counted in (("executed", ladder.executed, len(rungs)), ("red", ladder.red, red)):
        if said is not None and said != counted:
            yield f"{name} is {said}, and the rungs say {counted}"


def _binding(ladder: Ladder) -> Binding:
    """Return what was measured. `apr_sha` alone is a full commit; the rest can only contradict it."""
    commit = ladder.apr_sha if ladder.apr_sha and FULL_COMMIT.fullmatch(ladder.apr_sha) else None
    quarrels = []
    line = _VERSION_LINE.fullmatch(ladder.apr_version or "")
    if ladder.apr_version and line is None:
        quarrels.append(f"apr_version is {ladder.apr_version!r}, which names no version and commit")
    if line and ladder.version != line[1]:
        quarrels.append(f"version is {ladder.version}, and apr_version says {line[1]}")
    for name, short in (("sha", ladder.sha), ("apr_version", line[2] if line else None)):
        if short and commit and not commit.startswith(short):
            quarrels.append(f"apr_sha is {commit}, and {name} says {short}")
    return Binding(ladder.version, commit, quarrels=tuple(quarrels))


def _inventory(ladder: Ladder) -> Inventory | None:
    if ladder.inventory is None:
        return None
    held = tuple(
        Held(
            m.file, m.sha256, m.arch, m.quant, m.context_length, _markers(m),
            modes=None if m.thinking_modes is None else tuple(m.thinking_modes), weights_bytes=m.weights_bytes,
            kv_bytes_per_token=m.kv_bytes_per_token, workspace_bytes=m.workspace_bytes,
        )
        for m in ladder.inventory
    )  # fmt: skip
    return Inventory(ladder.gpu, ladder.cc, held, ladder.gpu_mem_total_bytes)


def _markers(model: LadderModel) -> tuple[str, ...] | None:
    """Return the markers of a model's template; None where they weren't measured.

    `thinking_markers` lists what the template mentions anywhere. It opens a prompt with `<think>` only where
    `generation_opens_think` says so, and where that is left out nobody knows.
    """
    if model.template_markers is not None or model.thinking_markers is None:
        return None if model.template_markers is None else tuple(model.template_markers)
    opens = model.generation_opens_think
    if opens is None and OPENS in model.thinking_markers:
        return None
    return tuple(marker for marker in model.thinking_markers if marker != OPENS) + ((OPENS,) if opens else ())


def _run(index: int, host: str, cell: LadderCell) -> RunRow:
    told = Told(
        host=host, verb=cell.verb, context=cell.context, thinking=cell.thinking, verdict=cell.verdict,
        backend=cell.backend, fell_back=cell.fallback, exit_code=cell.rc, prompt_tokens=cell.prompt_tokens,
    )  # fmt: skip
    return RunRow(
        f"cells[{index}]", cell.file, cell.sha256, told, answer_chars=cell.answer_chars, reason=cell.reason
    )  # fmt: skip
