"""`gate ingest apr-ladder-rows` and `apr-ladder-inventory`: what a ladder writes as JSON Lines."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.foreign import AT
from tests.release import COMMIT
from tests.release import gate_here as gate

KNOWN_RED = "aprender/evidence/release/0.70.1/known-red"
ROWS = ("--release", "0.70.1", "--commit", COMMIT, "--host", "gx10", "--measured-at", AT)


def ingest(form: str, source: Path, folder: Path, *options: str) -> Any:
    done = gate(folder, "ingest", form, str(source), "--output", "out.json", *options)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    return json.loads((folder / "out.json").read_text())


def test_the_rows_come_in_three_shapes_and_each_is_read_rightly(real: Path, tmp_path: Path) -> None:
    found = ingest("apr-ladder-rows", real / KNOWN_RED / "cc4463f/raw-gx10/rows.jsonl", tmp_path, *ROWS)
    assert found["producer"] == "apr model ladder, 20 models: 3 not held, 3 refused, 14 measured"
    assert len(found["runs"]) == (3 + 14) * 4
    assert Counter(run["verdict"] for run in found["runs"]) == {"pass": 43, "fail": 13, "refused": 12}
    refused = [run for run in found["runs"] if run["verdict"] == "refused"]
    assert {run["reason"] for run in refused} == {
        "llama-fit-params exit 1: the model does not fit this host's free memory"
    }
    assert all("required_bytes" not in run and run["backend"] == {} for run in refused)
    assert found["left_out"]["rungs of models that the host doesn't hold or isn't asked for"] == 3
    assert found["left_out"]["CPU legs beside a GPU leg"] == 5


def test_what_the_rows_contradict_is_reported(real: Path, tmp_path: Path) -> None:
    found = ingest("apr-ladder-rows", real / KNOWN_RED / "cc4463f/raw-gx10/rows.jsonl", tmp_path, *ROWS)
    said = {entry.split(" ")[1]: entry for entry in found["contradictions"]}
    assert set(said) == {"11", "12", "13"}
    assert "ok is true of /api/chat|stream=false, /api/chat|stream=true, and it failed: gibberish" in said["11"]
    assert "green is true with qa_rc 5" in said["13"]
    assert "tensor_contract" in said["13"]
    by_model = {(run["model"]["file"], run["verb"]): run for run in found["runs"]}
    fell_back = by_model["Qwen3.5-0.8B-UD-IQ2_XXS.gguf", "run"]
    assert (fell_back["verdict"], fell_back["backend"]) == ("fail", {"requested": "cuda", "fell_back": True})
    assert by_model["cb-4096-Qwen2.5-0.5B-IQ2_M.gguf", "run"]["reason"].startswith("tensor_contract: 21 contract")
    assert by_model["Qwen3-Coder-30B-A3B-Instruct-Q4_K_M.gguf", "serve"]["verdict"] == "fail"
    assert by_model["Qwen3-Coder-30B-A3B-Instruct-Q4_K_M.gguf", "run"]["verdict"] == "pass"
    unclosed = by_model["Qwen3.5-0.8B-Q4_K_M.gguf", "chat"]
    assert unclosed["reason"].startswith("golden_output: golden_output_thinking_on: think block unclosed")


def test_the_inventory_beside_the_rows(real: Path, tmp_path: Path) -> None:
    found = ingest("apr-ladder-inventory", real / KNOWN_RED / "cc4463f/raw-gx10/inventory.jsonl", tmp_path, *ROWS)
    assert found["producer"] == "apr model ladder, 20 files: 20 with a sha256"
    assert len(found["models"]) == 20
    assert {tuple(entry) for entry in found["models"]} == {("file", "sha256", "bytes")}


@pytest.mark.parametrize("option", ["--release", "--commit", "--host", "--measured-at"])
def test_an_option_that_the_rows_need_is_named(option: str, tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text('{"file": "a.gguf", "present": false}')
    given = list(ROWS)
    at = given.index(option)
    del given[at : at + 2]
    done = gate(tmp_path, "ingest", "apr-ladder-rows", "rows.jsonl", "--output", "out.json", *given)
    assert done.returncode == 3
    assert done.stderr.startswith(f"gate: {option} is needed: ")
