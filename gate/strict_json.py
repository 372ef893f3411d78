"""JSON that can't fool its reader: no key twice, no NaN, no number beyond measure, no text that can't be written.

Python's own parser takes the last of two equal keys, reads `NaN`, and turns `1e999` into infinity. Each of them once
made a receipt say two things at a time.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from gate.errors import BadFile
from gate.files import MEBIBYTE, InputFile, decode

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_LINE = MEBIBYTE
MAX_DIGITS = 19  # what fits in 64 bits

Json = Any  # what json.loads gives: narrowed by the reader that knows the schema


class _Strict(ValueError):
    """What the grammar allows and a receipt doesn't."""


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    members = dict(pairs)
    if len(members) < len(pairs):
        seen: set[str] = set()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise _Strict(f"the key {json.dumps(twice)} stands twice in one object")
    return members


def _constant(text: str) -> Json:
    raise _Strict(f"{text} is not a number that JSON has")


def _integer(text: str) -> int:
    if len(text.lstrip("-")) > MAX_DIGITS:
        raise _Strict(f"a number of {len(text)} digits is beyond what any receipt counts")
    return int(text)


def _decimal(text: str) -> float:
    number = float(text) if len(text) < 400 else math.inf
    if math.isinf(number):
        raise _Strict(f"the number {text[:40]} is too large to be held")
    return number


def parse(text: str, path: str, place: str = "") -> Json:
    """Return the JSON document in `text`.

    Args:
        text: the document.
        path: the file it came from, for messages.
        place: where in the file it stands (`line 7`), for messages; empty where it is the whole file.

    Raises:
        BadFile: it isn't JSON, or is JSON that says a thing twice, holds NaN, an infinity, a number beyond 64 bits,
            nesting past the parser's depth or a lone surrogate.
    """
    try:
        document = json.loads(
            text, object_pairs_hook=_object, parse_constant=_constant, parse_int=_integer, parse_float=_decimal
        )
    except json.JSONDecodeError as error:
        at = f"{place}, column {error.colno}" if place else f"line {error.lineno}, column {error.colno}"
        raise BadFile(path, at, f"it is not JSON: {error.msg}") from None
    except _Strict as error:
        raise BadFile(path, place, str(error)) from None
    except RecursionError:
        raise BadFile(path, place, "it is nested too deeply to be a receipt") from None
    if "\\u" in text:
        _refuse_surrogates(document, path, place)
    return document


def _refuse_surrogates(document: Json, path: str, place: str) -> None:
    try:
        json.dumps(document, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise BadFile(path, place, "it holds half a surrogate pair, which no text can hold") from None


def parse_file(file: InputFile) -> Json:
    """Return the JSON document that `file` is.

    Raises:
        BadFile: see `parse`; or the file is empty or isn't UTF-8.
    """
    text = decode(file)
    if not text.strip():
        raise BadFile(file.path, "", "it is empty", "A receipt is a JSON object with a `schema`.")
    return parse(text, file.path)


def parse_lines(file: InputFile) -> Iterator[tuple[int, Json]]:
    """Yield the line number and the document of each line that isn't blank.

    Raises:
        BadFile: see `parse`; or a line is longer than a mebibyte, or the file holds no document.
    """
    empty = True
    # Not str.splitlines: a U+2028 inside a JSON string ends no line.
    for number, line in enumerate(decode(file).split("\n"), start=1):
        if len(line) > MAX_LINE:
            raise BadFile(file.path, f"line {number}", f"the line is longer than {MAX_LINE:,} characters")
        if line.strip():
            empty = False
            yield number, parse(line, file.path, f"line {number}")
    if empty:
        raise BadFile(file.path, "", "it is empty", "A JSON Lines receipt is a header line, then one row a line.")
