"""What the benchmarks measure is right: the gate and the floor count what the ledger's generator planted.

Nothing here says how long anything takes.
"""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import pytest

from benchmarks import commands, figures, floor, growth, ledger, page, processes, targets
from benchmarks.__main__ import PAGE, RESULTS
from benchmarks.figures import CHANGED, COLD, COMPARED, FLOOR, PYSHACL, RUST, WARM, Record, Timing
from benchmarks.ledger import DOCUMENTS, FAULTS, HOSTS, LINES, SHARES, Counts, Share
from benchmarks.processes import Task, WrongAnswer
from tests.release import gate_here

OF_RELEASE = ("--tag", ledger.VERSION, "--commit", ledger.COMMIT)
EVERY_FAULT = Share(missing=7, failing=4)
LEDGERS = {**SHARES, "every fault": EVERY_FAULT}


def counted(project: Path) -> Counts:
    """What the gate counts; its exit code fits it."""
    done = gate_here(project, "check", *OF_RELEASE, "--format", "json")
    cells = json.loads(done.stdout)["counts"]["cells"]
    counts = Counts(cells["owed"], cells["passed"], cells["missing"], cells["failed"])
    assert done.returncode == (0 if counts.passed == counts.owed else 1), done.stderr
    return counts


def planted(project: Path, cells: int, share: Share, layout: str = LINES) -> Counts:
    return sum(ledger.write(project, cells, share, layout).values(), Counts())


# The shares are a loop and no table of cases: of a table only the first case runs each time.
@pytest.mark.parametrize("layout", [LINES, DOCUMENTS])
def test_the_gate_and_the_floor_count_what_was_planted(tmp_path: Path, layout: str) -> None:
    for name, share in LEDGERS.items():
        wanted = planted(tmp_path / name, 384, share, layout)
        assert wanted.owed == 384, name
        assert counted(tmp_path / name) == wanted, name
        assert floor.count(tmp_path / name) == wanted, name


def test_what_is_planted_is_what_its_share_says(tmp_path: Path) -> None:
    found = {name: planted(tmp_path / name, 9600, share) for name, share in SHARES.items()}
    assert found == {
        "all passing": Counts(9600, 9600, 0, 0),
        "1% missing": Counts(9600, 9504, 96, 0),
        "all missing": Counts(9600, 0, 9600, 0),
        "1% failing": Counts(9600, 9504, 0, 96),
    }


def test_every_way_to_fail_is_one_to_the_gate_and_to_the_floor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number, fault in enumerate(FAULTS):
        monkeypatch.setattr(ledger, "FAULTS", (fault,))
        project = tmp_path / str(number)
        wanted = planted(project, 48, Share(failing=24))
        assert wanted == Counts(48, 46, 0, 2)
        assert counted(project) == wanted, number
        assert floor.count(project) == wanted, number


def test_a_receipt_of_another_commit_is_no_pass_to_the_gate_nor_to_the_floor(tmp_path: Path) -> None:
    project = tmp_path / "ledger"
    planted(project, 384, Share(missing=2))
    file = project / "receipts" / ledger.VERSION / f"{HOSTS[1]}.jsonl"
    file.write_text(file.read_text().replace(ledger.COMMIT, "b" * 40))
    assert counted(project) == Counts(384, 96, 192, 96)
    assert floor.count(project) == Counts(384, 96, 192, 96)


def test_documents_have_so_many_rows_and_no_more(tmp_path: Path) -> None:
    planted(tmp_path / "ledger", 2304, Share(), DOCUMENTS)
    folder = tmp_path / "ledger" / "receipts" / ledger.VERSION / HOSTS[0]
    rows = [len(json.loads(file.read_text())["runs"]) for file in sorted(folder.iterdir())]
    assert rows == [500, 500, 152]


def test_a_host_that_is_measured_again_differs_in_every_row_and_lacks_a_cell_more(tmp_path: Path) -> None:
    project = tmp_path / "ledger"
    share = SHARES[COMPARED]
    counts = ledger.write(project, 384, share)
    file = project / "receipts" / ledger.VERSION / f"{HOSTS[0]}.jsonl"
    other = file.with_name(f"{HOSTS[1]}.jsonl").read_bytes()
    before = set(file.read_text().splitlines())
    for changes in (1, 2):
        counts[HOSTS[0]] = ledger.write_runs(project, HOSTS[0], 384, share, changes=changes)
        assert counts[HOSTS[0]].missing == 1 + changes
        assert counted(project) == sum(counts.values(), Counts())
        now = set(file.read_text().splitlines())
        assert not now & before
        before = now
    assert file.with_name(f"{HOSTS[1]}.jsonl").read_bytes() == other


def test_the_same_arguments_write_the_same_bytes(tmp_path: Path) -> None:
    def written(name: str) -> dict[str, bytes]:
        planted(tmp_path / name, 384, EVERY_FAULT, DOCUMENTS)
        files = (file for file in (tmp_path / name).rglob("*") if file.is_file())
        return {str(file.relative_to(tmp_path / name)): file.read_bytes() for file in files}

    assert written("one") == written("other")


@pytest.mark.parametrize(
    ("share", "names"),
    [
        ("all passing", [COLD, WARM]),
        (COMPARED, [COLD, WARM, FLOOR, PYSHACL, RUST, COLD, WARM, FLOOR, CHANGED]),
    ],
)
def test_every_command_of_the_comparison_answers_rightly_as_a_process(
    tmp_path: Path, share: str, names: list[str]
) -> None:
    compared = list(commands.at_size(tmp_path, 192, [share], pyshacl=True, rust=True))
    assert [command.name for command in compared] == names
    for command in compared:
        run = processes.run(command.next())
        assert min(run.wall, run.processor, run.memory) > 0
        assert bool(growth.stages(run.heard)) is command.name.startswith("gate"), run.heard


# ---------------------------------------------------------------- what ends a run


@pytest.mark.parametrize(
    ("code", "says", "words"),
    [
        (0, "5 cells", "never said '5 cells'"),
        (1, "4 cells", "ended with 0, where 1 is right"),
        (0, "cells", "never said"),
    ],
)
def test_a_wrong_answer_is_no_timing(tmp_path: Path, code: int, says: str, words: str) -> None:
    with pytest.raises(WrongAnswer, match=re.escape(words)):
        processes.run(Task(("-c", "print('14 cells'); print('4 cells')"), tmp_path, code, says))


def test_the_memory_is_that_of_the_one_process(tmp_path: Path) -> None:
    many = 600 * 2**20
    large = processes.run(Task(("-c", f"print(len(b'x' * {many}))"), tmp_path, 0, str(many)))
    small = processes.run(Task(("-c", "print('x')"), tmp_path, 0, "x"))  # no less than this process has
    assert small.memory < many < large.memory


# ---------------------------------------------------------------- figures, growth and the page


def timing(asked: int, command: str, seconds: float, share: str = COMPARED, layout: str = LINES) -> Timing:
    stages = {"reading": [seconds / 2] * 3, "judging": [seconds / 4] * 3} if command.startswith("gate") else {}
    return Timing(asked, asked, share, layout, command, [seconds] * 3, [seconds] * 3, [100 * 2**20] * 3, stages)


def test_a_ratio_is_the_median_of_the_rounds_own() -> None:
    slow, fast = timing(768, PYSHACL, 1), timing(768, COLD, 1)
    slow.wall[:], fast.wall[:] = [4.0, 20.0, 6.0], [2.0, 10.0, 1.0]
    assert figures.ratio(slow, fast) == 2


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0])
def test_the_exponent_is_that_of_the_growth(power: float) -> None:
    points = [(cells, 0.1 * (cells / 768) ** power) for cells in (768, 10_000, 100_000)]
    found = growth.exponent([(100, growth.TICK / 2), *points])  # what is too short to be told is left out
    assert math.isclose(found or 0, power)
    assert growth.exponent(points[:1]) is None


def test_the_stages_are_those_that_the_gate_tells(tmp_path: Path) -> None:
    planted(tmp_path / "ledger", 48, Share())
    heard = gate_here(tmp_path / "ledger", "check", *OF_RELEASE, "--verbose").stderr
    assert list(growth.stages(heard))[1] == "reading the receipts"
    assert len(growth.stages(heard)) == len(heard.splitlines())


def test_stages_of_one_name_are_added_up() -> None:
    heard = "gate:   1.00 s  judging\ngate:   0.25 s  reading\ngate:   0.50 s  judging\n"
    assert growth.stages(heard) == {"judging": 1.5, "reading": 0.25}


def test_a_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    record = Record(3, {"cores": "2"}, (0.5, 1.5), [timing(768, COLD, 0.5)])
    record.write(tmp_path / "results.json")
    assert Record.read(tmp_path / "results.json") == record


def test_the_page_says_what_was_measured_beside_its_target() -> None:
    record = Record(3, {"cores": "2"}, (0.5, 1.5), [
        timing(768, COLD, 0.5), timing(768, WARM, 0.5), timing(768, PYSHACL, 4.0), timing(10_000, COLD, 5.0),
    ])  # fmt: skip
    said = page.render(record)
    assert "| 768 | cold: 0.50 s (at most 0.6 s: met); warm: 0.50 s (at most 0.25 s: **not met**) | 100 MiB" in said
    assert "faster than plain pyshacl: 8.0x (at least 2x: met)" in said
    assert "| 10,000 | 5.00 s (at most 0.8 s: **not met**)" in said
    assert "| 100,000 | not measured (at most 3 s)" in said
    assert "**A part of a run**: 768, 10,000 cells; 3 rounds." in said
    assert "| judging | 0.12 s | 1.25 s | 0.90 | 0.90 |" in said
    assert "| start, imports, writing | 0.12 s | 1.25 s | 0.90 | 0.90 |" in said
    assert "| the whole, of the processor | 0.50 s | 5.00 s | 0.90 | 0.90 |" in said


def test_a_whole_run_needs_every_size_every_share_and_enough_rounds() -> None:
    shares = [COMPARED, "all passing", "all missing"]
    timings = [timing(size, COLD, 1.0, share) for size in targets.ALL_SIZES for share in shares]
    assert page.whole(Record(5, {}, (0, 0), timings))
    assert not page.whole(Record(4, {}, (0, 0), timings))
    assert not page.whole(Record(5, {}, (0, 0), timings[1:][3:]))
    assert not page.whole(Record(5, {}, (0, 0), [one for one in timings if one.share != "all missing"]))


def test_the_page_that_is_there_is_made_of_the_record_that_is_there() -> None:
    record = Record.read(RESULTS) if RESULTS.exists() else None
    assert PAGE.read_text() == page.render(record)
    if record is not None and not page.whole(record):
        assert "**A part of a run**" in PAGE.read_text()
