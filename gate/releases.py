"""Which releases there are, and which of them one is compared with.

A release is a version that was measured: it has receipts, in the ledger or in the tree of its git tag. One with a tag
was cut. A tag of a version that nobody measured is no release to the gate: it was cut before the project had one.
"""

from __future__ import annotations

import posixpath
import re
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from gate import git, versions
from gate.errors import Declined
from gate.files import MAX_DOCUMENT

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from semver import Version

    from gate.rules import Rules

RECEIPTS = (".json", ".jsonl", ".ndjson")

_CORE = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+")  # what every semantic version holds


@dataclass(frozen=True, slots=True)
class Place:
    """Where the tree of a tag has the project.

    Args:
        start: the folder of its rules, from the root, as `ci/` or empty: today's, or the one they were moved from.
        ledger: the ledger that its rules name, from the root; today's where it has no rules.
        rules: whether the tree has the project's rules at all.
    """

    start: str
    ledger: str
    rules: bool


@dataclass(frozen=True, slots=True)
class Releases:
    """The versions below one that were measured.

    Args:
        tagged: those that git has a tag of, measured or not.
        measured: those that have receipts: in today's ledger, in the one of their own rules, or at their tag.
        gone: tagged ones that had receipts in the ledger once, and have none now.
    """

    tagged: frozenset[str]
    measured: frozenset[str]
    gone: frozenset[str] = frozenset()

    def before(self, version: str) -> tuple[str, ...]:
        """Return the releases that `version` is compared with, the previous one first: see `preceding`.

        Raises:
            Declined: one of them was measured, and its receipts are gone.
        """
        measured = self.measured | self.gone
        found = preceding(version, self.tagged & measured, measured)
        lost = next((each for each in found if each in self.gone), None)
        if lost is not None:
            raise Declined(
                f"{version} can't be compared with {lost}, a release before it: its receipts were in the ledger, "
                "and are gone\n  Put them back; the commit that removed them is named by: git log --diff-filter=D -- "
                f"'*/{lost}/*'"
            )
        return found


def preceding(version: str, cut: Iterable[str], measured: Iterable[str]) -> tuple[str, ...]:
    """Return the releases that `version` is compared with, the previous one first.

    The previous release is the last one that was cut: the greatest version below, in the order of semantic versions,
    that has a tag. Without any tag below it is the greatest that was measured. A full release is compared with full
    ones, as long as there is one: its users never had the candidates. Where the previous release of a candidate is a
    candidate itself, the last full release is compared as well.

    A version above that one which was measured and never cut may have been shipped all the same, or refused for what it
    left out. It is compared as well, so that neither a missing tag nor a new number hides what vanished. Of such
    candidates the last one is.

    Args:
        version: a semantic version.
        cut: the versions that have a tag.
        measured: all versions that have receipts, those that were cut among them.
    """
    cut, judged = frozenset(cut), versions.parse(version)
    below = {text: found for text in measured if _rank(text, found := versions.parse(text)) < _rank(version, judged)}
    full = {text: parsed for text, parsed in below.items() if parsed.prerelease is None}
    if judged.prerelease is None:
        return _last(full or below, cut)
    return tuple(dict.fromkeys((*_last(below, cut), *_last(full, cut))))


def _rank(text: str, parsed: Version) -> tuple[Version, str]:
    """Return what orders a version: its precedence, and its text where two differ in nothing but build metadata."""
    return parsed, text


def _last(among: dict[str, Version], cut: frozenset[str]) -> tuple[str, ...]:
    def rank(text: str) -> tuple[Version, str]:
        return _rank(text, among[text])

    first = max((text for text in among if text in cut), key=rank, default=None)
    if first is None:
        return (max(among, key=rank),) if among else ()
    since = sorted((text for text in among if text not in cut and among[text] > among[first]), key=rank, reverse=True)
    candidates = [text for text in since if among[text].prerelease is not None]
    return (first, *(text for text in since if text not in candidates[1:]))


def find(rules: Rules, version: str) -> Releases:
    """Return the releases of a project below `version`, by today's rules and ledger, and by git.

    Raises:
        Declined: git is there and fails.
    """
    in_ledger = {found for found in _in_folder(rules.folder / rules.document.project.ledger) if _before(found, version)}
    tags = {found: f"refs/tags/{tag}" for found, tag in tags_of(rules).items() if _before(found, version)}
    if not tags:
        return Releases(frozenset(), frozenset(in_ledger))
    # A project has cut many tags before it had rules: moved ones are looked for in the last alone.
    places = _places(rules, tags, preceding(version, tags, tags))
    measured = in_ledger | _measured(rules, tags, places, tags.keys() - in_ledger)
    gone = _measured_once(rules, places) - measured if tags.keys() - measured else set()
    return Releases(frozenset(tags), frozenset(measured), frozenset(gone & tags.keys()))


def _before(version: str, other: str) -> bool:
    return _rank(version, versions.parse(version)) < _rank(other, versions.parse(other))


def tags_of(rules: Rules) -> dict[str, str]:
    """Return the tag of each version that git has one of.

    It is spelled as today's rules spell it, or else as the rules at the tag do: a project may spell its tags anew, and
    has cut the old ones all the same.

    Raises:
        Declined: git is there and fails.
    """
    spelled = {tag: _version(tag, rules.document.project.tag) for tag in git.tags(rules.repository)}
    found = {version: tag for tag, version in spelled.items() if version is not None}
    others = [tag for tag, version in spelled.items() if version is None and _CORE.search(tag)]
    if not others:
        return found
    path = f"{git.prefix(rules.repository)}{rules.file.path}"
    files = git.objects(rules.repository, [(f"refs/tags/{tag}", path) for tag in others])
    with git.Blobs(rules.repository) as blobs:
        patterns = {file: _project(blobs, file).tag for file in sorted(set(files.values()))}
    for (reference, _), file in sorted(files.items()):
        tag = reference.removeprefix("refs/tags/")
        version = _version(tag, patterns[file])
        if version is not None:
            found.setdefault(version, tag)
    return found


def _version(tag: str, pattern: str) -> str | None:
    """Return the version that a tag names, spelled as the project spells it; None: it is no release's tag."""
    try:
        version = versions.version_of_tag(tag, pattern)
    except ValueError:
        return None
    return version if versions.tag_of_version(version, pattern) == tag else None


def _in_folder(ledger: Path) -> Iterable[str]:
    """Yield the versions whose folder in the ledger holds a receipt. An empty one, begun ahead, measured nothing."""
    for folder in sorted(ledger.iterdir()) if ledger.is_dir() else ():
        try:
            versions.parse(folder.name)
        except ValueError:
            continue
        if holds_receipts(folder):
            yield folder.name


def holds_receipts(folder: Path) -> bool:
    """Say whether a folder holds a receipt, at any depth."""
    return folder.is_dir() and any(path.suffix.lower() in RECEIPTS for path in folder.rglob("*"))


def place_of(rules: Rules, commit: str) -> Place:
    """Return where the tree of a commit has the project.

    Raises:
        Declined: git fails, or doesn't have the commit.
    """
    return _places(rules, {commit: commit}, [commit])[commit]


def _places(rules: Rules, revisions: dict[str, str], moved: Iterable[str]) -> dict[str, Place]:
    """Return where the tree of each revision has the project; its rules in another place only for those of `moved`."""
    repository, name, start = rules.repository, rules.file.path, git.prefix(rules.repository)
    asked = {(revision, f"{start}{name}"): each for each, revision in revisions.items()}
    files = {asked[pair]: (start, found) for pair, found in git.objects(repository, list(asked)).items()}
    for each in moved:
        if each not in files and (elsewhere := _moved(rules, revisions[each])) is not None:
            files[each] = elsewhere
    with git.Blobs(repository) as blobs:
        ledgers = {found: _project(blobs, found).ledger for found in sorted({found for _, found in files.values()})}
    places = {}
    for each in revisions:
        if each in files:
            at, found = files[each]
            places[each] = Place(at, posixpath.normpath(f"{at}{ledgers[found]}"), rules=True)
        else:
            places[each] = Place(start, posixpath.normpath(f"{start}{rules.document.project.ledger}"), rules=False)
    return places


def _moved(rules: Rules, revision: str) -> tuple[str, str] | None:
    """Return the folder of the one file of a revision's tree that is these rules elsewhere, and its object."""
    name = rules.file.path
    if not git.has_commit(rules.repository, revision):  # a tag of something else: said where the release is read
        return None
    files = (entry for entry in git.entries(rules.repository, revision, []) if entry.kind == "blob")
    found = [entry for entry in files if f"/{entry.path}".endswith(f"/{name}")]
    with git.Blobs(rules.repository) as blobs:
        own = [entry for entry in found if _project(blobs, entry.object).name == rules.document.project.name]
    return (own[0].path.removesuffix(name), own[0].object) if len(own) == 1 else None


class _Project(NamedTuple):
    """What rules say of the project, with what is the default where they don't; None: they say no name."""

    name: str | None = None
    ledger: str = "receipts"
    tag: str = "v{version}"


def _project(blobs: git.Blobs, file: str) -> _Project:
    """Return what the rules in an object say of the project. What is malformed in them is said by who reads them."""
    try:
        table = tomllib.loads(b"".join(blobs.read(file, MAX_DOCUMENT)).decode())["project"]
        said = {key: value for key in _Project._fields if isinstance(value := table.get(key), str)}
    except (ValueError, KeyError, AttributeError):
        return _Project()
    return _Project(**said)


def _measured(rules: Rules, tags: dict[str, str], places: dict[str, Place], wanted: Iterable[str]) -> set[str]:
    """Return those of `wanted` that have receipts at their tag, or today where their own rules had the ledger."""
    asked = {(tags[version], f"{places[version].ledger}/{version}"): version for version in wanted}
    at_tag = {asked[pair] for pair in git.objects(rules.repository, list(asked))}
    root = root_of(rules)
    return at_tag | {v for v in asked.values() if holds_receipts(root / places[v].ledger / v)}


def root_of(rules: Rules) -> Path:
    """Return the root of the work tree that the rules lie in; in a bare repository, the repository."""
    return rules.repository.joinpath(*(".." for _ in git.prefix(rules.repository).split("/")[:-1]))


def _measured_once(rules: Rules, places: dict[str, Place]) -> set[str]:
    """Return the versions that a commit of the current history added a receipt of to a ledger."""
    found = set()
    for ledger in sorted({place.ledger for place in places.values()}):
        history = git.ever_added(rules.repository, ledger)
        found |= {p.removeprefix(f"{ledger}/").partition("/")[0] for p in history if p.endswith(RECEIPTS)}
    return found
