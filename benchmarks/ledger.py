"""A ledger of any size, for timings: hosts x models x 4 verbs x 2 thinking modes x 3 contexts."""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path

VERSION = "1.0.0"
COMMIT = "c0ffee" + "0" * 34
VERBS = ("run", "chat", "serve", "code")
SIZED = {"4k": 4096, "8k": 8192}
LENGTH = 20480
CONTEXTS = {**SIZED, "declared": LENGTH}
PER_MODEL = len(VERBS) * 2 * len(CONTEXTS)


def write(folder: Path, cells: int, hosts: int = 2, missing: float = 0.0) -> int:
    """Write a project with about `cells` cells to `folder`, and return how many there are.

    Args:
        folder: an empty folder.
        cells: the least number of cells.
        hosts: how many hosts hold every model.
        missing: the share of cells that nobody measured, from 0 to 1.
    """
    models = -(-cells // (hosts * PER_MODEL))
    names = [f"host-{index}" for index in range(hosts)]
    ledger = folder / "receipts" / VERSION
    ledger.mkdir(parents=True)
    tables = "\n".join(f'[[hosts]]\nid = "{name}"\n' for name in names)
    verbs = json.dumps(VERBS)
    (folder / "gate.toml").write_text(
        f'[project]\nname = "benchmark"\ncontexts = "receipts/contexts.json"\n\n{tables}\n'
        f'[cells]\nverbs = {verbs}\nbackend = "cuda"\nthinking = true\n'
    )
    contexts = [{"name": name, "tokens": tokens, "source": ["benchmark"]} for name, tokens in SIZED.items()]
    document = {"schema": "taggate/contexts/v1", "contexts": contexts}
    (folder / "receipts" / "contexts.json").write_text(json.dumps(document))
    every = round(1 / missing) if missing else 0
    for name in names:
        _write_host(ledger, name, models, every)
    return models * hosts * PER_MODEL


def _write_host(ledger: Path, host: str, models: int, every: int) -> None:
    header = {
        "release": {"version": VERSION, "commit": COMMIT},
        "measured_at": "2026-10-12T09:00:00Z",
        "producer": "benchmark",
        "host": host,
    }
    files = [(f"model-{index:06}.gguf", hashlib.sha256(str(index).encode()).hexdigest()) for index in range(models)]
    held = [
        {
            "file": file,
            "sha256": sha256,
            "arch": "qwen3",
            "context_length": LENGTH,
            "template_markers": ["enable_thinking"],
        }
        for file, sha256 in files
    ]
    inventory = {"schema": "taggate/inventory-receipt/v1", **header, "models": held}
    (ledger / f"inventory-{host}.json").write_text(json.dumps(inventory))
    number = 0
    with (ledger / f"{host}.jsonl").open("w") as stream:
        stream.write(json.dumps({"schema": "taggate/run-receipt/v1", **header}) + "\n")
        for file, sha256 in files:
            for verb in VERBS:
                for thinking in ("off", "on"):
                    for context, tokens in CONTEXTS.items():
                        number += 1
                        if every and number % every == 0:
                            continue
                        row = {
                            "model": {"file": file, "sha256": sha256},
                            "verb": verb,
                            "context": context,
                            "thinking": thinking,
                            "verdict": "pass",
                            "backend": {"requested": "cuda", "ran": "cuda", "fell_back": False},
                            "exit_code": 0,
                            "prompt_tokens": tokens,
                            "answer_chars": 12,
                        }
                        stream.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("cells", type=int)
    parser.add_argument("--missing", type=float, default=0.0)
    options = parser.parse_args()
    print(write(options.folder, options.cells, missing=options.missing), "cells")
