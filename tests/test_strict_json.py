"""JSON that would say two things, or nothing, is refused with its place."""

from __future__ import annotations

import json
import math

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
