"""A node of the graph before it is RDF: what an obligation or a receipt is, and the facts that the shapes read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gate.iris import LABEL, TYPE, Iri, named

if TYPE_CHECKING:
    from collections.abc import Iterator

    Value = Iri | bool | int | float | str
    Facts = tuple[tuple[str, Value], ...]

_AXES = {
    "host": "onHost", "model": "ofModel", "verb": "verb", "thinking": "thinking", "context": "atContext",
    "kernel": "kernel", "quant": "quant", "receipt": "fromReceipt",
}  # fmt: skip
PLACED = frozenset({LABEL, *_AXES.values()})  # the names of what `Node.placed` says


@dataclass(frozen=True, slots=True)
class About:
    """Where a node lies on the axes of a release. None: the axis says nothing about it."""

    host: str | None = None
    model: str | None = None
    verb: str | None = None
    thinking: str | None = None
    context: str | None = None
    kernel: str | None = None
    quant: str | None = None
    issue: int | None = None
    receipt: str | None = None
    sha256: str | None = None  # of the model; the graph says it of the model itself

    def given(self) -> dict[str, str | int]:
        """The axes that say something, by name."""
        return {name: value for name in self.__slots__ if (value := getattr(self, name)) is not None}


@dataclass(frozen=True, slots=True)
class Node:
    """A node: its IRI, its classes in the vocabulary, the label that findings name it by, its facts in order.

    A fact is a property of the vocabulary and a value; an `Iri` is another node or an enumerated value, anything else
    a literal. A fact that nobody measured is left out, never filled in.
    """

    iri: Iri
    types: tuple[str, ...]
    label: str
    facts: Facts
    about: About = About()
    owner: Iri | None = None  # the obligation that this node is judged under; None: it is one itself

    @property
    def common(self) -> Facts:
        """Those of its facts that other nodes say too: one object for all that say these, and the rest is their own."""
        return ()

    @property
    def host(self) -> str | None:
        """The host that it lies on."""
        return self.about.host

    @property
    def own_names(self) -> frozenset[str]:
        """What the facts are called that are its own."""
        return frozenset(name for name, _ in self.facts)

    def values(self, name: str) -> tuple[Value, ...]:
        """Return the values of those of its own facts that are called `name`."""
        return tuple(value for called, value in self.facts if called == name)

    def placed(self) -> Iterator[tuple[str, Value]]:
        """Yield what the graph says of it besides its facts: its label, and where it lies.

        Of a part of an obligation nothing: the obligation that it is judged under says where it lies.
        """
        if self.owner is None:
            yield LABEL, self.label
            for axis, place in self.about.given().items():
                if axis in _AXES:
                    yield _AXES[axis], place

    def said(self) -> Iterator[tuple[str, Value]]:
        """Yield everything that the graph says of it: its classes as `rdf:type`, where it lies, and its facts."""
        for kind in self.types:
            yield TYPE, Iri(named(kind))
        yield from self.placed()
        yield from self.facts

    def under(self, types: tuple[str, ...]) -> Node:
        """Return the node as one of other classes."""
        return replace(self, types=types)


def known(**facts: Iri | bool | float | str | None) -> Facts:
    """Return the facts that are known, in order: those that are None are left out."""
    return tuple((name, value) for name, value in facts.items() if value is not None)
