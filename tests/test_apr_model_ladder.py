"""`apr-model-ladder-receipt`: the real ladders are read with their own counts, and their flags decide nothing."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from gate import ledger
from gate.errors import BadFile
from tests.foreign import read, text

LADDER = "aprender/evidence/dogfood/models/0.69.1/gx10.json"
KNOWN_RED = "aprender/evidence/release/0.70.1/known-red"
RERUN = f"{KNOWN_RED}/rc1/lambda/lambda.only-inv_Qwen3.5-0.8B-UD-IQ2_XXS.gguf.json"


def verdicts(rows: Any) -> dict[str, dict[str | None, int]]:
    found: dict[str, Counter[str | None]] = {}
    for row in rows:
        found.setdefault(row.verb, Counter())[row.verdict] += 1
    return {verb: dict(counts) for verb, counts in found.items()}


def test_the_rungs_of_0_69_1_become_run_chat_serve_and_code_rows(real: Path) -> None:
    receipt = read(real / LADDER)
    assert len(receipt.runs) == 17 * 4
    assert verdicts(receipt.runs) == {
        "run": {"pass": 12, "fail": 2, "skip": 3}, "chat": {"pass": 12, "fail": 3, "skip": 2},
        "code": {"pass": 12, "fail": 3, "skip": 2}, "serve": {"pass": 12, "fail": 3, "skip": 2},
    }  # fmt: skip
    assert receipt.left_out["CPU legs beside a GPU leg"] == 8
    assert {(row.context, row.thinking, row.prompt_tokens) for row in receipt.runs} == {(None, None, None)}
    assert all(row.sha256 for row in receipt.runs)
    assert receipt.binding.quarrels == ()


def test_the_three_red_rungs_are_red_for_their_own_reasons(real: Path) -> None:
    rungs = json.loads((real / LADDER).read_text())["rungs"]
    red = {rung["file"] for rung in rungs if not rung["green"]}
    assert len(red) == 3
    assert sum(rung["green"] for rung in rungs) == 14
    reasons = {(row.file, row.verb): row.reason or "" for row in read(real / LADDER).runs if row.file in red}
    for file in ("Qwen3-30B-A3B-Instruct-2507-Q4_K_M.gguf", "Qwen3-Coder-30B-A3B-Instruct-Q4_K_M.gguf"):
        for verb in ("run", "chat", "code", "serve"):
            assert reasons[file, verb].startswith(
                "capability_match: this build has no CUDA forward for architecture 'qwen3moe'"
            )
    fp16 = "qwen2.5-coder-1.5b-instruct-fp16.apr"
    assert reasons[fp16, "code"] == "code.ran is false; code.rc is 1"
    assert reasons[fp16, "serve"].startswith("serve: 6 of 6 routes failed: /api/chat|stream=false (HTTP 500)")
    assert "GPU leg SKIPPED" in reasons[fp16, "run"]


def test_a_green_flag_that_the_checks_deny_is_reported(real: Path) -> None:
    found = read(real / LADDER).contradictions
    assert [said.partition(":")[0] for said in found] == [
        "rungs[12] (qwen2.5-coder-1.5b-instruct-q4_k_m.apr)", "rungs[14] (qwen2.5-coder-1.5b-instruct-q4k.apr)",
    ]  # fmt: skip
    assert "GPU leg SKIPPED" in found[0]
    assert "chat: chat.ran is false; chat.rc is 3" in found[1]


def test_the_backend_is_said_only_where_the_rung_says_it(real: Path) -> None:
    rows = read(real / LADDER).runs
    assert Counter((row.verb, row.backend) for row in rows) == {
        ("run", "cuda"): 15, ("run", None): 2, ("chat", "cuda"): 14, ("chat", None): 3, ("serve", None): 17, ("code", None): 17,
    }  # fmt: skip
    assert {row.fell_back for row in rows if row.verb in {"serve", "code"}} == {None}


def test_the_rerun_fell_back_and_disagrees_with_itself(real: Path) -> None:
    receipt = read(real / RERUN)
    assert [(row.verb, row.verdict, row.backend, row.fell_back) for row in receipt.runs] == [
        (verb, "fail", None, True) for verb in ("run", "chat", "code", "serve")
    ]
    assert receipt.binding.quarrels == (
        "version is 0.70.0, and apr_version says 0.69.5-rc.1",
        "apr_sha is 2add1c6447f759b0d1fa29b983e8ca7c3c8f1c1f, and apr_version says 5660b0877",
    )
    assert any("cuda.ran is false, and chat.ran is true" in said for said in receipt.contradictions)
    assert receipt.inventory is not None
    assert len(receipt.inventory.held) == 26
    assert receipt.inventory.gpu_memory_bytes == 25757220864
    held = {item.file: item for item in receipt.inventory.held}
    mentions = held["Qwen3-30B-A3B-Instruct-2507-Q4_K_M.gguf"]
    assert (mentions.markers, mentions.modes) == (("</think>",), ("off",))
    switch = held["Qwen3-8B-Q4_K_M.gguf"]
    assert (switch.markers, switch.modes) == (("enable_thinking", "</think>"), ("off", "on"))
    assert (switch.weights_bytes, switch.kv_bytes_per_token, switch.workspace_bytes) == (5027783488, 294912, None)
    assert receipt.measured_at is not None
    assert receipt.measured_at.isoformat() == "2026-10-03T03:30:00+00:00"


@pytest.mark.parametrize(
    ("entry", "markers"),
    [
        ({}, None), ({"thinking_markers": []}, ()), ({"thinking_markers": ["<think>"]}, None),
        ({"thinking_markers": ["<think>"], "generation_opens_think": False}, ()),
        ({"thinking_markers": ["<think>"], "generation_opens_think": True}, ("<think>",)),
        ({"thinking_markers": [], "generation_opens_think": True}, ("<think>",)),
        ({"template_markers": ["<think>"]}, ("<think>",)),
    ],
)  # fmt: skip
def test_a_template_that_mentions_think_does_not_open_with_it(entry: Any, markers: Any) -> None:
    document = {"schema": "apr-model-ladder-receipt/v2", "host": "gx10", "inventory": [{"file": "a.gguf", **entry}]}
    inventory = ledger.read_receipt(text("", "x.json"), document).inventory
    assert inventory is not None
    assert inventory.held[0].markers == markers


def test_counts_that_differ_from_the_rungs_are_reported(real: Path) -> None:
    document = json.loads((real / LADDER).read_text())
    document |= {"executed": 18, "red": 2}
    receipt = ledger.read_receipt(text("", "x.json"), document)
    assert receipt.contradictions[-2:] == ("executed is 18, and the rungs say 17", "red is 2, and the rungs say 3")


@pytest.mark.parametrize(
    ("said", "quant"),
    [
        ("15", "Q4_K_M"), ("19", "IQ2_XXS"), ("1", "F16"), ("0", "F32"), (15, "Q4_K_M"), ("Q4_K_M", "Q4_K_M"),
        ("999", "FILE_TYPE_999"), ("15.0", "15.0"), (None, None),
    ],
)  # fmt: skip
def test_a_quant_that_is_a_number_is_the_file_type_of_that_number(said: Any, quant: str | None) -> None:
    document = {"schema": "apr-model-ladder-receipt/v2", "host": "gx10", "inventory": [{"file": "a", "quant": said}]}
    inventory = ledger.read_receipt(text("", "x.json"), document).inventory
    assert inventory is not None
    assert inventory.held[0].quant == quant


@pytest.mark.parametrize("said", [True, 15.0, -1, 2**31, ["15"]])
def test_a_quant_of_another_kind_is_refused_with_its_place(said: Any) -> None:
    document = {"schema": "apr-model-ladder-receipt/v2", "host": "gx10", "inventory": [{"file": "a", "quant": said}]}
    with pytest.raises(BadFile, match=r"^x\.json, inventory\[0\]\.quant"):
        ledger.read_receipt(text("", "x.json"), document)


def test_the_numbers_of_the_real_rerun_are_what_its_files_are_called(real: Path) -> None:
    inventory = read(real / RERUN).inventory
    assert inventory is not None
    quants = {item.file: item.quant for item in inventory.held}
    assert Counter(quants.values()) == {"Q4_K_M": 15, None: 5, "IQ4_XS": 3, "IQ3_M": 1, "F16": 1, "IQ2_XXS": 1}
    named = {file: quant for file, quant in quants.items() if quant and "UD-Q4_K_XL" not in file}  # a mix of its own
    assert all(quant.lower() in file.lower() for file, quant in named.items())
