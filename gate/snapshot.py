"""The files of one commit, written to a folder as git's objects hold them.

No checkout is made: nothing that the commit says of itself (`.gitattributes`, a hook, a filter, `export-subst`) has a
say in what is written, and no program runs but git's plumbing.
"""

from __future__ import annotations

import os
import posixpath
from typing import TYPE_CHECKING

from gate import git
from gate.errors import BadFile, CallersError
from gate.files import MAX_LINES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

_FILES = {"100644", "100664", "100755"}  # the second is of a git before 2005, and still valid
_REFUSED = {"120000": "a symbolic link", "160000": "a submodule"}


def write(
    folder: Path,
    commit: str,
    paths: Sequence[str],
    target: Path,
    *,
    below: str | None = None,
    keep: Callable[[str], bool] = lambda _: True,
    environment: Mapping[str, str] | None = None,
) -> tuple[Path, tuple[str, ...]]:
    """Write the files at or below `paths` of `commit` under `target`, in the commit's own folders.

    Args:
        folder: where git is asked: a folder of a work tree, or a bare repository.
        commit: a full commit.
        paths: files and folders, relative to `below`; one that the commit doesn't have is passed over.
        target: an empty folder, or one that was written to from the same commit.
        below: the folder of the commit that `paths` are relative to, from its root, as `ci/` or empty; None: the one
            that `folder` is in its work tree.
        keep: told a path from the root, says whether it is wanted.
        environment: what the caller vouches for beside git's usual: a hook's quarantine of pushed objects.

    Returns:
        The folder under `target` that is `below`, and the paths that were written, from the root and sorted.

    Raises:
        BadFile: what is wanted holds a symbolic link, a submodule, a name that no folder can have, or a file that is
            too large.
        Declined: git fails, or doesn't have the commit.
    """
    start = git.prefix(folder) if below is None else below
    wanted = [path for path in (posixpath.normpath(f"{start}{path}") for path in paths) if _inside(path)]
    found = [entry for entry in git.entries(folder, commit, wanted, environment) if keep(entry.path)] if wanted else []
    with git.Blobs(folder, environment) as blobs:
        for entry in found:
            _write(commit, entry, target, blobs)
    return target / start, tuple(sorted(entry.path for entry in found))


def _inside(path: str) -> bool:
    """Say whether a path lies in the commit: the rules may name one that leads out of it, which git doesn't have."""
    return not path.startswith(("/", "../")) and path not in {".", ".."}


def _write(commit: str, entry: git.Entry, target: Path, blobs: git.Blobs) -> None:
    shown = f"{entry.path} at commit {commit[:12]}"
    if entry.mode not in _FILES:
        what = _REFUSED.get(entry.mode, f"of the mode {entry.mode}")
        raise BadFile(shown, "", f"it is {what}", "The gate reads regular files there.")
    if any(part in {"", ".", ".."} or part.lower() == ".git" for part in entry.path.split("/")):
        raise BadFile(shown, "", "no folder can hold a file of this name")
    path = target / entry.path
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:  # noqa: PTH123
            for piece in blobs.read(entry.object, MAX_LINES):
                stream.write(piece)
    except CallersError as error:
        raise BadFile(shown, "", str(error)) from None
    except (OSError, ValueError) as error:
        raise BadFile(shown, "", f"it can't be written: {getattr(error, 'strerror', None) or error}") from None
