"""What was derived once and needn't be derived again: small entries on disk, each known by all that it was made of.

An entry's key is a sha256 over everything that its value follows from: the kind, the gate's own code, Python, and what
the caller names: digests of files, versions of libraries. So an entry is never out of date: where what it was made of
differs, its key does. Its value is JSON, and nothing that runs.

The store is a convenience. What is wrong with it, or with an entry, costs the time of deriving again, and ends nothing.
Where nobody says `used`, there is none: a release is judged from its files alone.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import re
import stat
import sys
import time
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from gate.files import MEBIBYTE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

FORMAT = "taggate-derived/1"
FOLDER = "derived"
LIMIT = 256 * MEBIBYTE  # of a whole store, in bytes

_BLOCK = 4096  # bytes: what a small file takes of a disk at least
_PARTS = 16  # of the limit: one is the largest entry, and what is written between two prunings; two are kept free
_ENTRY = re.compile("[0-9a-f]{64}")
_NEW = ".new-"
_WRITTEN = ".written"  # has a byte for each block that was written since the store was pruned
_HOUR = 3600.0  # seconds

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Store:
    """Entries in `folder`, which is made where it is missing, of `limit` bytes together at most."""

    folder: Path
    limit: int = LIMIT

    def read(self, key: str) -> bytes | None:
        """Return the content kept under `key`; None where there is none, or none that can be believed."""
        try:
            with self._opened() as folder:
                return self._content(folder, key)
        except OSError:
            return None

    def write(self, key: str, content: bytes) -> None:
        """Keep `content` under `key`, whole, if that can be done."""
        entry = _head(key, content) + content
        if len(entry) > self.limit // _PARTS:
            return
        with contextlib.suppress(OSError), self._opened(make=True) as folder:
            self._count(folder, _blocks(len(entry)))  # before it is written: what can't be counted would never go
            new = f"{_NEW}{os.urandom(16).hex()}"
            try:
                handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=folder)
                with os.fdopen(handle, "wb") as stream:
                    stream.write(entry)
                os.replace(new, key, src_dir_fd=folder, dst_dir_fd=folder)
            finally:
                with contextlib.suppress(OSError):  # it has its own name by now, or was never made
                    os.unlink(new, dir_fd=folder)

    @contextlib.contextmanager
    def _opened(self, *, make: bool = False) -> Iterator[int]:
        """Yield the folder as a descriptor, so that nobody puts another in its place meanwhile.

        Raises:
            OSError: it isn't there, or isn't the user's own and nobody else's to write to.
        """
        if make:
            _make(self.folder)
        folder = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            _refuse_foreign(os.fstat(folder))
            yield folder
        finally:
            os.close(folder)

    def _content(self, folder: int, key: str) -> bytes | None:
        # O_NONBLOCK: a named pipe in its place would be waited for.
        handle = os.open(key, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
        with os.fdopen(handle, "rb") as stream:
            status = os.fstat(handle)
            _refuse_foreign(status)
            if not stat.S_ISREG(status.st_mode) or status.st_size > self.limit // _PARTS:
                return None
            entry = stream.read(status.st_size)
            if time.time() - status.st_mtime > _HOUR:
                with contextlib.suppress(OSError):  # it can be read, and that is enough
                    os.utime(handle)  # the entries that nobody uses go first
        length = len(_head(key, b""))
        content = entry[length:]
        return content if entry[:length] == _head(key, content) else None

    def _count(self, folder: int, blocks: int) -> None:
        """Note that so many blocks are written, and prune the store where enough were."""
        flags = os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK
        try:
            handle = os.open(_WRITTEN, flags, dir_fd=folder)
        except FileNotFoundError:  # nobody knows what is in the folder
            self._prune(folder)
            handle = os.open(_WRITTEN, flags | os.O_CREAT, 0o600, dir_fd=folder)
        try:
            os.write(handle, b"." * blocks)
            if os.fstat(handle).st_size * _BLOCK > self.limit // _PARTS:
                os.ftruncate(handle, 0)  # first: what others write while this one prunes is counted
                os.write(handle, b"." * blocks)
                self._prune(folder)
        finally:
            os.close(handle)

    def _prune(self, folder: int) -> None:
        """Remove what was used least lately, until there is room; and what a process left that was ended."""
        found: list[tuple[float, int, str]] = []
        with os.scandir(folder) as entries:
            for entry in entries:
                with contextlib.suppress(FileNotFoundError):  # another process prunes, too
                    status = entry.stat(follow_symlinks=False)
                    if _ENTRY.fullmatch(entry.name):
                        found.append((status.st_mtime, _blocks(status.st_size) * _BLOCK, entry.name))
                    elif entry.name.startswith(_NEW) and time.time() - status.st_mtime > _HOUR:
                        os.unlink(entry.name, dir_fd=folder)
        excess = sum(size for _, size, _ in found) - self.limit // _PARTS * (_PARTS - 2)
        for _, size, name in sorted(found):
            if excess <= 0:
                return
            with contextlib.suppress(OSError):
                os.unlink(name, dir_fd=folder)
            excess -= size


def of_user() -> Store | None:
    """Return the user's store, in the platform's folder for caches; None where the user has none."""
    import platformdirs

    folder = platformdirs.user_cache_path("taggate", appauthor=False) / FOLDER
    return Store(folder) if folder.is_absolute() else None  # without a home, the platform's folder begins with `~`


_used: ContextVar[Store | None] = ContextVar("store", default=None)


@contextlib.contextmanager
def used(store: Store | None) -> Iterator[None]:
    """Have `remember` use this store within the block; None: none."""
    token = _used.set(store)
    try:
        yield
    finally:
        _used.reset(token)


def remember(kind: str, parts: Iterable[str], compute: Callable[[], Any], accept: Callable[[Any], Value]) -> Value:
    """Return a value that was derived: from the store that is used, or by deriving it and keeping it there.

    With a store or without one the value goes through JSON, so that it is the same.

    Args:
        kind: what is derived, such as `shapes`. Two that are derived in two ways have two kinds.
        parts: all that the value follows from beside the gate's own code and Python: digests of contents, settings,
            and `libraries` where a library derives it. What is left out here makes a wrong value.
        compute: derives it, as what JSON can hold: dict with str keys, list, str, int, finite float, bool and None.
        accept: makes the value of that. It raises ValueError, TypeError, LookupError or AttributeError where that is no
            such value; what a store holds is then derived again.

    Raises:
        Exception: whatever `compute` raises; nothing is kept then.
    """
    parts = list(parts)
    for kept in _recalled(kind, parts, accept):
        return kept
    content = _written(compute())
    value = accept(json.loads(content))
    _keep(kind, parts, content)
    return value


def in_use() -> bool:
    """Say whether there is a store."""
    return _used.get() is not None


def recall(kind: str, parts: Iterable[str], accept: Callable[[Any], Value]) -> Value | None:
    """Return a value that was kept; None where none is, or none that can be believed. The arguments: see `remember`."""
    return next(_recalled(kind, parts, accept), None)


def _recalled(kind: str, parts: Iterable[str], accept: Callable[[Any], Value]) -> Iterator[Value]:
    """Yield the value that was kept, where one can be believed: it may be None itself."""
    store = _used.get()
    key = None if store is None else _key(kind, parts)
    kept = store.read(key) if store is not None and key is not None else None
    if kept is None:
        return
    try:
        value = accept(json.loads(kept))
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return
    yield value


def keep(kind: str, parts: Iterable[str], value: Any) -> None:
    """Keep a value that JSON can hold, where there is a store. The other arguments: see `remember`."""
    if in_use():
        _keep(kind, parts, _written(value))


def _keep(kind: str, parts: Iterable[str], content: bytes) -> None:
    store = _used.get()
    key = None if store is None else _key(kind, parts)
    if store is not None and key is not None:
        store.write(key, content)


def _written(value: Any) -> bytes:
    return json.dumps(value, allow_nan=False, separators=(",", ":")).encode("ascii")


@functools.cache
def libraries(*names: str) -> tuple[str, ...]:
    """Return what tells these installed libraries from any others, one text each, for the parts of a key.

    It is a digest of what the installer wrote of each: the version, and the sha256 of every file. None is imported.
    Of a library that is run from a checkout it has the version alone.

    Raises:
        ModuleNotFoundError: one isn't installed.
    """
    from importlib.metadata import distribution

    found = [(each, distribution(each)) for each in names]
    written = [f"{one.read_text('METADATA')}\n{one.read_text('RECORD')}" for _, one in found]
    return tuple(f"{name} {_sha256(text.encode())}" for (name, _), text in zip(found, written, strict=True))


def _key(kind: str, parts: Iterable[str]) -> str | None:
    """Return an entry's key; None where the gate's own code can't be read, and nothing says what it would derive."""
    code = _own_code()
    if code is None:
        return None
    return _sha256(json.dumps([FORMAT, code, sys.version, kind, *parts]).encode("utf-8"))


@functools.cache
def _own_code() -> str | None:
    """Return a digest of every module of the gate: in a checkout the code changes, and the version doesn't."""
    package = Path(__file__).parent
    digest = hashlib.sha256()
    try:
        for path in sorted(package.rglob("*.py")):
            content = path.read_bytes()
            digest.update(f"{path.relative_to(package)}\0{len(content)}\0".encode())
            digest.update(content)
    except (OSError, UnicodeError):
        return None
    return digest.hexdigest()


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _head(key: str, content: bytes) -> bytes:
    return f"{FORMAT}\n{key}\n{_sha256(content)}\n".encode()


def _blocks(size: int) -> int:
    return -(-size // _BLOCK)


def _make(folder: Path) -> None:
    """Make a folder for the user alone, with those above it that are missing.

    Raises:
        OSError: it can't be made; or what is above belongs to another user, who would find this one's files there.
    """
    if folder.is_dir():
        return
    there = next(one for one in folder.parents if one.exists())
    if there.stat().st_uid not in {os.geteuid(), 0}:
        raise PermissionError(f"{there} is another user's")
    for one in reversed([folder, *folder.parents]):
        if not one.exists():
            with contextlib.suppress(FileExistsError):  # another process makes it, too
                one.mkdir(mode=0o700)


def _refuse_foreign(status: os.stat_result) -> None:
    if status.st_uid != os.geteuid() or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise PermissionError("others could have written it")
