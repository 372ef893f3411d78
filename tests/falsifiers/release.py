"""What turns the release itself red. No file can carry most of these: they guard against the gate's own faults."""

from __future__ import annotations

from collections.abc import Callable

from rdflib import Graph, Literal, URIRef

from gate.iris import node, term
from tests.falsifiers.falsifier import Falsifier, without
from tests.release import OTHER_COMMIT, VERSION, Release

_RELEASE = URIRef(node(VERSION))


def _with(prop: str, value: str) -> Callable[[Graph], None]:
    return lambda graph: graph.add((_RELEASE, URIRef(term(prop)), Literal(value))) and None


def _short(graph: Graph) -> None:
    graph.set((_RELEASE, URIRef(term("commit")), Literal("c0ffee000")))


def _readme(release: Release) -> None:
    release.documents[f"receipts/{VERSION}/notes.txt"] = "not a receipt"


def _glob(release: Release) -> None:
    release.rules = release.rules.replace('owed = ["*q4_k*"]', 'owed = ["*q4_k*", "*q4-k*"]')


def _red(
    constraint: str, component: str, name: str, prop: str, reason: str, edit: Callable[[Graph], None]
) -> Falsifier:
    return Falsifier(constraint, component, name, ((VERSION, prop, reason),), edit=edit)


FALSIFIERS = [
    _red("Release-version", "MinCount", "no version", "version", "unidentified", without("Release", "version")),
    _red("Release-version", "MaxCount", "two versions", "version", "unidentified", _with("version", "0.70.0")),
    _red("Release-commit", "MinCount", "no commit", "commit", "unidentified", without("Release", "commit")),
    _red("Release-commit", "MaxCount", "two commits", "commit", "unidentified", _with("commit", OTHER_COMMIT)),
    _red("Release-commit", "Pattern", "a short commit", "commit", "unidentified", _short),
    _red("Release-requires", "MinCount", "no required host", "requires", "missing", without("Release", "requires")),
    Falsifier("Release-globs", "MaxCount", "a glob that matches nothing", ((VERSION, "owed", "idle"),), _glob, severity="warning"),
    Falsifier("Release-read", "MaxCount", "a file that nothing reads", ((VERSION, "read", "unread"),), _readme, severity="info"),
]  # fmt: skip
