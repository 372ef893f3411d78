"""A falsifier: a green release with one thing changed, which must turn exactly its own finding red."""

from __future__ import annotations

import datetime
import functools
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rdflib import Graph, URIRef
from rdflib.namespace import RDFS

from gate.check import Request, check
from gate.iris import NAMESPACE, term
from gate.judging.canaries import planted
from gate.judging.canary import is_canary
from gate.judging.classes import Classes
from gate.judging.judge import Judgement, Result
from gate.judging.pyshacl_engine import PySHACL
from gate.nodes import Nodes
from gate.shape_files import Shapes, own_folder
from gate.verdict import Verdict
from tests.release import COMMIT, NOW, VERSION, Release, header

Finding = tuple[str, str, str]  # focus, property, reason

CELL = "lambda/alpha-q4_k_m.gguf/run/think-off/4k"
CELL_IRI = f"https://w3id.org/taggate/release/{VERSION}/cell/lambda/{'1' * 64}/run/think-off/4k"


def unchanged(_: Any) -> None:
    """Change nothing."""


@dataclass(frozen=True)
class Falsifier:
    """One change, the constraint that it breaks, and every finding of that severity that it causes.

    `change` edits the files. `edit` edits the graph, for a fault that no file can carry and that a bug of the gate's
    own could.
    """

    constraint: str
    component: str
    name: str
    finds: tuple[Finding, ...]
    change: Callable[[Release], None] = unchanged
    edit: Callable[[Graph], None] = unchanged
    severity: str = "violation"


def _canaries(shapes: Shapes) -> Judgement:
    """Judge the canaries: once for the same shapes, whatever is edited."""
    if shapes.digest not in _JUDGED:
        _JUDGED[shapes.digest] = PySHACL().judge(Nodes.of(planted(shapes).nodes), shapes)
    return _JUDGED[shapes.digest]


_JUDGED: dict[str, Judgement] = {}


class Recording(PySHACL):
    """pyshacl, which edits the graph first and keeps the results."""

    def __init__(self, edit: Callable[[Graph], None] = unchanged) -> None:
        self.edit = edit
        self.found: list[Result] = []

    def judge(self, nodes: Nodes, shapes: Shapes) -> Judgement:
        """Judge the edited graph; that the edit hides nodes from their shapes is what the shapes must say."""
        if any(map(is_canary, nodes)):
            return _canaries(shapes)
        graph = nodes.graph()
        focus_nodes = {file: list(shapes.focus_nodes(file, graph)) for file in shapes.files}
        self.edit(graph)
        self.found = self.results(graph, shapes)
        return Judgement("edited", self.found, focus_nodes)


class RecordingClasses(Classes):
    """The engine that judges one node of each class, which keeps what it said."""

    def __init__(self) -> None:
        self.found: list[Result] = []

    def judge(self, nodes: Nodes, shapes: Shapes) -> Judgement:
        if any(map(is_canary, nodes)):
            return _canaries(shapes)  # by classes they are judged by themselves, in the tests of the canaries
        judgement = super().judge(nodes, shapes)
        self.found = judgement.results
        return judgement


def judge(
    folder: Path, edit: Callable[[Graph], None] = unchanged, kind: type[Recording] = Recording
) -> tuple[Verdict, list[Result]]:
    """Judge the release in `folder`, and return the verdict with the judge's own results.

    Where the graph isn't edited, both engines judge: they must say the very same.
    """
    engine = kind(edit)
    request = Request(folder / "gate.toml", VERSION, now=datetime.datetime.fromisoformat(NOW))
    verdict = check(request, engine)
    _assert_numbers(verdict)
    if edit is unchanged:
        other = RecordingClasses()
        assert _said(check(request, other)) == _said(verdict)
        assert Counter(other.found) == Counter(engine.found)
    return verdict, engine.found


@functools.cache
def _numbers() -> frozenset[str]:
    vocabulary = Graph().parse(own_folder() / "vocabulary.ttl", format="turtle")
    return frozenset(str(s).removeprefix(NAMESPACE) for s in vocabulary.subjects(RDFS.range, URIRef(term("Number"))))


def _assert_numbers(verdict: Verdict) -> None:
    """Every fact is a number where the vocabulary says so, and nowhere else: shapes may compare these alone."""
    for node in verdict.nodes.values():
        for name, value in (*node.placed(), *node.facts):
            assert (type(value) in {int, float}) == (name in _numbers()), (node.iri, name, value)


def _said(verdict: Verdict) -> dict[str, Any]:
    """Return what a verdict says, but for how it was come to."""
    return verdict.to_json() | {"engine": None}


def row(**values: Any) -> Callable[[Release], None]:
    """Change the values of the row of `CELL`; None takes the key away."""

    def change(release: Release) -> None:
        found = release.row("lambda", "alpha-q4_k_m.gguf")
        for key, value in values.items():
            if value is None:
                del found[key]
            else:
                found[key] = value

    return change


def alone(release: Release) -> dict[str, Any]:
    """Move the row of `CELL` into a receipt of its own, and return that receipt to be changed."""
    found = release.row("lambda", "alpha-q4_k_m.gguf")
    release.receipt("lambda.json")["runs"].remove(found)
    own = header("taggate/run-receipt/v1", "lambda") | {"runs": [found]}
    release.documents[f"receipts/{VERSION}/own.json"] = own
    return own


def ladder(release: Release, **values: Any) -> None:
    """Move the row of `CELL` into an apr-model-ladder receipt of its own; None takes a field away."""
    found = release.row("lambda", "alpha-q4_k_m.gguf")
    release.receipt("lambda.json")["runs"].remove(found)
    del release.receipt("lambda.json")["release"]["binary_sha256"]  # which a ladder never names
    cell = {
        "file": found["model"]["file"], "sha256": found["model"]["sha256"], "verb": "run", "thinking": "off",
        "context": "4k", "verdict": "pass", "backend": "cuda", "fallback": False, "rc": 0, "prompt_tokens": 4096,
        "answer_chars": 3,
    }  # fmt: skip
    own = {
        "schema": "apr-model-ladder-receipt/v2", "host": "lambda", "version": VERSION, "apr_sha": COMMIT,
        "cells": [cell], **values,
    }  # fmt: skip
    release.documents[f"receipts/{VERSION}/own.json"] = {k: v for k, v in own.items() if v is not None}


def without(kind: str, prop: str) -> Callable[[Graph], None]:
    """Take a fact away from the nodes of one class."""

    def edit(graph: Graph) -> None:
        for subject in list(graph.subjects(None, URIRef(term(kind)))):
            graph.remove((subject, URIRef(term(prop)), None))

    return edit
