"""Release 0.69.0 of the real project: receipts that nobody here wrote."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.release import gate

COMMIT = "225b2a9abbd171b3249794722f8da5fc8027e565"
RULES = """
[project]
name = "aprender"
repository = "https://github.com/paiml/aprender"
contexts = "receipts/contexts.json"

[[hosts]]
id = "lambda"
aliases = ["lambda-vector"]
gpu = "NVIDIA GeForce RTX 4090"
compute = "8.9"

[[hosts]]
id = "gx10"
gpu = "NVIDIA GB10"
compute = "12.1"

[cells]
verbs = ["run", "chat", "serve", "code"]
backend = "cuda"
thinking = true

[require]
suites = ["dogfood"]
"""


def aprender(folder: Path) -> Path:
    """Write the rules and the ledger of the real release to `folder`; skip the test where the receipts aren't there."""
    real = Path(__file__).parent.parent.parent / "shared/real/aprender/evidence/release"
    if not real.is_dir():
        pytest.skip(f"the real receipts are not at {real}")
    (folder / "gate.toml").write_text(RULES)
    ledger = folder / "receipts/0.69.0"
    ledger.mkdir(parents=True)
    for host in ("lambda", "gx10"):
        shutil.copy(real / f"proof-0.69.0/models/{host}.json", ledger)
    shutil.copy(real / "context-rungs.json", folder / "receipts/contexts.json")
    source = real / "proof-0.69.0/dogfood-receipt.json"
    done = gate(folder, "ingest", "apr-dogfood", str(source), "--output", str(ledger / "dogfood.json"))
    assert done.returncode == 0, done.stderr
    return folder
