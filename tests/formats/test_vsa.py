"""The verification summary: read by in-toto's own classes, about the very bytes of the artifacts, and no greener than the verdict."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import json_format
from in_toto_attestation.predicates.vsa.v1.vsa_pb2 import VerificationSummary
from in_toto_attestation.v1 import statement, statement_pb2
from in_toto_attestation.v1.resource_descriptor import ResourceDescriptor

from gate.reporting.formats import Artifact, Setting, render
from gate.verdict import Verdict
from tests.falsifiers.falsifier import judge
from tests.formats.conftest import RELEASES
from tests.formats.shipped import shipped
from tests.release import BINARY, NOW, VERSION, Release, gate_here

CHECK = ("check", "--tag", VERSION, "--now", NOW)
EXTENSION = "https://w3id.org/taggate/verdict/v1"


def parsed(text: str) -> statement.Statement:
    """Return the statement as in-toto has it, valid by its own rules."""
    found = statement.Statement.copy_from_pb(json_format.Parse(text, statement_pb2.Statement()))
    found.validate()
    return found


def predicate(text: str) -> dict[str, Any]:
    assert parsed(text).pb.predicate_type == "https://slsa.dev/verification_summary/v1"
    return dict(json_format.MessageToDict(parsed(text).pb)["predicate"])


def vsa(verdict: Verdict, *artifacts: Artifact) -> str:
    return render("vsa", verdict, Setting(artifacts=artifacts or (Artifact("demo.tar.gz", "d" * 64),)))


@pytest.mark.parametrize("release", RELEASES)
def test_in_totos_own_classes_read_it(release: str, verdicts: dict[str, Verdict]) -> None:
    verdict = verdicts[release]
    found = predicate(vsa(verdict))
    levels = found.pop("verifiedLevels")  # an array by the specification; a string in the binding's message of 0.9
    assert levels == (["SLSA_BUILD_LEVEL_UNEVALUATED", "TAGGATE_CONFORMS"] if verdict.conforms else ["FAILED"])
    summary = json_format.ParseDict(found, VerificationSummary(), ignore_unknown_fields=True)
    assert summary.verification_result == ("PASSED" if verdict.conforms else "FAILED")
    assert summary.verifier.id == "https://w3id.org/taggate"
    assert summary.resource_uri == f"git+https://github.com/paiml/aprender@refs/tags/v{verdict.version}"
    inputs = dict(verdict.inputs)
    assert dict(summary.policy.digest) == {"sha256": inputs["gate.toml"]}
    assert summary.policy.uri == "git+https://github.com/paiml/aprender#gate.toml"
    for descriptor in found["inputAttestations"]:
        ResourceDescriptor(uri=descriptor["uri"], digest=descriptor["digest"]).validate()


def test_every_input_that_is_no_policy_is_an_attestation(verdicts: dict[str, Verdict]) -> None:
    verdict = verdicts["0.70.0"]
    found = {d["uri"].partition("#")[2]: d["digest"]["sha256"] for d in predicate(vsa(verdict))["inputAttestations"]}
    wanted = {
        path: sha for path, sha in verdict.inputs if path != "gate.toml" and not path.startswith("taggate/shapes/")
    }
    assert found == wanted
    assert {path for path in wanted if path.startswith("receipts/0.70.0/")} >= {"receipts/0.70.0/runs-gx10.jsonl"}


def test_the_extension_says_what_the_verdict_says(verdicts: dict[str, Verdict]) -> None:
    for verdict in verdicts.values():
        document = verdict.to_json()
        extension = json.loads(vsa(verdict))["predicate"][EXTENSION]
        assert extension == {
            key: document[key] for key in ("schema", "verdict", "release", "evaluated_at", "scope", "counts", "inputs")
        }


def test_a_narrowed_gate_is_another_level(release: Release) -> None:
    verdict, _ = judge(shipped(release).write())
    found = predicate(vsa(verdict))
    assert found["verificationResult"] == "PASSED"
    assert found["verifiedLevels"] == ["SLSA_BUILD_LEVEL_UNEVALUATED", "TAGGATE_CONFORMS_UNDER_SCOPE"]
    assert found[EXTENSION]["scope"]["name"] == "smoke"


def test_an_artifact_that_was_measured_names_its_hosts_and_no_other_does(release: Release) -> None:
    verdict, _ = judge(release.write())
    text = vsa(verdict, Artifact("demo", BINARY["gx10"]), Artifact("demo.tar.gz", "d" * 64))
    first, second = json.loads(text)["subject"]
    assert first["annotations"] == {"measuredOn": ["gx10"]}
    assert "annotations" not in second
    assert len(parsed(text).pb.subject) == 2


def test_without_a_repository_the_resource_is_a_package(release: Release) -> None:
    release.rules = release.rules.replace('repository = "https://example.org/demo"', "")
    verdict, _ = judge(release.write())
    found = predicate(vsa(verdict))
    assert found["resourceUri"] == f"pkg:generic/demo@{VERSION}"
    assert found["policy"]["uri"] == "gate.toml"


def test_the_subjects_are_the_very_files(release: Release) -> None:
    folder = release.write()
    files = {"dist/demo.tar.gz": b"x" * 3_000_000, "dist/a/tool": b"a", "dist/b/tool": b"b"}
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    done = gate_here(folder, *CHECK, "--format", "vsa", *(x for name in files for x in ("--artifact", name)))
    assert done.returncode == 0, done.stderr
    subjects = {s.name: dict(s.digest) for s in parsed(done.stdout).pb.subject}
    assert subjects == {
        name: {"sha256": hashlib.sha256(files[path]).hexdigest()}
        for name, path in (
            ("demo.tar.gz", "dist/demo.tar.gz"),
            ("dist/a/tool", "dist/a/tool"),
            ("dist/b/tool", "dist/b/tool"),
        )
    }


def test_a_refused_release_gets_a_summary_that_says_failed(release: Release) -> None:
    release.receipt("lambda.json")["runs"].pop()
    folder = release.write()
    (folder / "demo").write_text("x")
    done = gate_here(folder, *CHECK, "--format", "vsa", "--artifact", "demo")
    assert done.returncode == 1
    assert predicate(done.stdout)["verificationResult"] == "FAILED"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--format", "vsa"], "--format vsa: name each file that the release ships with --artifact FILE"),
        (["--artifact", "demo"], "--artifact: only --format vsa has a use for it"),
        (["--format", "json", "--artifact", "demo"], "--artifact: only --format vsa has a use for it"),
        (["--format", "vsa", "--artifact", "none"], "none: there is no such file"),
        (["--format", "vsa", "--artifact", "receipts"], "receipts: it is not a regular file"),
        (["--format", "vsa", "--artifact", "demo", "--artifact", "./demo"], "--artifact: demo is given more than once"),
        (["--format", "vsa=demo", "--artifact", "demo"], "--format: demo is an artifact; write elsewhere"),
    ],
)
def test_what_makes_no_statement_ends_with_3(arguments: list[str], said: str, release: Release) -> None:
    folder = release.write()
    (folder / "demo").write_text("x")
    done = gate_here(folder, *CHECK, *arguments)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith(f"gate: {said}")
    assert (folder / "demo").read_text() == "x"


def test_an_artifact_is_never_taken_for_an_earlier_verdict(release: Release, tmp_path: Path) -> None:
    folder = release.write()
    assert gate_here(folder, *CHECK, "--format", "json=verdict.json").returncode == 0
    shipped_text = (folder / "verdict.json").read_text()
    done = gate_here(
        folder, *CHECK, "--format", "vsa=vsa.json", "--format", "json=verdict.json", "--artifact", "verdict.json"
    )
    assert done.returncode == 3
    assert (tmp_path / "verdict.json").read_text() == shipped_text
