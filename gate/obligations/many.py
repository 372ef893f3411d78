"""The nodes that a release has a million of, cells and rows: what they say is told when it is asked.

Each holds what it is made of, and the facts that it shares with others. A label, a place on the axes and the facts in
their order are needed of few: of those that a finding or a report names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.obligations.node import Node, known

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.iris import Iri
    from gate.obligations.ground import Ground
    from gate.obligations.node import About, Facts, Value
    from gate.obligations.universe import Cell


class LeanNode(Node):
    """A node whose label, facts and axes are told when they are asked; its kind says how."""

    __slots__ = ("_common", "_ground")
    _common: Facts
    _ground: Ground

    def __init__(self, iri: Iri, types: tuple[str, ...], owner: Iri | None, ground: Ground, common: Facts) -> None:
        put = object.__setattr__  # a node can't be changed, but by those who make it
        put(self, "iri", iri)
        put(self, "types", types)
        put(self, "owner", owner)
        put(self, "_ground", ground)
        put(self, "_common", common)

    @property
    def common(self) -> Facts:
        """Those of its facts that other nodes say too."""
        return self._common


class CellNode(LeanNode):
    """The node of a cell, with an edge to each row that keys onto it."""

    __slots__ = ("_cell",)
    _cell: Cell

    def __init__(self, ground: Ground, cell: Cell, types: tuple[str, ...], common: Facts) -> None:
        super().__init__(cell.iri, types, None, ground, common)
        object.__setattr__(self, "_cell", cell)

    @property
    def label(self) -> str:
        """The cell's name."""
        return self._cell.label

    @property
    def host(self) -> str:
        """The host that it lies on."""
        return self._cell.host

    @property
    def facts(self) -> Facts:
        """What the cell asks, and its rows."""
        return self._common + tuple(("receipt", iri) for iri in self.values("receipt"))

    @property
    def about(self) -> About:
        """Where the cell lies, and the receipt of the first of its rows."""
        own = self._ground.rows_of(self._cell)
        return self._ground.about(self._cell, own[0].receipt if own else None)

    @property
    def own_names(self) -> frozenset[str]:
        """What the facts are called that are its own."""
        return _OWN

    def values(self, name: str) -> tuple[Value, ...]:
        """Return the values of those of its own facts that are called `name`."""
        if name != "receipt":
            return ()
        return tuple(joined.iri for joined in self._ground.rows_of(self._cell))

    def under(self, types: tuple[str, ...]) -> CellNode:
        """Return the node as one of other classes."""
        return CellNode(self._ground, self._cell, types, self._common)


_OWN = frozenset({"receipt"})


def cell_nodes(ground: Ground, kind: str, *, refusal_owed: bool) -> Iterator[CellNode]:
    """Yield the node of each cell that owes a refusal, or of each that owes a pass, of the class `kind`."""
    types = (kind,)
    told: dict[tuple[int | None, bool, int | None, int | None], Facts] = {}
    for cell in ground.cells:
        if cell.prompt.refusal_owed is not refusal_owed:
            continue
        _, tokens, needed, memory, _ = cell.prompt
        key = (tokens, cell.model.pinned, needed, memory)
        common = told.get(key)
        if common is None:
            common = told[key] = known(
                contextTokens=tokens,
                pinned=cell.model.pinned or None,
                neededBytes=needed,
                gpuMemoryBytes=memory if needed is not None else None,
            )
        yield CellNode(ground, cell, types, common)
