"""The ledger: every receipt of one release, read into typed rows by the reader that its `schema` names.

A file that can't be understood is refused by name, so that no receipt is ever half read or silently passed over.
"""

from __future__ import annotations

import hashlib
import importlib
from collections import Counter
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Protocol, cast

from gate import strict_json
from gate.errors import BadFile, Declined
from gate.files import MAX_DOCUMENT, MAX_LINES, InputFile, read_input, walk
from gate.ledger.rows import Evidence, Ledger, Receipt
from gate.names import look_alikes
from gate.subject import RELEASE_FILE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gate.rules import Rules
    from gate.subject import Subject

# The reader of each schema: a module of this package, imported when a receipt of its schema is read.
READERS = {
    "taggate/run-receipt/v1": "native",
    "taggate/inventory-receipt/v1": "native",
    "taggate/suite-receipt/v1": "native",
    "apr-model-ladder-receipt/v1": "apr_model_ladder",
    "apr-model-ladder-receipt/v2": "apr_model_ladder",
}
SCHEMAS = tuple(READERS)


class Reader(Protocol):
    """A module that reads the receipts of some schemas."""

    def read(self, file: InputFile, schema: str, document: Any, lines: Iterable[tuple[int, Any]] | None) -> Receipt:
        """Return the receipt in `file`; see `read_receipt`."""


def read(rules: Rules, subject: Subject) -> Ledger:
    """Read `receipts/<version>/**`.

    Raises:
        Declined: the folder is missing or holds no receipt.
        BadFile: a file can't be understood, leaves the ledger, names an unknown host, or two names look alike.
    """
    shown = f"{rules.document.project.ledger}/{subject.version}"
    folder = rules.folder / shown
    if not folder.exists():
        raise Declined(f"{shown}: there is no such folder, so that nothing was measured for {subject.tag}")
    if not folder.is_dir():
        raise BadFile(shown, "", "it is a file", "The receipts of a release are a folder.")
    receipts, others = [], {}
    for path, name in walk(folder, shown):
        if path.suffix.lower() in {".json", ".jsonl", ".ndjson"}:
            receipts.append(_receipt(path, name, rules))
        elif path.name != RELEASE_FILE:
            others[name] = path
    if not receipts:
        raise Declined(f"{shown}: it holds no receipt, so that nothing was measured for {subject.tag}")
    _refuse_look_alikes(receipts)
    evidence = _evidence(receipts, others)
    unread = tuple(name for name in others if name not in evidence)
    return Ledger(shown, tuple(receipts), unread, evidence)


def _receipt(path: Path, shown: str, rules: Rules) -> Receipt:
    if path.suffix.lower() == ".json":
        file = read_input(path, shown, limit=MAX_DOCUMENT)
        document, lines = strict_json.parse_file(file), None
    else:
        file = read_input(path, shown, limit=MAX_LINES)
        parsed = strict_json.parse_lines(file)
        (_, document), lines = next(parsed), parsed
    receipt = read_receipt(file, document, lines)
    if receipt.host is not None and rules.host_named(receipt.host) is None:
        known = ", ".join("/".join((h.id, *h.aliases)) for h in rules.document.hosts)
        raise BadFile(
            shown, "host", f"no rule knows the host {receipt.host!r}",
            f"{rules.file.path} knows {known}. Add the name to a host's aliases, or a host (required = false: it owes "
            "nothing).",
        )  # fmt: skip
    _refuse_twice(receipt)
    return receipt


def _refuse_twice(receipt: Receipt) -> None:
    files = [held.file for held in receipt.inventory.held] if receipt.inventory else []
    for file, count in Counter(files).items():
        if count > 1:
            raise BadFile(receipt.file.path, "", f"its inventory lists {file!r} {count} times", "List each file once.")


def read_receipt(file: InputFile, document: Any, lines: Iterable[tuple[int, Any]] | None = None) -> Receipt:
    """Return the receipt that `document` is, by the reader that its `schema` names.

    Args:
        file: the file, for messages and digests.
        document: the JSON object, or the first line of JSON Lines.
        lines: the lines after the first with their numbers; None for one JSON object.

    Raises:
        BadFile: the document is no object, has no schema or an unknown one, or isn't what its schema says.
    """
    place = "" if lines is None else "line 1, "
    if not isinstance(document, dict):
        raise BadFile(file.path, place.rstrip(", "), "it is not a JSON object", "A receipt is one, with a `schema`.")
    schema = document.get("schema")
    if not isinstance(schema, str) or schema not in SCHEMAS:
        wrong = "there is no schema" if schema is None else f"{str(schema)[:80]!r} is no schema that the gate reads"
        right = f"Known: {', '.join(SCHEMAS)}. `gate ingest` brings in receipts without one."
        raise BadFile(file.path, f"{place}schema", wrong, right)
    reader = cast("Reader", importlib.import_module(f"gate.ledger.{READERS[schema]}"))
    return reader.read(file, schema, document, lines)


def _refuse_look_alikes(receipts: list[Receipt]) -> None:
    """Refuse two model files or two receipts whose names a reader would take for one."""
    models: dict[str, str] = {}
    for receipt in receipts:
        names = [row.file for row in receipt.runs] + (
            [h.file for h in receipt.inventory.held] if receipt.inventory else []
        )
        for name in names:
            models.setdefault(name, receipt.file.path)
    for first, second in look_alikes(models):
        raise BadFile(
            models[second], "", f"the model {second!r} differs from {first!r} only by case or Unicode form",
            f"{first!r} stands in {models[first]}. Call one file by one name.",
        )  # fmt: skip
    for first, second in look_alikes(receipt.file.path for receipt in receipts):
        raise BadFile(second, "", f"its name differs from {first!r} only by case or Unicode form")


def evidence_path(receipt: Receipt, evidence: Evidence) -> str:
    """Return the shown path of a row's evidence, which is given relative to its receipt's folder."""
    parts: list[str] = []
    for part in (PurePosixPath(receipt.file.path).parent / evidence.path).parts:
        if part == "..":
            parts = parts[:-1]
        else:
            parts.append(part)
    return str(PurePosixPath(*parts))


def _evidence(receipts: list[Receipt], others: dict[str, Path]) -> dict[str, str | None]:
    """Return the sha256 of every file that a row names as its evidence; None where the ledger has no such file."""
    known = {receipt.file.path: receipt.file.sha256 for receipt in receipts}
    digests: dict[str, str | None] = {}
    for receipt in receipts:
        for row in receipt.runs:
            if row.evidence is None:
                continue
            shown = evidence_path(receipt, row.evidence)
            if shown not in digests:
                digests[shown] = known.get(shown) or (_digest(others[shown], shown) if shown in others else None)
    return digests


def _digest(path: Path, shown: str) -> str:
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise BadFile(shown, "", f"it can't be read: {error.strerror}") from None
