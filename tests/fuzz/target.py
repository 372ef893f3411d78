"""One input to one reader, and what must hold of whatever comes of it.

The first byte of an input chooses the reader, the rest is the file. A reader takes the file or refuses it by name; it
never fails otherwise, and no row says more than the file does.
"""

from __future__ import annotations

import importlib
import json

from gate import strict_json
from gate.cli.ingest import FORMATS
from gate.errors import GateError
from gate.files import InputFile
from gate.ledger import SCHEMAS, read_receipt
from gate.ledger.given import Given
from gate.ledger.rows import Receipt

CHOICES = (*SCHEMAS, *FORMATS)
_RUN = InputFile("run.json", "", b'{"model": {"file": "m.gguf"}, "verb": "run"}')  # or no provenance line is ever read
_GIVEN = {
    "version": "0.71.0", "commit": "c0ffee" + "0" * 34, "host": "gx10", "measured_at": "2026-10-12T09:00:00Z",
    "suite": "s", "exit_code": 0, "run": _RUN, "model": "m.gguf", "sha256": "1" * 64,
    "backend": "cuda", "comparator": "c", "configuration": "x", "number": 1, "binary": "2" * 64,
}  # fmt: skip


def feed(data: bytes) -> Receipt | None:
    """Give `data` to its reader, and return the receipt; None where it was refused by name.

    Raises:
        AssertionError: the receipt says more than the file does.
        Exception: the reader failed otherwise than by refusing.
    """
    if not data:
        return None
    choice, content = CHOICES[data[0] % len(CHOICES)], data[1:]
    file = InputFile("fed", "0" * 64, content)
    try:
        receipt = _ingested(choice, file) if choice in FORMATS else _read(choice, file)
    except GateError:
        return None
    _holds(receipt, content)
    return receipt


def _read(schema: str, file: InputFile) -> Receipt:
    document = strict_json.parse_file(file)
    if isinstance(document, dict):
        document["schema"] = schema
    return read_receipt(file, document)


def _ingested(form: str, file: InputFile) -> Receipt:
    module = importlib.import_module(f"gate.ledger.{FORMATS[form]}")
    given = Given(**{name: _GIVEN[name] for name in module.TAKES})  # type: ignore[arg-type]
    document = json.loads(json.dumps(module.to_native(file, given), allow_nan=False))
    return read_receipt(file, document)


def _holds(receipt: Receipt, content: bytes) -> None:
    passes = sum(row.verdict == "pass" for row in receipt.runs) + sum(row.verdict == "pass" for row in receipt.kernels)
    passes += sum(row.verdict == "pass" for row in receipt.conformance)
    passes += sum(row.result == "pass" for row in receipt.suite.rows) if receipt.suite else 0
    assert passes == 0 or content.strip(), "a pass came of nothing"
    for row in receipt.runs:
        for count in (row.prompt_tokens, row.answer_chars, row.required_bytes):
            assert count is None or (type(count) is int and count >= 0)
        assert row.fell_back in {None, True, False}
    json.dumps([row.reason for row in receipt.runs], allow_nan=False).encode("utf-8")
