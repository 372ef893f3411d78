"""Every key of a TOML document has its line."""

from __future__ import annotations

import pytest

from gate import strict_toml
from gate.errors import BadFile
from gate.files import InputFile

DOCUMENT = """\
# a comment
[project]
name = "x"
"quoted key" = 1

[[hosts]]
id = "a"

[[hosts]]
id = "b"
gpu.name = "dotted"
aliases = [
  "one",  # a comment between
  "two",
]

[hosts.place]
room = 3

[cells.long]
representatives = { qwen2 = "x", qwen3 = "y" }
ruling = { by = "me", on = 2026-09-28 }
"""


@pytest.mark.parametrize(
    ("place", "line"),
    [
        (("project",), 2),
        (("project", "name"), 3),
        (("project", "quoted key"), 4),
        (("hosts", 0), 6),
        (("hosts", 0, "id"), 7),
        (("hosts", 1), 9),
        (("hosts", 1, "id"), 10),
        (("hosts", 1, "gpu", "name"), 11),
        (("hosts", 1, "aliases"), 12),
        (("hosts", 1, "aliases", 1), 14),
        (("hosts", 1, "place", "room"), 18),
        (("cells", "long", "representatives", "qwen3"), 21),
        (("cells", "long", "ruling", "on"), 22),
        (("hosts", 1, "missing"), 9),
        (("nowhere",), None),
    ],
)
def test_a_key_has_its_line_and_a_missing_one_that_of_its_table(place: tuple[str | int, ...], line: int | None) -> None:
    assert strict_toml.line_of(InputFile("x.toml", "", DOCUMENT.encode()), place) == line


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = 1\nb = \n", "x.toml, line 2, column 5: it is not TOML: Invalid value"),
        ("a = 1\na = 2\n", "line 2"),
        ("[t]\n[t]\n", "line 2"),
        ("a = [1,\n2", "line 2"),
    ],
)
def test_what_is_not_toml_is_refused_with_its_line(text: str, said: str) -> None:
    with pytest.raises(BadFile) as refused:
        strict_toml.parse_file(InputFile("x.toml", "", text.encode()))
    assert said in str(refused.value)


def test_nesting_past_the_parser_is_refused() -> None:
    with pytest.raises(BadFile, match="nested too deeply"):
        strict_toml.parse_file(InputFile("x.toml", "", ("a = " + "[" * 50_000 + "]" * 50_000).encode()))
