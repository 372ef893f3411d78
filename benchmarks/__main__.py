"""Measure, and write the page of results: `python -m benchmarks --help`."""

from __future__ import annotations

import argparse
import os
import platform
import resource
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import gate
from benchmarks import commands, growth, page
from benchmarks.figures import Record, Timing
from benchmarks.ledger import SHARES
from benchmarks.processes import ROOT, Task, WrongAnswer, run
from benchmarks.targets import ALL_SIZES

RESULTS = ROOT / "benchmarks" / "results.json"
PAGE = ROOT / "benchmarks" / "RESULTS.md"
_LIBRARIES = ("pyshacl", "rdflib", "pydantic", "shacl", "duckdb")


def main() -> None:
    """Measure what the command line asks for."""
    asked = _options()
    if asked.render:
        PAGE.write_text(page.render(Record.read(RESULTS) if RESULTS.exists() else None))
        return
    try:
        record = measure(asked)
    except WrongAnswer as wrong:
        sys.exit(f"benchmarks: {wrong}")
    if asked.record:
        record.write(asked.record)
    if page.whole(record):
        record.write(RESULTS)
        PAGE.write_text(page.render(record))
    else:
        print(page.render(record))


def measure(asked: argparse.Namespace) -> Record:
    """Measure every size in turn.

    Raises:
        WrongAnswer: a command said what it mustn't.
    """
    loads, timings = [os.getloadavg()[0]], list[Timing]()
    run(Task(("-m", "gate", "--help"), ROOT, 0, "Usage"))  # compiles what isn't compiled yet
    for size in asked.sizes:
        with tempfile.TemporaryDirectory() as folder:
            engines = {"pyshacl": size <= asked.pyshacl_up_to, "rust": size <= asked.rust_up_to}
            compared = list(commands.at_size(Path(folder), size, asked.shares, **engines))
            found = [Timing(size, c.cells, c.share, c.layout, c.name) for c in compared]
            for number in range(1, asked.runs + 1):
                for command, timing in zip(compared, found, strict=True):
                    _once(command, timing, f"round {number} of {asked.runs}")
                loads.append(os.getloadavg()[0])
            timings += found
    return Record(asked.runs, _machine(), (loads[0], max(loads)), timings)


def _once(command: commands.Command, timing: Timing, number: str) -> None:
    done = run(command.next())
    timing.wall.append(round(done.wall, 4))
    timing.processor.append(round(done.processor, 4))
    timing.memory.append(done.memory)
    for stage, seconds in growth.stages(done.heard).items():
        timing.stages.setdefault(stage, []).append(seconds)
    what = f"{command.cells:,} cells, {command.share}, {command.layout}, {number}: {command.name}"
    print(f"{what}: {done.wall:.2f} s, {done.processor:.2f} s of processor", file=sys.stderr)


def _machine() -> dict[str, str]:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    libraries = ", ".join(f"{name} {version(name)}" for name in _LIBRARIES)
    return {
        "cores": str(len(os.sched_getaffinity(0))),
        "memory": f"{memory:.0f} GiB",
        "system": f"{platform.system()}, {platform.machine()}",
        "Python": platform.python_version(),
        "taggate": gate.__version__,
        "libraries": libraries,
        "least memory that can be told": f"{own:.0f} MiB, which the measuring process has",
    }


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=_sizes, default=list(ALL_SIZES), help="cells, separated by commas")
    parser.add_argument("--runs", type=int, default=page.RUNS, help="rounds, of which the median is taken")
    shares = ", ".join(SHARES).replace("%", "%%")
    parser.add_argument("--shares", type=_shares, default=list(SHARES)[:3], help=f"separated by commas, of: {shares}")
    limits = {
        "--pyshacl-up-to": (10_000, "plain pyshacl takes minutes"),
        "--rust-up-to": (100_000, "the graph is large"),
    }
    for option, (most, why) in limits.items():
        parser.add_argument(option, type=int, default=most, metavar="CELLS", help=f"beyond, {why}; default: {most}")
    parser.add_argument("--record", type=Path, metavar="FILE", help="keep the figures here, too")
    parser.add_argument("--render", action="store_true", help="measure nothing; make the page of results.json")
    return parser.parse_args()


def _sizes(text: str) -> list[int]:
    return sorted(int(size) for size in text.split(","))


def _shares(text: str) -> list[str]:
    names = text.split(",")
    if unknown := set(names) - set(SHARES):
        raise argparse.ArgumentTypeError(f"no such share: {', '.join(sorted(unknown))}")
    return names


if __name__ == "__main__":
    main()
