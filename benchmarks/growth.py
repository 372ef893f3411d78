"""How times grow with size: the exponent of each stage, by least squares of log time over log size."""

from __future__ import annotations

import math
import re
from statistics import linear_regression, median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.figures import Timing

_STAGE = re.compile(r"^gate: +([0-9.]+) s  (.+)$", re.MULTILINE)
TICK = 0.05  # seconds: `--verbose` says hundredths, and below five of them a time is mostly chance


def stages(heard: str) -> dict[str, float]:
    """Return the seconds of each stage that `gate check --verbose` told; those of one name are added up."""
    found: dict[str, float] = {}
    for seconds, stage in _STAGE.findall(heard):
        found[stage] = found.get(stage, 0.0) + float(seconds)
    return found


def exponent(points: list[tuple[float, float]]) -> float | None:
    """Return the exponent of size by which time grows; None where fewer than two points can be believed.

    Args:
        points: cells and seconds.
    """
    heard = [(math.log(cells), math.log(seconds)) for cells, seconds in points if seconds >= TICK]
    if len({size for size, _ in heard}) < 2:
        return None
    return linear_regression(*zip(*heard, strict=True)).slope


def points(timings: list[Timing]) -> dict[str, list[tuple[float, float]]]:
    """Return the cells and the median seconds of each stage, in the order of the stages, and of the rest and the whole.

    The rest is what no stage tells: the interpreter's start, imports, and the writing of the verdict.
    """
    found: dict[str, list[tuple[float, float]]] = {}
    for timing in timings:
        for stage, seconds in timing.stages.items():
            found.setdefault(stage, []).append((timing.cells, median(seconds)))
    for timing in timings:
        told = [sum(of_round) for of_round in zip(*timing.stages.values(), strict=True)]
        rest = median(whole - part for whole, part in zip(timing.wall, told, strict=True))
        found.setdefault(REST, []).append((timing.cells, rest))
        found.setdefault(WHOLE, []).append((timing.cells, median(timing.wall)))
        found.setdefault(PROCESSOR, []).append((timing.cells, median(timing.processor)))
    return found


REST, WHOLE, PROCESSOR = "start, imports, writing", "the whole", "the whole, of the processor"
