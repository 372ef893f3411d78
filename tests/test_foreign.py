"""Foreign receipts: the real ones are read with their own counts, and no mutant of one passes for more than it says."""

from __future__ import annotations

import base64
import copy
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gate import ledger
from gate.errors import BadFile, CallersError, GateError
from gate.files import InputFile, read_input
from gate.ledger import apr_ladder_rungs, apr_provenance, in_toto, junit, lm_eval
from gate.ledger.given import Given
from gate.ledger.rows import Receipt, RunRow
from gate.malformed import checked
from tests.conftest import REAL
from tests.release import COMMIT, OTHER_COMMIT, VERSION
from tests.release import gate_here as gate

AT = "2026-10-12T09:00:00Z"
LADDER = "aprender/evidence/dogfood/models/0.69.1/gx10.json"
KNOWN_RED = "aprender/evidence/release/0.70.1/known-red"
RERUN = f"{KNOWN_RED}/rc1/lambda/lambda.only-inv_Qwen3.5-0.8B-UD-IQ2_XXS.gguf.json"
SAID = Given(version=VERSION, commit=COMMIT, measured_at=AT)


def text(content: str | bytes, name: str = "x") -> InputFile:
    return InputFile(name, "0" * 64, content if isinstance(content, bytes) else content.encode())


def read(path: Path) -> Receipt:
    file = read_input(path, path.name)
    return ledger.read_receipt(file, json.loads(file.content))


def verdicts(rows: Any) -> dict[str, dict[str | None, int]]:
    found: dict[str, Counter[str | None]] = {}
    for row in rows:
        found.setdefault(row.verb, Counter())[row.verdict] += 1
    return {verb: dict(counts) for verb, counts in found.items()}


# ---------------------------------------------------------------- the ladder with rungs


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


def ingest(form: str, source: Path, folder: Path, *options: str) -> Any:
    done = gate(folder, "ingest", form, str(source), "--output", "out.json", *options)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return json.loads((folder / "out.json").read_text())


ROWS = ("--release", "0.70.1", "--commit", COMMIT, "--host", "gx10", "--measured-at", AT)


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


def test_options_are_checked_where_they_are_given(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("{}")
    for options, said in (
        (("--commit", "c0ffee"), "'c0ffee' is no full commit"), (("--release", "1.0"), "'1.0' is not a semantic version"),
        (("--host", "a/b"), "'a/b' holds '/'"), (("--suite", " x"), "' x' is empty or begins"),
        (("--measured-at", "2026-10-12"), "has no time zone"), (("--run", "none.json"), "there is no such file"),
        (("--exit-code", "0"), "--exit-code is not for apr-dogfood"), (("--host", "a"), "--host is not for apr-dogfood"),
    ):  # fmt: skip
        done = gate(tmp_path, "ingest", "apr-dogfood", "x", "--output", "out.json", *options)
        assert done.returncode == 3
        assert said in done.stderr


# ---------------------------------------------------------------- mutants of rungs


def rung(index: int = 5) -> Any:
    """A rung of the real ladder; or one like it, where the real ones are absent."""
    if REAL.is_dir():
        return json.loads((REAL / LADDER).read_text())["rungs"][index]
    check = {"passed": True, "skipped": False, "message": "ok"}
    verb = {"ran": True, "rc": 0}
    route = {"http": 200, "ok": True, "used_gpu": None}
    leg = {"ran": True, "fallback": False, "escaped_special": False, "rc": 0, "verbs": {
        "run": verb, "chat": verb, "code": verb, "serve": {"probed": True, "routes": {"/a": route}}}}  # fmt: skip
    return {"file": "a.gguf", "sha256": "1" * 64, "present": True, "sha_ok": True, "qa_rc": 0, "green": True,
            "gates": {"capability_match": check, "golden_output": check}, "gates_failed": [], "backends": {"cuda": leg}}  # fmt: skip


def rows(document: Any) -> dict[str, RunRow]:
    found = checked(apr_ladder_rungs.Rung, document, "x")
    return {row.verb: row for _, row in apr_ladder_rungs.rows(found, "gx10", "rungs[0]")}


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(value, dict):
        return [leaf for key, inner in value.items() for leaf in leaves(inner, (*path, key))]
    return [path]


def spoiled(document: Any, path: tuple[Any, ...], value: Any) -> Any:
    found = copy.deepcopy(document)
    table = found
    for key in path[:-1]:
        table = table[key]
    table[path[-1]] = value
    return found


def breaks(path: tuple[Any, ...], verb: str) -> bool:
    """Say whether a passing rung's leaf is one that this verb's pass on cuda rests on."""
    if path[0] == "gates":
        return path[2] in {"passed", "skipped"}
    if path[0] == "backends" and path[1] == "cuda":
        if path[2] != "verbs":
            return path[2] in {"ran", "fallback", "escaped_special", "rc"}
        return path[3] == verb and path[-1] in {"ran", "rc", "probed", "ok", "http"}
    return path[0] in {"qa_rc", "sha_ok", "present"} and path != ("present",)


VALUES = st.none() | st.booleans() | st.integers(-2, 600) | st.floats() | st.sampled_from(["true", "0", "", "pass"])


def test_a_green_rung_passes_all_its_verbs() -> None:
    assert {row.verdict for row in rows(rung()).values()} == {"pass"}
    assert set(rows(rung())) == {"run", "chat", "code", "serve"}


@settings(deadline=None, max_examples=400, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_no_mutant_of_a_rung_passes_for_more_than_it_says(data: st.DataObject) -> None:
    base = rung()
    path = data.draw(st.sampled_from(leaves(base)))
    value = data.draw(VALUES)
    was = base
    for key in path:
        was = was[key]
    try:
        found = rows(spoiled(base, path, value))
    except GateError:
        return
    same = type(value) is type(was) and value == was
    skipped_more = path[0] == "gates" and path[2] == "skipped" and not value
    other_gate = path[0] == "gates" and path[1] not in apr_ladder_rungs.OWED_GATES
    skipped = path[0] == "gates" and base["gates"][path[1]]["skipped"]
    for verb, row in found.items():
        if not breaks(path, verb) or same or (path[-1] == "http" and value in range(200, 300)):
            continue
        if skipped_more and not skipped:
            continue  # null says of a gate that passed no more than false: it wasn't skipped
        if other_gate and (skipped or value is True) and path[2] == "skipped" and value:
            continue  # a gate that nobody owes may be skipped
        if other_gate and skipped and path[2] == "passed":
            continue  # ... and then its `passed` says nothing
        assert row.verdict != "pass", (path, value)


@settings(deadline=None, max_examples=200)
@given(st.sampled_from([8, 9]), st.data())
def test_no_flag_turns_a_red_rung_green(index: int, data: st.DataObject) -> None:
    if not REAL.is_dir():
        pytest.skip(f"the real receipts are not at {REAL}")
    base = rung(index)
    path = data.draw(st.sampled_from(leaves(base)))
    try:
        found = rows(spoiled(base, path, data.draw(VALUES)))
    except GateError:
        return
    assert {row.verdict for row in found.values()} <= {"fail", "refused"}


@pytest.mark.parametrize(
    ("path", "value", "verdict"),
    [
        (("green",), False, "pass"), (("gates", "golden_output", "skipped"), True, "skip"),
        (("gates", "golden_output", "passed"), False, "fail"), (("gates", "golden_output", "passed"), None, None),
        (("qa_rc",), 5, "fail"), (("qa_rc",), None, None), (("sha_ok",), None, None), (("sha_ok",), False, "fail"),
        (("backends", "cuda", "fallback"), True, "fail"), (("backends", "cuda", "fallback"), None, None),
        (("backends", "cuda", "escaped_special"), True, "fail"), (("backends", "cuda", "ran"), False, "fail"),
        (("gates",), {}, None), (("refused",), "fit", "refused"),
    ],
)  # fmt: skip
def test_one_value_of_a_rung_decides(path: tuple[str, ...], value: Any, verdict: str | None) -> None:
    assert {row.verdict for row in rows(spoiled(rung(), path, value)).values()} == {verdict}


def test_a_model_that_is_not_held_and_a_rung_that_nothing_ran_of_have_no_row() -> None:
    assert rows(spoiled(rung(), ("present",), False)) == {}
    assert rows(spoiled(rung(), ("backends",), {})) == {}
    found = checked(apr_ladder_rungs.Rung, spoiled(rung(), ("backends",), {}), "x")
    assert apr_ladder_rungs.left_out([found])["rungs that nothing ran of"] == 1
    assert next(apr_ladder_rungs.contradictions(found, [], "rungs[0]")).endswith("nothing ran")


def test_a_cpu_leg_counts_only_alone() -> None:
    base = rung()
    cpu = copy.deepcopy(base["backends"]["cuda"])
    assert {
        r.backend for r in rows(spoiled(base, ("backends",), {"cpu": cpu})).values() if r.verb in {"run", "chat"}
    } == {"cpu"}
    both = spoiled(base, ("backends",), {"cpu": cpu, "cuda": copy.deepcopy(cpu)})
    assert {r.backend for r in rows(both).values() if r.verb in {"run", "chat"}} == {"cuda"}


@pytest.mark.parametrize(
    ("used", "backend", "fell_back"),
    [
        ([True, True], "cuda", False),
        ([True, None], None, None),
        ([None, None], None, None),
        ([True, False], None, True),
    ],
)
def test_used_gpu_alone_says_where_serving_ran(used: list[Any], backend: Any, fell_back: Any) -> None:
    routes = {f"/{i}": {"http": 200, "ok": True, "used_gpu": value} for i, value in enumerate(used)}
    found = rows(spoiled(rung(), ("backends", "cuda", "verbs", "serve", "routes"), routes))
    for verb in ("serve", "code"):
        assert (found[verb].backend, found[verb].fell_back) == (backend, fell_back)


@pytest.mark.parametrize(
    ("path", "value", "place"),
    [
        (("qa_rc",), "0", "rungs[0].qa_rc"), (("gates", "golden_output", "passed"), "true", "rungs[0].gates.golden_output.passed"),
        (("gates", "golden_output", "passed"), 1, "rungs[0].gates.golden_output.passed"), (("file",), "a/b", "rungs[0].file"),
        (("backends", "cuda", "verbs", "run", "rc"), False, "rungs[0].backends.cuda.verbs.run.rc"), (("sha256",), "x", "rungs[0].sha256"),
    ],
)  # fmt: skip
def test_an_odd_value_is_refused_with_its_place(path: tuple[str, ...], value: Any, place: str) -> None:
    document = {"schema": "apr-model-ladder-receipt/v2", "host": "gx10", "rungs": [spoiled(rung(), path, value)]}
    with pytest.raises(BadFile) as refused:
        ledger.read_receipt(text("", "x.json"), document)
    assert str(refused.value).startswith(f"x.json, {place}: ")


# ---------------------------------------------------------------- JUnit XML

CASES = '<testcase classname="t" name="a"/><testcase classname="t" name="b">{}</testcase>'


def xml(inner: str, **counters: int) -> str:
    said = " ".join(f'{name}="{value}"' for name, value in counters.items())
    return f'<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="unit" timestamp="2026-10-12T09:00:00+02:00" {said}>{inner}</testsuite></testsuites>'


def of_junit(content: str | bytes, given: Given = SAID) -> Any:
    document = junit.to_native(text(content), given)
    ledger.read_receipt(text("", "x"), document)
    return document


@pytest.mark.parametrize(
    ("inner", "result", "verdict"),
    [
        ("", "pass", "go"), ("<system-out>fail</system-out>", "pass", "go"), ("<skipped/>", "skip", "go"),
        ('<failure message="m">t</failure>', "fail", "no-go"), ("<error/>", "error", "no-go"),
        ("<failure/><error/>", "error", "no-go"), ("<skipped/><failure/>", "fail", "no-go"),
        ('<flakyFailure message="m"><stackTrace>s</stackTrace></flakyFailure>', "fail", "no-go"), ("<rerunError/>", "error", "no-go"),
    ],
)  # fmt: skip
def test_a_case_is_what_its_elements_say(inner: str, result: str, verdict: str) -> None:
    found = of_junit(xml(CASES.format(inner)))
    assert [row["result"] for row in found["rows"]] == ["pass", result]
    assert (found["verdict"], found["suite"]) == (verdict, "unit")
    assert [row["name"] for row in found["rows"]] == ["t::a", "t::b"]
    assert found["measured_at"] == AT


def test_a_suite_goes_only_with_a_pass() -> None:
    assert of_junit(xml(""))["verdict"] == "no-go"
    assert of_junit(xml('<testcase name="a"><skipped message="later"/></testcase>'))["verdict"] == "no-go"
    assert of_junit("<testsuites/>", Given(VERSION, COMMIT, None, AT, "unit"))["verdict"] == "no-go"
    inner = '<testsuite name="o"><testsuite name="i" failures="2"><testcase name="a"/></testsuite></testsuite>'
    assert of_junit(inner, Given(VERSION, COMMIT, None, AT))["contradictions"] == [
        "testsuite 'i': failures is 2, and its cases say 0"
    ]
    nested = '<testsuite name="o"><testsuite name="i"><testcase name="a"><failure/></testcase></testsuite></testsuite>'
    assert of_junit(nested, Given(VERSION, COMMIT, None, AT))["verdict"] == "no-go"


def test_counters_that_differ_from_the_cases_are_reported_and_no_go() -> None:
    found = of_junit(xml(CASES.format(""), tests=134))
    assert found["contradictions"] == ["testsuite 'unit': tests is 134, and its cases say 2"]
    assert found["verdict"] == "no-go"
    assert of_junit(xml(CASES.format(""), tests=2, failures=1))["verdict"] == "no-go"
    assert of_junit(xml(CASES.format(""), tests=2, failures=0, errors=0))["verdict"] == "go"
    assert of_junit(xml(CASES.format(""), skipped=1))["verdict"] == "no-go"
    assert of_junit(xml(CASES.format("<skipped/>"), tests=2, skipped=1))["verdict"] == "go"


@pytest.mark.parametrize("counter", ["tests", "failures", "errors", "skipped"])
def test_the_counters_of_the_root_count_all_cases(counter: str) -> None:
    whole = xml(CASES.format("")).replace(
        "</testsuites>", '<testsuite name="o"><testcase name="c"/></testsuite></testsuites>'
    )
    said = Given(VERSION, COMMIT, None, AT, "unit")
    found = of_junit(whole.replace("<testsuites>", f'<testsuites {counter}="10">'), said)
    counted = 3 if counter == "tests" else 0
    assert found["contradictions"] == [f"testsuites: {counter} is 10, and its cases say {counted}"]
    assert found["verdict"] == "no-go"
    right = whole.replace("<testsuites>", '<testsuites tests="3" failures="0" errors="0" skipped="0">')
    assert of_junit(right, said)["verdict"] == "go"
    with pytest.raises(BadFile, match="testsuites: its tests is 'x', which is no count"):
        of_junit(whole.replace("<testsuites>", '<testsuites tests="x">'), said)


@pytest.mark.parametrize(
    ("status", "result"),
    [("run", "pass"), ("notrun", "skip"), ("failed", "fail"), ("ERROR", "error"), ("disabled", "skip")],
)
def test_the_status_of_a_case_counts(status: str, result: str) -> None:
    found = of_junit(xml(f'<testcase name="a" status="{status}"/>'))
    assert found["rows"][0]["result"] == result
    assert of_junit(xml(f'<testcase name="a" result="{status}"/>'))["rows"][0]["result"] == result


BOMB = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>'


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (BOMB + "<testsuites>&b;</testsuites>", "line 1: it has a document type"),
        ('<!DOCTYPE x SYSTEM "file:///etc/passwd"><testsuites/>', "it has a document type"),
        ('<testsuites xmlns="urn:x"/>', "it has a default namespace"),
        (xml('<testcase name="a"><Failure/></testcase>'), "<Failure> is not known inside <testcase>"),
        (xml('<testcase name="a"><x:failure xmlns:x="u"/></testcase>'), "<x:failure> is not known inside <testcase>"),
        ('<testsuites><testcase name="a"/></testsuites>', "<testcase> is not known inside <testsuites>"),
        ("<report/>", "<report> is not known as its outermost element"), ("", "it is not XML"), ("{}", "it is not XML"),
        ("<testsuites>", "it is not XML"), (b"\xff\xfe<", "it is not XML"), (xml("<testcase/>"), "a case has no name"),
        ('<?xml version="1.0" encoding="nonsense"?><testsuites/>', "it is not XML"),
        (xml('<testcase name="a" status="odd"/>'), "its status is 'odd', which says no known result"),
        ('<testsuite name="x" tests="many"><testcase name="a"/></testsuite>', "its tests is 'many', which is no count"),
        ('<testsuite name="x" timestamp="now"><testcase name="a"/></testsuite>', "its timestamp is no time"),
        ("<testsuite>" * 40 + "</testsuite>" * 40, "nested too deeply"),
    ],
)  # fmt: skip
def test_xml_that_could_hide_a_failure_is_refused(content: str | bytes, said: str) -> None:
    with pytest.raises(BadFile) as refused:
        of_junit(content, Given(VERSION, COMMIT, None, None, "unit"))
    assert str(refused.value).startswith("x")
    assert said in str(refused.value)


def test_junit_needs_what_it_does_not_say() -> None:
    two = "<testsuites><testsuite name='a'><testcase name='x'/></testsuite><testsuite name='b'/></testsuites>"
    with pytest.raises(CallersError, match=r"^--suite is needed"):
        of_junit(two, SAID)
    with pytest.raises(CallersError, match=r"^--measured-at is needed"):
        of_junit("<testsuite name='a' timestamp='2026-10-12T09:00:00'/>", Given(VERSION, COMMIT))
    with pytest.raises(CallersError, match=r"^--release is needed"):
        of_junit(two, Given())


ELEMENTS = st.sampled_from(["failure", "error", "skipped", "system-out", "properties", "flakyError", "Failure", "x"])


@settings(deadline=None)
@given(st.lists(ELEMENTS, max_size=3), st.text(max_size=6))
def test_no_junit_mutant_goes(inner: list[str], said: str) -> None:
    children = "".join(f"<{name}/>" for name in inner)
    try:
        found = of_junit(xml(f'<testcase name="a">{children}</testcase>'))
    except GateError:
        assert {"Failure", "x"} & set(inner)
        return
    assert (found["verdict"] == "go") == (not {"failure", "error", "flakyError", "skipped"} & set(inner))
    try:
        of_junit(said)
    except GateError:
        return


# ---------------------------------------------------------------- in-toto

STATEMENT: dict[str, Any] = {
    "_type": "https://in-toto.io/Statement/v1",
    "subject": [{"digest": {"gitCommit": COMMIT}}],
    "predicateType": "https://in-toto.io/attestation/test-result/v0.1",
    "predicate": {
        "result": "PASSED",
        "configuration": [],
        "passedTests": ["a", "b"],
        "warnedTests": [],
        "failedTests": [],
    },
}
TESTED = Given(version=VERSION, measured_at=AT, suite="ci")


def of_in_toto(tests: Any = None, given: Given = TESTED, **statement: Any) -> Any:
    document = STATEMENT | {"predicate": STATEMENT["predicate"] | (tests or {})} | statement
    found = in_toto.to_native(text(json.dumps(document)), given)
    ledger.read_receipt(text("", "x"), found)
    return found


@pytest.mark.parametrize(
    ("predicate", "verdict", "contradictions"),
    [
        ({}, "go", 0), ({"result": "FAILED"}, "no-go", 0), ({"result": "WARNED"}, "no-go", 0), ({"passedTests": []}, None, 0),
        ({"failedTests": ["c"]}, "no-go", 1), ({"warnedTests": ["c"]}, "no-go", 1), ({"failedTests": ["c"], "warnedTests": ["d"]}, "no-go", 2),
        ({"result": "WARNED", "warnedTests": ["c"]}, "no-go", 0), ({"result": "WARNED", "failedTests": ["c"]}, "no-go", 1),
    ],
)  # fmt: skip
def test_a_statement_goes_only_if_its_tests_agree(predicate: Any, verdict: str | None, contradictions: int) -> None:
    found = of_in_toto(predicate)
    assert found.get("verdict") == verdict
    assert len(found["contradictions"]) == contradictions
    assert found["release"]["commit"] == COMMIT


def test_the_tests_are_rows_and_a_warning_is_no_pass() -> None:
    found = of_in_toto({"result": "FAILED", "warnedTests": ["w"], "failedTests": ["f"]})
    assert [(row["name"], row["result"]) for row in found["rows"]] == [
        ("a", "pass"),
        ("b", "pass"),
        ("w", "skip"),
        ("f", "fail"),
    ]


@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
def test_an_envelope_says_that_nobody_verified_it(encode: Any) -> None:
    payload = encode(json.dumps(STATEMENT | {"note": "~~~???>>>"}).encode()).decode()
    envelope = {"payloadType": in_toto.PAYLOAD_TYPE, "payload": payload, "signatures": [{"sig": "x"}]}
    found = in_toto.to_native(text(json.dumps(envelope)), TESTED)
    assert found["producer"] == "in-toto test-result, its signatures not verified"
    assert found["left_out"]["signatures that were not verified"] == 1
    assert found["verdict"] == "go"


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ({"predicateType": "https://slsa.dev/provenance/v1"}, "predicateType"), ({"_type": "x"}, "_type"),
        ({"subject": []}, "subject"), ({"predicate": {"result": "passed"}}, "predicate.result"), ({"predicate": {}}, "predicate.result"),
        ({"predicate": {"result": "PASSED", "passedTests": "all"}}, "predicate.passedTests"),
        ({"subject": [{"digest": {"gitCommit": "c0ffee"}}]}, "is no full commit"),
        ({"subject": [{"digest": {"gitCommit": c}} for c in (COMMIT, OTHER_COMMIT)]}, "it names 2 commits"),
        ({"subject": [{"digest": {"gitCommit": COMMIT, "sha1": OTHER_COMMIT}}]}, "it names 2 commits"),
        ({"predicate": {"result": "PASSED", "passedTests": ["a", "a"]}}, "the test 'a' is named 2 times"),
        ({"predicate": {"result": "FAILED", "passedTests": ["a"], "failedTests": ["a"]}}, "the test 'a' is named 2 times"),
    ],
)  # fmt: skip
def test_an_odd_statement_is_refused(statement: Any, said: str) -> None:
    with pytest.raises(BadFile) as refused:
        of_in_toto(None, TESTED, **statement)
    assert said in str(refused.value)


def test_the_commit_is_the_statements_own() -> None:
    with pytest.raises(BadFile, match="--commit says"):
        of_in_toto(given=Given(VERSION, OTHER_COMMIT, None, AT, "ci"))
    assert (
        of_in_toto(given=Given(VERSION, OTHER_COMMIT, None, AT, "ci"), subject=[{"name": "x"}])["release"]["commit"]
        == OTHER_COMMIT
    )
    for subject in (
        {"digest": {"sha1": COMMIT}},
        {"name": "git+https://x", "digest": {"sha1": COMMIT, "sha256": "0" * 64}},
    ):
        assert of_in_toto(subject=[subject])["release"]["commit"] == COMMIT
        with pytest.raises(BadFile, match="--commit says"):
            of_in_toto(given=Given(VERSION, OTHER_COMMIT, None, AT, "ci"), subject=[subject])
    artifact = {"name": "x.tar", "digest": {"sha1": OTHER_COMMIT, "sha256": "0" * 64}}
    assert of_in_toto(given=Given(VERSION, COMMIT, None, AT, "ci"), subject=[artifact])["release"]["commit"] == COMMIT
    with pytest.raises(CallersError, match=r"^--commit is needed"):
        of_in_toto(subject=[{"name": "x"}])


@pytest.mark.parametrize("payload", ["!", "e30", "eA==", base64.b64encode(b"\xff").decode()])
def test_a_payload_that_is_no_statement_is_refused(payload: str) -> None:
    envelope = {"payloadType": in_toto.PAYLOAD_TYPE, "payload": payload, "signatures": []}
    with pytest.raises(BadFile, match=r"^x, payload"):
        in_toto.to_native(text(json.dumps(envelope)), TESTED)


# ---------------------------------------------------------------- lm-evaluation-harness

RESULTS: dict[str, Any] = {
    "results": {
        "gsm8k": {"alias": "gsm8k", "exact_match,strict-match": 0.81, "exact_match_stderr,strict-match": 0.01},
        "arc": {"alias": "arc", "acc,none": 0.5, "acc_stderr,none": "N/A", "sample_len": 3},
    },
    "date": 1760259600.0, "config": {"model": "hf"}, "git_hash": "abc1234",
}  # fmt: skip


def test_metrics_are_figures_and_never_a_go() -> None:
    found = lm_eval.to_native(text(json.dumps(RESULTS)), Given(VERSION, COMMIT))
    receipt = ledger.read_receipt(text("", "x"), found)
    assert receipt.suite is not None
    assert receipt.suite.verdict is None
    assert [(row.name, row.result, row.note) for row in receipt.suite.rows] == [
        ("gsm8k/exact_match,strict-match", "skip", "exact_match,strict-match is 0.81 (standard error 0.01); no threshold judges it"),
        ("arc/acc,none", "skip", "acc,none is 0.5; no threshold judges it"),
    ]  # fmt: skip
    assert found["measured_at"] == "2025-10-12T09:00:00+00:00"
    assert found["left_out"] == {
        "results, the field alias": 2, "results, the field sample_len": 1, "the field config": 1, "the field git_hash": 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"results": {}}, "results"), ({"results": {"a": {"alias": "a"}}}, "no task has a metric"), ({"results": 3}, "results"),
        ({"results": {"a": {"acc,none": True}}}, "results.a.acc,none: it is neither a number"),
        ({"results": {"a": {"acc,none": [1]}}}, "results.a.acc,none: it is neither a number"), ({"date": 1e20}, "date"),
        ({"date": "x"}, "date"),
    ],
)  # fmt: skip
def test_odd_metrics_are_refused(change: Any, said: str) -> None:
    with pytest.raises(BadFile) as refused:
        lm_eval.to_native(text(json.dumps(RESULTS | change)), Given(VERSION, COMMIT))
    assert said in str(refused.value)


# ---------------------------------------------------------------- the provenance line

LINE: dict[str, Any] = {"requested": "cuda", "ran": "cuda", "fell_back": False}
RUN = {
    "model": {"file": "a.gguf", "sha256": "1" * 64},
    "verb": "run",
    "context": "4k",
    "thinking": "off",
    "prompt_tokens": 4096,
}


def of_line(line: Any, exit_code: int | None = 0, run: Any = RUN) -> Any:
    given = Given(VERSION, COMMIT, "gx10", AT, None, exit_code, text(json.dumps(run), "run.json"))
    found = apr_provenance.to_native(text(json.dumps(line) + "\n"), given)
    (row,) = ledger.read_receipt(text("", "x"), found).runs
    return row


def test_a_line_and_an_exit_code_make_one_row() -> None:
    row = of_line(LINE)
    assert (row.verdict, row.backend, row.fell_back, row.exit_code) == ("pass", "cuda", False, 0)
    assert (row.context, row.thinking, row.prompt_tokens, row.answer_chars) == ("4k", "off", 4096, None)


@settings(deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(sorted(LINE)),
        st.none() | st.booleans() | st.sampled_from(["cuda", "cpu", ""]) | st.integers(0, 1),
    ),
    st.integers(-2, 140),
)
def test_only_the_whole_line_and_code_0_pass(change: dict[str, Any], code: int) -> None:
    try:
        row = of_line(LINE | change, code)
    except BadFile:
        return
    line = LINE | change
    whole = line["ran"] == line["requested"] and line["fell_back"] is False and code == 0
    assert (row.verdict == "pass") == whole
    if line["ran"] is None or line["fell_back"] is None:
        assert row.verdict in {None, "fail"}


def test_a_line_without_its_run_or_code_is_the_callers_error() -> None:
    with pytest.raises(CallersError, match=r"^--exit-code is needed"):
        of_line(LINE, None)
    with pytest.raises(CallersError, match=r"^--run is needed"):
        apr_provenance.to_native(text(json.dumps(LINE)), Given(VERSION, COMMIT, "gx10", AT, None, 0))
    with pytest.raises(BadFile, match=r"^run\.json, vreb: there is no such key"):
        of_line(LINE, 0, RUN | {"vreb": "run"})
    with pytest.raises(BadFile, match="line 2: there is a second line"):
        apr_provenance.to_native(text("{}\n{}"), Given())
