"""What the gate must reach, beside what it does: each target with how its value follows from a record."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from benchmarks import growth
from benchmarks.figures import CHANGED, COLD, FLOOR, PYSHACL, WARM, ratio
from benchmarks.ledger import DOCUMENTS, LINES

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.figures import Record

    Value = Callable[[Record], float | None]

ALL_SIZES = (768, 10_000, 100_000, 1_000_000)
MEBIBYTE = 2**20


@dataclass(frozen=True, slots=True)
class Target:
    """A target: in which row and column it stands, what it is called, its limit, and what was measured.

    `least` says that the value must be at least the limit; else it must be at most that.
    """

    row: str
    column: str
    what: str
    limit: float
    unit: str
    value: Value
    least: bool = False

    def met(self, value: float) -> bool:
        """Say whether a value reaches the target."""
        return value >= self.limit if self.least else value <= self.limit


def wall(asked: int, command: str = COLD) -> Value:
    """Return the median wall time of a command, in seconds."""

    def value(record: Record) -> float | None:
        timing = record.find(asked, command)
        return None if timing is None else median(timing.wall)

    return value


def memory(asked: int, commands: tuple[str, ...] = (COLD, WARM), layout: str = LINES) -> Value:
    """Return the most memory that any run of the commands had, in MiB."""

    def value(record: Record) -> float | None:
        found = [record.find(asked, command, layout=layout) for command in commands]
        peaks = [peak for timing in found if timing is not None for peak in timing.memory]
        return max(peaks) / MEBIBYTE if peaks else None

    return value


def times_faster(asked: int, other: str) -> Value:
    """Return how many times as long as the gate, cold, another takes."""
    return _ratio(asked, other, COLD)


def times_slower(asked: int, other: str) -> Value:
    """Return how many times as long as another the gate, cold, takes."""
    return _ratio(asked, COLD, other)


def _ratio(asked: int, slower: str, faster: str) -> Value:
    def value(record: Record) -> float | None:
        pair = record.find(asked, slower), record.find(asked, faster)
        return None if pair[0] is None or pair[1] is None else ratio(pair[0], pair[1])

    return value


def _missing_to_passing(record: Record) -> float | None:
    """Return the most that all missing costs of what all passing costs, at any size."""
    pairs = [(record.find(s, COLD, "all missing"), record.find(s, COLD, "all passing")) for s in record.sizes]
    return max((ratio(one, other) for one, other in pairs if one is not None and other is not None), default=None)


def _growth(record: Record) -> float | None:
    """Return the exponent of the whole over every size, where every size was measured."""
    found = [record.find(size, COLD) for size in ALL_SIZES]
    return growth.exponent([(t.cells, median(t.wall)) for t in found if t is not None]) if all(found) else None


WALL, PEAK, AGAINST = "wall", "peak memory", "against"
_CHANGED = "1,000,000, one host's receipts changed"
TARGETS = (
    Target("768", WALL, "cold", 0.6, "s", wall(768)),
    Target("768", WALL, "warm", 0.25, "s", wall(768, WARM)),
    Target("768", PEAK, "", 120, "MiB", memory(768)),
    Target("768", AGAINST, "faster than plain pyshacl", 2, "x", times_faster(768, PYSHACL), least=True),
    Target("10,000", WALL, "", 0.8, "s", wall(10_000)),
    Target("10,000", PEAK, "", 200, "MiB", memory(10_000)),
    Target("10,000", AGAINST, "faster than plain pyshacl", 15, "x", times_faster(10_000, PYSHACL), least=True),
    Target("100,000", WALL, "", 3, "s", wall(100_000)),
    Target("100,000", PEAK, "", 400, "MiB", memory(100_000)),
    Target("100,000", AGAINST, "faster than plain pyshacl", 40, "x", times_faster(100_000, PYSHACL), least=True),
    Target("100,000", AGAINST, "the floor's time", 8, "x", times_slower(100_000, FLOOR)),
    Target("1,000,000", WALL, "", 20, "s", wall(1_000_000)),
    Target("1,000,000", PEAK, "JSON Lines", 1536, "MiB", memory(1_000_000)),
    Target("1,000,000", PEAK, "JSON documents", 1536, "MiB", memory(1_000_000, layout=DOCUMENTS)),
    Target("1,000,000", AGAINST, "the floor's time", 10, "x", times_slower(1_000_000, FLOOR)),
    Target(_CHANGED, WALL, "", 5, "s", wall(1_000_000, CHANGED)),
    Target(_CHANGED, PEAK, "", 1536, "MiB", memory(1_000_000, (CHANGED,))),
    Target("every size", WALL, "growth exponent of the whole", 1.05, "", _growth),
    Target("every size", WALL, "all missing, of the time of all passing", 2, "x", _missing_to_passing),
)
