"""A project's own shapes between two releases: what is gone or asks for less is named, what asks for more is not."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from gate.errors import BadFile
from gate.files import InputFile
from gate.shape_files import own_folder
from gate.shape_history import files, lost

PREFIXES = """
@prefix gate: <https://w3id.org/taggate/ns#> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix my: <https://example.org/shapes#> .
"""
SHAPE = "my:A a sh:PropertyShape ; sh:targetClass gate:CellRow ; sh:path gate:seconds ; sh:maxInclusive 120.0 ; sh:minCount 1 .\n"
NESTED = "my:N sh:targetClass gate:Cell ; sh:property [ sh:path gate:receipt ; sh:property [ sh:path gate:exitCode ; sh:in ( 0 1 2 3 4 5 6 7 8 ) ] ] .\n"
LONE = "[] sh:targetClass gate:Cell ; sh:path gate:receipt ; sh:minCount 1 .\n"
A, N = "https://example.org/shapes#A", "https://example.org/shapes#N"


def file(text: str, path: str = "shapes/own.ttl") -> InputFile:
    content = (PREFIXES + text).encode()
    return InputFile(path, hashlib.sha256(content).hexdigest(), content)


def found(before: list[InputFile], now: list[InputFile]) -> list[tuple[str, str | None]]:
    return [(each.file, each.shape) for each in lost(before, now)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("120.0", "120.5"),
        ("sh:maxInclusive 120.0", "sh:minInclusive 120.0"),
        (" ; sh:minCount 1", ""),
        ("sh:minCount 1", "sh:minCount 0"),
        ("gate:seconds", "gate:answerChars"),
        ("sh:targetClass gate:CellRow", "sh:targetClass gate:RefusalRow"),
        ("sh:minCount 1", "sh:minCount 1 ; sh:severity sh:Warning"),
        ("sh:minCount 1", "sh:minCount 1 ; sh:severity sh:Info"),
        ("my:A", "my:B"),
        ("120.0", '"120.0"'),
    ],
)
def test_what_asks_for_less_or_for_something_else_is_named(old: str, new: str) -> None:
    assert old in SHAPE
    assert found([file(SHAPE)], [file(SHAPE.replace(old, new))]) == [("own", A)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("120.0", "60.0"),
        ("sh:minCount 1", "sh:minCount 2"),
        ("sh:minCount 1", "sh:minCount 1 ; sh:maxCount 1"),
        ("sh:targetClass gate:CellRow", "sh:targetClass gate:CellRow , gate:RefusalRow"),
        ("sh:minCount 1", 'sh:minCount 1 ; sh:name "other" ; sh:message "Other words." ; sh:order 3'),
        ("sh:minCount 1", "sh:minCount 1 ; sh:severity sh:Violation"),
        ("a sh:PropertyShape ; ", ""),
        ("my:A", "# a comment\nmy:A"),
    ],
)
def test_what_asks_for_more_or_says_it_otherwise_is_not(old: str, new: str) -> None:
    assert found([file(SHAPE)], [file(SHAPE.replace(old, new))]) == []


def test_what_was_lifted_from_a_warning_asks_for_more() -> None:
    warning = SHAPE.replace("sh:minCount 1", "sh:minCount 1 ; sh:severity sh:Warning")
    assert found([file(warning)], [file(SHAPE)]) == []


def test_a_change_deep_below_is_seen() -> None:
    assert found([file(NESTED)], [file("# moved\n" + NESTED)]) == []
    assert found([file(NESTED)], [file(NESTED.replace("7 8", "7 9"))]) == [("own", N)]
    assert found([file(NESTED)], [file(NESTED.replace(" 8 )", " 8 9 )"))]) == [("own", N)]


def test_a_file_that_is_gone_is_one_thing_and_one_shape_of_it_another() -> None:
    both = file(SHAPE + NESTED)
    assert found([both], []) == [("own", None)]
    assert found([both], [file(SHAPE)]) == [("own", N)]
    assert found([both], [file(SHAPE, "shapes/other.ttl")]) == [("own", N)]


def test_shapes_may_move_to_another_file() -> None:
    assert found([file(SHAPE + NESTED)], [file(SHAPE, "shapes/a.ttl"), file(NESTED, "shapes/deep/n.ttl")]) == []


def test_a_shape_without_a_name_is_found_by_what_it_says() -> None:
    assert found([file(LONE)], [file(SHAPE + LONE, "shapes/other.ttl")]) == []
    assert found([file(SHAPE + LONE)], [file(SHAPE + LONE.replace("minCount 1", "maxCount 1"))]) == [
        ("own", "own (anonymous)")
    ]


def test_the_gates_own_shapes_of_another_version_are_none_of_the_projects() -> None:
    older = "gate:Older sh:targetClass gate:Cell ; sh:path gate:receipt ; sh:minCount 1 .\n"
    assert found([file(older, "shapes/cell.ttl")], []) == []
    assert found([file(older + SHAPE, "shapes/cell.ttl")], []) == [("cell", None)]
    assert found([file(older, "shapes/own.ttl")], []) == [("own", None)]


def test_equal_files_are_not_read_and_malformed_ones_are_named() -> None:
    broken = file("my:A sh:targetClass")
    assert found([broken], [broken]) == []
    for text, words in (
        ("my:A sh:targetClass", r"shapes/own\.ttl: it is not Turtle"),
        ("my:A %% .", r"own\.ttl, line 5"),
    ):
        with pytest.raises(BadFile, match=words):
            lost([file(text)], [])


def test_the_files_of_a_project_are_those_that_are_not_the_gates(tmp_path: Path) -> None:
    assert files(tmp_path) == ()
    (tmp_path / "shapes/deep").mkdir(parents=True)
    assert files(tmp_path) == ()
    (tmp_path / "shapes/cell.ttl").write_bytes((own_folder() / "cell.ttl").read_bytes())
    (tmp_path / "shapes/deep/own.ttl").write_text(PREFIXES + SHAPE)
    assert [found.path for found in files(tmp_path)] == ["shapes/deep/own.ttl"]
