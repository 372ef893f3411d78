"""What a verdict says of the releases before: which it was compared with, and what was given up since, by whom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gate.files import InputFile
    from gate.obligations.ground import Ground, Origin, Previous
    from gate.obligations.node import Node


@dataclass(frozen=True, slots=True)
class Retired:
    """A decision that gives something up with this release, and the names of what is gone by it."""

    id: str
    issue: int | None
    release: str | None
    why: str | None
    by: str | None
    on: str | None
    words: str | None
    things: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the decision as the verdict's JSON has it."""
        return {
            "id": self.id, "issue": self.issue, "release": self.release, "why": self.why,
            "ruling": {"by": self.by, "on": self.on, "words": self.words}, "things": list(self.things),
        }  # fmt: skip


def retired(nodes: Mapping[str, Node]) -> tuple[Retired, ...]:
    """Return the decisions among the nodes of a release that name what vanished, in the order of their file."""
    found = []
    for node in nodes.values():
        if node.types[0] != "Retire":
            continue
        things = tuple(nodes[str(value)].label for name, value in node.facts if name == "retires")
        if things:
            facts = {name: str(value) for name, value in node.facts}
            found.append(Retired(
                id=node.label, issue=node.about.issue, release=facts.get("atRelease"), why=facts.get("why"),
                by=facts.get("rulingBy"), on=facts.get("rulingOn"), words=facts.get("rulingWords"), things=things,
            ))  # fmt: skip
    return tuple(found)


def to_json(previous: tuple[Previous, ...]) -> dict[str, Any] | None:
    """Return the releases before as the verdict's JSON has them; None where there is none to compare with."""
    if not previous:
        return None
    first, *others = map(_one, previous)
    return first | {"also": others}


def files(previous: tuple[Previous, ...]) -> list[InputFile]:
    """Return the files of today's ledger that the comparison rests on. Those of a commit are told by the commit."""
    todays = [each.ground.ledger.receipts for each in previous if each.origin.receipts_at is None]
    return [receipt.file for receipts in todays for receipt in receipts]


def _one(previous: Previous) -> dict[str, Any]:
    return {"version": previous.version, "commit": previous.origin.commit} | where(previous.origin)


def where(origin: Origin | None) -> dict[str, str | None]:
    """Return where the inputs of a release come from, as JSON has it: all null where they are today's."""
    return {key: getattr(origin, key, None) for key in ("rules_at", "receipts_at", "because")}


def words(ground: Ground) -> str:
    """Return what a release was compared with, in words; empty where there is no release before."""
    return "; ".join(f"{each.version}{_under(each.origin.because)}" for each in ground.previous)


def _under(because: str | None) -> str:
    """Say that a release is compared by today's rules, where it is."""
    return "" if because is None else f" by today's rules, because {because}"
