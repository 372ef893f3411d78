"""Whether shapes ask for less than they did.

That can't be told in general. So a shape that differs is taken to, unless all that differs is a bound that is tighter,
or a constraint more.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rdflib import BNode, Graph, Literal, URIRef
from rdflib.compare import to_isomorphic
from rdflib.namespace import RDF, SH

from gate import iris
from gate.obligations.ground import LostConstraint
from gate.shape_files import own_folder
from gate.shape_graphs import turtle
from gate.shape_lint import ANNOTATIONS, CONSTRAINTS, TARGETS, all_shapes, short

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rdflib.term import Node as Term

    from gate.files import InputFile

_RANK = {SH.Info: 0, SH.Warning: 1, SH.Violation: 2}
_AT_LEAST = {SH[name] for name in ("minCount", "minLength", "minInclusive", "minExclusive", "qualifiedMinCount")}
_AT_MOST = {SH[name] for name in ("maxCount", "maxLength", "maxInclusive", "maxExclusive", "qualifiedMaxCount")}
_MORE = (CONSTRAINTS | set(TARGETS)) - {SH.qualifiedValueShape}

Triple = tuple["Term", "Term", "Term"]


def lost(changed: Sequence[InputFile], now: Sequence[InputFile]) -> tuple[LostConstraint, ...]:
    """Return what `changed`, files of before, asked and the files of `now` don't: see `shape_history.lost`.

    Raises:
        BadFile: one of them is no Turtle.
    """
    later = {root: shape for file in now for root, shape in _shapes(file)}
    stems = {Path(file.path).stem for file in now}
    found: list[LostConstraint] = []
    for file in changed:
        stem = Path(file.path).stem
        shapes = _shapes(file)
        gone = [each for root, shape in shapes if (each := _lost(stem, root, shape, later.get(root))) is not None]
        whole = gone and stem not in stems and all(each.now == _GONE for each in gone) and len(gone) == len(shapes)
        found += [LostConstraint(stem, None, "a file of shapes", "no such file")] if whole else gone
    return tuple(found)


_GONE = "not there"
_ANONYMOUS = "anonymous:"


def _shapes(file: InputFile) -> list[tuple[str, Graph]]:
    """Return each shape of a file that has a name, and each other one that nothing leads to, with all that it says.

    The gate's own shapes of another version, of which a checkout of the gate has a copy, are no project's.
    """
    graph = turtle(file)
    heads = {head for head in all_shapes(graph) if isinstance(head, URIRef) or (None, None, head) not in graph}
    theirs = (own_folder() / Path(file.path).name).is_file()
    found = []
    for head in heads:
        said = Graph(bind_namespaces="none")
        pending = [head]
        while pending:
            for s, p, o in graph.triples((pending.pop(), None, None)):
                if p not in ANNOTATIONS and (p != RDF.type or s != head) and (s, p, o) not in said:
                    said.add((s, p, o))
                    pending += [o] if isinstance(o, BNode) else []
        name = str(head) if isinstance(head, URIRef) else f"{_ANONYMOUS}{_digest(said)}"
        if not (theirs and name.startswith(iris.NAMESPACE)):
            found.append((name, said))
    return sorted(found, key=lambda pair: pair[0])


def _digest(graph: Graph) -> str:
    """Return a text that two graphs share only where they differ in the names of their anonymous nodes at most."""
    return str(to_isomorphic(graph).internal_hash())  # type: ignore[no-untyped-call]


def _lost(file: str, root: str, before: Graph, now: Graph | None) -> LostConstraint | None:
    if now is None:
        # Without a name of its own it is called by its file, and was found by all that it says.
        name = f"{file} (anonymous)" if root.startswith(_ANONYMOUS) else root
        return LostConstraint(file, name, "judged", _GONE)
    was, _ = _parts(before, root)
    later, _ = _parts(now, root)
    if not _as_strict(before, now, root):
        return LostConstraint(file, root, _words(was - later), _words(later - was))
    return None


def _parts(graph: Graph, root: str) -> tuple[set[Triple], Graph]:
    """Return the triples of a shape that name no anonymous node, and a graph of the others."""
    plain = {triple for triple in graph if triple[0] == URIRef(root) and not isinstance(triple[2], BNode)}
    rest = Graph(bind_namespaces="none")
    for triple in set(graph) - plain:
        rest.add(triple)
    return plain, rest


def _as_strict(before: Graph, now: Graph, root: str) -> bool:
    (was, anonymous), (later, others) = _parts(before, root), _parts(now, root)
    if to_isomorphic(anonymous) != to_isomorphic(others):
        return False
    if _severity(later) < _severity(was):
        return False
    removed = [triple for triple in was - later if triple[1] != SH.severity]
    added = [triple for triple in later - was if triple[1] != SH.severity]
    for _, bound, value in removed:
        tighter = next((each for each in added if each[1] == bound and _tighter(bound, each[2], value)), None)
        if tighter is None:
            return False
        added.remove(tighter)
    return all(predicate in _MORE for _, predicate, _ in added)


def _severity(triples: set[Triple]) -> int:
    return min((_RANK.get(URIRef(str(o)), 0) for _, p, o in triples if p == SH.severity), default=_RANK[SH.Violation])


def _tighter(bound: Term, value: Term, was: Term) -> bool:
    """Say whether a number is a tighter bound of its kind than another."""
    if not isinstance(value, Literal) or not isinstance(was, Literal):
        return False
    try:
        if bound in _AT_LEAST:
            return bool(value.value > was.value)
        return bound in _AT_MOST and bool(value.value < was.value)
    except TypeError:
        return False


def _words(triples: set[Triple]) -> str:
    said = sorted(f"{short(p)} {short(o) if isinstance(o, URIRef) else o}" for _, p, o in triples)
    return ", ".join(said) or "as it was written"
