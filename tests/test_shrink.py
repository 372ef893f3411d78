"""What a release owes is held against the release before it: from git where it has the tag, and said where it hasn't."""

from __future__ import annotations

import copy
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from gate import shape_files
from tests.falsifiers.shrink import ALPHA, BETA, HOSTS, RETIRE, no_code, replaced
from tests.release import BEFORE, COMMIT, DECLAIM, NOW, VERSION, Release, declaimed, gate_here, git, judged, preceded

GONE = {"verb/code"}


def named(verdict: dict[str, Any]) -> set[str]:
    """Return what vanished and no decision names."""
    return {f["focus"] for f in verdict["findings"] if f["shape"] == "shrink"}


def red(verdict: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [(f["focus"], f["property"], f["reason"]) for f in verdict["findings"] if f["severity"] == "violation"]


def ended(folder: Path, code: int, *arguments: str) -> str:
    """Return what `gate check` says where it ends with `code`."""
    done = gate_here(folder, "check", "--tag", VERSION, "--now", NOW, *arguments)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def without(release: Release, file: str, *hosts: str, version: str = VERSION) -> None:
    """Take a model out of the inventories, and all its rows."""
    for host in hosts:
        models = release.documents[f"receipts/{version}/inventory-{host}.json"]["models"]
        models[:] = [model for model in models if model["file"] != file]
        runs = release.documents[f"receipts/{version}/{host}.json"]["runs"]
        runs[:] = [run for run in runs if run["model"]["file"] != file]


def untagged(release: Release) -> Release:
    """Give the release one before it that git has no tag of, and return that one."""
    earlier = preceded(release)
    release.earlier = None
    release.documents |= {path: found for path, found in earlier.documents.items() if BEFORE in path}
    return Release(release.folder, release.rules, documents=release.documents)


def commit(folder: Path, tag: str | None = None) -> str:
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "x", "--allow-empty")
    if tag:
        git(folder, "tag", tag)
    return git(folder, "rev-parse", "HEAD")


def measure(release: Release, version: str) -> None:
    """Let the release's folder hold the receipts of another version too, as they are of this one."""
    for path, found in list(release.documents.items()):
        if path.startswith(f"receipts/{VERSION}/") and not path.endswith(".toml"):
            again = copy.deepcopy(found)
            again["release"]["version"] = version
            release.documents[path.replace(VERSION, version)] = again


# ---------------------------------------------------------------- what it is compared with


def test_without_a_release_before_there_is_nothing_to_compare(release: Release) -> None:
    verdict = judged(release.write())
    assert verdict["previous"] is None
    assert verdict["retired"] == []
    assert "Compared with" not in ended(release.folder, 0)


def test_an_equal_release_before_takes_nothing_away(release: Release) -> None:
    preceded(release)
    folder = release.write()
    verdict = judged(folder)
    assert verdict["exit"] == 0
    tag = git(folder, "rev-parse", f"v{BEFORE}")
    assert verdict["previous"] == {
        "version": BEFORE, "commit": tag, "rules_at": tag, "receipts_at": None, "because": None, "also": [],
    }  # fmt: skip
    assert "Compared with 0.70.0.\n" in ended(folder, 0)
    inputs = {entry["path"] for entry in verdict["inputs"]}
    assert {f"receipts/{BEFORE}/inventory-gx10.json", f"receipts/{VERSION}/inventory-gx10.json"} <= inputs


def test_rules_that_change_with_the_very_commit_that_is_tagged_are_held_against_the_tag_before(
    release: Release,
) -> None:
    preceded(release)
    replaced(release, ', "code"]', "]")
    del release.documents[f"receipts/{VERSION}/release.toml"]
    folder = release.write()
    head = commit(folder, f"v{VERSION}")
    for path, document in release.documents.items():
        if VERSION in path:
            document["release"]["commit"] = head
    release.earlier = None
    release.write()
    verdict = judged(folder)
    assert verdict["release"]["commit"] == head
    assert red(verdict) == [("verb/code", "decided", "vanished")]


def test_without_a_tag_todays_rules_stand_in_and_that_is_said(release: Release) -> None:
    untagged(release)
    replaced(release, ', "code"]', "]")
    verdict = judged(release.write())
    assert named(verdict) == set()
    assert verdict["previous"]["rules_at"] is None
    assert verdict["previous"]["because"] == f"git has no tag v{BEFORE}"
    assert "Compared with 0.70.0 by today's rules, because git has no tag v0.70.0." in ended(release.folder, 0)


def test_without_a_tag_what_was_measured_is_held_against_it_all_the_same(release: Release) -> None:
    untagged(release)
    without(release, BETA, *HOSTS)
    assert named(judged(release.write())) == {f"model/{BETA}"}


def test_without_a_tag_a_host_that_only_the_receipts_still_know_is_named(release: Release) -> None:
    untagged(release)
    replaced(release, '[[hosts]]\nid = "gx10"\ngpu = "NVIDIA GB10"\ncompute = "12.1"\n', "")
    for name in ("gx10.json", "inventory-gx10.json"):
        del release.documents[f"receipts/{VERSION}/{name}"]
    verdict = judged(release.write())
    assert named(verdict) == {"host/gx10"}
    (finding,) = (f for f in verdict["findings"] if f["shape"] == "shrink")
    assert finding["host"] == "gx10"
    assert finding["message"].endswith(
        "(it was: a required host; it is: no host of its own; owed by: 0.70.0; cells: 36)"
    )


def test_the_commit_that_the_release_file_names_has_the_rules_too(release: Release) -> None:
    preceded(release)
    replaced(release, ', "code"]', "]")
    folder = release.write()
    head = git(folder, "rev-parse", "HEAD")
    git(folder, "tag", "-d", f"v{BEFORE}")
    (folder / f"receipts/{BEFORE}/release.toml").write_text(f'version = "{BEFORE}"\ncommit = "{head}"\n')
    verdict = judged(folder)
    assert named(verdict) == GONE
    assert verdict["previous"]["rules_at"] == head


def test_a_version_that_was_refused_is_no_way_round_the_release_before_it(release: Release) -> None:
    preceded(release)
    replaced(release, ', "code"]', "]")
    measure(release, "0.70.9")
    verdict = judged(release.write())
    assert named(verdict) == GONE
    assert verdict["previous"]["version"] == BEFORE
    assert [also["version"] for also in verdict["previous"]["also"]] == ["0.70.9"]
    assert "Compared with 0.70.0; 0.70.9 by today's rules, because git has no tag v0.70.9." in ended(release.folder, 1)


def test_a_release_under_a_scope_is_no_measure_of_what_the_project_owes(release: Release) -> None:
    earlier = preceded(release)
    folder = release.write()
    commit(folder)
    # 0.70.1 ships under a scope, and measures one model alone.
    earlier.claims = f'[[scope]]\nrelease = "0.70.1"\nname = "smoke"\nmodels = ["{ALPHA}"]\n'
    measure(release, "0.70.1")
    without(release, BETA, *HOSTS, version="0.70.1")
    scoped = Release(
        folder, release.rules, earlier.claims, {k: v for k, v in release.documents.items() if "0.70.1" in k}
    )
    scoped.write()
    commit(folder, "v0.70.1")
    without(release, BETA, *HOSTS)
    release.earlier, release.claims = None, ""
    verdict = judged(release.write())
    assert verdict["previous"]["version"] == "0.70.1"
    assert [also["version"] for also in verdict["previous"]["also"]] == [BEFORE]
    assert named(verdict) == {f"model/{BETA}"}


def test_a_tag_that_leads_to_no_commit_is_named(release: Release) -> None:
    preceded(release)
    folder = release.write()
    git(folder, "tag", "-f", f"v{BEFORE}", git(folder, "rev-parse", "HEAD:gate.toml"))
    assert "v0.70.0 leads to no commit" in ended(folder, 3)


def test_a_project_in_a_folder_of_a_repository_is_compared_there(release: Release, tmp_path: Path) -> None:
    preceded(release)
    release.folder = release.earlier.folder = tmp_path / "below"  # type: ignore[union-attr]
    release.folder.mkdir()
    release.write()
    shutil.rmtree(release.folder / ".git")
    git(tmp_path, "init", "-q")
    commit(tmp_path, f"v{BEFORE}")
    replaced(release, ', "code"]', "]")
    release.earlier = None
    verdict = judged(release.write())
    assert named(verdict) == GONE
    assert verdict["previous"]["rules_at"] == git(tmp_path, "rev-parse", "HEAD")


def test_rules_that_moved_are_held_against_what_they_were(release: Release) -> None:
    preceded(release)
    folder = release.write()
    (folder / "ci").mkdir()
    git(folder, "mv", "gate.toml", "ci/gate.toml")
    shutil.move(folder / "receipts", folder / "ci/receipts")
    text = (folder / "ci/gate.toml").read_text()
    (folder / "ci/gate.toml").write_text(text.replace(', "code"]', "]"))
    done = gate_here(folder, "check", "--tag", VERSION, "--now", NOW, "--rules", "ci/gate.toml", "--format", "json")
    assert named(json.loads(done.stdout)) == GONE


def test_tags_that_are_spelled_anew_hide_nothing(release: Release) -> None:
    preceded(release)
    replaced(release, ', "code"]', "]")
    replaced(release, "[project]", '[project]\ntag = "release-{version}"')
    verdict = judged(release.write())
    assert named(verdict) == GONE
    assert verdict["previous"]["because"] is None


# ---------------------------------------------------------------- its receipts


def test_receipts_that_are_at_the_tag_alone_are_read_there(release: Release) -> None:
    preceded(release)
    without(release, BETA, "gx10")
    folder = release.write()
    shutil.rmtree(folder / f"receipts/{BEFORE}")
    verdict = judged(folder)
    assert named(verdict) == {f"model/gx10/{BETA}"}
    assert verdict["previous"]["receipts_at"] == verdict["previous"]["rules_at"]
    assert not [entry for entry in verdict["inputs"] if BEFORE in entry["path"]]


def test_receipts_that_were_changed_since_the_tag_are_those_of_the_tag(release: Release) -> None:
    earlier = preceded(release)
    folder = release.write()
    without(release, BETA, *HOSTS)
    without(earlier, BETA, *HOSTS, version=BEFORE)
    release.documents |= {path: found for path, found in earlier.documents.items() if BEFORE in path}
    release.earlier = None
    verdict = judged(release.write())
    assert named(verdict) == {f"model/{BETA}"}
    assert verdict["previous"]["receipts_at"] == git(folder, "rev-parse", f"v{BEFORE}")


def test_receipts_that_came_after_the_tag_are_todays(release: Release) -> None:
    earlier = preceded(release)
    late = {path: earlier.documents.pop(path) for path in list(earlier.documents) if "inventory" in path}
    release.documents |= late
    without(release, BETA, *HOSTS)
    verdict = judged(release.write())
    assert named(verdict) == {f"model/{BETA}"}
    assert verdict["previous"]["receipts_at"] is None


def test_receipts_that_are_gone_are_asked_for(release: Release) -> None:
    earlier = preceded(release)
    documents, earlier.documents = earlier.documents, {}
    release.documents |= {path: found for path, found in documents.items() if BEFORE in path}
    folder = release.write()
    commit(folder)
    git(folder, "rm", "-qr", f"receipts/{BEFORE}")
    commit(folder)
    said = ended(folder, 2)
    assert "0.71.0 can't be compared with 0.70.0" in said
    assert "git log --diff-filter=D" in said


def test_what_rows_rest_on_is_not_asked_of_the_release_before(release: Release) -> None:
    earlier = preceded(release)
    row = earlier.documents[f"receipts/{BEFORE}/lambda.json"]["runs"][0]
    row["evidence"] = {"path": "logs/run.txt", "sha256": "e" * 64}
    folder = release.write()
    shutil.rmtree(folder / f"receipts/{BEFORE}")
    assert judged(folder)["exit"] == 0


# ---------------------------------------------------------------- what can't be read


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("gate.toml", "gate.toml, line"),
        ("claims.toml", "claims.toml, line"),
        ("receipts/contexts.json", "receipts/contexts.json"),
        (f"receipts/{BEFORE}/lambda.json", f"receipts/{BEFORE}/lambda.json"),
    ],
)
def test_a_release_before_that_is_malformed_is_an_error_by_name(path: str, words: str, release: Release) -> None:
    earlier = preceded(release)
    if path == "gate.toml":
        earlier.rules = '[project]\nname = "demo"\n[cells\n'
    elif path == "claims.toml":
        earlier.claims = "[[declaim]]\nunknown = 1\n"
        release.claims = ""
    else:
        earlier.documents[path] = "{"
    folder = release.write()
    if BEFORE in path:
        (folder / path).unlink()
    said = ended(folder, 3)
    assert f"0.70.0, a release before this one, can't be read: {words}" in said
    assert said.count("\n") <= 3


def test_a_symbolic_link_at_the_tag_is_an_error_by_name(release: Release) -> None:
    preceded(release)
    release.folder.joinpath("claims.toml").symlink_to("/etc/hostname")
    folder = release.write()
    (folder / "claims.toml").unlink()
    assert "claims.toml at commit" in ended(folder, 3)


def test_a_decision_can_give_up_rules_that_can_not_be_read(release: Release) -> None:
    earlier = preceded(release)
    earlier.rules = "[project]\nname = 'demo'\n[old]\nformat = true\n"
    release.claims = RETIRE.replace('verb = "code"', 'rules = "gate.toml"')
    without(release, BETA, *HOSTS)
    verdict = judged(release.write())
    assert [retired["things"] for retired in verdict["retired"]] == [["rules/gate.toml"]]
    assert named(verdict) == {f"model/{BETA}"}  # what was measured is compared all the same
    assert verdict["previous"]["because"] == f"a decision gives up those of v{BEFORE}"


def test_such_a_decision_is_stale_where_the_rules_can_be_read(release: Release) -> None:
    preceded(release)
    replaced(release, ', "code"]', "]")
    release.claims = RETIRE.replace('verb = "code"', 'rules = "gate.toml"')
    verdict = judged(release.write())
    assert red(verdict) == [("verb/code", "decided", "vanished"), ("no-code", "names", "stale")]


def test_the_gates_own_shapes_of_another_version_are_no_projects(release: Release) -> None:
    earlier = preceded(release)
    text = (
        shape_files.own_folder() / "cell.ttl"
    ).read_text() + "gate:Older a <http://www.w3.org/ns/shacl#NodeShape> .\n"
    earlier.documents["shapes/cell.ttl"] = text
    release.deleted.append("shapes/cell.ttl")
    assert judged(release.write())["exit"] == 0


# ---------------------------------------------------------------- what is no shrinkage


def test_what_was_withdrawn_and_is_owed_again_has_not_vanished(release: Release) -> None:
    earlier = preceded(release)
    earlier.claims = DECLAIM.replace("0.72.0", VERSION)
    release.claims = ""
    assert judged(release.write())["exit"] == 0


def test_what_is_withdrawn_now_is_named_by_its_declaim(release: Release) -> None:
    preceded(release)
    declaimed(release)
    verdict = judged(release.write())
    assert (verdict["exit"], verdict["counts"]["cells"]["declaimed"]) == (0, 12)


def test_what_was_withdrawn_for_a_time_and_is_gone_for_good_is_named(release: Release) -> None:
    earlier = preceded(release)
    earlier.claims = release.claims = DECLAIM
    without(release, BETA, "gx10")
    verdict = judged(release.write())
    assert named(verdict) == {f"model/gx10/{BETA}"}


def test_more_than_before_is_no_shrinkage(release: Release) -> None:
    earlier = preceded(release)
    earlier.rules = release.rules.replace('"serve", "code"]', '"serve"]').replace("thinking = true", "")
    earlier.rules = earlier.rules.replace('[require]\nsuites = ["dogfood"]', "")
    without(earlier, BETA, "gx10", version=BEFORE)
    assert judged(release.write())["exit"] == 0


def test_a_host_under_another_name_and_a_model_of_other_bytes_are_the_same(release: Release) -> None:
    earlier = preceded(release)
    earlier.rules = earlier.rules.replace('id = "lambda"\naliases = ["lambda-vector"]', 'id = "lambda-vector"')
    earlier.rules = earlier.rules.replace('hosts = ["lambda"]', 'hosts = ["lambda-vector"]')
    for name in ("lambda.json", "inventory-lambda.json"):
        document = earlier.documents[f"receipts/{BEFORE}/{name}"]
        document["host"] = "lambda-vector"
    for host in HOSTS:
        models = earlier.documents[f"receipts/{BEFORE}/inventory-{host}.json"]["models"]
        next(m for m in models if m["file"] == BETA)["sha256"] = "9" * 64
    assert judged(release.write())["exit"] == 0


def test_two_models_of_one_name_are_not_renewed_by_one(release: Release) -> None:
    earlier = preceded(release)
    other = {"file": BETA, "sha256": "9" * 64, "arch": "qwen35", "quant": "Q4_K_M", "context_length": 16384,
             "template_markers": []}  # fmt: skip
    more = copy.deepcopy(earlier.documents[f"receipts/{BEFORE}/inventory-gx10.json"]) | {"models": [other]}
    earlier.documents[f"receipts/{BEFORE}/inventory-more.json"] = more
    verdict = judged(release.write())
    assert named(verdict) == {f"model/gx10/{BETA}@{'9' * 12}"}


def test_two_models_of_one_name_are_not_renewed_by_one_of_new_bytes(release: Release) -> None:
    earlier = preceded(release)
    found = earlier.documents[f"receipts/{BEFORE}/inventory-gx10.json"]["models"]
    model = next(m for m in found if m["file"] == BETA)
    other = copy.deepcopy(earlier.documents[f"receipts/{BEFORE}/inventory-gx10.json"]) | {
        "models": [model | {"sha256": "8" * 64}]
    }
    model["sha256"] = "9" * 64
    earlier.documents[f"receipts/{BEFORE}/inventory-more.json"] = other
    assert named(judged(release.write())) == {f"model/gx10/{BETA}@{'9' * 12}"}


# ---------------------------------------------------------------- what decisions name


def test_a_decision_names_what_is_gone_and_the_verdict_lists_it(release: Release) -> None:
    no_code(release)
    verdict = judged(release.write())
    assert verdict["exit"] == 0
    assert verdict["retired"] == [{
        "id": "no-code", "issue": 4711, "release": VERSION, "why": "Nobody used it.",
        "ruling": {"by": "release owner", "on": "2026-10-01", "words": "0.71 drops code."}, "things": ["verb/code"],
    }]  # fmt: skip
    said = ended(release.folder, 0)
    assert "Given up for good\n    1  no-code (#4711): Nobody used it.\n       verb/code\n" in said


@pytest.mark.parametrize(
    ("selectors", "left"),
    [
        (f'model = "{BETA}"', set()),
        ('arch = "qwen35"\nquant = "Q4*"', set()),
        (f'model = "beta*"\nhost = ["{HOSTS[0]}", "{HOSTS[1]}"]', set()),
        ('model = "beta*"\nhost = "lambda"', {f"model/gx10/{BETA}"}),
        ('model = "beta*"\nhost = "lambda-vector"', {f"model/gx10/{BETA}"}),
        ('host = "gx10"', {f"model/{BETA}"}),  # a host alone gives up no model
    ],
)
def test_a_decision_names_a_model_on_all_hosts_or_on_some(selectors: str, left: set[str], release: Release) -> None:
    preceded(release)
    without(release, BETA, *HOSTS)
    release.claims = RETIRE.replace('verb = "code"', selectors)
    verdict = judged(release.write())
    assert named(verdict) == left
    assert verdict["exit"] == bool(left)


def test_a_decision_stays_in_the_file_after_its_release(release: Release) -> None:
    no_code(release)
    replaced(release.earlier, ', "code"]', "]")  # type: ignore[arg-type]
    release.claims = RETIRE.replace(VERSION, BEFORE)
    assert judged(release.write())["exit"] == 0


def test_a_decision_of_another_release_gives_nothing_up_now(release: Release) -> None:
    no_code(release)
    for other in (BEFORE, "0.72.0", "0.71.1"):
        release.claims = RETIRE.replace(VERSION, other)
        assert red(judged(release.write())) == [("verb/code", "decided", "vanished")]
        git(release.folder, "tag", "-d", f"v{BEFORE}")


def test_a_candidate_is_under_the_decision_of_its_release(release: Release) -> None:
    no_code(release)
    folder = release.write()
    shutil.copytree(folder / f"receipts/{VERSION}", folder / f"receipts/{VERSION}-rc.1")
    for path in (folder / f"receipts/{VERSION}-rc.1").iterdir():
        path.write_text(path.read_text().replace(VERSION, f"{VERSION}-rc.1"))
    done = gate_here(folder, "check", "--tag", f"{VERSION}-rc.1", "--now", NOW)
    assert done.returncode == 0, done.stdout
    # ... and the next candidate after one without it is, too.
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "x")
    shutil.copytree(folder / f"receipts/{VERSION}-rc.1", folder / f"receipts/{VERSION}-rc.2")
    for path in (folder / f"receipts/{VERSION}-rc.2").iterdir():
        path.write_text(path.read_text().replace("rc.1", "rc.2"))
    done = gate_here(folder, "check", "--tag", f"{VERSION}-rc.2", "--now", NOW, "--format", "json")
    verdict = json.loads(done.stdout)
    assert verdict["exit"] == 0
    assert [verdict["previous"]["version"], *(also["version"] for also in verdict["previous"]["also"])] == [
        BEFORE,
        f"{VERSION}-rc.1",
    ]


def test_a_decision_since_the_last_tag_counts_for_the_version_that_is_cut_after_all(release: Release) -> None:
    """0.70.9 drops the verb with a decision, and is never cut: 0.71.0 follows 0.70.0, and the decision stands."""
    no_code(release)
    release.claims = RETIRE.replace(VERSION, "0.70.9")
    measure(release, "0.70.9")
    verdict = judged(release.write())
    assert verdict["exit"] == 0
    assert [retired["id"] for retired in verdict["retired"]] == ["no-code"]


def test_such_a_decision_gives_nothing_up_that_the_version_in_between_still_owed(release: Release) -> None:
    preceded(release)
    measure(release, "0.70.9")
    replaced(release, ', "code"]', "]")
    release.claims = RETIRE.replace(VERSION, "0.70.9")
    folder = release.write()
    # The rules of 0.70.9 are known by the commit that its release.toml names: it owed the verb.
    head = git(folder, "rev-parse", "HEAD")
    (folder / "receipts/0.70.9/release.toml").write_text(f'version = "0.70.9"\ncommit = "{head}"\n')
    assert red(judged(folder)) == [("verb/code", "decided", "vanished")]


def test_what_is_gone_is_in_the_graph(release: Release) -> None:
    no_code(release)
    done = gate_here(release.write(), "graph", "--tag", VERSION)
    assert f"<https://w3id.org/taggate/release/{VERSION}/vanished/verb/code> a gate:Vanished ;" in done.stdout


def test_a_decision_that_names_nothing_or_is_misspelt_is_the_callers_error(release: Release) -> None:
    for claims, words in (
        (RETIRE.replace('verb = "code"', ""), "names nothing that is given up"),
        (RETIRE.replace('verb = "code"', 'verbs = "code"'), "'verb' is meant?"),
        (RETIRE.replace('verb = "code"', 'verb = "*"'), "matches everything"),
        (RETIRE.replace(f'"{VERSION}"', '"next"'), "semantic version"),
        (RETIRE + RETIRE, "two decisions have the id 'no-code'"),
    ):
        release.claims = claims
        assert words in ended(release.write(), 3)


def test_the_commit_of_the_subject_is_none_of_the_comparison(release: Release) -> None:
    no_code(release)
    assert judged(release.write(), "--commit", COMMIT)["exit"] == 0
