"""The files that a project begins with: rules, decisions, a ledger's first release, and a pipeline.

The templates stand in `starter/`. What they make is read back by the gate's own readers before any of it is written.
"""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from gate import contexts, decisions, files, rules, subject
from gate.errors import BadFile, CallersError, Declined
from gate.malformed import toml_model

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

FOLDER = "starter"
RULES, DECISIONS, LEDGER = "gate.toml", "claims.toml", "receipts"
CONTEXTS = f"{LEDGER}/contexts.json"
# Each CI's files: the one of `starter/`, and where its CI looks for it.
PIPELINES = {
    "github": {"github.yml": ".github/workflows/gate.yml"},
    "gitlab": {"gitlab.yml": ".gitlab-ci.yml", "gitlab-template.yml": ".gitlab/taggate.yml"},
}


@dataclass(frozen=True, slots=True)
class Host:
    """A machine that measures; None: any GPU, any compute capability."""

    id: str
    gpu: str | None = None
    compute: str | None = None


@dataclass(frozen=True, slots=True)
class Context:
    """A size of prompt: a name alone, or with its tokens and what they were derived from."""

    name: str
    tokens: int | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Project:
    """What a project says of itself when it begins. `pipeline` is a key of `PIPELINES`, or None."""

    name: str
    tag: str
    version: str
    commit: str
    hosts: tuple[Host, ...]
    verbs: tuple[str, ...]
    backend: str
    thinking: bool
    contexts: tuple[Context, ...]
    repository: str | None = None
    owed: tuple[str, ...] = ()
    suites: tuple[str, ...] = ()
    pipeline: str | None = None

    @property
    def sized(self) -> bool:
        """Whether the contexts have sizes, and so a file of their own."""
        return any(context.tokens is not None for context in self.contexts)

    def inventory(self, host: Host) -> str:
        """Return where the inventory of `host` belongs, relative to the project's folder."""
        return f"{LEDGER}/{self.version}/inventory-{host.id}.json"

    def rules(self) -> dict[str, Any]:
        """Return the document that `gate.toml` is to be."""
        document: dict[str, Any] = {
            "project": _known({
                "name": self.name, "repository": self.repository, "tag": self.tag, "ledger": LEDGER,
                "decisions": DECISIONS, "contexts": CONTEXTS if self.sized else None,
            }),
            "hosts": [
                _known({"id": host.id, "gpu": host.gpu, "compute": host.compute, "required": True})
                for host in self.hosts
            ],
            "cells": _known({
                "verbs": list(self.verbs), "backend": self.backend, "thinking": self.thinking,
                "contexts": None if self.sized else [context.name for context in self.contexts],
            }),
        }  # fmt: skip
        optional = {"models": {"owed": list(self.owed)}, "require": {"suites": list(self.suites)}}
        return document | {key: table for key, table in optional.items() if any(table.values())}


def paths(project: Project) -> list[str]:
    """Return the files that `project` begins with, in the order in which they are told."""
    found = [RULES, DECISIONS, f"{LEDGER}/{project.version}/{subject.RELEASE_FILE}"]
    found += [CONTEXTS] if project.sized else []
    return found + list(PIPELINES[project.pipeline].values() if project.pipeline else ())


def render(project: Project) -> dict[str, bytes]:
    """Return the files that `project` begins with, by their paths.

    Raises:
        CallersError: what the project says of itself makes no rules that the gate takes.
    """
    made = {
        RULES: _template("gate.toml.j2", project=project, ledger=LEDGER, decisions=DECISIONS, contexts=CONTEXTS),
        DECISIONS: _template("claims.toml"),
        f"{LEDGER}/{project.version}/{subject.RELEASE_FILE}": _template("release.toml.j2", project=project),
    }
    if project.sized:
        made[CONTEXTS] = _contexts(project)
    if project.pipeline:
        for name, path in PIPELINES[project.pipeline].items():
            made[path] = (_folder() / name).read_text(encoding="utf-8")
    found = {path: made[path].encode("utf-8") for path in paths(project)}
    _read_back(project, found)
    return found


def _contexts(project: Project) -> str:
    """Return the contexts file. A source that nobody gave is left out: the check asks for it."""
    records = [
        _known({"name": one.name, "tokens": one.tokens, "source": [one.source] if one.source else None})
        for one in project.contexts
    ]
    return json.dumps({"schema": "taggate/contexts/v1", "contexts": records}, indent=1, ensure_ascii=False) + "\n"


def _read_back(project: Project, found: Mapping[str, bytes]) -> None:
    """Read the files as a check does.

    Raises:
        CallersError: a reader refuses one of them.
        Declined: one says something else than it was made of: a template is broken.
    """
    with tempfile.TemporaryDirectory() as folder:
        files.write_new(Path(folder), found)
        try:
            read = rules.read(Path(folder, RULES))
            decisions.read(read)
            contexts.read(read)
            shown = f"{LEDGER}/{project.version}/{subject.RELEASE_FILE}"
            release = toml_model(files.read_input(Path(folder, shown), shown), subject.ReleaseFile)
        except BadFile as error:
            raise CallersError(f"what was said makes no rules that the gate takes\n  {error}") from None
    same = read.document == rules.RulesDocument.model_validate(project.rules())
    if not same or (release.version, release.commit) != (project.version, project.commit):
        raise Declined(f"{RULES} would say something else than was asked: the gate can't be trusted; report this")


def _folder() -> Path:
    """Return the folder of the templates: in the package where it is installed, beside it in a checkout.

    Raises:
        Declined: neither is there: the installation is broken.
    """
    package = Path(__file__).parent
    for candidate in (package / FOLDER, package.parent / FOLDER):
        if (candidate / "gate.toml.j2").is_file():
            return candidate
    raise Declined("the gate's starter files are missing from its installation; install it again")


def _template(name: str, **facts: Any) -> str:
    environment = Environment(
        loader=FileSystemLoader(_folder()), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        keep_trailing_newline=True, autoescape=False,  # noqa: S701 - TOML, whose values all go through `toml`
    )  # fmt: skip
    environment.filters["toml"] = _toml
    return environment.get_template(name).render(**facts)


def _toml(value: str | bool | Sequence[str]) -> str:  # noqa: FBT001 - a filter
    """Return `value` as TOML has it.

    JSON's strings, booleans and arrays of strings are TOML's too, but for U+007F, which TOML wants escaped.
    """
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _known(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}
