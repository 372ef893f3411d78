"""The gate as a git hook: real pushes to a real bare repository, judged from what is pushed."""

from __future__ import annotations

import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.release import RULES, VERSION, Release, gate_here, green
from tests.test_freshness import IGNORE, history
from tests.test_subject import git

TAG = f"v{VERSION}"
CELL = "gx10/beta-q4_k_m.gguf/run/think-off/4k"


@pytest.fixture(autouse=True)
def _known_to_git(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    home = tmp_path_factory.mktemp("home")
    (home / ".gitconfig").write_text("[user]\nname = pusher\nemail = pusher@example.org\n", encoding="utf-8")
    monkeypatch.setenv("HOME", str(home))


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A repository that is pushed to, whose hook judges."""
    folder = tmp_path / "bare.git"
    git(tmp_path, "init", "-q", "--bare", "-b", "main", str(folder))
    done = gate_here(folder, "hook", "install", "--hook", "pre-receive")
    assert done.returncode == 0, done.stderr
    return folder


def clone(release: Release, bare: Path) -> Path:
    """A clone that holds a release, its branch pushed."""
    folder, _ = history(release)
    git(folder, "remote", "add", "origin", str(bare))
    git(folder, "push", "-q", "origin", "main")
    return folder


@pytest.fixture
def release(tmp_path: Path) -> Release:
    return green(tmp_path / "clone")


def push(folder: Path, *refs: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["git", "push", "origin", *refs], cwd=folder, capture_output=True, text=True, check=False)


def tags(bare: Path) -> list[str]:
    return git(bare, "tag", "--list").split()


def tag(folder: Path, name: str = TAG, commit: str = "HEAD") -> None:
    git(folder, "tag", "-a", "-m", "a release", name, commit)


def test_a_tag_is_refused_with_the_missing_cell_named_and_taken_once_its_receipt_is_there(
    release: Release, bare: Path
) -> None:
    runs = release.receipt("gx10.json")["runs"]
    row = release.row("gx10", "beta-q4_k_m.gguf")
    runs.remove(row)
    folder = clone(release, bare)
    tag(folder)
    done = push(folder, TAG)
    assert done.returncode != 0
    assert "REFUSED" in done.stderr
    assert CELL in done.stderr
    assert tags(bare) == []
    runs.append(row)
    release.write()
    git(folder, "commit", "-qam", "the missing run")
    git(folder, "tag", "-d", TAG)
    tag(folder)
    done = push(folder, "main", TAG)
    assert done.returncode == 0, done.stderr
    assert "CONFORMS" in done.stderr
    assert tags(bare) == [TAG]


def test_the_working_tree_has_no_say(release: Release, bare: Path) -> None:
    release.receipt("gx10.json")["runs"].remove(release.row("gx10", "beta-q4_k_m.gguf"))
    folder = clone(release, bare)
    (folder / "gate.toml").write_text("", encoding="utf-8")
    tag(folder)
    assert "REFUSED" in push(folder, TAG).stderr
    assert tags(bare) == []


@pytest.mark.parametrize("format_in_the_same_push", ["release-{version}", None])
def test_who_changes_the_tags_format_in_the_same_push_is_judged_all_the_same(
    format_in_the_same_push: str | None, release: Release, bare: Path
) -> None:
    release.receipt("gx10.json")["runs"].remove(release.row("gx10", "beta-q4_k_m.gguf"))
    folder = clone(release, bare)
    rules = RULES + IGNORE
    if format_in_the_same_push is None:
        git(folder, "rm", "-q", "gate.toml")
    else:
        (folder / "gate.toml").write_text(
            rules.replace('name = "demo"\n', f'name = "demo"\ntag = "{format_in_the_same_push}"\n', 1)
        )
    git(folder, "commit", "-qam", "another format")
    tag(folder)
    assert push(folder, "main", TAG).returncode != 0
    assert tags(bare) == []


def test_a_release_is_neither_moved_nor_deleted_nor_lightweight(release: Release, bare: Path) -> None:
    folder = clone(release, bare)
    git(folder, "tag", TAG)
    done = push(folder, TAG)
    assert "lightweight" in done.stderr
    git(folder, "tag", "-d", TAG)
    tag(folder)
    assert push(folder, TAG).returncode == 0
    before = git(bare, "rev-parse", TAG)
    git(folder, "commit", "-q", "--allow-empty", "-m", "more")
    git(folder, "tag", "-f", "-a", "-m", "moved", TAG)
    done = push(folder, "--force", TAG)
    assert "a release isn't moved" in done.stderr
    done = push(folder, "--delete", TAG)
    assert "is a release, and stays" in done.stderr
    assert git(bare, "rev-parse", TAG) == before


@pytest.mark.parametrize(
    "name",
    [
        VERSION,
        "V0.71.0",
        "v0.71.0\u200b",
        "v0\uff0e71\uff0e0",
        "v0.71",
        "vv0.71.0",
        "release/v0.71.0",
        "v0.071.0",
        "v0-71-0",
        "0,71,0",
        "0\u00b771\u00b70",  # middle dots
        "0\u300271\u30020",  # ideographic full stops
        "v0.71.0.0",
        "demo-v0.71.0",
        "\u04750.71.0",  # Cyrillic izhitsa
        "\u03bd0.71.0",  # Greek nu
        "\u1d200.71.0",  # a small capital
        "v\u03070.71.0",  # with a dot above
        "rel\u0435\u0430s\u0435-0.71.0",  # Cyrillic ie and a
        "v\uff10.\uff17\uff11.\uff10",  # fullwidth digits
        "v\u0660.\u0667\u0661.\u0660",  # Arabic digits
        "v\u041e.71.0",  # Cyrillic o
        "vO.71.0",
        "v0.71.o",
        "vo.7l.0",
    ],
)
def test_a_tag_that_looks_like_a_release_is_refused(name: str, release: Release, bare: Path) -> None:
    folder = clone(release, bare)
    tag(folder, name)
    done = push(folder, f"refs/tags/{name}")
    assert done.returncode != 0
    assert f"looks like the release {TAG}" in done.stderr
    assert tags(bare) == []


def test_a_tag_that_only_shares_letters_with_a_release_is_nobodys_business(release: Release, bare: Path) -> None:
    release.receipt("gx10.json")["runs"].clear()
    folder = clone(release, bare)
    names = [
        "old-1",
        "oil.2",
        "release/oil-2",
        "vol-2",
        "io-0.5",
        "voila",
        "i.o",
        "l1-2",
        "\u0441\u0431\u043e\u0440\u043a\u0430-7",
    ]
    for name in names:
        tag(folder, name)
    done = push(folder, *names)
    assert done.returncode == 0, done.stderr
    assert sorted(tags(bare)) == sorted(names)


def test_who_drops_a_host_in_the_same_push_is_told_what_vanished(release: Release, bare: Path) -> None:
    """The release is held against the one before it by the rules that stand at its tag, whatever the push says now."""
    folder = clone(release, bare)
    tag(folder)
    assert push(folder, "main", TAG).returncode == 0
    rules = (folder / "gate.toml").read_text(encoding="utf-8")
    host = '[[hosts]]\nid = "gx10"\ngpu = "NVIDIA GB10"\ncompute = "12.1"\n'
    assert host in rules
    (folder / "gate.toml").write_text(rules.replace(host, ""), encoding="utf-8")
    git(folder, "commit", "-qam", "gx10 is no host any more")
    before, measured = release.receipt("dogfood.json")["release"]["commit"], git(folder, "rev-parse", "HEAD")
    for path, document in release.documents.items():
        if VERSION in path and "gx10" not in path:
            target = folder / path.replace(VERSION, "0.72.0")
            target.parent.mkdir(parents=True, exist_ok=True)
            text = json.dumps(document).replace(VERSION, "0.72.0").replace(before, measured)
            target.write_text(text, encoding="utf-8")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "all that is owed now, measured")
    tag(folder, "v0.72.0")
    done = push(folder, "main", "v0.72.0")
    assert done.returncode != 0
    said = " ".join(done.stderr.partition("Judged,")[0].replace("remote:", "").split())
    assert "v0.72.0 must not be cut" in said
    assert said.endswith(
        "Why 1 It was owed by the release before, is owed no longer, and no decision says so. [shrink: decided, "
        "vanished] host/gx10 (it was: a required host; it is: no host of its own; owed by: 0.71.0; cells: 36)"
    )
    assert tags(bare) == [TAG]


def test_a_branch_that_is_called_like_the_release_is_no_release(release: Release, bare: Path) -> None:
    """A tag is judged by its own commit, and not by a branch of the same name that would be refused."""
    folder = clone(release, bare)
    tag(folder)
    git(folder, "checkout", "-q", "-b", TAG)
    git(folder, "rm", "-rq", "receipts")
    git(folder, "commit", "-qm", "nothing measured")
    done = push(folder, f"refs/heads/{TAG}", f"refs/tags/{TAG}")
    assert done.returncode == 0, done.stderr
    assert "CONFORMS" in done.stderr


def test_into_a_repository_without_history_a_release_is_judged_all_the_same(release: Release, bare: Path) -> None:
    release.receipt("gx10.json")["runs"].clear()
    folder, _ = history(release)
    git(folder, "remote", "add", "origin", str(bare))
    tag(folder)
    done = push(folder, TAG)
    assert done.returncode != 0
    assert "REFUSED" in done.stderr
    assert tags(bare) == []


def test_an_annotated_tag_of_another_name_is_refused(release: Release, bare: Path) -> None:
    folder = clone(release, bare)
    tag(folder, "nightly")
    done = push(folder, f"refs/tags/nightly:refs/tags/{TAG}")
    assert "calls itself nightly" in done.stderr
    assert tags(bare) == []


def test_other_tags_and_branches_pass_without_a_word(release: Release, bare: Path) -> None:
    release.receipt("gx10.json")["runs"].clear()
    folder = clone(release, bare)
    git(folder, "tag", "nightly")
    tag(folder, "build-7")
    blob = git(folder, "rev-parse", "HEAD:src/engine.c")
    git(folder, "tag", "source", blob)
    git(folder, "branch", TAG)
    done = push(folder, "nightly", "build-7", "source", f"refs/heads/{TAG}")
    assert done.returncode == 0, done.stderr
    assert "remote: gate" not in done.stderr
    assert push(folder, "--delete", "nightly").returncode == 0
    assert sorted(tags(bare)) == ["build-7", "source"]


def test_a_tag_that_leads_to_no_commit_is_refused(release: Release, bare: Path) -> None:
    folder = clone(release, bare)
    git(folder, "tag", "-a", "-m", "a file", TAG, git(folder, "rev-parse", "HEAD:src/engine.c"))
    assert "leads to no commit" in push(folder, TAG).stderr
    assert tags(bare) == []


def test_malformed_rules_hold_the_tag_back_and_are_named(release: Release, bare: Path) -> None:
    folder = clone(release, bare)
    (folder / "gate.toml").write_text("[project\n", encoding="utf-8")
    git(folder, "commit", "-qam", "broken")
    tag(folder)
    done = push(folder, TAG)
    assert done.returncode != 0
    assert "gate.toml at commit" in done.stderr
    assert tags(bare) == []


def test_a_commit_whose_receipts_are_links_out_of_it_is_refused(release: Release, bare: Path) -> None:
    folder = clone(release, bare)
    receipt = folder / f"receipts/{VERSION}/gx10.json"
    receipt.rename(folder / "elsewhere.json")
    receipt.symlink_to(folder / "elsewhere.json")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "a link")
    tag(folder)
    assert "a symbolic link" in push(folder, TAG).stderr
    assert tags(bare) == []


def test_in_one_push_each_tag_is_judged_and_one_that_is_refused_holds_back_all(release: Release, bare: Path) -> None:
    folder = clone(release, bare)
    tag(folder)
    other = {p.replace(VERSION, "0.72.0"): d for p, d in release.documents.items() if VERSION in p}
    for path, document in other.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        text = (
            json.dumps(document).replace(VERSION, "0.72.0").replace('"pass"', '"fail"')
            if isinstance(document, dict)
            else document
        )
        (folder / path).write_text(text, encoding="utf-8")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "the next")
    tag(folder, "v0.72.0")
    done = push(folder, "main", TAG, "v0.72.0")
    assert done.returncode != 0
    assert "CONFORMS" in done.stderr
    assert "v0.72.0 must not be cut" in done.stderr
    assert tags(bare) == []


def test_tags_of_one_push_are_compared_with_each_other(release: Release, bare: Path) -> None:
    folder = clone(release, bare)
    tag(folder)
    next_one = {
        p.replace(VERSION, "0.72.0"): json.dumps(d).replace(VERSION, "0.72.0")
        for p, d in release.documents.items()
        if VERSION in p
    }
    git(folder, "rm", "-rq", f"receipts/{VERSION}")
    for path, text in next_one.items():
        document = json.loads(text)
        for key, name in (("models", "file"), ("runs", "model")):
            if key in document:
                document[key] = [one for one in document[key] if "beta" not in str(one[name])]
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(json.dumps(document), encoding="utf-8")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "beta is gone")
    tag(folder, "v0.72.0")
    done = push(folder, TAG, "v0.72.0")
    assert done.returncode != 0
    assert "vanished" in done.stderr
    assert tags(bare) == []


def test_a_repository_that_shows_no_rules_takes_no_release_for_it(release: Release, bare: Path) -> None:
    git(bare, "symbolic-ref", "HEAD", "refs/heads/unborn")
    release.receipt("gx10.json")["runs"].clear()
    folder = clone(release, bare)
    git(folder, "rm", "-q", "gate.toml")
    git(folder, "commit", "-qm", "no rules")
    tag(folder)
    done = push(folder, TAG)
    assert "gate.toml at commit" in done.stderr
    assert tags(bare) == []


def test_a_detached_head_holds_back_nothing_else(release: Release, bare: Path) -> None:
    folder = clone(release, bare)
    git(bare, "update-ref", "--no-deref", "HEAD", git(bare, "rev-parse", "main"))
    git(folder, "tag", "nightly")
    assert push(folder, "nightly").returncode == 0


def test_nothing_in_the_work_tree_runs_before_a_push(release: Release, tmp_path: Path) -> None:
    release.receipt("gx10.json")["runs"].clear()
    release.documents["gate/__init__.py"] = ""
    release.documents["gate/__main__.py"] = "print('let through')\n"
    bare = tmp_path / "plain.git"
    git(tmp_path, "init", "-q", "--bare", "-b", "main", str(bare))
    folder = clone(release, bare)
    git(folder, "config", "core.hooksPath", ".githooks")
    assert gate_here(folder, "hook", "install").returncode == 0
    tag(folder)
    done = push(folder, TAG)
    assert "REFUSED" in done.stderr
    assert tags(bare) == []
    git(folder, "worktree", "add", "-q", str(tmp_path / "linked"), "-b", "linked")
    (tmp_path / "linked" / ".githooks").symlink_to(folder / ".githooks")
    assert "REFUSED" in push(tmp_path / "linked", TAG).stderr
    done = push(folder, "HEAD^{/the product}:refs/heads/words")
    assert done.returncode == 0, done.stderr


def test_many_pushes_at_once_lose_nothing(release: Release, bare: Path) -> None:
    folder = clone(release, bare)
    names = [f"build-{index}" for index in range(19)]
    for name in names:
        tag(folder, name)
    tag(folder)
    with ThreadPoolExecutor(20) as pool:
        done = list(pool.map(lambda name: push(folder, name), [*names, TAG]))
    assert [one.stderr for one in done if one.returncode] == []
    assert sorted(tags(bare)) == sorted([*names, TAG])


def test_a_clone_judges_before_it_pushes(release: Release, tmp_path: Path) -> None:
    release.receipt("gx10.json")["runs"].remove(release.row("gx10", "beta-q4_k_m.gguf"))
    bare = tmp_path / "plain.git"
    git(tmp_path, "init", "-q", "--bare", "-b", "main", str(bare))
    folder = clone(release, bare)
    assert gate_here(folder, "hook", "install").returncode == 0
    tag(folder)
    done = push(folder, TAG)
    assert done.returncode != 0
    assert CELL in done.stderr
    assert tags(bare) == []
    assert push(folder, "main").returncode == 0


def test_another_hook_is_not_written_over(bare: Path) -> None:
    path = bare / "hooks" / "pre-receive"
    assert gate_here(bare, "hook", "install", "--hook", "pre-receive").returncode == 0, "its own, again"
    path.write_text("#!/bin/sh\nexit 0\n", encoding="utf-8")
    done = gate_here(bare, "hook", "install", "--hook", "pre-receive")
    assert (done.returncode, path.read_text(encoding="utf-8")) == (3, "#!/bin/sh\nexit 0\n")
    assert "another hook stands there" in done.stderr
    assert gate_here(bare, "hook", "install", "--hook", "pre-receive", "--force").returncode == 0


def test_outside_a_repository_the_hook_is_declined(tmp_path: Path) -> None:
    assert gate_here(tmp_path, "hook", "install").returncode == 2


def test_a_hook_works_with_a_bare_environment(release: Release, bare: Path) -> None:
    folder = clone(release, bare)
    tag(folder)
    line = f"{'0' * 40} {git(folder, 'rev-parse', TAG)} refs/tags/{TAG}\n"
    git(folder, "push", "-q", "--no-verify", "origin", f"{TAG}^{{}}:refs/heads/objects")
    environment = {"PATH": os.environ["PATH"]}
    done = subprocess.run(
        [bare / "hooks" / "pre-receive"],
        input=line,
        cwd=bare,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, f"gate: {TAG} leads to no commit; a release is one\n"), (
        "its object was never pushed"
    )


def _received(bare: Path, line: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the hook as git does, with nothing in its environment but what is given."""
    return subprocess.run(
        [bare / "hooks" / "pre-receive"], input=line, cwd=bare, env={"PATH": os.environ["PATH"]} | environment,
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def _pushed_object(folder: Path) -> str:
    """Bring the objects of the tag into the repository under another name, and return what the hook is told of it."""
    tag(folder)
    git(folder, "push", "-q", "origin", f"refs/tags/{TAG}:refs/heldback/{TAG}")
    return f"{'0' * 40} {git(folder, 'rev-parse', TAG)} refs/tags/{TAG}\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives a repository to another user")
def test_in_a_repository_of_another_user_the_hook_says_what_git_wants(
    release: Release, bare: Path, tmp_path: Path
) -> None:
    line = _pushed_object(clone(release, bare))
    for path in (bare, *bare.rglob("*")):
        os.chown(path, 65534, 65534)
    done = _received(bare, line)
    assert (done.returncode, done.stdout) == (2, "")
    assert "dubious ownership" in done.stderr
    assert "safe.directory" in done.stderr
    home = tmp_path / "another-home"
    home.mkdir()
    (home / ".gitconfig").write_text(f"[safe]\ndirectory = {bare}\n", encoding="utf-8")
    done = _received(bare, line, HOME=str(home))
    assert done.returncode == 0, done.stderr
    assert "CONFORMS" in done.stderr


@pytest.mark.parametrize("red", [False, True])
def test_with_nothing_in_its_environment_the_hook_judges(red: bool, release: Release, bare: Path) -> None:
    if red:
        release.receipt("gx10.json")["runs"].clear()
    done = _received(bare, _pushed_object(clone(release, bare)))
    assert (done.returncode, done.stdout) == (int(red), "")
    assert (" REFUSED " if red else " CONFORMS ") in done.stderr


def test_a_pusher_who_no_longer_listens_changes_no_code(release: Release, bare: Path) -> None:
    release.receipt("gx10.json")["runs"].clear()
    line = _pushed_object(clone(release, bare))
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [bare / "hooks" / "pre-receive"], input=line, cwd=bare, stderr=writing, stdout=subprocess.PIPE, text=True,
            check=False,
        )  # fmt: skip
    finally:
        os.close(writing)
    assert done.returncode == 1


def test_what_is_deleted_is_told_by_its_name_alone(release: Release, bare: Path) -> None:
    git(clone(release, bare), "tag", "unused")
    gone = f"{'1' * 40} {'0' * 40} refs/tags/"
    done = _received(bare, f"{gone}{TAG}\n{gone}nightly\n")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"gate: {TAG} is a release, and stays: delete it in the repository itself, if it must go\n"
