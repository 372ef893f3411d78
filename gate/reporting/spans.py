"""What an issue covers, in words as short as they can be and still say exactly that.

A hundred cells of two models read as `run, chat (thinking off, at 4k)`. A mode of thinking or a context is named only
where it narrows: where the model owes others on that host that are not covered.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gate.obligations.node import About, Node

Point = tuple[str | None, str | None]  # a mode of thinking, and a context


@dataclass(frozen=True, slots=True)
class Span:
    """Names of models, or of whatever else is covered, the hosts that they are covered on, and which of their cells.

    `cells` is empty where the names aren't those of models.
    """

    names: tuple[str, ...]
    hosts: tuple[str, ...]
    cells: str


@dataclass(frozen=True, slots=True)
class Owed:
    """What each model owes on each host, withdrawn or not, by verb: what a span is narrower than."""

    points: dict[tuple[str | None, str | None, str], dict[Point, None]] = field(default_factory=dict)

    @classmethod
    def of(cls, nodes: Iterable[Node]) -> Owed:
        """Return what the cells among the nodes of a release are, whatever became of them."""
        owed = cls()
        for node in nodes:
            about = node.about
            if node.owner is None and about.verb is not None and node.types and node.types[0].endswith("Cell"):
                owed.points.setdefault((about.host, about.model, about.verb), {})[about.thinking, about.context] = None
        return owed

    def axes(self, cells: Sequence[About]) -> str:
        """Return what `cells`, all of them of one model and host, span. Empty where they are none."""
        points: dict[str, dict[Point, None]] = {}
        for about in cells:
            if about.verb is not None:
                points.setdefault(about.verb, {})[about.thinking, about.context] = None
        groups: dict[str, list[str]] = {}
        for verb, own in points.items():
            every = self.points.get((cells[0].host, cells[0].model, verb), own)
            groups.setdefault(_narrowed(list(own), list(every)), []).append(verb)
        return "; ".join(
            ", ".join(verbs) + (f" ({narrowed})" if narrowed else "") for narrowed, verbs in groups.items()
        )


def _narrowed(own: list[Point], every: list[Point]) -> str:
    """Return what tells `own` from `every`, of which it is a part: nothing where it is all of it."""
    modes, contexts = _values(own)
    all_modes, all_contexts = _values(every)
    if {point for point in every if point[0] in modes and point[1] in contexts} == set(own):
        parts = [f"thinking {_named(modes)}"] if len(modes) < len(all_modes) else []
        parts += [f"at {_named(contexts)}"] if len(contexts) < len(all_contexts) else []
        return ", ".join(parts)
    return ", and ".join(
        f"thinking {mode} at {_named(context for own_mode, context in own if own_mode == mode)}" for mode in modes
    )


def _values(points: list[Point]) -> tuple[list[str | None], list[str | None]]:
    """Return the modes and the contexts of points, each once, in their order."""
    return list(dict.fromkeys(mode for mode, _ in points)), list(dict.fromkeys(context for _, context in points))


def _named(values: Iterable[str | None]) -> str:
    return ", ".join(str(value) for value in values)


def span(owed: Owed, covered: Iterable[tuple[str, About]]) -> tuple[Span, ...]:
    """Return what is covered, given as labels and where they lie: hosts that are alike together, then names that are.

    Args:
        owed: what the models owe.
        covered: the label of each obligation, and where it lies.
    """
    found: dict[tuple[str, str | None], list[About]] = {}
    for label, about in covered:
        found.setdefault((name_of(label, about), about.host), []).append(about)
    hosts: dict[tuple[str, str], list[str]] = {}
    for (name, host), abouts in found.items():
        hosts.setdefault((name, owed.axes(abouts)), []).extend([host] if host else [])
    names: dict[tuple[tuple[str, ...], str], list[str]] = {}
    for (name, cells), own in hosts.items():
        names.setdefault((tuple(own), cells), []).append(name)
    return tuple(Span(tuple(own), on, cells) for (on, cells), own in names.items())


def name_of(label: str, about: About) -> str:
    """Return what an obligation is an obligation of: a cell's model, else what its label says beside the host."""
    if about.model is not None and about.verb is not None:
        return about.model
    return label.removeprefix(f"{about.host}/") if about.host else label
