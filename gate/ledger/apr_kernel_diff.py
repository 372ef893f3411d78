"""`apr-kernel-diff-receipt/v1`: one host's kernels against their references, and which kernels each model runs there.

What is taken for a pass: a row whose own `verdict` says `pass`, in any case of letters. Its error, its bound and the
bound's source are handed on as they stand, and the shapes decide. A row with an `index_mismatch` or a `tie_margin` is
one of a discrete kernel, which has no `max_err`: the two sides picked different things. The words `NaN` and `inf` in
place of a number are unknown and without bound. `apr_sha` alone is a full commit.

`dispatch` lists the kernels of each model; an entry that is a bare string names a kernel that works on no weights.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from gate.errors import BadFile
from gate.ledger.foreign import Foreign, Magnitude, unread
from gate.ledger.rows import Binding, Dispatch, KernelRow, Receipt
from gate.malformed import checked
from gate.names import Name
from gate.rules import Compute, Sha256
from gate.subject import FULL_COMMIT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gate.files import InputFile


def _lower(value: Any) -> Any:
    return value.lower() if isinstance(value, str) else value


def _none(value: Any) -> Any:
    return None if value == "" else value  # how this format says that a kernel has no quant type


Quant = Annotated[Name | None, BeforeValidator(_none)]
Verdict = Annotated[Literal["pass", "fail", "error", "skip", "refused"] | None, BeforeValidator(_lower)]


class DiffKernel(Foreign):
    """A kernel in a dispatch list."""

    kernel: Name
    quant: Quant = None


class DiffDispatch(Foreign):
    """An entry of `dispatch`."""

    file: Name
    sha256: Sha256 | None = None
    kernels: list[Name | DiffKernel]


class DiffRow(Foreign):
    """A row of `rows`."""

    kernel: Name
    quant: Quant = None
    reference: str | None = None
    max_err: Magnitude = None
    bound: Magnitude = None
    bound_source: str | None = None
    index_mismatch: Annotated[int, Field(ge=0, le=2**53)] | None = None
    tie_margin: Magnitude = None
    verdict: Verdict = None
    reason: str | None = None


class KernelDiff(Foreign):
    """The document."""

    host: Name
    version: str | None = None
    apr_sha: str | None = None
    sm: Compute | None = None
    dispatch: list[DiffDispatch] = []
    rows: list[DiffRow] = []


def read(file: InputFile, schema: str, document: Any, lines: Iterable[tuple[int, Any]] | None) -> Receipt:
    """Return the kernel-diff receipt in `file`.

    Raises:
        BadFile: it is no such document; the message names each place.
    """
    if lines is not None:
        raise BadFile(file.path, "line 1", f"{schema} is one JSON object", "Name the file .json.")
    diff = checked(KernelDiff, document, file.path)
    commit = diff.apr_sha if diff.apr_sha and FULL_COMMIT.fullmatch(diff.apr_sha) else None
    return Receipt(
        file, schema, Binding(diff.version, commit, binaryless=True), host=diff.host, compute=diff.sm,
        kernels=tuple(_row(index, row) for index, row in enumerate(diff.rows)),
        dispatches=tuple(Dispatch(d.file, d.sha256, tuple(map(_pair, d.kernels))) for d in diff.dispatch),
        left_out=unread(diff, dispatch=diff.dispatch, rows=diff.rows),
    )  # fmt: skip


def _pair(kernel: str | DiffKernel) -> tuple[str, str | None]:
    return (kernel, None) if isinstance(kernel, str) else (kernel.kernel, kernel.quant)


def _row(index: int, row: DiffRow) -> KernelRow:
    return KernelRow(
        place=f"rows[{index}]", kernel=row.kernel, quant=row.quant, verdict=row.verdict,
        discrete=row.index_mismatch is not None or row.tie_margin is not None,
        max_err=row.max_err, bound=row.bound, bound_source=row.bound_source or None,
        index_mismatch=row.index_mismatch, tie_margin=row.tie_margin, reason=row.reason,
    )  # fmt: skip
