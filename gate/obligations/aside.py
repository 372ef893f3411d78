"""What decisions set aside: obligations that are listed under another class, and so not judged as owed.

A de-claim in force takes what it covers out of what is owed. A known failure in force, in a release that ships under a
scope, stands for what is red as it says. A scope leaves out what concerns other models.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.obligations.selectors import matches

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gate.iris import Iri
    from gate.obligations.ground import Ground, Known
    from gate.obligations.node import Node
    from gate.obligations.outcome import Found, Outcome

DECLAIMED, KNOWN, OUTSIDE = "Declaimed", "Known", "Outside"

_OF = {
    "Cell": "Cell", "RefusalCell": "Cell", "Kernel": "Kernel", "Conformance": "Conformance", "Suite": "Suite",
    "ExpectedRow": "SuiteRow",
}  # fmt: skip
_UNJUDGED = {"Row"}  # a class that asks nothing of what was set aside


def rehearsed(ground: Ground, nodes: Iterable[Node]) -> dict[Iri, str]:
    """Return every obligation that a decision may set aside, and why: these are judged as if it didn't."""
    found = dict.fromkeys(outside(ground, nodes), OUTSIDE)
    found |= {iri: KNOWN for known in ground.known_failures if known.applies for iri in known.covered}
    return found | dict.fromkeys(ground.declaimed, DECLAIMED)


def set_aside(ground: Ground, nodes: Iterable[Node], outcome: Outcome) -> dict[Iri, str]:
    """Return every obligation that a decision sets aside, and why, now that the outcome is known."""
    found = rehearsed(ground, nodes)
    as_stated = {
        iri for known in ground.known_failures if known.applies for iri in known.covered
        if is_as_stated(known, outcome.found.get(iri, ()))
    }  # fmt: skip
    return {iri: why for iri, why in found.items() if why != KNOWN or iri in as_stated}


def is_as_stated(known: Known, found: tuple[Found, ...]) -> bool:
    """Say whether something rejects an obligation, and all that does is what the known failure says."""
    return bool(found) and all(states(known, one) for one in found)


def states(known: Known, found: Found) -> bool:
    """Say whether a known failure says that this is red: by its very words, or by a pattern of what was recorded."""
    said = known.failure.check or ()
    return any(text in said for text in found.texts) or any(
        matches(pattern, text) for pattern in said for text in found.recorded
    )


def outside(ground: Ground, nodes: Iterable[Node]) -> Iterator[Iri]:
    """Yield the obligations that concern a model which is owed, and which the release's scope leaves out.

    What is called by a name that no owed model has is no such obligation: a slip in the rules, or a model that is gone,
    is not left out by a scope that doesn't know it.
    """
    scope = ground.scope
    if scope is None:
        return
    names: dict[bool, set[str]] = {True: set(), False: set()}
    for model in ground.models:
        names[ground.admits(scope, model)] |= {model.file, *model.names}
    left_out = names[False] - names[True]
    for node in nodes:
        if node.owner is None and node.about.model in left_out and node.types != ("Row",):
            yield node.iri


def reclassed(node: Node, aside: dict[Iri, str]) -> Node:
    """Return a node as it stands in the graph: under the class of what set it aside, or as it is."""
    why = aside.get(node.owner or node.iri)
    if why is None:
        return node
    if node.owner is not None:
        return node.under(tuple(kind for kind in node.types if kind in _UNJUDGED) or ("SetAside",))
    return node.under((f"{why}{_OF.get(node.types[0], '')}",))
