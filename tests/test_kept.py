"""What the gate keeps between checks: it says what deriving says, and a check says the same with it and without."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gate import constraints, shape_files, shape_graphs
from gate.cache import Store, used
from gate.errors import BadFile
from gate.reporting.formats import FORMATS
from tests.release import NOW, VERSION, Release, gate_here, green
from tests.test_cache import entries
from tests.test_shape_files import PREFIXES, SLOW, with_shapes

ROOT = Path(__file__).parent.parent


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "derived")


# ------------------------------------------------------------------ the shapes


def described(folder: Path, store: Store | None) -> tuple[Any, ...]:
    with used(store):
        read = shape_files.read(folder)
        return (
            read.files, read.shapes, read.targets, read.labels, read.comments, read.users, read.inputs, read.digest,
            constraints.by_class(read), set(read.graph),
        )  # fmt: skip


def _plain(found: tuple[Any, ...]) -> tuple[Any, ...]:
    """What was read, with the graph as its triples without anonymous nodes, whose names are anybody's."""
    from rdflib import BNode

    return (*found[:-1], len(found[-1]), {t for t in found[-1] if not any(isinstance(term, BNode) for term in t)})


def test_shapes_are_the_same_from_the_store(store: Store, release: Release) -> None:
    for folder in (Path("none"), with_shapes(release, SLOW).write() / "shapes"):
        first = described(folder, store)
        assert described(folder, store) == first
        assert _plain(described(folder, None)) == _plain(first)


def test_a_changed_file_of_shapes_is_noticed(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed = tmp_path / "installed"
    shutil.copytree(shape_files.own_folder(), installed)
    monkeypatch.setattr(shape_files, "own_folder", lambda: installed)
    before = described(tmp_path / "none", store)
    path = installed / "cell.ttl"
    text, status = path.read_text(), path.stat()
    assert "sh:minCount 1" in text
    path.write_text(text.replace("sh:minCount 1", "sh:minCount 2"))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))  # as large as before, and as old
    after = described(tmp_path / "none", store)
    assert after[-1] != before[-1]
    assert after == described(tmp_path / "none", store)
    path.write_text(text.replace("sh:minCount 1", "sh:mincount 1"))
    for _ in range(2):
        with used(store), pytest.raises(Exception, match="the gate's own shapes can't be trusted"):
            shape_files.read(tmp_path / "none")
    path.write_text(text)
    assert described(tmp_path / "none", store) == before


def test_a_users_file_of_shapes_is_noticed(store: Store, tmp_path: Path) -> None:
    folder = tmp_path / "shapes"
    without = described(folder, store)
    folder.mkdir()
    (folder / "own.ttl").write_text(PREFIXES + SLOW)
    withs = described(folder, store)
    assert withs[5] == {"own"}
    (folder / "own.ttl").write_text((PREFIXES + SLOW).replace("60", "61"))
    assert described(folder, store)[-1] != withs[-1]
    (folder / "own.ttl").rename(folder / "other.ttl")
    assert described(folder, store)[5] == {"other"}
    (folder / "other.ttl").write_text(PREFIXES + SLOW.replace("gate:Cell", "gate:Cel"))
    for _ in range(2):
        with used(store), pytest.raises(BadFile, match="the vocabulary has no such term"):
            shape_files.read(folder)
    shutil.rmtree(folder)
    assert described(folder, store) == without


def test_changed_code_is_noticed(tmp_path: Path) -> None:
    for name in ("gate", "shapes"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    reads = "import sys; from pathlib import Path; from gate import cache, shape_files\nwith cache.used(cache.Store(Path(sys.argv[1]))): shape_files.read(Path('none'))"

    def kept() -> int:
        store = Store(tmp_path / "derived")
        subprocess.run([sys.executable, "-P", "-c", reads, str(store.folder)], cwd=tmp_path, check=True,
                       env=os.environ | {"PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"})  # fmt: skip
        return len(entries(store))

    assert [kept(), kept()] == [1, 1]
    path = tmp_path / "gate" / "shape_lint.py"
    text, status = path.read_text(), path.stat()
    path.write_text(text.replace("_MOST_DIGITS = 30", "_MOST_DIGITS = 31"))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert [kept(), kept()] == [2, 2]
    path.write_text(text)
    assert kept() == 2


def test_shapes_that_were_read_before_need_no_rdf_library(store: Store, release: Release) -> None:
    folder = with_shapes(release, SLOW).write() / "shapes"
    reads = """
import sys
from pathlib import Path
from gate import cache, shape_files, shape_history

with cache.used(cache.Store(Path(sys.argv[1]))):
    assert len(shape_files.read(Path(sys.argv[2])).shapes) > 60
shape_history.files(Path(sys.argv[2]).parent)
print(*sorted({name.partition(".")[0] for name in sys.modules} & {"rdflib", "pyshacl"}))
"""
    said = [
        subprocess.run([sys.executable, "-c", reads, str(store.folder), str(folder)], cwd=ROOT, check=True,
                       capture_output=True, text=True).stdout
        for _ in range(2)
    ]  # fmt: skip
    assert said == ["rdflib\n", "\n"]


TERMS = st.one_of(
    st.text(st.characters(codec="utf-8"), min_size=1).map(lambda text: shape_graphs.URIRef(text)),
    st.builds(
        lambda text, kind: shape_graphs.Literal(text, datatype=shape_graphs.URIRef(f"http://www.w3.org/2001/XMLSchema#{kind}")),
        st.text(st.characters(codec="utf-8")) | st.sampled_from(["1", "01", "1.0", "1.00", "-0", "1e3", "true", "NaN", "2026-12-01"]),
        st.sampled_from(["integer", "decimal", "double", "boolean", "date", "dateTime", "token", "anyURI"]),
    ),
    st.builds(lambda text, lang: shape_graphs.Literal(text, lang=lang), st.text(st.characters(codec="utf-8")), st.sampled_from([None, "en", "de-CH"])),
)  # fmt: skip


@given(objects=st.lists(TERMS, max_size=8))
@example(objects=[shape_graphs.Literal(" ", datatype=shape_graphs.URIRef("http://www.w3.org/2001/XMLSchema#token"))])
@settings(max_examples=100, deadline=None)
@pytest.mark.filterwarnings("ignore")
def test_a_graph_is_the_same_term_by_term_once_it_was_json(objects: list[Any]) -> None:
    graph, node, name = shape_graphs.Graph(), shape_graphs.BNode(), shape_graphs.URIRef("https://example.org/p")
    for term in objects:
        graph.add((node, name, term))
    try:
        kept = shape_graphs.to_json(graph)
    except shape_graphs.NotKept:
        literals = [term for term in objects if isinstance(term, shape_graphs.Literal)]
        again = [shape_graphs.Literal(str(o), lang=o.language, datatype=o.datatype, normalize=False) for o in literals]
        assert [repr(one.value) for one in again] != [repr(one.value) for one in literals]
        return
    made = shape_graphs.of_json(json.loads(json.dumps(kept)))

    def spelled(one: Any) -> set[tuple[Any, ...]]:
        return {
            (type(o), str(s), str(o), getattr(o, "datatype", None), getattr(o, "language", None), repr(getattr(o, "value", None)))
            for s, _, o in one
        }  # fmt: skip

    assert spelled(made) == spelled(graph)


def test_a_graph_that_json_would_change_is_parsed_each_time(store: Store, tmp_path: Path) -> None:
    text = """
my:Odd a sh:NodeShape ; sh:targetClass gate:Cell ;
    sh:property [ sh:path gate:receipt ; sh:hasValue " "^^<http://www.w3.org/2001/XMLSchema#token> ] .
"""
    (tmp_path / "shapes").mkdir()
    (tmp_path / "shapes" / "own.ttl").write_text(PREFIXES + text)
    for _ in range(2):
        with used(store):
            odd = {
                o.value
                for o in shape_files.read(tmp_path / "shapes").graph.objects()
                if getattr(o, "value", None) == " "
            }
        assert odd == {" "}
    assert len(entries(store)) == 1  # what the shapes say, and not the graph


# ------------------------------------------------------------------ a check


def _outputs(folder: Path, tag: str, *options: str) -> dict[str, bytes]:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    shipped = folder / "shipped"
    shipped.write_text("what ships")
    asked = [word for form in FORMATS for word in ("--format", f"{form}={folder / form}")]
    done = gate_here(ROOT, "check", "--tag", tag, "--now", "2026-12-31T00:00:00Z", *asked, "--artifact", str(shipped), *options)  # fmt: skip
    return {path.name: path.read_bytes() for path in folder.iterdir()} | {
        "all": f"{done.returncode} {done.stdout} {done.stderr}".encode()
    }


def test_every_output_is_the_same_with_a_store_and_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    for tag in ("0.69.0", "0.70.0", "0.71.0"):
        without = _outputs(tmp_path / "out", tag, "--no-cache")
        assert set(FORMATS) < set(without)
        filling, filled = (_outputs(tmp_path / "out", tag) for _ in range(2))
        assert without == filling == filled
    assert list((tmp_path / "caches" / "taggate" / "derived").iterdir())


def test_no_cache_neither_reads_nor_writes(release: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    folder = release.write()
    for command in (["check"], ["plan"], ["notes"], ["known-issues"], ["graph"], ["explain", "dogfood"]):
        gate_here(folder, *command, "--tag", VERSION, "--now", NOW, "--no-cache")
        assert not (tmp_path / "caches").exists(), command
    assert gate_here(folder, "check", "--tag", VERSION, "--now", NOW).returncode == 0
    assert (tmp_path / "caches" / "taggate" / "derived").is_dir()


def test_what_lets_a_tag_through_takes_nothing_from_a_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    from tests.test_freshness import history
    from tests.test_subject import git

    home = tmp_path_factory.mktemp("home")
    (home / ".gitconfig").write_text("[user]\nname = releaser\nemail = releaser@example.org\n", encoding="utf-8")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / "caches"))
    folder, _ = history(green(tmp_path / "project"))
    bare = tmp_path / "bare.git"
    git(tmp_path, "init", "-q", "--bare", "-b", "main", str(bare))
    assert gate_here(bare, "hook", "install", "--hook", "pre-receive").returncode == 0
    git(folder, "remote", "add", "origin", str(bare))
    git(folder, "push", "-q", "origin", "main")
    done = gate_here(folder, "tag", VERSION, "--now", NOW)
    assert done.returncode == 0, done.stderr
    subprocess.run(["git", "push", "-q", "origin", f"v{VERSION}"], cwd=folder, check=True)
    assert git(bare, "tag", "--list").split() == [f"v{VERSION}"]
    assert not (home / "caches").exists()


def test_whole_checks_at_once_share_a_store_that_begins_empty(release: Release, tmp_path: Path) -> None:
    folder = release.write()
    release.folder = tmp_path / "red"
    release.row("lambda", "alpha-q4_k_m.gguf")["verdict"] = "fail"
    folders = {0: folder, 1: release.write()}
    command = [sys.executable, "-m", "gate", "check", "--tag", VERSION, "--now", NOW, "--format", "json"]
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path / "cache")}

    def begin(code: int) -> subprocess.Popen[bytes]:
        return subprocess.Popen(command, cwd=folders[code], env=environment, stdout=subprocess.PIPE)

    alone = {
        code: subprocess.run([*command, "--no-cache"], cwd=place, capture_output=True, check=False).stdout
        for code, place in folders.items()
    }
    assert alone[0] != alone[1]
    for code, process in [(code, begin(code)) for code in (0, 1, 0, 1, 0, 1)]:
        said, _ = process.communicate()
        assert (process.returncode, said) == (code, alone[code])
