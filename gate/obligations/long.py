"""Every architecture that owes its long contexts through a representative: named, and held by a required host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.obligations.node import About, Node, known

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.obligations.ground import Ground

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
        holders = sorted({m.host for m in ground.models if m.held and m.arch == arch and file in m.known_as})
        kinds = ("LongArchitecture",) if file is None else ("LongArchitecture", "RepresentedArchitecture")
        yield Node(
            ground.iri("long", arch), kinds, arch,
            known(arch=arch, representative=file) + tuple(("heldBy", ground.iri("host", host)) for host in holders),
            About(model=file),
        )  # fmt: skip
