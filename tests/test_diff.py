"""`gate diff`: what changed between two releases, each as its tag has it, in text and in JSON."""

from __future__ import annotations

import copy
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gate.check import Request, before, check
from gate.comparison import compare
from tests.falsifiers import shrink
from tests.falsifiers.shrink import ALPHA, BETA, HOSTS, RETIRE, replaced
from tests.release import BEFORE, DECLAIM, VERSION, Release, gate_here, git, preceded

SAMPLE = Path(__file__).parent.parent


def pair(release: Release, *, late: bool = False) -> Path:
    """Write the release and the one before it, each tagged at the commit that its receipts measured.

    `late`: its receipts are committed after that, and the tag is the commit that has them.
    """
    assert release.earlier is not None
    folder = release.folder
    git(folder, "init", "-q", "-b", "main")
    for each, version in ((release.earlier, BEFORE), (release, VERSION)):
        own = {path: found for path, found in each.documents.items() if not path.startswith(f"receipts/{version[0]}")}
        Release(folder, each.rules, each.claims, own).write()
        for path in each.deleted:
            (folder / path).unlink()
        head = tagged(folder, version)
        receipts = {path: found for path, found in each.documents.items() if path.startswith(f"receipts/{version}")}
        receipts.pop(f"receipts/{version}/release.toml", None)
        for document in receipts.values():
            document["release"]["commit"] = head
        Release(folder, each.rules, each.claims, receipts).write()
        if late:
            tagged(folder, version)
    return folder


def tagged(folder: Path, version: str) -> str:
    git(folder, "add", "-A", "--", ".", *([] if (folder / f"receipts/{version}").exists() else [":!receipts/0*"]))
    git(folder, "commit", "-qm", version, "--allow-empty")
    git(folder, "tag", "-f", f"v{version}")
    return git(folder, "rev-parse", "HEAD")


def differ(folder: Path, *arguments: str, a: str = BEFORE, b: str = VERSION) -> dict[str, Any]:
    done = gate_here(folder, "diff", a, b, "--format", "json", *arguments)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def said(folder: Path, a: str = BEFORE, b: str = VERSION) -> str:
    done = gate_here(folder, "diff", a, b)
    assert done.returncode == 0, done.stderr
    return done.stdout


def counts(difference: dict[str, Any]) -> dict[str, int]:
    return {name: count for name, count in difference["counts"].items() if count and name != "unchanged"}


def names(things: list[dict[str, Any]]) -> list[str]:
    return [thing["name"] for thing in things]


def drop(release: Release, version: str, keep: Callable[[Any], bool]) -> None:
    for host in HOSTS:
        rows = release.documents[f"receipts/{version}/{host}.json"]["runs"]
        rows[:] = [row for row in rows if keep(row)]


# ---------------------------------------------------------------- each release as it was


def test_two_equal_releases_differ_in_nothing(release: Release) -> None:
    preceded(release)
    folder = pair(release)
    difference = differ(folder)
    assert counts(difference) == {}
    assert difference["counts"]["unchanged"] == {"passed": 72}
    assert difference["before"]["rules_at"] == git(folder, "rev-parse", f"v{BEFORE}")
    assert difference["after"]["because"] is None
    assert said(folder).splitlines() == [
        "demo: 0.70.0 → 0.71.0",
        "0.70.0 conforms: 72 cells owed, 72 passed, 0 missing, 0 failed; 0 de-claimed.",
        "0.71.0 conforms: 72 cells owed, 72 passed, 0 missing, 0 failed; 0 de-claimed.",
        "",
        "Nothing differs.",
    ]


def test_both_are_judged_by_the_rules_at_their_tags_whatever_stands_there_today(release: Release) -> None:
    earlier = preceded(release)
    earlier.rules = earlier.rules.replace(', "code"]', "]")
    drop(earlier, BEFORE, lambda row: row["verb"] != "code")
    folder = pair(release)
    shutil.rmtree(folder / "shapes", ignore_errors=True)
    (folder / "gate.toml").write_text(release.rules.replace('"chat", ', ""))
    (folder / "claims.toml").write_text(DECLAIM)
    difference = differ(folder)
    assert counts(difference) == {"owed_for_the_first_time": 18}
    assert names(difference["added"]) == ["verb/code"]
    assert {c["after"] for c in difference["changes"]} == {"passed"}
    assert difference["decisions"] == {"added": [], "ended": [], "changed": []}


def test_without_a_tag_todays_rules_are_taken_and_both_outputs_say_so(release: Release) -> None:
    preceded(release)
    folder = pair(release)
    git(folder, "tag", "-d", f"v{BEFORE}")
    commit = git(folder, "rev-parse", "HEAD~1")
    # Without --earlier-commit nothing says which commit it is.
    assert gate_here(folder, "diff", BEFORE, VERSION).returncode == 2
    difference = differ(folder, "--earlier-commit", commit)
    assert difference["before"]["because"] == f"git has no tag v{BEFORE}"
    assert difference["before"]["rules_at"] is None
    done = gate_here(folder, "diff", BEFORE, VERSION, "--earlier-commit", commit)
    assert "By today's rules, because git has no tag v0.70.0." in " ".join(done.stdout.split())


def test_nothing_is_left_of_what_was_written_out_of_git(release: Release, monkeypatch: pytest.MonkeyPatch) -> None:
    preceded(release)
    folder = pair(release)
    scratch = folder.parent / f"{folder.name}-scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    differ(folder)
    assert list(scratch.iterdir()) == []
    assert git(folder, "status", "--porcelain").splitlines() == ["?? receipts/0.70.0/", "?? receipts/0.71.0/"]


def test_receipts_of_an_earlier_commit_stand_at_the_tag_as_they_did(release: Release) -> None:
    """Git is asked in the repository, where the rules that were written out of it are not."""
    release.rules += '\n[freshness]\nignore = ["receipts/**"]\n'
    preceded(release)
    folder = pair(release, late=True)
    difference = differ(folder)
    assert (counts(difference), difference["counts"]["unchanged"]) == ({}, {"passed": 72})
    (folder / f"receipts/{BEFORE}/gx10.json").write_text("{}")  # the tag's own are taken
    assert differ(folder)["before"]["receipts_at"] == git(folder, "rev-parse", f"v{BEFORE}")


def test_evidence_is_judged_at_the_tag(release: Release) -> None:
    earlier = preceded(release)
    folder = pair(release)
    log = "it ran"
    row = earlier.documents[f"receipts/{BEFORE}/lambda.json"]["runs"][0]
    row["evidence"] = {"path": "run.txt", "sha256": subprocess.run(
        ["sha256sum"], input=log, capture_output=True, text=True, check=True).stdout.split()[0]}  # fmt: skip
    earlier.documents[f"receipts/{BEFORE}/run.txt"] = log
    Release(folder, release.rules, documents={k: v for k, v in earlier.documents.items() if BEFORE in k}).write()
    assert counts(differ(folder)) == {}
    (folder / f"receipts/{BEFORE}/run.txt").write_text("it did not")
    assert counts(differ(folder)) == {"newly_passing": 1}


# ---------------------------------------------------------------- cells


def test_each_change_of_a_cell_is_called_what_it_is(release: Release) -> None:
    earlier = preceded(release)
    earlier.claims = DECLAIM.replace("0.72.0", VERSION)  # beta on gx10, 12 cells
    release.claims = DECLAIM.replace('"qwen35"', '"qwen3"').replace('"gx10"', '"gx10"\nverb = "code"')  # alpha, 6 cells
    rows = {
        version: (found, f"receipts/{version}/lambda.json")
        for version, found in ((BEFORE, earlier), (VERSION, release))
    }

    def row(version: str, index: int) -> Any:
        found, path = rows[version]
        return found.documents[path]["runs"][index]

    row(BEFORE, 0)["verdict"] = "fail"  # newly passing
    row(VERSION, 1)["verdict"] = "fail"  # newly failing
    row(VERSION, 3)["exit_code"] = 1  # newly failing
    gone = row(VERSION, 2)
    release.documents[rows[VERSION][1]]["runs"].remove(gone)  # newly missing
    difference = differ(pair(release))
    assert counts(difference) == {
        "newly_failing": 2, "newly_missing": 1, "newly_passing": 1, "newly_declaimed": 6, "claimed_again": 12,
    }  # fmt: skip
    assert difference["counts"]["unchanged"] == {"passed": 72 - 22}
    change = next(c for c in difference["changes"] if c["change"] == "newly missing")
    assert change == {
        "kind": "cell", "name": f"lambda/{ALPHA}/run/think-off/declared", "change": "newly missing",
        "before": "passed", "after": "missing", "host": "lambda", "model": ALPHA, "verb": "run", "thinking": "off",
        "context": "declared", "quant": "Q4_K_M",
    }  # fmt: skip
    text = said(release.folder)
    for line in (
        "    2  newly failing", "    1  newly missing", "    1  newly passing", "    6  newly de-claimed",
        "   12  claimed again, and passed", "       unchanged: 50 passed",
    ):  # fmt: skip
        assert line in text.splitlines()


def test_what_is_gone_and_what_is_new_is_told_with_every_cell(release: Release) -> None:
    earlier = preceded(release)
    shrink.without_model(BETA, "gx10")(release)
    release.earlier = earlier
    models = release.receipt("inventory-lambda.json")["models"]
    models.append(models[1] | {"file": "delta-q4_k_m.gguf", "sha256": "4" * 64})
    difference = differ(pair(release))
    assert counts(difference) == {"owed_for_the_first_time": 12, "no_longer_owed": 12}
    assert names(difference["added"]) == ["model/lambda/delta-q4_k_m.gguf"]
    assert names(difference["withdrawn"]) == [f"model/gx10/{BETA}"]
    assert difference["withdrawn"][0] == {
        "kind": "model", "name": f"model/gx10/{BETA}", "before": "owed", "after": "not in the inventory",
        "hosts": ["gx10"],
    }  # fmt: skip
    gone = [c for c in difference["changes"] if c["change"] == "no longer owed"]
    assert {(c["before"], c["after"], c["host"], c["model"]) for c in gone} == {("passed", None, "gx10", BETA)}
    new = [f["focus"] for f in difference["findings"]["new"]]
    assert new == [f"model/gx10/{BETA}"]  # red, since no decision gives it up
    text = said(release.folder)
    assert "   12  no longer owed; it was passed\n       gx10  12  beta-q4_k_m.gguf (12)\n" in text
    assert "   12  owed for the first time, and missing\n" in text
    assert f"    model/gx10/{BETA}: owed → not in the inventory; 12 cells\n" in text


def test_a_host_and_a_model_under_other_names_are_the_same_cells(release: Release) -> None:
    earlier = preceded(release)
    earlier.rules = earlier.rules.replace('id = "lambda"\naliases = ["lambda-vector"]', 'id = "lambda-vector"')
    earlier.rules = earlier.rules.replace('hosts = ["lambda"]', 'hosts = ["lambda-vector"]')
    for name in ("lambda.json", "inventory-lambda.json"):
        earlier.documents[f"receipts/{BEFORE}/{name}"]["host"] = "lambda-vector"
    for host in HOSTS:
        for model in earlier.documents[f"receipts/{BEFORE}/inventory-{host}.json"]["models"]:
            model["sha256"] = "9" * 64 if model["file"] == BETA else model["sha256"]
        for row in earlier.documents[f"receipts/{BEFORE}/{host}.json"]["runs"]:
            row["model"]["sha256"] = "9" * 64 if row["model"]["file"] == BETA else row["model"]["sha256"]
    difference = differ(pair(release))
    assert (counts(difference), difference["added"], difference["withdrawn"]) == ({}, [], [])


def test_a_run_without_the_thinking_axis_is_one_with_thinking_off(release: Release) -> None:
    earlier = preceded(release)
    earlier.rules = earlier.rules.replace("thinking = true", "")
    drop(earlier, BEFORE, lambda row: row["thinking"] == "off")
    difference = differ(pair(release))
    assert counts(difference) == {"owed_for_the_first_time": 24}
    assert {c["thinking"] for c in difference["changes"]} == {"on"}
    assert names(difference["added"]) == ["thinking/both modes"]
    back = differ(release.folder, a=VERSION, b=BEFORE)
    assert counts(back) == {"no_longer_owed": 24}
    assert names(back["withdrawn"]) == ["thinking/both modes"]


def test_kernels_and_tensor_shapes_are_told_as_cells_are(release: Release) -> None:
    shrink.kernels(release)
    shrink.conformance(release)
    earlier = preceded(release)
    earlier.documents[f"receipts/{BEFORE}/kernels-gx10.json"]["rows"][0]["verdict"] = "fail"
    release.receipt("conformance-lambda.json")["rows"].pop()
    difference = differ(pair(release))
    found = [(c["kind"], c["name"], c["change"]) for c in difference["changes"]]
    assert found == [
        ("kernel", "gx10/kernel/q4_k_gemv/Q4_K", "newly passing"),
        ("shape", "lambda/conformance/Q6_K/3584x1024", "newly missing"),
    ]
    assert [c["kernel"] for c in difference["changes"] if "kernel" in c] == ["q4_k_gemv"]


def test_every_vanished_thing_of_the_falsifiers_is_withdrawn_and_added_the_other_way(tmp_path: Path) -> None:
    """The pure comparison over two verdicts: what vanishes one way appears the other way."""
    release = shrink_release(tmp_path)
    later = check(Request(release.folder / "gate.toml", VERSION))
    earlier = before(later)
    assert earlier is not None
    found, back = compare(earlier, later), compare(later, earlier)
    assert [t.label for t in found.withdrawn] == [t.label for t in back.added]
    assert [t.label for t in found.added] == [t.label for t in back.withdrawn]
    assert [(t.was, t.now) for t in found.withdrawn] == [(t.now, t.was) for t in back.added]
    assert {t.label for t in found.withdrawn} >= {"host/gx10", "suite/dogfood", "constraint/speed", "verb/code"}


def shrink_release(folder: Path) -> Release:
    from tests.release import green

    release = green(folder)
    shrink.speed(release)
    shrink.without_host(release)
    replaced(release, ', "code"]', "]")
    replaced(release, 'suites = ["dogfood"]', "")
    shrink.no_file(release)
    release.write()
    return release


# ---------------------------------------------------------------- findings and decisions


def test_findings_of_anything_else_come_and_go(release: Release) -> None:
    earlier = preceded(release)
    earlier.documents[f"receipts/{BEFORE}/dogfood.json"]["verdict"] = "no-go"
    release.receipt("inventory-gx10.json")["gpu"]["name"] = "another"
    # Red in both, in the folder of each: neither new nor gone.
    for each, version in ((earlier, BEFORE), (release, VERSION)):
        each.documents[f"receipts/{version}/ladder.json"] = {
            "schema": "apr-model-ladder-receipt/v2", "host": "gx10", "version": f"apr {version} (fedcba987)",
            "apr_sha": "1" * 40, "cells": [], "release": {},
        }  # fmt: skip
    difference = differ(pair(release))
    assert [(f["shape"], f["focus"], f["property"]) for f in difference["findings"]["new"]] == [("host", "gx10", "gpu")]
    assert [(f["shape"], f["focus"], f["property"]) for f in difference["findings"]["gone"]] == [
        ("suite", "dogfood", "verdict")
    ]
    text = said(release.folder)
    assert "Newly red\n    gx10: " in text
    assert "No longer red\n    dogfood: The suite does not say GO." in text


def test_decisions_are_added_ended_and_changed(release: Release) -> None:
    earlier = preceded(release)
    earlier.claims = DECLAIM + DECLAIM.replace("beta-on-gx10", "old").replace('"gx10"', '"lambda"').replace(
        "0.72.0", VERSION
    )
    release.claims = DECLAIM.replace('"Correct, but slow."', '"Still slow."').replace("0.72.0", "0.73.0") + RETIRE
    release.claims += RETIRE.replace("no-code", "later").replace(f'"{VERSION}"', '"0.72.0"')
    replaced(release, ', "code"]', "]")
    difference = differ(pair(release))
    decisions = difference["decisions"]
    assert [(d["kind"], d["id"]) for d in decisions["added"]] == [("retire", "no-code")]
    assert [(d["kind"], d["id"]) for d in decisions["ended"]] == [("declaim", "old")]
    assert [(d["id"], d["changes"]) for d in decisions["changed"]] == [("beta-on-gx10", {
        "until": {"before": "0.72.0", "after": "0.73.0"},
        "why": {"before": "Correct, but slow.", "after": "Still slow."},
    })]  # fmt: skip
    text = said(release.folder)
    assert "Decisions added\n    retire no-code (#4711): Nobody used it.\n" in text
    assert "Decisions ended\n    declaim old (#4590): Correct, but slow.\n" in text
    assert (
        "Decisions changed\n    declaim beta-on-gx10 (#4590): until: 0.72.0 → 0.73.0; why: Correct, but slow. → Still slow.\n"
        in text
    )


def test_a_scope_and_a_known_failure_are_decisions_of_their_own_release(release: Release) -> None:
    scope = '[[scope]]\nrelease = "{}"\nname = "smoke"\nmodels = ["alpha*", "beta*"]\n'
    failure = '[[known_failure]]\nid = "think"\nmodel = "b"\nissue = 4666\nuntil = "{}"\nwhy = "Unclosed."\n'
    earlier = preceded(release)
    earlier.claims = scope.format(BEFORE) + failure.format(VERSION)
    release.claims = scope.format(VERSION).replace("smoke", "other") + failure.format(VERSION)
    decisions = differ(pair(release))["decisions"]
    assert [(d["kind"], d["id"]) for d in decisions["added"]] == [("scope", "other")]
    assert [(d["kind"], d["id"]) for d in decisions["ended"]] == [("known_failure", "think"), ("scope", "smoke")]


def test_text_from_outside_can_not_speak_to_the_terminal(release: Release) -> None:
    earlier = preceded(release)
    release.claims = ""
    earlier.claims = DECLAIM.replace("Correct, but slow.", "\\u202eRed \\t\\n [bold]green[/bold]")
    text = said(pair(release))
    assert "\u202e" not in text
    assert "Red [bold]green[/bold]" in text


# ---------------------------------------------------------------- the command


def test_the_sample_is_compared_in_both_outputs(tmp_path: Path) -> None:
    for name in ("gate.toml", "claims.toml", "receipts"):
        source = SAMPLE / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, tmp_path / name)
    difference = differ(tmp_path)
    assert counts(difference) == {"newly_missing": 60, "claimed_again": 56}
    assert [d["id"] for d in difference["decisions"]["ended"]] == ["qwen3-on-gb10"]
    assert difference["before"]["verdict"] == "conforms"
    assert difference["after"]["verdict"] == "refused"
    assert differ(tmp_path) == difference
    text = said(tmp_path, "v0.69.0", "v0.70.0")
    assert "  184  newly passing\n" in text
    assert len(text.splitlines()) < 50


def test_it_is_written_to_a_file_and_never_over_an_input(release: Release, tmp_path: Path) -> None:
    preceded(release)
    folder = pair(release)
    done = gate_here(folder, "diff", BEFORE, VERSION, "--format", "json", "--output", "difference.json")
    assert done.returncode == 0
    assert json.loads((folder / "difference.json").read_text())["schema"] == "taggate/difference/v1"
    assert done.stdout.startswith("demo: 0.70.0 → 0.71.0")
    for target in ("gate.toml", f"receipts/{BEFORE}/lambda.json", "receipts/new.json"):
        done = gate_here(folder, "diff", BEFORE, VERSION, "--output", target)
        assert (done.returncode, "is an input" in done.stderr) == (3, True)
    assert git(tmp_path, "status", "--porcelain", "gate.toml") == ""


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("1.x", VERSION), 3, "'1.x' is no tag of this project"),
        ((BEFORE, "0.99.0"), 2, "v0.99.0: nothing says which commit it is"),
        ((BEFORE, "0.99.0", "--commit", "1" * 40), 2, "receipts/0.99.0: there is no such folder"),
        ((BEFORE, VERSION, "--commit", "abc"), 3, "--commit: 'abc' is not a full commit"),
        ((BEFORE, VERSION, "--earlier-commit", "1" * 40), 3, "v0.70.0: its commit is not agreed on"),
        ((BEFORE,), 3, "Missing argument 'B'"),
        ((BEFORE, VERSION, "--rules", "nowhere.toml"), 3, "nowhere.toml: there is no such file"),
    ],
)
def test_what_can_not_be_compared_is_said(arguments: tuple[str, ...], code: int, words: str, release: Release) -> None:
    preceded(release)
    done = gate_here(pair(release), "diff", *arguments)
    assert (done.returncode, words in done.stderr) == (code, True), done.stderr


def test_the_judge_is_todays_and_the_projects_own_shapes_are_the_releases(release: Release) -> None:
    shrink.speed(release)
    earlier = preceded(release)
    earlier.documents["shapes/cell.ttl"] = (
        "@prefix gate: <https://w3id.org/taggate/ns#> .\ngate:Old gate:because gate:failed .\n"
    )
    release.deleted.append("shapes/cell.ttl")
    earlier.documents["shapes/speed.ttl"] = earlier.documents["shapes/speed.ttl"].replace("120.0", "10.0")
    difference = differ(pair(release))
    assert counts(difference) == {"newly_passing": 72}  # 41.2 s each
    assert names(difference["withdrawn"]) == ["constraint/https://example.org/shapes#Speed"]


def test_both_verdicts_are_the_ones_that_check_gives(release: Release) -> None:
    preceded(release)
    without_code = copy.deepcopy(release.rules).replace(', "code"]', "]")
    release.rules = without_code
    folder = pair(release)
    difference = differ(folder)
    assert difference["after"]["verdict"] == "refused"
    assert [f["focus"] for f in difference["findings"]["new"]] == ["verb/code"]
    assert gate_here(folder, "check", "--tag", VERSION).returncode == 1
