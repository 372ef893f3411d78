"""`gate ingest`: a foreign result becomes a native receipt that says no more than it did."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from gate.cli.ingest import FORMATS
from tests.release import COMMIT, VERSION, Release, judged
from tests.release import gate_here as gate

DOGFOOD: dict[str, Any] = {
    "crate": "demo", "version": VERSION, "timestamp": "20261012T090000Z", "commit": COMMIT, "verdict": "GO",
    "phase": "pre-publish", "gates": [
        {"gate": "fmt", "result": "PASS", "note": "clean"}, {"gate": "assets", "result": "DEFER", "note": "later"},
        {"gate": "golden", "result": "SKIP"},
    ],
}  # fmt: skip


def ingest(folder: Path, document: Any, *arguments: str) -> Any:
    (folder / "dogfood.json").write_text(document if isinstance(document, str) else json.dumps(document))
    return gate(folder, "ingest", "apr-dogfood", "dogfood.json", "--output", "out.json", *arguments)


def test_the_receipt_says_what_the_source_said_and_which_it_was(tmp_path: Path) -> None:
    done = ingest(tmp_path, DOGFOOD)
    assert (done.returncode, done.stdout) == (0, "")
    assert json.loads((tmp_path / "out.json").read_text()) == {
        "schema": "taggate/suite-receipt/v1",
        "release": {"version": VERSION, "commit": COMMIT},
        "measured_at": "2026-10-12T09:00:00Z",
        "producer": "dogfood of demo",
        "source": {
            "format": "apr-dogfood",
            "sha256": hashlib.sha256((tmp_path / "dogfood.json").read_bytes()).hexdigest(),
        },
        "left_out": {"the field phase": 1},
        "suite": "dogfood",
        "verdict": "go",
        "rows": [
            {"name": "fmt", "result": "pass", "note": "clean"},
            {"name": "assets", "result": "skip", "note": "DEFER: later"},
            {"name": "golden", "result": "skip", "note": "SKIP: "},
        ],
    }


def test_an_ingested_suite_is_judged(release: Release) -> None:
    folder = release.write()
    for verdict, code in (("GO", 0), ("NO-GO", 1)):
        (folder / "dogfood.json").write_text(json.dumps(DOGFOOD | {"verdict": verdict}))
        done = gate(
            folder, "ingest", "apr-dogfood", "dogfood.json", "--force", "--output", f"receipts/{VERSION}/dogfood.json"
        )
        assert done.returncode == 0
        assert judged(folder)["exit"] == code


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"verdict": "MAYBE"}, "verdict: 'MAYBE' should be 'GO' or 'NO-GO'"),
        ({"verdict": None}, "verdict: None"),
        ({"commit": COMMIT[:9]}, "commit"),
        ({"version": "0.71"}, "version: '0.71' is not a semantic version"),
        ({"timestamp": "2026-10-12"}, "timestamp"),
        ({"timestamp": "20261332T090000Z"}, "'20261332T090000Z' is no time of any day"),
        ({"gates": []}, "gates: List should have at least 1 item"),
        ({"gates": [{"gate": "x", "result": "pass"}]}, "gates[0].result: 'pass' should be 'PASS'"),
    ],
)
def test_a_malformed_source_is_named_and_nothing_is_written(change: Any, said: str, tmp_path: Path) -> None:
    done = ingest(tmp_path, DOGFOOD | change)
    assert done.returncode == 3
    assert done.stderr.startswith("gate: dogfood.json, ")
    assert said in done.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["dogfood.json"]


def test_another_receipt_is_not_replaced_unasked(tmp_path: Path) -> None:
    assert ingest(tmp_path, DOGFOOD).returncode == 0
    before = (tmp_path / "out.json").read_bytes()
    assert ingest(tmp_path, DOGFOOD).returncode == 0
    refused = ingest(tmp_path, DOGFOOD | {"verdict": "NO-GO"})
    assert (refused.returncode, refused.stderr) == (
        3,
        "gate: out.json: it exists and says something else; --force replaces it\n",
    )
    assert (tmp_path / "out.json").read_bytes() == before
    assert ingest(tmp_path, DOGFOOD | {"verdict": "NO-GO"}, "--force").returncode == 0


def test_a_missing_source_and_an_unknown_format_are_the_callers_errors(tmp_path: Path) -> None:
    done = gate(tmp_path, "ingest", "apr-dogfood", "none.json", "--output", "out.json")
    assert (done.returncode, done.stderr) == (3, "gate: none.json: there is no such file\n")
    done = gate(tmp_path, "ingest", "apr-dogfod", "none.json", "--output", "out.json")
    assert done.returncode == 3
    assert "'apr-dogfod' is not one of 'apr-dogfood', " in done.stderr


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


# What each format is brought in from, and the options that it needs beside --output.
_BOUND = ("--release", "--commit", "--host", "--measured-at")
SOURCES: dict[str, tuple[Any, tuple[str, ...]]] = {
    "apr-dogfood": (DOGFOOD, ()),
    "apr-ladder-rows": ({"file": "a.gguf", "present": False}, _BOUND),
    "apr-ladder-inventory": ({"file": "a.gguf"}, _BOUND),
    "apr-provenance": ({"requested": "cuda", "ran": "cuda", "fell_back": False}, (*_BOUND, "--exit-code", "--run")),
    "junit": ('<testsuites><testsuite><testcase name="a"/></testsuite></testsuites>',
              ("--release", "--commit", "--measured-at", "--suite")),
    "in-toto": ({"_type": "https://in-toto.io/Statement/v1", "subject": [{"name": "x"}],
                 "predicateType": "https://in-toto.io/attestation/test-result/v0.1",
                 "predicate": {"result": "PASSED", "passedTests": ["a"]}},
                ("--release", "--commit", "--measured-at", "--suite")),
    "lm-eval": ({"results": {"arc": {"acc,none": 0.5}}}, ("--release", "--commit", "--measured-at")),
    "apr-parity": ({"model": "a.gguf", "prompts": [
        {"llama_tokens": [1], "greedy_tokens": [1], "greedy_divergence": None}]}, _BOUND),
    "apr-findings": ({"protocol": "p", "host": "lambda, x", "comparator_pin": "b1", "apr_build": "0.71.0 (c0ffee000)",
                      "apr": {"a_rps": {"samples": [1.0]}}, "llamacpp": {}}, ("--commit", "--measured-at", "--model")),
    "llama-bench": ([{"build_commit": COMMIT[:8], "model_filename": "a.gguf", "n_prompt": 0, "n_gen": 1,
                      "test_time": "2026-10-12T08:00:00Z", "samples_ts": [1.0]}], ("--release", "--commit", "--host")),
    "vllm-bench": ({"request_throughput": 3.5}, (*_BOUND, "--model")),
}  # fmt: skip
SAID = {"--release": VERSION, "--commit": COMMIT, "--host": "lambda", "--measured-at": "2026-10-12T09:00:00Z",
        "--suite": "ci", "--exit-code": "0", "--run": "run.json", "--model": "a.gguf"}  # fmt: skip


def bring(folder: Path, form: str, *options: str) -> Any:
    source, _ = SOURCES[form]
    (folder / "source").write_text(source if isinstance(source, str) else json.dumps(source))
    (folder / "run.json").write_text(json.dumps({"model": {"file": "a.gguf"}, "verb": "run"}))
    return gate(folder, "ingest", form, "source", *options)


def test_every_format_has_a_source_here() -> None:
    assert set(SOURCES) == set(FORMATS)


@pytest.mark.parametrize("form", SOURCES)
def test_all_options_that_are_missing_are_named_at_once(form: str, tmp_path: Path) -> None:
    needed = SOURCES[form][1]
    done = bring(tmp_path, form)
    assert (done.returncode, done.stdout) == (3, "")
    named = done.stderr.partition(" needed")[0].removeprefix("gate: ").removesuffix(" is").removesuffix(" are")
    assert set(named.replace(" and ", ", ").split(", ")) == {"--output", *needed}
    given = [part for option in needed for part in (option, SAID[option])]
    done = bring(tmp_path, form, *given)
    assert (done.returncode, done.stderr) == (3, "gate: --output is needed: where the receipt is to be written\n")
    assert not (tmp_path / "out.json").exists()
    assert bring(tmp_path, form, *given, "--output", "out.json").returncode == 0


@pytest.mark.parametrize("form", [form for form, (_, needed) in SOURCES.items() if needed])
def test_an_option_that_is_missing_alone_is_named_alone(form: str, tmp_path: Path) -> None:
    needed = SOURCES[form][1]
    for left_out in needed:
        given = [part for option in needed if option != left_out for part in (option, SAID[option])]
        done = bring(tmp_path, form, *given, "--output", "out.json")
        assert done.returncode == 3
        assert done.stderr == f"gate: {left_out} is needed: this format does not say it, and nothing is guessed\n"


def test_what_was_written_and_what_was_left_out_is_said(tmp_path: Path) -> None:
    source = DOGFOOD | {"weather": "fine", "gates": DOGFOOD["gates"] + [{"gate": "x", "result": "PASS", "log": "a"}]}
    done = ingest(tmp_path, source)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == (
        "gate: out.json is written: taggate/suite-receipt/v1, 4 checks\n"
        "  left out: the field gates[].log (1), the field phase (1), the field weather (1)\n"
    )


def test_many_kinds_of_things_left_out_are_counted_and_contradictions_too(tmp_path: Path) -> None:
    odd = {f"field-{i:02}\u202e": i for i in range(23)}
    source = SOURCES["in-toto"][0]
    predicate = source["predicate"] | {"result": "PASSED", "failedTests": ["b"], **odd}
    (tmp_path / "source").write_text(json.dumps(source | {"predicate": predicate}))
    given = [part for option in SOURCES["in-toto"][1] for part in (option, SAID[option])]
    done = gate(tmp_path, "ingest", "in-toto", "source", "--output", "out.json", *given)
    assert done.returncode == 0, done.stderr
    first, left_out, contradictions = done.stderr.splitlines()
    assert first == "gate: out.json is written: taggate/suite-receipt/v1, 2 checks"
    assert left_out.endswith(", predicate, the field field-19\ufffd (1), and 3 more kinds, which the receipt names")
    assert contradictions == "  contradictions that the receipt names: 1"


@pytest.mark.parametrize("form", [form for form in SOURCES if form != "junit"])
def test_a_field_that_no_reader_takes_is_counted(form: str, tmp_path: Path) -> None:
    source, needed = SOURCES[form]
    given = [part for option in needed for part in (option, SAID[option])]
    bring(tmp_path, form)
    odd = [{**source[0], "weather": 1}] if isinstance(source, list) else {**source, "weather": 1}
    (tmp_path / "source").write_text(json.dumps(odd))
    done = gate(tmp_path, "ingest", form, "source", "--output", "out.json", *given)
    assert done.returncode == 0, done.stderr
    assert "the field weather (1)" in done.stderr
    assert any("the field weather" in name for name in json.loads((tmp_path / "out.json").read_text())["left_out"])
