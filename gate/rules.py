"""What the project asks of every release: `gate.toml`."""

from __future__ import annotations

import os
import posixpath
import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from gate import strict_toml, versions
from gate.errors import BadFile
from gate.files import InputFile, read_input
from gate.malformed import Table, dotted, toml_model
from gate.names import Name, glob_matches, look_alikes, phrase_likeness


def checked_sha256(text: str) -> str:
    """Return `text` if it is a sha256 as `sha256sum` prints it.

    Raises:
        ValueError: it is none.
    """
    if not re.fullmatch("[0-9a-f]{64}", text):
        raise ValueError("is not a sha256 of 64 hexadecimal digits in lower case")
    return text


Sha256 = Annotated[str, StringConstraints(strict=True), AfterValidator(checked_sha256)]


def checked_text(text: str) -> str:
    """Return `text` if a reader sees something of it, and a terminal obeys nothing of it.

    Raises:
        ValueError: it is blank, or holds a control character other than a line break or tab.
    """
    if not any(not unicodedata.category(c).startswith(("C", "Z")) for c in text):
        raise ValueError("is blank")
    control = next((c for c in text if unicodedata.category(c) in {"Cc", "Cs"} and c not in "\n\t"), None)
    if control is not None:
        raise ValueError(f"holds the control character U+{ord(control):04X}")
    return text


def relative_path(text: str) -> str:
    """Return a path as all messages will show it: `receipts/` and `./receipts` are `receipts`."""
    return posixpath.normpath(text)


Text = Annotated[str, StringConstraints(strict=True), AfterValidator(checked_text)]
RelativePath = Annotated[Text, AfterValidator(relative_path)]

_COMPUTE = re.compile(r"(?:sm_|compute_)?([0-9]{1,2})(?:\.?([0-9]))[a-z]?")


def compute_capability(text: str) -> str:
    """Return a GPU's compute capability in the form `8.9`, from `8.9`, `89`, `sm_89` or `compute_89`.

    The spellings are those of the CUDA compiler (`-arch=sm_89`) and of the driver (`8.9`).

    Raises:
        ValueError: it is none of these.
    """
    match = _COMPUTE.fullmatch(text.strip().lower())
    if match is None or int(match[1]) < 2:  # CUDA has had none below 2.0 for years: `12` is a slip for 12.0
        raise ValueError("is no compute capability such as 8.9 or sm_89")
    return f"{match[1]}.{match[2]}"


Compute = Annotated[str, StringConstraints(strict=True), AfterValidator(compute_capability)]


def _refuse_twice(where: str, names: list[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{where} names {name!r} twice")
    for first, second in look_alikes(names):
        raise ValueError(f"{where} names {first!r} and {second!r}, which differ only by case or Unicode form")


class Host(Table):
    """A machine that measures. A required one owes every cell of every model that it holds."""

    id: Name
    aliases: list[Name] = []
    gpu: Text | None = None
    compute: Compute | None = None
    memory_bytes: Annotated[int, Field(gt=0, le=2**53)] | None = None
    required: bool = True


class Long(Table):
    """Who owes the contexts marked long: whole families, and one file for each other architecture."""

    families: list[Text] = []
    representatives: dict[Text, Name] = {}


class Cells(Table):
    """The axes of a cell beside host and model, and the backend that a pass must have run on."""

    verbs: Annotated[list[Name], Field(min_length=1)]
    backend: Name
    thinking: bool = False
    contexts: Annotated[list[Name], Field(min_length=1)] | None = None
    long: Long | None = None

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        for axis in ("verbs", "contexts"):
            _refuse_twice(f"cells.{axis}", getattr(self, axis) or [])
        return self


class Pinned(Table):
    """A model claimed by name: owed on its hosts even where they don't hold it."""

    file: Name
    sha256: Sha256
    arch: Text | None = None
    hosts: Annotated[list[Name], Field(min_length=1)] | None = None


class Models(Table):
    """Which of the files that a host holds are owed."""

    owed: Annotated[list[Text], Field(min_length=1)] | None = None
    pinned: list[Pinned] = []

    def owes(self, file: str) -> bool:
        """Say whether a file of this name is owed by a host that holds it (globs, case folded; none: all are)."""
        if self.owed is None:
            return True
        return any(glob_matches(glob.casefold(), file.casefold()) for glob in self.owed)


class Parity(Table):
    """How much of a run's output must be the reference run's: its first `prefix` tokens, or all that it had."""

    against: Name
    prefix: Annotated[int, Field(gt=0)]


class ExpectedRows(Table):
    """The rows that a required suite must have, by name, each of them passed."""

    suite: Name
    rows: Annotated[list[Text], Field(min_length=1)]


# How many token ids are compared of each model where the rules say nothing. Of 1000 ids of which none differs, fewer
# than 0.3 % differ with 95 % confidence: the rule of three, 3/n (Hanley and Lippman-Hand, JAMA 1983,
# doi:10.1001/jama.249.13.1743).
TOKENIZER_TOKENS = 1000

# The widest bound that a tensor shape's error may be held to where the rules say nothing. It lies below the least error
# that a corrupted block of any quant type causes: 1.6e-4, of IQ4_XS, among the negative controls of the aprender
# project's gpu-shape-conformance receipt. A wider bound could not tell such a block from a right one.
CONFORMANCE_TOLERANCE = 1e-4


class Require(Table):
    """The obligations beside cells."""

    kernels: bool = False
    conformance: bool = False
    conformance_census: Literal["inventory", "receipt"] = "inventory"
    conformance_tolerance: Annotated[float, Field(gt=0, allow_inf_nan=False)] = CONFORMANCE_TOLERANCE
    tokenizer: bool = False
    tokenizer_tokens: Annotated[int, Field(gt=0, le=2**53)] = TOKENIZER_TOKENS
    parity: Parity | None = None
    suites: list[Name] = []
    rows: list[ExpectedRows] = []
    tickets: bool = False

    @model_validator(mode="after")
    def _of_what_is_required(self) -> Self:
        """A key that says how an obligation is judged says nothing where it isn't one: somebody forgot the other."""
        for key in sorted(self.model_fields_set):
            kind, _, detail = key.partition("_")
            if detail and not getattr(self, kind):
                raise ValueError(f"sets require.{key} without require.{kind}, which alone asks for it")
        return self

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        _refuse_twice("require.suites", self.suites)
        _refuse_twice("require.rows", [expected.suite for expected in self.rows])
        for expected in self.rows:
            _refuse_twice(f"require.rows of {expected.suite}", expected.rows)
            if expected.suite not in self.suites:
                raise ValueError(f"require.rows names the suite {expected.suite!r}, which require.suites doesn't")
        return self


# What a claim on speed and a measurement must say in the same letters to be of one thing.
PERFORMANCE_TERMS = ("metric", "configuration", "comparator")


class PerformanceClaim(Table):
    """What the project says of its speed.

    In `runs` of `of` runs the metric, or with a comparator its ratio to the comparator's, is at least `at_least`.
    Without a comparator it is the project's own figure and no parity claim.
    """

    id: Name
    model: Name
    metric: Name
    configuration: Text
    comparator: Name | None = None
    at_least: Annotated[float, Field(gt=0)] | None = None
    runs: Annotated[int, Field(gt=0)] = 1
    of: Annotated[int, Field(gt=0)] = 1

    @model_validator(mode="after")
    def _no_more_than_there_are(self) -> Self:
        if self.runs > self.of:
            raise ValueError(f"asks {self.runs} runs of {self.of} to reach it")
        return self


class Claims(Table):
    """What the release claims of itself, and must therefore show."""

    performance: list[PerformanceClaim] = []

    def terms(self, key: str) -> set[str]:
        """Return what the claims on speed say of `key`: `metric`, `configuration` or `comparator`."""
        return {said for claim in self.performance if (said := getattr(claim, key)) is not None}

    @model_validator(mode="after")
    def _terms_are_told_apart(self) -> Self:
        for key in PERFORMANCE_TERMS:
            for first, second in look_alikes(self.terms(key), phrase_likeness):
                raise ValueError(
                    f"claims.performance names the {key} {first!r} and {second!r}, which differ only by blanks, case "
                    "or Unicode form"
                )
        return self


def _not_everything(glob: str) -> str:
    if "[" in glob or not glob.strip("*?/."):
        raise ValueError(
            "ignores everything, or holds a bracket, which could; name what may differ, such as receipts/**"
        )
    if glob.startswith((":", "/", "!")) or ".." in glob.split("/"):
        raise ValueError("is not a glob of paths below the rules' own folder, such as receipts/**")
    return glob


IgnoredPath = Annotated[Text, AfterValidator(_not_everything)]


class Freshness(Table):
    """What may differ between the commit that was measured and the one that is judged."""

    ignore: list[IgnoredPath] = []


def _principal(text: str) -> str:
    if not re.fullmatch(r"[^\s,\"*?!#]{1,255}", text) or not text.isprintable():
        raise ValueError("is no principal such as owner@example.org: a name without spaces, commas or patterns")
    return text


Principal = Annotated[str, StringConstraints(strict=True), AfterValidator(_principal)]
Principals = Annotated[list[Principal], Field(min_length=1)]


class Trust(Table):
    """Whose signatures are asked for: principals of an OpenSSH allowed_signers file, by what they may sign.

    `receipts` is by the id of the host that a receipt speaks of; `hostless` is for what names no host.
    """

    allowed_signers: RelativePath
    revoked: RelativePath | None = None
    decisions: Principals | None = None
    receipts: dict[Name, Principals] | None = None
    hostless: Principals | None = None

    @model_validator(mode="after")
    def _asks_for_something(self) -> Self:
        if self.decisions is None and self.receipts is None:
            raise ValueError("asks for no signature; name who may sign, in decisions or in receipts")
        if self.hostless is not None and self.receipts is None:
            raise ValueError("names who may sign receipts without a host (hostless), and nobody for those with one")
        named = {"decisions": self.decisions, "hostless": self.hostless}
        named |= {f"receipts.{host}": principals for host, principals in (self.receipts or {}).items()}
        for where, principals in named.items():
            for principal in principals or ():
                if (principals or []).count(principal) > 1:
                    raise ValueError(f"trust.{where} names {principal!r} twice")
        return self


def _one_version(tag: str) -> str:
    if tag.count(versions.TAG_FIELD) != 1:
        raise ValueError(f"holds {versions.TAG_FIELD} {tag.count(versions.TAG_FIELD)} times; v{{version}} has it once")
    return tag


TagPattern = Annotated[Text, AfterValidator(_one_version)]


DEFAULT_TAG = f"v{versions.TAG_FIELD}"


class Project(Table):
    """Where things are, and how a tag is spelled."""

    name: Text
    repository: Text | None = None
    tag: TagPattern = DEFAULT_TAG
    ledger: RelativePath = "receipts"
    decisions: RelativePath | None = None
    contexts: RelativePath | None = None


class RulesDocument(Table):
    """The document that `gate.toml` is."""

    project: Project
    hosts: Annotated[list[Host], Field(min_length=1)]
    cells: Cells
    # Made when they are needed: to make one, its model is built.
    models: Models = Field(default_factory=Models)
    require: Require = Field(default_factory=Require)
    claims: Claims = Field(default_factory=Claims)
    freshness: Freshness = Field(default_factory=Freshness)
    trust: Trust | None = None

    @model_validator(mode="after")
    def _hosts_are_told_apart(self) -> Self:
        ids = [host.id for host in self.hosts]
        _refuse_twice("hosts", [*ids, *(alias for host in self.hosts for alias in host.aliases if alias != host.id)])
        for pinned in self.models.pinned:
            idle = [host.id for host in self.hosts if not host.required and host.id in (pinned.hosts or ())]
            if idle:
                raise ValueError(f"models.pinned {pinned.file!r} names the host {idle[0]!r}, which owes nothing")
            unknown = sorted(set(pinned.hosts or ()) - set(ids))
            if unknown:
                raise ValueError(
                    f"models.pinned {pinned.file!r} names the host {unknown[0]!r}; the hosts are {', '.join(ids)}"
                )
        _refuse_twice("models.pinned", [f"{p.file}|{h}" for p in self.models.pinned for h in p.hosts or ids])
        _refuse_twice("claims.performance", [claim.id for claim in self.claims.performance])
        if self.project.contexts and self.cells.contexts:
            raise ValueError("project.contexts and cells.contexts both name the contexts; keep one of them")
        if not self.project.contexts and not self.cells.contexts:
            raise ValueError("no context is owed; name a file in project.contexts, or names in cells.contexts")
        return self


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a project, and the file that they stand in. Paths in them are relative to `folder`.

    Those of an earlier release stand in a folder of their own. Then `asked` is the folder that git is asked in, and
    `measured` the ledger, where that is another.
    """

    file: InputFile
    folder: Path
    document: RulesDocument
    asked: Path | None = None
    measured: Path | None = None

    @property
    def repository(self) -> Path:
        """The folder that git is asked in."""
        return self.asked or self.folder

    def ledger_of(self, version: str) -> tuple[Path, str]:
        """Return the folder of a release's receipts, and how messages show it."""
        ledger = self.document.project.ledger
        return (self.measured or self.folder / ledger) / version, f"{ledger}/{version}"

    def host_named(self, name: str) -> Host | None:
        """Return the host that `name` is the id or an alias of."""
        return next((h for h in self.document.hosts if name == h.id or name in h.aliases), None)

    @property
    def required_hosts(self) -> list[Host]:
        """The hosts that a release owes, sorted by id."""
        return sorted((h for h in self.document.hosts if h.required), key=lambda host: host.id)


def read(path: Path) -> Rules:
    """Read the rules.

    Raises:
        BadFile: the file is missing, unreadable or malformed.
    """
    file = read_input(path, path.name)
    document = toml_model(file, RulesDocument)
    if not any(host.required for host in document.hosts):
        raise BadFile(file.path, "hosts", "no host is required, so that nothing would be owed", "Set required = true.")
    if document.trust is not None:
        _refuse_misplaced_trust(file, path.parent, document, document.trust)
    return Rules(file, path.parent, document)


def _refuse_misplaced_trust(file: InputFile, folder: Path, document: RulesDocument, trust: Trust) -> None:
    """Refuse a host that nobody knows or that nobody may sign for, and keys that stand where receipts do."""

    def refused(place: tuple[str, ...], wrong: str, right: str) -> BadFile:
        return BadFile(file.path, f"line {strict_toml.line_of(file, place)}, {dotted(place)}", wrong, right)

    ids = [host.id for host in document.hosts]
    for host in trust.receipts or {}:
        if host not in ids:
            raise refused(("trust", "receipts", host), "no host has this id", f"Known: {', '.join(ids)}.")
    for required in document.hosts:
        if trust.receipts is not None and required.required and required.id not in trust.receipts:
            wrong = f"nobody may sign the receipts of the required host {required.id!r}"
            raise refused(("trust", "receipts"), wrong, f"Name who may: {required.id} = [...].")
    ledger = os.path.realpath(folder / document.project.ledger)
    for key, path in (("allowed_signers", trust.allowed_signers), ("revoked", trust.revoked)):
        lies_in = path is not None and Path(ledger) in Path(os.path.realpath(folder / path)).parents
        if lies_in and document.project.ledger != ".":
            wrong = "it lies in the ledger: who writes receipts would say whose signatures count"
            raise refused(("trust", key), wrong, "Keep it beside the rules.")
