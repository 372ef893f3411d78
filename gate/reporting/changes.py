"""What changed since the release before, as a page tells it: lists of labels by host and model, and names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gate import comparison

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gate.comparison import Difference
    from gate.obligations.node import About
    from gate.obligations.thing import Thing


@dataclass(frozen=True, slots=True)
class Group:
    """Labels of what stands otherwise now, on one host and of one model (None: it concerns none)."""

    host: str | None
    model: str | None
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Names:
    """Names that are owed now and weren't, and names that were and aren't."""

    added: tuple[str, ...] = ()
    withdrawn: tuple[str, ...] = ()


_KINDS = {"host": "hosts", "model": "models", "verb": "verbs", "context": "contexts"}


@dataclass(frozen=True, slots=True)
class Changes:
    """What stands otherwise than in the release `since`."""

    since: str
    newly_passing: tuple[Group, ...] = ()
    newly_failing: tuple[Group, ...] = ()
    newly_missing: tuple[Group, ...] = ()
    newly_declaimed: tuple[Group, ...] = ()
    claimed_again: tuple[Group, ...] = ()
    first_owed: tuple[Group, ...] = ()
    no_longer_owed: tuple[Group, ...] = ()
    hosts: Names = Names()
    models: Names = Names()
    verbs: Names = Names()
    contexts: Names = Names()
    others: Names = Names()

    @property
    def nothing(self) -> bool:
        """Whether nothing that is owed stands otherwise."""
        return not any((*self.names(), *self.groups()))

    def names(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield each list of names that isn't empty, under what a page calls it."""
        for what in (*_KINDS.values(), "others"):
            names: Names = getattr(self, what)
            for how, found in (("added", names.added), ("withdrawn", names.withdrawn)):
                if found:
                    yield f"{what.capitalize()} {how}", found

    def groups(self) -> Iterator[tuple[str, tuple[Group, ...]]]:
        """Yield each list of labels that isn't empty, under what a page calls it: what a user loses first."""
        for title, found in (
            ("Newly failing", self.newly_failing), ("Newly missing", self.newly_missing),
            ("Newly de-claimed", self.newly_declaimed), ("No longer owed", self.no_longer_owed),
            ("Newly passing", self.newly_passing), ("Claimed again", self.claimed_again),
            ("Owed for the first time", self.first_owed),
        ):  # fmt: skip
            if found:
                yield title, found


def of(difference: Difference) -> Changes:
    """Return what changed between two verdicts, as a page tells it."""

    def cells(kind: str) -> tuple[Group, ...]:
        return grouped((change.label, change.about) for change in difference.by_change.get(kind, ()))

    def names(what: str) -> Names:
        return Names(tuple(added.get(what, ())), tuple(withdrawn.get(what, ())))

    added, withdrawn = (_by_kind(things) for things in (difference.added, difference.withdrawn))
    return Changes(
        since=difference.before.version,
        newly_passing=cells(comparison.NEWLY_PASSING), newly_failing=cells(comparison.NEWLY_FAILING),
        newly_missing=cells(comparison.NEWLY_MISSING), newly_declaimed=cells(comparison.NEWLY_DECLAIMED),
        claimed_again=cells(comparison.CLAIMED_AGAIN), first_owed=cells(comparison.FIRST_OWED),
        no_longer_owed=cells(comparison.NO_LONGER_OWED), hosts=names("hosts"), models=names("models"),
        verbs=names("verbs"), contexts=names("contexts"), others=names("others"),
    )  # fmt: skip


def _by_kind(things: Iterable[Thing]) -> dict[str, list[str]]:
    """Return the names of things by the list that a page has for their kind; the others with their kind."""
    found: dict[str, list[str]] = {}
    for thing in things:
        what = _KINDS.get(thing.kind, "others")
        on = f" on {thing.host}" if thing.host is not None and what != "hosts" else ""
        found.setdefault(what, []).append(f"{thing.name}{on}" if what != "others" else thing.label)
    return found


def grouped(labels: Iterable[tuple[str, About]]) -> tuple[Group, ...]:
    """Return labels, each with where it lies, by host and model, in their order."""
    found: dict[tuple[str | None, str | None], list[str]] = {}
    for label, about in labels:
        found.setdefault((about.host, about.model), []).append(label)
    return tuple(Group(host, model, tuple(own)) for (host, model), own in found.items())
