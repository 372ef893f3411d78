"""A small release that owes every kind of thing, green in full, and each single change to it red by its own name."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.falsifiers.falsifier import judge
from tests.release import COMMIT, OTHER_COMMIT, RULES, VERBS, VERSION, Release, gate_here, green, header

FOLDER = f"receipts/{VERSION}"
MODEL = "alpha-q4_k_m.gguf"
KERNELS = (("q4_k_gemv", "Q4_K"), ("argmax", None))
CELL = f"gx10/{MODEL}/run/think-off/4k"


def _kernels(host: str) -> dict[str, Any]:
    rows = [
        {
            "kernel": "q4_k_gemv",
            "quant": "Q4_K",
            "verdict": "pass",
            "max_err": 1e-7,
            "bound": 1e-5,
            "bound_source": "ticket 1",
        },
        {"kernel": "argmax", "verdict": "pass", "discrete": True, "index_mismatch": 0, "tie_margin": 0.0},
    ]
    return header("taggate/kernel-receipt/v1", host) | {"rows": rows}


def _tokenizer() -> dict[str, Any]:
    row = {
        "model": {"file": MODEL, "sha256": "1" * 64}, "comparator": {"name": "llama.cpp", "pin": "d1d3c339"}, "corpus": "words",
        "compared": 1000, "mismatches": 0, "round_trip": True,
    }  # fmt: skip
    return header("taggate/tokenizer-receipt/v1") | {"rows": [row]}


@pytest.fixture
def full(tmp_path: Path) -> Release:
    """2 hosts x 4 verbs x 2 modes x 3 contexts = 48 cells, 4 kernel cells, 1 tokenizer cell."""
    release = green(tmp_path)
    release.rules = RULES.replace('owed = ["*q4_k*"]', 'owed = ["alpha*"]').replace(
        "[require]", "[require]\nkernels = true\ntokenizer = true"
    )
    for host in ("lambda", "gx10"):
        inventory = release.receipt(f"inventory-{host}.json")
        inventory["models"] = inventory["models"][:1]
        inventory["models"][0]["dispatched"] = [{"kernel": k} | ({"quant": q} if q else {}) for k, q in KERNELS]
        runs = release.receipt(f"{host}.json")["runs"]
        runs[:] = [row for row in runs if row["model"]["file"] == MODEL]
        release.documents[f"{FOLDER}/kernels-{host}.json"] = _kernels(host)
    release.documents[f"{FOLDER}/tokenizer.json"] = _tokenizer()
    return release


def test_every_obligation_is_counted_and_passes(full: Release) -> None:
    verdict, results = judge(full.write())
    assert results == []
    assert verdict.exit_code == 0
    assert verdict.states == {"passed": 48}
    counts = {s.id: s.focus_nodes for s in verdict.shapes}
    assert (counts["cell"], counts["tokenizer"]) == (48, 1)
    done = gate_here(full.folder, "check", "--tag", VERSION, "--format", "json")
    assert json.loads(done.stdout)["counts"]["kernels"] == {
        "owed": 4,
        "passed": 4,
        "missing": 0,
        "failed": 0,
        "declaimed": 0,
    }


def _row(release: Release) -> Any:
    return release.row("gx10", MODEL)


def _set(**values: Any) -> Callable[[Release], None]:
    return lambda release: _row(release).update(values)


def _missing(release: Release) -> None:
    release.receipt("gx10.json")["runs"].remove(_row(release))


def _other(**values: str) -> Callable[[Release], None]:
    def change(release: Release) -> None:
        row = _row(release)
        release.receipt("gx10.json")["runs"].remove(row)
        own = header("taggate/run-receipt/v1", "gx10") | {"runs": [row]}
        own["release"].update(values)
        release.documents[f"{FOLDER}/own.json"] = own

    return change


def _twice(release: Release) -> None:
    release.receipt("gx10.json")["runs"].append(copy.deepcopy(_row(release)))


def _kernel(host: str, change: Callable[[list[Any]], None]) -> Callable[[Release], None]:
    return lambda release: change(release.receipt(f"kernels-{host}.json")["rows"])


def _no_inventory(release: Release) -> None:
    del release.documents[f"{FOLDER}/inventory-gx10.json"]
    for name in ("gx10.json", "kernels-gx10.json"):
        del release.documents[f"{FOLDER}/{name}"]


def _v1(release: Release) -> None:
    _no_inventory(release)
    release.documents[f"{FOLDER}/old.json"] = {
        "schema": "apr-model-ladder-receipt/v1",
        "host": "gx10",
        "version": VERSION,
        "rungs": [],
    }


def _no_number(release: Release) -> None:
    del release.documents["receipts/contexts.json"]["consumers"][1]["max_prompt_tokens"]


def _modes(release: Release) -> None:
    for host in ("lambda", "gx10"):
        release.receipt(f"inventory-{host}.json")["models"][0]["thinking_modes"] = ["on"]


def _tokens(**values: Any) -> Callable[[Release], None]:
    return lambda release: release.receipt("tokenizer.json")["rows"][0].update(values)


def _refusing(total: int, required: int) -> Callable[[Release], None]:
    """Let gx10 owe a refusal at `declared`, and lambda cover it; its run cell there is gone, or its refusal is weak."""

    def change(release: Release) -> None:
        for host, memory in (("gx10", total), ("lambda", 10 * total)):
            inventory = release.receipt(f"inventory-{host}.json")
            inventory["gpu"]["memory_bytes"] = memory
            inventory["models"][0] |= {"weights_bytes": 5000, "kv_bytes_per_token": 1, "workspace_bytes": 100}
        for verb in VERBS:
            for thinking in ("off", "on"):
                release.row("gx10", MODEL, verb, thinking, "declared").update(
                    verdict="refused", required_bytes=21_484, answer_chars=0
                )
        release.row("gx10", MODEL, "run", "off", "declared")["required_bytes"] = required

    return change


def _covering_gone(release: Release) -> None:
    _refusing(20_000, 21_484)(release)
    release.receipt("lambda.json")["runs"].remove(release.row("lambda", MODEL, "run", "off", "declared"))


def _suite(**values: str) -> Callable[[Release], None]:
    return lambda release: release.receipt("dogfood.json")["release"].update(values)


DECLARED = f"{MODEL}/run/think-off/declared"


@pytest.mark.parametrize(
    ("change", "shape", "focus", "prop", "reason"),
    [
        (_missing, "cell", CELL, "receipt", "missing"),
        (_set(verdict="skip"), "cell", CELL, "verdict", "failed"),
        (_set(backend={"ran": "cuda", "fell_back": True}), "cell", CELL, "fallback", "failed"),
        (_set(backend={"ran": "cuda"}), "cell", CELL, "fallback", "failed"),
        (_other(commit=OTHER_COMMIT), "cell", CELL, "fresh", "stale"),
        (_other(version="0.70.0"), "cell", CELL, "fresh", "stale"),
        (_set(think_closed=False), "cell", CELL, "thinkClosed", "failed"),
        (_set(answer_chars=0), "cell", CELL, "answered", "failed"),
        (_set(prompt_tokens=4095), "cell", CELL, "contextMet", "failed"),
        (_twice, "cell", CELL, "receipt", "ambiguous"),
        (
            _kernel("gx10", lambda rows: rows[0].update(verdict="fail")),
            "kernel",
            "gx10/kernel/q4_k_gemv/Q4_K",
            "verdict",
            "failed",
        ),
        (_kernel("gx10", lambda rows: rows.pop(0)), "kernel", "gx10/kernel/q4_k_gemv/Q4_K", "receipt", "missing"),
        (_no_inventory, "host", "gx10", "inventory", "missing"),
        (_v1, "host", "gx10", "inventory", "missing"),
        (_suite(commit=OTHER_COMMIT), "suite", "dogfood", "fresh", "stale"),
        (_no_number, "context", "writer", "consumer", "unmeasured"),
        (_modes, "model", MODEL, "thinking", "contradicted"),
        (_tokens(mismatches=1), "tokenizer", f"tokenizer/{MODEL}", "mismatches", "failed"),
        (_tokens(compared=0), "tokenizer", f"tokenizer/{MODEL}", "compared", "unmeasured"),
        (_covering_gone, "cell", f"lambda/{DECLARED}", "receipt", "missing"),
        (_refusing(20_000, 19_999), "refusal", f"gx10/{DECLARED}", "shortfall", "failed"),
    ],
)
def test_each_single_change_turns_its_own_finding_red(
    change: Callable[[Release], None], shape: str, focus: str, prop: str, reason: str, full: Release
) -> None:
    change(full)
    verdict, _ = judge(full.write())
    own = [(f.shape, f.focus, f.property, f.reason) for f in verdict.violations]
    if prop == "inventory":  # the kernels that the other host dispatches are owed here too
        own = [found for found in own if found[0] != "kernel"]
    assert own == [(shape, focus, prop, reason)]


def test_a_third_version_of_a_schema_is_refused_by_name(full: Release) -> None:
    full.documents[f"{FOLDER}/new.json"] = {"schema": "apr-model-ladder-receipt/v3", "host": "gx10", "apr_sha": COMMIT}
    done = gate_here(full.write(), "check", "--tag", VERSION)
    assert (done.returncode, "'apr-model-ladder-receipt/v3' is no schema" in done.stderr) == (3, True)
