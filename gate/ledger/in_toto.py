"""in-toto test-result statements, plain or in a DSSE envelope: they come in through `gate ingest`.

What is taken for a pass: the result `PASSED`, at least one test that passed by name, and none that warned or failed.
`WARNED` and `FAILED` are no GO; a test that warned was not shown to pass, and its row says `skip`. A result that the
tests deny is a contradiction, and no GO; a test that is named twice is refused. `PASSED` without the name of a test
leaves open what passed: the receipt has no verdict.

The signatures of an envelope are **not verified**: the receipt says so and counts them. Verify them before, with the
keys that you trust. A subject's `gitCommit` is the commit that was tested, and so is the `sha1` of one that is called
`git+…` or has no other digest; an option that differs from it is refused.
"""

from __future__ import annotations

import base64
import binascii
from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from gate import strict_json
from gate.errors import BadFile
from gate.malformed import checked
from gate.subject import FULL_COMMIT

if TYPE_CHECKING:
    from gate.files import InputFile
    from gate.ledger.given import Given

FORMAT = "in-toto"
TAKES = ("version", "commit", "measured_at", "suite")

PAYLOAD_TYPE = "application/vnd.in-toto+json"
_RESULTS = {"passedTests": "pass", "warnedTests": "skip", "failedTests": "fail"}


class _Foreign(BaseModel):
    # The framework's parsing rules: a consumer ignores the fields that it doesn't know.
    model_config = ConfigDict(extra="allow", strict=True, frozen=True, defer_build=True)


class Envelope(_Foreign):
    """A DSSE envelope."""

    payload: str
    payloadType: Literal["application/vnd.in-toto+json"]  # noqa: N815 - the format's own name
    signatures: list[Any]


class Subject(_Foreign):
    """What was tested."""

    name: str | None = None
    uri: str | None = None
    digest: dict[str, str] = {}

    def commits(self) -> set[str]:
        """Return the commits that it names. Older producers call the digest of a git commit `sha1`."""
        git = any(text is not None and text.startswith("git+") for text in (self.name, self.uri))
        keys = {"gitCommit", "sha1"} if git or self.digest.keys() <= {"gitCommit", "sha1"} else {"gitCommit"}
        return {self.digest[key] for key in keys & self.digest.keys()}


class Predicate(_Foreign):
    """What a test run found."""

    result: Literal["PASSED", "WARNED", "FAILED"]
    passedTests: list[Annotated[str, Field(min_length=1)]] = []  # noqa: N815
    warnedTests: list[Annotated[str, Field(min_length=1)]] = []  # noqa: N815
    failedTests: list[Annotated[str, Field(min_length=1)]] = []  # noqa: N815


class Statement(_Foreign):
    """The statement."""

    type_: Literal["https://in-toto.io/Statement/v1", "https://in-toto.io/Statement/v0.1"] = Field(alias="_type")
    subject: Annotated[list[Subject], Field(min_length=1)]
    predicateType: Literal["https://in-toto.io/attestation/test-result/v0.1"]  # noqa: N815
    predicate: Predicate


def to_native(file: InputFile, given: Given) -> dict[str, Any]:
    """Return the native suite receipt that says what the statement in `file` says.

    Raises:
        BadFile: it is no such statement; the message names each place.
        CallersError: an option that the statement needs wasn't given.
    """
    document = strict_json.parse_file(file)
    left_out = {}
    signed = "without an envelope"
    if isinstance(document, dict) and "payloadType" in document:
        envelope = checked(Envelope, document, file.path)
        document = _payload(file, envelope)
        signed = "its signatures not verified"
        left_out["signatures that were not verified"] = len(envelope.signatures)
    statement = checked(Statement, document, file.path)
    predicate = statement.predicate
    _refuse_repeated(file, predicate)
    left_out |= {f"the field {name}": 1 for name in statement.model_extra or {}}
    left_out |= {f"predicate, the field {name}": 1 for name in predicate.model_extra or {}}
    contradictions = _contradictions(predicate)
    commit = _commit(file, statement, given)
    given.require("version", "measured_at", "suite", commit=commit)
    return {
        "schema": "taggate/suite-receipt/v1",
        "release": {"version": given.demand("version"), "commit": commit},
        "measured_at": given.demand("measured_at"),
        "producer": f"in-toto test-result, {signed}",
        "source": {"format": FORMAT, "sha256": file.sha256},
        "left_out": {what: count for what, count in left_out.items() if count},
        "contradictions": contradictions,
        "suite": given.demand("suite"),
        **_verdict(predicate, contradictions),
        "rows": [
            {"name": name, "result": result, "note": "passed with warnings" if result == "skip" else ""}
            for key, result in _RESULTS.items()
            for name in getattr(predicate, key)
        ],
    }


def _payload(file: InputFile, envelope: Envelope) -> Any:
    try:
        # DSSE allows both alphabets.
        content = base64.b64decode(envelope.payload.replace("-", "+").replace("_", "/"), validate=True)
        text = content.decode("utf-8")
    except (binascii.Error, ValueError):
        raise BadFile(file.path, "payload", "it is not the base64 of UTF-8 text") from None
    return strict_json.parse(text, file.path, "payload")


def _commit(file: InputFile, statement: Statement, given: Given) -> str | None:
    """Return the commit that was tested, as the statement's subjects name it, or else the option; None: neither."""
    named = {commit for subject in statement.subject for commit in subject.commits()}
    if not named:
        return given.commit
    if len(named) > 1:
        raise BadFile(file.path, "subject", f"it names {len(named)} commits, and a receipt has one")
    (commit,) = named
    if not FULL_COMMIT.fullmatch(commit):
        raise BadFile(file.path, "subject", f"{commit[:80]!r} is no full commit: 40 hex digits")
    if given.commit not in {None, commit}:
        raise BadFile(file.path, "subject", f"it says that {commit} was tested, and --commit says {given.commit}")
    return commit


def _contradictions(predicate: Predicate) -> list[str]:
    found = []
    for key, only in (("failedTests", {"FAILED"}), ("warnedTests", {"WARNED", "FAILED"})):
        if getattr(predicate, key) and predicate.result not in only:
            found.append(f"result is {predicate.result}, and {key} names {len(getattr(predicate, key))}")
    return found


def _refuse_repeated(file: InputFile, predicate: Predicate) -> None:
    names = Counter(name for key in _RESULTS for name in getattr(predicate, key))
    for name, count in names.items():
        if count > 1:
            raise BadFile(file.path, "predicate", f"the test {name[:80]!r} is named {count} times, and has one result")


def _verdict(predicate: Predicate, contradictions: list[str]) -> dict[str, str]:
    if predicate.result != "PASSED" or contradictions:
        return {"verdict": "no-go"}
    return {"verdict": "go"} if predicate.passedTests else {}
