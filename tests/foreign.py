"""What the tests of foreign formats share: a file of any text, a real one, and `gate ingest` with its options."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from gate import ledger, strict_json
from gate.files import InputFile, read_input
from gate.ledger.given import Given
from gate.ledger.rows import Receipt
from tests.release import COMMIT, VERSION
from tests.release import gate_here as gate

AT = "2026-10-12T09:00:00Z"
SHA = "1" * 64
SAID = Given(version=VERSION, commit=COMMIT, measured_at=AT)
BOUND = ("--release", VERSION, "--commit", COMMIT, "--host", "lambda", "--measured-at", AT)
MODEL = ("--model", "alpha-q4_k_m.gguf", "--sha256", SHA)


def text(content: str | bytes, name: str = "x") -> InputFile:
    return InputFile(name, "0" * 64, content if isinstance(content, bytes) else content.encode())


def read(path: Path) -> Receipt:
    file = read_input(path, path.name)
    return ledger.read_receipt(file, json.loads(file.content))


def ingest(folder: Path, form: str, source: Any, *options: str) -> Any:
    if not isinstance(source, Path):
        path = folder / "source.json"
        path.write_text(json.dumps(source))
        source = path
    return gate(folder, "ingest", form, str(source), "--force", "--output", "out.json", *options)


def ingested(folder: Path, form: str, source: Any, *options: str) -> Any:
    done = ingest(folder, form, source, *options)
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "out.json").read_text())


def receipt(document: Any) -> Receipt:
    file = InputFile("x.json", "0" * 64, json.dumps(document).encode())
    return ledger.read_receipt(file, strict_json.parse_file(file))
