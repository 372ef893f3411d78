"""The shapes as graphs: parsed, named, checked, and what is read out of them. Nothing but this needs an RDF library.

`shape_files` keeps what is read here, and asks again only where a file has changed.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rdflib import BNode, Graph, Literal, URIRef
from rdflib.namespace import RDF, RDFS, SH

from gate import iris
from gate.errors import BadFile, Declined
from gate.files import InputFile, decode
from gate.graph import GATE
from gate.iris import local
from gate.shape import VOCABULARY, Said, Shape
from gate.shape_lint import (
    ANNOTATIONS,
    ANONYMOUS,
    TARGETS,
    all_shapes,
    check_all,
    list_items,
    plain_strings,
    references,
)  # fmt: skip
from gate.shape_numbers import refuse_incomparable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rdflib.term import Node as Term

# What a shape says that rejects nothing by itself: where it looks, and which shapes it leads to ...
_STEPS = {SH.path, SH.property, SH.severity, SH.flags, *TARGETS}
# ... and without asking anything of a node: whom it judges, where it looks, how it is worded and weighed.
_NO_CONSTRAINT = {SH.path, SH.property, SH.severity, SH.flags, SH.deactivated, RDF.type}

# A typed number of so many digits that the parser, which writes it out, would not come back.
_HUGE = re.compile(r"[\"'][-+.\d]*[eE][-+]?\d{4,}[\"']\s*\^\^")


def read(own: tuple[InputFile, ...], users: tuple[InputFile, ...]) -> Said:
    """Return what the built-in files and the user's own say, once they are found fit to judge.

    Raises:
        BadFile: a file of the user's can't be taken as it stands.
        Declined: a built-in file can't: the installation can't be trusted.
    """
    built_in = _trusted(own)
    graphs = {Path(file.path).stem: _graph(file) for file in users}
    _refuse_restatements(users, graphs, built_in)
    if users:
        everything = _union([built_in.everything, *graphs.values()])
        _refuse_unfit({file.path: graphs[Path(file.path).stem] for file in users}, everything, built_in.vocabulary)
    graphs = built_in.graphs | graphs
    return Said(
        {shape.iri: shape for name, graph in graphs.items() for shape in _shapes(name, graph)},
        {name: _file_order(graph) for name, graph in graphs.items()},
        {name: tuple(_targets(graph)) for name, graph in graphs.items()},
        _said_of(built_in.vocabulary, RDFS.label),
        _said_of(built_in.vocabulary, RDFS.comment),
    )


def _refuse_unfit(graphs: dict[str, Graph], everything: Graph, vocabulary: Graph) -> None:
    """Refuse what would make a shape pass unjudged; the arguments, and what is raised: see `check_all`."""
    check_all(graphs, everything, vocabulary)
    for path, graph in graphs.items():
        refuse_incomparable(path, graph, everything, vocabulary)


def judging(own: tuple[InputFile, ...], users: tuple[InputFile, ...]) -> Graph:
    """Return the graph that judges: all shapes, without what asks nothing of a node. The files were `read` before.

    Raises:
        BadFile: a file of the user's is no Turtle.
        Declined: a built-in file can't be taken as it stands.
    """
    built_in = _trusted(own)
    return _validating(_union([built_in.everything, *map(_graph, users)])) if users else built_in.judging


def own_of(users: tuple[InputFile, ...]) -> Graph:
    """Return the user's own part of the graph that judges; what is raised: see `judging`."""
    return _validating(_union(map(_graph, users)))


def asked(graph: Graph) -> Iterator[tuple[str, str, tuple[str, ...], frozenset[str]]]:
    """Yield what the graph that judges asks: the class targeted, the shape, the properties to it, its parameters."""
    for head, target in graph.subject_objects(SH.targetClass):
        for shape, via, parameters in _asked(graph, head, (), frozenset()):
            yield str(target).removeprefix(iris.NAMESPACE), shape, via, parameters


def _asked(
    graph: Graph, head: Term, via: tuple[str, ...], above: frozenset[Term]
) -> Iterator[tuple[str, tuple[str, ...], frozenset[str]]]:
    """Yield what a shape asks, and what those ask that it leads to. A path that is no property leads nowhere here."""
    path = graph.value(head, SH.path)
    parameters = {p for p in graph.predicates(head) if p not in _NO_CONSTRAINT and not local(p).startswith("target")}
    if parameters:
        yield str(head), via, frozenset(map(local, parameters))
    if path is not None and not isinstance(path, URIRef):
        return
    further = via if path is None else (*via, local(path))
    for child in graph.objects(head, SH.property):
        if child not in above:
            # A property shape constrains what its own path leads to, seen from the node that this one looks at.
            yield from _asked(graph, child, further, above | {head})


class NotKept(Exception):
    """A graph holds a literal that its text doesn't make again."""


def to_json(graph: Graph) -> dict[str, Any]:
    """Return a graph as `of_json` takes it: its terms, and its triples by their places among these.

    Raises:
        NotKept: it can't be written so.
    """
    terms: dict[Term, int] = {}
    triples = [[terms.setdefault(term, len(terms)) for term in triple] for triple in graph]
    return {"terms": [_written(term) for term in terms], "triples": triples}


def _written(term: Term) -> list[str | None]:
    if isinstance(term, Literal):
        written = [str(term), None if term.datatype is None else str(term.datatype), term.language]
        # The value of an xsd:token is of the text before its blanks were taken away, and that text is nowhere.
        if repr(getattr(_term(*written), "value", None)) != repr(term.value):
            raise NotKept(str(term))
        return written
    return [str(term)] if isinstance(term, URIRef) else [None, str(term)]


def of_json(found: Any) -> Graph:
    """Return the graph that `to_json` wrote, term by term the same.

    Raises:
        TypeError, ValueError, LookupError or AttributeError: it didn't write this.
    """
    terms = [_term(*written) for written in found["terms"]]
    graph = Graph(bind_namespaces="none")
    for s, p, o in found["triples"]:
        graph.add((terms[s], terms[p], terms[o]))
    return graph


def _term(text: str | None, kind: str | None = None, *language: str | None) -> Term:
    if text is None:
        return BNode(kind)
    if not language:
        return URIRef(text)
    # As it is spelled: 1.0 and 1.00 are equal numbers, and two terms.
    return Literal(text, datatype=None if kind is None else URIRef(kind), lang=language[0], normalize=False)


@dataclass(frozen=True, slots=True)
class _BuiltIn:
    """The built-in shapes: nothing changes these graphs, so that one process reads them once."""

    graphs: dict[str, Graph]
    vocabulary: Graph
    everything: Graph
    judging: Graph


def _trusted(own: tuple[InputFile, ...]) -> _BuiltIn:
    try:
        return _built_in(own)
    except BadFile as error:
        raise Declined(f"the gate's own shapes can't be trusted: {error}") from None


@functools.lru_cache(maxsize=2)  # `gate diff` judges two releases, and a hook as many as are pushed
def _built_in(files: tuple[InputFile, ...]) -> _BuiltIn:
    """Return the built-in shapes that these files hold.

    Raises:
        BadFile: one of them can't be taken as it stands.
    """
    graphs = {Path(file.path).stem: _graph(file) for file in files}
    vocabulary = graphs.pop(VOCABULARY)
    everything = _union(graphs.values())
    by_path = {file.path: graphs[stem] for file in files if (stem := Path(file.path).stem) in graphs}
    _refuse_unfit(by_path, everything, vocabulary)
    return _BuiltIn(graphs, vocabulary, everything, _validating(everything))


def _said_of(vocabulary: Graph, annotation: URIRef) -> dict[str, str]:
    said = {str(s).removeprefix(iris.NAMESPACE): str(o) for s, o in vocabulary.subject_objects(annotation)}
    return dict(sorted(said.items()))


def _union(graphs: Iterable[Graph]) -> Graph:
    everything = Graph(bind_namespaces="none")
    for graph in graphs:
        everything += graph
    return everything


def _validating(everything: Graph) -> Graph:
    """Return the shapes without the triples that SHACL calls non-validating: engines read all of them at each node."""
    judged = Graph(bind_namespaces="none")
    for triple in everything:
        if triple[1] not in ANNOTATIONS and triple[1:] != (RDF.type, SH.PropertyShape):  # known by its path
            judged.add(triple)
    return judged


def turtle(file: InputFile) -> Graph:
    """Return the Turtle in `file`.

    Raises:
        BadFile: it is none, or no graph that could be judged with.
    """
    from rdflib.plugins.parsers.notation3 import BadSyntax

    graph = Graph(bind_namespaces="none")
    text = decode(file)
    if (huge := _HUGE.search(text)) is not None:
        line = text.count("\n", 0, huge.start()) + 1
        raise BadFile(file.path, f"line {line}", f"{huge[0]} is no number to compare with")
    try:
        graph.parse(data=text, format="turtle", publicID=f"file:///{file.path}")
    except BadSyntax as error:
        line = error.lines + 1
        raise BadFile(file.path, f"line {line}", f"it is not Turtle: {error._why}") from None  # noqa: SLF001
    except (RecursionError, ValueError, ArithmeticError, IndexError) as error:  # the last: it ends within a statement
        why = "it is nested too deeply" if isinstance(error, RecursionError) else f"it is not Turtle: {error}"
        raise BadFile(file.path, "", why) from None
    return graph


def _graph(file: InputFile) -> Graph:
    """Return the Turtle in `file`, its anonymous shapes named, so that a finding can say which of them rejects."""
    return _named(turtle(file), Path(file.path).stem)


def _named(graph: Graph, stem: str) -> Graph:
    """Give each anonymous shape an IRI made of its file and its place below the shape that it belongs to."""
    names: dict[Term, URIRef] = {}
    order = functools.partial(_print, graph)

    def visit(parent: Term, name: str) -> None:
        children = [c for c in references(graph, parent) if isinstance(c, BNode) and c not in names]
        for index, child in enumerate(sorted(children, key=order), start=1):
            names[child] = URIRef(f"{name}/{index}")
            visit(child, f"{name}/{index}")

    # The whole IRI of a root is one segment, quoted: two roots, or a root and another's child, never share a name.
    for root in sorted({s for s in graph.subjects() if isinstance(s, URIRef)}):
        visit(root, f"{ANONYMOUS}{iris.quote(stem)}:{iris.quote(str(root))}")
    nameless = {s for s in all_shapes(graph) if isinstance(s, BNode) and s not in names}
    for index, lone in enumerate(sorted(nameless, key=order), start=1):
        names[lone] = URIRef(f"{ANONYMOUS}{iris.quote(stem)}:/{index}")
        visit(lone, str(names[lone]))
    for s, p, o in [t for t in graph if t[0] in names or t[2] in names]:
        graph.remove((s, p, o))
        graph.add((names.get(s, s), p, names.get(o, o)))
    return plain_strings(graph)


def _print(graph: Graph, node: Term, depth: int = 6) -> str:
    """Return a text of a node's triples in which no blank node's own name appears."""
    if not isinstance(node, BNode):
        return str(node.n3())
    if depth == 0:
        return "[]"
    return str(sorted((str(p), _print(graph, o, depth - 1)) for p, o in graph.predicate_objects(node)))


def _refuse_restatements(users: tuple[InputFile, ...], graphs: dict[str, Graph], own: _BuiltIn) -> None:
    """Refuse a user's file that speaks of a built-in shape or term: it could weaken what stands there."""
    if not users:
        return
    taken = {s for graph in (*own.graphs.values(), own.vocabulary) for s in graph.subjects() if isinstance(s, URIRef)}
    defined: dict[Term, str] = {}
    for file in users:
        for subject in set(graphs[Path(file.path).stem].subjects()):
            if subject in taken:
                raise BadFile(
                    file.path, str(subject), "this is the gate's own, and a project can't change what it says",
                    "Write a shape of another name that targets the same class: all shapes must hold.",
                )  # fmt: skip
            if isinstance(subject, URIRef) and defined.setdefault(subject, file.path) != file.path:
                raise BadFile(file.path, str(subject), f"{defined[subject]} says something of it too")


def _file_order(graph: Graph) -> float:
    """Return the least `sh:order` of the file's targeted shapes: a cause stands before what it breaks."""
    targeted = {s for target in TARGETS for s in graph.subjects(target)}
    return min((float(str(o)) for s in targeted for o in graph.objects(s, SH.order)), default=0.0)


def _targets(graph: Graph) -> Iterator[tuple[str, str]]:
    yield from sorted({(str(p), str(o)) for p in TARGETS for o in graph.objects(None, p)})


def _shapes(file: str, graph: Graph) -> Iterator[Shape]:
    for shape in sorted(set(all_shapes(graph)), key=str):
        path = graph.value(shape, SH.path)
        name = _text(graph, shape, SH.name) or (local(path) if isinstance(path, URIRef) else "")
        order = graph.value(shape, SH.order)
        yield Shape(
            iri=str(shape),
            file=file,
            path=local(path) if isinstance(path, URIRef) else "",
            name=str(name or local(shape)),
            order=float(str(order)) if order is not None else 0.0,
            message=_text(graph, shape, SH.message) or _text(graph, shape, SH.description),
            because=local(graph.value(shape, GATE.because) or GATE.failed),
            shows=_listed(graph, shape, GATE.shows),
            mentions=_listed(graph, shape, GATE.mentions),
            description=_text(graph, shape, SH.description),
            remedy=_text(graph, shape, GATE.remedy),
            constrains=any(str(p).startswith(str(SH)) for p in set(graph.predicates(shape)) - ANNOTATIONS - _STEPS),
        )


def _text(graph: Graph, shape: Term, annotation: URIRef) -> str:
    """Return what a shape says of itself: the first in order where it says it in several languages."""
    return min(map(str, graph.objects(shape, annotation)), default="")


def _listed(graph: Graph, shape: Term, annotation: URIRef) -> tuple[str, ...]:
    return tuple(local(item) for head in graph.objects(shape, annotation) for item in list_items(graph, head))
