"""Tokenizers, outputs, speed and the rows of suites: what is green, what is read, and what is brought in."""

from __future__ import annotations

import copy
import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from gate import strict_json
from gate.errors import BadFile
from gate.files import InputFile, read_input
from gate.ledger import read_receipt
from gate.ledger.rows import SuiteRow
from tests.falsifiers import parity, performance, suite_row, tokenizer
from tests.falsifiers.falsifier import judge
from tests.foreign import BOUND, MODEL, SHA, ingest, ingested, receipt
from tests.real import COMMIT as REAL_COMMIT
from tests.real import RULES as REAL_RULES
from tests.release import COMMIT, VERSION, Release, judged, parities, performances, tokenizers
from tests.release import gate_here as gate

CRUX = "aprender/evidence/release/0.70.1/crux-smoke-cc4463f/gx10-gpu.json"
TOKENS = "aprender/evidence/parity/qwen35/lambda/parity.json"
FINDINGS = "aprender/evidence/parity-http/findings.json"


def shapes(folder: Path) -> dict[str, int]:
    verdict, results = judge(folder)
    assert results == []
    return {shape.id: shape.focus_nodes for shape in verdict.shapes}


# ---------------------------------------------------------------- a green release with each of them required


def test_the_tokenizer_of_each_model_is_one_obligation_for_all_hosts(release: Release) -> None:
    tokenizer.required(release)
    assert shapes(release.write())["tokenizer"] == 2


def test_an_apr_tokenizer_receipt_passes_as_the_native_one_does(release: Release) -> None:
    tokenizer.foreign(release)
    folder = release.write()
    found = [f for f in judged(folder)["findings"] if f["reason"] != "unread"]
    assert found == []
    (row,) = receipt(release.documents[f"receipts/{VERSION}/foreign.json"]).tokenizers
    assert (row.corpus, row.comparator_pin, row.compared, row.mismatches) == ("c" * 64, "d1d3c3396", 51200, 0)


def test_the_output_of_each_model_is_owed_on_each_host_that_holds_it(release: Release) -> None:
    parity.required(release)
    assert shapes(release.write())["parity"] == 4


def test_a_split_names_its_prompt_and_its_token(release: Release) -> None:
    parity.required(release)
    release.documents[parity.RECEIPTS["gx10"]]["rows"][3]["matching_prefix"] = 7
    (finding,) = judged(release.write())["findings"]
    assert (finding["focus"], finding["host"]) == ("parity/gx10/beta-q4_k_m.gguf", "gx10")
    assert (
        "prompt: tell a story; matching prefix: 7; prefix owed: 32; reference: cpu; split at token: 7"
        in finding["message"]
    )


def test_the_expected_rows_of_a_suite_are_counted(release: Release) -> None:
    suite_row.required(release)
    assert shapes(release.write())["suite_row"] == 2


@pytest.mark.parametrize(
    "change",
    [
        performance.claimed,
        performance.rules(("runs = 3", "runs = 2"), values=(80.0,)),
        performance.rules(("0.9", "0.95")),
        performance.rules(performance.OWN, ("0.9", "95.0")),
        performance.rules(performance.OWN, ("at_least = 0.9\nruns = 3\nof = 3\n", "")),
    ],
    ids=["3 of 3", "2 of 3", "at the bound", "its own figure", "shown only"],
)
def test_a_claim_that_its_runs_bear_out_is_green(change: Any, release: Release) -> None:
    change(release)
    assert shapes(release.write())["performance"] == 1


def test_a_claim_is_judged_run_by_run_and_names_those_that_missed(release: Release) -> None:
    performance.rules(values=(89.0, 95.0, 85.5))(release)
    (finding,) = judged(release.write())["findings"]
    assert "missed: run 1 on lambda: 0.89, run 3 on lambda: 0.855; at least: 0.9" in finding["message"]


def test_a_comparator_that_was_never_measured_is_named(release: Release) -> None:
    performance.claimed(release)
    for row in release.documents[performance.RECEIPT]["rows"]:
        del row["comparator"]
    (finding,) = judged(release.write())["findings"]
    assert finding["reason"] == "unmeasured"
    assert "comparator: llama.cpp; runs compared: 0" in finding["message"]


def test_a_figure_at_another_configuration_is_named_where_one_is_missing(release: Release) -> None:
    performance.claimed(release)
    for row in release.documents[performance.RECEIPT]["rows"]:
        row["configuration"] = "eight users"
    finding, *orphans = judged(release.write())["findings"]
    assert [f["reason"] for f in orphans] == ["orphan"] * 3
    assert "measured instead at: eight users" in finding["message"]


def test_the_comparator_may_stand_in_a_receipt_of_its_own_and_the_model_under_another_name(release: Release) -> None:
    performance.claimed(release)
    own = release.documents[performance.RECEIPT]
    theirs = copy.deepcopy(own)
    for row in own["rows"]:
        del row["comparator"]
        row["model"]["file"] = "alpha-renamed.gguf"
    for row in theirs["rows"]:
        del row["value"]
    models = release.receipt("inventory-lambda.json")["models"]
    models.append(models[0] | {"file": "alpha-renamed.gguf"})
    release.documents[f"receipts/{VERSION}/llama.json"] = theirs
    assert shapes(release.write())["performance"] == 1


def test_a_claim_that_asks_more_runs_than_there_are_is_malformed(release: Release) -> None:
    performance.rules(("runs = 3", "runs = 4"))(release)
    done = gate(release.write(), "check", "--tag", VERSION)
    assert done.returncode == 3
    assert "asks 4 runs of 3 to reach it" in done.stderr


# ---------------------------------------------------------------- the native receipts


@pytest.mark.parametrize(
    "document", [tokenizers(), parities("lambda"), performances("lambda")], ids=lambda d: d["schema"]
)
def test_a_native_receipt_obeys_its_schema_and_is_the_same_in_json_lines(document: Any, release: Release) -> None:
    schema = json.loads(gate(release.folder, "schema", document["schema"]).stdout)
    jsonschema.validate(document, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document | {"unknown": 1}, schema)
    as_object = receipt(document)
    rows = document["rows"]
    header = {key: value for key, value in document.items() if key != "rows"}
    file = InputFile("x.jsonl", "0" * 64, b"")
    as_lines = read_receipt(file, header, ((n, row) for n, row in enumerate(rows, start=2)))
    for name in ("tokenizers", "parities", "performances"):
        places = [row.place for row in getattr(as_lines, name)]
        assert places == ([f"line {n}" for n in range(2, len(rows) + 2)] if places else [])
        for one, other in zip(getattr(as_object, name), getattr(as_lines, name), strict=True):
            assert {k: getattr(one, k) for k in one.__slots__[1:]} == {
                k: getattr(other, k) for k in other.__slots__[1:]
            }
    with pytest.raises(BadFile, match="rows stand in the header"):
        read_receipt(file, document, iter([]))


@pytest.mark.parametrize(
    ("document", "change", "said"),
    [
        (tokenizers(), {"mismatches": -1}, "rows\\[0\\].mismatches"),
        (tokenizers(), {"round_trip": "true"}, "rows\\[0\\].round_trip"),
        (tokenizers(), {"matches": 1}, "rows\\[0\\].matches: there is no such key"),
        (parities("lambda"), {"compared": 1.5}, "rows\\[0\\].compared"),
        (parities("lambda"), {"prompt": ""}, "rows\\[0\\].prompt"),
        (performances("lambda"), {"run": 0}, "rows\\[0\\].run"),
        (performances("lambda"), {"value": -1.0}, "rows\\[0\\].value"),
        (performances("lambda"), {"value": "95"}, "rows\\[0\\].value"),
        (performances("lambda"), {"value": 1e300}, "rows\\[0\\].value"),
    ],
)
def test_a_row_of_another_form_is_refused_by_its_place(document: Any, change: Any, said: str) -> None:
    document["rows"][0].update(change)
    with pytest.raises(BadFile, match=said):
        receipt(document)


# ---------------------------------------------------------------- the smoke, and an honest summary


def crux(**changes: Any) -> dict[str, Any]:
    """A smoke of one cell."""
    cell = {
        "key": {"model_sha256": SHA, "host": "gx10", "verb": "run", "thinking": "off", "prompt_id": "p"},
        "verdict": "GREEN", "reasons": [], "quorum": {"met": True},
        "engines": {"apr": {"answered": True, "rc": 0, "correct": True,
                            "backend": {"requested": "gpu", "ran": "gpu", "fell_back": False}}},
        "subject": {"apr_version": f"apr {VERSION} ({COMMIT[:9]})"},
    }  # fmt: skip
    return {
        "schema": "crux-inference-receipt/v1", "version": VERSION, "host": "gx10",
        "apr": {"version_line": f"apr {VERSION} ({COMMIT[:9]})", "sha": COMMIT}, "judged_at": "2026-10-03T11:09Z",
        "cells": [cell | changes], "summary": {"cells": 1, "verdict": "PASS"},
    }  # fmt: skip


def engine(**changes: Any) -> dict[str, Any]:
    product = crux()["cells"][0]["engines"]["apr"] | changes
    return {"engines": {"apr": {key: value for key, value in product.items() if value is not None}}}


@pytest.mark.parametrize(
    ("changes", "result", "note"),
    [
        ({}, "pass", ""),
        (engine(backend=None), "pass", ""),
        ({"verdict": "RED", "reasons": ["wrong"]}, "fail", "RED, a reason against it: wrong"),
        ({"verdict": "RED"}, "fail", "RED, though every check passed"),
        ({"verdict": "ALL_WRONG", "all_wrong": True} | engine(correct=False), "fail", "ALL_WRONG, all_wrong is true; apr was not right"),
        ({"verdict": "UNJUDGED"}, "skip", "UNJUDGED"),
        ({"skipped": True}, "skip", "GREEN, and it was skipped"),
        (engine(skipped=True, passed=True), "skip", "GREEN, and it was skipped"),
        ({"quorum": {"met": False}}, "fail", "GREEN, and yet the quorum was not met"),
        ({"engines": {}}, "fail", "GREEN, and yet no engine apr is recorded"),
        (engine(rc=5), "fail", "GREEN, and yet apr ended with 5"),
        (engine(rc=None), "fail", "GREEN, and yet no exit code is recorded"),
        (engine(answered=False), "fail", "GREEN, and yet apr did not answer"),
        (engine(correct=None), "fail", "GREEN, and yet apr was not right"),
        (engine(backend={"requested": "gpu", "ran": "cpu", "fell_back": True}), "fail",
         "GREEN, and yet apr was asked to run on gpu and ran on cpu"),
    ],
)  # fmt: skip
def test_a_cell_passes_by_its_checks_and_never_by_its_verdict_alone(changes: Any, result: str, note: str) -> None:
    found = receipt(crux(**changes))
    assert found.suite is not None
    assert found.suite.rows == (SuiteRow(f"gx10/{SHA}/run/off/p", result, note),)
    contradicts = note.startswith("GREEN") or note.endswith("every check passed")
    assert found.contradictions == ((f"cells[0]: {note}",) if contradicts else ())


@pytest.mark.parametrize(
    ("change", "quarrel"),
    [
        ({"version": "0.70.0"}, f"version is 0.70.0, and it measured apr {VERSION} ({COMMIT[:9]})"),
        ({"apr": {"sha": "d" * 40}}, f"apr.sha is {'d' * 40}, and it measured apr {VERSION} ({COMMIT[:9]})"),
        ({"apr": {"version_line": "apr nightly"}}, "it measured 'apr nightly', which names no version and commit"),
    ],
)
def test_a_smoke_that_disagrees_about_what_it_measured_says_so(change: Any, quarrel: str) -> None:
    assert quarrel in receipt(crux() | change).binding.quarrels


def test_the_real_smoke_has_twenty_cells_of_the_134_that_it_claims(real: Path) -> None:
    file = read_input(real / CRUX, "gx10-gpu.json")
    found = read_receipt(file, strict_json.parse_file(file))
    assert found.suite is not None
    assert (found.suite.suite, found.suite.verdict, found.suite.claimed_rows) == ("crux-smoke", "go", 134)
    assert Counter(row.result for row in found.suite.rows) == {"pass": 20}
    assert len({row.name for row in found.suite.rows}) == 20
    assert (found.host, found.binding.version, found.binding.commit) == ("gx10", "0.70.1", None)
    assert found.left_out == {
        "things that it says it does not cover": 8,
        "prompts whose token ids it says differ": 2,
    }


def test_a_summary_of_134_over_20_rows_is_red_and_so_is_every_row_that_is_gone(release: Release, real: Path) -> None:
    smoke = json.loads((real / CRUX).read_text())
    smoke["version"] = VERSION
    smoke["apr"] = {"sha": COMMIT}
    for cell in smoke["cells"]:
        cell["subject"] = {}
    release.documents[f"receipts/{VERSION}/smoke.json"] = smoke
    names = [row.name for row in receipt(smoke).suite.rows]  # type: ignore[union-attr]
    release.rules = release.rules.replace('suites = ["dogfood"]', 'suites = ["dogfood", "crux-smoke"]')
    release.rules += f'[[require.rows]]\nsuite = "crux-smoke"\nrows = {json.dumps([*names, "the row that is gone"])}\n'
    verdict = judged(release.write())
    found = [(f["shape"], f["property"], f["reason"]) for f in verdict["findings"] if f["severity"] == "violation"]
    assert found == [("suite", "summary", "contradicted"), ("suite_row", "receipt", "missing")]
    assert "rows claimed: 134; rows recorded: 20" in verdict["findings"][-2]["message"]


def test_the_real_release_lacks_eight_tokenizer_comparisons(real: Path, tmp_path: Path) -> None:
    evidence = real / "aprender/evidence/release"
    (tmp_path / "gate.toml").write_text(REAL_RULES + "tokenizer = true\n")
    ledger = tmp_path / "receipts/0.69.0"
    ledger.mkdir(parents=True)
    for host in ("lambda", "gx10"):
        shutil.copy(evidence / f"proof-0.69.0/models/{host}.json", ledger)
    shutil.copy(evidence / "context-rungs.json", tmp_path / "receipts/contexts.json")
    done = gate(tmp_path, "check", "--tag", "v0.69.0", "--commit", REAL_COMMIT, "--format", "json")
    assert done.returncode == 1, done.stderr
    found = [f for f in json.loads(done.stdout)["findings"] if f["shape"] == "tokenizer"]
    assert [(f["reason"], f["property"]) for f in found] == [("missing", "receipt")] * 8
    assert len({f["focus"] for f in found}) == 8


# ---------------------------------------------------------------- what comes in through `gate ingest`


def test_the_real_token_parity_is_counted_from_its_tokens(real: Path, tmp_path: Path) -> None:
    found = ingested(tmp_path, "apr-parity", real / TOKENS, *BOUND, "--sha256", SHA, "--backend", "cuda")
    rows = receipt(found).parities
    assert [(row.compared, row.matching_prefix) for row in rows] == [(28, 0), (23, 23), (17, 13)]
    assert {(row.file, row.sha256, row.against, row.backend) for row in rows} == {
        ("Qwen3.5-0.8B-Q4_K_M.gguf", SHA, "llama.cpp", "cuda")
    }
    assert found["left_out"] == {"the field pass": 1, "teacher-forced steps": 68, "the field tau": 1} | {
        f"the field prompts[].{name}": 3
        for name in ("disagreements", "min_agreeing_margin", "prompt_len", "teacher_forced_agree")
    }


@pytest.mark.parametrize("option", ["--release", "--commit", "--host", "--measured-at"])
def test_what_no_file_says_must_be_said_by_an_option(option: str, real: Path, tmp_path: Path) -> None:
    pairs = dict(zip(BOUND[::2], BOUND[1::2], strict=True))
    del pairs[option]
    done = ingest(tmp_path, "apr-parity", real / TOKENS, *(part for pair in pairs.items() for part in pair))
    assert (done.returncode, done.stdout) == (3, "")
    assert f"{option} is needed" in done.stderr


def test_a_divergence_that_the_tokens_contradict_is_refused(tmp_path: Path) -> None:
    prompt = {"llama_tokens": [1, 2, 3], "greedy_tokens": [1, 2, 4], "greedy_divergence": None}
    done = ingest(tmp_path, "apr-parity", {"model": "a.gguf", "prompts": [prompt]}, *BOUND)
    assert done.returncode == 3
    assert "prompts[0].greedy_divergence: it is None, and the tokens part at 2" in done.stderr
    prompt |= {"greedy_tokens": [1, 2], "greedy_divergence": 2}
    found = ingested(tmp_path, "apr-parity", {"model": "a.gguf", "prompts": [prompt]}, *BOUND)
    assert (found["rows"][0]["compared"], found["rows"][0]["matching_prefix"]) == (3, 2)


def test_the_real_throughput_has_three_runs_of_four_rates(real: Path, tmp_path: Path) -> None:
    commit = "53062e7f3" + "0" * 31
    options = ("--commit", commit, "--measured-at", "2026-08-24T12:00:00Z", *MODEL)
    found = ingested(tmp_path, "apr-findings", real / FINDINGS, *options)
    rows = receipt(found).performances
    assert Counter(row.metric for row in rows) == {
        "decode_tok_per_sec": 3, "prefill_tok_per_sec": 3, "tokens_per_sec": 3, "throughput_rps": 3,
    }  # fmt: skip
    ratios = [row.value / row.comparator_value for row in rows if row.metric == "decode_tok_per_sec"]  # type: ignore[operator]
    assert [round(ratio, 3) for ratio in ratios] == [0.647, 0.626, 0.678]
    assert rows[0].comparator_pin is not None
    assert rows[0].comparator_pin.startswith("39173bcac")
    assert (found["host"], found["release"]) == ("lambda-vector", {"version": "0.64.0", "commit": commit})
    assert {what: n for what, n in found["left_out"].items() if not what.startswith("the field ")} == {
        "samples of latencies, in which less is better": 12, "medians": 12, "other lanes' samples": 18,
        "ratios computed in the file": 12,
    }  # fmt: skip
    assert found["left_out"]["the field headline"] == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--commit", COMMIT), "it measured the commit 53062e7f3, and --commit says c0ffee"),
        (("--commit", "53062e7f3" + "0" * 31, "--release", "0.65.0"), "it measured 0.64.0, and --release says 0.65.0"),
        (("--commit", "53062e7f3" + "0" * 31, "--number", "2"), "--number is not for apr-findings"),
    ],
)
def test_an_option_that_contradicts_the_file_is_refused(options: Any, said: str, real: Path, tmp_path: Path) -> None:
    done = ingest(tmp_path, "apr-findings", real / FINDINGS, "--measured-at", "2026-08-24T12:00:00Z", *MODEL, *options)
    assert done.returncode == 3
    assert said in done.stderr
