"""A master ticket: rows of tickets in prose, each with its own number, what it is done when, and its branch."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.errors import BadFile
from gate.ledger.master_ticket import entries
from gate.ledger.priority import of_labels, of_title

EIGHT = """\
GPU inference paths: missing kernels, NaN and host safety #5327

Scope

GPU inference defects found in nightly runs.

Parent epic: #3998.

Rows

• daily story installs into the host's ~/.cargo/bin, every beat #4346 — daily story installs into the host (branch: fix/4346-no-host-install)
• LADDER-HOST-SAFE: the ladder must never take out its host — resource box #4520 — LADDER-HOST-SAFE: the ladder (branch: 98/4520-ladder-box)
• no CUDA forward for qwen35moe (known failure in 0.70.1) #4665 — no CUDA forward — done when: the ladder row is OK on lambda and gx10. (branch: fix/4665-forward)
• examples #4756 v2: one final-tree receipt #4765 — examples: 29 fail #4756 v2 — done when: one run reports the 36 rows
• GPU-010 asserts a reference #5072 — GPU-010 asserts — done when: it measures its comparator; PERF-003's M7 row says which. (branch: fix/5072-gpu010)
• Q2_K prefill gives NaN on a non-finite d/dmin #5119 — Q2_K prefill (branch: fix/5119-q2k)
• memory parity on 8 GB (Refs #5254) #5277 — memory parity (Refs ci(lab): ranked gap list #5254)

Agent: clerk

Folded P0 and operator-worded rows (2026-10-14)

These tickets were folded here. Each keeps its priority and its owner.

• 0.70.1 P0: Qwen3 on GB10 (sm_121) is ~30x slow — ship SASS #4590 — Qwen3 on GB10 — done when: 3 of 3 runs are fast (branch: fix/4590) (P0 owner:la-0.71)

  Operator ruling (2026-09-28): 0.70 de-claims Qwen3 on GB10, see #3715.
"""


def rows(text: str) -> list[dict[str, Any]]:
    return [entry for _, entry in entries(text, "master.txt", Counter())]


def test_eight_rows_with_one_folded_p0_become_eight_tickets() -> None:
    left_out: Counter[str] = Counter()
    found = list(entries(EIGHT, "master.txt", left_out))
    assert [(place, entry["number"]) for place, entry in found] == [
        ("line 11", 4346), ("line 12", 4520), ("line 13", 4665), ("line 14", 4765), ("line 15", 5072),
        ("line 16", 5119), ("line 17", 5277), ("line 25", 4590),
    ]  # fmt: skip
    assert [entry.get("branch") for _, entry in found] == [
        "fix/4346-no-host-install", "98/4520-ladder-box", "fix/4665-forward", None, "fix/5072-gpu010", "fix/5119-q2k",
        None, "fix/4590",
    ]  # fmt: skip
    assert [entry.get("done_when") for _, entry in found] == [
        None, None, "the ladder row is OK on lambda and gx10.", "one run reports the 36 rows",
        "it measures its comparator; PERF-003's M7 row says which.", None, None, "3 of 3 runs are fast",
    ]  # fmt: skip
    assert [entry.get("folded") for _, entry in found] == [None] * 7 + [5327]
    assert found[1][1]["title"] == "LADDER-HOST-SAFE: the ladder must never take out its host — resource box"
    assert found[3][1]["title"] == "examples #4756 v2: one final-tree receipt"
    assert found[6][1]["title"] == "memory parity on 8 GB (Refs #5254)"
    assert found[7][1] == {
        "number": 4590, "row": True, "title": "0.70.1 P0: Qwen3 on GB10 (sm_121) is ~30x slow — ship SASS",
        "text": "Qwen3 on GB10\nOperator ruling (2026-09-28): 0.70 de-claims Qwen3 on GB10, see #3715.",
        "branch": "fix/4590", "priority": "P0", "owner": "la-0.71", "done_when": "3 of 3 runs are fast", "folded": 5327,
    }  # fmt: skip
    assert left_out == {"lines that are no rows": 8}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("• a #1", {"title": "a"}),
        ("- a #1 - b", {"title": "a", "text": "b"}),
        ("* a #1 – b", {"title": "a", "text": "b"}),
        ("+ a #1 -- b", {"title": "a", "text": "b"}),
        ("1. a #1 — b", {"title": "a", "text": "b"}),
        ("– a #1 — b", {"title": "a", "text": "b"}),
        ("-\ta\u00a0#1\u00a0—\u00a0b", {"title": "a", "text": "b"}),
        ("- [ ] a #1", {"title": "a", "checked": False}),
        ("- [x] a #1", {"title": "a", "checked": True}),
        ("- [X] a #1", {"title": "a", "checked": True}),
        ("- [x] #1", {"checked": True}),
        ("- [x] #1 a — b", {"title": "a", "text": "b", "checked": True}),
        ("- #1 a, after #2 — b", {"title": "a, after #2", "text": "b"}),
        ("- #1 — b", {"text": "b"}),
        ("- **#1** a", {"title": "a"}),
        ("- [#1](https://example.org/1) a", {"title": "a"}),
        ("- a [#1](https://example.org/1) — b", {"title": "a", "text": "b"}),
        ("- a of x/y#2 #1 — b", {"title": "a of x/y#2", "text": "b"}),
        ("- a #1 — Done When: c", {"title": "a", "done_when": "c"}),
        ("- a #1 — b — **done when:** c", {"title": "a", "text": "b", "done_when": "c"}),
        ("- a #1 — b — done when: c — evidence: test s/r", {"title": "a", "text": "b", "done_when": "c", "evidence": ["test s/r"]}),
        ("- a #1 — evidence: receipt x.json — done when: c (branch: d)",
         {"title": "a", "done_when": "c", "evidence": ["receipt x.json"], "branch": "d"}),
        ("- a (P0 owner:x) #1 — b", {"title": "a", "text": "b", "priority": "P0", "owner": "x"}),
        ("- a #1 (P0)", {"title": "a", "priority": "P0"}),
        ("- a #1 (P2, owner: x, branch: y, milestone: 0.71.0)",
         {"title": "a", "priority": "P2", "owner": "x", "branch": "y", "milestone": "0.71.0"}),
        ("- a #1 — b (branch: y) (P1 owner:x)", {"title": "a", "text": "b", "branch": "y", "priority": "P1", "owner": "x"}),
        ("- a #1 — b (see below)", {"title": "a", "text": "b (see below)"}),
        ("- a #1 — b (P0 and more)", {"title": "a", "text": "b (P0 and more)"}),
        ("- a #1 — b (P4)", {"title": "a", "text": "b (P4)"}),
        ("- a\n  goes on #1 — b\n  and on (branch: y)", {"title": "a goes on", "text": "b and on", "branch": "y"}),
        ("- a #1 — b (branch: y)\n  and on", {"title": "a", "text": "b\nand on", "branch": "y"}),
        ("- a #1 — b (branch: y)\n  - [ ] first\n  - then\n\n  and on",
         {"title": "a", "text": "b\n- [ ] first\n- then\nand on", "branch": "y"}),
        ("- a #1 — b\r\n", {"title": "a", "text": "b"}),
        ("- <script>alert(1)</script> | 🙂 שלום #1 — `x` | y",
         {"title": "<script>alert(1)</script> | 🙂 שלום", "text": "`x` | y"}),
    ],
)  # fmt: skip
def test_the_forms_that_a_row_may_have(text: str, wanted: dict[str, Any]) -> None:
    assert rows(text) == [{"number": 1, "row": True} | wanted]


def test_a_nested_row_is_a_row() -> None:
    assert [row["number"] for row in rows("- [ ] a #1\n  - [x] b #2 — c\n  - d\n- e #3")] == [1, 2, 3]


def test_an_item_that_is_no_row_is_named() -> None:
    left_out: Counter[str] = Counter()
    text = "# All\n\n- see #1 and #2 for more.\n- of x/y#3 — b\n- nothing\n- a #4 — b\n\nThe end of it.\n"
    assert [place for place, _ in entries(text, "m", left_out)] == ["line 6"]
    assert left_out == {
        "line 3: an item that names no ticket of its own": 1, "line 4: an item that names no ticket of its own": 1,
        "line 5: an item that names no ticket of its own": 1, "lines that are no rows": 2,
    }  # fmt: skip


@pytest.mark.parametrize("number", ["0", "2147483648", "9" * 30])
def test_a_number_that_no_ticket_has_is_refused_with_its_line(number: str) -> None:
    with pytest.raises(BadFile, match=r"master\.txt, line 2: #\d+ is the number of no ticket"):
        rows(f"\n- a #{number} — b")


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("# All #9\n\n- a #1\n\nEach row was a separate ticket, folded here.", 9),
        ("# All #9\n\n## Folded\n\n- a #1", 9),
        ("# All\n\n## Folded\n\n- a #1", True),
        ("# Folded #9\n\n## Rows\n\n- a #1", None),
        ("# All #9\n\n- a #1\n\n## Others\n\nThese were folded.", None),
    ],
)
def test_rows_are_folded_where_their_section_says_so(text: str, folded: int | bool | None) -> None:
    (row,) = rows(text)
    assert row.get("folded") == folded


LINE = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
PIECES = st.sampled_from(
    ["- ", "• ", "#12", " #3 — ", " — ", "done when: ", "evidence: ", "(", ")", "(P0 owner:x)", "[x] ", "\n", "  ", "folded", "# "]
)  # fmt: skip


@given(st.lists(LINE | PIECES, max_size=30).map("".join))
def test_no_text_whatever_is_more_than_refused(text: str) -> None:
    left_out: Counter[str] = Counter()
    try:
        found = list(entries(text, "master.txt", left_out))
    except BadFile:
        return
    for place, entry in found:
        assert place.startswith("line ")
        assert 0 < entry["number"] < 2**31
        assert f"#{entry['number']}" in text or f"#{entry['number']:03}"[1:] in text
        json.dumps(entry)


WORD = st.text(
    st.characters(codec="utf-8", categories=["L", "N", "S"], exclude_characters="#`"), min_size=1, max_size=8
)
WORDS = st.lists(WORD, min_size=1, max_size=6).map(" ".join).filter(
    lambda text: " ".join(text.split()) == text and not text.lower().startswith(("done when", "evidence"))
)  # fmt: skip
ROWS = st.fixed_dictionaries(
    {"number": st.integers(1, 2**31 - 1), "title": WORDS},
    optional={
        "text": WORDS, "done_when": WORDS, "branch": st.from_regex(r"[a-z0-9]{1,9}/[a-z0-9-]{1,20}", fullmatch=True),
        "priority": st.sampled_from(["P0", "P1", "P2", "P3"]), "owner": st.from_regex(r"[a-z0-9.-]{1,9}[a-z0-9]", fullmatch=True),
        "checked": st.booleans(),
    },
)  # fmt: skip


def _written(row: dict[str, Any], bullet: str, dash: str) -> str:
    box = {True: "[x] ", False: "[ ] ", None: ""}[row.get("checked")]
    parts = [f"{bullet} {box}{row['title']} #{row['number']}"]
    parts += [row["text"]] if "text" in row else []
    parts += [f"done when: {row['done_when']}"] if "done_when" in row else []
    said = [row["priority"]] if "priority" in row else []
    said += [f"owner:{row['owner']}"] if "owner" in row else []
    brackets = [f"(branch: {row['branch']})"] if "branch" in row else []
    brackets += [f"({' '.join(said)})"] if said else []
    return " ".join([f" {dash} ".join(parts), *brackets])


@given(st.lists(ROWS, max_size=6), st.sampled_from(["•", "-", "*"]), st.sampled_from(["—", "–", "-"]))
def test_rows_that_are_written_are_read_back(found: list[dict[str, Any]], bullet: str, dash: str) -> None:
    text = "\n".join(_written(row, bullet, dash) for row in found)
    assert rows(text) == [row | {"row": True} for row in found]


@pytest.mark.parametrize(
    "text",
    [
        "- a #1 —" + " " * 1_000_000 + "b",
        "- " + "(" * 500_000 + "#1" + ")" * 500_000,
        "- " + "#1 " * 300_000,
        "- " + " — done when:" * 80_000 + " #1 — b",
        "- a #1 — b (" + "owner: " * 150_000 + ")",
        "- a #1 — b (branch: " + "x, " * 300_000 + ")",
        "- a #1\n" + "  b)\n" * 200_000,
        "- [#1](" + "[#1](" * 200_000,
        "*" * 1_000_000 + "#1",
        "- " + "`" * 1_000_000 + "#1",
    ],
    ids=lambda text: repr(text[:24]),
)
def test_a_text_that_means_harm_comes_to_its_end(text: str) -> None:
    assert {row["number"] for row in rows(text)} <= {1}


def test_the_most_urgent_word_counts() -> None:
    assert of_labels(["bug", "P2", "priority:P0", "area/P10"]) == "P0"
    assert of_labels(["p1-critical"]) == "P1"
    assert of_labels(["P10", "XP0", "map1"]) is None
    assert (
        of_title("0.70.2 P0: no forward") == of_title("[P0] x") == of_title("P0 — x") == of_title("x (P0, y)") == "P0"
    )
    assert of_title("what P0 means") is of_title("P0-P3 triage") is of_title("") is None


def test_the_real_master_ticket_gives_its_rows(real: Path) -> None:
    found = rows((real / "tickets" / "master-ticket-5327.txt").read_text(encoding="utf-8"))
    assert [row["number"] for row in found] == [4346, 4520, 4665, 4765, 5072, 5119, 5219, 5277, 4590]
    assert [row["folded"] for row in found] == [5327] * 9
    assert [row["number"] for row in found if "done_when" in row] == [4665, 4765, 5072, 5219]
    assert [row["number"] for row in found if "branch" not in row] == [4765, 5277, 4590]
    assert (found[-1]["priority"], found[-1]["owner"]) == ("P1", "la-0.71")
    assert "Operator ruling (2026-09-28)" in found[-1]["text"]
