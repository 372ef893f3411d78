"""What the release owner decided: `claims.toml`. De-claims, known failures and scopes, each with an end and a ticket.

A field that is missing doesn't make the file malformed: it makes the decision incomplete, which a shape rejects by
name. A field that is malformed does: a date that can't be read is never "always".
"""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar, Self

from pydantic import Field, PlainValidator, model_validator

from gate import strict_toml, versions
from gate.errors import BadFile
from gate.files import InputFile, read_input
from gate.malformed import Table, toml_model
from gate.names import Name, is_glob
from gate.rules import Text, compute_capability
from gate.versions import VersionText

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gate.rules import Rules

DEFAULT_FILE = "claims.toml"
AT_LEAST = ">="  # begins a compute capability that stands for all later ones too

Issue = Annotated[int, Field(gt=0, lt=2**31)]


def _pattern(glob: str) -> str:
    if not glob:
        raise ValueError("is empty, and selects nothing")
    if not any(character.isalnum() for character in glob):
        raise ValueError("matches everything; leave the selector out, or name what is withdrawn")
    return glob


def _compute(text: str) -> str:
    """Return a capability as `8.9`, or as `>=12.0` where it and every later one are meant (`>=12` says the same)."""
    least = text.strip().removeprefix(AT_LEAST).strip()
    if not text.strip().startswith(AT_LEAST):
        return compute_capability(text)
    # After `>=` a number alone is a major one: `>=12` is 12.0, where `12.0` alone must have its point.
    return AT_LEAST + compute_capability(f"{least}.0" if re.fullmatch("[0-9]{1,2}", least) else least)


def _mode(text: str) -> str:
    if text not in {"on", "off"}:
        raise ValueError("should be 'on' or 'off'")
    return text


def _each(check: Callable[[str], str]) -> PlainValidator:
    """Return what takes one text or a list of them, any of which may match, each of them as `check` returns it."""

    def validated(given: object) -> tuple[str, ...]:
        values = [given] if isinstance(given, str) else given
        if not isinstance(values, list) or not values or not all(isinstance(value, str) for value in values):
            raise ValueError("should be a text, or a list of texts that isn't empty")
        try:
            return tuple(check(value) for value in values)
        except ValueError as error:
            raise ValueError(str(error) if isinstance(given, str) else f"one of its values {error}") from None

    return PlainValidator(validated)


Patterns = Annotated[tuple[str, ...], _each(_pattern)]
Computes = Annotated[tuple[str, ...], _each(_compute)]
Modes = Annotated[tuple[str, ...], _each(_mode)]


class Ruling(Table):
    """Who decided, when, in which words."""

    by: Text | None = None
    on: datetime.date | None = None
    words: Text | None = None


class Selector(Table):
    """What a decision covers: all that is given must match, and at least one thing must be given.

    Each selector is a text, or a list of texts of which one must match.
    """

    AXES: ClassVar[tuple[str, ...]] = (
        "model", "arch", "quant", "host", "compute", "verb", "context", "thinking", "kernel",
    )  # fmt: skip

    model: Patterns | None = None
    arch: Patterns | None = None
    quant: Patterns | None = None
    host: Patterns | None = None
    compute: Computes | None = None
    verb: Patterns | None = None
    context: Patterns | None = None
    thinking: Modes | None = None
    kernel: Patterns | None = None

    def given(self) -> dict[str, tuple[str, ...]]:
        """The selectors that are set, by the name of their axis."""
        return {axis: value for axis in self.AXES if (value := getattr(self, axis)) is not None}

    @model_validator(mode="after")
    def _selects_something(self) -> Self:
        if not self.given():
            axes = ", ".join(self.AXES)
            raise ValueError(f"selects nothing by name, and so would cover every cell; give one of {axes}")
        return self


class Decision(Selector):
    """What every decision says of itself: its ticket, when it begins and ends, why, and what users are told.

    `since` is the first release that it applies to, so that one file can tell the decisions of several. It ends with
    the release `until`, and with the end of the day `expires`, UTC, where that comes sooner. `symptom` is what a user
    will see, and `instead` what to do about it.
    """

    id: Name | None = None
    issue: Issue | None = None
    since: VersionText | None = None
    until: VersionText | None = None
    expires: datetime.date | None = None
    why: Text | None = None
    symptom: Text | None = None
    instead: Text | None = None

    @model_validator(mode="after")
    def _begins_before_it_ends(self) -> Self:
        if self.since and self.until and versions.parse(self.since) >= versions.parse(self.until):
            raise ValueError(f"begins with {self.since} and ends with {self.until}, and so would never apply")
        return self


class Declaim(Decision):
    """A claim withdrawn: its cells leave the owed set until the release `until`, and the notes must say so.

    With `warning`, the product must warn of it: each cell then owes a run that warned and
    named the ticket.
    """

    ruling: Ruling = Field(default_factory=Ruling)
    warning: bool = False


class KnownFailure(Decision):
    """A red cell, kernel or suite that ships under a scope, re-proven red for the same reason at every release.

    `check` says what is red: each finding must be one of its texts, or match one that is written as a glob. It may
    select a suite, and rows of it, in place of cells.
    """

    AXES: ClassVar[tuple[str, ...]] = (*Selector.AXES, "suite", "row")

    check: Patterns | None = None
    suite: Patterns | None = None
    row: Patterns | None = None

    @model_validator(mode="after")
    def _a_suite_or_cells(self) -> Self:
        if self.row is not None and self.suite is None:
            raise ValueError("names a row, and not the suite that it is a row of")
        if self.suite is not None and len(self.given()) > (1 if self.row is None else 2):
            raise ValueError("selects a suite and cells; a suite has no model, host or verb: write two known failures")
        return self


class Scope(Table):
    """A narrower gate for exactly one release: what concerns other models than these is told, and not owed.

    `issue` is the ticket that carries what is red of them.
    """

    release: VersionText
    name: Name
    models: Patterns
    issue: Issue | None = None
    ruling: Ruling = Field(default_factory=Ruling)


class Retire(Table):
    """Something given up for good with `release`: what an earlier release owed, and this one and all later ones don't.

    Its selectors name what is gone, and at least one is given: each is a text, or a list of texts of which one must
    match, and all that are given must. A host or verb that is gone is no more in the rules, so that any name is one.
    """

    id: Name | None = None
    issue: Issue | None = None
    release: VersionText | None = None
    why: Text | None = None
    ruling: Ruling = Field(default_factory=Ruling)
    host: Patterns | None = None
    gpu: Patterns | None = None
    compute: Patterns | None = None
    model: Patterns | None = None
    arch: Patterns | None = None
    quant: Patterns | None = None
    verb: Patterns | None = None
    thinking: Modes | None = None
    context: Patterns | None = None
    backend: Patterns | None = None
    kernel: Patterns | None = None
    shape: Patterns | None = None
    suite: Patterns | None = None
    row: Patterns | None = None
    require: Patterns | None = None
    claim: Patterns | None = None
    constraint: Patterns | None = None
    rules: Patterns | None = None

    def given(self) -> dict[str, tuple[str, ...]]:
        """The selectors that are set, by the name of their axis."""
        return {axis: value for axis in RETIRE_AXES if (value := getattr(self, axis)) is not None}

    @model_validator(mode="after")
    def _selects_something(self) -> Self:
        if not self.given():
            raise ValueError(f"names nothing that is given up; give one of {', '.join(RETIRE_AXES)}")
        return self


RETIRE_AXES = tuple(name for name in Retire.model_fields if name not in {"id", "issue", "release", "why", "ruling"})


class DecisionsDocument(Table):
    """The document that `claims.toml` is. `release` is the one that they are for, where they are for one alone."""

    release: VersionText | None = None
    declaim: list[Declaim] = []
    known_failure: list[KnownFailure] = []
    scope: list[Scope] = []
    retire: list[Retire] = []

    @model_validator(mode="after")
    def _ids_are_told_apart(self) -> Self:
        ids = [d.id for d in self.declaim if d.id] + [k.id for k in self.known_failure if k.id]
        ids += [r.id for r in self.retire if r.id]
        twice = next((name for name in ids if ids.count(name) > 1), None)
        if twice is not None:
            raise ValueError(f"two decisions have the id {twice!r}")
        return self


@dataclass(frozen=True, slots=True)
class Decisions:
    """The decisions, and the file that they stand in (None where the project has none)."""

    file: InputFile | None
    document: DecisionsDocument


def read(rules: Rules) -> Decisions:
    """Return the decisions: the file that the rules name, or `claims.toml` where one stands beside them, or none.

    Raises:
        BadFile: the file that the rules name is missing; or the file is unreadable or malformed.
    """
    shown = rules.document.project.decisions
    path = rules.folder / (shown or DEFAULT_FILE)
    if shown is None and not path.is_symlink() and not path.exists():
        return Decisions(None, DecisionsDocument())
    file = read_input(path, shown or DEFAULT_FILE)
    document = toml_model(file, DecisionsDocument)
    _refuse_unknown_hosts(file, document, rules)
    return Decisions(file, document)


def _refuse_unknown_hosts(file: InputFile, document: DecisionsDocument, rules: Rules) -> None:
    kinds: dict[str, Sequence[Selector]] = {"declaim": document.declaim, "known_failure": document.known_failure}
    for kind, found in kinds.items():
        for index, decision in enumerate(found):
            for host in decision.host or ():
                if not is_glob(host) and rules.host_named(host) is None:
                    known = ", ".join(h.id for h in rules.document.hosts)
                    line = strict_toml.line_of(file, (kind, index, "host"))
                    place = f"line {line}, {kind}[{index}].host"
                    raise BadFile(file.path, place, f"no rule knows {host!r}", f"Known: {known}.")
