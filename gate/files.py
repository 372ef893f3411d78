"""Reading within bounds, hashing, and writing whole or not at all."""

from __future__ import annotations

import codecs
import contextlib
import hashlib
import os
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gate.errors import BadFile, CallersError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from io import BufferedReader

MEBIBYTE = 1024 * 1024
MAX_DOCUMENT = 64 * MEBIBYTE  # a JSON, TOML or Turtle document, which is held in memory whole
MAX_SIGNATURE = 64 * 1024  # a .sig; one of RSA with 16,384 bits has 6,000
MAX_LINES = 1024 * MEBIBYTE - 1  # a JSON Lines file, which is read line by line: anything under 1 GiB


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file that the verdict rests on: `path` as shown to the user, `sha256` in hex.

    `held` is its content as read. Where it is None, the file is too large to be held until the end, or has said all
    that it says: whoever needs a byte of it again reads it at `source`, and gets what was hashed or a refusal.
    """

    path: str
    sha256: str
    held: bytes | None
    source: Path | None = None

    @property
    def content(self) -> bytes:
        """What was read.

        Raises:
            BadFile: it isn't held, and can't be read any more, or was changed since.
        """
        return self.held if self.held is not None else b"".join(self.parts())

    def parts(self) -> Iterator[bytes]:
        """Yield the content in parts, as `content` has it; that it was changed is known behind the last part.

        Raises:
            BadFile: see `content`.
        """
        if self.held is not None or self.source is None:
            held = self.held or b""
            for start in range(0, len(held), MEBIBYTE):
                yield held[start : start + MEBIBYTE]
            return
        found = hashlib.sha256()
        for part in read_parts(self.source, self.path):
            found.update(part)
            yield part
        if found.hexdigest() != self.sha256:
            raise BadFile(self.path, "", "it changed while it was read", "Judge when nothing writes to the ledger.")

    def let_go(self, source: Path) -> InputFile:
        """Return the same file without its content, which stands at `source`."""
        return InputFile(self.path, self.sha256, None, source)


def read_input(path: Path, shown: str, *, limit: int = MAX_DOCUMENT) -> InputFile:
    """Read a regular file of at most `limit` bytes, once, so that what is hashed is what is judged.

    Args:
        path: the file.
        shown: its path as the user would write it, used in messages and in the verdict's `inputs`.
        limit: the largest size accepted, in bytes.

    Raises:
        BadFile: it is missing, not a regular file, unreadable or larger than `limit`.
    """
    with _opened(path, shown) as stream:
        size = os.fstat(stream.fileno()).st_size
        if size > limit:
            raise BadFile(shown, "", f"it has {size:,} bytes", f"At most {limit:,} are read.")
        content = stream.read(limit + 1)
    if len(content) > limit:
        raise BadFile(shown, "", f"it grew past {limit:,} bytes while it was read")
    return InputFile(shown, hashlib.sha256(content).hexdigest(), content)


def read_through(path: Path, shown: str, *, limit: int = MAX_LINES) -> InputFile:
    """Read a regular file of text once from end to end, hold none of it, and return its digest.

    Its parts are read again by whoever needs them: see `InputFile.parts`.

    Raises:
        BadFile: see `read_input`; or it isn't UTF-8, or begins with a byte-order mark.
    """
    found, text, read, marked = hashlib.sha256(), codecs.getincrementaldecoder("utf-8")(), 0, False
    for part in read_parts(path, shown, limit=limit):
        found.update(part)
        pending = len(text.getstate()[0])
        try:
            decoded = text.decode(part)
        except UnicodeDecodeError as error:
            raise _not_text(shown, read - pending + error.start) from None
        marked = marked or (read == 0 and decoded.startswith("\ufeff"))
        read += len(part)
    try:
        text.decode(b"", final=True)
    except UnicodeDecodeError as error:
        raise _not_text(shown, read - len(text.getstate()[0]) + error.start) from None
    if marked:
        raise _marked(shown)
    return InputFile(shown, found.hexdigest(), None, path)


def read_parts(path: Path, shown: str, *, limit: int = MAX_LINES) -> Iterator[bytes]:
    """Yield the bytes of a regular file of at most `limit` bytes, in parts of a mebibyte.

    Raises:
        BadFile: it is missing, not a regular file, unreadable or larger than `limit`.
    """
    read = 0
    with _opened(path, shown) as stream:
        size = os.fstat(stream.fileno()).st_size
        while part := stream.read(MEBIBYTE):
            read += len(part)
            if max(size, read) > limit:
                raise BadFile(shown, "", f"it has {max(size, read):,} bytes", f"At most {limit:,} are read.")
            yield part


def read_signature(path: Path, shown: str) -> InputFile:
    """Read a signature, which stands beside its file and nowhere else.

    Raises:
        BadFile: it is a symbolic link, or can't be read, or is larger than any signature.
    """
    if path.is_symlink():
        raise BadFile(shown, "", "it is a symbolic link", "Put the signature itself there.")
    return read_input(path, shown, limit=MAX_SIGNATURE)


def digest(path: Path, shown: str) -> str:
    """Return the sha256, in hex, of a regular file of any size.

    Raises:
        BadFile: it is missing, not a regular file or unreadable.
    """
    with _opened(path, shown) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _opened(path: Path, shown: str) -> BufferedReader:
    try:
        # Without O_NONBLOCK, opening a named pipe that nobody writes to would wait for ever.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except FileNotFoundError:
        raise BadFile(shown, "", "there is no such file") from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "its path holds a NUL"
        raise BadFile(shown, "", f"it can't be read: {why}") from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise BadFile(shown, "", "it is not a regular file", "A folder, pipe or device can't be read here.")
    return open(descriptor, "rb")  # noqa: PTH123 - a descriptor, not a path; the caller closes it


def decode(file: InputFile) -> str:
    """Return the file's text.

    Raises:
        BadFile: it isn't UTF-8, or begins with a byte-order mark.
    """
    try:
        text = file.content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _not_text(file.path, error.start) from None
    if text.startswith("\ufeff"):
        raise _marked(file.path)
    return text


def _not_text(shown: str, start: int) -> BadFile:
    return BadFile(shown, f"byte {start + 1}", "it is not UTF-8 text", "Save it as UTF-8.")


def _marked(shown: str) -> BadFile:
    return BadFile(shown, "byte 1", "it begins with a byte-order mark", "Save it as UTF-8 without one.")


def walk(folder: Path, shown: str) -> Iterator[tuple[Path, str]]:
    """Yield every file below `folder` with its shown path, sorted by that path, whatever the file system's order.

    Raises:
        BadFile: a symbolic link leads out of `folder`, or to nothing; or a folder below can't be listed.
    """
    root = folder.resolve()
    found = []

    def unlistable(error: OSError) -> None:
        raise BadFile(_shown(Path(error.filename), folder, shown), "", f"it can't be listed: {error.strerror}")

    for parent, folders, names in os.walk(folder, onerror=unlistable, followlinks=False):
        for name in [*names, *(name for name in folders if Path(parent, name).is_symlink())]:
            path = Path(parent, name)
            if path.is_symlink():
                _refuse_escape(path, root, _shown(path, folder, shown))
            found.append((path, _shown(path, folder, shown)))
    yield from sorted(found, key=lambda pair: pair[1])


def _shown(path: Path, folder: Path, shown: str) -> str:
    relative = path.relative_to(folder).as_posix()
    try:
        relative.encode("utf-8")
    except UnicodeEncodeError:
        # Such a name can't be written in any report, and however it is spelled out, another file may have that name.
        spelled = os.fsencode(relative).decode("utf-8", "backslashreplace")
        raise BadFile(f"{shown}/{spelled}", "", "its name is not UTF-8", "Rename the file.") from None
    return f"{shown}/{relative}" if relative != "." else shown


def _refuse_escape(path: Path, root: Path, shown: str) -> None:
    try:
        target = path.resolve()
    except (OSError, RuntimeError):  # a loop: RuntimeError until Python 3.12
        raise BadFile(shown, "", "it is a symbolic link to itself", "Put the file itself there.") from None
    if target != root and root not in target.parents:
        raise BadFile(shown, "", "it is a symbolic link that leads out of the ledger", "Put the file itself there.")
    if not target.is_file():
        raise BadFile(shown, "", "it is a symbolic link to a folder or to nothing", "Put the file itself there.")


def write_whole(path: Path, content: bytes) -> None:
    """Write `content` to `path` so that a reader finds the old file or the new one, never a part.

    A path that is no regular file (`/dev/stdout`, a named pipe) is written to directly: it can't be replaced.

    Raises:
        CallersError: the folder is missing or can't be written, or `path` is a folder.
    """
    temporary = None
    try:
        if path.exists() and not path.is_file():
            if path.is_dir():
                raise CallersError(f"{path}: it is a folder; name a file to write to")
            path.write_bytes(content)
            return
        target = path.resolve()
        mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o666 & ~_umask()
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name[:100]}.", dir=target.parent)
        with open(handle, "wb") as stream:  # noqa: PTH123 - a descriptor, not a path
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        Path(temporary).chmod(mode)
        Path(temporary).replace(target)
    except OSError as error:
        raise CallersError(f"{path}: it can't be written: {error.strerror}") from None
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):
                Path(temporary).unlink()


def refuse_existing(folder: Path, paths: Iterable[str]) -> None:
    """Refuse to write where something is.

    Args:
        folder: it may be missing.
        paths: relative to `folder`.

    Raises:
        CallersError: it names every path that exists, or that has no folder above it where one could be.
    """
    taken = []
    for path in paths:
        above = [folder, *(folder / part for part in reversed(Path(path).parents[:-1]))]
        blocked = next((one for one in above if os.path.lexists(one) and not one.is_dir()), None)
        if blocked is not None:
            taken.append(f"{blocked}: it is no folder")
        elif os.path.lexists(folder / path):
            taken.append(f"{folder / path}: it exists")
    if taken:
        raise CallersError("\n".join(["nothing was written, since nothing is written over", *dict.fromkeys(taken)]))


def write_new(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Write files that must not exist yet, with the folders that they need: all of them, or none.

    Args:
        folder: where; it is made where it is missing.
        contents: by path relative to `folder`.

    Raises:
        CallersError: a file exists, or can't be written; what was made until then is taken back.
    """
    refuse_existing(folder, contents)
    made: list[Path] = []
    try:
        for name, content in contents.items():
            target = folder / name
            for parent in reversed([target.parent, *target.parent.parents]):
                if not parent.is_dir():
                    parent.mkdir()
                    made.append(parent)
            with target.open("xb") as stream:
                made.append(target)
                stream.write(content)
    except BaseException as error:
        for path in reversed(made):
            with contextlib.suppress(OSError):
                path.rmdir() if path.is_dir() else path.unlink()
        if isinstance(error, OSError):
            where = f"{folder / name}: it can't be written: {error.strerror}"
            raise CallersError(f"{where}\n  Nothing was written.") from None
        raise


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
