"""The store of what was derived: it says what deriving says, or nothing; and whatever is wrong with it ends nothing."""

from __future__ import annotations

import hashlib
import os
import resource
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate import cache
from gate.cache import FORMAT, LIMIT, Store, remember, used
from gate.errors import BadFile

ROOT = Path(__file__).parent.parent
KEY, OTHER = "a" * 64, "b" * 64
CONTENT = b'{"what":"was derived"}'
NOBODY = 65534
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another user")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "derived")


def entries(store: Store) -> list[Path]:
    return sorted(path for path in store.folder.glob("*") if len(path.name) == 64)


def counted(store: Store | None, value: Any, *parts: str, kind: str = "kind") -> tuple[Any, int]:
    """Remember a value, and say how often it was derived."""
    times = []

    def compute() -> Any:
        times.append(1)
        return value

    with used(store):
        return remember(kind, parts, compute, lambda found: found), len(times)


# ------------------------------------------------------------------ what is kept


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(value=JSON, parts=st.lists(st.text(st.characters()), max_size=3))
@settings(max_examples=60, deadline=None)
def test_a_value_is_derived_once_and_is_the_same_without_a_store(value: Any, parts: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "derived")
        assert counted(store, value, *parts) == (value, 1)
        assert counted(store, value, *parts) == (value, 0)
        assert counted(None, value, *parts) == (value, 1)


def test_everything_that_a_value_follows_from_is_in_its_key(store: Store) -> None:
    askings = [("a", ()), ("b", ()), ("a", ("x",)), ("a", ("x", "")), ("a", ("", "x")), ("a", ("x", "y")), ("a", ("xy",)), ("ax", ())]  # fmt: skip
    for index, (kind, parts) in enumerate(askings):
        assert counted(store, index, *parts, kind=kind) == (index, 1)
    for index, (kind, parts) in enumerate(askings):
        assert counted(store, "another", *parts, kind=kind) == (index, 0)


def test_what_json_cannot_hold_is_an_error_with_a_store_and_without(store: Store) -> None:
    for value in (float("nan"), float("inf"), {1, 2}, b"bytes", object()):
        for one in (store, None):
            with pytest.raises((TypeError, ValueError)):
                counted(one, value)


def test_what_fails_is_not_kept(store: Store) -> None:
    def fails() -> Any:
        raise BadFile("file", "", "it is wrong")

    for _ in range(2):
        with used(store), pytest.raises(BadFile):
            remember("kind", (), fails, lambda found: found)
    assert not store.folder.exists()


def test_a_value_of_another_shape_is_derived_again(store: Store) -> None:
    def refusing(error: type[Exception]) -> Callable[[Any], Any]:
        def accept(found: Any) -> Any:
            if found == "an older shape":
                raise error("it is none")
            return found

        return accept

    for error in (KeyError, IndexError, TypeError, ValueError, AttributeError):
        kind = error.__name__
        assert counted(store, "an older shape", kind=kind) == ("an older shape", 1)
        with used(store):
            assert remember(kind, (), lambda: "a newer one", refusing(error)) == "a newer one"
        assert counted(store, None, kind=kind) == ("a newer one", 0)  # and was written over


def test_without_a_word_there_is_no_store() -> None:
    home = Path(os.environ["XDG_CACHE_HOME"]) / "taggate"
    before = sorted(home.rglob("*")) if home.exists() else []
    assert [remember("a kind of this test", (), lambda: 1, int) for _ in range(2)] == [1, 1]
    assert (sorted(home.rglob("*")) if home.exists() else []) == before


def test_the_store_is_the_users_alone(store: Store) -> None:
    before = os.umask(0)
    try:
        store.write(KEY, CONTENT)
    finally:
        os.umask(before)
    assert stat.S_IMODE(store.folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in store.folder.iterdir()} == {0o600}


# ------------------------------------------------------------------ what is wrong with an entry


@given(
    change=st.one_of(
        st.tuples(st.just("cut"), st.integers(0, 400)),
        st.tuples(st.just("flip"), st.integers(0, 400), st.integers(1, 255)),
        st.tuples(st.just("replace"), st.binary(max_size=300)),
        st.tuples(st.just("insert"), st.integers(0, 400), st.binary(min_size=1, max_size=8)),
    )
)
@settings(max_examples=200, deadline=None)
def test_an_entry_that_differs_by_anything_is_no_entry(change: tuple[Any, ...]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "derived")
        store.write(KEY, CONTENT)
        path = store.folder / KEY
        whole = path.read_bytes()
        at = min(change[1], len(whole) - 1) if isinstance(change[1], int) else 0
        changed = {
            "cut": lambda: whole[:at],
            "flip": lambda: whole[:at] + bytes([whole[at] ^ change[2]]) + whole[at + 1 :],
            "replace": lambda: change[1],
            "insert": lambda: whole[:at] + change[2] + whole[at:],
        }[change[0]]()
        path.write_bytes(changed)
        assert store.read(KEY) == (CONTENT if changed == whole else None)
        store.write(KEY, CONTENT)
        assert store.read(KEY) == CONTENT


def _entry(key: str = KEY, form: str = FORMAT, content: bytes = CONTENT) -> bytes:
    return f"{form}\n{key}\n{hashlib.sha256(content).hexdigest()}\n".encode() + content


def _elsewhere(path: Path) -> Path:
    elsewhere = path.parent.parent / "elsewhere"
    elsewhere.write_bytes(_entry())
    return elsewhere


FOREIGN: dict[str, Callable[[Path], object]] = {
    "of another key": lambda path: path.write_bytes(_entry(OTHER)),
    "of another format": lambda path: path.write_bytes(_entry(form="taggate-derived/0")),
    "empty": lambda path: path.write_bytes(b""),
    "larger than any": lambda path: os.truncate(path, LIMIT),
    "a link to a good one": lambda path: (path.unlink(), path.symlink_to(_elsewhere(path))),
    "a link to nothing": lambda path: (path.unlink(), path.symlink_to("nothing")),
    "a pipe": lambda path: (path.unlink(), os.mkfifo(path)),
    "one that a group can write": lambda path: path.chmod(0o620),
    "one that all can write": lambda path: path.chmod(0o602),
}


def test_a_foreign_entry_is_derived_again_and_written_over(tmp_path: Path) -> None:
    for index, (what, put) in enumerate(FOREIGN.items()):
        store = Store(tmp_path / str(index) / "derived")
        store.write(KEY, CONTENT)
        assert store.read(KEY) == CONTENT, what
        put(store.folder / KEY)
        assert store.read(KEY) is None, what
        store.write(KEY, CONTENT)
        assert store.read(KEY) == CONTENT, what
        assert stat.S_ISREG((store.folder / KEY).lstat().st_mode), what


def test_a_folder_in_the_place_of_an_entry_costs_the_time_alone(store: Store) -> None:
    counted(store, 1)
    (path,) = entries(store)
    path.unlink()
    path.mkdir()
    assert counted(store, 1) == counted(store, 1) == (1, 1)


@as_root
def test_an_entry_of_another_user_is_derived_again(store: Store) -> None:
    store.write(KEY, CONTENT)
    os.chown(store.folder / KEY, NOBODY, NOBODY)
    assert store.read(KEY) is None
    store.write(KEY, CONTENT)
    assert store.read(KEY) == CONTENT


# ------------------------------------------------------------------ what is wrong with the store


def test_a_folder_that_others_can_write_to_is_refused(store: Store) -> None:
    store.write(KEY, CONTENT)
    for mode in (0o720, 0o702, 0o777, 0o1777):
        store.folder.chmod(mode)
        assert store.read(KEY) is None
        store.write(OTHER, CONTENT)
        assert counted(store, 1) == (1, 1)
    store.folder.chmod(0o755)
    assert store.read(KEY) == CONTENT
    assert store.read(OTHER) is None


@as_root
def test_a_folder_of_another_user_is_refused(store: Store, tmp_path: Path) -> None:
    store.write(KEY, CONTENT)
    os.chown(store.folder, NOBODY, NOBODY)
    assert store.read(KEY) is None
    assert counted(store, 1) == counted(store, 1) == (1, 1)
    home = tmp_path / "home of another"
    home.mkdir()
    os.chown(home, NOBODY, NOBODY)
    assert counted(Store(home / "taggate" / "derived"), 1) == (1, 1)
    assert list(home.iterdir()) == []  # nothing of root's is left in another's home


def test_a_store_that_cannot_be_costs_the_time_alone(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (tmp_path / "real").mkdir(mode=0o700)
    for folder in (tmp_path / "file", tmp_path / "file" / "derived", tmp_path / "link", tmp_path / ("x" * 300)):
        assert counted(Store(folder), 1) == counted(Store(folder), 1) == (1, 1)
    assert list((tmp_path / "real").iterdir()) == []


def test_without_a_home_there_is_no_store(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for home in ("", "relative"):
        monkeypatch.setenv("XDG_CACHE_HOME", home)
        monkeypatch.setenv("HOME", home)
        found = cache.of_user()
        assert found is None or found.folder.is_absolute()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache.of_user() == Store(tmp_path / "taggate" / "derived")


@pytest.fixture
def anyones() -> Iterator[Path]:
    """A folder that every user reaches; pytest's own are its user's alone."""
    folder = Path(tempfile.mkdtemp(prefix="taggate-test-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def in_a_child(does: Callable[[], bool]) -> bool:
    """Say whether `does` is true in a process of its own, which may give up its rights."""
    child = os.fork()
    if child == 0:
        code = 2
        try:
            code = 0 if does() else 1
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def _no_longer_root(owner: int) -> None:
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(owner)
        os.setuid(owner)


def test_a_store_that_can_only_be_read_is_read(anyones: Path) -> None:
    store = Store(anyones / "derived")
    store.write(KEY, CONTENT)
    os.utime(store.folder / KEY, (0, 0))
    store.folder.chmod(0o500)
    if os.geteuid() == 0:
        for path in (store.folder, *store.folder.iterdir()):
            os.chown(path, NOBODY, NOBODY)

    def reads() -> bool:
        _no_longer_root(NOBODY)
        store.write(OTHER, CONTENT)
        return store.read(KEY) == CONTENT and store.read(OTHER) is None and counted(store, 1) == (1, 1)

    assert in_a_child(reads)
    assert {path.name for path in store.folder.iterdir()} == {KEY, ".written"}
    store.folder.chmod(0o700)


def test_a_full_disk_costs_the_time_alone(store: Store) -> None:
    store.write(KEY, CONTENT)

    def writes() -> bool:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))  # bytes: nothing larger can be written
        return counted(store, "x" * 50_000) == counted(store, "x" * 50_000) == ("x" * 50_000, 1)

    assert in_a_child(writes)
    assert {path.name for path in store.folder.iterdir()} == {KEY, ".written"}  # and no part of an entry is left
    assert store.read(KEY) == CONTENT


# ------------------------------------------------------------------ its bounds


def size(store: Store) -> int:
    """What the entries take of a disk, in bytes."""
    return sum(-(-path.stat().st_size // 4096) * 4096 for path in entries(store))


def _key(number: int) -> str:
    return hashlib.sha256(str(number).encode()).hexdigest()


@given(sizes=st.lists(st.integers(0, 70_000), min_size=30, max_size=120))
@settings(max_examples=15, deadline=None)
def test_a_store_never_grows_past_its_limit(sizes: list[int]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "derived", limit=1024 * 1024)
        for number, length in enumerate(sizes):
            store.write(_key(number), b"x" * length)
            assert size(store) <= store.limit
            if length <= 65_000:
                assert store.read(_key(number)) == b"x" * length
            elif length > store.limit // 16:
                assert store.read(_key(number)) is None


def test_what_was_used_least_lately_goes_first(store: Store) -> None:
    small = Store(store.folder, limit=1024 * 1024)
    for number in range(100):
        small.write(_key(number), b"x" * 3900)
        os.utime(small.folder / _key(number), (1000 + number, 1000 + number))
    assert small.read(_key(0)) is not None  # and is the latest by that
    for number in range(100, 300):
        small.write(_key(number), b"x" * 3900)
    kept = {number for number in range(300) if small.read(_key(number)) is not None}
    assert 0 in kept
    assert not kept & set(range(1, 40))
    assert set(range(250, 300)) <= kept


def test_what_an_ended_process_left_goes_too_and_what_is_not_the_stores_stays(store: Store) -> None:
    store.write(KEY, CONTENT)
    for name, age in ((".new-old", 0), (".new-young", None), ("notes.txt", 0)):
        (store.folder / name).write_text("x")
        if age is not None:
            os.utime(store.folder / name, (age, age))
    (store.folder / ".written").unlink()  # nobody knows how much there is: it is looked through
    store.write(OTHER, CONTENT)
    assert {path.name for path in store.folder.iterdir()} == {KEY, OTHER, ".written", ".new-young", "notes.txt"}


def test_what_cannot_be_counted_is_not_written(store: Store) -> None:
    store.write(KEY, CONTENT)
    (store.folder / ".written").unlink()
    (store.folder / ".written").mkdir()
    store.write(OTHER, CONTENT)
    assert store.read(OTHER) is None
    assert store.read(KEY) == CONTENT


_WRITER = """
import hashlib, sys
from pathlib import Path
from gate.cache import Store, remember, used

store, wrong = Store(Path(sys.argv[1]), limit=256 * 1024), 0
with used(store):
    for turn in range(150):
        number = (turn * int(sys.argv[2])) % 40
        value = hashlib.sha256(str(number).encode()).hexdigest() * (number * 4)
        wrong += remember("written by many", [str(number)], lambda: value, str) != value
sys.exit(wrong)
"""


def test_many_processes_write_at_once(store: Store) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", _WRITER, str(store.folder), str(step)], cwd=ROOT)
        for step in (1, 3, 7, 11, 13, 17)
    ]
    assert [writer.wait() for writer in writers] == [0] * 6
    assert entries(store)
    assert not list(store.folder.glob(".new-*"))
    assert size(store) <= 256 * 1024 + 6 * 16 * 1024  # each may write one that another's pruning didn't see
