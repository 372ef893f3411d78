"""Every real receipt is read, and `docs/receipts.md` says what each of them contributes."""

from __future__ import annotations

import importlib
import json
from dataclasses import replace
from pathlib import Path

from gate import strict_json
from gate.cli.ingest import FORMATS
from gate.files import read_input
from gate.ledger import SCHEMAS, read_receipt
from gate.ledger.given import Given
from gate.ledger.rows import Receipt

# The real files that carry no schema, with the format of `gate ingest` that brings each in.
INGESTED = {
    "release/proof-0.69.0/dogfood-receipt.json": "apr-dogfood",
    "release/0.70.1/known-red/cc4463f/raw-gx10/rows.jsonl": "apr-ladder-rows",
    "release/0.70.1/known-red/cc4463f/raw-gx10/inventory.jsonl": "apr-ladder-inventory",
    "parity/qwen35/lambda/parity.json": "apr-parity",
    "parity-http/findings.json": "apr-findings",
}
CONTEXTS = "release/context-rungs.json"
GIVEN = Given(
    version="0.70.1", commit="cc4463f" + "0" * 33, host="gx10", measured_at="2026-10-01T00:00:00Z", model="m.gguf",
    sha256="1" * 64, backend="cuda", configuration="pinned", binary="2" * 64,
)  # fmt: skip


def _receipt(path: Path, name: str) -> Receipt:
    file = read_input(path, name)
    if name in INGESTED:
        module = importlib.import_module(f"gate.ledger.{FORMATS[INGESTED[name]]}")
        given = Given(**{field: getattr(GIVEN, field) for field in module.TAKES})
        if INGESTED[name] == "apr-findings":  # it says the version and the host itself, and a part of the commit
            given = replace(given, version=None, host=None, commit="53062e7f3" + "0" * 31)
        return read_receipt(file, json.loads(json.dumps(module.to_native(file, given))))
    return read_receipt(file, strict_json.parse_file(file))


def table(real: Path) -> list[str]:
    """Return a line of the page's table for each real receipt: what it is read as, and how many of what it gives."""
    root = real / "aprender/evidence"
    lines = []
    for path in sorted(root.rglob("*.json*")):
        name = path.relative_to(root).as_posix()
        if name == CONTEXTS:
            document = json.loads(path.read_text())
            gives = f"{len(document['rungs'])} contexts, {len(document['consumers'])} consumers"
            lines.append(f"| `{name}` | `{document['schema']}` | {gives} |")
            continue
        receipt = _receipt(path, name)
        counts = {
            "files held": len(receipt.inventory.held) if receipt.inventory else 0, "run rows": len(receipt.runs),
            "suite rows": len(receipt.suite.rows) if receipt.suite else 0, "kernel rows": len(receipt.kernels),
            "conformance rows": len(receipt.conformance), "prompts": len(receipt.parities), "figures": len(receipt.performances),
        }  # fmt: skip
        gives = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
        read_as = f"`gate ingest {INGESTED[name]}`" if name in INGESTED else f"`{receipt.schema}`"
        lines.append(f"| `{name}` | {read_as} | {gives} |")
    return lines


def test_every_real_receipt_is_read_and_the_page_says_what_it_gives(real: Path) -> None:
    page = (Path(__file__).parent.parent / "docs/receipts.md").read_text()
    found = table(real)
    assert len(found) == 13
    for line in found:
        assert line in page
    assert set(INGESTED.values()) <= set(FORMATS)
    assert all("``" not in line and not line.endswith("|  |") for line in found)
    assert SCHEMAS
