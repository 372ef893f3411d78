"""What git knows: which commit a tag is, and what differs between two commits. It is asked, and never changed."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

from gate.errors import CallersError, Declined

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def commit_of_tag(folder: Path, tag: str) -> str | None:
    """Return the commit that `tag` leads to; None where there is no git, no repository or no such tag.

    Raises:
        Declined: git fails for another reason than having nothing to say.
        CallersError: the tag leads to something that is no commit.
    """
    reference = f"refs/tags/{tag}"  # in full, so that a branch of the same name is never taken for the tag
    if not _is_repository(folder):
        return None
    listed = _git(folder, "for-each-ref", "--format=%(refname)", reference)
    if listed is None or listed.returncode:
        raise Declined(f"git can't list the tag {tag}:\n  {listed.stderr.strip() if listed else 'git is gone'}")
    if reference not in listed.stdout.splitlines():
        return None
    parsed = _git(folder, "rev-parse", "--verify", "--end-of-options", f"{reference}^{{commit}}")
    if parsed is None or parsed.returncode:
        raise CallersError(f"the git tag {tag} leads to no commit; delete it, or give it one")
    return parsed.stdout.strip()


def differences(folder: Path, earlier: str, later: str, ignore: Sequence[str]) -> tuple[list[str], list[str]] | str:
    """Return the paths that differ between two commits: those that `ignore` covers, and those that it doesn't.

    Args:
        folder: the folder that the globs of `ignore` are relative to.
        earlier: a full commit.
        later: a full commit that descends from it.
        ignore: globs as git's pathspecs have them (`receipts/**`).

    Returns:
        The two lists, sorted; or, as text, why git can't say.
    """
    if not _is_repository(folder):
        return "there is no git history to ask"
    shallow = _git(folder, "rev-parse", "--is-shallow-repository")
    if shallow is None or shallow.returncode or shallow.stdout.strip() != "false":
        return "the clone is shallow, and can't show what lies between"
    for commit in (earlier, later):
        known = _git(folder, "cat-file", "-e", f"{commit}^{{commit}}")
        if known is None or known.returncode:
            return f"git knows no commit {commit}"
    ancestor = _git(folder, "merge-base", "--is-ancestor", earlier, later)
    if ancestor is None or ancestor.returncode:
        return f"{earlier} is no ancestor of the commit that is judged"
    changed = _changed(folder, earlier, later, [":/"])
    outside = _changed(folder, earlier, later, [":/", *(f":(exclude,glob){glob}" for glob in ignore)])
    if changed is None or outside is None:
        return "git can't compare the two commits"
    return sorted(set(changed) - set(outside)), outside


def _changed(folder: Path, earlier: str, later: str, pathspecs: list[str]) -> list[str] | None:
    # The plumbing command: no external diff and no rename detection has a say in it, nor a .gitmodules that would
    # have a submodule's new commit ignored.
    listed = _git(
        folder,
        "diff-tree",
        "-r",
        "-z",
        "--name-only",
        "--no-renames",
        "--ignore-submodules=none",
        earlier,
        later,
        "--",
        *pathspecs,
    )
    if listed is None or listed.returncode:
        return None
    return sorted(path for path in listed.stdout.split("\0") if path)


def prefix(folder: Path) -> str:
    """Return the path of `folder` from the root of its repository, ending in a slash; empty at the root, or in none."""
    found = _git(folder, "rev-parse", "--show-prefix")
    if found is None or found.returncode:
        return ""
    path = found.stdout.removesuffix("\n")
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:  # no report can say it
        return ""
    return path


def _is_repository(folder: Path) -> bool:
    """Say whether `folder` lies in a repository. One that is there and can't be asked is no reason to go on without.

    Raises:
        Declined: there is a `.git`, and git is missing or fails.
    """
    probe = _git(folder, "rev-parse", "--git-dir")
    if probe is not None and probe.returncode == 0:
        return True
    if not any((above / ".git").exists() for above in (folder.resolve(), *folder.resolve().parents)):
        return False
    why = "git is not installed" if probe is None else probe.stderr.strip()
    raise Declined(f"{folder} lies in a git repository that can't be asked which commit a tag is:\n  {why}")


def _git(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str] | None:
    # GIT_DIR and its kin, which a hook sets, would point git at another repository than the rules'; a replaced object
    # would show another commit under the name of the one that is judged.
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    environment |= {"LC_ALL": "C", "GIT_NO_REPLACE_OBJECTS": "1"}
    try:
        return subprocess.run(  # noqa: S603 - a fixed program, arguments never through a shell
            ["git", "-C", str(folder), *arguments],  # noqa: S607 - the user's own git
            capture_output=True, text=True, errors="surrogateescape", check=False, env=environment,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except FileNotFoundError:
        return None
