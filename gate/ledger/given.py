"""What the caller of `gate ingest` says of a result that doesn't say it itself: nothing of it is guessed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gate.errors import CallersError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gate.files import InputFile

OPTIONS = {
    "version": "--release",
    "commit": "--commit",
    "host": "--host",
    "measured_at": "--measured-at",
    "suite": "--suite",
    "exit_code": "--exit-code",
    "run": "--run",
    "model": "--model",
    "sha256": "--sha256",
    "backend": "--backend",
    "comparator": "--comparator",
    "configuration": "--configuration",
    "number": "--number",
    "binary": "--binary",
}


class MissingOptions(CallersError):
    """Options that a format needs and that weren't given: all of them, so that nobody hears of one after the other."""

    def __init__(self, options: Iterable[str], source: str = "this format") -> None:
        self.options = tuple(options)
        *others, last = self.options
        named, be, them = (f"{', '.join(others)} and {last}", "are", "them") if others else (last, "is", "it")
        super().__init__(f"{named} {be} needed: {source} does not say {them}, and nothing is guessed")


@dataclass(frozen=True, slots=True)
class Given:
    """The options, as text that was checked; None: not given.

    `run` is a file that describes one run, `number` tells the runs of a performance claim apart.
    """

    version: str | None = None
    commit: str | None = None
    host: str | None = None
    measured_at: str | None = None
    suite: str | None = None
    exit_code: int | None = None
    run: InputFile | None = None
    model: str | None = None
    sha256: str | None = None
    backend: str | None = None
    comparator: str | None = None
    configuration: str | None = None
    number: int | None = None
    binary: str | None = None

    def named(self) -> dict[str, str]:
        """Return the fields that were given with the option that gives each."""
        return {name: option for name, option in OPTIONS.items() if getattr(self, name) is not None}

    def require(self, *names: str, **said: object) -> None:
        """Refuse to go on without the fields that a file doesn't say.

        Args:
            names: those that no file of the format says.
            said: those that a file may say, each with what this one does; None: nothing.

        Raises:
            MissingOptions: some weren't given; the message names the option of each.
        """
        needed = {*names, *(name for name, value in said.items() if value is None)}
        missing = [option for name, option in OPTIONS.items() if name in needed and getattr(self, name) is None]
        if missing:
            raise MissingOptions(missing)

    def demand(self, name: str) -> Any:
        """Return the field `name`.

        Raises:
            MissingOptions: it wasn't given; the message names the option.
        """
        self.require(name)
        return getattr(self, name)

    def release(self) -> dict[str, Any]:
        """Return the `release` block of a native receipt.

        Raises:
            MissingOptions: the version or the commit wasn't given.
        """
        self.require("version", "commit")
        return {"version": self.demand("version"), "commit": self.demand("commit")} | self.named_binary()

    def named_binary(self) -> dict[str, str]:
        """Return the key of a `release` block that names the binary, where it was given."""
        return {"binary_sha256": self.binary} if self.binary is not None else {}
