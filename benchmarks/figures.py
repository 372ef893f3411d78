"""What was measured, as it is recorded: `benchmarks/results.json` holds it, and the page is made of that alone."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import TYPE_CHECKING

from benchmarks.ledger import LINES

if TYPE_CHECKING:
    from pathlib import Path

# The commands that are compared.
COLD, WARM, CHANGED = "gate, cold", "gate, warm", "gate, one host changed"
PYSHACL, RUST, FLOOR = "plain pyshacl", "shacl (Rust)", "floor (DuckDB)"

COMPARED = "1% missing"  # the share at which the gate is compared with all others


@dataclass(frozen=True, slots=True)
class Timing:
    """The runs of one command on one ledger, a value a round. Commands of equal `round`s ran in turn.

    Args:
        asked: the least number of cells that was asked for.
        cells: how many there are.
        share: what is missing of them.
        layout: how the receipts lie.
        command: one of the commands above.
        wall, processor: seconds.
        memory: bytes.
        stages: seconds of each stage that the command told.
    """

    asked: int
    cells: int
    share: str
    layout: str
    command: str
    wall: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)
    memory: list[int] = field(default_factory=list)
    stages: dict[str, list[float]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Record:
    """Everything that one run of the benchmarks measured, and on what.

    Args:
        runs: how many rounds there were.
        machine: what it was measured on, by name.
        load: the load of the machine, over one minute, before, and the highest between two rounds.
        timings: what was measured.
    """

    runs: int
    machine: dict[str, str]
    load: tuple[float, float]
    timings: list[Timing]

    def find(self, asked: int, command: str, share: str = COMPARED, layout: str = LINES) -> Timing | None:
        """Return the runs of a command; None where it didn't run."""
        wanted = (asked, share, layout, command)
        return next((t for t in self.timings if (t.asked, t.share, t.layout, t.command) == wanted), None)

    @property
    def sizes(self) -> list[int]:
        """The sizes that were asked for, the smallest first."""
        return sorted({timing.asked for timing in self.timings})

    def write(self, file: Path) -> None:
        """Write it to a file."""
        file.write_text(json.dumps(asdict(self), indent=1) + "\n")

    @classmethod
    def read(cls, file: Path) -> Record:
        """Return what `write` wrote."""
        said = json.loads(file.read_text())
        timings = [Timing(**timing) for timing in said["timings"]]
        return cls(said["runs"], said["machine"], tuple(said["load"]), timings)


def ratio(slower: Timing, faster: Timing, *, processor: bool = False) -> float:
    """Return how many times as long `slower` takes: of each round its own ratio, and of these the median.

    The two of a round ran one after the other, so that what else the machine did touches both.
    """
    one, other = (slower.processor, faster.processor) if processor else (slower.wall, faster.wall)
    return median(a / b for a, b in zip(one, other, strict=True))
