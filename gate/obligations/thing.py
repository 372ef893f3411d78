"""A thing that one release owed and another doesn't: what it is, what it was, by what a decision can name it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Thing:
    """Something that was owed, at the coarsest level that explains what is owed no longer.

    Args:
        kind: what kind of thing.
        name: what it is called, without its host.
        was: what was owed.
        now: what is owed in its place.
        axes: the selectors that a decision can name it by, and all that it is called on each.
        host: the host that no longer owes it; None: it is of no host, or of every one that owed it.
        everywhere: the hosts that owed it and that are still there.
        hosts: where `host` is None, the hosts that owed it.
        cells: how many cells are owed no longer because of it.
    """

    kind: str
    name: str
    was: str
    now: str
    axes: tuple[tuple[str, tuple[str, ...]], ...]
    host: str | None = None
    everywhere: frozenset[str] = frozenset()
    hosts: tuple[str, ...] = ()
    cells: int = 0

    @property
    def label(self) -> str:
        """The name that findings use: `model/gx10/Qwen3-8B-Q4_K_M.gguf`."""
        return "/".join((self.kind, *([self.host] if self.host is not None else []), self.name))

    def called(self, axis: str) -> str | None:
        """Return what it is called on an axis: the first name; None where the axis says nothing of it."""
        return next((names[0] for own, names in self.axes if own == axis), None)


def merged(things: Iterable[Thing]) -> tuple[Thing, ...]:
    """Return the things in their order, one in the place of those that every host which owed it owes no longer."""
    groups: dict[tuple[str, str, str, str], list[Thing]] = {}
    for thing in things:
        groups.setdefault((thing.kind, thing.name, thing.was, thing.now), []).append(thing)
    found: list[Thing] = []
    for group in groups.values():
        first, hosts = group[0], tuple(sorted({each.host for each in group if each.host is not None}))
        if len(hosts) > 1 and first.everywhere == frozenset(hosts):
            axes = tuple((axis, names) for axis, names in first.axes if axis != "host")
            found.append(replace(first, host=None, axes=axes, hosts=hosts, cells=sum(each.cells for each in group)))
        else:
            found += group
    return tuple(found)
