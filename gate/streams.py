"""The standard streams as a caller may leave them: closed, full, or with nobody at the other end.

None of that may change what an exit code means. Python's own last flush ends with 120 where it fails, and a traceback
that can't be printed ends with 1, which is a refusal here.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import TYPE_CHECKING, cast

from gate.errors import CallersError

if TYPE_CHECKING:
    from typing import BinaryIO


class Output(io.TextIOWrapper):
    """Standard output as `say` writes it, for libraries that print by themselves: click, its help."""

    def write(self, text: str) -> int:
        """Write `text`, and return how many characters that are."""
        _write(cast("BinaryIO", self.buffer), text)
        return len(text)

    def flush(self) -> None:
        """Do nothing: nothing waits."""


def say(text: str) -> None:
    """Write `text` to standard output as UTF-8, whatever the locale.

    A reader that has gone is no error: the exit code still says what was found.

    Raises:
        CallersError: standard output can't be written.
    """
    _write(sys.stdout.buffer, text)


def prepare() -> None:
    """Make the streams of this process fit to be used; to be called before a file is opened.

    A stream that the caller closed gets a descriptor, or the next file would get its number. What is written to
    standard output then fails as it would without one; what is written to standard error is lost, and the exit code
    alone speaks.
    """
    for descriptor, mode in ((0, os.O_RDONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, mode)  # takes the lowest number that is free: this one
    stdin, stdout, stderr = sys.stdin, sys.stdout, sys.stderr  # None, whatever their types say, where they were closed
    sys.stdin = stdin or open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - for the whole run
    sys.stderr = stderr or open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout = Output(stdout.buffer if stdout else io.FileIO(1, "w", closefd=False), encoding="utf-8")


def let_go() -> None:
    """Point each stream that takes nothing more at nothing, so that the interpreter's last flush changes no code."""
    for stream in (sys.stdout.buffer, sys.stderr):
        try:
            stream.flush()
        except OSError:
            _silence(stream.fileno())


def _write(stream: BinaryIO, text: str) -> None:
    rest = memoryview(text.encode("utf-8"))
    try:
        while rest:
            taken: int | None = stream.write(rest)  # an unbuffered stream may take a part, and says so by this alone
            if taken is None:  # it would have to be waited for
                raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
            rest = rest[taken:]
        stream.flush()
    except BrokenPipeError:
        _silence(stream.fileno())
    except OSError as error:
        _silence(stream.fileno())
        raise CallersError(f"standard output can't be written: {error.strerror}") from None


def _silence(descriptor: int) -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)
