"""A receipt of an earlier commit stands only where git shows that nothing but ignored paths differs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.release import NOW, RULES, VERSION, Release
from tests.release import gate_here as gate
from tests.test_subject import git

IGNORE = '\n[freshness]\nignore = ["receipts/**"]\n'


def history(release: Release, *, rules: str = RULES + IGNORE, below: bool = False) -> tuple[Path, str]:
    """Commit the rules and a source file, measure that commit, and commit the receipts after it.

    `below` says that the release lies below the root of a repository that is there.
    """
    release.rules = rules
    del release.documents[f"receipts/{VERSION}/release.toml"]
    documents, release.documents = release.documents, {"src/engine.c": "int main;"}
    folder = release.write()
    if not below:
        git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "the product")
    measured = git(folder, "rev-parse", "HEAD")
    for document in documents.values():
        if "release" in document:
            document["release"]["commit"] = measured
    release.documents = documents
    release.write()
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "its receipts")
    return folder, measured


def verdict(folder: Path, code: int, commit: str | None = None) -> dict[str, Any]:
    done = gate(
        folder,
        "check",
        "--tag",
        VERSION,
        "--now",
        NOW,
        "--format",
        "json",
        "--commit",
        commit or git(folder, "rev-parse", "HEAD"),
    )
    assert done.returncode == code, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def stale(found: dict[str, Any]) -> set[str]:
    return {f["message"] for f in found["findings"] if f["reason"] == "stale"}


def test_receipts_committed_after_what_they_measured_stand(release: Release) -> None:
    folder, measured = history(release)
    found = verdict(folder, 0)
    assert found["counts"]["cells"]["passed"] == 72
    notes = gate(folder, "notes", "--tag", VERSION, "--commit", git(folder, "rev-parse", "HEAD")).stdout
    assert measured in notes
    assert "`receipts/0.71.0/lambda.json`" in notes


def test_without_the_rule_they_are_stale(release: Release) -> None:
    folder, _ = history(release, rules=RULES)
    assert len({f["focus"] for f in verdict(folder, 1)["findings"]}) == 72 + 2 + 1


def test_one_other_path_makes_them_stale_and_is_named(release: Release) -> None:
    folder, _ = history(release)
    (folder / "src/engine.c").write_text("int main = 1;")
    git(folder, "commit", "-qam", "a late fix")
    assert all("src/engine.c differs since, and isn't ignored" in words for words in stale(verdict(folder, 1)))


@pytest.mark.parametrize("change", ["rename", "delete", "mode", "add", "revert"])
def test_every_kind_of_difference_counts(change: str, release: Release) -> None:
    folder, _ = history(release)
    source = folder / "src/engine.c"
    if change == "rename":
        source.rename(folder / "receipts/engine.c")
    elif change == "delete":
        source.unlink()
    elif change == "mode":
        source.chmod(0o755)
    elif change == "add":
        (folder / "src/receipts").mkdir()
        (folder / "src/receipts/new.c").write_text("x")
    else:
        source.write_text("x")
        git(folder, "commit", "-qam", "there")
        source.write_text("int main;")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "a change")
    verdict(folder, 0 if change == "revert" else 1)


def test_a_commit_that_is_no_ancestor_does_not_stand(release: Release) -> None:
    folder, measured = history(release)
    git(folder, "checkout", "-q", "--orphan", "other")
    git(folder, "commit", "-qm", "the same tree, another history")
    assert all(f"{measured} is no ancestor" in words for words in stale(verdict(folder, 1)))


def test_an_unknown_commit_a_shallow_clone_and_no_history_are_stale_with_the_reason(
    release: Release, tmp_path: Path
) -> None:
    folder, measured = history(release)
    head = git(folder, "rev-parse", "HEAD")
    assert all("git knows no commit " + "1" * 40 in words for words in stale(verdict(folder, 1, "1" * 40)))
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{folder}", "shallow")
    assert all("the clone is shallow" in words for words in stale(verdict(tmp_path / "shallow", 1, head)))
    (folder / ".git").rename(tmp_path / "history")
    assert all("there is no git history to ask" in words for words in stale(verdict(folder, 1, head)))
    assert measured != head


def test_another_version_never_stands(release: Release) -> None:
    folder, _ = history(release)
    path = folder / f"receipts/{VERSION}/lambda.json"
    document = json.loads(path.read_text())
    document["release"]["version"] = "0.70.0"
    path.write_text(json.dumps(document))
    git(folder, "commit", "-qam", "inherited")
    found = verdict(folder, 1)
    assert {f["host"] for f in found["findings"]} == {"lambda"}


@pytest.mark.parametrize("glob", ["**", "*", "**/*", "/etc/**", "../**", ":(top)", "!x", "."])
def test_what_would_ignore_everything_is_refused(glob: str, release: Release) -> None:
    release.rules = RULES + f'\n[freshness]\nignore = ["{glob}"]\n'
    done = gate(release.write(), "check", "--tag", VERSION)
    assert done.returncode == 3
    assert "freshness.ignore[0]" in done.stderr


def test_a_replaced_commit_is_not_taken_for_the_one_that_it_replaces(release: Release) -> None:
    folder, measured = history(release)
    (folder / "src/engine.c").write_text("int main = 1;")
    git(folder, "commit", "-qam", "a late fix")
    fixed = git(folder, "rev-parse", "HEAD")
    git(folder, "replace", fixed, git(folder, "rev-parse", "HEAD~1"))
    verdict(folder, 1, fixed)
    assert measured
