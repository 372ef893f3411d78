"""What the shapes say of one class of alike nodes, in words that hold for each; kept from one check to the next.

It follows from the shapes, from the libraries that judge, and from the signature of the class: the key of what is kept
is made of all of them.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from gate import cache
from gate.judging.judge import Result, Said
from gate.judging.signatures import Values

if TYPE_CHECKING:
    from collections.abc import Hashable

    from gate.judging.focus import Plan
    from gate.shape_files import Shapes

_ALIKE, _EACH = "class verdict", "class verdict of each"  # the kinds of what is kept
_MOST = 1000  # classes of one judgement that are kept: more are made of what hardly occurs again


class _Apart(list[Result]):
    """Says that what the shapes say of one node of a class can't be said of the others."""


APART = _Apart()


def of(result: Result, iri: str) -> Result:
    """Return what is said of one node as what is said of another of its class."""
    if not _of_itself(result):
        return result._replace(focus=iri, focus_said=_blank(iri))
    return result._replace(focus=iri, focus_said=_blank(iri), value=iri, value_said=_blank(iri) or Said(iri))


def _of_itself(result: Result) -> bool:
    """Say whether the value is the node. A text that reads as its IRI does is none."""
    value = result.value_said
    return value is not None and value.kind != "literal" and value.text == result.focus


def _blank(iri: str) -> Said | None:
    return Said(iri, "blank") if iri[:2] == "_:" else None


class Verdicts:
    """What is kept of the judgements by some shapes."""

    def __init__(self, shapes: Shapes) -> None:
        self._parts = [shapes.digest, *cache.libraries("pyshacl", "rdflib")] if cache.in_use() else []
        self._left = _MOST

    def recall(self, plan: Plan, signature: Hashable, first: str) -> list[Result] | None:
        """Return what is said of the node `first` of a class, or `APART`; None where nothing is kept of it."""
        if not self._parts:
            return None

        def accept(said: Any) -> list[Result]:
            return APART if said == "apart" else [_of_json(one, first) for one in said]

        return cache.recall(_ALIKE, self._key(plan, spelled(signature)), accept)

    def recall_apart(self, plan: Plan, exactly: str) -> list[Result] | None:
        """Return what is said of each node of a class that is apart, by all that is said of them in the graph."""
        if not self._parts:
            return None
        return cache.recall(_EACH, self._key(plan, exactly), lambda said: [_whole_of_json(one) for one in said])

    def keep(self, plan: Plan, signature: Hashable, said: list[Result]) -> None:
        """Keep what is said of the first node of a class."""
        if self._may():
            cache.keep(_ALIKE, self._key(plan, spelled(signature)), [_to_json(result) for result in said])

    def keep_apart(self, plan: Plan, signature: Hashable, exactly: str, said: list[Result]) -> None:
        """Keep what is said of each node of a class that is apart."""
        if self._may():
            cache.keep(_ALIKE, self._key(plan, spelled(signature)), "apart")
            cache.keep(_EACH, self._key(plan, exactly), said)

    def _may(self) -> bool:
        self._left -= 1
        return bool(self._parts) and self._left >= 0

    def _key(self, plan: Plan, known_by: Any) -> list[str]:
        return [*self._parts, json.dumps([[root.shape for root in plan.roots], known_by])]


def spelled(signature: Any) -> Any:
    """Return a signature as JSON has it: two have the same text only where they are the same.

    Sets are in the order of their texts, types by their names.
    """
    if isinstance(signature, tuple):
        return ["tuple", *map(spelled, signature)]
    if isinstance(signature, Values):
        return ["values", *map(spelled, signature.said)]
    if isinstance(signature, frozenset):
        return ["set", *sorted(map(spelled, signature), key=json.dumps)]
    return ["type", signature.__name__] if isinstance(signature, type) else signature


def _to_json(result: Result) -> list[Any]:
    own = _of_itself(result)
    return [result.shape, result.component, result.severity, own, None if own else result.value_said]


def _of_json(said: Any, first: str) -> Result:
    shape, component, severity, own, value = said
    if not all(isinstance(text, str) for text in (shape, component, severity)) or not isinstance(own, bool):
        raise TypeError("it is no class verdict")
    value_said = _blank(first) or Said(first) if own else Said(*value) if value is not None else None
    return Result(shape, component, first, value_said.text if value_said else None, severity, _blank(first), value_said)


def _whole_of_json(said: Any) -> Result:
    *texts, focus_said, value_said = said
    if len(texts) != len(Result._fields) - 2 or not all(text is None or isinstance(text, str) for text in texts):
        raise TypeError("it is no result")
    return Result(*texts, *(None if one is None else Said(*one) for one in (focus_said, value_said)))
