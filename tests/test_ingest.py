"""`gate ingest`: a foreign result becomes a native receipt that says no more than it did."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

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
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert json.loads((tmp_path / "out.json").read_text()) == {
        "schema": "taggate/suite-receipt/v1",
        "release": {"version": VERSION, "commit": COMMIT},
        "measured_at": "2026-10-12T09:00:00Z",
        "producer": "dogfood of demo",
        "source": {
            "format": "apr-dogfood",
            "sha256": hashlib.sha256((tmp_path / "dogfood.json").read_bytes()).hexdigest(),
        },
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
