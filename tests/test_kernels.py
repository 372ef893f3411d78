"""Kernels and shape conformance: the real receipts, what de-claims cover, and what each reader takes for a pass."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from gate import decisions, rules, strict_json
from gate.errors import BadFile
from gate.files import read_input
from gate.ledger import SCHEMAS, ggml, read_receipt
from gate.ledger.rows import Receipt
from gate.verdict import Verdict
from tests.falsifiers import conformance, kernel, tokenizer
from tests.falsifiers.conformance import SHAPE, with_conformance
from tests.falsifiers.falsifier import judge
from tests.falsifiers.kernel import GEMV, TOPK, with_kernels
from tests.release import BINARY, COMMIT, OTHER_COMMIT, VERSION, Release, declaimed, header, judged
from tests.release import gate_here as gate

CONFORMANCE = "aprender/evidence/gpu-shape-conformance/gx10.json"
KERNEL = "aprender/evidence/kernels/gdn_decode_attention_splitk/gx10.json"
RED = [
    "gx10/conformance/IQ2_S/3584x1024",
    "gx10/conformance/IQ3_S/3584x1024",
    "gx10/conformance/IQ3_S/4864x896",
]


def declaim(selectors: str) -> str:
    return f"""
[[declaim]]
id = "iq3-iq2-on-cc12"
{selectors}
issue = 4096
until = "0.72.0"
why = "The GEMV kernels don't load on compute capability 12 and up."
ruling = {{ by = "release owner", on = 2026-09-24, words = "0.71 withdraws IQ3_S and IQ2_S there." }}
"""


TAKEN_AT_ITS_WORD = 'conformance_census = "receipt"'
ON_12 = declaim('quant = ["IQ3_S", "IQ2_S"]\ncompute = ">=12.0"')


def states(verdict: Verdict, kind: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for one in verdict.kernels[kind]:
        found.setdefault(one.state, []).append(one.label)
    return found


def violations(verdict: Verdict, shape: str) -> list[tuple[str, str, str]]:
    return [(f.focus, f.property, f.reason) for f in verdict.violations if f.shape == shape]


def as_receipt(folder: Path, document: Any) -> Receipt:
    path = folder / "receipt.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    file = read_input(path, "receipt.json")
    return read_receipt(file, strict_json.parse_file(file))


# ---------------------------------------------------------------- the real receipts


@pytest.fixture
def conforming(release: Release, real: Path) -> Release:
    """The small release, at the commit that the real conformance receipt measured, with that receipt required."""
    text = (real / CONFORMANCE).read_text(encoding="utf-8")
    documents = json.dumps(release.documents).replace(COMMIT, json.loads(text)["commit"])
    release.documents = json.loads(documents) | {f"receipts/{VERSION}/shapes.json": text}
    release.rules = release.rules.replace('compute = "8.9"', 'compute = "8.9"\nrequired = false')
    release.rules = release.rules.replace('hosts = ["lambda"]', 'hosts = ["gx10"]')
    release.rules = release.rules.replace("[require]", "[require]\nconformance = true\n" + TAKEN_AT_ITS_WORD)
    return release


def test_a_census_that_the_rules_do_not_take_from_its_answer_refuses_the_host(conforming: Release) -> None:
    """The real receipt is the only source of its census: 163 owed and measured, and nobody else says that it is all."""
    conforming.rules = conforming.rules.replace(TAKEN_AT_ITS_WORD, "")
    conforming.claims = ON_12
    verdict, _ = judge(conforming.write())
    assert violations(verdict, "conformance") == [("gx10", "census", "unmeasured")]
    assert verdict.to_json()["counts"]["conformance"] == {
        "owed": 160, "passed": 160, "missing": 0, "failed": 0, "declaimed": 3,
    }  # fmt: skip


def test_an_inventory_with_the_census_makes_the_real_receipt_one_of_two(conforming: Release) -> None:
    conforming.rules = conforming.rules.replace(TAKEN_AT_ITS_WORD, "")
    conforming.claims = ON_12
    rows = json.loads(conforming.receipt("shapes.json"))["rows"]
    census = [{"quant": ggml.type_name(row["qtype"]), "shape": f"{row['k']}x{row['n_held']}"} for row in rows]
    conforming.receipt("inventory-gx10.json")["census"] = census
    verdict, _ = judge(conforming.write())
    assert verdict.violations == ()
    assert not [f for f in verdict.findings if f.property == "census"]


def test_the_real_conformance_receipt_has_160_passes_and_three_red_by_name(conforming: Release) -> None:
    verdict, _ = judge(conforming.write())
    assert verdict.to_json()["counts"]["conformance"] == {
        "owed": 163, "passed": 160, "missing": 0, "failed": 3, "declaimed": 0,
    }  # fmt: skip
    assert violations(verdict, "conformance") == [(label, "excluded", "excluded") for label in RED]
    assert Counter(f.shape for f in verdict.violations) == {"conformance": 3}
    first = next(f for f in verdict.violations if f.focus == RED[0])
    assert "ModuleLoad" in first.message
    assert (first.about.host, first.about.quant) == ("gx10", "IQ2_S")


def test_one_declaim_of_the_two_types_on_compute_12_and_up_covers_all_three(conforming: Release) -> None:
    conforming.claims = ON_12
    verdict, _ = judge(conforming.write())
    assert verdict.violations == ()
    assert states(verdict, "conformance")["declaimed"] == RED
    (declaimed,) = verdict.to_json()["declaimed"]
    assert declaimed["cells"] == RED
    folder = conforming.folder
    notes = gate(folder, "notes", "--tag", VERSION, "--now", "2026-11-01T00:00:00Z")
    assert all(label in notes.stdout for label in RED), notes.stderr


def test_the_same_declaim_on_compute_8_9_covers_nothing(conforming: Release) -> None:
    conforming.claims = declaim('quant = ["IQ3_S", "IQ2_S"]\ncompute = "8.9"')
    verdict, _ = judge(conforming.write())
    assert states(verdict, "conformance")["failed"] == RED
    assert violations(verdict, "declaim") == [("iq3-iq2-on-cc12", "covers", "stale")]


def test_the_real_kernel_receipt_is_read_and_can_stand_for_nothing(release: Release, real: Path) -> None:
    path = real / KERNEL
    file = read_input(path, path.name)
    receipt = read_receipt(file, strict_json.parse_file(file))
    assert Counter((row.quant, row.verdict) for row in receipt.kernels) == {("f32", "pass"): 5, ("f16", "pass"): 5}
    assert (receipt.host, receipt.compute, receipt.binding.commit) == ("gx10", "12.1", None)
    assert receipt.left_out["the field rows[].oxide_us"] == 10
    with_kernels(release)
    release.receipt("inventory-gx10.json")["models"][0]["dispatched"].append(
        {"kernel": "gdn_decode_attention_splitk", "quant": "F16"}
    )
    release.documents[f"receipts/{VERSION}/splitk.json"] = path.read_text(encoding="utf-8")
    verdict, _ = judge(release.write())
    label = "gx10/kernel/gdn_decode_attention_splitk/F16"
    found = Counter((prop, reason) for focus, prop, reason in violations(verdict, "kernel") if focus == label)
    assert found == {("fresh", "stale"): 5, ("withinBound", "failed"): 5, ("boundSource", "failed"): 5}
    assert ("lambda/kernel/gdn_decode_attention_splitk/F16", "receipt", "missing") in violations(verdict, "kernel")


# ---------------------------------------------------------------- what is owed, and what covers it


def test_what_one_host_runs_is_owed_on_both(release: Release) -> None:
    with_kernels(release)
    verdict, results = judge(release.write())
    assert results == []
    assert states(verdict, "kernels") == {
        "passed": [GEMV, TOPK, GEMV.replace("gx10", "lambda"), TOPK.replace("gx10", "lambda")]
    }


def test_a_release_that_requires_all_of_it_is_green_with_all_of_it_counted(release: Release) -> None:
    with_kernels(release)
    with_conformance(release)
    found = judged(release.write())
    assert found["exit"] == 0
    assert found["counts"]["kernels"]["passed"] == 4
    assert found["counts"]["conformance"]["passed"] == 3


def test_a_release_that_requires_none_of_it_is_judged_by_none_of_it(release: Release) -> None:
    found = judged(release.write())
    assert found["exit"] == 0
    assert set(found["counts"]) >= {"cells"}
    assert not {"kernels", "conformance"} & set(found["counts"])


def test_an_absent_receipt_is_named_before_the_kernels_and_the_cells(release: Release) -> None:
    with_kernels(release)
    del release.documents[f"receipts/{VERSION}/kernels-gx10.json"]
    release.row("lambda", "alpha-q4_k_m.gguf")["verdict"] = "fail"
    verdict, _ = judge(release.write())
    assert [(f.shape, f.focus) for f in verdict.violations] == [
        ("kernel", "gx10"), ("kernel", GEMV), ("kernel", TOPK), ("cell", "lambda/alpha-q4_k_m.gguf/run/think-off/4k"),
    ]  # fmt: skip
    finding = verdict.violations[1].to_json()
    assert (finding["kernel"], finding["quant"]) == ("iq3_s_gemv", "IQ3_S")


@pytest.mark.parametrize(
    "selectors",
    [
        'kernel = "iq3_s_gemv"\nhost = "gx10"',
        'kernel = ["iq2_s_gemv", "iq3_s_*"]\ncompute = ">=12"',
        'quant = "IQ3_S"\ncompute = "sm_121"',
        'quant = "IQ3_S"\ncompute = ["8.6", ">=12.1"]',
        'quant = "IQ3_S"\ncompute = ">= sm_121"',
    ],
)
def test_a_declaim_covers_a_kernel_and_its_shapes(release: Release, selectors: str) -> None:
    with_kernels(release)
    with_conformance(release)
    release.receipt("kernels-gx10.json")["rows"][0]["verdict"] = "fail"
    release.receipt("shapes-gx10.json")["rows"][0]["excluded"] = True
    release.claims = declaim(selectors)
    verdict, _ = judge(release.write())
    assert verdict.violations == ()
    (declaimed,) = verdict.declaimed
    assert [one.label for one in declaimed.covered] == [GEMV, SHAPE]
    counts = verdict.to_json()["counts"]
    assert (counts["kernels"]["declaimed"], counts["conformance"]["declaimed"]) == (1, 1)


@pytest.mark.parametrize(
    "selectors",
    [
        'quant = "IQ3_S"',  # an architecture must be named with a type
        'quant = "IQ3_S"\nhost = "gx10"',
        'host = "gx10"\ncompute = "12.1"\nmodel = "none.gguf"',
        'quant = "IQ3_S"\ncompute = ">=12.2"',
        'quant = "IQ3_S"\ncompute = "12.0"',
        'quant = "iq3_s"\ncompute = "12.1"',
        'kernel = "iq3_s_gemv"\narch = "qwen35"',  # a kernel has no architecture of models
    ],
)
def test_a_declaim_covers_no_more_than_it_says(release: Release, selectors: str) -> None:
    with_kernels(release)
    release.receipt("kernels-gx10.json")["rows"][0]["verdict"] = "fail"
    release.claims = declaim(selectors)
    verdict, _ = judge(release.write())
    assert (GEMV, "verdict", "failed") in violations(verdict, "kernel")
    assert violations(verdict, "declaim") == [("iq3-iq2-on-cc12", "covers", "stale")]


def test_a_declaim_of_a_host_withdraws_no_kernel_of_it(release: Release) -> None:
    with_kernels(release)
    release.receipt("kernels-gx10.json")["rows"][0]["verdict"] = "fail"
    release.claims = declaim('host = "gx10"\ncompute = "12.1"')
    verdict, _ = judge(release.write())
    assert violations(verdict, "kernel") == [(GEMV, "verdict", "failed")]
    assert verdict.states["declaimed"] == 36


def test_a_model_that_is_withdrawn_in_full_owes_no_dispatch_list(release: Release) -> None:
    with_kernels(release)
    del release.receipt("inventory-gx10.json")["models"][1]["dispatched"]
    declaimed(release, declaim('host = "gx10"\nmodel = "beta-*"'))
    verdict, _ = judge(release.write())
    assert verdict.violations == ()


def test_a_selector_may_name_several_values_of_any_axis(release: Release) -> None:
    release.claims = declaim('host = ["gx10", "lambda-vector"]\nverb = ["run", "chat"]\nthinking = ["off"]')
    verdict, _ = judge(release.write())
    assert verdict.states["declaimed"] == 2 * 2 * 2 * 3


@pytest.mark.parametrize(
    ("selectors", "said"),
    [
        ("quant = []", "declaim[0].quant: should be a text, or a list of texts that isn't empty"),
        ('quant = ["IQ3_S", 3]', "declaim[0].quant: should be a text, or a list of texts"),
        ("quant = 3", "declaim[0].quant: 3 should be a text, or a list of texts"),
        ('quant = ["IQ3_S", "*"]', "declaim[0].quant: one of its values matches everything"),
        ('quant = ["IQ3_S", ""]', "declaim[0].quant: one of its values is empty"),
        ('host = ["gx10", "gx11"]', "declaim[0].host: no rule knows 'gx11'"),
        ('compute = ">=fast"', "declaim[0].compute: '>=fast' is no compute capability"),
        ('compute = ">12.0"', "declaim[0].compute: '>12.0' is no compute capability"),
        ('thinking = "maybe"', "declaim[0].thinking: 'maybe' should be 'on' or 'off'"),
    ],
)
def test_a_malformed_selector_is_named(release: Release, selectors: str, said: str) -> None:
    release.claims = declaim(selectors)
    read = rules.read(release.write() / "gate.toml")
    with pytest.raises(BadFile) as error:
        decisions.read(read)
    assert said in str(error.value)


# ---------------------------------------------------------------- the readers

DIFF: dict[str, Any] = {
    "schema": "apr-kernel-diff-receipt/v1", "host": "gx10", "version": VERSION, "apr_sha": COMMIT, "sm": "sm_121",
    "dispatch": [
        {"sha256": "1" * 64, "file": "alpha-q4_k_m.gguf", "kernels": [{"kernel": "q4k_gemv", "quant": "q4_k"}, "topk"]}
    ],
    "rows": [
        {"kernel": "q4k_gemv", "quant": "q4_k", "reference": "cpu", "max_err": 0.001, "bound": 0.004,
         "bound_source": "pair", "verdict": "PASS"},
        {"kernel": "topk", "quant": "", "reference": "cpu", "index_mismatch": 3, "tie_margin": "NaN", "bound": 1e-6,
         "bound_source": "", "verdict": "pass", "weather": "fine"},
    ],
}  # fmt: skip


def test_a_kernel_diff_receipt_gives_rows_and_dispatch_lists(tmp_path: Path) -> None:
    receipt = as_receipt(tmp_path, DIFF)
    gemv, topk = receipt.kernels
    assert (gemv.verdict, gemv.discrete, gemv.max_err, gemv.bound_source) == ("pass", False, 0.001, "pair")
    assert (topk.quant, topk.discrete, topk.index_mismatch, topk.tie_margin, topk.bound_source) == (
        None, True, 3, None, None,
    )  # fmt: skip
    assert receipt.dispatches[0].kernels == (("q4k_gemv", "q4_k"), ("topk", None))
    assert (receipt.binding.commit, receipt.compute) == (COMMIT, "12.1")
    assert receipt.left_out == {"the field rows[].weather": 1}


def test_a_kernel_diff_receipt_alone_says_what_a_model_runs(release: Release) -> None:
    with_kernels(release)
    del release.receipt("inventory-gx10.json")["models"][0]["dispatched"]
    own = json.loads(json.dumps(DIFF))
    own["dispatch"][0]["kernels"].pop()
    own["rows"].pop()
    release.documents[f"receipts/{VERSION}/diff-gx10.json"] = own
    verdict, _ = judge(release.write())
    assert violations(verdict, "kernel") == [("lambda/kernel/q4k_gemv/Q4_K", "receipt", "missing")]
    assert "gx10/kernel/q4k_gemv/Q4_K" in states(verdict, "kernels")["passed"]


@pytest.mark.parametrize("named_by", ["runs", "release.toml", "nobody"])
@pytest.mark.parametrize("of", ["kernel", "conformance", "tokenizer"])
def test_a_format_that_can_not_name_the_binary_is_named_and_rests_on_the_commit(
    of: str, named_by: str, release: Release
) -> None:
    if of == "kernel":
        with_kernels(release)
        kernel.diff(apr_sha=COMMIT)(release)
    elif of == "conformance":
        with_conformance(release)
        conformance.harness(commit=COMMIT)(release)
    else:
        tokenizer.foreign(release)
        release.receipt("foreign.json")["host"] = "gx10"
        release.documents[f"receipts/{VERSION}/own.json"] = release.documents.pop(f"receipts/{VERSION}/foreign.json")
    release.receipt("own.json")["binary_sha256"] = "f" * 64  # a field that the format doesn't have
    if named_by != "runs":
        del release.receipt("gx10.json")["release"]["binary_sha256"]
    if named_by == "release.toml":
        release.documents[f"receipts/{VERSION}/release.toml"] += f'[binaries]\ngx10 = "{BINARY["gx10"]}"\n'
        release.receipt("gx10.json")["release"]["binary_sha256"] = BINARY["gx10"]
    verdict, _ = judge(release.write())
    own = f"receipts/{VERSION}/own.json"
    assert verdict.violations == ()
    assert [(f.focus, f.property) for f in verdict.findings if f.severity == "warning"] == (
        [] if named_by == "nobody" else [(own, "binary")]
    )
    assert "the field binary_sha256" in str([f.message for f in verdict.findings if f.severity == "info"])


def test_only_the_format_says_that_it_can_not_name_a_binary(tmp_path: Path) -> None:
    foreign = {
        "apr-kernel-receipt/v1": {"kernel": "l2", "host": "gx10"}, "apr-kernel-diff-receipt/v1": {"host": "gx10"},
        "gpu-shape-conformance/v1": {"host": "gx10"}, "apr-tokenizer-parity-receipt/v1": {"rows": []},
    }  # fmt: skip
    native = {"suite": "s"} | {key: value for key, value in header("", "gx10").items() if key != "schema"}
    crux = {"host": "gx10", "apr": {}, "summary": {"verdict": "PASS"}, "cells": []}
    for schema in SCHEMAS:
        document = foreign.get(schema) or (crux if schema.startswith("crux") else {"host": "gx10"})
        if schema.startswith("taggate/"):
            document = {k: v for k, v in native.items() if k != ("host" if "suite" in schema else "suite")}
            with pytest.raises(BadFile, match="binaryless: there is no such key"):
                as_receipt(tmp_path, {"schema": schema, "binaryless": True, **document})
        receipt = as_receipt(tmp_path, {"schema": schema, **document})
        assert receipt.binding.binaryless == (schema in foreign), schema


def test_a_kernel_receipt_of_variants_names_host_and_commit_in_each(tmp_path: Path) -> None:
    variant = {
        "host": "gx10", "sha": COMMIT, "variant": "rsqrt", "cc": "sm_121",
        "parity": {"maxdiff_max": 1e-6, "maxdiff_ceiling": 1e-3, "pass": True},
    }  # fmt: skip
    document = {"schema": "apr-kernel-receipt/v1", "kernel": "l2", "receipts": [variant, variant | {"variant": "sqrt"}]}
    receipt = as_receipt(tmp_path, document)
    assert [(row.case, row.verdict, row.max_err, row.bound) for row in receipt.kernels] == [
        ("rsqrt", "pass", 1e-6, 1e-3), ("sqrt", "pass", 1e-6, 1e-3),
    ]  # fmt: skip
    assert (receipt.host, receipt.compute, receipt.binding.commit) == ("gx10", "12.1", COMMIT)
    document["receipts"] = [variant | {"tree_dirty_paths": 2}]
    assert as_receipt(tmp_path, document).binding.quarrels
    document["receipts"] = [variant, variant | {"host": "lambda"}]
    with pytest.raises(BadFile, match="names gx10 and lambda"):
        as_receipt(tmp_path, document)


@pytest.mark.parametrize(
    ("own", "quarrel"),
    [
        (COMMIT, None),
        (COMMIT[:9], None),
        ("5660b0877", f"receipts[1].sha is 5660b0877, and receipts[0].sha is {COMMIT}"),
        (COMMIT[:9].upper(), f"receipts[1].sha is {COMMIT[:9].upper()}, and receipts[0].sha is {COMMIT}"),
        (f"{COMMIT}-dirty", f"receipts[1].sha is {COMMIT}-dirty, and receipts[0].sha is {COMMIT}"),
        ("main", f"receipts[1].sha is main, and receipts[0].sha is {COMMIT}"),
        ("", f"receipts[1] names no commit, and receipts[0].sha is {COMMIT}"),
        (None, f"receipts[1] names no commit, and receipts[0].sha is {COMMIT}"),
    ],
)
def test_no_variant_lends_its_commit_to_another(own: str | None, quarrel: str | None, tmp_path: Path) -> None:
    variant = {"host": "gx10", "sha": COMMIT, "variant": "rsqrt", "parity": {"pass": True}}
    document = {"schema": "apr-kernel-receipt/v1", "kernel": "l2", "receipts": [variant, variant | {"sha": own}]}
    binding = as_receipt(tmp_path, document).binding
    assert (binding.commit, binding.quarrels) == (COMMIT, (quarrel,) if quarrel else ())


def test_variants_of_short_commits_alone_are_of_one_or_of_none(tmp_path: Path) -> None:
    variant = {"host": "gx10", "parity": {"pass": True}}
    for shas, quarrels in (
        (["c0ffee000", "c0ffee0000"], ()), ([None, None], ()),
        (["c0ffee000", "5660b0877"], ("receipts[1].sha is 5660b0877, and receipts[0].sha is c0ffee000",)),
        ([None, "c0ffee000"], ("receipts[0] names no commit, and receipts[1].sha is c0ffee000",)),
    ):  # fmt: skip
        document = {
            "schema": "apr-kernel-receipt/v1",
            "kernel": "l2",
            "receipts": [variant | {"sha": sha} for sha in shas],
        }
        binding = as_receipt(tmp_path, document).binding
        assert (binding.commit, binding.quarrels) == (None, quarrels)


@pytest.mark.parametrize(
    ("overall", "row", "verdict", "contradicted"),
    [
        ("PASS", "PASS", "pass", False),
        ("FAIL", "FAIL", "fail", False),
        ("PASS", "FAIL", "fail", True),
        ("FAIL", "PASS", "fail", True),
        (None, "PASS", "pass", False),
        ("PASS", None, None, True),
    ],
)
def test_a_summary_never_makes_a_pass(
    overall: str | None, row: str | None, verdict: str | None, contradicted: bool, tmp_path: Path
) -> None:
    document = {
        "schema": "apr-kernel-receipt/v1", "kernel": "splitk", "host": "gx10", "parity": overall,
        "rows": [{"kv": "f16", "parity": row}],
    }  # fmt: skip
    receipt = as_receipt(tmp_path, document)
    assert [found.verdict for found in receipt.kernels] == [verdict]
    assert bool(receipt.contradictions) == contradicted


def harness(**values: Any) -> dict[str, Any]:
    row = {"qtype": 12, "k": 2560, "n_held": 9216, "pass": True, "excluded": False, "worst": 1e-8, "panic": None}
    of_the_receipt = ("harness_rc", "failed", "passed", "excluded_types", "negative_controls", "census", "gpu")
    top = {k: values.pop(k) for k in of_the_receipt if k in values}
    return {
        "schema": "gpu-shape-conformance/v1", "host": "gx10", "commit": COMMIT, "tolerance": 1e-5, "harness_rc": 0,
        "failed": 0, "negative_controls": {"12": {"red": True}}, "rows": [row | values], **top,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("values", "verdict", "contradicted"),
    [
        ({}, "pass", False),
        ({"pass": None}, None, False),
        ({"pass": False, "failed": 1}, "fail", False),
        ({"pass": False}, "fail", True),
        ({"worst": 1e-3}, "fail", True),
        ({"worst": "inf"}, "fail", True),
        ({"worst": "NaN"}, "fail", True),
        ({"worst": None}, "fail", True),
        ({"panic": "launch failed"}, "error", True),
        ({"negative_controls": {"12": {"red": False}}}, "skip", False),
        ({"negative_controls": {}}, "skip", False),
        ({"harness_rc": 101}, "error", True),
        ({"failed": 2}, "error", True),
        ({"passed": 1}, "pass", False),
        ({"passed": 2}, "error", True),
        ({"passed": 0}, "error", True),
        ({"excluded_types": []}, "pass", False),
        ({"excluded_types": [12]}, "pass", True),
        ({"excluded": True, "excluded_types": []}, "pass", True),
        ({"negative_controls": {"12": {"red": True, "worst": 1e-3}}}, "pass", False),
        ({"negative_controls": {"12": {"red": True, "worst": "inf"}}}, "pass", False),
        ({"negative_controls": {"12": {"red": True, "worst": 1e-5}}}, "skip", True),
    ],
)
def test_a_conformance_row_passes_by_its_own_checks(
    values: dict[str, Any], verdict: str | None, contradicted: bool, tmp_path: Path
) -> None:
    receipt = as_receipt(tmp_path, harness(**values))
    assert [row.verdict for row in receipt.conformance] == [verdict]
    assert bool(receipt.contradictions) == contradicted


@pytest.mark.parametrize(
    ("values", "verdicts"),
    [
        ({"failed": 1}, ["pass", "fail"]),
        ({"failed": 0}, ["error", "fail"]),
        ({"failed": 3}, ["error", "fail"]),
        ({"failed": 1, "harness_rc": 101}, ["error", "fail"]),
    ],
)
def test_a_failing_row_does_not_explain_the_failures_of_others(
    values: Any, verdicts: list[str], tmp_path: Path
) -> None:
    document = harness(**values)
    document["rows"] += [
        document["rows"][0] | {"k": 4096, "pass": False},
        document["rows"][0] | {"k": 8192, "pass": False, "excluded": True, "worst": "inf"},
    ]
    receipt = as_receipt(tmp_path, document)
    assert [row.verdict for row in receipt.conformance] == [*verdicts, "fail"]


@pytest.mark.parametrize(
    ("summary", "passes"),
    [
        ({"rows": 2, "passed": 2, "failed": 0}, True),
        ({}, True),
        ({"rows": 3}, False),
        ({"rows": 1}, False),
        ({"passed": 3}, False),
        ({"failed": 1}, False),
    ],
)
def test_a_receipt_that_counts_other_rows_than_it_has_passes_nothing(
    summary: dict[str, int], passes: bool, release: Release
) -> None:
    with_conformance(release)
    release.receipt("shapes-gx10.json")["summary"] = summary
    verdict, _ = judge(release.write())
    labels = [one.label for one in verdict.kernels["conformance"] if one.label.startswith("gx10")]
    expected = [] if passes else [(label, "verdict", "failed") for label in labels]
    assert violations(verdict, "conformance") == expected
    assert any(f.property == "consistent" for f in verdict.findings) != passes


@pytest.mark.parametrize("of", ["another host", "another commit", "a second row", "no kernel"])
def test_a_row_widens_no_declaim_of_a_kernel(of: str, release: Release) -> None:
    with_kernels(release)
    with_conformance(release)
    release.receipt("kernels-gx10.json")["rows"][0]["verdict"] = "fail"
    shapes = release.receipt("shapes-gx10.json")
    shapes["rows"][0]["excluded"] = True
    own = json.loads(json.dumps(shapes)) | {"rows": [dict(shapes["rows"][0])]}
    if of == "another host":
        del shapes["rows"][0]["kernel"]
        own["host"] = "lambda"
    elif of == "another commit":
        own["release"]["commit"] = OTHER_COMMIT
        shapes["rows"].pop(0)
    elif of == "a second row":
        shapes["rows"][0]["kernel"] = "other_gemv"
    else:
        del shapes["rows"][0]["kernel"]
    if of != "no kernel":
        release.documents[f"receipts/{VERSION}/own.json"] = own
    release.claims = declaim('kernel = "iq3_s_gemv"\nhost = "gx10"')
    verdict, _ = judge(release.write())
    (declaimed,) = verdict.declaimed
    assert [one.label for one in declaimed.covered] == [GEMV]
    assert (SHAPE, "excluded", "excluded") in violations(verdict, "conformance")


def test_the_rows_are_a_census_only_where_the_receipt_names_one(tmp_path: Path) -> None:
    assert as_receipt(tmp_path, harness()).census is None
    found = as_receipt(tmp_path, harness(census={"census-gx10.json": "d" * 64}, gpu="NVIDIA GB10, 12.1"))
    assert (found.census, found.compute) == ((("Q4_K", "2560x9216"),), "12.1")


@pytest.mark.parametrize(
    ("document", "said"),
    [
        (harness(k="2560"), "rows[0].k"),
        (harness(**{"pass": "true"}), "rows[0].pass"),
        (harness(excluded=0), "rows[0].excluded"),
        (harness(worst="small"), "rows[0].worst"),
        (harness(worst=-1e-8), "rows[0].worst"),
        (harness(qtype=True), "rows[0].qtype"),
        (DIFF | {"rows": [{"kernel": "a/b"}]}, "rows[0].kernel"),
        (DIFF | {"rows": [{"kernel": "a", "verdict": "green"}]}, "rows[0].verdict"),
        (DIFF | {"rows": [{"kernel": "a", "max_err": -0.1}]}, "rows[0].max_err"),
        (DIFF | {"dispatch": [{"file": "a.gguf", "kernels": [7]}]}, "dispatch[0].kernels"),
        ({"schema": "apr-kernel-receipt/v1", "kernel": "a", "rows": []}, "no host is named"),
    ],
)
def test_a_field_that_is_read_has_its_type(document: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(BadFile) as error:
        as_receipt(tmp_path, document)
    assert said in str(error.value)


def test_native_receipts_may_have_a_row_a_line(release: Release) -> None:
    with_kernels(release)
    with_conformance(release)
    for name in ("kernels-gx10", "shapes-gx10"):
        document = release.documents.pop(f"receipts/{VERSION}/{name}.json")
        rows = document.pop("rows")
        release.documents[f"receipts/{VERSION}/{name}.jsonl"] = "\n".join(map(json.dumps, [document, *rows]))
    assert judged(release.write())["exit"] == 0


def test_the_native_schemas_are_printed(tmp_path: Path) -> None:
    for name in ("taggate/kernel-receipt/v1", "taggate/conformance-receipt/v1"):
        done = gate(tmp_path, "schema", name)
        assert json.loads(done.stdout)["$id"] == f"https://w3id.org/{name}"


def test_the_graph_with_an_infinite_error_is_written_in_every_form(release: Release) -> None:
    with_kernels(release)
    release.receipt("kernels-gx10.json")["rows"][0]["max_err"] = "inf"
    folder = release.write()
    for form in ("ttl", "nt", "jsonld"):
        assert gate(folder, "graph", "--tag", VERSION, "--format", form).returncode == 0


def test_rows_of_kernels_that_nobody_runs_are_orphans(release: Release) -> None:
    with_kernels(release)
    release.receipt("kernels-gx10.json")["rows"].append({"kernel": "spare", "quant": "Q4_K", "verdict": "pass"})
    verdict, _ = judge(release.write())
    (orphan,) = [f for f in verdict.findings if f.reason == "orphan"]
    assert orphan.focus == f"receipts/{VERSION}/kernels-gx10.json, rows[2]"
    assert "no model on a required host runs this kernel" in orphan.message
    assert verdict.conforms


def test_ggml_numbers_have_names() -> None:
    assert (ggml.type_name(21), ggml.type_name(22), ggml.type_name(30)) == ("IQ3_S", "IQ2_S", "BF16")
    assert ggml.type_name(4) == "GGML_TYPE_4"
    assert (ggml.file_type_name(15), ggml.file_type_name(4)) == ("Q4_K_M", "FILE_TYPE_4")
