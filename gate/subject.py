"""What is judged: one version at one full commit. Given or looked up, never guessed from the receipts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from pydantic import AfterValidator, StringConstraints

from gate import git, versions
from gate.errors import BadFile, CallersError, Declined
from gate.files import InputFile, read_input
from gate.malformed import Table, toml_model
from gate.names import Name
from gate.rules import Sha256
from gate.versions import VersionText

if TYPE_CHECKING:
    from gate.rules import Rules

FULL_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
RELEASE_FILE = "release.toml"


def checked_commit(text: str) -> str:
    """Return `text` if it is a full commit.

    Raises:
        ValueError: it is short, or spelled otherwise than git prints it.
    """
    if not FULL_COMMIT.fullmatch(text):
        raise ValueError("is not a full commit of 40 hexadecimal digits in lower case; a short one may name several")
    return text


Commit = Annotated[str, StringConstraints(strict=True), AfterValidator(checked_commit)]


@dataclass(frozen=True, slots=True)
class Subject:
    """The release that is judged.

    `binaries` holds the sha256 of the binary that each host must have measured, where `release.toml` says it.
    """

    version: str
    commit: str
    tag: str
    binaries: dict[str, str]
    file: InputFile | None


class ReleaseFile(Table):
    """`receipts/<version>/release.toml`: which commit the release is, and which binary each host measures."""

    version: VersionText
    commit: Commit
    binaries: dict[Name, Sha256] = {}


def find(rules: Rules, tag: str, commit: str | None, given: str = "--commit") -> Subject:
    """Return the subject that `tag` names.

    Args:
        rules: they say what a tag looks like, and where the ledger is.
        tag: the tag, or a bare version.
        commit: the full commit; None: other sources name it.
        given: what `commit` comes from, for messages: the flag, or `HEAD`.

    The commit comes from `commit`, from git where the tag exists, and from the release's `release.toml`: one is
    enough, and all that are there must agree.

    Raises:
        CallersError: the tag is no version of this project, the commit is short, or two sources disagree.
        Declined: no source names the commit, or git fails for a reason other than having nothing to say.
    """
    pattern = rules.document.project.tag
    try:
        version = versions.version_of_tag(tag, pattern)
    except ValueError as error:
        raise CallersError(f"--tag: {error}") from None
    if commit is not None and not FULL_COMMIT.fullmatch(commit):
        raise CallersError(
            f"--commit: {commit!r} is not a full commit of 40 hexadecimal digits in lower case\n"
            "  A short one may name several; git rev-parse prints the full one."
        )
    tag = versions.tag_of_version(version, pattern)
    release, file = release_file(rules, version)
    named = {
        given: commit,
        f"the git tag {tag}": git.commit_of_tag(rules.repository, tag),
        f"{rules.document.project.ledger}/{version}/{RELEASE_FILE}": release.commit if release else None,
    }
    found = {source: value for source, value in named.items() if value is not None}
    if len(set(found.values())) > 1:
        said = "\n".join(f"  {source} says {value}" for source, value in found.items())
        right = "\n  --commit names another than HEAD: the one that was measured." if given == "HEAD" else ""
        raise CallersError(f"{tag}: its commit is not agreed on\n{said}{right}")
    if not found:
        raise Declined(
            f"{tag}: nothing says which commit it is\n"
            f"  Give --commit, or create the tag in git, or write {list(named)[-1]}."
        )
    return Subject(version, next(iter(found.values())), tag, dict(release.binaries) if release else {}, file)


def release_file(rules: Rules, version: str) -> tuple[ReleaseFile | None, InputFile | None]:
    """Return what a release's `release.toml` says, and the file itself; None twice: it has none.

    Raises:
        BadFile: it is malformed, of another version, or names a host that no rule knows.
    """
    folder, ledger = rules.ledger_of(version)
    path, shown = folder / RELEASE_FILE, f"{ledger}/{RELEASE_FILE}"
    if not path.is_symlink() and not path.exists():
        return None, None
    file = read_input(path, shown)
    release = toml_model(file, ReleaseFile)
    if release.version != version:
        raise BadFile(shown, "version", f"it says {release.version}, and stands in the folder of {version}")
    known = {host.id for host in rules.document.hosts}
    for host in release.binaries:
        if host not in known:
            raise BadFile(shown, f"binaries.{host}", "no rule knows this host", f"Known: {', '.join(sorted(known))}.")
    return release, file
