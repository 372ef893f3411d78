"""Decisions: what a known failure stands for and what it doesn't, what a scope leaves out, when a decision ends."""

from __future__ import annotations

import datetime
import json
import shutil
from pathlib import Path

import pytest

from gate.check import Request, check
from gate.verdict import Verdict
from tests.falsifiers.falsifier import judge
from tests.falsifiers.known_failure import CELL, ID, KNOWN, shipped_red
from tests.falsifiers.scope import SCOPE
from tests.falsifiers.warning import warned
from tests.release import DECLAIM, NOW, RULES, VERSION, Release, declaimed, gate_here, green, judged, preceded

QWEN3 = "d98cdcbd03e17ce47681435b5150e34c1417f50b5c0019dd560e4882c5745785"


@pytest.fixture
def release(tmp_path: Path) -> Release:
    return green(tmp_path)


def violations(verdict: Verdict) -> list[tuple[str, str, str]]:
    return [(f.focus, f.property, f.reason) for f in verdict.violations]


# ------------------------------------------------------------------ known failures


def test_a_known_failure_ships_under_a_scope_and_is_counted_as_failed(release: Release) -> None:
    shipped_red(release)
    document = judged(release.write())
    assert document["verdict"] == "conforms"
    cells = document["counts"]["cells"]
    assert (cells["owed"], cells["passed"], cells["failed"], cells["known"]) == (72, 71, 1, 1)
    assert document["scope"]["name"] == "smoke"
    assert document["scope"]["ruling"]["words"] == f"{VERSION} ships on the smoke."
    (known,) = document["known_failures"]
    assert (known["id"], known["issue"]) == (ID, 4666)
    assert known["cells"] == [{"focus": CELL, "findings": ["cell: verdict, failed", "cell: exitCode, failed"]}]


def test_what_is_red_for_another_reason_is_new_and_red(release: Release) -> None:
    shipped_red(release)
    release.row("gx10", "beta-q4_k_m.gguf")["answer_chars"] = 0
    verdict, _ = judge(release.write())
    assert violations(verdict) == [
        (CELL, "verdict", "failed"),
        (CELL, "exitCode", "failed"),
        (CELL, "answered", "failed"),
    ]


@pytest.mark.parametrize(
    "reason", ["timed in after 900 s", "ptxas: timed out after 900 s", "TIMED OUT", ""], ids=lambda text: text or "none"
)
def test_the_reason_that_a_known_failure_states_is_matched_exactly(reason: str, release: Release) -> None:
    shipped_red(release)
    row = release.row("gx10", "beta-q4_k_m.gguf")
    row["reason"] = reason
    verdict, _ = judge(release.write())
    assert (CELL, "verdict", "failed") in violations(verdict)


def test_a_red_cell_that_no_decision_names_is_red(release: Release) -> None:
    shipped_red(release)
    release.row("gx10", "beta-q4_k_m.gguf", "chat").update(verdict="error", reason="timed out after 900 s")
    verdict, _ = judge(release.write())
    assert violations(verdict) == [("gx10/beta-q4_k_m.gguf/chat/think-off/4k", "verdict", "failed")]


def test_of_two_cells_the_one_that_passes_makes_the_known_failure_stale(release: Release) -> None:
    shipped_red(release, (KNOWN + SCOPE).replace('verb = "run"', 'verb = ["run", "chat"]'))
    verdict, _ = judge(release.write())
    assert violations(verdict) == [(ID, "red", "stale")]


@pytest.mark.parametrize("key", ["release", "host"])
def test_a_known_failure_does_not_stand_for_a_run_of_another_release_or_none(key: str, release: Release) -> None:
    shipped_red(release, (KNOWN + SCOPE).replace('"exitCode"', '"exitCode", "fresh", "receipt"'))
    gx10 = release.receipt("gx10.json")
    if key == "release":
        gx10["release"]["commit"] = "bad" + "1" * 37
    else:
        gx10["runs"].remove(release.row("gx10", "beta-q4_k_m.gguf"))
    verdict, _ = judge(release.write())
    assert (ID, "measured", "unproven") in violations(verdict)
    assert not verdict.conforms


def test_a_suite_may_be_known_to_fail(release: Release) -> None:
    suite = release.receipt("dogfood.json")
    suite["verdict"] = "no-go"
    suite["rows"].append({"name": "parity", "result": "fail"})
    claims = KNOWN.replace(
        'model = "beta-q4_k_m.gguf"\nhost = "gx10"\nverb = "run"\ncontext = "4k"\n', 'suite = "dogfood"\n'
    )
    release.claims = claims.replace('["timed out*", "exitCode"]', '["verdict", "parity"]') + SCOPE
    document = judged(release.write())
    assert document["findings"] == []
    assert document["known_failures"][0]["cells"][0]["focus"] == "dogfood"
    suite["rows"].append({"name": "fuzz", "result": "fail"})
    assert judged(release.write())["verdict"] == "refused"


def test_a_row_of_a_suite_may_be_known_to_fail(release: Release) -> None:
    release.rules = RULES.replace(
        'suites = ["dogfood"]', 'suites = ["dogfood"]\nrows = [{ suite = "dogfood", rows = ["fmt", "parity"] }]'
    )
    release.receipt("dogfood.json")["rows"].append({"name": "parity", "result": "fail"})
    claims = KNOWN.replace(
        'model = "beta-q4_k_m.gguf"\nhost = "gx10"\nverb = "run"\ncontext = "4k"\n',
        'suite = "dogfood"\nrow = "parity"\n',
    )
    release.claims = claims.replace('["timed out*", "exitCode"]', '"suite_row: verdict, failed"') + SCOPE
    verdict, _ = judge(release.write())
    assert violations(verdict) == [("dogfood", "checks", "failed")], "the suite is another obligation"
    assert verdict.known_failures[0].rejected[0].label == "dogfood/parity"


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ('row = "fmt"\nmodel = "beta*"', "names a row, and not the suite"),
        ('suite = "dogfood"\nmodel = "beta*"', "a suite has no model"),
        ('check = "*"\nmodel = "beta*"', "matches everything"),
        ('check = "*,*"\nmodel = "beta*"', "matches everything"),
        ("issue = 1", "selects nothing by name"),
    ],
)
def test_a_malformed_known_failure_is_the_callers_error(lines: str, words: str, release: Release) -> None:
    release.claims = f"[[known_failure]]\n{lines}\n"
    done = gate_here(release.write(), "check", "--tag", VERSION, "--now", NOW)
    assert (done.returncode, words in done.stderr) == (3, True), done.stderr


@pytest.mark.parametrize(
    ("change", "check"),
    [
        ({"verdict": "skip", "reason": "timed out: the runner was down", "exit_code": 0}, "timed out*"),
        ({"verdict": "skip", "exit_code": 0}, "cell: verdict, failed"),
        ({"verdict": "refused", "exit_code": 0}, "cell: verdict, failed"),
        ({"verdict": None, "exit_code": 0}, "cell: verdict, failed"),
        ({"verdict": "pass", "exit_code": None}, "exitCode"),
    ],
)  # fmt: skip
def test_a_run_that_never_happened_or_says_nothing_proves_no_failure(
    change: dict[str, object], check: str, release: Release
) -> None:
    shipped_red(release, (KNOWN + SCOPE).replace('["timed out*", "exitCode"]', f'"{check}"'))
    row = release.row("gx10", "beta-q4_k_m.gguf")
    row |= change
    for key in [key for key, value in row.items() if value is None]:
        del row[key]
    verdict, _ = judge(release.write())
    assert {f.reason for f in verdict.violations} == {"unproven"}, violations(verdict)


@pytest.mark.parametrize("rows", [[], [{"name": "fmt", "result": "skip"}]])
def test_a_suite_fails_by_a_check_that_failed(rows: list[dict[str, str]], release: Release) -> None:
    release.receipt("dogfood.json").update(verdict="no-go", rows=rows)
    claims = KNOWN.replace(
        'model = "beta-q4_k_m.gguf"\nhost = "gx10"\nverb = "run"\ncontext = "4k"\n', 'suite = "dogfood"\n'
    )
    release.claims = (
        claims.replace('["timed out*", "exitCode"]', '["suite: verdict, failed", "suite: passed, failed"]') + SCOPE
    )
    verdict, _ = judge(release.write())
    assert (ID, "ran", "unproven") in violations(verdict)


@pytest.mark.parametrize("check", ["*fail*", "error", "cell: *", "*, failed"])
def test_a_pattern_speaks_of_what_was_recorded_and_of_nothing_else(check: str, release: Release) -> None:
    shipped_red(release, (KNOWN + SCOPE).replace('["timed out*", "exitCode"]', f'["{check}", "exitCode"]'))
    verdict, _ = judge(release.write())
    assert (CELL, "verdict", "failed") in violations(verdict)


# ------------------------------------------------------------------ scopes


def test_a_scope_leaves_out_no_slip_in_the_rules_and_no_model_that_is_gone(release: Release) -> None:
    release.rules = release.rules.replace(
        "[models]", '[cells.long]\nfamilies = ["qwen3"]\nrepresentatives = { qwen35 = "beta-q4_k_M.gguf" }\n\n[models]'
    )
    release.claims = SCOPE
    verdict, _ = judge(release.write())
    assert ("qwen35", "held", "missing") in violations(verdict)


def test_a_scope_leaves_out_no_vanished_model(release: Release) -> None:
    before = preceded(release)
    assert before.documents
    for host in ("lambda", "gx10"):
        release.receipt(f"inventory-{host}.json")["models"].pop(1)
        runs = release.receipt(f"{host}.json")["runs"]
        runs[:] = [run for run in runs if "beta" not in run["model"]["file"]]
    release.claims = SCOPE.replace('["alpha-q4_k_m.gguf", "beta*"]', '"*q4_k*"')
    verdict, _ = judge(release.write())
    assert ("model/beta-q4_k_m.gguf", "decided", "vanished") in violations(verdict)


def _alpha_only(release: Release) -> None:
    release.claims = SCOPE.replace('["alpha-q4_k_m.gguf", "beta*"]', '"alpha-q4_k_m.gguf"')


def test_a_scope_leaves_out_other_models_and_lists_what_is_red_of_them(release: Release) -> None:
    _alpha_only(release)
    release.row("gx10", "beta-q4_k_m.gguf")["verdict"] = "fail"
    del release.receipt("lambda.json")["runs"][-1]
    document = judged(release.write())
    assert document["verdict"] == "conforms"
    assert document["counts"]["cells"]["owed"] == 48
    red = {one["focus"]: one["findings"] for one in document["scope"]["outside"]["red"]}
    assert red == {
        CELL: ["cell: verdict, failed"],
        "lambda/beta-q4_k_m.gguf/code/think-off/declared": ["cell: receipt, missing"],
    }


def test_a_scope_is_said_in_the_first_lines(release: Release) -> None:
    _alpha_only(release)
    release.row("gx10", "beta-q4_k_m.gguf")["verdict"] = "fail"
    folder = release.write()
    text = gate_here(folder, "check", "--tag", VERSION, "--now", NOW).stdout
    assert "Under the scope smoke" in "".join(text.splitlines()[1:2])
    assert f"{VERSION} ships on the smoke." in " ".join(text.split())
    notes = gate_here(folder, "notes", "--tag", VERSION, "--now", NOW).stdout
    first = "\n".join(notes.splitlines()[:6])
    assert "smoke" in first
    assert f"{VERSION} ships on the smoke." in first
    assert CELL in notes


def test_what_a_scope_names_is_owed_in_full(release: Release) -> None:
    _alpha_only(release)
    release.row("gx10", "alpha-q4_k_m.gguf")["verdict"] = "fail"
    verdict, _ = judge(release.write())
    assert violations(verdict) == [("gx10/alpha-q4_k_m.gguf/run/think-off/4k", "verdict", "failed")]


@pytest.mark.parametrize("other", ["0.71.1", "0.71.0-rc.1", "0.70.0"])
def test_a_scope_of_another_release_narrows_nothing(other: str, release: Release) -> None:
    release.claims = SCOPE.replace(VERSION, other)
    release.row("gx10", "beta-q4_k_m.gguf")["verdict"] = "fail"
    verdict, _ = judge(release.write())
    assert verdict.scope is None
    assert violations(verdict) == [(CELL, "verdict", "failed")]


def test_of_two_scopes_neither_applies(release: Release) -> None:
    _alpha_only(release)
    release.claims += release.claims.replace('"smoke"', '"other"')
    release.row("gx10", "beta-q4_k_m.gguf")["verdict"] = "fail"
    verdict, _ = judge(release.write())
    assert (CELL, "verdict", "failed") in violations(verdict)


def test_a_scope_leaves_what_concerns_no_model_owed(release: Release) -> None:
    _alpha_only(release)
    release.receipt("dogfood.json")["verdict"] = "no-go"
    verdict, _ = judge(release.write())
    assert violations(verdict) == [("dogfood", "verdict", "failed")]


# ------------------------------------------------------------------ the end of a decision


@pytest.mark.parametrize(
    ("now", "in_force"),
    [
        ("2026-11-05T23:59:59Z", True), ("2026-11-06T00:00:00Z", False), ("2026-11-06T01:00:00+02:00", True),
        ("2026-11-05T23:00:00-02:00", False),
    ],
)  # fmt: skip
def test_a_decision_expires_with_the_end_of_its_day_utc(now: str, in_force: bool, release: Release) -> None:
    declaimed(release, DECLAIM.replace("issue = 4590", "issue = 4590\nexpires = 2026-11-05"))
    verdict = check(Request(release.write() / "gate.toml", VERSION, now=datetime.datetime.fromisoformat(now)))
    assert verdict.conforms == in_force
    assert verdict.states["declaimed"] == (12 if in_force else 0)


@pytest.mark.parametrize("value", ['"2026-11-05"', "2026-13-05", "2026-11-05T00:00:00Z", "20261105", "true"])
def test_a_malformed_end_is_an_error_with_its_line(value: str, release: Release) -> None:
    release.claims = DECLAIM.replace("issue = 4590", f"issue = 4590\nexpires = {value}")
    done = gate_here(release.write(), "check", "--tag", VERSION, "--now", NOW)
    assert done.returncode == 3
    assert "claims.toml, line 7" in done.stderr


# ------------------------------------------------------------------ warnings


def test_a_warned_cell_whose_run_printed_the_warning_conforms(release: Release) -> None:
    warned(release, "warning: slow on GB10 (https://example.org/demo/issues/4590)")
    verdict, _ = judge(release.write())
    assert violations(verdict) == []
    assert {s.id: s.focus_nodes for s in verdict.shapes}["warning"] == 12


def test_the_exported_graph_holds_what_a_decision_is_judged_by(release: Release) -> None:
    shipped_red(release)
    done = gate_here(release.write(), "graph", "--tag", VERSION, "--now", NOW, "--format", "nt")
    assert done.returncode == 0
    assert "KnownRejection" in done.stdout
    assert json.dumps("cell: verdict, failed") in done.stdout


# ------------------------------------------------------------------ two cases of the real project

_SIX = [
    (host, file, verb)
    for host in ("lambda", "gx10")
    for file, verb in (("alpha", "chat"), ("alpha", "code"), ("beta", "serve"))
]


def _crux_smoke(release: Release) -> None:
    """Six runs fail on two GPUs, each with a ticket, and the release ships on the smoke."""
    claims = SCOPE.replace('"smoke"', '"crux-smoke"')
    for ticket, (host, file, verb) in enumerate(_SIX, start=4661):
        release.row(host, f"{file}-q4_k_m.gguf", verb).update(verdict="fail", reason=f"golden output of {verb}")
        claims += f"""
[[known_failure]]
id = "{file}-{verb}-on-{host}"
model = "{file}-q4_k_m.gguf"
host = "{host}"
verb = "{verb}"
thinking = "off"
context = "4k"
check = "golden output of {verb}"
issue = {ticket}
until = "0.72.0"
why = "Its golden output differs."
"""
    release.claims = claims


def test_six_known_failures_on_two_gpus_are_one_table(release: Release) -> None:
    _crux_smoke(release)
    folder = release.write()
    done = gate_here(folder, "notes", "--tag", VERSION, "--now", NOW)
    assert done.returncode == 0, done.stdout + done.stderr
    for ticket, (host, file, _verb) in enumerate(_SIX, start=4661):
        rows = [line for line in done.stdout.splitlines() if line.startswith("|") and f"#{ticket}" in line]
        assert len(rows) == 1
        assert host in rows[0]
        assert f"{file}-q4_k_m.gguf" in rows[0]
    assert judged(folder)["counts"]["cells"]["known"] == 6


def test_of_six_known_failures_the_one_that_is_mended_is_stale(release: Release) -> None:
    _crux_smoke(release)
    release.row("gx10", "alpha-q4_k_m.gguf", "code").update(verdict="pass", reason="")
    verdict, _ = judge(release.write())
    assert violations(verdict) == [("alpha-code-on-gx10", "red", "stale")]


def test_a_seventh_red_cell_is_red(release: Release) -> None:
    _crux_smoke(release)
    release.row("gx10", "beta-q4_k_m.gguf", "chat").update(verdict="fail", reason="golden output of chat")
    verdict, _ = judge(release.write())
    assert violations(verdict) == [("gx10/beta-q4_k_m.gguf/chat/think-off/4k", "verdict", "failed")]


@pytest.mark.parametrize(
    ("hosts", "contradicted"), [('["lambda"]', False), ('["gx10"]', True), ('["lambda", "gx10"]', True)]
)
def test_a_pinned_qwen3_contradicts_the_samples_declaim_only_on_its_own_host(
    hosts: str, contradicted: bool, tmp_path: Path
) -> None:
    top = Path(__file__).parent.parent
    shutil.copytree(top / "receipts", tmp_path / "receipts")
    shutil.copy(top / "claims.toml", tmp_path)
    pin = f'[[models.pinned]]\nfile = "Qwen3-8B-Q4_K_M.gguf"\nsha256 = "{QWEN3}"\narch = "qwen3"\nhosts = {hosts}\n\n[require]\n'
    rules = (top / "gate.toml").read_text(encoding="utf-8")
    (tmp_path / "gate.toml").write_text(rules.replace("[require]\n", pin), encoding="utf-8")
    done = gate_here(tmp_path, "check", "--tag", "0.70.0", "--format", "json")
    found = [
        (f["focus"], f["property"], f["reason"])
        for f in json.loads(done.stdout)["findings"]
        if f["severity"] == "violation"
    ]
    assert found == ([("qwen3-on-gb10", "uncontradicted", "contradicted")] if contradicted else [])
