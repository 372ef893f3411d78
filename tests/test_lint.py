"""`gate lint`: every file that can't be taken is named, all at once, before it is committed; and as pre-commit's hook."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from pre_commit.commands.validate_manifest import validate_manifest

from tests.release import BEFORE, RULES, VERSION, Release, gate_here, git, green
from tests.runner import ROOT, offline


def test_what_can_be_read_is_named_and_nothing_is_judged(release: Release) -> None:
    del release.documents[f"receipts/{VERSION}/release.toml"]
    release.receipt("gx10.json")["runs"].clear()  # refused, and well formed
    done = gate_here(release.write(), "lint")
    assert (done.returncode, done.stderr) == (0, "")
    count = sum(path.startswith(f"receipts/{VERSION}/") for path in release.documents)
    assert done.stdout == (
        f"All of it can be read: gate.toml, receipts/contexts.json; {count} receipts of 1 release. Nothing was judged.\n"
    )


SIGNED = '\n[trust]\nallowed_signers = "allowed_signers"\ndecisions = ["owner@example.org"]\n'

# What is put where, and how the message begins.
FAULTS = {
    "rules": ("gate.toml", "[project\n", "gate.toml, "),
    "decisions": ("claims.toml", "[[declaim]]\nid = 1\n", "claims.toml, "),
    "contexts": ("receipts/contexts.json", "{", "receipts/contexts.json, "),
    "keys": ("allowed_signers", "nobody\n", "allowed_signers, "),
    "shapes": ("shapes/speed.ttl", "no turtle", "shapes/speed.ttl, "),
    "a receipt": (f"receipts/{VERSION}/gx10.json", "{}", f"receipts/{VERSION}/gx10.json, schema: there is no schema"),
    "a release's file": (f"receipts/{VERSION}/release.toml", "version = 7", f"receipts/{VERSION}/release.toml, "),
    "one of a release begun ahead": ("receipts/0.99.0/release.toml", "x = 1", "receipts/0.99.0/release.toml, "),
    "a receipt of another release": (f"receipts/{BEFORE}/a.json", "[]", f"receipts/{BEFORE}/a.json"),
    "a folder that no check reads": ("receipts/v0.71/a.json", "{}", "receipts/v0.71: it holds receipts, and is no "),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_what_can_not_be_taken_is_named(name: str, release: Release) -> None:
    path, text, said = FAULTS[name]
    release.rules += SIGNED
    release.documents["allowed_signers"] = _KEY
    release.documents[path] = text
    if path == "gate.toml":
        del release.documents[path]
        release.rules = text
    done = gate_here(release.write(), "lint")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith(f"gate: {said}"), done.stderr


_KEY = "owner@example.org ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJJMnEXXhGyPrfuOEjSKpYMCBQUFvZ8Ig5B+nS1rVsvB\n"


def test_all_of_it_is_named_at_once(release: Release) -> None:
    release.rules += SIGNED
    for path, text, _ in FAULTS.values():
        if path != "gate.toml":
            release.documents[path] = text
    done = gate_here(release.write(), "lint")
    assert done.returncode == 3
    named = [line for line in done.stderr.splitlines() if line.startswith("gate: ")]
    # of one release the first alone: its release.toml comes before its receipts
    wanted = [said for name, (path, _, said) in FAULTS.items() if path != "gate.toml" and name != "a receipt"]
    assert len(named) == len(wanted)
    assert all(any(line.startswith(f"gate: {said}") for line in named) for said in wanted)


def test_an_old_release_with_a_host_that_is_gone_is_no_fault_once_it_was_cut(tmp_path: Path) -> None:
    before = green(tmp_path)
    release = Release(tmp_path, documents=dict(before.documents), earlier=before)
    release.rules = RULES.replace('id = "gx10"', 'id = "gx11"')
    done = gate_here(release.write(), "lint")
    assert done.returncode == 3, "0.71.0 has no tag"
    assert "no rule knows the host 'gx10'" in done.stderr
    git(tmp_path, "tag", f"v{VERSION}")
    done = gate_here(tmp_path, "lint")
    assert (done.returncode, done.stderr) == (0, "")
    assert f"{VERSION} was cut with a host that the rules no longer know, and isn't read: gx10\n" in done.stdout


# ---------------------------------------------------------------- as a hook of pre-commit


FOLDERS = ("gate", "shapes", "reports", "starter")  # what a wheel is built from


def test_the_manifest_is_one_to_pre_commit() -> None:
    assert validate_manifest([str(ROOT / ".pre-commit-hooks.yaml")]) == 0


def _commit_all(folder: Path) -> str:
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "all of it")
    return git(folder, "rev-parse", "HEAD")


def test_the_hook_holds_back_a_commit_whose_files_can_not_be_taken(tmp_path: Path, release: Release) -> None:
    """A real repository, a real commit, and pre-commit itself, which installs the hook from a repository of the gate."""
    home = tmp_path / "gate-itself"
    home.mkdir()
    for name in (*FOLDERS, "pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml"):
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, home / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, home / name)
    git(home, "init", "-q")
    revision = _commit_all(home)
    release.folder = folder = tmp_path / "project"
    release.write()
    git(folder, "init", "-q")
    hooks = {"repos": [{"repo": str(home), "rev": revision, "hooks": [{"id": "gate-lint"}]}]}
    (folder / ".pre-commit-config.yaml").write_text(yaml.safe_dump(hooks), encoding="utf-8")
    identity = {f"GIT_{who}_{what}": "x@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {"PATH": path, "HOME": str(tmp_path), "PRE_COMMIT_HOME": str(tmp_path / "cache"), **identity}
    environment |= offline()

    def run(*command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)

    assert run(sys.executable, "-m", "pre_commit", "install").returncode == 0
    git(folder, "add", "-A")
    done = run("git", "commit", "-m", "green")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "gate lint" in done.stdout + done.stderr
    (folder / f"receipts/{VERSION}/gx10.json").write_text("{}", encoding="utf-8")
    git(folder, "add", "-A")
    done = run("git", "commit", "-m", "broken")
    assert done.returncode != 0
    assert f"receipts/{VERSION}/gx10.json, schema: there is no schema" in done.stdout + done.stderr
    git(folder, "checkout", "-q", "HEAD", "--", ".")
    (folder / "words.md").write_text("nothing of the gate's\n", encoding="utf-8")
    git(folder, "add", "-A")
    done = run("git", "commit", "-m", "words")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "(no files to check)Skipped" in done.stdout + done.stderr
