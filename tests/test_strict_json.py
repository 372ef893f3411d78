"""JSON that would say two things, or nothing, is refused with its place."""

from __future__ import annotations

import json
import math
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate import strict_json
from gate.errors import BadFile
from gate.files import InputFile

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**18), 10**18) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


def lines(content: str) -> InputFile:
    return InputFile("rows.jsonl", "", content.encode())


@given(VALUES)
def test_what_json_writes_is_read_back(value: object) -> None:
    assert strict_json.parse(json.dumps(value), "x.json") == value
    assert strict_json.parse(json.dumps(value, ensure_ascii=False), "x.json") == value


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ('{"verdict": "pass", "verdict": "fail"}', '"verdict" stands twice'),
        ('[{"a": {"b": 1, "b": 1}}]', '"b" stands twice'),
        ("[NaN]", "NaN is not a number"),
        ("[Infinity]", "Infinity is not a number"),
        ("[-Infinity]", "-Infinity is not a number"),
        ("[1e999]", "too large"),
        ("[-1e999]", "too large"),
        ("[" + "9" * 20 + "]", "20 digits"),
        ("[" + "9" * 5000 + "]", "5000 digits"),
        ("[1." + "0" * 500 + "]", "too large"),
        ('["\\ud800"]', "surrogate"),
        ('{"\\udfff": 1}', "surrogate"),
        ("[" * 100_000 + "]" * 100_000, "nested too deeply"),
        ('{"a":' * 100_000 + "1" + "}" * 100_000, "nested too deeply"),
        ('{"a": 1', "not JSON"),
        ("{'a': 1}", "not JSON"),
        ('{"a": 1} {"a": 2}', "not JSON"),
        ('{"a": 1,}', "not JSON"),
        ("", "not JSON"),
    ],
)
def test_what_a_receipt_must_not_be_is_refused(text: str, wrong: str) -> None:
    with pytest.raises(BadFile) as refused:
        strict_json.parse(text, "receipts/x.json")
    assert wrong in str(refused.value)
    assert str(refused.value).startswith("receipts/x.json")


def test_a_syntax_error_is_named_with_line_and_column() -> None:
    with pytest.raises(BadFile, match=r"x\.json, line 2, column 9"):
        strict_json.parse('{\n "a": 1 "b": 2}', "x.json")


def test_json_lines_name_their_line() -> None:
    with pytest.raises(BadFile, match=r"rows\.jsonl, line 3, column 2"):
        list(strict_json.parse_lines(lines('{"a": 1}\n\n{nope}\n')))
    with pytest.raises(BadFile, match=r"line 2: the key \"a\" stands twice"):
        list(strict_json.parse_lines(lines('{"a": 1}\n{"a": 1, "a": 2}\n')))


def test_json_lines_end_at_line_feeds_only() -> None:
    text = '{"reason": "one\u2028line\u0085still"}\r\n{"a": 2}'
    assert list(strict_json.parse_lines(lines(text))) == [(1, {"reason": "one\u2028line\u0085still"}), (2, {"a": 2})]


@pytest.mark.parametrize("content", ["", "\n\n", "   "])
def test_an_empty_file_is_no_receipt(content: str) -> None:
    with pytest.raises(BadFile, match="it is empty"):
        list(strict_json.parse_lines(lines(content)))
    with pytest.raises(BadFile, match="it is empty"):
        strict_json.parse_file(InputFile("x.json", "", content.encode()))


def test_a_line_beyond_measure_is_refused() -> None:
    with pytest.raises(BadFile, match="line 1: the line is longer"):
        list(strict_json.parse_lines(lines('"' + "x" * strict_json.MAX_LINE + '"')))


@pytest.mark.parametrize(
    ("content", "wrong"),
    [(b"\xff\xfe{}", "not UTF-8"), (b"\xef\xbb\xbf{}", "byte-order mark"), (b'{"a": "\xe9"}', "byte 8")],
)
def test_bytes_that_are_no_utf_8_are_named(content: bytes, wrong: str) -> None:
    with pytest.raises(BadFile, match=wrong):
        strict_json.parse_file(InputFile("x.json", "", content))


@given(st.floats())
def test_no_number_but_a_finite_one_is_ever_read(number: float) -> None:
    text = json.dumps(number)
    if math.isfinite(number):
        assert strict_json.parse(text, "x") == number
    else:
        with pytest.raises(BadFile):
            strict_json.parse(text, "x")


# ---------------------------------------------------------------- lists that are read item by item


def parts(content: str | bytes, size: int = 7) -> list[bytes]:
    data = content.encode() if isinstance(content, str) else content
    return [data[i : i + size] for i in range(0, len(data), size)]


@given(st.lists(VALUES, max_size=6), st.integers(1, 40), st.booleans())
def test_a_list_read_item_by_item_is_the_list_however_it_is_cut(
    values: list[object], size: int, ascii_only: bool
) -> None:
    text = json.dumps(values, ensure_ascii=ascii_only, indent=1)
    found = list(strict_json.parse_items(parts(text, size), "x.json"))
    assert [value for _, value in found] == values
    assert [place for place, _ in found] == [f"[{i}]" for i in range(len(values))]


@given(st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), VALUES, max_size=4), st.integers(1, 40))
def test_one_object_alone_is_an_item_without_a_place(value: object, size: int) -> None:
    assert list(strict_json.parse_items(parts(f" {json.dumps(value)}\n", size), "x.json")) == [("", value)]


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ('[{"a": 1, "a": 2}]', 'x.json, [0]: the key "a" stands twice'),
        ('[{}, {"a": NaN}]', "x.json, [1]: NaN is not a number"),
        ('[{}, {"a": 1e999}]', "x.json, [1]: the number 1e999 is too large"),
        ('[{"a": "\\ud800"}]', "x.json, [0]: it holds half a surrogate pair"),
        ('[{"a": ' + "[" * 100_000, "x.json, [0]: it is nested too deeply"),
        ('[{},\n{"a" 1}]', "x.json, [1], line 2: it is not JSON: Expecting ':' delimiter"),
        ("[{}\n{}]", "x.json, [1], line 2: it is not JSON: Expecting ',' delimiter"),
        ("[{},]", "x.json, [1], line 1: it is not JSON: Expecting value"),
        ("[{}", "x.json, [1], line 1: it is not JSON: Expecting ',' delimiter"),
        ("[", "x.json, [0], line 1: it is not JSON: Expecting value"),
        ('{"a": 1', "x.json, line 1: it is not JSON"),
        ("[{}]\n[{}]", "x.json, line 2: something stands behind the end"),
        ("{} {}", "x.json, line 1: something stands behind the end"),
        ("", "x.json, line 1: it is neither a JSON list nor a JSON object"),
        ('"x"', "x.json, line 1: it is neither"),
        ("\ufeff[]", "x.json, byte 1: it begins with a byte-order mark"),
        (b'[{"a": "\xff"}]', "x.json: it is not UTF-8 text"),
        (b'[{"a": "\xc3', "x.json: it is not UTF-8 text"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("size", [1, 5, 1_000_000])
def test_a_list_is_refused_with_the_place_of_its_item(text: str | bytes, wrong: str, size: int) -> None:
    with pytest.raises(BadFile) as refused:
        list(strict_json.parse_items(parts(text, size), "x.json"))
    assert str(refused.value).startswith(wrong)


@pytest.mark.parametrize(
    ("begins", "wrong"), [(b'[{"a": "', "it is longer than 16,777,216 characters"), (b"[1", "it is not JSON")]
)
def test_an_item_has_an_end(begins: bytes, wrong: str) -> None:
    endless = (begins if i == 0 else b"x" * 2**20 for i in range(40))
    with pytest.raises(BadFile, match=rf"x\.json, \[[01]\], line 1: {wrong}"):
        list(strict_json.parse_items(endless, "x.json"))
    assert any(endless), "it read on though nothing could come of it"


@given(VALUES)
def test_what_is_written_is_read_back_and_obeyed_by_nothing(value: object) -> None:
    text = strict_json.written(value)
    assert json.loads(text) == value
    assert not {c for c in text if unicodedata.category(c) in {"Cc", "Cf", "Zl", "Zp"}} - {"\n", "\u200d"}


def test_what_is_written_stays_readable() -> None:
    said = strict_json.written({"title": "שלום 👩‍💻 ü <b>|\u202etxt\x9b\x7f\u2028"})
    assert said == '{\n "title": "שלום 👩‍💻 ü <b>|\\u202etxt\\u009b\\u007f\\u2028"\n}\n'
