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
    """One rejection. `texts` is what a known failure may call it by, the brief first: `cell: verdict, failed`."""

    brief: str
    reason: str
    message: str
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """By obligation, what rejects it; an obligation that was rehearsed and that nothing rejects has an empty tuple."""

    found: Mapping[Iri, tuple[Found, ...]] = field(default_factory=dict)

    def fails(self, iri: Iri) -> bool | None:
        """Say whether something rejects an obligation; None where it was not rehearsed."""
        found = self.found.get(iri)
        return None if found is None else bool(found)
