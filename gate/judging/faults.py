"""Values that a constraint rejects: what a canary is made of.

Each is as near as can be to what the constraint allows, and rejected by SHACL's own words (W3C Recommendation, 20 July
2017, section 4), not by what an engine says.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import TYPE_CHECKING

from rdflib import Graph, Literal, URIRef
from rdflib.namespace import RDF, SH, XSD

from gate.iris import Iri
from gate.shape_lint import list_items

if TYPE_CHECKING:
    from collections.abc import Callable

    from rdflib.term import Node as Term

Value = Iri | bool | int | str

MOST = 1000  # values, or characters of one, that are planted for a constraint

# Components that reject where values are absent: the canary that lacks everything shows them.
LACKING = {SH.minCount, SH.hasValue, SH.qualifiedMinCount}
# Components that are judged between one property's values and another's.
PAIRED = {SH.equals, SH.disjoint, SH.lessThan, SH.lessThanOrEquals}

_TEXTS = ("", "canary", "0", "A", " ")  # tried against a pattern, in this order
_LITERALS = {SH.Literal, SH.BlankNodeOrLiteral, SH.IRIOrLiteral}
_IRIS = {SH.IRI, SH.BlankNodeOrIRI, SH.IRIOrLiteral}


def component(parameter: Term) -> str:
    """Return the local name of the constraint component that a parameter belongs to: `MinCountConstraintComponent`."""
    name = str(parameter).removeprefix(str(SH))
    return f"{name[0].upper()}{name[1:]}ConstraintComponent"


def _unlisted(graph: Graph, head: Term, fresh: Iri) -> Value:
    """Return a value that a list doesn't hold: of the kind that it holds."""
    items = set(list_items(graph, head))
    kinds = {item.datatype for item in items if isinstance(item, Literal)}
    near: tuple[Value, ...] = (False, True, 0, 1, "canary")
    return next((v for v in near if Literal(v).datatype in kinds and Literal(v) not in items), fresh)


def _kind(allowed: Term, fresh: Iri) -> Value | None:
    if allowed not in _LITERALS:
        return "canary"
    return None if allowed in _IRIS else fresh


def _no_match(graph: Graph, shape: Term, pattern: Term) -> str | None:
    if graph.value(shape, SH.flags) is not None:
        pattern = Literal(f"(?{graph.value(shape, SH.flags)}){pattern}")
    try:
        return next((text for text in _TEXTS if re.search(str(pattern), text) is None), None)
    except re.error:
        return None  # flags that Python has no word for


def _beyond(rounded: Callable[[int | float | Decimal], int], step: int) -> Callable[[Graph, Term, Term, Iri], Value]:
    """Return what goes beyond a bound by as little as a whole number can."""

    def value(_graph: Graph, _shape: Term, bound: Term, _fresh: Iri) -> Value:
        number = getattr(bound, "value", None)
        return rounded(number) + step if isinstance(number, (int, float, Decimal)) else 0

    return value


def _text_of(length: Term, step: int) -> str | None:
    wanted = int(str(length)) + step
    return "x" * wanted if 0 <= wanted <= MOST else None


_BEYOND: dict[Term, Callable[[Graph, Term, Term, Iri], Value | None]] = {
    SH["in"]: lambda graph, _, head, fresh: _unlisted(graph, head, fresh),
    SH["class"]: lambda _graph, _shape, _class, fresh: fresh,
    SH.datatype: lambda _graph, _shape, datatype, _: 1 if datatype in {XSD.string, RDF.langString} else "1",
    SH.nodeKind: lambda _graph, _shape, kind, fresh: _kind(kind, fresh),
    SH.pattern: lambda graph, shape, pattern, _: _no_match(graph, shape, pattern),
    SH.minLength: lambda _graph, _shape, length, _: _text_of(length, -1),
    SH.maxLength: lambda _graph, _shape, length, _: _text_of(length, 1),
    SH.minInclusive: _beyond(math.ceil, -1),
    SH.minExclusive: _beyond(math.floor, 0),
    SH.maxInclusive: _beyond(math.floor, 1),
    SH.maxExclusive: _beyond(math.ceil, 0),
    SH.languageIn: lambda _graph, _shape, _languages, _: "canary",
    SH.node: lambda graph, _, shape, fresh: fresh if rejects(graph, shape, fresh) else None,
    SH["and"]: lambda graph, _, head, fresh: fresh if any(_each(graph, head, fresh)) else None,
    SH["or"]: lambda graph, _, head, fresh: fresh if all(_each(graph, head, fresh)) else None,
    SH.xone: lambda graph, _, head, fresh: fresh if all(_each(graph, head, fresh)) else None,
}  # fmt: skip


def rejected(graph: Graph, shape: Term, parameter: Term, argument: Term, fresh: Iri) -> Value | None:
    """Return a value that one constraint rejects; None where none can be derived.

    Args:
        graph: the shapes.
        shape: the shape that has the constraint.
        parameter: SHACL's: `sh:in`.
        argument: what the shape says of it.
        fresh: an IRI that nothing says anything of, and that no shape names.
    """
    found = _BEYOND.get(parameter)
    return None if found is None else found(graph, shape, argument, fresh)


def _each(graph: Graph, head: Term, fresh: Iri) -> list[bool]:
    return [rejects(graph, shape, fresh) for shape in list_items(graph, head)]


def rejects(graph: Graph, shape: Term, node: Iri, types: frozenset[Term] = frozenset()) -> bool:
    """Say whether a shape certainly rejects a node of these classes of which nothing else is said."""
    lacking = graph.value(shape, SH.path) is not None
    return any(
        lacks(graph, shape, parameter, argument) if lacking else refuses(graph, shape, parameter, argument, node, types)
        for parameter, argument in graph.predicate_objects(shape)
    )


def lacks(graph: Graph, shape: Term, parameter: Term, argument: Term, *, alone: bool = False) -> bool:
    """Say whether a constraint of a property shape certainly rejects a node that has no property.

    Args:
        graph: the shapes.
        shape: the property shape.
        parameter: SHACL's: `sh:minCount`.
        argument: what the shape says of it.
        alone: no other node leads to that node either.
    """
    path = graph.value(shape, SH.path)
    if parameter not in LACKING or path is None or not (alone or _forwards(graph, path)):
        return False
    # A path of no steps leads to the node itself, which is one value.
    least = int(str(argument)) if parameter != SH.hasValue else 1
    return least > (1 if parameter == SH.minCount and _stays(graph, path) else 0)


def refuses(
    graph: Graph, shape: Term, parameter: Term, argument: Term, node: Iri, types: frozenset[Term] = frozenset()
) -> bool:
    """Say whether one constraint of a node shape certainly rejects a node of these classes, and nothing else said."""
    if parameter == SH["class"]:
        return argument not in types
    if parameter == SH.nodeKind:
        return argument not in _IRIS
    if parameter == SH.pattern:
        return re.search(str(argument), str(node)) is None and graph.value(shape, SH.flags) is None
    if parameter in {SH.minLength, SH.maxLength}:
        over = len(node) - int(str(argument))
        return over < 0 if parameter == SH.minLength else over > 0
    if parameter in {SH.node, SH.property}:
        return rejects(graph, argument, node, types)
    if parameter in {SH["and"], SH["or"], SH.xone}:
        each = [rejects(graph, item, node, types) for item in list_items(graph, argument)]
        return any(each) if parameter == SH["and"] else all(each)
    # A fresh IRI is in no list, has no datatype or language, compares with no bound and equals no value.
    bounds = {SH.minInclusive, SH.minExclusive, SH.maxInclusive, SH.maxExclusive}
    return parameter in {SH["in"], SH.hasValue, SH.datatype, SH.languageIn, SH.equals} | bounds


def _parts(graph: Graph, path: Term) -> list[Term]:
    """Return the paths that a path is made of."""
    if (path, RDF.first, None) in graph:
        return list_items(graph, path)
    inner = list(graph.predicate_objects(path)) if not isinstance(path, URIRef) else []
    return [part for p, o in inner for part in (list_items(graph, o) if p == SH.alternativePath else [o])]


def _forwards(graph: Graph, path: Term) -> bool:
    return (path, SH.inversePath, None) not in graph and all(_forwards(graph, part) for part in _parts(graph, path))


def _stays(graph: Graph, path: Term) -> bool:
    """Say whether a path also leads to where it begins, whatever the graph holds."""
    if any((path, p, None) in graph for p in (SH.zeroOrMorePath, SH.zeroOrOnePath)):
        return True
    parts = [_stays(graph, part) for part in _parts(graph, path)]
    return bool(parts) and (all(parts) if (path, RDF.first, None) in graph else any(parts))


def steps(graph: Graph, path: Term) -> list[tuple[URIRef, bool]] | None:
    """Return one way along a path: its properties, each with whether it is walked backwards; None for no simple path.

    Of alternatives the first is walked, and of repetitions one.
    """
    if isinstance(path, URIRef):
        return [(path, False)]
    parts = _parts(graph, path)
    if (path, SH.inversePath, None) in graph:
        return [(part, True) for part in parts if isinstance(part, URIRef)] or None
    walked = [steps(graph, part) for part in (parts if (path, RDF.first, None) in graph else parts[:1])]
    return None if None in walked else [step for way in walked if way is not None for step in way]
