"""What git knows: which commit a tag is, and what differs between two commits. It is asked, and never changed."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING, NamedTuple

from gate.errors import CallersError, Declined

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

_CHUNK = 1 << 20


class Entry(NamedTuple):
    """A file of a commit: its mode as git writes it, its kind, the object that holds it, its path from the root."""

    mode: str
    kind: str
    object: str
    path: str


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


def top(folder: Path) -> str | None:
    """Return the root of the work tree that `folder` lies in; None where it lies in none.

    Raises:
        Declined: there is a repository that can't be asked.
    """
    if not _is_repository(folder):
        return None
    parsed = _git(folder, "rev-parse", "--show-toplevel")
    return None if parsed is None or parsed.returncode else parsed.stdout.removesuffix("\n")


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


def tags(folder: Path) -> list[str]:
    """Return the names of all tags; none where there is no git or no repository.

    Raises:
        Declined: git is there and fails.
    """
    if not _is_repository(folder):
        return []
    listed = _answer(folder, "for-each-ref", "--format=%(refname)", "refs/tags/")
    return sorted(line.removeprefix("refs/tags/") for line in listed.splitlines())


def has_commit(folder: Path, commit: str) -> bool:
    """Say whether git has a commit of this full name here."""
    known = _git(folder, "cat-file", "-e", f"{commit}^{{commit}}") if _is_repository(folder) else None
    return known is not None and known.returncode == 0


def prefix(folder: Path) -> str:
    """Return where `folder` lies below the root of its work tree, as `ci/` or empty; empty in a bare repository.

    Raises:
        Declined: git fails.
    """
    return _answer(folder, "rev-parse", "--show-prefix").removesuffix("\n")


def objects(folder: Path, asked: Sequence[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Return the object at each path of a revision, by (revision, path from the root); what isn't there is left out.

    Raises:
        Declined: git fails.
    """
    # One line a name: git can't be asked for a path that holds a line break.
    pairs = [(revision, path) for revision, path in asked if "\n" not in path]
    if not pairs:
        return {}
    names = "".join(f"{revision}:{path}\n" for revision, path in pairs)
    said = _answer(folder, "cat-file", "--batch-check=%(objecttype) %(objectname)", given=names).splitlines()
    if len(said) != len(pairs):
        raise Declined("git gives another number of answers than it was asked questions")
    answers = (line.split(" ") for line in said)
    return {pair: words[1] for pair, words in zip(pairs, answers, strict=True) if words[0] in {"blob", "tree"}}


def entries(
    folder: Path, commit: str, paths: Sequence[str], environment: Mapping[str, str] | None = None
) -> list[Entry]:
    """Return every file of `commit` at or below `paths`, each from the root and taken letter by letter.

    Args:
        folder: a folder of the repository.
        commit: a full commit.
        paths: what is wanted; one that isn't there adds nothing.
        environment: what the caller vouches for beside the usual: a hook's quarantine of pushed objects.

    Raises:
        Declined: git fails.
    """
    listed = _answer(folder, "ls-tree", "-r", "-z", "--full-tree", commit, "--", *paths, environment=environment)
    found = []
    for line in listed.split("\0")[:-1]:
        about, _, path = line.partition("\t")
        mode, kind, name = about.split(" ")
        found.append(Entry(mode, kind, name, path))
    return found


class Blobs:
    """The contents of files as git's objects hold them: no filter, no conversion of line ends, no checkout.

    `environment` is as in `entries`. Use it in a `with` block.
    """

    def __init__(self, folder: Path, environment: Mapping[str, str] | None = None) -> None:
        self._folder = folder
        self._environment = environment

    def __enter__(self) -> Blobs:
        self._process = subprocess.Popen(  # noqa: S603 - a fixed program, arguments never through a shell
            ["git", "-C", str(self._folder), "cat-file", "--batch"],  # noqa: S607 - the user's own git
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env=_environment(self._environment),
        )  # fmt: skip
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def read(self, name: str, limit: int) -> Iterator[bytes]:
        """Yield the content of the blob `name` in pieces.

        Raises:
            CallersError: it has more than `limit` bytes.
            Declined: git doesn't have it, or says something else than was asked.
        """
        into, out = self._process.stdin, self._process.stdout
        if into is None or out is None:
            raise Declined("git can't be spoken to")
        try:
            into.write(f"{name}\n".encode())
            into.flush()
        except OSError:
            raise Declined(f"git ended before it gave the object {name}") from None
        header = out.readline().split()
        if len(header) != 3 or header[:2] != [name.encode(), b"blob"]:
            raise Declined(f"git doesn't have the object {name}")
        left = int(header[2])
        if left > limit:
            raise CallersError(f"it has {left:,} bytes; at most {limit:,} are read")
        while left:
            piece = out.read(min(left, _CHUNK))
            if not piece:
                raise Declined(f"git ended within the object {name}")
            left -= len(piece)
            yield piece
        out.read(1)  # the line break after each


def ever_added(folder: Path, path: str) -> set[str]:
    """Return every path at or below `path`, from the root, that a commit of the current history added.

    Raises:
        Declined: git fails.
    """
    if not has_commit(folder, "HEAD"):
        return set()
    said = _answer(
        folder, "log", "--full-history", "--no-renames", "--diff-filter=A", "--name-only", "--format=", "-z", "HEAD",
        "--", f":(top,literal){path}",
    )  # fmt: skip
    return {name.strip("\n") for name in said.split("\0")} - {""}


def head(folder: Path) -> str | None:
    """Return the current commit; None where there is no git, no repository or no commit yet."""
    parsed = _git(folder, "rev-parse", "--verify", "--quiet", "HEAD^{commit}") if _is_repository(folder) else None
    return parsed.stdout.strip() if parsed is not None and parsed.returncode == 0 else None


def shown_prefix(folder: Path) -> str:
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


def _answer(
    folder: Path, *arguments: str, given: str | None = None, environment: Mapping[str, str] | None = None
) -> str:
    """Return what git says.

    Raises:
        Declined: git is missing or fails.
    """
    done = _git(folder, *arguments, given=given, environment=environment)
    if done is None or done.returncode:
        command = next(argument for argument in arguments if not argument.startswith("-"))
        raise Declined(f"git {command} fails:\n  {done.stderr.strip() if done else 'git is gone'}")
    return done.stdout


def _environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    # GIT_DIR and its kin, which a hook sets, would point git at another repository than the rules'; a replaced object
    # would show another commit under the name of the one that is judged. A partial clone would fetch what it lacks.
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    environment |= {
        "LC_ALL": "C",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "none",
    }
    return environment | dict(more or {})


def _git(
    folder: Path, *arguments: str, given: str | None = None, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str] | None:
    try:
        return subprocess.run(  # noqa: S603 - a fixed program, arguments never through a shell
            ["git", "-C", str(folder), *arguments],  # noqa: S607 - the user's own git
            capture_output=True, text=True, errors="surrogateescape", check=False, env=_environment(environment),
            stdin=subprocess.DEVNULL if given is None else None, input=given,
        )  # fmt: skip
    except FileNotFoundError:
        return None
