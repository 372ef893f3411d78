"""What is read in bulk is what is read one by one: the same rows, or the same words of refusal."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gate import files, strict_json
from gate.errors import BadFile
from gate.files import InputFile
from gate.ledger import columns, native
from gate.ledger.rows import Receipt
from gate.malformed import Table, checked
from tests.release import header

ROW = {
    "model": {"file": "alpha-q4_k_m.gguf", "sha256": "1" * 64},
    "verb": "run", "context": "4k", "thinking": "off", "verdict": "pass",
    "backend": {"requested": "cuda", "ran": "cuda", "fell_back": False},
    "exit_code": 0, "prompt_tokens": 4096, "answer_chars": 12, "seconds": 1.5, "reason": "", "think_closed": True,
    "required_bytes": 7, "warnings": ["one"], "evidence": {"path": "log.txt", "sha256": "2" * 64},
}  # fmt: skip
HEAD = header("taggate/run-receipt/v1", "lambda")

# What a writer of JSON or an attacker may put where a value stands, as text.
VALUES = st.sampled_from([
    "null", "true", "false", "0", "-0", "1", "1.0", "-1", "1e2", "0.5", '""', '"x"', '" x"', '"é"', '"a\\u0041"', '"\\n"', "[]", "{}",
    '["x"]', '["\\ud800"]', '"\\ud800"', "NaN", "Infinity", "-Infinity", "1e999", "-1e999", "1e-400", "9" * 19,
    "9" * 20, "-" + "9" * 19, "-" + "9" * 20, "0" * 20, "9" * 5000, "1." + "0" * 397, "1." + "0" * 398, "1e" + "0" * 398, "01", "+1", ".5",
    "1.", "tru", "'x'", '"Infinity"', '"1' + "2" * 30 + '"', '": "', '"a:b"', '"\t"', '"\u2028"', '"\x85"', '"\\/"', "[" * 300 + "]" * 300,
    "[" * 150 + "]" * 150, str(2**53), str(2**53 + 1), '{"file": "m"}', '{"file": "m", "file": "m"}', '{"file" :"m","file"\t:"n"}',
    '{"file": "a/b"}', '{"path": "p"}', '{"ran": 1}', '{"fell_back": 1}', '{"fell_back": 0.0}', '{"ran": "cuda", "run": 1}',
])  # fmt: skip
KEYS = st.sampled_from([*ROW, "modle", "", "a:b", "verb "])
BLANKS = st.sampled_from(["", " ", "\t", "\r", " \r"])
SPOILED = st.sampled_from(["", "\x0b", "\xa0", "}", "{}", ",", "]", " 1", "\ufeff", '"', "\\", "\x00"])


@st.composite
def rows(draw: st.DrawFn) -> str:
    """Draw the text of a row: a good one, some of its members spoiled, said twice, left out or turned round."""
    members = [(json.dumps(key), json.dumps(value)) for key, value in ROW.items()]
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, len(members)))
        new = (json.dumps(draw(KEYS)), draw(VALUES))
        members[at : at + draw(st.integers(0, 1))] = [new]
    if draw(st.booleans()):
        members = draw(st.permutations(members))
    members = members[: draw(st.sampled_from([len(members), len(members), 3]))]
    blank = draw(BLANKS)
    return "{" + ",".join(f"{key}{blank}:{value}{blank}" for key, value in members) + "}"


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Draw the text of a receipt in JSON Lines: most rows good, and few of them spoiled."""
    good = json.dumps(ROW)
    lines = draw(st.lists(st.just(good) | st.just(good) | rows() | BLANKS, max_size=6))
    if lines and draw(st.booleans()):
        lines[draw(st.integers(0, len(lines) - 1))] += draw(SPOILED)
    return "\n".join([json.dumps(HEAD), *lines])


def outcome(read: Callable[[], Any]) -> Any:
    """Return what is read, with the type of each value; or the words of refusal."""
    try:
        return repr(read())
    except BadFile as refused:
        return str(refused)


def lines_one_by_one(content: bytes, path: str) -> Iterator[tuple[int, Any]]:
    """Read JSON Lines as they were read before they were read in bulk."""
    empty = True
    for number, line in enumerate(files.decode(InputFile(path, "", content)).split("\n"), start=1):
        if len(line) > strict_json.MAX_LINE:
            raise BadFile(path, f"line {number}", f"the line is longer than {strict_json.MAX_LINE:,} characters")
        if line.strip():
            empty = False
            yield number, strict_json.carefully(line, path, f"line {number}")
    if empty:
        raise BadFile(path, "", "it is empty", "A JSON Lines receipt is a header line, then one row a line.")


def receipt_one_by_one(content: bytes, path: str) -> Any:
    """Read a run receipt, each line by itself, each row by the model of a row."""
    lines = lines_one_by_one(content, path)
    _, head = next(lines)
    receipt = checked(native.RunReceipt, head, path, "line 1")
    runs = []
    for number, row in lines:
        run = checked(native.Run, row, path, f"line {number}")
        runs.append((
            f"line {number}", receipt.host, run.model.file, run.model.sha256, run.verb, run.context, run.thinking,
            run.verdict, run.backend.ran, run.backend.fell_back, run.exit_code, run.prompt_tokens, run.answer_chars,
            run.seconds, run.reason, (run.evidence.path, run.evidence.sha256) if run.evidence else None,
            run.think_closed, run.required_bytes, None if run.warnings is None else tuple(run.warnings),
        ))  # fmt: skip
    return runs


def runs_of(receipt: Receipt) -> list[tuple[Any, ...]]:
    return [
        (
            row.place, row.host, row.file, row.sha256, row.verb, row.context, row.thinking, row.verdict, row.backend,
            row.fell_back, row.exit_code, row.prompt_tokens, row.answer_chars, row.seconds, row.reason,
            (row.evidence.path, row.evidence.sha256) if row.evidence else None, row.think_closed, row.required_bytes,
            row.warnings,
        )
        for row in receipt.runs
    ]  # fmt: skip


def receipt_in_bulk(content: bytes, path: str) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "x.jsonl").write_bytes(content)
        lines = strict_json.parse_lines(file := files.read_through(Path(folder) / "x.jsonl", path))
        _, head = next(lines)
        return runs_of(native.read(file, "taggate/run-receipt/v1", head, lines))


@settings(deadline=None, max_examples=400)
@given(rows() | VALUES)
@example('{"a" :1,"a": 2}')
@example('{"a": "b", "a": ": "}')
@example('{"a": {"b": [{"c": 1, "c": 1}]}}')
def test_a_document_is_the_same_however_it_is_read(text: str) -> None:
    read = outcome(lambda: strict_json.parse(text, "x", "line 3"))
    assert read == outcome(lambda: strict_json.carefully(text, "x", "line 3"))


@settings(deadline=None, max_examples=400)
@given(st.text(st.sampled_from('{}[]":,\\ \n\t\r0123456789.eE+-aNInfitulrsy\x00é'), max_size=40))
def test_a_text_of_any_kind_is_the_same_however_it_is_read(text: str) -> None:
    read = outcome(lambda: strict_json.parse(text, "x"))
    assert read == outcome(lambda: strict_json.carefully(text, "x", ""))


@settings(deadline=None, max_examples=300)
@given(texts())
def test_a_receipt_is_the_same_however_it_is_read(text: str) -> None:
    content = text.encode()
    assert outcome(lambda: receipt_in_bulk(content, "x")) == outcome(lambda: receipt_one_by_one(content, "x"))


@settings(deadline=None, max_examples=100)
@given(st.binary(max_size=6), st.integers(0, 400), st.sampled_from([b"", b"\xef\xbb\xbf"]))
def test_bytes_that_are_no_text_are_named_alike(broken: bytes, at: int, mark: bytes) -> None:
    whole = "\n".join([json.dumps(HEAD), json.dumps(ROW | {"reason": "über"}, ensure_ascii=False)]).encode()
    content = mark + whole[:at] + broken + whole[at:]
    assert outcome(lambda: receipt_in_bulk(content, "x")) == outcome(lambda: receipt_one_by_one(content, "x"))


@pytest.mark.parametrize("part", [1, 7, 64])
def test_lines_are_the_same_wherever_a_part_ends(part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    content = "\n".join([json.dumps({"a": "é\u2028"}, ensure_ascii=False)] * 3 + ["", " \r", '{"b": 1}\r', "{nope}"])
    monkeypatch.setattr(files, "MEBIBYTE", part)
    lines = strict_json.parse_lines(InputFile("x", "", content.encode()))
    read = [next(lines) for _ in range(4)]
    with pytest.raises(BadFile, match="line 7, column 2"):
        next(lines)
    assert read == [(n, {"a": "é\u2028"}) for n in (1, 2, 3)] + [(6, {"b": 1})]


@pytest.mark.parametrize("line", ["x" * (strict_json.MAX_LINE + 1), "é" * (5 * strict_json.MAX_LINE), " " * 2_000_000])
def test_a_line_beyond_measure_is_refused_in_its_turn(line: str) -> None:
    for before, wrong in (("{}", "line 2: the line is longer"), ("{nope}", "line 1, column 2")):
        with pytest.raises(BadFile, match=wrong):
            list(strict_json.parse_lines(InputFile("x", "", f"{before}\n{line}\n{{}}".encode())))


def test_a_file_that_is_changed_while_it_is_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"a": 1}\n')
    file = files.read_through(path, "x.jsonl")
    assert list(strict_json.parse_lines(file)) == [(1, {"a": 1})]
    assert file.content == b'{"a": 1}\n'
    path.write_text('{"a": 2}\n')
    for again in (lambda: list(strict_json.parse_lines(file)), lambda: file.content):
        with pytest.raises(BadFile, match=r"x\.jsonl: it changed while it was read"):
            again()
    path.unlink()
    with pytest.raises(BadFile, match=r"x\.jsonl: there is no such file"):
        _ = file.content


@settings(deadline=None)
@given(st.lists(st.fixed_dictionaries({}, optional={
    "file": st.sampled_from(["a", "b", " c", 1, True, None]),
    "bytes": st.sampled_from([0, 1, True, 1.0, -1, None]),
    "dispatched": st.sampled_from([None, [], [{"kernel": "k"}], [{"kernel": 1}], {}]),
    "tensor_types": st.sampled_from([None, {}, {"Q4_K": 1}, {"Q4_K": 0}, {"Q4_K": "1"}]),
}), max_size=5))  # fmt: skip
def test_columns_hold_what_the_model_does(held: list[dict[str, Any]]) -> None:
    def one_by_one() -> list[tuple[Any, ...]]:
        document = {"schema": "taggate/inventory-receipt/v1", **HEAD, "models": held} | {
            "schema": "taggate/inventory-receipt/v1"
        }
        models = checked(native.InventoryReceipt, document, "x").models
        return [
            (m.file, m.bytes, m.dispatched and [(k.kernel, k.quant) for k in m.dispatched], m.tensor_types)
            for m in models
        ]

    def in_bulk() -> list[tuple[Any, ...]] | None:
        read = columns.rows_of(native.HeldModel).read(held)
        if read is None:
            return None
        kernels = [d and [(k.kernel, k.quant) for k in d] for d in read["dispatched"]]
        return list(zip(read["file"], read["bytes"], kernels, read["tensor_types"], strict=True))

    found = in_bulk()
    if found is not None:
        assert repr(found) == outcome(one_by_one)
    else:
        layouts = set(map(tuple, held))
        assert not held or len(layouts) > 4 or outcome(one_by_one).startswith("x, models")


def test_more_texts_than_are_remembered_are_read_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "_REMEMBERED", 3)
    read = columns.RowsOf(native.SuiteCheck)
    for start in range(0, 12, 2):
        rows = [{"name": f"check {n}", "result": "pass", "note": "n" * (299 + n)} for n in range(start, start + 4)]
        found = read.read(rows)
        assert found == {key: [row[key] for row in rows] for key in ("name", "result", "note")}
        assert read.read([*rows, {"name": "", "result": "pass"}]) is None


def test_a_model_that_judges_two_fields_together_is_not_read_in_columns() -> None:
    from pydantic import model_validator

    class Pair(Table):
        """Two that must agree."""

        first: str
        second: str

        @model_validator(mode="after")
        def agree(self) -> Pair:
            """Hold one against the other."""
            return self

    with pytest.raises(TypeError, match="Pair judges more than one field"):
        columns.RowsOf(Pair)
