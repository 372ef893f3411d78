"""What is said to show that a ticket is done: a test by its name, or a file of the release's folder by its digest."""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath
from typing import Any

from gate.errors import CallersError
from gate.files import digest
from gate.ledger.tickets import FILE
from gate.names import checked_name
from gate.subject import RELEASE_FILE

RECEIPT, NOT_REPRODUCED, TEST = "receipt", "not-reproduced", "test"
_WORDS = re.compile(r"(test|receipt|not[ -]reproduced):? (\S.*)", re.IGNORECASE)
_RECEIPTS = {".json", ".jsonl", ".ndjson"}


def of_test(name: str) -> dict[str, str]:
    """Return the proof that a row of a suite is, named as `dogfood/fmt`: it passes where the release's receipt says so.

    Raises:
        CallersError: it doesn't name a suite and a row.
    """
    suite, slash, row = name.partition("/")
    try:
        checked_name(suite)
    except ValueError as error:
        raise CallersError(f"{name!r}: the suite {error}") from None
    if not slash or not row.strip():
        raise CallersError(f"{name!r} names no row of a suite, such as dogfood/fmt")
    return {"kind": TEST, "suite": suite, "row": row.strip()}


def of_file(kind: str, path: Path, folder: Path) -> dict[str, str]:
    """Return the proof that a file is, with the digest that it has now.

    Args:
        kind: `receipt` or `not-reproduced`.
        path: the file.
        folder: the release's folder, which it lies in.

    Raises:
        CallersError: it lies elsewhere, can't be read, is no receipt by its name where one is said, or says what the
            release or its tickets are.
    """
    within = PurePosixPath(os.path.relpath(os.path.abspath(path), os.path.abspath(folder)))  # noqa: PTH100 - links stay
    name = within.as_posix()
    if within.is_absolute() or within.parts[:1] in {(), ("..",)}:
        raise CallersError(f"{path}: it lies outside {folder}\n  Evidence stands with the receipts of its release.")
    if name in {FILE, RELEASE_FILE}:
        raise CallersError(f"{path}: it says what is asked for, and shows nothing")
    if kind == RECEIPT and path.suffix.lower() not in _RECEIPTS:
        raise CallersError(f"{path}: it is no receipt: the name of one ends in .json or .jsonl")
    return {"kind": kind, "path": name, "sha256": digest(path, str(path))}


def of_words(words: str, folder: Path, shown: str) -> dict[str, str] | None:
    """Return the proof that a master ticket's row names behind `evidence:`; None: the words name none.

    The words are `test SUITE/ROW`, `receipt PATH` or `not reproduced PATH`, a path relative to the release's folder, or
    with that folder before it.

    Raises:
        CallersError: the proof can't be taken; see `of_test` and `of_file`.
    """
    found = _WORDS.fullmatch(words)
    if found is None:
        return None
    kind, what = found[1].lower().replace(" ", "-"), found[2]
    if kind == TEST:
        return of_test(what)
    return of_file(kind, folder / what.removeprefix(f"{shown}/"), folder)


def target(proof: dict[str, Any]) -> tuple[str, ...]:
    """Return what a proof points to: two of one target are one, and the later digest counts."""
    return tuple(str(proof.get(name, "")) for name in ("kind", "path", "suite", "row"))


def together(known: list[dict[str, Any]], added: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the proofs of both, one of each target, in a stable order."""
    return [proof for _, proof in sorted({target(proof): proof for proof in [*known, *added]}.items())]
