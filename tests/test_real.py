"""The real case: receipts that nobody here wrote, judged as the project's own gate should have judged them."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from tests.real import COMMIT, aprender
from tests.release import gate


@pytest.fixture(scope="module")
def verdict(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = aprender(tmp_path_factory.mktemp("aprender"))
    done = gate(folder, "check", "--tag", "v0.69.0", "--commit", COMMIT, "--format", "json")
    assert done.returncode == 1, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def findings(verdict: dict[str, Any], **wanted: str) -> list[dict[str, Any]]:
    return [f for f in verdict["findings"] if all(f[k] == v for k, v in wanted.items())]


def test_the_counts(verdict: dict[str, Any]) -> None:
    assert verdict["counts"] == {
        "cells": {"owed": 768, "passed": 0, "missing": 752, "failed": 16, "declaimed": 0, "refusals": 0},
        "orphan_rows": 10,
        "receipts": 3,
    }
    assert next(s for s in verdict["shapes"] if s["id"] == "cell") == {
        "id": "cell",
        "focus_nodes": 768,
        "violations": 768,
    }


def test_one_cell_fails_its_verdict_and_all_that_ran_fail_the_rest(verdict: dict[str, Any]) -> None:
    (failed,) = findings(verdict, shape="cell", property="verdict")
    assert failed["focus"] == "lambda/Qwen3-8B-Q4_K_M.gguf/run/think-off/4k"
    assert "golden_output: Empty output" in failed["message"]
    for prop in ("contextMet", "answered"):
        assert Counter(f["host"] for f in findings(verdict, shape="cell", property=prop)) == {"lambda": 8, "gx10": 8}
    assert {f["property"] for f in findings(verdict, shape="cell")} == {"receipt", "verdict", "contextMet", "answered"}


def test_the_models_that_were_never_identified_are_named(verdict: dict[str, Any]) -> None:
    found = findings(verdict, shape="host", reason="unidentified")
    assert Counter(f["host"] for f in found) == {"lambda": 10, "gx10": 6}
    assert len({(f["host"], f["model"]) for f in found}) == 16


def test_the_models_without_a_context_length_are_named(verdict: dict[str, Any]) -> None:
    found = findings(verdict, shape="model", property="contextLength", reason="unmeasured")
    assert len({f["model"] for f in found}) == len(found) == 8


def test_the_suite_is_no_go_and_inherited(verdict: dict[str, Any]) -> None:
    found = {f["property"]: f["message"] for f in findings(verdict, shape="suite", focus="dogfood")}
    assert "NO-GO" in found["verdict"]
    assert "version: 0.68.2" in found["fresh"]
    assert "commit: 5f9bd9344f07f6c6388f03f04fa61e0d93d3b411" in found["fresh"]
    assert COMMIT in found["fresh"]
    assert "version-unpublished" in found["checks"]


def test_the_orphans_are_named_and_refuse_nothing(verdict: dict[str, Any]) -> None:
    found = findings(verdict, reason="orphan")
    assert len(found) == 10
    assert {f["severity"] for f in found} == {"warning"}
    assert all("it names no sha256" in f["message"] for f in found)


def test_a_cause_is_named_before_the_cells_that_it_breaks(verdict: dict[str, Any]) -> None:
    order = list(dict.fromkeys(f["shape"] for f in verdict["findings"]))
    assert order == ["receipt", "host", "model", "cell", "suite", "row"]
