"""A second opinion: another engine, written by others in another language, judges the same graph by the same shapes.

It is `shacl`, an optional extra. Both must reject the same nodes, by the same constraints, for the same values. Where
they don't, one of them is wrong, nobody knows which, and nothing was judged.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from rdflib import BNode, Literal, URIRef
from rdflib.namespace import RDF, SH, XSD
from rdflib.plugins.parsers.ntriples import unquote

from gate.errors import CallersError, Declined
from gate.graph import serialize
from gate.shape_lint import list_items

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import ModuleType

    import shacl
    from rdflib import Graph
    from rdflib.term import Node as Term

    from gate.judging.judge import Engine, Judgement, Result
    from gate.nodes import Nodes
    from gate.shape_files import Shapes

PACKAGE = "shacl>=0.3.4"  # what the extra `cross-check` of pyproject.toml asks for
_CLOSED = "ClosedConstraintComponent"  # its path is the property that is one too many, which a `Result` doesn't keep
_NAMED = 3  # how many differences an error names


class Opinion(NamedTuple):
    """A result as both engines can say it: terms without their syntax, the path as SPARQL writes it."""

    focus: str
    shape: str
    component: str
    value: str
    severity: str
    path: str

    def __str__(self) -> str:
        """Return it as an error names it."""
        value = f" for {self.value}" if self.value else ""
        return (
            f"{self.component} of {self.shape} rejects {self.focus}{value} ({self.severity}, path {self.path or '-'})"
        )


class Agreed:
    """An engine whose every result a second one must confirm: what `gate check --cross-check` judges with."""

    def __init__(self, engine: Engine) -> None:
        _library()  # refused before anything is read
        self.engine = engine

    def judge(self, nodes: Nodes, shapes: Shapes) -> Judgement:
        """Return what the engine says.

        Raises:
            Declined: the second engine doesn't agree.
        """
        judgement = self.engine.judge(nodes, shapes)
        agree(nodes.graph(), shapes, judgement.results)
        return judgement


def agree(graph: Graph, shapes: Shapes, results: Iterable[Result]) -> None:
    """Let a second engine judge `graph`, and compare its results with `results` one by one, as often as they occur.

    Raises:
        CallersError: the second engine isn't installed.
        Declined: the two disagree, or the second one can't judge.
    """
    first = Counter(_first(result, shapes) for result in results)
    second = Counter(_second_opinions(graph, shapes))
    if first == second:
        return
    only_first, only_second = (first - second), (second - first)
    named = [f"only the judge: {one}" for one in sorted(only_first.elements())[:_NAMED]]
    named += [f"only the second engine: {one}" for one in sorted(only_second.elements())[:_NAMED]]
    count = only_first.total() + only_second.total()
    results_differ = "1 result differs" if count == 1 else f"{count} results differ"
    raise Declined(
        f"two engines judged, and they disagree: {results_differ} of {first.total()} and {second.total()}. "
        + "; ".join(named)
    )


def _library() -> ModuleType:
    try:
        import shacl
    except ImportError:
        raise CallersError(
            f"--cross-check: the second engine isn't installed. Install it beside the gate: pip install '{PACKAGE}'."
        ) from None
    return shacl


def _first(result: Result, shapes: Shapes) -> Opinion:
    # pyshacl gives a result of a property shape that shape's own path, and of a node shape none.
    path = None if result.component == _CLOSED else shapes.graph.value(URIRef(result.shape), SH.path)
    focus, value = result.focus_said, result.value_said
    return Opinion(
        focus=_term(URIRef(result.focus) if focus is None else focus.term()),
        shape=result.shape,
        component=result.component,
        value="" if value is None else _term(value.term()),
        severity=result.severity,
        path="" if path is None else _path(shapes.graph, path),
    )


def _second_opinions(graph: Graph, shapes: Shapes) -> list[Opinion]:
    library = _library()
    try:
        # As N-Triples: of all forms the one that leaves least to read wrongly.
        compiled = library.Shapes.from_text(serialize(shapes.graph, "nt"), format="ntriples")
        report = compiled.validate_text(serialize(graph, "nt"), format="ntriples")
    except Exception as error:  # noqa: BLE001 - whatever another's engine raises, it has not judged
        words = str(error).strip().splitlines() or [type(error).__name__]
        raise Declined(f"the second engine can't judge: {words[0]}") from None
    if len(compiled) == 0:
        raise Declined("the second engine found no shapes: nothing was judged twice")
    return [_second(one) for one in report.results]


def _second(result: shacl.Result) -> Opinion:
    value = result.value
    return Opinion(
        focus=_read(result.focus_node),
        shape=(result.source_shape or "").removeprefix("<").removesuffix(">"),
        component=result.component,
        value="" if value is None else _read(value),
        severity=result.severity.lower(),
        path="" if result.component == _CLOSED else result.path or "",
    )


def _read(written: str) -> str:
    """Return a term of N-Triples as `_term` writes it."""
    if written.startswith("_:"):
        return "_:"
    if written.startswith("<"):
        return f"<{unquote(written[1:-1])}>"
    lexical, _, suffix = written[1:].rpartition('"')
    return f'"{unquote(lexical)}"{suffix.lower() if suffix.startswith("@") else suffix}'


def _term(term: Term) -> str:
    """Return a term in one spelling.

    What the engines may spell differently and mean alike is spelled alike: a plain string and one typed `xsd:string`
    are the same since RDF 1.1, a language's case says nothing, `inf` is Python's word for `INF`, and the names of blank
    nodes are each engine's own.
    """
    if isinstance(term, BNode):
        return "_:"
    if not isinstance(term, Literal):
        return f"<{term}>"
    suffix = f"@{term.language.lower()}" if term.language else ""
    if term.datatype is not None and term.datatype not in {XSD.string, RDF.langString}:
        suffix = f"^^<{term.datatype}>"
    return f'"{_INFINITE.get(str(term), str(term)) if term.datatype == XSD.double else term}"{suffix}'


_INFINITE = {"inf": "INF", "-inf": "-INF"}
_REPEATED: dict[Term, str] = {SH.zeroOrMorePath: "*", SH.oneOrMorePath: "+", SH.zeroOrOnePath: "?"}


def _path(graph: Graph, path: Term) -> str:
    """Return a path as SPARQL writes it, each step in parentheses as the second engine has them."""
    if isinstance(path, URIRef):
        return f"<{path}>"
    if (path, RDF.first, None) in graph:
        return f"({'/'.join(_path(graph, part) for part in list_items(graph, path))})"
    for kind, inner in graph.predicate_objects(path):
        if kind == SH.alternativePath:
            return f"({'|'.join(_path(graph, part) for part in list_items(graph, inner))})"
        if kind == SH.inversePath:
            return f"^{_path(graph, inner)}"
        if kind in _REPEATED:
            return f"({_path(graph, inner)}){_REPEATED[kind]}"
    return "?"
