"""The standard streams: readers that go away, full disks, closed descriptors. None of them changes what a code means."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.falsifiers.falsifier import CELL
from tests.release import NOW, VERSION, Release

ABOUT = ("--tag", VERSION, "--now", NOW)

# Each way of printing something, with the code that it ends with for a release whose runs on lambda all failed.
PRINTS = {
    "check": (("check", *ABOUT), 1),
    "check, json": (("check", *ABOUT, "--format", "json"), 1),
    "explain": (("explain", CELL, *ABOUT), 0),
    "plan": (("plan", *ABOUT, "--failed"), 0),
    "notes": (("notes", *ABOUT), 1),
    "known-issues": (("known-issues", *ABOUT), 1),
    "graph": (("graph", *ABOUT), 0),
    "schema": (("schema",), 0),
    "help": (("--help",), 0),
    "help of a command": (("check", "--help"), 0),
    "version": (("--version",), 0),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A refused release."""
    from tests.release import green

    release = green(tmp_path_factory.mktemp("release"))
    for row in release.receipt("lambda.json")["runs"]:
        row["verdict"] = "fail"
    return release.write()


def _gate(folder: Path, *arguments: str, **streams: Any) -> subprocess.CompletedProcess[bytes]:
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | streams
    return subprocess.run([sys.executable, "-m", "gate", *arguments], cwd=folder, check=False, **streams)


def _shell(folder: Path, command: str) -> subprocess.CompletedProcess[bytes]:
    """Run a line of shell in which `gate` is this gate."""
    line = f'gate() {{ "{sys.executable}" -m gate "$@"; }}; {command}'
    return subprocess.run(["bash", "-c", line], cwd=folder, capture_output=True, check=False)


@pytest.mark.parametrize("name", PRINTS)
def test_a_reader_that_has_gone_changes_no_code_and_hears_nothing(name: str, folder: Path) -> None:
    arguments, code = PRINTS[name]
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = _gate(folder, *arguments, stdout=writing)
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (code, b"")


@pytest.mark.parametrize("name", ["check, json", "graph", "schema", "help", "help of a command", "version"])
def test_a_full_disk_behind_standard_output_is_the_callers_error(name: str, folder: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = _gate(folder, *PRINTS[name][0], stdout=full)
    assert (done.returncode, done.stderr) == (3, b"gate: standard output can't be written: No space left on device\n")


def test_the_first_line_of_a_long_graph_is_enough(folder: Path) -> None:
    done = _shell(folder, f"gate graph {' '.join(ABOUT)} | head -n 1; echo ${{PIPESTATUS[0]}}")
    first, code = done.stdout.splitlines()
    assert first.startswith(b"@prefix")
    assert (code, done.stderr) == (b"0", b"")


def test_the_first_line_of_a_verdict_is_enough(folder: Path) -> None:
    done = _shell(folder, f"gate check {' '.join(ABOUT)} | head -n 1; echo ${{PIPESTATUS[0]}}")
    assert done.stdout.splitlines() == [f" REFUSED   v{VERSION} must not be cut.".encode(), b"1"]
    assert done.stderr == b""


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("check", *ABOUT), 1),
        (("check", "--tag", "9.9.9"), 2),
        (("check", "--tag", VERSION, "--nonsense"), 3),
        (("check", "--tag", "nonsense"), 3),
    ],
)
@pytest.mark.parametrize("where", ["/dev/full", "closed"])
def test_an_error_that_nobody_hears_keeps_its_code(
    where: str, arguments: tuple[str, ...], code: int, folder: Path
) -> None:
    redirected = "2>&-" if where == "closed" else f"2>{where}"
    done = _shell(folder, f"gate {' '.join(arguments)} {redirected}")
    assert done.returncode == code
    assert bool(done.stdout) == (code == 1)  # what belongs to standard error never lands in the verdict


def test_a_closed_standard_output_is_the_callers_error(folder: Path) -> None:
    for command in (f"check {' '.join(ABOUT)}", "--help"):
        done = _shell(folder, f"gate {command} >&-")
        assert (done.returncode, done.stderr) == (3, b"gate: standard output can't be written: Bad file descriptor\n")


def test_a_file_that_is_opened_is_never_a_standard_stream(folder: Path) -> None:
    done = _shell(folder, f"gate check {' '.join(ABOUT)} --format json --output verdict.json <&- >&- 2>&-")
    assert done.returncode == 3
    assert not (folder / "verdict.json").exists()  # a run whose text can't be written leaves no verdict
    done = _shell(folder, f"gate check {' '.join(ABOUT)} --format json --output verdict.json <&- 2>&-")
    assert done.returncode == 1
    assert (folder / "verdict.json").read_text().startswith('{\n "schema": "taggate/verdict/v1"')


def test_a_crash_that_is_no_fault_of_the_output_is_still_a_crash(release: Release) -> None:
    script = (
        "import gate.check\n"
        "def full(*arguments, **named): raise OSError(28, 'No space left on device')\n"
        "gate.check.check = full\n"
        "from gate.__main__ import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "check", *ABOUT], cwd=release.write(), capture_output=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"the gate itself failed" in done.stderr


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_what_is_written_in_part_is_not_taken_for_written(unbuffered: str, folder: Path) -> None:
    """A file that may grow to 1 KiB: the first write takes a part and fails only when it is asked for the rest."""
    line = f"ulimit -f 1; PYTHONUNBUFFERED={unbuffered} gate graph {' '.join(ABOUT)} >graph.ttl"
    done = _shell(folder, line)
    assert (done.returncode, done.stderr) == (3, b"gate: standard output can't be written: File too large\n")
