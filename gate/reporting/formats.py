"""The formats of a verdict: one module each, imported when it renders, so that this table costs nothing to read."""

from __future__ import annotations

import importlib
import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gate.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Format:
    """A format: the module of this package that renders it, and what `--help` says of it.

    `begins` is how a file of it begins, by which a file that an earlier run left behind is known.
    """

    module: str
    says: str
    begins: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Artifact:
    """A file that the release ships: its name, and its sha256 in hex."""

    name: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Setting:
    """What a format is told beside the verdict.

    Args:
        root: the rules' folder, relative to the root of the repository; empty, or ending in a slash.
        artifacts: what the release ships.
    """

    root: str = ""
    artifacts: tuple[Artifact, ...] = ()

    def located(self, path: str) -> str | None:
        """Return `path`, which is relative to the rules' folder, as one of the repository; None where it leads out."""
        found = posixpath.normpath(self.root + path)
        return None if found.startswith(("../", "/")) or found in {".", ".."} else found


class _Renders(Protocol):
    def render(self, verdict: Verdict, setting: Setting) -> str:
        """Return the verdict in the module's format."""


_SARIF = (
    b'{\n "version": "2.1.0",\n "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/'
    b'sarif-schema-2.1.0.json",\n "runs": [\n  {\n   "tool": {\n    "driver": {\n     "name": "taggate"'
)
_JUNIT = b'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="taggate '
_VSA = (
    b'{\n "_type": "https://in-toto.io/Statement/v1",\n "predicateType": "https://slsa.dev/verification_summary/v1",\n'
    b' "predicate": {\n  "verifier": {\n   "id": "https://w3id.org/taggate"'
)
FORMATS: Mapping[str, Format] = {
    "text": Format("text", "for people: the causes, grouped", (b"CONFORMS ", b"REFUSED ")),
    "json": Format(
        "document", "taggate/verdict/v1, for machines: every finding", (b'{\n "schema": "taggate/verdict/',)
    ),
    "junit": Format("junit", "JUnit XML: one test case an obligation, the cells by host", (_JUNIT,)),
    "sarif": Format("sarif", "SARIF 2.1.0: one result a finding, with file and line", (_SARIF,)),
    "github": Format(
        "github",
        "workflow commands: annotations on files and lines",
        (b"::error title=taggate", b"::notice title=taggate"),
    ),
    "markdown": Format("summary", "a summary for a pull request or a job", (b"<!-- taggate: ",)),
    "ttl": Format("validation_report", "the SHACL validation report, with its inputs", (b"# taggate: ",)),
    "earl": Format("earl", "EARL 1.0 in Turtle: one assertion an obligation", (b"# taggate: ",)),
    "vsa": Format("vsa", "an in-toto statement of each --artifact, to be signed", (_VSA,)),
}
NEEDS_ARTIFACTS = "vsa"


def render(name: str, verdict: Verdict, setting: Setting) -> str:
    """Return the verdict in the format called `name`, without colors.

    Raises:
        KeyError: there is no such format.
    """
    if name == "text":
        from gate.reporting import text

        return text.render(verdict, color=False)
    if name == "json":
        from gate.reporting import document

        return document.render(verdict)
    module = cast("_Renders", importlib.import_module(f"gate.reporting.{FORMATS[name].module}"))
    return module.render(verdict, setting)


def is_one_of_ours(begins: bytes) -> bool:
    """Say whether a file that begins so is a verdict that an earlier run wrote, in whatever format."""
    return begins.lstrip().startswith(tuple(mark for form in FORMATS.values() for mark in form.begins))
