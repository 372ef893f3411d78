"""The ledger: what can't be understood is refused by name, and nothing is passed over in silence."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gate import ledger, rules, subject
from gate.errors import BadFile, Declined, GateError
from gate.files import InputFile
from gate.ledger.rows import Ledger
from tests.falsifiers import performance
from tests.release import COMMIT, VERSION, Release, green, header, runs

FOLDER = f"receipts/{VERSION}"


def read(release: Release) -> Ledger:
    found = rules.read(release.write() / "gate.toml")
    return ledger.read(found, subject.find(found, VERSION, COMMIT))


def refusal(release: Release) -> str:
    with pytest.raises(BadFile) as refused:
        read(release)
    return str(refused.value)


def test_every_receipt_is_read_in_the_order_of_its_path(release: Release) -> None:
    found = read(release)
    assert [Path(r.file.path).name for r in found.receipts] == [
        "dogfood.json", "gx10.json", "inventory-gx10.json", "inventory-lambda.json", "lambda.json",
    ]  # fmt: skip
    assert [len(r.runs) for r in found.receipts] == [0, 36, 0, 0, 36]
    assert found.unread == ()


def test_json_lines_say_the_same_as_one_object(release: Release) -> None:
    document = release.receipt("lambda.json")
    as_object = read(release).receipts[-1]
    rows = document.pop("runs")
    del release.documents[f"{FOLDER}/lambda.json"]
    (release.folder / FOLDER / "lambda.json").unlink()
    release.documents[f"{FOLDER}/lambda.jsonl"] = "\n".join(json.dumps(x) for x in [document, *rows]) + "\n"
    as_lines = read(release).receipts[-1]
    assert [r.place for r in as_lines.runs[:2]] == ["line 2", "line 3"]
    strip = lambda run: {k: getattr(run, k) for k in run._fields if k != "place"}  # noqa: E731
    assert list(map(strip, as_lines.runs)) == list(map(strip, as_object.runs))


def test_a_row_that_leaves_a_field_out_leaves_it_unknown(release: Release) -> None:
    release.receipt("lambda.json")["runs"] = [{"model": {"file": "a.gguf"}, "verb": "run"}]
    (row,) = read(release).receipts[-1].runs
    known = {k for k in {*row._fields, *row.told._fields} - {"told"} if getattr(row, k) is not None}
    assert known == {"place", "host", "file", "verb"}


def test_no_folder_and_an_empty_one_are_declined(release: Release) -> None:
    for path in [p for p in release.documents if p.startswith(FOLDER)]:
        del release.documents[path]
    with pytest.raises(Declined, match=r"there is no such folder"):
        read(release)
    (release.folder / FOLDER).mkdir()
    with pytest.raises(Declined, match=r"it holds no receipt"):
        read(release)


def test_a_file_in_place_of_the_folder_is_refused(release: Release) -> None:
    for path in [p for p in release.documents if p.startswith(FOLDER)]:
        del release.documents[path]
    release.documents[FOLDER] = "x"
    # git and release.toml are asked first, and a file has no release.toml below it
    assert "it is a file" in refusal(release)


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ("taggate/run-receipt/v2", "'taggate/run-receipt/v2' is no schema that the gate reads"),
        ("apr-model-ladder-receipt/v3", "'apr-model-ladder-receipt/v3' is no schema"),
        ("Taggate/run-receipt/v1", "is no schema"),
        (1, "'1' is no schema"),
        (None, "there is no schema"),
        (["taggate/run-receipt/v1"], "is no schema"),
    ],
)
def test_an_unknown_schema_is_refused_by_name(schema: Any, said: str, release: Release) -> None:
    release.receipt("lambda.json")["schema"] = schema
    assert refusal(release).startswith(f"{FOLDER}/lambda.json, schema: ")
    assert said in refusal(release)
    assert "Known: taggate/run-receipt/v1" in refusal(release)


@pytest.mark.parametrize("text", ["[]", "3", '"x"', "null", "true"])
def test_a_receipt_is_an_object(text: str, release: Release) -> None:
    release.documents[f"{FOLDER}/lambda.json"] = text
    assert refusal(release).startswith(f"{FOLDER}/lambda.json: it is not a JSON object")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda d: d["runs"][0].update(verdict="PASS"),
            "runs[0].verdict: 'PASS' should be 'pass', 'fail', 'error', 'skip'",
        ),
        (lambda d: d["runs"][0].update(verdict=True), "runs[0].verdict"),
        (
            lambda d: d["runs"][0]["backend"].update(fell_back="false"),
            "runs[0].backend.fell_back: 'false' should be a valid boolean",
        ),
        (
            lambda d: d["runs"][0]["backend"].update(fell_back=0),
            "runs[0].backend.fell_back: 0 should be a valid boolean",
        ),
        (lambda d: d["runs"][0].update(exit_code="0"), "runs[0].exit_code: '0' should be a valid integer"),
        (lambda d: d["runs"][0].update(exit_code=False), "runs[0].exit_code: False should be a valid integer"),
        (
            lambda d: d["runs"][0].update(prompt_tokens=4096.0),
            "runs[0].prompt_tokens: 4096.0 should be a valid integer",
        ),
        (
            lambda d: d["runs"][0].update(prompt_tokens=-1),
            "runs[0].prompt_tokens: -1 should be greater than or equal to 0",
        ),
        (lambda d: d["runs"][0].update(answer_chars="inf"), "runs[0].answer_chars"),
        (lambda d: d["runs"][0].update(thinking="maybe"), "runs[0].thinking: 'maybe'"),
        (
            lambda d: d["runs"][0].update(promt_tokens=1),
            "runs[0].promt_tokens: there is no such key; 'prompt_tokens' is meant?",
        ),
        (lambda d: d["runs"][0]["model"].update(sha256="1" * 63), "runs[0].model.sha256"),
        (lambda d: d["runs"][0]["model"].update(sha256="A" * 64), "runs[0].model.sha256"),
        (
            lambda d: d["runs"][0]["model"].update(file="a\nb"),
            "runs[0].model.file: 'a\\nb' holds the control character U+000A",
        ),
        (lambda d: d["runs"][0]["model"].update(file="../a"), "give a file's name, not its path"),
        (lambda d: d["runs"][0].pop("verb"), "runs[0].verb: the key is missing"),
        (lambda d: d["release"].update(commit=COMMIT[:9]), "release.commit"),
        (lambda d: d["release"].update(version="0.71"), "release.version: '0.71' is not a semantic version"),
        (lambda d: d.pop("release"), "release: the key is missing"),
        (lambda d: d.update(measured_at="2026-10-12T09:00:00"), "measured_at: '2026-10-12T09:00:00' has no time zone"),
        (lambda d: d.update(measured_at="yesterday"), "measured_at: 'yesterday' is not a time"),
        (lambda d: d.update(measured_at=1), "measured_at"),
        (lambda d: d.update(measured_at="0001-01-01T00:00:00+14:00"), "lies beyond the calendar"),
        (lambda d: d.update(runs={}), "runs: Input should be a valid list"),
        (lambda d: d.update(host="gx11"), "host: no rule knows the host 'gx11'"),
        (lambda d: d.update(host="GX10"), "host: no rule knows the host 'GX10'"),
    ],
)
def test_what_a_native_receipt_says_wrongly_is_named(change: Any, said: str, release: Release) -> None:
    change(release.receipt("lambda.json"))
    assert said in refusal(release)
    assert refusal(release).startswith(f"{FOLDER}/lambda.json, ")


def test_many_faults_of_one_file_are_named_and_the_rest_counted(release: Release) -> None:
    for row in release.receipt("lambda.json")["runs"]:
        row["verdict"] = "PASS"
    said = refusal(release)
    assert said.count("should be 'pass'") == 8
    assert "and 28 more" in said


def test_an_alias_names_its_host(release: Release) -> None:
    release.receipt("lambda.json")["host"] = "lambda-vector"
    assert read(release).receipts[-1].host == "lambda-vector"


def test_a_row_of_json_lines_is_named_by_its_line(release: Release) -> None:
    document = release.receipt("lambda.json")
    rows = document.pop("runs")
    rows[1]["verdict"] = "ok"
    del release.documents[f"{FOLDER}/lambda.json"]
    release.documents[f"{FOLDER}/lambda.jsonl"] = "\n".join(json.dumps(x) for x in [document, *rows])
    assert refusal(release).startswith(f"{FOLDER}/lambda.jsonl, line 3, verdict: 'ok' should be")
    release.documents[f"{FOLDER}/lambda.jsonl"] = json.dumps(document | {"runs": rows})
    assert "line 1, runs[1].verdict" in refusal(release)
    rows[1]["verdict"] = "pass"
    release.documents[f"{FOLDER}/lambda.jsonl"] = json.dumps(document | {"runs": rows})
    assert "rows stand in the header" in refusal(release)


def test_a_foreign_receipt_is_one_object(release: Release) -> None:
    release.documents[f"{FOLDER}/x.jsonl"] = '{"schema": "apr-model-ladder-receipt/v2", "host": "gx10"}'
    assert "apr-model-ladder-receipt/v2 is one JSON object" in refusal(release)


def test_an_inventory_lists_each_file_once(release: Release) -> None:
    models = release.receipt("inventory-gx10.json")["models"]
    models.append(dict(models[0]))
    assert "its inventory lists 'alpha-q4_k_m.gguf' 2 times" in refusal(release)


@pytest.mark.parametrize("name", ["Alpha-Q4_K_M.gguf", "alpha-q4_k_m\u200b.gguf", "\uff41lpha-q4_k_m.gguf"])
def test_models_that_differ_only_by_case_or_unicode_form_are_refused(name: str, release: Release) -> None:
    release.receipt("inventory-gx10.json")["models"][0]["file"] = name
    assert "only by case or Unicode form" in refusal(release)


LOOK_ALIKE = {
    "configuration": ["one user,128 in, 128 out", "One User, 128 in, 128 out", "one\u00a0user, 128 in, 128 out"],
    "metric": ["Decode_tok_per_sec", "decode_tok_per_sec\u200b", "decode\uff3ftok_per_sec"],
    "comparator": ["Llama.cpp", "llama .cpp"],
}


@pytest.mark.parametrize(("key", "value"), [(key, value) for key, values in LOOK_ALIKE.items() for value in values])
@pytest.mark.parametrize("claimed", [True, False])
def test_measurements_whose_terms_only_look_the_same_are_refused(
    key: str, value: str, claimed: bool, release: Release
) -> None:
    performance.claimed(release)
    if not claimed:
        release.rules = release.rules.replace(performance.RULES, "")
    row = release.documents[performance.RECEIPT]["rows"][2]
    if key == "comparator":
        row["comparator"]["name"] = value
    else:
        row[key] = value
    said = refusal(release)
    assert said.startswith(f"{FOLDER}/performance.json, rows[")
    assert f"{key}" in said
    assert "only by blanks, case or Unicode form" in said


def test_a_claim_and_its_measurement_say_one_configuration_in_one_way(release: Release) -> None:
    performance.rules(("one user, 128 in", "One user, 128 in"))(release)
    said = refusal(release)
    assert said.startswith(f"{FOLDER}/performance.json, rows[0]: the configuration 'one user, 128 in, 128 out' ")
    assert "'One user, 128 in, 128 out' stands in gate.toml" in said


def test_receipts_that_differ_only_by_case_are_refused(release: Release) -> None:
    release.documents[f"{FOLDER}/Lambda.json"] = header("taggate/run-receipt/v1", "lambda")
    assert "its name differs from" in refusal(release)


def test_a_receipt_in_capital_letters_is_read_too(release: Release) -> None:
    release.documents[f"{FOLDER}/more.JSON"] = "{"
    assert refusal(release).startswith(f"{FOLDER}/more.JSON, line 1, column 2: it is not JSON")


def test_a_folder_called_like_a_receipt_is_only_a_folder(release: Release) -> None:
    release.documents[f"{FOLDER}/more.json/own.json"] = header("taggate/run-receipt/v1", "lambda")
    assert len(read(release).receipts) == 6


def test_files_that_nothing_reads_are_named_and_evidence_is_not_among_them(release: Release) -> None:
    release.documents |= {f"{FOLDER}/logs/a.txt": "a", f"{FOLDER}/logs/b.txt": "b"}
    release.row("lambda", "alpha-q4_k_m.gguf")["evidence"] = {"path": "logs/a.txt", "sha256": "0" * 64}
    found = read(release)
    assert found.unread == (f"{FOLDER}/logs/b.txt",)
    assert set(found.evidence) == {f"{FOLDER}/logs/a.txt"}


@pytest.mark.parametrize("path", ["/etc/passwd", "../../../../../etc/passwd", "logs/../../../gate.toml", "none.txt"])
def test_evidence_outside_the_ledger_is_not_there(path: str, release: Release) -> None:
    release.row("lambda", "alpha-q4_k_m.gguf")["evidence"] = {"path": path, "sha256": "0" * 64}
    assert set(read(release).evidence.values()) == {None}


def test_an_unreadable_file_is_named() -> None:
    """As another user where the tests run as root, who reads everything."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        release = green(Path(folder))
        release.write()
        (release.folder / FOLDER / "lambda.json").chmod(0)
        found = rules.read(release.folder / "gate.toml")
        user = os.geteuid()
        try:
            if user == 0:
                os.seteuid(65534)
            with pytest.raises(BadFile, match=r"lambda\.json: it can't be read: Permission denied"):
                ledger.read(found, subject.Subject(VERSION, COMMIT, f"v{VERSION}", {}, None))
        finally:
            os.seteuid(user)


def test_the_real_ladders_are_read(real: Path) -> None:
    folder = real / "aprender/evidence/release/proof-0.69.0/models"
    for name, held, unidentified in (("lambda", 18, 10), ("gx10", 14, 6)):
        content = (folder / f"{name}.json").read_bytes()
        receipt = ledger.read_receipt(InputFile(f"{name}.json", "", content), json.loads(content))
        assert receipt.inventory is not None
        assert len(receipt.inventory.held) == held
        assert sum(item.sha256 is None for item in receipt.inventory.held) == unidentified
        assert len(receipt.runs) == 13
        assert sum(row.sha256 is None for row in receipt.runs) == 5
        assert receipt.binding.quarrels == ()


KEYS = st.sampled_from(
    ["schema", "host", "runs", "release", "measured_at", "models", "rows", "cells", "inventory", "verdict"]
)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
JSON = st.recursive(
    SCALARS, lambda x: st.lists(x, max_size=3) | st.dictionaries(KEYS | st.text(max_size=4), x, max_size=4)
)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.sampled_from(ledger.SCHEMAS), st.dictionaries(KEYS, JSON, max_size=6))
def test_no_document_crashes_a_reader(schema: str, document: dict[str, Any]) -> None:
    try:
        receipt = ledger.read_receipt(InputFile("x.json", "", b""), document | {"schema": schema})
    except GateError as refused:
        said = str(refused)
    else:
        said = receipt.file.path
    assert said.startswith("x.json")


@settings(deadline=None)
@given(st.data())
def test_no_mutant_of_a_row_passes_for_more_than_it_says(data: st.DataObject) -> None:
    """Whatever one value of a good row becomes, the reader refuses it or hands on that very value."""
    document = runs("lambda")
    document["runs"] = document["runs"][:1]
    key = data.draw(st.sampled_from(sorted(document["runs"][0])))
    value = data.draw(SCALARS)
    document["runs"][0][key] = value
    try:
        receipt = ledger.read_receipt(InputFile("x.json", "", b""), document)
    except BadFile:
        return
    (row,) = receipt.runs
    handed = {"exit_code": row.exit_code, "prompt_tokens": row.prompt_tokens, "answer_chars": row.answer_chars,
              "verdict": row.verdict, "verb": row.verb, "context": row.context, "thinking": row.thinking,
              "seconds": row.seconds, "reason": row.reason}  # fmt: skip
    if key in handed:
        assert handed[key] == value
        assert type(handed[key]) is type(value) or (key == "seconds" and type(value) is int)


def test_the_green_release_reads_the_same_from_any_file_order(tmp_path: Path) -> None:
    orders = []
    for name, reverse in (("a", False), ("b", True)):
        release = green(tmp_path / name)
        release.documents = dict(sorted(release.documents.items(), reverse=reverse))
        orders.append([(r.file.path, r.file.sha256, len(r.runs)) for r in read(release).receipts])
    assert orders[0] == orders[1]
