"""A shape that would pass without having judged ends the check before it begins."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from gate import shape_files
from gate.errors import BadFile, Declined
from tests.falsifiers.falsifier import CELL, judge
from tests.release import NOW, VERSION, Release
from tests.release import gate_here as gate

PREFIXES = """\
@prefix gate: <https://w3id.org/taggate/ns#> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix my: <https://example.org/shapes#> .
"""
SLOW = """
my:Fast a sh:NodeShape ; sh:targetClass gate:Cell ;
    sh:property [
        sh:path gate:receipt ;
        sh:property [ sh:path gate:seconds ; sh:name "fast" ; sh:minCount 1 ; sh:maxInclusive 60 ;
            sh:message "The run took more than a minute." ] ] .
"""


def with_shapes(release: Release, text: str, name: str = "own.ttl", prefixes: str = PREFIXES) -> Release:
    release.documents[f"shapes/{name}"] = prefixes + text
    return release


def refusal(release: Release) -> str:
    folder = release.write()
    with pytest.raises(BadFile) as refused:
        shape_files.read(folder / "shapes")
    return str(refused.value)


def test_a_projects_own_shape_judges_too(release: Release) -> None:
    release.row("lambda", "alpha-q4_k_m.gguf")["seconds"] = 61
    verdict, _ = judge(with_shapes(release, SLOW).write())
    assert [(f.shape, f.focus, f.property, f.reason, f.says) for f in verdict.findings] == [
        ("own", CELL, "fast", "failed", "The run took more than a minute.")
    ]
    assert verdict.exit_code == 1
    assert verdict.states == {"passed": 71, "failed": 1}
    assert {s.id: s.focus_nodes for s in verdict.shapes}["own"] == 72


def test_a_projects_own_shape_demands_what_is_absent(release: Release) -> None:
    del release.row("lambda", "alpha-q4_k_m.gguf")["seconds"]
    verdict, _ = judge(with_shapes(release, SLOW).write())
    assert [(f.focus, f.property) for f in verdict.findings] == [(CELL, "fast")]


def test_the_name_of_an_anonymous_shape_does_not_change(release: Release) -> None:
    folder = with_shapes(release, SLOW).write()
    names = {
        tuple(sorted(s for s in shape_files.read(folder / "shapes").shapes if "urn:taggate" in s)) for _ in range(3)
    }
    assert names == {
        (
            "urn:taggate:shape:own:https%3A%2F%2Fexample.org%2Fshapes%23Fast/1",
            "urn:taggate:shape:own:https%3A%2F%2Fexample.org%2Fshapes%23Fast/1/1",
        )
    }


MEASURED = "sh:property [ sh:path gate:receipt ; sh:minCount 1 ]"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "it holds no shape with a target"),
        ("my:S a sh:NodeShape ; " + MEASURED + " .", "it holds no shape with a target"),
        ("my:S a sh:NodeShape ; sh:targetClass gate:Cell .", "the shape constrains nothing"),
        (f"my:S a sh:NodeShape ; sh:targetClass gate:Cel ; {MEASURED} .", "gate:Cel: the vocabulary has no such term"),
        (f"my:S a sh:NodeShape ; sh:targetClas gate:Cell ; {MEASURED} .", "sh:targetClas: SHACL Core has no such term"),
        ("my:S a sh:NodeShape ; sh:targetClass gate:Cell ; sh:property [ sh:path gate:receipt ; sh:mincount 1 ] .",
         "sh:mincount: SHACL Core has no such term"),
        ("my:S a sh:NodeShape ; sh:targetClass gate:Cell ; sh:property [ sh:path gate:reciept ; sh:minCount 1 ] .",
         "gate:reciept: the vocabulary has no such term"),
        ("my:S a sh:NodeShape ; sh:targetClass gate:Cell ; sh:property [ sh:path my:receipt ; sh:maxCount 1 ] .",
         "my:receipt".replace("my:", "https://example.org/shapes#") + ": the graph has no such property"),
        ("my:S a sh:NodeShape ; sh:targetClass gate:Cell ; sh:property [ sh:path [ sh:inversePath my:x ] ; sh:maxCount 1 ] .",
         "https://example.org/shapes#x: the graph has no such property"),
        ("my:S a sh:NodeShape ; sh:targetClass gate:Cell ; sh:property [ sh:path ( gate:receipt my:x ) ; sh:maxCount 1 ] .",
         "https://example.org/shapes#x: the graph has no such property"),
        ("my:S a sh:NodeShape ; sh:targetClass gate:Cell ; sh:property [ sh:path ( gate:receipt gate:verdict ) ; sh:in ( gate:passs ) ] .",
         "gate:passs: the vocabulary has no such term"),
        (f"my:S a sh:NodeShape ; sh:targetClass gate:Cell ; sh:deactivated true ; {MEASURED} .", "the shape is deactivated"),
        (f"my:S a sh:NodeShape ; sh:targetClass gate:Cell ; sh:deactivated \"yes\" ; {MEASURED} .", "the shape is deactivated"),
        ("my:S a sh:NodeShape ; sh:targetClass gate:Cell ; sh:node my:Gone .", "refers to https://example.org/shapes#Gone, which is no shape"),
        ("my:S a sh:NodeShape ; sh:targetClass gate:Cell ; sh:or ( my:Gone ) .", "which is no shape"),
        (f"my:S a sh:NodeShape ; sh:targetClass gate:Cell ; {MEASURED} . my:T a sh:NodeShape ; {MEASURED} .",
         "my:T".replace("my:", "https://example.org/shapes#") + ": no target and no other shape leads to this shape"),
        (f"my:S a sh:NodeShape ; sh:targetClass gate:Cell ; sh:severity my:Low ; {MEASURED} .", "is no severity"),
        ("my:S a sh:NodeShape ; sh:targetClass gate:Cell ; sh:property [ sh:path gate:receipt ; sh:minCount \"one\" ] .",
         "sh:minCount is one, which is no whole number"),
        ("my:S a sh:NodeShape ; sh:targetClass gate:Cell ; sh:property [ sh:path gate:receipt ; sh:minCount 1.5 ] .",
         "which is no whole number"),
        (f'{SLOW.replace("60", chr(34) + "NaN" + chr(34) + "^^<http://www.w3.org/2001/XMLSchema#double>")}', "sh:maxInclusive is nan, which is no number"),
        (f'{SLOW.replace("60", chr(34) + "ten" + chr(34))}', "sh:maxInclusive is ten, which is no number"),
        ("my:S a sh:NodeShape ; sh:targetClass gate:Release ; sh:property [ sh:path gate:commit ; sh:pattern \"(\" ] .",
         "is no regular expression"),
        (f"<> <http://www.w3.org/2002/07/owl#imports> <http://example.org/x> . my:S a sh:NodeShape ; sh:targetClass gate:Cell ; {MEASURED} .",
         "owl:imports: nothing is imported"),
        ("my:S a sh:NodeShape ; sh:targetClass gate:Cell ; sh:sparql [ sh:select \"SELECT $this WHERE {}\" ] .", "SHACL Core has no such term"),
        ("my:S a sh:NodeShape ; sh:targetClass gate:Cell ; sh:property [ .", "it is not Turtle"),
        ("gate:Cell-measured sh:deactivated true .", "this is the gate's own"),
        ("gate:Cell-measured sh:severity sh:Info .", "this is the gate's own"),
        ("gate:verdict a gate:Cell .", "this is the gate's own"),
    ],
)  # fmt: skip
def test_a_shape_that_would_pass_unjudged_is_refused(text: str, said: str, release: Release) -> None:
    assert said in refusal(with_shapes(release, text))
    assert refusal(release).startswith("shapes/own.ttl")


def test_broken_turtle_is_named_with_its_line(release: Release) -> None:
    assert refusal(with_shapes(release, "\nmy:S a sh:NodeShape ;;; nonsense")).startswith(
        "shapes/own.ttl, line 5: it is not Turtle"
    )


def test_an_empty_folder_of_shapes_is_refused(release: Release) -> None:
    (release.folder / "shapes").mkdir()
    assert "the folder holds no shapes" in refusal(release)


def test_a_built_in_file_of_other_content_is_refused(release: Release) -> None:
    assert "cell is the name of a built-in file of other content" in refusal(with_shapes(release, SLOW, "cell.ttl"))


def test_the_built_in_files_themselves_are_no_second_shapes(release: Release) -> None:
    folder = release.write()
    shutil.copytree(shape_files.own_folder(), folder / "shapes")
    assert shape_files.read(folder / "shapes").users == frozenset()


def test_a_users_shape_that_finds_nothing_is_declined(release: Release) -> None:
    text = f"my:S a sh:NodeShape ; sh:targetClass gate:DeclaimedCell ; {MEASURED} ."
    done = gate(with_shapes(release, text).write(), "check", "--tag", VERSION, "--now", NOW)
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        done.stderr
        == "gate: shapes/own.ttl found nothing to judge: its target https://w3id.org/taggate/ns#DeclaimedCell matches no node\n"
    )


def test_one_idle_target_among_others_is_declined(release: Release) -> None:
    text = SLOW + f"my:S a sh:NodeShape ; sh:targetClass gate:DeclaimedCell ; {MEASURED} ."
    done = gate(with_shapes(release, text).write(), "check", "--tag", VERSION, "--now", NOW)
    assert done.returncode == 2
    assert "DeclaimedCell matches no node" in done.stderr


def test_a_users_shape_below_a_violation_does_not_refuse(release: Release) -> None:
    release.row("lambda", "alpha-q4_k_m.gguf")["seconds"] = 61
    text = SLOW.replace('sh:name "fast"', 'sh:severity sh:Warning ; sh:name "fast"')
    verdict, _ = judge(with_shapes(release, text).write())
    assert [f.severity for f in verdict.findings] == ["warning"]
    assert verdict.exit_code == 0


def _own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installation of the gate's own shapes that can be damaged."""
    folder = tmp_path / "installed"
    shutil.copytree(shape_files.own_folder(), folder)
    monkeypatch.setattr(shape_files, "own_folder", lambda: folder)
    return folder


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("cell", "sh:targetClass gate:Cell", "sh:targetClass gate:Cel"),
        ("cell", "; sh:minCount 1", "; sh:mincount 1"),
        ("host", "gate:Held-sha256 ,", "gate:Held-sha265 ,"),
        ("cell", "sh:minCount 1 ;", "sh:minCount 1 ; sh:deactivated true ;"),
        ("cell", "@prefix", "@prefx"),
        ("vocabulary", "gate:verdict a", "gate:verdct a"),
    ],
)
def test_a_damaged_installation_is_never_trusted(file: str, old: str, new: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    path = _own(tmp_path, monkeypatch) / f"{file}.ttl"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))
    with pytest.raises(Declined, match="the gate's own shapes can't be trusted"):
        shape_files.read(tmp_path / "none")


def test_a_target_that_finds_other_nodes_than_are_owed_is_declined(release: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    path = _own(tmp_path, monkeypatch) / "cell.ttl"
    path.write_text(path.read_text().replace("sh:targetClass gate:Cell ", "sh:targetClass gate:PendingDeclaim "))
    with pytest.raises(Declined, match="the shapes of cell don't target Cell and CellRow"):
        judge(release.write())


def test_a_missing_shape_file_is_declined(release: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (_own(tmp_path, monkeypatch) / "suite.ttl").unlink()
    with pytest.raises(Declined, match="the gate has no shape for the obligation suite"):
        judge(release.write())


def test_an_emptied_installation_is_declined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = _own(tmp_path, monkeypatch)
    for path in folder.glob("*.ttl"):
        path.write_text("")
    with pytest.raises(Declined, match="can't be trusted"):
        shape_files.read(tmp_path / "none")
