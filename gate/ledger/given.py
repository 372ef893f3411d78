"""What the caller of `gate ingest` says of a result that doesn't say it itself: nothing of it is guessed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gate.errors import CallersError

if TYPE_CHECKING:
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

    def demand(self, name: str) -> Any:
        """Return the field `name`.

        Raises:
            CallersError: it wasn't given; the message names the option.
        """
        value = getattr(self, name)
        if value is None:
            raise CallersError(f"{OPTIONS[name]} is needed: this format does not say it, and nothing is guessed")
        return value

    def release(self) -> dict[str, Any]:
        """Return the `release` block of a native receipt.

        Raises:
            CallersError: the version or the commit wasn't given.
        """
        return {"version": self.demand("version"), "commit": self.demand("commit")} | self.named_binary()

    def named_binary(self) -> dict[str, str]:
        """Return the key of a `release` block that names the binary, where it was given."""
        return {"binary_sha256": self.binary} if self.binary is not None else {}
