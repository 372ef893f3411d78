"""`gate ingest in-toto`: a statement goes only if its tests agree, and nobody verified its signatures."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from gate import ledger
from gate.errors import BadFile, CallersError
from gate.ledger import in_toto
from gate.ledger.given import Given
from tests.foreign import AT, text
from tests.release import COMMIT, OTHER_COMMIT, VERSION

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
