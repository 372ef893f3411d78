"""The ways in which the gate ends without a verdict, each with its exit code and words that a user can act on."""

from __future__ import annotations

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
        self.path, self.place, self.wrong, self.right = path, place, wrong, right
        where = f"{path}, {place}" if place else path
        super().__init__(f"{where}: {wrong}" + (f"\n  {right}" if right else ""))
