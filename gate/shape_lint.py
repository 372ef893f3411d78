"""Everything that would make a shape pass without having judged, refused before the check begins.

A shapes graph that says nothing conforms to everything: a shape that is deactivated, that nothing reaches or that
constrains nothing, a reference that leads nowhere or back to itself, a misspelt term, a path that the graph can't hold,
a bound that compares with nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from decimal import Decimal
from typing import TYPE_CHECKING
from urllib.parse import unquote

from rdflib import BNode, Graph, Literal, URIRef
from rdflib.namespace import OWL, RDF, RDFS, SH, XSD

from gate import iris
from gate.errors import BadFile
from gate.graph import GATE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rdflib.term import Node as Term

SEVERITIES = {SH.Violation, SH.Warning, SH.Info}
REFERENCES = (SH.node, SH.property, SH["not"], SH.qualifiedValueShape)
LISTS = (SH["and"], SH["or"], SH.xone)
TARGETS = (SH.targetClass, SH.targetNode, SH.targetSubjectsOf, SH.targetObjectsOf)
_PATHS = ("path", "inversePath", "alternativePath", "zeroOrMorePath", "oneOrMorePath", "zeroOrOnePath")
_PATH_TERMS = {SH[name] for name in _PATHS}

# The parameters of SHACL Core's constraint components (W3C Recommendation, 20 July 2017, section 4) ...
CONSTRAINTS = {SH[name] for name in (
    "class", "datatype", "nodeKind", "minCount", "maxCount", "minExclusive", "minInclusive", "maxExclusive",
    "maxInclusive", "minLength", "maxLength", "pattern", "languageIn", "uniqueLang", "equals", "disjoint", "lessThan",
    "lessThanOrEquals", "not", "and", "or", "xone", "node", "property", "qualifiedValueShape", "closed", "hasValue",
    "in",
)}  # fmt: skip
# ... and everything else that Core gives a meaning to (sections 2 and 3).
_CORE = CONSTRAINTS | _PATH_TERMS | set(TARGETS) | SEVERITIES | {SH[name] for name in (
    "NodeShape", "PropertyShape", "flags", "ignoredProperties", "qualifiedMinCount", "qualifiedMaxCount",
    "qualifiedValueShapesDisjoint", "severity", "message", "deactivated", "name", "description", "order", "group",
    "PropertyGroup", "defaultValue", "BlankNode", "IRI", "Literal", "BlankNodeOrIRI", "BlankNodeOrLiteral",
    "IRIOrLiteral",
)}  # fmt: skip
ANNOTATIONS = {SH.name, SH.description, SH.order, SH.group, SH.message, GATE.because, GATE.shows, GATE.mentions,
    GATE.remedy}  # fmt: skip
ANONYMOUS = "urn:taggate:shape:"  # how an anonymous shape is named for a finding
_HELD = {RDF.type, RDFS.label}  # what the graph holds beside the vocabulary's own properties


_PAIRS = (SH.equals, SH.disjoint, SH.lessThan, SH.lessThanOrEquals)
BOUNDS = ("minInclusive", "minExclusive", "maxInclusive", "maxExclusive")
_COUNTS = ("minCount", "maxCount", "qualifiedMinCount", "qualifiedMaxCount", "minLength", "maxLength")
_IDLE = {(SH.minCount, 0), (SH.qualifiedMinCount, 0), (SH.minLength, 0), (SH.closed, False), (SH.uniqueLang, False)}
_MOST_DIGITS = 30
_ONCE = {SH.order, SH.severity, SH.path, SH.deactivated, GATE.because, GATE.shows,
    GATE.mentions, GATE.remedy}  # fmt: skip
_FOREIGN = (str(RDF), str(RDFS), str(XSD), str(SH), str(OWL))


def check_all(graphs: dict[str, Graph], everything: Graph, vocabulary: Graph) -> None:
    """Refuse everything in `graphs` that would make a shape pass unjudged.

    Args:
        graphs: the files' graphs, by the path that messages name them by.
        everything: all shapes together: a file may refer to another's.
        vocabulary: the terms that a shape may use.

    Raises:
        BadFile: a file holds such a thing; the message names the shape.
    """
    referenced = {o for term in REFERENCES for o in everything.objects(None, term)}
    referenced |= {
        item for term in LISTS for head in everything.objects(None, term) for item in list_items(everything, head)
    }
    known = set(vocabulary.subjects()) | set(everything.subjects())
    for path, graph in graphs.items():
        _check(path, graph, everything, vocabulary, referenced, known)


def _check(
    path: str, graph: Graph, everything: Graph, vocabulary: Graph, referenced: set[Term], known: set[Term]
) -> None:
    if (None, OWL.imports, None) in graph:
        raise BadFile(path, "owl:imports", "nothing is imported", "Put the shapes into a file of this folder.")
    _check_terms(path, graph, known)
    _check_paths(path, graph, vocabulary)
    _check_values(path, graph)
    shapes = set(all_shapes(graph))
    if not any((shape, target, None) in graph for shape in shapes for target in TARGETS):
        raise BadFile(path, "", "it holds no shape with a target, and would judge nothing")
    for shape in sorted(shapes, key=str):
        if not _constrains(graph, shape):
            raise BadFile(path, short(shape), "the shape constrains nothing, and so passes always")
        if shape not in referenced and not any((shape, target, None) in graph for target in TARGETS):
            raise BadFile(path, short(shape), "no target and no other shape leads to this shape")
        for child in references(graph, shape):
            if (child, None, None) not in everything:
                raise BadFile(path, short(shape), f"it refers to {short(child)}, which is no shape")
        _refuse_cycle(path, shape, everything)


def _constrains(graph: Graph, shape: Term) -> bool:
    """Say whether a shape has a parameter that can reject anything."""
    # What a sh:qualifiedValueShape asks stands in how many values there must be, or may be.
    asked = CONSTRAINTS - {SH.qualifiedValueShape}
    if (shape, SH.qualifiedValueShape, None) in graph:
        asked |= {SH.qualifiedMinCount, SH.qualifiedMaxCount}
    return any(p in asked and (p, getattr(o, "value", None)) not in _IDLE for p, o in graph.predicate_objects(shape))


def _refuse_cycle(path: str, shape: Term, everything: Graph) -> None:
    """Refuse a shape that leads back to itself: SHACL leaves open what it means, and engines pass it."""
    pending, seen = references(everything, shape), set()
    while pending:
        step = pending.pop()
        if step == shape:
            raise BadFile(path, short(shape), "the shape leads back to itself, which SHACL gives no meaning to")
        if step not in seen:
            seen.add(step)
            pending += references(everything, step)


def _check_terms(path: str, graph: Graph, known: set[Term]) -> None:
    for subject in set(graph.subjects()):
        if isinstance(subject, URIRef) and str(subject).startswith(_FOREIGN):
            raise BadFile(path, short(subject), "a project can't say what another vocabulary's term is")
    for term in sorted({term for triple in graph for term in triple if isinstance(term, URIRef)}):
        if term.startswith(str(SH)) and term not in _CORE:
            raise BadFile(path, short(term), "SHACL Core has no such term")
        if term.startswith(iris.NAMESPACE) and term not in known:
            raise BadFile(path, short(term), "the vocabulary has no such term, and no shape has this name")
    for s, o in graph.subject_objects(SH.deactivated):
        if str(o).lower() not in {"false", "0"}:
            raise BadFile(path, short(s), "the shape is deactivated", "Remove the shape, or that line of it.")
    for s, o in graph.subject_objects(SH.severity):
        if o not in SEVERITIES:
            raise BadFile(path, short(s), f"{short(o)} is no severity", "Use sh:Violation, sh:Warning or sh:Info.")


def _check_paths(path: str, graph: Graph, vocabulary: Graph) -> None:
    """Refuse a path through a property that the graph never holds: it would find nothing, and nothing is conformant."""
    pending = [o for term in (*_PATH_TERMS, *_PAIRS) for o in graph.objects(None, term)]
    seen: set[Term] = set()
    while pending:
        step = pending.pop()
        if isinstance(step, BNode):
            # Only the end of a list may be rdf:nil: as a step, an engine takes it for a property, which nothing has.
            inner = ({*graph.objects(step, RDF.rest)} - {RDF.nil} | {*graph.objects(step, RDF.first)}) - seen
            seen |= inner
            pending += inner
        elif step not in _HELD and (step, RDF.type, RDF.Property) not in vocabulary:
            raise BadFile(path, short(step), "the graph has no such property", "The vocabulary lists all.")
    for head in {o for term in (*LISTS, SH["in"], SH.languageIn, SH.path) for o in graph.objects(None, term)}:
        if isinstance(head, BNode) and (head, RDF.first, None) in graph:
            list_items(graph, head, path)


def _check_values(path: str, graph: Graph) -> None:
    for shape, pattern in graph.subject_objects(SH.pattern):
        try:
            re.compile(str(pattern))
        except re.error as error:
            raise BadFile(path, short(shape), f"{str(pattern)!r} is no regular expression: {error}") from None
    for name in BOUNDS:
        for shape, bound in graph.subject_objects(SH[name]):
            if not _comparable(bound):
                raise BadFile(path, short(shape), f"sh:{name} is {bound}, which is no number to compare with")
    for name in _COUNTS:
        for shape, count in graph.subject_objects(SH[name]):
            number = getattr(count, "value", None)
            if type(number) is not int or number < 0:
                raise BadFile(path, short(shape), f"sh:{name} is {count}, which is no whole number")
    for shape, order in graph.subject_objects(SH.order):
        if not _comparable(order):
            raise BadFile(path, short(shape), f"sh:order is {order}, which is no number")
    once = Counter((s, p) for s, p in ((s, p) for s, p, _ in graph if p in _ONCE))
    for (shape, predicate), times in sorted(once.items(), key=str):
        if times > 1:
            raise BadFile(path, short(shape), f"it has {times} values of {short(predicate)}, and one is right")


def _comparable(bound: Term) -> bool:
    """Say whether a literal is a finite number of a readable length.

    The graph holds no times, and pyshacl takes every number to be later than any of them.
    """
    value = getattr(bound, "value", None)
    if isinstance(value, Decimal):
        return value.is_finite() and abs(value.adjusted()) < _MOST_DIGITS  # 1e9999999999 takes for ever to compare
    if isinstance(value, float):
        return value == value and abs(value) != float("inf")
    return isinstance(value, int) and not isinstance(value, bool)


def plain_strings(graph: Graph) -> Graph:
    """Return `graph` with each `xsd:string` literal written plain, as the judged graph writes it.

    To rdflib the two are different terms, so that a shape over one would never see the other.
    """
    typed = [(s, p, o) for s, p, o in graph if isinstance(o, Literal) and o.datatype == XSD.string]
    for s, p, o in typed:
        graph.remove((s, p, o))
        graph.add((s, p, Literal(str(o))))
    return graph


def list_items(graph: Graph, head: Term, path: str = "shapes") -> list[Term]:
    """Return the items of an RDF list.

    Raises:
        BadFile: it has no end, or isn't a list.
    """
    items: list[Term] = []
    seen: set[Term] = set()
    while head != RDF.nil:
        firsts, rests = list(graph.objects(head, RDF.first)), list(graph.objects(head, RDF.rest))
        if head in seen or len(firsts) != 1 or len(rests) != 1:
            raise BadFile(path, "a list", "it does not go from item to item to its end")
        seen.add(head)
        items.append(firsts[0])
        head = rests[0]
    return items


def all_shapes(graph: Graph) -> Iterator[Term]:
    """Yield every shape of a graph, some of them more than once (SHACL, section 2.1)."""
    yield from graph.subjects(RDF.type, SH.NodeShape)
    yield from graph.subjects(RDF.type, SH.PropertyShape)
    for target in TARGETS:
        yield from graph.subjects(target)
    yield from graph.subjects(SH.path)
    for reference in REFERENCES:
        yield from (o for o in graph.objects(None, reference) if (o, None, None) in graph)


def references(graph: Graph, shape: Term) -> list[Term]:
    """Return the shapes that `shape` leads to."""
    found = [o for reference in REFERENCES for o in graph.objects(shape, reference)]
    for term in LISTS:
        found += [item for head in graph.objects(shape, term) for item in list_items(graph, head)]
    return found


def short(term: Term) -> str:
    """Return a term as its writer spelled it, as far as it can be known."""
    for prefix, namespace in (("gate", iris.NAMESPACE), ("sh", str(SH))):
        if str(term).startswith(namespace):
            return f"{prefix}:{str(term).removeprefix(namespace)}"
    if str(term).startswith(ANONYMOUS):
        file, _, name = str(term).removeprefix(ANONYMOUS).partition(":")
        root, _, place = name.partition("/")
        return f"the anonymous shape {place} of {unquote(root) or unquote(file)}"
    return "a shape without a name" if isinstance(term, BNode) else str(term)
