"""`gate ingest apr-provenance`: a line and an exit code make one row, and only the whole line passes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate import ledger
from gate.errors import BadFile, CallersError
from gate.ledger import apr_provenance
from gate.ledger.given import Given
from tests.foreign import AT, text
from tests.release import COMMIT, VERSION

LINE: dict[str, Any] = {"requested": "cuda", "ran": "cuda", "fell_back": False}
RUN = {
    "model": {"file": "a.gguf", "sha256": "1" * 64},
    "verb": "run",
    "context": "4k",
    "thinking": "off",
    "prompt_tokens": 4096,
}


def of_line(line: Any, exit_code: int | None = 0, run: Any = RUN) -> Any:
    given = Given(VERSION, COMMIT, "gx10", AT, None, exit_code, text(json.dumps(run), "run.json"))
    found = apr_provenance.to_native(text(json.dumps(line) + "\n"), given)
    (row,) = ledger.read_receipt(text("", "x"), found).runs
    return row


def test_a_line_and_an_exit_code_make_one_row() -> None:
    row = of_line(LINE)
    assert (row.verdict, row.backend, row.fell_back, row.exit_code) == ("pass", "cuda", False, 0)
    assert (row.context, row.thinking, row.prompt_tokens, row.answer_chars) == ("4k", "off", 4096, None)


@settings(deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(sorted(LINE)),
        st.none() | st.booleans() | st.sampled_from(["cuda", "cpu", ""]) | st.integers(0, 1),
    ),
    st.integers(-2, 140),
)
def test_only_the_whole_line_and_code_0_pass(change: dict[str, Any], code: int) -> None:
    try:
        row = of_line(LINE | change, code)
    except BadFile:
        return
    line = LINE | change
    whole = line["ran"] == line["requested"] and line["fell_back"] is False and code == 0
    assert (row.verdict == "pass") == whole
    if line["ran"] is None or line["fell_back"] is None:
        assert row.verdict in {None, "fail"}


def test_a_line_without_its_run_or_code_is_the_callers_error() -> None:
    with pytest.raises(CallersError, match=r"^--exit-code is needed"):
        of_line(LINE, None)
    with pytest.raises(CallersError, match=r"^--run is needed"):
        apr_provenance.to_native(text(json.dumps(LINE)), Given(VERSION, COMMIT, "gx10", AT, None, 0))
    with pytest.raises(BadFile, match=r"^run\.json, vreb: there is no such key"):
        of_line(LINE, 0, RUN | {"vreb": "run"})
    with pytest.raises(BadFile, match="line 2: there is a second line"):
        apr_provenance.to_native(text("{}\n{}"), Given())
