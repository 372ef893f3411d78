"""What turns a cell that owes a refusal red. Each starts from a release in which alpha can't fit gx10 at `declared`."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from rdflib import Graph, URIRef
from rdflib.namespace import RDF

from gate.iris import term
from tests.falsifiers.falsifier import Falsifier
from tests.release import COMMIT, OTHER_COMMIT, VERBS, VERSION, Release, header

CELL = "gx10/alpha-q4_k_m.gguf/run/think-off/declared"
CELL_IRI = f"https://w3id.org/taggate/release/{VERSION}/cell/gx10/{'1' * 64}/run/think-off/declared"
TOTAL = 20_000


def refusing(release: Release) -> None:
    """Let alpha need more than gx10's memory at 16384 tokens, and fit at 7000; every owed refusal is there."""
    for host, memory in (("gx10", TOTAL), ("lambda", 10 * TOTAL)):
        inventory = release.receipt(f"inventory-{host}.json")
        inventory["gpu"]["memory_bytes"] = memory
        inventory["models"][0] |= {"weights_bytes": 5000, "kv_bytes_per_token": 1, "workspace_bytes": 100}
    for verb in VERBS:
        for thinking in ("off", "on"):
            row = release.row("gx10", "alpha-q4_k_m.gguf", verb, thinking, "declared")
            row.update(verdict="refused", required_bytes=21_484, answer_chars=0, prompt_tokens=0, exit_code=1)


def _then(**values: Any) -> Callable[[Release], None]:
    def change(release: Release) -> None:
        refusing(release)
        row = release.row("gx10", "alpha-q4_k_m.gguf", "run", "off", "declared")
        row |= {key: value for key, value in values.items() if value is not None}
        for key in [key for key, value in values.items() if value is None]:
            del row[key]

    return change


def _delete(release: Release) -> None:
    refusing(release)
    release.receipt("gx10.json")["runs"].remove(release.row("gx10", "alpha-q4_k_m.gguf", "run", "off", "declared"))


def _twice(release: Release) -> None:
    refusing(release)
    row = release.row("gx10", "alpha-q4_k_m.gguf", "run", "off", "declared")
    release.receipt("gx10.json")["runs"].append(copy.deepcopy(row))


def _stale(release: Release) -> None:
    refusing(release)
    row = release.row("gx10", "alpha-q4_k_m.gguf", "run", "off", "declared")
    release.receipt("gx10.json")["runs"].remove(row)
    own = header("taggate/run-receipt/v1", "gx10") | {"runs": [row]}
    own["release"]["commit"] = OTHER_COMMIT
    release.documents[f"receipts/{VERSION}/own.json"] = own


def _unbound(release: Release) -> None:
    _stale(release)
    block = release.receipt("own.json")["release"]
    block["commit"] = COMMIT
    del block["binary_sha256"]


def _edit(change: Callable[[Graph, Any], None]) -> Callable[[Graph], None]:
    return lambda graph: change(graph, graph.value(URIRef(CELL_IRI), URIRef(term("receipt"))))


def _red(
    constraint: str, component: str, name: str, prop: str, reason: str, change: Any, edit: Any = None
) -> Falsifier:
    found = ((CELL, prop, reason),)
    return (
        Falsifier(constraint, component, name, found, change, edit)
        if edit
        else Falsifier(constraint, component, name, found, change)
    )


FALSIFIERS = [
    _red("Refusal-measured", "MinCount", "nobody asked for the refusal", "receipt", "missing", _delete),
    _red("Refusal-once", "MaxCount", "the row stands twice", "receipt", "ambiguous", _twice),
    _red("Refusal-judged", "Class", "a row escaped the constraints", "receipt", "failed", refusing,
         _edit(lambda graph, row: graph.remove((row, RDF.type, URIRef(term("RefusalRow")))))),
    _red("Refusal-verdict", "In", "it passes, though it can't fit", "verdict", "failed", _then(verdict="pass")),
    _red("Refusal-verdict", "In", "it runs out of memory midway", "verdict", "failed", _then(verdict="error", reason="out of memory")),
    _red("Refusal-verdict", "In", "it was skipped", "verdict", "failed", _then(verdict="skip")),
    _red("Refusal-verdict", "MinCount", "no verdict is recorded", "verdict", "failed", _then(verdict=None)),
    _red("Refusal-fresh", "In", "another commit refused", "fresh", "stale", _stale),
    _red("Refusal-fresh", "MinCount", "nobody asked whether it is fresh", "fresh", "stale", refusing,
         _edit(lambda graph, row: graph.remove((row, URIRef(term("fresh")), None)))),
    _red("Refusal-model", "In", "the row's file is another model's", "model", "contradicted",
         _then(model={"file": "beta-q4_k_m.gguf", "sha256": "1" * 64})),
    _red("Refusal-model", "MinCount", "nobody compared the names", "model", "contradicted", refusing,
         _edit(lambda graph, row: graph.remove((row, URIRef(term("nameHolds")), None)))),
    _red("Refusal-binary", "In", "no binary, though other runs name it", "binary", "contradicted", _unbound),
    _red("Refusal-answered", "In", "it answered", "answered", "contradicted", _then(answer_chars=5000)),
    _red("Refusal-fallback", "In", "it fell back", "fallback", "contradicted", _then(backend={"ran": "cpu", "fell_back": True})),
    _red("Refusal-evidence", "In", "the evidence isn't there", "evidence", "contradicted",
         _then(evidence={"path": "none.txt", "sha256": "0" * 64})),
    _red("Refusal-shortfall", "In", "the GPU was busy", "shortfall", "failed", _then(required_bytes=TOTAL, reason="1000 bytes free")),
    _red("Refusal-shortfall", "MinCount", "it names no requirement", "shortfall", "failed", _then(required_bytes=None)),
]  # fmt: skip
