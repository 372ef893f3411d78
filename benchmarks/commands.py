"""What is compared at one size: the gate cold and warm on every ledger, and on one of them all others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks import ledger
from benchmarks.figures import CHANGED, COLD, COMPARED, FLOOR, PYSHACL, RUST, WARM
from benchmarks.ledger import DOCUMENTS, HOSTS, LINES, SHARES, Counts
from benchmarks.processes import ROOT, Task, run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_OF_RELEASE = ("--tag", ledger.VERSION, "--commit", ledger.COMMIT)


@dataclass(frozen=True, slots=True)
class Command:
    """A command of the comparison: what it is called, its ledger, and what makes its next task."""

    name: str
    share: str
    layout: str
    cells: int
    next: Callable[[], Task]


def at_size(folder: Path, asked: int, shares: list[str], *, pyshacl: bool, rust: bool) -> Iterator[Command]:
    """Write the ledgers of one size, fill the caches of the warm ones, and yield every command.

    Args:
        folder: an empty folder.
        asked: the least number of cells.
        shares: of `SHARES`; the others are compared where `COMPARED` is among them.
        pyshacl: whether plain pyshacl judges, too.
        rust: whether `shacl` does.

    Raises:
        WrongAnswer: a gate that fills a cache, or exports the graph, says what it mustn't.
    """
    for share in shares:
        project = folder / share
        planted = _total(ledger.write(project, asked, SHARES[share]))
        yield from _gate(project, share, LINES, planted)
        if share == COMPARED:
            yield _floor(project, LINES, planted)
            yield from _engines(project, planted, pyshacl=pyshacl, rust=rust)
            documents = folder / DOCUMENTS
            planted = _total(ledger.write(documents, asked, SHARES[share], DOCUMENTS))
            yield from _gate(documents, share, DOCUMENTS, planted)
            yield _floor(documents, DOCUMENTS, planted)
            yield _changed(folder / "changed", asked)


def _total(planted: dict[str, Counts]) -> Counts:
    return sum(planted.values(), Counts())


def _check(project: Path, planted: Counts, *options: str) -> Task:
    green = planted.passed == planted.owed
    arguments = ("-m", "gate", "check", *_OF_RELEASE, "--verbose", *options)
    cache = project.with_name(f"{project.name} cache")
    return Task(arguments, project, 0 if green else 1, f"{planted};", {"XDG_CACHE_HOME": str(cache)})


def _gate(project: Path, share: str, layout: str, planted: Counts) -> Iterator[Command]:
    cold, warm = _check(project, planted, "--no-cache"), _check(project, planted)
    run(warm)
    yield Command(COLD, share, layout, planted.owed, lambda: cold)
    yield Command(WARM, share, layout, planted.owed, lambda: warm)


def _changed(project: Path, asked: int) -> Command:
    """Return the check of a ledger of which one host was measured again before each run."""
    share = SHARES[COMPARED]
    planted = ledger.write(project, asked, share)
    run(_check(project, _total(planted)))
    changes = 0

    def measured_again() -> Task:
        nonlocal changes
        changes += 1
        planted[HOSTS[0]] = ledger.write_runs(project, HOSTS[0], asked, share, changes=changes)
        return _check(project, _total(planted))

    return Command(CHANGED, COMPARED, LINES, _total(planted).owed, measured_again)


def _floor(project: Path, layout: str, planted: Counts) -> Command:
    task = Task(("-m", "benchmarks.floor", str(project)), ROOT, 0, str(planted))
    return Command(FLOOR, COMPARED, layout, planted.owed, lambda: task)


def _engines(project: Path, planted: Counts, *, pyshacl: bool, rust: bool) -> Iterator[Command]:
    """Yield the engines that judge the graph that the gate exports, by the gate's own shapes in one file."""
    if not (pyshacl or rust):
        return
    shapes, data = project / "built-in.ttl", project / "graph.nt"
    export = ("-m", "gate", "graph", *_OF_RELEASE, "--no-cache", "--format", "nt", "--output", str(data))
    run(Task(export, project, 0, says=""))
    files = sorted(file for file in (ROOT / "shapes").glob("*.ttl") if file.stem != "vocabulary")
    shapes.write_text("\n".join(file.read_text() for file in files))
    results = f"Results ({planted.missing}):"  # a missing cell is one result, and nothing else is wrong
    if pyshacl:
        one = Task(("-m", "pyshacl", "-s", str(shapes), str(data)), project, 1, results)
        yield Command(PYSHACL, COMPARED, LINES, planted.owed, lambda: one)
    if rust:
        other = Task(("-m", "benchmarks.rust", str(shapes), str(data)), project, 0, results)
        yield Command(RUST, COMPARED, LINES, planted.owed, lambda: other)
