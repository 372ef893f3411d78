"""The rungs of a ladder: what their verbs pass for, and that no mutant of one passes for more than it says."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gate import ledger
from gate.errors import BadFile, GateError
from gate.ledger import apr_ladder_rungs
from gate.ledger.rows import RunRow
from gate.malformed import checked
from tests.conftest import REAL
from tests.foreign import text
from tests.test_apr_model_ladder import LADDER


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
