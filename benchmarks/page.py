"""The page of results, `benchmarks/RESULTS.md`: made of a record and nothing else."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from benchmarks import growth
from benchmarks.figures import COLD, FLOOR, PYSHACL, RUST, ratio
from benchmarks.targets import AGAINST, ALL_SIZES, MEBIBYTE, PEAK, TARGETS, WALL

if TYPE_CHECKING:
    from collections.abc import Iterable

    from benchmarks.figures import Record
    from benchmarks.targets import Target

RUNS = 5  # rounds of a whole run
_OTHERS = (PYSHACL, RUST, FLOOR)

_HEAD = """\
# How fast it is

<!-- Made by `python -m benchmarks`; a test compares it with results.json. -->

Every figure is of a whole process, from its start to its exit code, and the median of all rounds. In a round every
command runs once, one after the other, so that what else the machine does touches all of them. A ratio is the median of
the rounds' own ratios. Peak memory is the largest of all rounds. Each answer is compared with what the generator of the
ledger planted: a wrong verdict ends the run, and nothing is recorded.

**Cold** is `gate check --no-cache`; **warm** has a cache that an earlier run of the same check filled. The targets are
measured with 1% of the cells missing and one JSON Lines file a host.
"""

_TAIL = """\
## Measure again

```sh
pip install -e '.[bench]'
python -m benchmarks --pyshacl-up-to 100000
```

That takes some hours, and writes `results.json` and this page. A part of it, such as
`python -m benchmarks --sizes 768,10000 --runs 3`, prints the page and writes nothing; `--record FILE` keeps its
figures, and `--render` makes this page anew of `results.json`.
"""

_WHAT = f"""\
- **{PYSHACL}**: its own command, `pyshacl -s shapes.ttl graph.nt`, over the graph that `gate graph` exports and the
  gate's own shapes in one file. It needn't read the receipts, nor derive what is owed. N-Triples, because pyshacl reads
  it faster than Turtle.
- **{RUST}**: another engine over the same two files.
- **{FLOOR}**: the same receipts read and joined, and the same counts, with no RDF, no shapes, no finding by name, and
  nothing refused. No gate can be as cheap.
"""


def render(record: Record | None) -> str:
    """Return the page. Without a record it names the targets, and that nothing was measured."""
    parts = [_HEAD, _targets(record)]
    if record is not None:
        parts += [_machine(record), _timings(record), _others(record), _growth(record)]
    return "\n".join([*parts, _TAIL])


def whole(record: Record) -> bool:
    """Say whether a record is of a whole run: one whose figures may be shown as the gate's."""
    shares = {timing.share for timing in record.timings}
    return record.runs >= RUNS and set(ALL_SIZES) <= set(record.sizes) and {"all passing", "all missing"} < shares


def _targets(record: Record | None) -> str:
    if record is None:
        note = "Nothing was measured in a whole run yet.\n\n"
    else:
        sizes = ", ".join(f"{size:,}" for size in record.sizes)
        rounds = "round" if record.runs == 1 else "rounds"
        note = "" if whole(record) else f"**A part of a run**: {sizes} cells; {record.runs} {rounds}.\n\n"
    rows: dict[str, dict[str, list[str]]] = {}
    for target in TARGETS:
        rows.setdefault(target.row, {}).setdefault(target.column, []).append(_beside(target, record))
    columns = (WALL, PEAK, AGAINST)
    lines = ["; ".join(cells.get(column, [])) for cells in rows.values() for column in columns]
    table = [(row, *lines[3 * index : 3 * index + 3]) for index, row in enumerate(rows)]
    return f"## Targets\n\n{note}{_table(('cells', *columns), table)}"


def _beside(target: Target, record: Record | None) -> str:
    value = target.value(record) if record is not None else None
    limit = f"{'at least' if target.least else 'at most'} {_number(target.limit, target.unit)}"
    what = f"{target.what}: " if target.what else ""
    if value is None:
        return f"{what}not measured ({limit})"
    return f"{what}{_measured(value, target.unit)} ({limit}: {'met' if target.met(value) else '**not met**'})"


def _number(value: float, unit: str) -> str:
    return f"{value:g}x" if unit == "x" else f"{value:,g} {unit}".strip()


def _measured(value: float, unit: str) -> str:
    match unit:
        case "s":
            return _seconds(value)
        case "MiB":
            return f"{value:,.0f} MiB"
        case "x":
            return f"{value:.1f}x"
        case _:
            return f"{value:.2f}"


def _seconds(value: float) -> str:
    return f"{value:.1f} s" if value >= 10 else f"{value:.2f} s"


def _machine(record: Record) -> str:
    rows = [*record.machine.items(), ("load, before and at most", f"{record.load[0]:.1f}, {record.load[1]:.1f}")]
    return f"## Measured on\n\n{_table(('what', ''), [*rows, ('rounds', str(record.runs))])}"


def _timings(record: Record) -> str:
    rows = [
        (
            f"{timing.cells:,}",
            f"{timing.share}, {timing.layout}",
            timing.command,
            _seconds(median(timing.wall)),
            _seconds(median(timing.processor)),
            f"{max(timing.memory) / MEBIBYTE:,.0f} MiB",
        )
        for timing in record.timings
    ]
    head = ("cells", "ledger", "command", "wall", "processor", "peak memory")
    return f"## Every command\n\n{_table(head, rows)}"


def _others(record: Record) -> str:
    rows = []
    for other in (one for one in record.timings if one.command in _OTHERS):
        gate = record.find(other.asked, COLD, other.share, other.layout)
        if gate is not None:
            name = f"{other.cells:,}", other.layout, other.command
            rows.append((*name, f"{ratio(other, gate):.2f}x", f"{ratio(other, gate, processor=True):.2f}x"))
    head = ("cells", "ledger", "command", "wall, of the gate's", "processor, of the gate's")
    return f"## Against others\n\n{_WHAT}\n{_table(head, rows)}"


def _growth(record: Record) -> str:
    found = [record.find(size, COLD) for size in record.sizes]
    timings = [timing for timing in found if timing is not None]
    head = ("stage", *(f"{timing.cells:,}" for timing in timings), "exponent", "of the last two")
    rows = []
    for stage, points in growth.points(timings).items():
        seconds = {cells: _seconds(time) for cells, time in points}
        shown = [seconds.get(timing.cells, "") for timing in timings]
        rows.append((stage, *shown, _exponent(points), _exponent(points[-2:])))
    note = f"""\
Seconds of each stage of the gate, cold, and the exponent of size by which they grow: 1 is linear. Start-up costs the
same at every size and flattens it, so the exponent between the last two sizes stands beside it. Times under
{growth.TICK:g} s are left out. Where the machine did other work meanwhile, the time of the processor tells more.
"""
    return f"## Growth\n\n{note}\n{_table(head, rows)}"


def _exponent(points: list[tuple[float, float]]) -> str:
    found = growth.exponent(points)
    return "" if found is None else f"{found:.2f}"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
