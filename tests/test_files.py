"""Reading within bounds; writing whole or not at all."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from gate import files
from gate.errors import BadFile, CallersError


def test_what_is_hashed_is_what_was_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"content")
    read = files.read_input(tmp_path / "a", "a")
    assert (read.content, read.sha256) == (b"content", hashlib.sha256(b"content").hexdigest())


def test_a_missing_file_a_folder_and_a_pipe_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name, wrong in (("none", "no such file"), (".", "not a regular file"), ("pipe", "not a regular file")):
        with pytest.raises(BadFile, match=f"^shown: .*{wrong}"):
            files.read_input(tmp_path / name, "shown")


def test_a_file_beyond_its_limit_is_refused_unread(tmp_path: Path) -> None:
    with (tmp_path / "huge.json").open("wb") as stream:
        stream.truncate(1024**3)  # sparse: it has the size and no blocks
    with pytest.raises(BadFile, match=r"it has 1,073,741,824 bytes"):
        files.read_input(tmp_path / "huge.json", "huge.json")
    with pytest.raises(BadFile, match=r"At most 1,073,741,823 are read"):
        files.read_input(tmp_path / "huge.json", "huge.jsonl", limit=files.MAX_LINES)


def test_a_walk_has_one_order(tmp_path: Path) -> None:
    for name in ("b/2.json", "a.json", "b/1.json", "c/d/e.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert [shown for _, shown in files.walk(tmp_path, "ledger")] == [
        "ledger/a.json", "ledger/b/1.json", "ledger/b/2.json", "ledger/c/d/e.json",
    ]  # fmt: skip


def test_a_link_within_the_ledger_is_followed_and_one_out_of_it_refused(tmp_path: Path) -> None:
    ledger, outside = tmp_path / "ledger", tmp_path / "secret.json"
    ledger.mkdir()
    outside.write_text("{}")
    (ledger / "real.json").write_text("{}")
    (ledger / "link.json").symlink_to("real.json")
    assert [shown for _, shown in files.walk(ledger, "l")] == ["l/link.json", "l/real.json"]
    for name, target, wrong in (
        ("out.json", outside, "leads out of the ledger"),
        ("up", "..", "leads out of the ledger"),
        ("round", ".", "to a folder or to nothing"),
        ("dangling.json", "none.json", "to a folder or to nothing"),
        ("loop.json", "loop.json", "a symbolic link to (itself|a folder or to nothing)"),
    ):
        (ledger / name).symlink_to(target)
        with pytest.raises(BadFile, match=f"^l/{name}: .*{wrong}"):
            list(files.walk(ledger, "l"))
        (ledger / name).unlink()


def test_a_name_that_is_no_text_is_refused_since_another_file_could_be_shown_like_it(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"\xff.json")).touch()
    (tmp_path / "\\xff.json").touch()
    with pytest.raises(BadFile, match="its name is not UTF-8"):
        list(files.walk(tmp_path, "l"))


def test_a_pipe_is_never_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BadFile, match="not a regular file"):
        files.digest(tmp_path / "pipe", "pipe")


def test_a_file_is_replaced_whole_and_keeps_its_mode(tmp_path: Path) -> None:
    target = tmp_path / "verdict.json"
    target.write_bytes(b"old")
    target.chmod(0o640)
    files.write_whole(target, b"new")
    assert target.read_bytes() == b"new"
    assert target.stat().st_mode & 0o777 == 0o640
    assert [p.name for p in tmp_path.iterdir()] == ["verdict.json"]


def test_a_link_is_written_through(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")
    files.write_whole(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_where_nothing_can_be_written_nothing_is_left(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    for path, wrong in ((tmp_path / "folder", "it is a folder"), (tmp_path / "none" / "x", "can't be written"),
                        (tmp_path / "file" / "x", "can't be written")):  # fmt: skip
        with pytest.raises(CallersError, match=wrong):
            files.write_whole(path, b"x")
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["file", "folder"]


def test_a_device_is_written_to_and_not_replaced() -> None:
    files.write_whole(Path(os.devnull), b"x")
    assert not Path(os.devnull).is_file()
