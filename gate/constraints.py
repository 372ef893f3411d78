"""What the shapes ask of each class: every constraint, and the properties that lead to where it is asked."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rdflib import URIRef
from rdflib.namespace import RDF, SH

from gate import iris
from gate.shape_lint import local

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rdflib.term import Node as Term

    from gate.shape import Shape
    from gate.shape_files import Shapes

# What a shape says without asking anything of a node: whom it judges, where it looks, how it is worded and weighed.
_NO_CONSTRAINT = {SH.path, SH.property, SH.severity, SH.flags, SH.deactivated, RDF.type}


@dataclass(frozen=True, slots=True)
class Constraint:
    """One constraint on the nodes of a class, or on those that `via` leads to from them, property by property.

    `parameters` are SHACL's, by local name: `minCount`, `in`.
    """

    shape: Shape
    via: tuple[str, ...]
    parameters: frozenset[str]

    def beyond(self, step: str) -> Constraint | None:
        """Return the constraint as one on what the property `step` leads to; None where it isn't asked there."""
        if not self.via or self.via[0] != step:
            return None
        return Constraint(self.shape, self.via[1:], self.parameters)


@functools.lru_cache(maxsize=2)
def by_class(shapes: Shapes) -> dict[str, tuple[Constraint, ...]]:
    """Return what the shapes ask of each class that they target, in the order of their files and constraints."""
    found: dict[str, dict[tuple[str, tuple[str, ...]], Constraint]] = {}
    for head, target in shapes.graph.subject_objects(SH.targetClass):
        own = found.setdefault(str(target).removeprefix(iris.NAMESPACE), {})
        for constraint in _asked(shapes, head, ()):
            own[constraint.shape.iri, constraint.via] = constraint
    ranks = {file: rank for rank, file in enumerate(shapes.files)}
    return {
        kind: tuple(sorted(own.values(), key=lambda c: (ranks[c.shape.file], c.via, c.shape.order, c.shape.iri)))
        for kind, own in sorted(found.items())
    }


def _asked(
    shapes: Shapes, head: Term, via: tuple[str, ...], above: frozenset[Term] = frozenset()
) -> Iterator[Constraint]:
    """Yield what a shape asks, and what those ask that it leads to. A path that is no property leads nowhere here."""
    graph, path = shapes.graph, shapes.graph.value(head, SH.path)
    parameters = {p for p in graph.predicates(head) if p not in _NO_CONSTRAINT and not local(p).startswith("target")}
    if parameters and str(head) in shapes.shapes:
        yield Constraint(shapes.shapes[str(head)], via, frozenset(map(local, parameters)))
    if path is not None and not isinstance(path, URIRef):
        return
    further = via if path is None else (*via, local(path))
    for child in graph.objects(head, SH.property):
        if child not in above:
            # A property shape constrains what its own path leads to, seen from the node that this one looks at.
            yield from _asked(shapes, child, further, above | {head})
