"""What a release owes, one module a kind of obligation, named like its file in `shapes/`.

A module of a kind has `TARGETS` (the classes that its shapes judge), `REQUIRED` (whether a release without any can be
judged at all) and `nodes(ground)`, or, where it is a decision, `decided(ground, outcome)`. It is found by having them:
a new kind is one module here and one Turtle file there.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING, Protocol, cast

from gate.errors import Declined

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gate.obligations.ground import Ground
    from gate.obligations.node import Node
    from gate.obligations.outcome import Outcome


class Kind(Protocol):
    """A module that knows one kind of obligation."""

    @property
    def TARGETS(self) -> tuple[str, ...]:  # noqa: N802 - a constant of a module
        """The classes that its shapes target: the obligation's own first."""

    @property
    def REQUIRED(self) -> bool:  # noqa: N802 - a constant of a module
        """Whether a release must have at least one."""


class Owed(Kind, Protocol):
    """A kind that the inputs alone say."""

    def nodes(self, ground: Ground) -> Iterable[Node]:
        """Yield the nodes of this kind, as if no decision covered them, and those that they lead to."""


class Decided(Kind, Protocol):
    """A kind of decision: what came of the obligations that it covers is a part of what it is judged by."""

    def decided(self, ground: Ground, outcome: Outcome) -> Iterable[Node]:
        """Yield the nodes of this kind."""


def kinds() -> dict[str, Kind]:
    """Return every kind by name."""
    modules = {name: importlib.import_module(f"{__name__}.{name}") for _, name, _ in pkgutil.iter_modules(__path__)}
    return {name: cast("Kind", module) for name, module in sorted(modules.items()) if hasattr(module, "REQUIRED")}


def owed(ground: Ground) -> list[Node]:
    """Return what the release owes, by kind, as if no decision covered any of it.

    Raises:
        Declined: the rules require an obligation that this gate has no shape for.
    """
    found = kinds()
    for key, kind, wanted in _asked(ground):
        if wanted and kind not in found:
            raise Declined(f"{ground.rules.file.path}, {key}: this gate has no shape for it yet, and can't judge it")
    return [node for kind in found.values() if hasattr(kind, "nodes") for node in cast("Owed", kind).nodes(ground)]


def decisions(ground: Ground, outcome: Outcome) -> list[Node]:
    """Return the decisions of the release, by kind, as what came of their obligations makes them."""
    found = [cast("Decided", kind) for kind in kinds().values() if hasattr(kind, "decided")]
    return [node for kind in found for node in kind.decided(ground, outcome)]


def _asked(ground: Ground) -> list[tuple[str, str, bool]]:
    """Return each key of the rules that asks for a kind of obligation, that kind, and whether it is set."""
    document = ground.rules.document
    return [
        ("require.kernels", "kernel", document.require.kernels),
        ("require.conformance", "conformance", document.require.conformance),
        ("require.tokenizer", "tokenizer", document.require.tokenizer),
        ("require.parity", "parity", document.require.parity is not None),
        ("require.rows", "suite_row", bool(document.require.rows)),
        ("require.tickets", "ticket", document.require.tickets),
        ("claims.performance", "performance", bool(document.claims.performance)),
    ]
