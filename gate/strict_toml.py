"""TOML documents, and the line on which each key stands.

The values come from Python's own `tomllib`. It keeps no positions, so that the line of a key is looked up in a
tree-sitter parse, which costs nothing until an error or an annotation asks for one.
"""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

from gate.errors import BadFile
from gate.files import InputFile, decode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tree_sitter import Node

Place = tuple[str | int, ...]


def parse_file(file: InputFile) -> dict[str, Any]:
    """Return the TOML document that `file` is.

    Raises:
        BadFile: it isn't TOML (the message has the line), or isn't UTF-8.
    """
    text = decode(file)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message, _, at = str(error).partition(" (at ")
        place = at.rstrip(")").replace("end of document", f"line {text.count(chr(10)) + 1}")
        raise BadFile(file.path, place, f"it is not TOML: {message}") from None
    except (RecursionError, ValueError):
        raise BadFile(file.path, "", "it is nested too deeply, or holds a number beyond measure") from None


def line_of(file: InputFile, place: Sequence[str | int]) -> int | None:
    """Return the line (from 1) on which the key or item at `place` begins, or that of the nearest one around it.

    Args:
        file: the document.
        place: keys and indexes from the top (`("hosts", 0, "gpu")`).
    """
    try:
        lines = _lines(file.content)
    except RecursionError:  # a document nested past all use: the key alone names the place
        return None
    wanted = tuple(place)
    while wanted and wanted not in lines:
        wanted = wanted[:-1]
    return lines.get(wanted)


def _lines(content: bytes) -> dict[Place, int]:
    import tree_sitter_toml
    from tree_sitter import Language, Parser

    root = Parser(Language(tree_sitter_toml.language())).parse(content).root_node
    lines: dict[Place, int] = {}
    counts: dict[Place, int] = {}
    for child in root.children:
        if child.type == "pair":
            _note_pair(child, (), lines)
        elif child.type in {"table", "table_array_element"}:
            prefix = _header(child, counts, lines)
            for pair in child.children:
                if pair.type == "pair":
                    _note_pair(pair, prefix, lines)
    return lines


def _header(table: Node, counts: dict[Place, int], lines: dict[Place, int]) -> Place:
    """Note the table's own line, and return the place that its pairs stand under."""
    prefix: Place = ()
    keys = list(_keys(next(c for c in table.children if c.type.endswith("key"))))
    for depth, key in enumerate(keys, start=1):
        prefix = (*prefix, key)
        lines.setdefault(prefix, table.start_point[0] + 1)
        if depth == len(keys) and table.type == "table_array_element":
            counts[prefix] = counts.get(prefix, -1) + 1
        if prefix in counts:
            prefix = (*prefix, counts[prefix])
            lines.setdefault(prefix, table.start_point[0] + 1)
    return prefix


def _note_pair(pair: Node, prefix: Place, lines: dict[Place, int]) -> None:
    place = prefix
    for key in _keys(pair.children[0]):
        place = (*place, key)
        lines.setdefault(place, pair.start_point[0] + 1)
    _note_value(pair.children[-1], place, lines)


def _note_value(value: Node, place: Place, lines: dict[Place, int]) -> None:
    if value.type == "inline_table":
        for pair in value.children:
            if pair.type == "pair":
                _note_pair(pair, place, lines)
    elif value.type == "array":
        items = [c for c in value.children if c.is_named and c.type != "comment"]
        for index, item in enumerate(items):
            lines[(*place, index)] = item.start_point[0] + 1
            _note_value(item, (*place, index), lines)


def _keys(node: Node) -> Iterator[str]:
    if node.type == "dotted_key":
        for child in node.children:
            yield from _keys(child)
    elif node.type == "bare_key":
        yield (node.text or b"").decode()
    elif node.type == "quoted_key":
        quoted = (node.text or b"").decode()
        yield next(iter(tomllib.loads(f"{quoted} = 0")))
