"""A commit's files, written from real git objects: byte for byte, with no say for what the commit says of itself."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from gate import git as asked
from gate import snapshot
from gate.errors import BadFile, Declined
from tests.release import git


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty repository."""
    made = tmp_path / "repository"
    made.mkdir()
    git(made, "init", "-q", "-b", "main")
    return made


def commit(folder: Path, files: dict[str, bytes]) -> str:
    """Commit the files, and return the commit."""
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    git(folder, "add", "-Af")
    git(folder, "commit", "-qm", "x")
    return git(folder, "rev-parse", "HEAD")


def tree(folder: Path, lines: str) -> str:
    """Commit a tree as `git mktree` takes it, which git's own commands would refuse to add."""
    made = subprocess.run(
        ["git", "-C", folder, "mktree", "--missing"], input=lines, capture_output=True, text=True, check=True
    )
    return git(folder, "commit-tree", "-m", "x", made.stdout.strip())


def test_only_what_is_wanted_is_written_in_its_own_folders(folder: Path, tmp_path: Path) -> None:
    head = commit(
        folder, {"gate.toml": b"a", "receipts/1.0.0/x.json": b"b", "receipts/1.0.1/x.json": b"c", "src/y": b""}
    )
    root, written = snapshot.write(folder, head, ["gate.toml", "receipts/1.0.0", "nothing"], tmp_path / "out")
    assert written == ("gate.toml", "receipts/1.0.0/x.json")
    assert root == tmp_path / "out"
    assert (root / "receipts/1.0.0/x.json").read_bytes() == b"b"
    assert sorted(p.name for p in root.rglob("*") if p.is_file()) == ["gate.toml", "x.json"]


def test_bytes_are_those_of_the_object_whatever_the_commit_says_of_them(folder: Path, tmp_path: Path) -> None:
    hostile = b"* text eol=crlf filter=run diff=run export-subst\nx.json export-ignore\n"
    content = b"\r\n$Format:%H$ $Id$ \x00\xff\n" * 100_000
    head = commit(folder, {".gitattributes": hostile, "x.json": content})
    mark = tmp_path / "ran"
    for key in ("filter.run.smudge", "filter.run.clean", "core.fsmonitor", "core.hooksPath"):
        git(folder, "config", key, f"touch {mark}")
    stored = subprocess.run(
        ["git", "-C", folder, "cat-file", "blob", f"{head}:x.json"], capture_output=True, check=True
    )
    root, _ = snapshot.write(folder, head, ["x.json"], tmp_path / "out")
    assert (root / "x.json").read_bytes() == stored.stdout
    assert b"$Format:%H$" in stored.stdout
    assert not mark.exists()


def test_paths_are_relative_to_the_folder_that_is_asked(folder: Path, tmp_path: Path) -> None:
    head = commit(folder, {"ci/gate.toml": b"a", "gate.toml": b"b", "shared/c.json": b"c"})
    root, written = snapshot.write(
        folder / "ci", head, ["gate.toml", "../shared/c.json", "../../x", "/x"], tmp_path / "out"
    )
    assert written == ("ci/gate.toml", "shared/c.json")
    assert (root / "gate.toml").read_bytes() == b"a"
    assert (root / "../shared/c.json").read_bytes() == b"c"


def test_a_bare_repository_is_asked_from_its_root_or_from_where_the_caller_says(folder: Path, tmp_path: Path) -> None:
    head = commit(folder, {"ci/gate.toml": b"a"})
    git(tmp_path, "clone", "-q", "--bare", str(folder), "bare")
    _, written = snapshot.write(tmp_path / "bare", head, ["ci/gate.toml"], tmp_path / "one")
    root, again = snapshot.write(tmp_path / "bare", head, ["gate.toml"], tmp_path / "two", below="ci/")
    assert written == again == ("ci/gate.toml",)
    assert (root / "gate.toml").read_bytes() == b"a"


def test_pushed_objects_in_quarantine_are_read_where_the_caller_vouches_for_them(folder: Path, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", "server")
    head = commit(folder, {"gate.toml": b"pushed"})
    environment = {"GIT_OBJECT_DIRECTORY": str(folder / ".git/objects")}
    with pytest.raises(Declined):
        snapshot.write(tmp_path / "server", head, ["gate.toml"], tmp_path / "one")
    root, _ = snapshot.write(tmp_path / "server", head, ["gate.toml"], tmp_path / "two", environment=environment)
    assert (root / "gate.toml").read_bytes() == b"pushed"


def test_a_symbolic_link_and_a_submodule_are_refused_by_name(folder: Path, tmp_path: Path) -> None:
    (folder / "link.json").symlink_to("/etc/passwd")
    head = commit(folder, {"x": b""})
    with pytest.raises(BadFile, match=r"link\.json at commit [0-9a-f]{12}: it is a symbolic link"):
        snapshot.write(folder, head, ["link.json"], tmp_path / "one")
    with_module = tree(folder, f"160000 commit {'1' * 40}\tmodule\n")
    with pytest.raises(BadFile, match=r"module at commit .*: it is a submodule"):
        snapshot.write(folder, with_module, ["module"], tmp_path / "two")
    assert not list(tmp_path.glob("t*/*"))


@pytest.mark.parametrize("name", ["..", ".", ".git", ".GIT"])
def test_a_name_that_would_leave_the_folder_is_refused(name: str, folder: Path, tmp_path: Path) -> None:
    commit(folder, {"x": b"evil"})
    blob = git(folder, "rev-parse", "HEAD:x")
    inner = subprocess.run(
        ["git", "-C", folder, "hash-object", "-t", "tree", "--literally", "-w", "--stdin"],
        input=f"100644 {name}".encode() + b"\0" + bytes.fromhex(blob), capture_output=True, check=True,
    ).stdout.decode().strip()  # fmt: skip
    head = tree(folder, f"040000 tree {inner}\treceipts\n")
    with pytest.raises(BadFile, match="no folder can hold a file of this name"):
        snapshot.write(folder, head, ["receipts"], tmp_path / "a/out")


def test_a_file_in_the_place_of_a_folder_and_a_file_that_is_there_are_refused(folder: Path, tmp_path: Path) -> None:
    head = commit(folder, {"receipts/x.json": b"new"})
    target = tmp_path / "out"
    (target / "receipts").mkdir(parents=True)
    (target / "receipts/x.json").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BadFile, match="it can't be written"):
        snapshot.write(folder, head, ["receipts"], target)
    assert not (tmp_path / "elsewhere").exists()


def test_a_file_that_is_too_large_is_refused(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    head = commit(folder, {"x.json": b"12345"})
    monkeypatch.setattr(snapshot, "MAX_LINES", 4)
    with pytest.raises(BadFile, match=r"x\.json at commit .*: it has 5 bytes; at most 4 are read"):
        snapshot.write(folder, head, ["x.json"], tmp_path / "out")


def test_a_commit_that_git_does_not_have_and_an_object_that_is_gone_decline(folder: Path, tmp_path: Path) -> None:
    head = commit(folder, {"x.json": b"12345"})
    with pytest.raises(Declined, match="git ls-tree fails"):
        snapshot.write(folder, "1" * 40, ["x.json"], tmp_path / "one")
    blob = git(folder, "rev-parse", "HEAD:x.json")
    (folder / ".git/objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(Declined, match=f"git doesn't have the object {blob}"):
        snapshot.write(folder, head, ["x.json"], tmp_path / "two")


def test_a_name_that_is_not_utf_8_is_written_as_it_is(folder: Path, tmp_path: Path) -> None:
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff.json")).write_bytes(b"1")
    head = commit(folder, {"x": b""})
    root, _ = snapshot.write(folder, head, [os.fsdecode(b"\xff.json")], tmp_path / "out")
    assert [p.read_bytes() for p in root.iterdir()] == [b"1"]


def test_a_replaced_object_is_not_followed(folder: Path, tmp_path: Path) -> None:
    first = commit(folder, {"x.json": b"true"})
    second = commit(folder, {"x.json": b"false"})
    git(folder, "replace", first, second)
    root, _ = snapshot.write(folder, first, ["x.json"], tmp_path / "out")
    assert (root / "x.json").read_bytes() == b"true"


def test_git_names_tags_places_and_what_was_ever_there(folder: Path) -> None:
    commit(folder, {"ci/receipts/1.0.0/x.json": b"1", "ci/gate.toml": b""})
    git(folder, "tag", "v1.0.0")
    git(folder, "tag", "-a", "v1.1.0", "-m", "x")
    git(folder, "rm", "-qr", "ci/receipts")
    git(folder, "commit", "-qm", "gone")
    assert asked.tags(folder) == ["v1.0.0", "v1.1.0"]
    assert asked.prefix(folder / "ci") == "ci/"
    pairs = [("refs/tags/v1.1.0", "ci/receipts/1.0.0"), ("HEAD", "ci/receipts/1.0.0"), ("HEAD", "ci/gate.toml")]
    found = {pair: git(folder, "rev-parse", ":".join(pair)) for pair in (pairs[0], pairs[2])}
    assert asked.objects(folder, [*pairs, ("HEAD", "a\nb")]) == found
    assert asked.ever_added(folder / "ci", "ci/receipts") == {"ci/receipts/1.0.0/x.json"}
    assert asked.ever_added(folder / "ci", "ci/rece*") == set()


def test_without_git_there_is_nothing_to_name(tmp_path: Path) -> None:
    assert asked.tags(tmp_path) == []
    assert not asked.has_commit(tmp_path, "1" * 40)
