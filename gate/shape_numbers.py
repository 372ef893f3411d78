"""Refuses a shape that compares what is no number: SHACL rejects such a value, and pyshacl orders it all the same.

`true` is at most 3 to pyshacl, and a truth value less than any number (SHACL, sections 4.3 and 4.5: what can't be
compared is a violation). The vocabulary says of which properties the values are numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rdflib import Graph, URIRef
from rdflib.namespace import RDF, RDFS, SH

from gate.errors import BadFile
from gate.graph import GATE
from gate.shape_lint import BOUNDS, LISTS, REFERENCES, list_items, short

if TYPE_CHECKING:
    from rdflib.term import Node as Term

_ORDERS = (SH.lessThan, SH.lessThanOrEquals)
_NODE = RDFS.Resource  # stands for what is led to from the other end: a node, whose IRI no bound lets pass


def refuse_incomparable(path: str, graph: Graph, everything: Graph, vocabulary: Graph) -> None:
    """Refuse every bound and every order of two properties in `graph` that meets what is no number.

    Args:
        path: the file, for messages.
        graph: what it says.
        everything: all shapes together: another file may lead to a shape of this one.
        vocabulary: it says which properties are numbers.

    Raises:
        BadFile: there is one; the message names the shape and the property.
    """
    numbers = set(vocabulary.subjects(RDFS.range, GATE.Number))
    for bound in BOUNDS:
        for shape in graph.subjects(SH[bound]):
            _refuse(path, shape, SH[bound], _values(everything, shape) - numbers - {_NODE})
    for order in _ORDERS:
        for shape, other in graph.subject_objects(order):
            _refuse(path, shape, order, ({other} | _values(everything, shape)) - numbers)


def _refuse(path: str, shape: Term, parameter: URIRef, others: set[Term]) -> None:
    for other in sorted(others, key=str):
        values = "what it is led to from is a node" if other == _NODE else f"the values of {short(other)} are none"
        raise BadFile(path, short(shape), f"{short(parameter)} compares numbers, and {values}")


def _values(everything: Graph, shape: Term) -> set[Term]:
    """Return the properties whose values a shape judges: at the end of its path, or of those that lead to it."""
    path = everything.value(shape, SH.path)
    if path is not None:
        return _ends(everything, path)
    found = set(everything.objects(shape, SH.targetObjectsOf))
    for parent in _parents(everything, shape):
        found |= _values(everything, parent)
    return found


def _parents(everything: Graph, shape: Term) -> set[Term]:
    """Return the shapes that hand what they judge on to `shape`."""
    found = {parent for reference in REFERENCES for parent in everything.subjects(reference, shape)}
    for term in LISTS:
        found |= {parent for parent, head in everything.subject_objects(term) if shape in list_items(everything, head)}
    return found


def _ends(everything: Graph, path: Term) -> set[Term]:
    """Return the properties that the last step of a path may be; `_NODE` where it is one that is walked backwards."""
    if isinstance(path, URIRef):
        return {path}
    if (path, RDF.first, None) in everything:
        return _ends(everything, list_items(everything, path)[-1])
    found: set[Term] = set()
    for step, inner in everything.predicate_objects(path):
        if step == SH.inversePath:
            found.add(_NODE)
        elif step == SH.alternativePath:
            found |= {end for item in list_items(everything, inner) for end in _ends(everything, item)}
        else:  # sh:zeroOrMorePath and the like: the node itself, too
            found |= {_NODE, *_ends(everything, inner)}
    return found
