"""The cases of the W3C's SHACL test suite, its Core part, as this project's shapes and graphs are.

They are not this project's files, and none of them lies in it. pyshacl's source distribution carries them, which pip
brings into pytest's cache once, checked by its digest. On a CI runner a distribution that can't be had fails the tests.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from rdflib import BNode, Graph
from rdflib.namespace import RDF, SH, Namespace
from rdflib.term import Node as Term

from gate.shape_lint import list_items

# The distribution that the cases come from: this one always, whichever pyshacl judges.
_PYSHACL = "0.40.1"
_SHA256 = "011e3cf1a68b31747cb762ba3d755ae1bdcc464c8fad0dc212a9adc550719552"
_CASES = f"pyshacl-{_PYSHACL}/test/resources/sht_tests/core/"

_MF = Namespace("http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#")
_SHT = Namespace("http://www.w3.org/ns/shacl-test#")


class Expected(NamedTuple):
    """One result of a case. A blank node is no more than that it is one: its name is each reader's own."""

    focus: str
    component: str
    value: str
    severity: str
    path: str
    shape: str


class Case(NamedTuple):
    """A case: what is judged, by which shapes, and every result. `expected` is None for a failure to be reported."""

    name: str
    data: Graph
    shapes: Graph
    expected: list[Expected] | None


def folder(kept: Path) -> Path:
    """Return the folder of the cases; a test that needs them is skipped, by name, where pip can't get them, but in CI.

    `kept` is where the distribution is kept from one run to the next.
    """
    archive = kept / f"pyshacl-{_PYSHACL}.tar.gz"
    if not archive.is_file():
        download(kept)
    if not archive.is_file():
        if os.environ.get("CI"):
            pytest.fail(f"pip could not get the source distribution of pyshacl {_PYSHACL}, which has the W3C's cases")
        pytest.skip(f"the W3C's cases are in the source distribution of pyshacl {_PYSHACL}, which pip could not get")
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    assert digest == _SHA256, f"{archive} is not the distribution that the cases are known from: its sha256 is {digest}"
    place = kept / _CASES
    if not (place / "manifest.ttl").is_file():
        with tarfile.open(archive) as opened:
            wanted = [member for member in opened.getmembers() if member.name.startswith(_CASES)]
            opened.extractall(kept, members=wanted, filter="data")
    return place


def download(kept: Path) -> None:
    """Let pip get the source distribution, into a folder of its own: several processes may do so at once."""
    own = kept / f"of-{os.getpid()}"
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += ["--no-binary", "pyshacl", "--dest", str(own), f"pyshacl=={_PYSHACL}"]
    subprocess.run(command, check=False, capture_output=True, timeout=300)
    for found in own.glob("*.tar.gz"):
        found.replace(kept / found.name)


def cases(root: Path) -> Iterator[Case]:
    """Yield every case that the manifests below `root` list, in the order of their names."""
    for path in sorted(_listed(root / "manifest.ttl")):
        manifest = Graph().parse(path, publicID=path.as_uri())
        for head in manifest.objects(None, _MF.entries):
            for entry in list_items(manifest, head):
                yield _case(manifest, entry, path, root)


def _listed(manifest: Path) -> Iterator[Path]:
    read = Graph().parse(manifest, publicID=manifest.as_uri())
    if (None, _MF.entries, None) in read:
        yield manifest
    for included in read.objects(None, _MF.include):
        yield from _listed(Path(str(included).removeprefix("file://")))


def _case(manifest: Graph, entry: Term, path: Path, root: Path) -> Case:
    action = manifest.value(entry, _MF.action)
    result = manifest.value(entry, _MF.result)
    assert action is not None
    assert result is not None, f"{path} says nothing of what is expected"
    graphs = [
        Graph().parse(str(place).removeprefix("file://"), format="turtle", publicID=str(place))
        for place in (manifest.value(action, _SHT.dataGraph), manifest.value(action, _SHT.shapesGraph))
    ]
    expected = None
    if (result, RDF.type, SH.ValidationReport) in manifest:
        expected = sorted(read(manifest, one) for one in manifest.objects(result, SH.result))
    return Case(str(path.relative_to(root)).removesuffix(".ttl"), *graphs, expected)


def read(report: Graph, result: Term) -> Expected:
    """Return a result of a report as it is compared."""
    parts = (SH.focusNode, SH.sourceConstraintComponent, SH.value, SH.resultSeverity, SH.resultPath, SH.sourceShape)
    focus, component, value, severity, path, shape = (report.value(result, part) for part in parts)
    words = [_word(report, term) for term in (focus, component, value, severity, path, shape)]
    return Expected(*words)


def _word(report: Graph, term: Term | None, depth: int = 8) -> str:
    """Return a term, and of a path that is a blank node what it says."""
    if not isinstance(term, BNode):
        return "" if term is None else str(term.n3())
    if depth == 0:
        return "[]"
    held = {*_PATHS, RDF.first, RDF.rest}
    said = sorted(f"{p.n3()} {_word(report, o, depth - 1)}" for p, o in report.predicate_objects(term) if p in held)
    return f"[{' ; '.join(said)}]"


_PATHS: set[Term] = {
    SH[name] for name in ("inversePath", "alternativePath", "zeroOrMorePath", "oneOrMorePath", "zeroOrOnePath")
}
