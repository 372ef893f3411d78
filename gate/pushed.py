"""A pushed tag as a project of its own: the files of its commit, in a repository that borrows the objects of another.

What is judged is what was pushed, and nothing that lies in a working tree. The borrowed repository has every tag of the
real one, so that the release is compared with the one before it, and freshness is asked of its history.
"""

from __future__ import annotations

import os
import posixpath
import re
import subprocess
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gate import rules, snapshot, versions
from gate.decisions import DEFAULT_FILE
from gate.errors import BadFile, Declined
from gate.names import latin_likeness
from gate.rules import DEFAULT_TAG
from gate.ssh_keygen import SUFFIX

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gate.rules import Rules

# What people write in front of a version, as a reader sees it.
_PREFIXES = r"(?:[\w.-]*[/_-])?(?:vv?|rel|release|version)[./_-]?"
# What can stand between two numbers in the place of a point: a slash parts folders.
_POINT = r"(?:_|[^\w/])"
# A number that a letter stands in for a digit of; a letter alone, too.
_NUMBER = r"[oil|]*\d[\doil|]*|[oil|]"
_DIGITS = str.maketrans("oil|", "0111")
_A_YEAR = 1900  # a first number from which on it is a date and no version

NOTHING = "0"  # of which git makes the name of no object
TAGS = "refs/tags/"


@dataclass(frozen=True, slots=True)
class Update:
    """One ref that a push moves: from one object to another; all zeros: it wasn't there, or won't be."""

    before: str
    after: str
    ref: str

    @property
    def name(self) -> str:
        """The tag's name."""
        return self.ref.removeprefix(TAGS)

    @property
    def is_tag(self) -> bool:
        """Whether it is a tag that is moved."""
        return self.ref.startswith(TAGS)

    @property
    def creates(self) -> bool:
        """Whether the tag wasn't there before."""
        return not self.before.strip(NOTHING)

    @property
    def deletes(self) -> bool:
        """Whether the tag won't be there."""
        return not self.after.strip(NOTHING)


class Repository:
    """A repository that a push goes to, or comes from, asked by plumbing alone.

    Within a hook of the receiving side the pushed objects lie in a quarantine, which git names in the environment.
    """

    def __init__(self, folder: Path) -> None:
        self._git = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
        quarantine = ("GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_QUARANTINE_PATH")
        self._quarantine = {k: os.environ[k] for k in quarantine if k in os.environ}
        self._git |= {"LC_ALL": "C", "GIT_NO_REPLACE_OBJECTS": "1", "GIT_NO_LAZY_FETCH": "1"}
        self.folder = Path(self._asked(folder, "rev-parse", "--absolute-git-dir").strip())
        common = self._asked(self.folder, "rev-parse", "--git-common-dir").strip()  # of all work trees of a clone
        self._common = (self.folder / common).resolve()

    def say(self, *arguments: str) -> str:
        """Return what git says.

        Raises:
            Declined: git is missing or fails.
        """
        return self._asked(self.folder, *arguments)

    def kind(self, name: str) -> str:
        """Return what an object is: a commit, a tag, a tree or a blob."""
        return self.say("cat-file", "-t", name).strip()

    def commit_of(self, name: str) -> str | None:
        """Return the commit that an object leads to; None: to none."""
        try:
            return self.say("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}").strip()
        except Declined:
            return None

    def inner_name(self, tag: str) -> str:
        """Return the name that an annotated tag gives itself."""
        head = self.say("cat-file", "tag", tag).split("\n\n", 1)[0]
        return next((line.removeprefix("tag ") for line in head.splitlines() if line.startswith("tag ")), "")

    def commit_of_head(self) -> str | None:
        """Return the commit that the repository shows, as it was before the push; None: it has none."""
        return self.commit_of("HEAD")

    def hooks(self) -> Path:
        """Return the folder that git takes hooks from; a relative one is the work tree's, where there is one."""
        bare = self.say("rev-parse", "--is-bare-repository").strip() == "true"
        top = self.folder if bare else Path(self._asked(Path.cwd(), "rev-parse", "--show-toplevel").strip())
        return top / self._asked(top, "rev-parse", "--git-path", "hooks").strip()

    def place_of(self, file: Path) -> str:
        """Return where a file of the work tree lies in a commit, from its root."""
        return self._asked(file.parent, "rev-parse", "--show-prefix").removesuffix("\n") + file.name

    @contextmanager
    def project(self, commit: str, rules_file: str, tags: Mapping[str, str] | None = None) -> Iterator[Path]:
        """Yield the rules' path in a repository of their own, whose files are those of `commit`.

        Args:
            commit: a full commit.
            rules_file: where the rules lie in it, from its root.
            tags: tags that are about to be there too, by their refs: those that are pushed with this one.

        Raises:
            BadFile: what is pushed can't be a folder of files.
            Declined: git fails.
        """
        with tempfile.TemporaryDirectory(prefix="gate-") as made:
            folder = Path(made)
            self._borrow(folder, commit, tags or {})
            read = self.rules_at(commit, rules_file, folder)
            if read is None:
                raise BadFile(f"{rules_file} at commit {commit[:12]}", "", "the commit has no such file")
            snapshot.write(
                self.folder, commit, _inputs(read, rules_file), folder, below="", environment=self._quarantine
            )
            yield folder / rules_file

    def rules_at(self, commit: str, rules_file: str, folder: Path) -> Rules | None:
        """Write the rules of a commit below `folder`, and return them; None: it has none.

        Raises:
            BadFile: they are malformed.
        """
        _, written = snapshot.write(
            self.folder, commit, [rules_file], folder, below="", environment=self._quarantine
        )  # fmt: skip
        try:
            return rules.read(folder / rules_file) if written else None
        except BadFile as error:
            raise BadFile(f"{rules_file} at commit {commit[:12]}", "", str(error)) from None

    def _borrow(self, folder: Path, commit: str, tags: Mapping[str, str]) -> None:
        """Make a repository in `folder` that has the objects and tags of this one, and `commit` as its own."""
        self._asked(folder, "init", "--quiet", "--template=", f"--object-format={self._format()}")
        stores = [str(self._common / "objects"), *self._quarantine_stores()]
        own = folder / ".git"
        (own / "objects" / "info").mkdir(parents=True, exist_ok=True)
        (own / "objects" / "info" / "alternates").write_text(
            "".join(f"{store}\n" for store in stores), encoding="utf-8"
        )
        if (self._common / "shallow").is_file():
            (own / "shallow").write_bytes((self._common / "shallow").read_bytes())
        there = self.say("for-each-ref", "--format=%(refname) %(objectname)", TAGS).splitlines()
        refs = dict(line.split(" ") for line in there) | dict(tags)
        given = "".join(f"create {ref} {name}\n" for ref, name in sorted(refs.items()))
        self._asked(folder, "update-ref", "--stdin", given=f"{given}update HEAD {commit}\n")

    def _format(self) -> str:
        return self.say("rev-parse", "--show-object-format").strip()

    def _quarantine_stores(self) -> list[str]:
        given = [self._quarantine.get("GIT_OBJECT_DIRECTORY", "")]
        given += self._quarantine.get("GIT_ALTERNATE_OBJECT_DIRECTORIES", "").split(os.pathsep)
        return [str(Path(path).resolve()) for path in given if path]

    def _asked(self, folder: Path, *arguments: str, given: str | None = None) -> str:
        environment = self._git | (self._quarantine if hasattr(self, "folder") and folder == self.folder else {})
        try:
            done = subprocess.run(  # noqa: S603 - a fixed program, arguments never through a shell
                ["git", "-C", str(folder), *arguments],  # noqa: S607 - the user's own git
                capture_output=True, text=True, errors="surrogateescape", check=False, env=environment, input=given,
            )  # fmt: skip
        except FileNotFoundError:
            raise Declined("git is not installed, or not on the path of this hook") from None
        if done.returncode:
            raise Declined(f"git {arguments[0]} fails:\n  {done.stderr.strip()}")
        return done.stdout


def judged(update: Update, formats: set[str]) -> str | None:
    """Return the version that a tag's name is of, exactly as one of the project's tag formats spells it.

    Args:
        update: the tag.
        formats: the formats by the rules of the pushed commit, and by those of the branch that the repository shows:
            who changes the format in the same push doesn't take a tag out of the gate's sight.
    """
    for pattern in sorted(formats):
        try:
            version = versions.version_of_tag(update.name, pattern)
        except ValueError:
            continue
        if versions.tag_of_version(version, pattern) == update.name:
            return version
    return None


def resembled(update: Update, formats: set[str]) -> str | None:
    """Return the tag that a reader, or a script, would take this one for, though it isn't spelled like it."""
    seen = latin_likeness(update.name)
    own = {latin_likeness(pattern.partition(versions.TAG_FIELD)[0]) for pattern in formats} - {""}
    before = "|".join([*map(re.escape, sorted(own, key=len, reverse=True)), _PREFIXES])
    match = re.match(rf"(?:{before})?(\d+)(?:{_POINT}(\d+))?(?:{_POINT}(\d+))?", seen)
    if match is None:
        match = re.match(rf"(?:{before})({_NUMBER})\.({_NUMBER})(?:\.({_NUMBER}))?", seen)
        if match is None or not re.search(r"\d", match[0]):
            return None  # no number at its beginning
    elif match.end(1) - match.start() == len(match[1]) and match[2] is None:
        return None  # a number alone
    major, minor, patch = (int((part or "0").translate(_DIGITS)) for part in match.groups())
    if major >= _A_YEAR:
        return None
    return versions.tag_of_version(f"{major}.{minor}.{patch}", min(formats))


def tag_formats(repository: Repository, commits: list[str], rules_file: str) -> set[str]:
    """Return the tag formats that the rules of these commits name, and the usual one.

    A repository whose rules nobody finds takes a release no more easily for it.

    Raises:
        BadFile: the rules of a commit are malformed: nobody can say what they call a release.
    """
    found = {DEFAULT_TAG}
    for commit in commits:
        with tempfile.TemporaryDirectory(prefix="gate-") as made:
            read = repository.rules_at(commit, rules_file, Path(made))
        if read is not None:
            found.add(read.document.project.tag)
    return found


def _inputs(read: Rules, rules_file: str) -> list[str]:
    """Return what a project is judged from beside its rules: each a file or a folder, from the root of its commit."""
    from gate.shape_files import FOLDER  # with rdflib, which a push without a release's tag needn't wait for

    project, trust = read.document.project, read.document.trust
    decisions = project.decisions or DEFAULT_FILE
    found = [project.ledger, decisions, f"{decisions}{SUFFIX}", project.contexts, FOLDER]
    found += [trust.allowed_signers, trust.revoked] if trust is not None else []
    start = posixpath.dirname(rules_file)
    paths = sorted({posixpath.normpath(posixpath.join(start, path)) for path in found if path is not None})
    return [path for path in paths if not any(path.startswith(f"{above}/") for above in paths)]
