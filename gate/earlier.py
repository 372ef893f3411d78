"""An earlier release as its tag has it: its rules, decisions, contexts and shapes, and the receipts of it.

They are those of its commit, where git has its tag, or the commit that its release.toml names. Otherwise the rules are
today's, and that is said. Receipts are often committed after what they measured: those of today's ledger are taken
where they are all that the commit has, and perhaps more.
"""

from __future__ import annotations

import contextlib
import filecmp
import tempfile
import tomllib
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from gate import contexts, decisions, git, ledger, releases, shape_history, snapshot, subject, trust, versions
from gate import rules as rules_module
from gate.errors import CallersError, Declined, GateError
from gate.obligations.ground import Ground, Origin, Previous
from gate.obligations.losses import applies, names, rules_thing
from gate.rules import Host
from gate.shape_files import FOLDER, own_folder
from gate.ssh_keygen import SUFFIX

if TYPE_CHECKING:
    import datetime
    from collections.abc import Callable, Iterator

    from gate.files import InputFile
    from gate.ledger.rows import Ledger
    from gate.releases import Place
    from gate.rules import Rules


def previous(
    today: Rules, version: str, own_shapes: tuple[InputFile, ...], decided: decisions.Decisions, at: datetime.datetime
) -> tuple[Previous, ...]:
    """Return the releases that `version` is compared with, the previous one first.

    One that shipped under a scope was asked for less than the project owes: the one before it is compared as well.

    Args:
        today: the rules of the project as they are now: they say where things are.
        version: the version that is judged.
        own_shapes: the project's own shapes that judge it.
        decided: its decisions: one that gives up a release's rules has them taken for today's where they can't be read.
        at: the moment of judging.

    Raises:
        GateError: a release before can't be read; the message names it.
    """
    seen = releases.find(today, version)
    pending, found = list(seen.before(version)), dict[str, Previous]()
    while pending:
        each = pending.pop(0)
        if each not in found:
            given_up = any(
                retire.rules is not None and applies(retire, each, version) and names(retire, rules_thing(today, each))
                for retire in decided.document.retire
            )
            found[each] = _previous(today, each, own_shapes, at, given_up=given_up)
            scopes = found[each].ground.decisions.document.scope
            pending += seen.before(each) if any(scope.release == each for scope in scopes) else ()
    return tuple(found.values())


def _previous(
    today: Rules, version: str, own_shapes: tuple[InputFile, ...], at: datetime.datetime, *, given_up: bool
) -> Previous:
    try:
        return _read(today, version, own_shapes, at, its_own=True)
    except GateError as error:
        if given_up:
            return _read(today, version, own_shapes, at, its_own=False)
        words = f"{version}, a release before this one, can't be read: {error}"
        raise (Declined if isinstance(error, Declined) else CallersError)(words) from None


def _read(
    today: Rules, version: str, own_shapes: tuple[InputFile, ...], at: datetime.datetime, *, its_own: bool
) -> Previous:
    """Return what a release owed. Who vouched for it is not asked: an unsigned receipt takes no obligation away."""
    tag = versions.tag_of_version(version, today.document.project.tag)
    with source(today, version, whole=False, its_own=its_own) as (rules, origin):
        judged = subject.Subject(version, origin.commit or "", tag, {}, None)
        shapes = shape_history.files(rules.folder) if origin.rules_at else own_shapes
        rules, receipts = _ledger(rules, judged, hosts_known=origin.rules_at is not None)
        given = rules, contexts.read(rules), decisions.read(rules), receipts, trust.Trust(at, ())
        ground = Ground(judged, *given, shapes, origin=origin)
        return Previous(ground, origin, shape_history.lost(shapes, own_shapes))


def _ledger(rules: Rules, judged: subject.Subject, *, hosts_known: bool) -> tuple[Rules, Ledger]:
    """Return the receipts; and the rules, where they are today's with each host that only the receipts still know."""
    while True:
        try:
            return rules, ledger.read(rules, judged, evidence=False)
        except ledger.UnknownHost as error:
            if hosts_known:
                raise
            hosts = [*rules.document.hosts, Host(id=error.host)]
            rules = replace(rules, document=rules.document.model_copy(update={"hosts": hosts}))


@contextlib.contextmanager
def release(today: Rules, tag: str, commit: str | None, at: datetime.datetime) -> Iterator[Ground]:
    """Yield a release as it was at its tag, to be judged; what was written out of git for it is removed again.

    Args:
        today: the rules of the project as they are now.
        tag: its tag, or its bare version.
        commit: its full commit, where the caller says it.
        at: the moment of judging, at which keys must be valid.

    Raises:
        GateError: something of it can't be read.
    """
    try:
        version = versions.version_of_tag(tag, today.document.project.tag)
    except ValueError as error:
        raise CallersError(str(error)) from None
    with source(today, version, whole=True) as (rules, origin):
        judged = subject.find(rules, tag, commit)
        shapes, decided = shape_history.files(rules.folder), decisions.read(rules)
        receipts = ledger.read(rules, judged)
        vouched = trust.read(rules, decided, receipts, judged, at)
        decided, receipts = trust.counted_decisions(vouched, decided), trust.counted_receipts(vouched, receipts)
        before = previous(today, version, shapes, decided, at)
        if origin.rules_at is not None:
            _drop_own_shapes(rules.folder / FOLDER)
        yield Ground(judged, rules, contexts.read(rules), decided, receipts, vouched, shapes, before, origin)


@contextlib.contextmanager
def source(today: Rules, version: str, *, whole: bool, its_own: bool = True) -> Iterator[tuple[Rules, Origin]]:
    """Yield the rules of a release, and where its inputs come from. What was written out of git is removed again.

    Args:
        today: the rules of the project as they are now.
        version: the release.
        whole: whether everything in its folder of the ledger is wanted, or its receipts alone.
        its_own: whether its own rules are wanted, or today's in their place, and today's ledger where it has it.

    Raises:
        GateError: its commit or its rules can't be read.
    """
    tag = releases.tags_of(today).get(version) or versions.tag_of_version(version, today.document.project.tag)
    tagged = git.commit_of_tag(today.repository, tag)
    commit = tagged or _named_in_ledger(today, version)
    if commit is None or not git.has_commit(today.repository, commit):
        yield today, Origin(commit, because=f"git has no tag {tag}")
        return
    place, where = releases.place_of(today, commit), tag if tagged else f"commit {commit[:12]}"
    with tempfile.TemporaryDirectory(prefix="taggate-") as written:
        out = _Out(today, commit, place, Path(written), f"{place.ledger}/{version}", whole=whole)
        if place.rules and its_own:
            rules, origin = out.rules(), Origin(commit, rules_at=commit)
        else:
            name = today.file.path
            because = f"{where} has no {name}" if its_own else f"a decision gives up those of {where}"
            missing = name if tagged or not its_own else None
            rules, origin = today, Origin(commit, because=because, missing_rules=missing)
        receipts = _chosen(out.receipts, [out.root / out.ledger, today.ledger_of(version)[0]], its_own=its_own)
        from_git = Path(written) in receipts.parents
        yield replace(rules, measured=receipts.parent), replace(origin, receipts_at=commit if from_git else None)


@dataclass(frozen=True)
class _Out:
    """What is written out of git of one release: its ledger's folder is `ledger`, from the root."""

    today: Rules
    commit: str
    place: Place
    target: Path
    ledger: str
    _: KW_ONLY
    whole: bool

    @cached_property
    def root(self) -> Path:
        """The root of today's work tree."""
        return releases.root_of(self.today)

    def _write(self, *paths: str, below: str) -> Path:
        return snapshot.write(
            self.today.repository, self.commit, paths, self.target, below=below, keep=self._wanted
        )[0]  # fmt: skip

    def _wanted(self, path: str) -> bool:
        """Say whether a file is wanted: of the ledger often not what a row rests on, which may be large."""
        inside = path.startswith(f"{self.ledger}/")
        is_receipt = path.lower().endswith(releases.RECEIPTS) or path == f"{self.ledger}/{subject.RELEASE_FILE}"
        return not (self.target / path).exists() and (self.whole or not inside or is_receipt)

    def rules(self) -> Rules:
        """Write the rules with the decisions, contexts and shapes that belong to them, and return them."""
        folder = self._write(self.today.file.path, below=self.place.start)
        asked = self.root / self.place.start
        rules = replace(rules_module.read(folder / self.today.file.path), asked=asked if asked.is_dir() else self.root)
        project = rules.document.project
        decided, keys = project.decisions or decisions.DEFAULT_FILE, rules.document.trust
        named = [decided, f"{decided}{SUFFIX}", *([project.contexts] if project.contexts else [])]
        named += [path for path in (keys.allowed_signers, keys.revoked) if path is not None] if keys else []
        self._write(*named, FOLDER, below=self.place.start)
        return rules

    def receipts(self) -> Path:
        """Write the receipts, and return their folder."""
        self._write(self.ledger, below="")
        return self.target / self.ledger


def _drop_own_shapes(folder: Path) -> None:
    """Remove the gate's own shapes of another version, of which a checkout of the gate has a copy: today's judge."""
    for path in sorted(folder.glob("*.ttl")):
        if (own_folder() / path.name).is_file():
            path.unlink()
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()


def _chosen(from_git: Callable[[], Path], today: list[Path], *, its_own: bool) -> Path:
    """Return the folder of the receipts: today's where it has all that the commit has, unchanged; else the commit's."""
    present = next((folder for folder in today if releases.holds_receipts(folder)), None)
    if present is not None and not its_own:
        return present
    at_commit = from_git()
    if present is None or not releases.holds_receipts(at_commit):
        return present or at_commit
    files = [path for path in at_commit.rglob("*") if path.is_file()]
    return present if all(_same(path, present / path.relative_to(at_commit)) for path in files) else at_commit


def _same(one: Path, other: Path) -> bool:
    return other.is_file() and filecmp.cmp(one, other, shallow=False)


def _named_in_ledger(rules: Rules, version: str) -> str | None:
    """Return the commit that a release's release.toml names; None where it doesn't, in whatever way."""
    try:
        named = tomllib.loads((rules.ledger_of(version)[0] / subject.RELEASE_FILE).read_text("utf-8")).get("commit")
    except (OSError, ValueError):
        return None
    return named if isinstance(named, str) and subject.FULL_COMMIT.fullmatch(named) else None
