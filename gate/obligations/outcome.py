"""What the shapes said of the obligations that decisions cover, judged as if no decision covered them.

Whether a withdrawn claim could be made again, and whether a known failure is red for the reason that it states, is no
opinion: the shapes that judge every other obligation judge these too, and the decisions are judged by what came of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gate.iris import Iri


@dataclass(frozen=True, slots=True)
class Found:
    """One rejection.

    Args:
        brief: what rejects, in short: `cell: verdict, failed`.
        reason: why, in one word.
        message: in words, with the facts that the constraint shows.
        texts: what a known failure may call it by, letter by letter.
        recorded: what the runs recorded in their own words, which a pattern may match.
        absent: whether it rejects because nothing was recorded at all.
    """

    brief: str
    reason: str
    message: str
    texts: tuple[str, ...]
    recorded: tuple[str, ...]
    absent: bool


@dataclass(frozen=True, slots=True)
class Outcome:
    """By obligation, what rejects it; an obligation that was rehearsed and that nothing rejects has an empty tuple.

    `ran` holds those of which something was run, whatever came of it: a skip ran nothing.
    """

    found: Mapping[Iri, tuple[Found, ...]] = field(default_factory=dict)
    ran: frozenset[Iri] = frozenset()

    def fails(self, iri: Iri) -> bool | None:
        """Say whether something rejects an obligation; None where it was not rehearsed."""
        found = self.found.get(iri)
        return None if found is None else bool(found)
