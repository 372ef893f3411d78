"""Canaries: planted faults, one a constraint, that must be reported whenever anything is judged.

A judge that stopped seeing something says the same as one that finds nothing. So every check hands it nodes which break
each constraint of each shape, and one that isn't reported ends the check: the gate can't be trusted. What is planted is
derived from the shapes alone, the project's own among them: see `planting`. They are judged by the same engine in
a graph of their own, so that none of a release's nodes, and none of its results, has anything to do with them.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from gate import cache
from gate.errors import Declined
from gate.iris import NAMESPACE
from gate.judging.canary import Expected, of_json, to_json
from gate.nodes import Nodes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gate.judging.canary import Canaries
    from gate.judging.judge import Engine, Result
    from gate.shape_files import Shapes

_NAMED = 3  # how many of the silent an error names
_SEEN: set[tuple[type, str]] = set()  # the engines that saw all canaries in this process, and of which shapes


@functools.lru_cache(maxsize=2)
def planted(shapes: Shapes) -> Canaries:
    """Return the canaries of `shapes`."""

    def plant() -> Any:
        from gate.judging import planting

        return to_json(planting.plant(shapes.graph))

    return cache.remember("canaries", [shapes.digest, *cache.libraries("rdflib")], plant, of_json)


def silent(expected: Iterable[Expected], results: Iterable[Result]) -> list[Expected]:
    """Return the expected results that `results` lacks, in order."""
    return sorted(set(expected) - set(map(Expected.of, results)), key=str)


def heed(canaries: Canaries, results: Iterable[Result]) -> None:
    """Refuse to trust a judge whose `results` lack what must be there.

    Raises:
        Declined: they do; the message names the constraints.
    """
    missed = silent(canaries.expected, results)
    if missed:
        named = ", ".join(f"{one.component} of {one.shape.replace(NAMESPACE, 'gate:')}" for one in missed[:_NAMED])
        more = f" and {len(missed) - _NAMED} more" if len(missed) > _NAMED else ""
        raise Declined(f"the judge did not see {len(missed)} planted faults ({named}{more}): the gate can't be trusted")


def watch(engine: Engine, shapes: Shapes) -> Canaries:
    """Let an engine judge the canaries of `shapes`, and return them.

    A process that judges several releases by the same shapes lets an engine that has no state of its own do so once.

    Raises:
        Declined: it doesn't see one of them.
    """
    canaries = planted(shapes)
    key = type(engine), shapes.digest
    if key not in _SEEN:
        heed(canaries, engine.judge(Nodes.of(canaries.nodes), shapes).results)
        if not vars(engine):
            _SEEN.add(key)
    return canaries
