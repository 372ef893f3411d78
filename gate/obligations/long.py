"""Every architecture that owes its long contexts through a representative: named, held somewhere, and long enough."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.obligations.node import About, Node, known

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.iris import Iri
    from gate.obligations.ground import Ground
    from gate.obligations.universe import OwedModel

TARGETS = ("RepresentedArchitecture", "LongArchitecture")
REQUIRED = False  # only where [cells.long] narrows who owes the long contexts


def nodes(ground: Ground) -> Iterator[Node]:
    """Yield each architecture outside the families of `[cells.long]`: those of owed models, and those that it names."""
    long = ground.rules.document.cells.long
    if long is None:
        return
    present = {model.arch for model in ground.models if model.arch is not None}
    for arch in sorted((present | set(long.representatives)) - set(long.families)):
        file = long.representatives.get(arch)
        own = [model for model in ground.models if model.arch == arch]
        found = [model for model in own if model.held and file in model.known_as]
        kinds = ("LongArchitecture",) if file is None else ("LongArchitecture", "RepresentedArchitecture")
        yield Node(
            ground.iri("long", arch), kinds, arch,
            known(arch=arch, representative=file)
            + tuple(("heldBy", ground.iri("host", host)) for host in sorted({model.host for model in found}))
            + (_lengths(found, own) if ground.contexts.sized else ()),
            About(model=file),
        )  # fmt: skip


def _lengths(found: list[OwedModel], own: list[OwedModel]) -> tuple[tuple[str, Iri | bool | int | float | str], ...]:
    """Return how long the representative is, and how long those are that it stands for.

    Each model's own length is a long context, which it owes where no other file stands for it. So what a representative
    must show is the greatest length of its architecture.
    """
    lengths = {model.context_length for model in found if model.context_length is not None}
    stood_for = {model.file: model.context_length for model in own if model.context_length is not None}
    outgrown = sorted(file for file, length in stood_for.items() if lengths and length > min(lengths))
    return (
        tuple(("contextLength", length) for length in sorted(lengths))
        + known(longestContext=max(stood_for.values(), default=None))
        + tuple(("outgrownBy", file) for file in outgrown)
    )
