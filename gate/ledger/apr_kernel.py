"""`apr-kernel-receipt/v1`: one kernel of one host, ported to another toolchain and measured against its reference.

The schema has two forms. One has `rows`, a kernel measured in several ways; the other has `receipts`, one for each
variant of a kernel, which name their host and commit themselves.

What is taken for a pass: a row whose own `parity` says `PASS`, or whose `parity.pass` is true. The receipt's `parity`
is a summary: where it contradicts the rows, that is reported, and where it alone says `FAIL`, no row of it is a pass.
The error is the one against the reference in double precision (`oxide_vs_f64_rel_max`), or `parity.maxdiff_max` against
`parity.maxdiff_ceiling` or `maxdiff_threshold`. Timing decides nothing here.

A variant's commit is its own: the receipt is of one full commit, of which every variant names at least the beginning.
One that names another, or none, makes the receipt stale, by name.

No form names a version, and the one with `rows` no commit and no bound either: its rows are read, and can't stand for
an obligation before their producer records what they were measured of and held against. No form names the source of
its bound. `kv`, the type of the KV cache, is what the kernel works on, and so its quant type.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from gate.errors import BadFile
from gate.ledger.foreign import Foreign, Magnitude, unread
from gate.ledger.rows import Binding, KernelRow, Receipt
from gate.malformed import checked
from gate.names import Name
from gate.rules import Compute
from gate.subject import FULL_COMMIT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gate.files import InputFile

_Word = Literal["PASS", "FAIL"]
_VERDICTS = {"PASS": "pass", "FAIL": "fail", True: "pass", False: "fail", None: None}


class KernelCase(Foreign):
    """An entry of `rows`: the kernel measured in one way."""

    kv: Name | None = None
    seq_len: int | None = None
    chunk: int | None = None
    n_splits: int | None = None
    oxide_vs_f64_rel_max: Magnitude = None
    parity: _Word | None = None


class VariantParity(Foreign):
    """What a variant's results were compared to, and how that ended."""

    maxdiff_max: Magnitude = None
    maxdiff_ceiling: Magnitude = None
    maxdiff_threshold: Magnitude = None
    pass_: Annotated[bool | None, Field(alias="pass")] = None


class Variant(Foreign):
    """An entry of `receipts`: one variant of the kernel."""

    host: Name
    sha: str | None = None
    tree_dirty_paths: int | None = None
    variant: str | None = None
    cc: Compute | None = None
    parity: VariantParity = VariantParity()


class KernelDocument(Foreign):
    """The document, in either form."""

    kernel: Name
    host: Name | None = None
    cc: Compute | None = None
    parity: _Word | None = None
    rows: list[KernelCase] = []
    receipts: list[Variant] = []


def read(file: InputFile, schema: str, document: Any, lines: Iterable[tuple[int, Any]] | None) -> Receipt:
    """Return the kernel receipt in `file`.

    Raises:
        BadFile: it is no such document, or names no host or several; the message names each place.
    """
    if lines is not None:
        raise BadFile(file.path, "line 1", f"{schema} is one JSON object", "Name the file .json.")
    kernel = checked(KernelDocument, document, file.path)
    host = _one(file, "host", [kernel.host, *(variant.host for variant in kernel.receipts)])
    if host is None:
        raise BadFile(file.path, "host", "no host is named", "A kernel is measured on one host.")
    rows = [_case(index, kernel, case) for index, case in enumerate(kernel.rows)]
    rows += [_variant(index, kernel.kernel, variant) for index, variant in enumerate(kernel.receipts)]
    said = {row.verdict for row in rows}
    contradicted = kernel.parity is not None and (kernel.parity == "PASS") != (said == {"pass"})
    return Receipt(
        file, schema, _binding(file, kernel), host=host, kernels=tuple(_denied(kernel, rows)),
        compute=_one(file, "cc", [kernel.cc, *(variant.cc for variant in kernel.receipts)]),
        left_out=unread(kernel, rows=kernel.rows, receipts=kernel.receipts),
        contradictions=(f"parity is {kernel.parity}, and its rows say otherwise",) if contradicted else (),
    )  # fmt: skip


def _one(file: InputFile, key: str, values: list[str | None]) -> str | None:
    known = sorted({value for value in values if value is not None})
    if len(known) > 1:
        raise BadFile(file.path, key, f"it names {' and '.join(known)}", "A receipt is of one host and its one GPU.")
    return known[0] if known else None


def _binding(file: InputFile, kernel: KernelDocument) -> Binding:
    """Return what was measured: the variants' one full commit. A tree with changes in it was no commit."""
    commits = [v.sha for v in kernel.receipts if v.sha and FULL_COMMIT.fullmatch(v.sha)]
    quarrels = [
        f"receipts[{index}].tree_dirty_paths is {variant.tree_dirty_paths}: what was measured is no commit"
        for index, variant in enumerate(kernel.receipts)
        if variant.tree_dirty_paths
    ]
    quarrels += _other_commits(kernel.receipts)
    return Binding(None, _one(file, "sha", [*commits]), quarrels=tuple(quarrels), versionless=True, binaryless=True)


def _other_commits(variants: list[Variant]) -> Iterator[str]:
    """Yield each variant that the commit of the others can't vouch for: it names none, or the beginning of another."""
    said = {index: variant.sha for index, variant in enumerate(variants) if variant.sha}
    if not said:
        return
    fullest = max(said, key=lambda index: (FULL_COMMIT.fullmatch(said[index]) is not None, len(said[index])))
    for index in range(len(variants)):
        if index not in said:
            yield f"receipts[{index}] names no commit, and receipts[{fullest}].sha is {said[fullest]}"
        elif not said[fullest].startswith(said[index]):
            yield f"receipts[{index}].sha is {said[index]}, and receipts[{fullest}].sha is {said[fullest]}"


def _case(index: int, kernel: KernelDocument, case: KernelCase) -> KernelRow:
    ways = (("seq_len", case.seq_len), ("chunk", case.chunk), ("n_splits", case.n_splits))
    return KernelRow(
        place=f"rows[{index}]", kernel=kernel.kernel, quant=case.kv, verdict=_VERDICTS[case.parity],
        max_err=case.oxide_vs_f64_rel_max,
        case=", ".join(f"{name} {value}" for name, value in ways if value is not None) or None,
    )  # fmt: skip


def _variant(index: int, kernel: str, variant: Variant) -> KernelRow:
    parity = variant.parity
    return KernelRow(
        place=f"receipts[{index}]", kernel=kernel, quant=None, verdict=_VERDICTS[parity.pass_],
        max_err=parity.maxdiff_max, case=variant.variant,
        bound=parity.maxdiff_ceiling if parity.maxdiff_ceiling is not None else parity.maxdiff_threshold,
    )  # fmt: skip


def _denied(kernel: KernelDocument, rows: list[KernelRow]) -> list[KernelRow]:
    """Return the rows, none of them a pass where the receipt says `FAIL` and no row says which of them it means."""
    if kernel.parity == "FAIL" and all(row.verdict == "pass" for row in rows):
        return [replace(row, verdict="fail", reason="the receipt's own parity is FAIL") for row in rows]
    return rows
