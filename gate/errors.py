"""The ways in which the gate ends without a verdict, each with its exit code and words that a user can act on."""

from __future__ import annotations

import unicodedata
from typing import ClassVar


class GateError(Exception):
    """An ending that the gate explains itself. `exit_code` is the process's; the message is for the user."""

    exit_code: ClassVar[int]


class Declined(GateError):
    """Nothing can be judged, or the gate can't be trusted to judge it. Exit code 2; no tag may be cut."""

    exit_code = 2


class CallersError(GateError):
    """The caller gave something unreadable or malformed. Exit code 3; the message names the file and the place."""

    exit_code = 3


class BadFile(CallersError):
    """A file that can't be taken as it stands.

    Args:
        path: the file, as the user would write it.
        place: where in the file (`line 3, hosts[0].gpu`), or empty for the file as a whole.
        wrong: what is wrong.
        right: what would be right, or empty where `wrong` says it.
    """

    def __init__(self, path: str, place: str, wrong: str, right: str = "") -> None:
        where = visible(f"{path}, {place}" if place else path)
        lines = [visible(line) for line in right.split("\n")]
        super().__init__("\n".join([f"{where}: {visible(wrong)}", *(f"  {line.strip()}" for line in lines if line)]))


def visible(text: str) -> str:
    """Return `text` with everything spelled out that a terminal or a log would obey: a name can't write a line."""
    return "".join(c if unicodedata.category(c) not in {"Cc", "Cf", "Cs", "Zl", "Zp"} else _spelled(c) for c in text)


def _spelled(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
