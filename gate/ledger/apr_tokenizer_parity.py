"""`apr-tokenizer-parity-receipt/v1`: the token ids of apr against a pinned llama.cpp, one row a model.

What is taken for a pass: nothing is decided here. `mismatches`, `tokens_compared`, `roundtrip_ok`, the comparator, its
pin (`comparator_sha`) and the corpus (`corpus_sha256`) are handed on as they stand, and the shapes decide; an empty
text is one that isn't there. The row's own `verdict` is handed on too: it can deny what the figures show, and never
stand for them. Other fields of a row, `family` among them, are counted as left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from gate.errors import BadFile
from gate.ledger.foreign import Foreign, unread
from gate.ledger.rows import Binding, Receipt, TokenizerRow
from gate.malformed import checked
from gate.names import Name
from gate.rules import Sha256
from gate.subject import FULL_COMMIT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gate.files import InputFile

Count = Annotated[int, Field(ge=0, le=2**53)]


def _lower(value: Any) -> Any:
    return value.lower() if isinstance(value, str) else value


def _none_if_empty(value: Any) -> Any:
    return None if value == "" else value


class TokenizerParityRow(Foreign):
    """One model."""

    file: Name
    sha256: Annotated[Sha256 | None, BeforeValidator(_lower)] = None
    corpus_sha256: Annotated[str | None, BeforeValidator(_none_if_empty)] = None
    comparator: Annotated[str | None, BeforeValidator(_none_if_empty)] = None
    comparator_sha: Annotated[str | None, BeforeValidator(_none_if_empty)] = None
    tokens_compared: Count | None = None
    mismatches: Count | None = None
    roundtrip_ok: bool | None = None
    verdict: Annotated[Literal["pass", "fail", "error", "skip", "refused"] | None, BeforeValidator(_lower)] = None
    reason: Annotated[str | None, BeforeValidator(_none_if_empty)] = None


class TokenizerParity(Foreign):
    """The document."""

    version: str | None = None
    apr_sha: Annotated[str | None, BeforeValidator(_lower)] = None
    host: Name | None = None
    rows: list[TokenizerParityRow]


def read(file: InputFile, schema: str, document: Any, lines: Iterable[tuple[int, Any]] | None) -> Receipt:
    """Return the tokenizer receipt in `file`.

    Raises:
        BadFile: it is no such document; the message names each place.
    """
    if lines is not None:
        raise BadFile(file.path, "line 1", f"{schema} is one JSON object", "Name the file .json.")
    parity = checked(TokenizerParity, document, file.path)
    commit = parity.apr_sha if parity.apr_sha and FULL_COMMIT.fullmatch(parity.apr_sha) else None
    return Receipt(
        file, schema, Binding(parity.version, commit, binaryless=True), host=parity.host,
        tokenizers=tuple(_row(index, row) for index, row in enumerate(parity.rows)),
        left_out=unread(parity, rows=parity.rows),
    )  # fmt: skip


def _row(index: int, row: TokenizerParityRow) -> TokenizerRow:
    return TokenizerRow(
        place=f"rows[{index}]", file=row.file, sha256=row.sha256, comparator=row.comparator,
        comparator_pin=row.comparator_sha, corpus=row.corpus_sha256, compared=row.tokens_compared,
        mismatches=row.mismatches, round_trip=row.roundtrip_ok, reason=row.reason, verdict=row.verdict,
    )  # fmt: skip
