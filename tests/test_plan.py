"""`gate plan`: what is missing and stale is planned, each model loaded once, and the script runs as it is."""

from __future__ import annotations

import json
import subprocess
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from tests.release import NOW, OTHER_COMMIT, VERSION, Release, gate_here, green

STEP = "gx10/beta-q4_k_m.gguf/run/think-off/4k"


@pytest.fixture
def release(tmp_path: Path) -> Release:
    return green(tmp_path)


def planned(folder: Path, *arguments: str) -> Any:
    done = gate_here(folder, "plan", "--tag", VERSION, "--now", NOW, "--format", "json", *arguments)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_nothing_is_planned_of_a_green_release(release: Release) -> None:
    folder = release.write()
    assert planned(folder)["steps"] == []
    done = gate_here(folder, "plan", "--tag", VERSION, "--now", NOW)
    assert done.stdout == f"v{VERSION}: every owed cell has a run of this release.\n"


def test_what_is_missing_or_stale_is_planned_and_what_failed_is_counted(release: Release) -> None:
    release.row("lambda", "alpha-q4_k_m.gguf", "chat")["verdict"] = "fail"
    release.receipt("gx10.json")["runs"].remove(release.row("gx10", "beta-q4_k_m.gguf"))
    stale = release.row("gx10", "beta-q4_k_m.gguf", "serve")
    release.receipt("gx10.json")["runs"].remove(stale)
    old = {k: v for k, v in release.receipt("gx10.json").items() if k != "runs"}
    release.documents["receipts/0.71.0/old.json"] = old | {
        "release": old["release"] | {"commit": OTHER_COMMIT},
        "runs": [stale],
    }
    plan = planned(release.write())
    assert [(step["label"], step["why"]) for step in plan["steps"]] == [
        (STEP, "missing"), ("gx10/beta-q4_k_m.gguf/serve/think-off/4k", "stale"),
    ]  # fmt: skip
    assert plan["failed_cells_left_out"] == 1
    assert [step["why"] for step in planned(release.folder, "--failed")["steps"]] == ["missing", "stale", "failed"]


def test_a_model_is_loaded_once_and_its_short_prompts_come_first(release: Release) -> None:
    release.receipt("gx10.json")["runs"].clear()
    release.receipt("lambda.json")["runs"].clear()
    steps = planned(release.write())["steps"]
    assert len(steps) == 72
    loads = [key for key, _ in groupby(steps, key=lambda step: (step["host"], step["sha256"]))]
    assert len(loads) == len(set(loads)) == 4
    for _, found in groupby(steps, key=lambda step: (step["host"], step["sha256"])):
        tokens = [step["tokens"] for step in found]
        assert tokens == sorted(tokens)


def test_a_step_takes_what_the_same_cell_took_in_any_release(release: Release) -> None:
    row = release.row("gx10", "beta-q4_k_m.gguf")
    earlier = [row | {"seconds": 30.0}, row | {"verb": "chat", "seconds": 50.0}]
    for version, runs in (("0.70.0", earlier), ("0.9.0", [row | {"seconds": 40.0}])):
        document = {k: v for k, v in release.receipt("gx10.json").items() if k != "runs"} | {"runs": runs}
        release.documents[f"receipts/{version}/gx10.json"] = document
    release.documents["receipts/0.60.0/gx10.json"] = "no JSON"
    release.receipt("gx10.json")["runs"] = []
    plan = planned(release.write(), "--host", "gx10")
    times = {step["label"]: step["seconds"] for step in plan["steps"] if "/beta" in step["label"]}
    assert times[STEP] == 35.0
    assert times["gx10/beta-q4_k_m.gguf/chat/think-off/4k"] == 50.0
    assert times["gx10/beta-q4_k_m.gguf/code/think-off/4k"] == 40.0, "as its like at this context"
    assert times["gx10/beta-q4_k_m.gguf/run/think-off/declared"] is None
    assert [found["version"] for found in plan["releases_not_timed"]] == ["0.60.0"]


def test_the_script_measures_each_cell_once(release: Release) -> None:
    release.receipt("gx10.json")["runs"].clear()
    for held in release.receipt("inventory-gx10.json")["models"]:
        held["file"] = held["file"].replace("beta", "b $(touch gone) 'é\"")
    folder = release.write()
    script = gate_here(folder, "plan", "--tag", VERSION, "--now", NOW, "--host", "gx10", "--format", "sh").stdout
    (folder / "next.sh").write_text(script, encoding="utf-8")
    (folder / "measure").write_text(
        '#!/bin/sh\nprintf "%s|" "$@" >>seen\necho >>seen\ntest "$3" != chat\n', encoding="utf-8"
    )
    (folder / "measure").chmod(0o755)
    done = subprocess.run(
        ["sh", "next.sh"],
        cwd=folder,
        env={"MEASURE": "./measure", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    seen = (folder / "seen").read_text(encoding="utf-8").splitlines()
    assert len(seen) == len(set(seen)) == 36
    assert f"gx10|b $(touch gone) 'é\"-q4_k_m.gguf|{'2' * 64}|run|off|4k|4096|" in seen
    assert not (folder / "gone").exists()
    assert (done.returncode, done.stderr) == (0, "0 of 36 cells could not be measured\n")
    (folder / "measure").write_text('#!/bin/sh\ntest "$4" != chat\n', encoding="utf-8")
    done = subprocess.run(
        ["sh", "next.sh"],
        cwd=folder,
        env={"MEASURE": "./measure", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, "9 of 36 cells could not be measured\n")


def test_a_script_without_a_command_to_measure_ends_at_once(release: Release) -> None:
    release.receipt("gx10.json")["runs"].clear()
    folder = release.write()
    script = gate_here(folder, "plan", "--tag", VERSION, "--now", NOW, "--format", "sh").stdout
    done = subprocess.run(
        ["sh"], input=script, env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert "set MEASURE to the command" in done.stderr


def test_other_obligations_that_are_missing_are_named(release: Release) -> None:
    del release.documents["receipts/0.71.0/dogfood.json"]
    assert planned(release.write())["other_obligations"] == [{"shape": "suite", "focus": "dogfood"}]


def test_an_unknown_host_is_the_callers_error(release: Release) -> None:
    done = gate_here(release.write(), "plan", "--tag", VERSION, "--now", NOW, "--host", "gx11")
    assert (done.returncode, done.stderr) == (3, "gate: --host: no rule knows 'gx11'\n  Known: lambda, gx10, laptop.\n")
