"""Whether every file can be taken as it stands: rules, decisions, contexts, keys, shapes, the receipts of all releases.

Nothing is judged. What is found here would end a check with 3; it is said before it is committed, and all at once.
"""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gate import contexts, decisions, ledger, releases, rules, shape_files, subject, trust, versions
from gate.errors import BadFile, GateError

if TYPE_CHECKING:
    from collections.abc import Container, Iterator
    from pathlib import Path

    from gate.rules import Rules

_UNKNOWN = "0" * 40  # the commit of a release that nothing names yet: no receipt is held against it here
_LIKE_A_VERSION = re.compile(r"[vV]?[0-9]")


@dataclass(slots=True)
class Findings:
    """What was read, and what can't be taken.

    Args:
        files: the files beside the receipts that were read, as they are shown.
        receipts: how many receipts each release has, by version.
        faults: what can't be taken.
        notes: what is no fault, and wasn't read to its end.
    """

    files: list[str] = field(default_factory=list)
    receipts: dict[str, int] = field(default_factory=dict)
    faults: list[GateError] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def read(path: Path) -> Findings:
    """Read everything that a project has, and return what was read and what can't be.

    Args:
        path: the rules. Where they can't be read, nothing else can.
    """
    found = Findings()
    with _noted(found):
        _rules(found, rules.read(path))
    return found


def _rules(found: Findings, read: Rules) -> None:
    found.files.append(read.file.path)
    for files in (_decisions, _contexts, _keys, _shapes):
        with _noted(found):
            found.files.extend(files(read))
    ledger_folder = read.folder / read.document.project.ledger
    cut = releases.tags_of(read)
    for folder in sorted(ledger_folder.iterdir()) if ledger_folder.is_dir() else ():
        with _noted(found):
            _folder(found, read, folder, cut)


@contextlib.contextmanager
def _noted(found: Findings) -> Iterator[None]:
    """Note what can't be taken, and go on with what comes after it."""
    try:
        yield
    except GateError as error:
        found.faults.append(error)


def _decisions(read: Rules) -> list[str]:
    file = decisions.read(read).file
    return [file.path] if file is not None else []


def _contexts(read: Rules) -> list[str]:
    contexts.read(read)
    return [read.document.project.contexts] if read.document.project.contexts is not None else []


def _keys(read: Rules) -> list[str]:
    asked = read.document.trust
    if asked is None:
        return []
    keys, _, revoked = trust.read_keys(read, asked)
    return [keys.path] + ([revoked.path] if revoked is not None else [])


def _shapes(read: Rules) -> list[str]:
    found = shape_files.read(read.folder / shape_files.FOLDER)
    return [file.path for file in found.inputs if not file.path.startswith(f"{shape_files.OWN}/")]


def _folder(found: Findings, read: Rules, folder: Path, cut: Container[str]) -> None:
    """Read what lies in the ledger: a release's folder, or one that no check would ever read."""
    try:
        versions.parse(folder.name)
    except ValueError:
        if _LIKE_A_VERSION.match(folder.name) and releases.holds_receipts(folder):
            shown = f"{read.document.project.ledger}/{folder.name}"
            wrong = "it holds receipts, and is no release's folder: no check reads it"
            raise BadFile(shown, "", wrong, "Such a folder is called by its version alone: 0.71.0.") from None
        return
    _release(found, read, folder.name, cut)


def _release(found: Findings, read: Rules, version: str, cut: Container[str]) -> None:
    release, file = subject.release_file(read, version)
    folder, _ = read.ledger_of(version)
    if not folder.is_symlink() and not releases.holds_receipts(folder):
        return  # begun ahead: nothing was measured yet
    tag = versions.tag_of_version(version, read.document.project.tag)
    commit = release.commit if release is not None else _UNKNOWN
    binaries = dict(release.binaries) if release is not None else {}
    try:
        receipts = ledger.read(read, subject.Subject(version, commit, tag, binaries, file), evidence=False).receipts
    except ledger.UnknownHost as error:
        if version not in cut:
            raise
        found.notes.append(f"{version} was cut with a host that the rules no longer know, and isn't read: {error.host}")
        return
    found.receipts[version] = len(receipts)
