"""A command as a whole process: how long it took, how much memory it had at most, and whether it said what is right."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

ROOT = Path(__file__).parent.parent


class WrongAnswer(Exception):
    """A command didn't say what it must: how fast it said that is worth nothing."""


@dataclass(frozen=True, slots=True)
class Task:
    """A command, and what it must answer.

    Args:
        arguments: those of this Python.
        folder: where it is run.
        code: the exit code that is right.
        says: what a line of its standard output begins with where the answer is right; empty: it has nothing to say.
        environment: what is set in it beside what is there.
    """

    arguments: tuple[str, ...]
    folder: Path
    code: int
    says: str
    environment: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Run:
    """One run: wall time and processor time, in seconds, the most memory, in bytes, and its standard error."""

    wall: float
    processor: float
    memory: int
    heard: str


def run(task: Task) -> Run:
    """Run a task and measure it.

    Raises:
        WrongAnswer: its exit code or its answer is another than the right one.
    """
    # A child is born with the memory of this process, and that counts as its own: so nothing large is imported here.
    environment = os.environ | {"PYTHONPATH": str(ROOT), "COLUMNS": "200"} | task.environment
    with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as heard:
        begun = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, *task.arguments], cwd=task.folder, env=environment, stdin=subprocess.DEVNULL,
            stdout=said, stderr=heard,
        )  # fmt: skip
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - begun
        process.returncode = os.waitstatus_to_exitcode(status)
        errors = _text(heard)
        _check(task, process.returncode, said, errors)
    return Run(wall, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024, errors)


def _check(task: Task, code: int, said: IO[bytes], errors: str) -> None:
    said.seek(0)
    wanted = task.says.encode()
    answered = not wanted or any(line.startswith(wanted) for line in said)
    if code == task.code and answered:
        return
    said.seek(0)
    first = said.read(2000).decode("utf-8", "replace")
    raise WrongAnswer(
        f"{' '.join(task.arguments)}, in {task.folder}: it ended with {code}, where {task.code} is right, and "
        f"{'said' if answered else 'never said'} {task.says!r}:\n{first}\n{errors[-2000:]}"
    )


def _text(stream: IO[bytes]) -> str:
    stream.seek(0)
    return stream.read().decode("utf-8", "replace")
