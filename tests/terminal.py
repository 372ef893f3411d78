"""The command on a terminal of its own: a real pty, with its size, and somebody who answers."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

PATIENCE = 120  # seconds without a word after which nobody waits any more: a hang fails, and doesn't stall the tests
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@dataclass(frozen=True)
class Shown:
    """How the command ended, and everything that the terminal got, with its escape sequences (`raw`) and without."""

    code: int
    raw: str

    @property
    def text(self) -> str:
        """What a person reads, once what was overwritten is gone."""
        return _ESCAPES.sub("", self.raw).replace("\r\n", "\n")


def on_terminal(
    folder: Path,
    *arguments: str,
    columns: int = 80,
    answers: Sequence[tuple[str, str]] = (),
    quiet_errors: bool = False,
    **environment: str,
) -> Shown:
    """Run the command on a terminal.

    Args:
        folder: where to run it.
        arguments: its arguments.
        columns: how wide the terminal is.
        answers: what is typed once each question is shown, in their order.
        quiet_errors: keep standard error, and so what shows progress, off the terminal.
        environment: variables beside PATH, HOME and TERM.
    """
    outer, inner = pty.openpty()
    fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    known = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    process = subprocess.Popen(
        [sys.executable, "-m", "gate", *arguments], cwd=folder, stdin=inner, stdout=inner,
        stderr=subprocess.DEVNULL if quiet_errors else inner, start_new_session=True, preexec_fn=_take_the_terminal,
        env={**known, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", **environment},
    )  # fmt: skip
    os.close(inner)
    try:
        raw = _talk(outer, answers, process.pid)
    finally:
        os.close(outer)
        if process.poll() is None:
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
    return Shown(process.wait(), raw)


def _take_the_terminal() -> None:
    """Make the pty the one whose Ctrl-C reaches this process."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a shell has the jobs in its background ignore it


def _wait_until_it_reads(pid: int) -> None:
    """Wait until the process sleeps: a Ctrl-C that comes before it reads is noticed with the next key alone."""
    until = time.monotonic() + PATIENCE
    while Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] == "R" and time.monotonic() < until:
        time.sleep(0.01)


def _talk(terminal: int, answers: Sequence[tuple[str, str]], pid: int) -> str:
    said, seen, waiting = b"", 0, list(answers)
    while True:
        ready, _, _ = select.select([terminal], [], [], PATIENCE)
        assert ready, f"nothing was said for {PATIENCE} s, after:\n{said.decode()}"
        try:
            part = os.read(terminal, 65536)
        except OSError:  # the other end is closed: the command has ended
            part = b""
        if not part:
            break
        said += part
        while waiting and (at := said.find(waiting[0][0].encode(), seen)) >= 0:
            seen = at + len(waiting[0][0].encode())
            _wait_until_it_reads(pid)
            os.write(terminal, waiting.pop(0)[1].encode())
    assert not waiting, f"never asked: {waiting[0][0]}\n{said.decode()}"
    return said.decode()
