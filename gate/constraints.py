"""What the shapes ask of each class: every constraint, and the properties that lead to where it is asked."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gate import cache

if TYPE_CHECKING:
    from typing import Any

    from gate.shape import Shape
    from gate.shape_files import Shapes


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

    def ask() -> list[Any]:
        from gate import shape_graphs

        return sorted(
            [kind, shape, list(via), sorted(parameters)]
            for kind, shape, via, parameters in shape_graphs.asked(shapes.graph)
            if shape in shapes.shapes
        )

    def accept(asked: Any) -> list[tuple[str, Constraint]]:
        return [
            (kind, Constraint(shapes.shapes[shape], tuple(via), frozenset(parameters)))
            for kind, shape, via, parameters in asked
        ]

    found: dict[str, dict[tuple[str, tuple[str, ...]], Constraint]] = {}
    parts = [shapes.digest, *cache.libraries("rdflib")]
    for kind, constraint in cache.remember("constraints", parts, ask, accept):
        found.setdefault(kind, {})[constraint.shape.iri, constraint.via] = constraint
    ranks = {file: rank for rank, file in enumerate(shapes.files)}
    return {
        kind: tuple(sorted(own.values(), key=lambda c: (ranks[c.shape.file], c.via, c.shape.order, c.shape.iri)))
        for kind, own in sorted(found.items())
    }
