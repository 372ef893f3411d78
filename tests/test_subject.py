"""The subject: every source of the commit, with a real git repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from gate import rules, subject
from gate.errors import CallersError, Declined
from tests.release import COMMIT, OTHER_COMMIT, RULES, VERSION, Release, git


def repository(release: Release, *, tag: str | None = f"v{VERSION}", named: bool = False) -> tuple[rules.Rules, str]:
    """Commit the release to a repository of its own; `named`: keep release.toml's commit."""
    if not named:
        del release.documents[f"receipts/{VERSION}/release.toml"]
    folder = release.write()
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "x")
    if tag is not None:
        git(folder, "tag", "-a", tag, "-m", tag)
    return rules.read(folder / "gate.toml"), git(folder, "rev-parse", "HEAD")


@pytest.mark.parametrize("tag", [f"v{VERSION}", VERSION])
def test_a_tag_or_a_bare_version_names_the_release(tag: str, release: Release) -> None:
    found = subject.find(rules.read(release.write() / "gate.toml"), tag, None)
    assert (found.version, found.commit, found.tag) == (VERSION, COMMIT, f"v{VERSION}")


def test_a_candidate_is_a_release_of_its_own(release: Release) -> None:
    read = rules.read(release.write() / "gate.toml")
    assert subject.find(read, f"v{VERSION}-rc.1", COMMIT).version == f"{VERSION}-rc.1"
    with pytest.raises(Declined, match="nothing says which commit it is"):
        subject.find(read, f"v{VERSION}-rc.1", None)


def test_git_says_the_commit_where_the_tag_exists(release: Release) -> None:
    read, head = repository(release)
    assert subject.find(read, VERSION, None).commit == head
    assert subject.find(read, VERSION, head).commit == head


def test_a_branch_of_the_same_name_is_not_the_tag(release: Release) -> None:
    read, _ = repository(release, tag=None)
    git(read.folder, "branch", f"v{VERSION}")
    with pytest.raises(Declined, match="nothing says which commit it is"):
        subject.find(read, VERSION, None)


def test_a_tag_wins_over_a_branch_of_the_same_name(release: Release) -> None:
    read, head = repository(release)
    git(read.folder, "commit", "-q", "--allow-empty", "-m", "later")
    git(read.folder, "branch", f"v{VERSION}")
    assert subject.find(read, VERSION, None).commit == head


def test_a_lightweight_tag_names_its_commit(release: Release) -> None:
    read, head = repository(release, tag=None)
    git(read.folder, "tag", f"v{VERSION}")
    assert subject.find(read, VERSION, None).commit == head


def test_a_tag_of_no_commit_is_the_callers_error(release: Release) -> None:
    read, _ = repository(release, tag=None)
    blob = git(read.folder, "hash-object", "-w", "gate.toml")
    git(read.folder, "tag", f"v{VERSION}", blob)
    with pytest.raises(CallersError, match="leads to no commit"):
        subject.find(read, VERSION, None)


def test_sources_that_disagree_are_named(release: Release) -> None:
    read, head = repository(release, named=True)
    with pytest.raises(CallersError) as refused:
        subject.find(read, VERSION, None)
    assert f"the git tag v{VERSION} says {head}" in str(refused.value)
    assert f"receipts/{VERSION}/release.toml says {COMMIT}" in str(refused.value)
    with pytest.raises(CallersError, match="--commit says"):
        subject.find(read, VERSION, OTHER_COMMIT)


def test_release_toml_and_the_flag_must_agree_without_git(release: Release) -> None:
    read = rules.read(release.write() / "gate.toml")
    assert subject.find(read, VERSION, COMMIT).commit == COMMIT
    with pytest.raises(CallersError, match="not agreed on"):
        subject.find(read, VERSION, OTHER_COMMIT)


@pytest.mark.parametrize(
    "commit", ["c0ffee", COMMIT[:39], COMMIT + "0", COMMIT.upper(), "g" * 40, "", f" {COMMIT}", "HEAD"]
)
def test_a_short_or_odd_commit_is_refused_and_never_matched(commit: str, release: Release) -> None:
    read = rules.read(release.write() / "gate.toml")
    with pytest.raises(CallersError, match="is not a full commit"):
        subject.find(read, VERSION, commit)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f'version = "0.70.0"\ncommit = "{COMMIT}"\n', "it says 0.70.0, and stands in the folder of 0.71.0"),
        (f'version = "{VERSION}"\ncommit = "c0ffee"\n', "release.toml, line 2, commit"),
        (f'version = "{VERSION}"\n', "commit: the key is missing"),
        (
            f'version = "{VERSION}"\ncommit = "{COMMIT}"\nbinaries = {{ lamda = "{"0" * 64}" }}',
            "no rule knows this host",
        ),
        (f'version = "{VERSION}"\ncommit = "{COMMIT}"\ncomit = "x"\n', "'commit' is meant?"),
    ],
)
def test_a_malformed_release_file_is_the_callers_error(text: str, said: str, release: Release) -> None:
    release.documents[f"receipts/{VERSION}/release.toml"] = text
    with pytest.raises(CallersError) as refused:
        subject.find(rules.read(release.write() / "gate.toml"), VERSION, None)
    assert said in str(refused.value)


def test_a_broken_repository_is_a_decline_and_not_silence(release: Release) -> None:
    read, _ = repository(release)
    (read.folder / ".git" / "config").write_text("[core\n")
    with pytest.raises(Declined, match="a git repository that can't be asked"):
        subject.find(read, VERSION, COMMIT)


def test_the_environment_of_a_hook_does_not_point_git_elsewhere(release: Release, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:  # fmt: skip
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    git(elsewhere, "init", "-q")
    read, head = repository(release)
    monkeypatch.setenv("GIT_DIR", str(elsewhere / ".git"))
    assert subject.find(read, VERSION, None).commit == head


def test_without_git_the_other_sources_serve(release: Release, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    assert subject.find(rules.read(release.write() / "gate.toml"), VERSION, None).commit == COMMIT


def test_another_pattern_of_tags(release: Release) -> None:
    release.rules = RULES.replace('name = "demo"', 'name = "demo"\ntag = "demo-{version}"')
    read = rules.read(release.write() / "gate.toml")
    assert subject.find(read, f"demo-{VERSION}", None).tag == f"demo-{VERSION}"
    with pytest.raises(CallersError, match="is no tag of this project"):
        subject.find(read, f"v{VERSION}", None)
