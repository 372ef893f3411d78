"""What turns a host red."""

from __future__ import annotations

from typing import Any

from tests.falsifiers.falsifier import Falsifier, alone, without
from tests.release import COMMIT, OTHER_COMMIT, VERBS, VERSION, Release

_TOKENS = ("4k", "consumer-max", "declared")


def _delete(release: Release) -> None:
    del release.documents[f"receipts/{VERSION}/inventory-gx10.json"]


def _superseded(release: Release) -> None:
    _delete(release)
    old = {"schema": "apr-model-ladder-receipt/v1", "host": "gx10", "version": VERSION, "sha": COMMIT[:9], "rungs": []}
    release.documents[f"receipts/{VERSION}/old.json"] = old


def _twice(release: Release) -> None:
    release.documents[f"receipts/{VERSION}/inventory-again.json"] = release.receipt("inventory-gx10.json")


def _inventory(**values: Any) -> Any:
    return lambda release: release.receipt("inventory-gx10.json").update(values)


def _release(**values: str) -> Any:
    return lambda release: release.receipt("inventory-gx10.json")["release"].update(values)


def _ladder_inventory(release: Release) -> None:
    """The same inventory from a receipt that names no full commit."""
    native = release.receipt("inventory-gx10.json")
    _delete(release)
    release.documents[f"receipts/{VERSION}/ladder.json"] = {
        "schema": "apr-model-ladder-receipt/v2", "host": "gx10", "version": VERSION, "gpu": "NVIDIA GB10", "cc": "sm_121",
        "inventory": native["models"],
    }  # fmt: skip


def _unidentified(release: Release) -> None:
    del release.receipt("inventory-gx10.json")["models"][1]["sha256"]


def _only_unowed(release: Release) -> None:
    release.receipt("inventory-gx10.json")["models"] = [{"file": "gamma-fp16.gguf", "sha256": "3" * 64}]


def _pinned_arch(release: Release) -> None:
    release.rules = release.rules.replace('arch = "qwen3"', 'arch = "llama"')


def _second_binary(release: Release) -> None:
    alone(release)["release"]["binary_sha256"] = "f" * 64


def _unlisted(release: Release) -> None:
    rows = release.receipt("lambda.json")["runs"]
    rows.append(rows[0] | {"model": {"file": "other.gguf", "sha256": "7" * 64}})


def _memory(measured: int | None) -> Any:
    """Let the rules name gx10's memory, and its inventory say something else of it, or nothing."""

    def change(release: Release) -> None:
        release.rules = release.rules.replace('compute = "12.1"', 'compute = "12.1"\nmemory_bytes = 128000000000')
        if measured is not None:
            release.receipt("inventory-gx10.json")["gpu"]["memory_bytes"] = measured

    return change


def _tiny(release: Release) -> None:
    """Let gx10 claim one byte of memory, and refuse all that it owes."""
    inventory = release.receipt("inventory-gx10.json")
    inventory["gpu"]["memory_bytes"] = 1
    for model in inventory["models"][:2]:
        model |= {"weights_bytes": 5000, "kv_bytes_per_token": 1, "workspace_bytes": 100}
    for row in release.receipt("gx10.json")["runs"]:
        row |= {"verdict": "refused", "required_bytes": 5200, "answer_chars": 0}


def _red(
    constraint: str, component: str, name: str, prop: str, reason: str, change: Any, host: str = "gx10"
) -> Falsifier:
    return Falsifier(constraint, component, name, ((host, prop, reason),), change)


_BETA = tuple(
    (f"gx10/beta-q4_k_m.gguf/{verb}/think-off/{context}", "receipt", "missing") for verb in VERBS for context in _TOKENS
)

FALSIFIERS = [
    _red("Host-inventory", "MinCount", "no inventory", "inventory", "missing", _delete),
    _red("Host-inventory", "MinCount", "a v1 receipt in place of an inventory", "inventory", "missing", _superseded),
    _red("Host-one-inventory", "MaxCount", "two inventories", "inventory", "ambiguous", _twice),
    _red("Inventory-fresh", "In", "an inventory of another commit", "fresh", "stale", _release(commit=OTHER_COMMIT)),
    _red("Inventory-fresh", "In", "an inventory of another version", "fresh", "stale", _release(version="0.70.0")),
    _red("Inventory-fresh", "MinCount", "an inventory without a full commit", "fresh", "stale", _ladder_inventory),
    _red("Inventory-gpu", "In", "another GPU", "gpu", "contradicted", _inventory(gpu={"name": "NVIDIA T4", "compute": "12.1"})),
    _red("Inventory-gpu", "MinCount", "no GPU is named", "gpu", "contradicted", _inventory(gpu={"compute": "12.1"})),
    _red("Inventory-compute", "In", "another compute capability", "compute", "contradicted",
         _inventory(gpu={"name": "NVIDIA GB10", "compute": "sm_120"})),
    _red("Inventory-compute", "MinCount", "no compute capability", "compute", "contradicted",
         _inventory(gpu={"name": "NVIDIA GB10"})),
    _red("Inventory-memory", "In", "another GPU memory", "memory", "contradicted", _memory(24)),
    _red("Inventory-memory", "MinCount", "no GPU memory is recorded", "memory", "contradicted", _memory(None)),
    Falsifier("Host-passes", "MinInclusive", "a host that may refuse everything", (("gx10", "passes", "missing"),), _tiny),
    Falsifier("Inventory-owed", "MinInclusive", "no owed model on the host",
              (("gx10", "owed", "missing"), *(("gx10", "unlisted", "contradicted"),) * 2), _only_unowed),
    Falsifier("Inventory-owed", "MinCount", "nobody counted the owed models",
              (("gx10", "owed", "missing"), ("lambda", "owed", "missing")), edit=without("Inventory", "owedFiles")),
    Falsifier("Held-sha256", "MinCount", "a model without a sha256",
              (("gx10", "sha256", "unidentified"), *_BETA), _unidentified),
    _red("Held-pin", "In", "another model under a pinned name", "pinned", "contradicted", _pinned_arch, "lambda"),
    _red("Host-one-binary", "MaxCount", "two binaries on one host", "binary", "contradicted", _second_binary, "lambda"),
    _red("Unlisted-held", "MinCount", "a model was run that the inventory doesn't list", "unlisted", "contradicted", _unlisted, "lambda"),
]  # fmt: skip
