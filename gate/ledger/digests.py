"""The sha256 of large files, streamed, and kept by path, size and time of change, so that a folder is hashed once."""

from __future__ import annotations

import contextlib
import hashlib
import json
from typing import TYPE_CHECKING, Any

from gate.errors import BadFile, GateError
from gate.files import MEBIBYTE, write_whole

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CACHE = "digests.json"
_CHUNK = 8 * MEBIBYTE


class Digests:
    """The digests that are known. `cache` is a file, or None: nothing is kept.

    What is kept is a convenience: a cache that is missing, broken or can't be written costs the time of hashing again.
    A file whose bytes were changed without changing its size and its time would keep its old digest; without a cache
    every byte is read.
    """

    def __init__(self, cache: Path | None) -> None:
        self._cache = cache
        self._known: dict[str, Any] = {}
        if cache is not None:
            with contextlib.suppress(OSError, ValueError, RecursionError):
                known = json.loads(cache.read_text(encoding="utf-8"))
                self._known = known if isinstance(known, dict) else {}

    def known(self, path: Path) -> str | None:
        """Return the digest that is kept of the file as it stands, or None."""
        entry = self._known.get(str(path.resolve()))
        if isinstance(entry, dict) and entry.get("state") == _state(path) and isinstance(entry.get("sha256"), str):
            return str(entry["sha256"])
        return None

    def of(self, path: Path, shown: str, advance: Callable[[int], None]) -> str:
        """Return the digest of `path`, and tell `advance` of each part that was read.

        Raises:
            BadFile: it can't be read, or changed while it was.
        """
        found = self.known(path)
        if found is not None:
            advance(path.stat().st_size)
            return found
        digest = hashlib.sha256()
        try:
            before = _state(path)
            with path.open("rb") as stream:
                while part := stream.read(_CHUNK):
                    digest.update(part)
                    advance(len(part))
            after = _state(path)
        except OSError as error:
            raise BadFile(shown, "", f"it can't be read: {error.strerror}") from None
        if before != after:
            raise BadFile(shown, "", "it changed while it was read", "Scan again when nothing writes to the folder.")
        self._known[str(path.resolve())] = {"state": before, "sha256": digest.hexdigest()}
        return digest.hexdigest()

    def keep(self) -> None:
        """Write what is known to the cache, if it can be written."""
        if self._cache is None:
            return
        with contextlib.suppress(OSError, GateError):
            self._cache.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self._cache, json.dumps(self._known, sort_keys=True).encode("utf-8"))


def _state(path: Path) -> list[int]:
    status = path.stat()
    return [status.st_size, status.st_mtime_ns]
