"""JSON that can't fool its reader: no key twice, no NaN, no number beyond measure, no text that can't be written.

Python's own parser takes the last of two equal keys, reads `NaN`, and turns `1e999` into infinity. Each of them once
made a receipt say two things at a time.

There are two ways to read it. `quickly` reads what is plain, in bulk, and says nothing of what it doesn't accept: that
is read by `carefully`, which alone refuses, and says why. What both accept they read alike.
"""

from __future__ import annotations

import codecs
import json
import math
import re
import unicodedata
from typing import TYPE_CHECKING, Any

from pydantic_core import from_json, to_json

from gate.errors import BadFile
from gate.files import MEBIBYTE, InputFile, decode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_LINE = MEBIBYTE
MAX_BYTES = 4 * MAX_LINE  # the most that a line of as many characters can have
MAX_ITEM = 16 * MEBIBYTE  # of a list that is read item by item: a ticket with a long body, and no more
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


_HOOKS: dict[str, Any] = {
    "object_pairs_hook": _object, "parse_constant": _constant, "parse_int": _integer, "parse_float": _decimal,
}  # fmt: skip


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
    documents = quickly([text])
    return documents[0] if documents is not None else carefully(text, path, place)


# Of a text's bytes: where a number begins, what it consists of, and all else, each as one byte.
_NUMBERS = bytes(ord("0") if chr(c).isdigit() and c < 128 else ord(" ") if chr(c) in " \t\n\r:,[-" else ord("x")
                 for c in range(256))  # fmt: skip
_TOO_MANY_DIGITS = b" " + b"0" * (MAX_DIGITS + 1)
_VERY_LONG = b"0" * 150  # a number of 400 characters that begins with fewer digits than that has such a run in it


def quickly(texts: list[str]) -> list[Json] | None:
    """Return the JSON documents in `texts`, each of them what `carefully` returns; None: it may refuse one.

    The parser that is used keeps the last of two equal keys. Without a backslash in it, a text has two quotation marks
    a string and no others, so that what was read is written again with as many of them if and only if no key was lost.
    """
    whole = "\n".join(texts)
    if "\\" in whole:
        return None
    try:
        # It refuses NaN, and whatever is nested 200 deep.
        documents = [from_json(text, allow_inf_nan=False) for text in texts]
        written = to_json(documents, inf_nan_mode="constants")
        content = whole.encode("utf-8")
    except ValueError:
        return None
    if written.count(b'"') != content.count(b'"') or b"Infinity" in written:
        return None
    numbers = b" " + content.translate(_NUMBERS)
    return None if _TOO_MANY_DIGITS in numbers or _VERY_LONG in numbers else documents


def carefully(text: str, path: str, place: str) -> Json:
    """Return the JSON document in `text`: see `parse`."""
    try:
        document = json.loads(text, **_HOOKS)
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

    A file that isn't held is read part by part, and needs the memory of a part only.

    Raises:
        BadFile: see `parse`; or a line is longer than a mebibyte, or the file holds no document.
    """
    if file.held is not None:
        decode(file)  # what isn't text is said before what any line says; a file that isn't held was read through
    empty = True
    for lines in _blocks(file):
        for documents in _documents(lines, file.path):
            empty = empty and not documents
            yield from documents
    if empty:
        raise BadFile(file.path, "", "it is empty", "A JSON Lines receipt is a header line, then one row a line.")


def _blocks(file: InputFile) -> Iterator[list[tuple[int, str]]]:
    """Yield the lines that aren't blank with their numbers, about a mebibyte of them at a time."""
    number, begun = 1, b""
    for part in file.parts():
        # In UTF-8 a byte of a line break is nothing else. Not str.splitlines: a U+2028 in a JSON string ends no line.
        whole, line_break, begun = (begun + part).rpartition(b"\n")
        if not line_break and len(begun) > MAX_BYTES:
            whole, begun = begun, b""  # its line is too long, and the last that is read
        elif not line_break:
            continue
        yield _not_blank(whole, number)
        number += whole.count(b"\n") + 1
    yield _not_blank(begun, number)


def _not_blank(content: bytes, number: int) -> list[tuple[int, str]]:
    """Return the lines of `content`, the first of which has that number, without those that are blank."""
    # What is read was found to be UTF-8 before. Where it was changed since, the digest at the end says so.
    lines = enumerate(content.decode("utf-8", "replace").split("\n"), start=number)
    return [(number, line) for number, line in lines if line.strip() or len(line) > MAX_LINE]


def _documents(lines: list[tuple[int, str]], path: str) -> Iterator[list[tuple[int, Json]]]:
    """Yield the numbers and documents of lines, most of them read quickly, whatever stands between them."""
    short = all(len(line) <= MAX_LINE for _, line in lines)
    found = quickly([line for _, line in lines]) if short else None
    if found is not None:
        yield list(zip((number for number, _ in lines), found, strict=True))
    elif len(lines) > 1:
        middle = len(lines) // 2
        yield from _documents(lines[:middle], path)
        yield from _documents(lines[middle:], path)
    else:
        number, line = lines[0]
        if len(line) > MAX_LINE:
            raise BadFile(path, f"line {number}", f"the line is longer than {MAX_LINE:,} characters")
        yield [(number, carefully(line, path, f"line {number}"))]


class _Window:
    """The part of a list that is being read: what was read is forgotten, what is needed is fetched."""

    def __init__(self, parts: Iterable[bytes], path: str) -> None:
        self.text, self.at, self.path = "", 0, path
        self._line = 1  # on which the text begins
        self._parts, self._ended = iter(parts), False
        self._decoder = codecs.getincrementaldecoder("utf-8")()

    def more(self) -> bool:
        """Fetch as much again as is held, so that a long item is tried a few times only; False: there is no more."""
        if self._ended:
            return False
        self._line = self.line()
        found, held = [self.text[self.at :]], len(self.text) - self.at
        wanted = 2 * held + 1
        while held < wanted and not self._ended:
            part = next(self._parts, None)
            self._ended = part is None
            try:
                found.append(self._decoder.decode(part or b"", final=part is None))
            except UnicodeDecodeError:
                raise BadFile(self.path, "", "it is not UTF-8 text", "Save it as UTF-8.") from None
            held += len(found[-1])
        self.text, self.at = "".join(found), 0
        return True

    def line(self) -> int:
        """Return the line that is being read."""
        return self._line + self.text.count("\n", 0, self.at)

    def peek(self) -> str:
        """Return the next character that isn't white space; an empty text: there is none."""
        while True:
            rest = _NOT_BLANK.search(self.text, self.at)
            if rest is not None:
                self.at = rest.start()
                return rest[0]
            self.at = len(self.text)
            if not self.more():
                return ""

    def value(self, place: str) -> Json:
        """Return the JSON value that begins here, and go behind it."""
        while True:
            try:
                document, end = _DECODER.raw_decode(self.text, self.at)
            except (json.JSONDecodeError, _Strict) as error:
                # It may only be cut off: the next part tells. What is no JSON stays so, however much is fetched.
                if len(self.text) - self.at <= MAX_ITEM and self.more():
                    continue
                raise self._refused(place, error) from None
            except RecursionError:
                raise BadFile(self.path, place, "it is nested too deeply to be read") from None
            cut_off = isinstance(document, int | float) and self.text[end : end + 1] not in _BEHIND
            if cut_off and len(self.text) - self.at <= MAX_ITEM and self.more():
                continue  # what is left of a number may be one too
            if "\\u" in self.text[self.at : end]:
                _refuse_surrogates(document, self.path, place)
            self.at = end
            return document

    def _refused(self, place: str, error: json.JSONDecodeError | _Strict) -> BadFile:
        if isinstance(error, _Strict):
            return BadFile(self.path, place, str(error))
        if len(self.text) - self.at > MAX_ITEM:
            wrong = f"it is longer than {MAX_ITEM:,} characters, or it is not JSON: {error.msg}"
        else:
            wrong = f"it is not JSON: {error.msg}"
        self.at = max(error.pos, self.at)
        return BadFile(self.path, f"{place}, line {self.line()}".removeprefix(", "), wrong)


_BEHIND = {",", "]", " ", "\t", "\n", "\r"}  # what can stand behind a value in a list
_NOT_BLANK = re.compile(r"[^ \t\n\r]")  # JSON's white space, and no other
_DECODER = json.JSONDecoder(**_HOOKS)


def parse_items(parts: Iterable[bytes], path: str) -> Iterator[tuple[str, Json]]:
    """Yield each item of a JSON list with its place (`[17]`); one object alone is yielded with an empty place.

    A list needs no more memory than its longest item, however long it is.

    Args:
        parts: the bytes of the file, in parts of any size.
        path: the file, for messages.

    Raises:
        BadFile: see `parse`; or there is neither a list nor an object, an item is longer than 16 MiB, or something
            stands behind the end.
    """
    window = _Window(parts, path)
    first = window.peek()
    if first == "\ufeff":
        raise BadFile(path, "byte 1", "it begins with a byte-order mark", "Save it as UTF-8 without one.")
    if first == "{":
        yield "", window.value("")
    elif first == "[":
        window.at += 1
        yield from _items(window)
    else:
        raise BadFile(path, f"line {window.line()}", "it is neither a JSON list nor a JSON object")
    if window.peek():
        raise BadFile(path, f"line {window.line()}", "something stands behind the end", "Give one list, or one object.")


def _items(window: _Window) -> Iterator[tuple[str, Json]]:
    number = 0
    while window.peek() != "]":
        place = f"[{number}]"
        if number > 0:
            if window.peek() != ",":
                raise BadFile(window.path, f"{place}, line {window.line()}", "it is not JSON: Expecting ',' delimiter")
            window.at += 1
            window.peek()
        yield place, window.value(place)
        number += 1
    window.at += 1


def written(document: Json) -> str:
    """Return `document` as text that ends in a line break, readable, and with nothing raw that a terminal would obey.

    What turns text around, hides or controls is written as an escape; any reader of JSON gets back what was there.
    """
    text = json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    return _OBEYED.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    character = found[0]
    if unicodedata.category(character) not in {"Cc", "Cf", "Zl", "Zp"} or character == _JOINER:
        return character
    units = character.encode("utf-16-be").hex()
    return "".join(f"\\u{units[i : i + 4]}" for i in range(0, len(units), 4))


_JOINER = "\u200d"  # between the parts of one emoji
_OBEYED = re.compile(r"[^\n -~\w]")  # few characters: what they are is looked up one by one
