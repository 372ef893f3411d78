"""A node of the graph before it is RDF: what an obligation or a receipt is, and the facts that the shapes read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gate.iris import Iri


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
    facts: tuple[tuple[str, Iri | bool | int | float | str], ...]
    about: About = About()
    owner: Iri | None = None  # the obligation that this node is judged under; None: it is one itself


def known(**facts: Iri | bool | float | str | None) -> tuple[tuple[str, Iri | bool | int | float | str], ...]:
    """Return the facts that are known, in order: those that are None are left out."""
    return tuple((name, value) for name, value in facts.items() if value is not None)
