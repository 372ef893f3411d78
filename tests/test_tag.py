"""`gate tag`: a release that conforms gets an annotated tag that says so; any other gets none. With a real git."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest

from tests.release import NOW, VERSION, Release, gate_here, green
from tests.test_freshness import history
from tests.test_subject import git

TAG = f"v{VERSION}"
SLOW = """
@prefix gate: <https://w3id.org/taggate/ns#> . @prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix my: <https://example.org/shapes#> .
my:Fast a sh:PropertyShape ; sh:targetClass gate:CellRow ; sh:path gate:seconds ; sh:maxInclusive 0.001 ;
  sh:name "fast" ; sh:message "Too slow." .
"""


@pytest.fixture
def release(tmp_path: Path) -> Release:
    return green(tmp_path)


@pytest.fixture(autouse=True)
def _known_to_git(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    home = tmp_path_factory.mktemp("home")
    (home / ".gitconfig").write_text("[user]\nname = releaser\nemail = releaser@example.org\n", encoding="utf-8")
    monkeypatch.setenv("HOME", str(home))


def tags(folder: Path) -> list[str]:
    return git(folder, "tag", "--list").split()


def test_a_release_that_conforms_is_tagged_with_what_the_verdict_said(
    release: Release, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder, _ = history(release)
    kept = tmp_path_factory.mktemp("kept") / "verdict.json"
    done = gate_here(folder, "tag", VERSION, "--now", NOW, "--output", str(kept))
    assert done.returncode == 0, done.stderr
    assert f"{TAG} is cut, on commit {git(folder, 'rev-parse', 'HEAD')}." in done.stdout
    assert git(folder, "cat-file", "-t", TAG) == "tag"
    assert git(folder, "rev-parse", f"{TAG}^{{commit}}") == git(folder, "rev-parse", "HEAD")
    message = git(folder, "tag", "--list", "--format=%(contents)", TAG)
    assert message.startswith(
        f"demo {VERSION}\n\n72 cells owed: 72 passed, 0 missing, 0 failed; 0 de-claimed. Receipts: 5.\n"
    )
    digest = hashlib.sha256(kept.read_bytes()).hexdigest()
    assert (
        git(folder, "tag", "--list", "--format=%(contents:trailers:key=Gate-Verdict-SHA256,valueonly)", TAG).strip()
        == digest
    )
    assert json.loads(kept.read_text(encoding="utf-8"))["verdict"] == "conforms"


def test_a_refused_release_gets_no_tag(release: Release) -> None:
    release.row("gx10", "beta-q4_k_m.gguf")["verdict"] = "fail"
    folder, _ = history(release)
    done = gate_here(folder, "tag", VERSION, "--now", NOW)
    assert done.returncode == 1
    assert "REFUSED" in done.stdout
    assert tags(folder) == []


def test_a_tag_that_exists_is_never_cut_again(release: Release) -> None:
    folder, _ = history(release)
    git(folder, "tag", TAG)
    before = git(folder, "rev-parse", TAG)
    done = gate_here(folder, "tag", TAG, "--now", NOW)
    assert (done.returncode, git(folder, "rev-parse", TAG)) == (3, before)
    assert f"the tag {TAG} exists already" in done.stderr


def test_what_is_judged_is_what_the_commit_holds(release: Release) -> None:
    release.row("gx10", "beta-q4_k_m.gguf")["verdict"] = "fail"
    folder, _ = history(release)
    release.row("gx10", "beta-q4_k_m.gguf")["verdict"] = "pass"
    release.write()
    done = gate_here(folder, "tag", VERSION, "--now", NOW)
    assert (done.returncode, tags(folder)) == (1, [])
    git(folder, "commit", "-qam", "mended")
    assert gate_here(folder, "tag", VERSION, "--now", NOW).returncode == 0


@pytest.mark.parametrize("path", [f"receipts/{VERSION}/again.json", "shapes/own.ttl"])
def test_what_is_gone_from_the_work_tree_is_judged_all_the_same(path: str, release: Release) -> None:
    again = {k: v for k, v in release.receipt("gx10.json").items() if k != "runs"}
    row = release.row("gx10", "beta-q4_k_m.gguf") | {"verdict": "fail"}
    release.documents[path] = again | {"runs": [row]} if path.endswith(".json") else SLOW
    folder, _ = history(release)
    (folder / path).unlink()
    if path.startswith("shapes"):
        (folder / "shapes").rmdir()
    done = gate_here(folder, "tag", VERSION, "--now", NOW)
    assert (done.returncode, tags(folder)) == (1, []), done.stderr


def test_rules_may_lie_below_the_root(release: Release) -> None:
    top = release.folder
    release.folder = top / "ci"
    git(top.parent, "init", "-q", "-b", "main", str(top))
    history(release, below=True)
    (top / "gate.toml").write_text("no rules at all", encoding="utf-8")
    done = gate_here(top, "tag", VERSION, "--now", NOW, "--rules", "ci/gate.toml")
    assert done.returncode == 0, done.stderr
    assert tags(top) == [TAG]


def test_a_signed_tag_is_one_that_git_verifies(release: Release, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder, _ = history(release)
    keys = tmp_path_factory.mktemp("keys")
    os.system(f"ssh-keygen -q -t ed25519 -N '' -f {keys}/key")  # noqa: S605 - a folder of the test's own
    public = (keys / "key.pub").read_text(encoding="utf-8")
    (keys / "allowed").write_text(f"releaser@example.org {public}", encoding="utf-8")
    for key, value in (
        ("gpg.format", "ssh"),
        ("user.signingKey", f"{keys}/key.pub"),
        ("tag.gpgSign", "true"),
        ("gpg.ssh.allowedSignersFile", f"{keys}/allowed"),
    ):
        git(folder, "config", key, value)
    assert gate_here(folder, "tag", VERSION, "--now", NOW).returncode == 0
    assert git(folder, "verify-tag", TAG) == ""


def test_without_a_name_git_says_why_it_can_not_tag(release: Release, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, _ = history(release)
    git(folder, "config", "user.useConfigOnly", "true")
    monkeypatch.setenv("HOME", str(folder.parent / "nowhere"))
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    done = gate_here(folder, "tag", VERSION, "--now", NOW)
    assert (done.returncode, tags(folder)) == (3, [])
    assert "git can't tag it" in done.stderr


@pytest.mark.parametrize(
    ("tag", "words"),
    [("main", "is no tag of this project"), ("", "is no tag of this project"), ("v1", "is no tag of this project")],
)
def test_a_tag_that_is_no_version_is_the_callers_error(tag: str, words: str, release: Release) -> None:
    folder, _ = history(release)
    done = gate_here(folder, "tag", tag)
    assert done.returncode == 3
    assert words in done.stderr


def test_a_folder_without_a_repository_or_a_commit_is_declined(release: Release) -> None:
    del release.documents[f"receipts/{VERSION}/release.toml"]
    folder = release.write()
    assert gate_here(folder, "tag", VERSION).returncode == 2
    git(folder, "init", "-q", "-b", "main")
    done = gate_here(folder, "tag", VERSION)
    assert done.returncode == 2
    assert "there is no commit here that a tag could be put on" in done.stderr


def test_a_branch_of_the_same_name_is_no_tag(release: Release) -> None:
    folder, _ = history(release)
    git(folder, "branch", TAG, "HEAD~1")
    assert gate_here(folder, "tag", VERSION, "--now", NOW).returncode == 0
    assert git(folder, "rev-parse", f"refs/tags/{TAG}^{{commit}}") == git(folder, "rev-parse", "HEAD")


def test_head_is_called_head_where_another_commit_was_measured(release: Release) -> None:
    folder = release.write()  # release.toml names a commit of its own
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "receipts")
    done = gate_here(folder, "tag", VERSION, "--now", NOW)
    assert done.returncode == 3
    assert f"HEAD says {git(folder, 'rev-parse', 'HEAD').strip()}" in done.stderr
    assert "--commit names another than HEAD" in done.stderr
    assert tags(folder) == []
