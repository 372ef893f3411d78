"""What a release owes, one module a kind of obligation, named like its file in `shapes/`.

A module of a kind has `REQUIRED` (whether a release with no such node can be judged at all) and `nodes(ground)`. It is
found by having them: a new kind is one module here and one Turtle file there.
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


class Kind(Protocol):
    """A module that knows one kind of obligation."""

    @property
    def REQUIRED(self) -> bool:  # noqa: N802 - a constant of a module
        """Whether a release must have at least one."""

    def nodes(self, ground: Ground) -> Iterable[Node]:
        """Yield the nodes of this kind, those that its shape targets and those that they lead to."""


def kinds() -> dict[str, Kind]:
    """Return every kind by name."""
    modules = {name: importlib.import_module(f"{__name__}.{name}") for _, name, _ in pkgutil.iter_modules(__path__)}
    return {name: cast("Kind", module) for name, module in sorted(modules.items()) if hasattr(module, "REQUIRED")}


def derive(ground: Ground) -> dict[str, list[Node]]:
    """Return what the release owes, by kind.

    Raises:
        Declined: the rules require an obligation that this gate has no shape for.
    """
    require = ground.rules.document.require
    for name, wanted in (("kernels", require.kernels), ("tokenizer", require.tokenizer)):
        if wanted:
            raise Declined(
                f"{ground.rules.file.path}, require.{name}: this gate has no shape for it yet, so that it can't judge"
            )
    return {name: list(kind.nodes(ground)) for name, kind in kinds().items()}
