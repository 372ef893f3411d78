"""A committed page and the one that would be rendered now: whether they say the same, and where they first don't."""

from __future__ import annotations

import difflib
import io
from itertools import zip_longest
from typing import TYPE_CHECKING

from gate.errors import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

CONTEXT = 2
MOST_LINES = 40  # of a difference: it says what to render again, not what the page says
LONGEST_LINE = 160
CONTEXT_OF_LINE = 40  # characters shown in front of a difference that lies far into a line
_WINDOW = 400  # lines compared with each other: two pages that have nothing in common take as long as their square


def difference(committed: str, rendered: str, name: str) -> str:
    """Return a unified difference of two pages that is short enough to read, or nothing where they are the same.

    Args:
        committed: what the file holds.
        rendered: what would be rendered now.
        name: what the file is called.
    """
    if committed == rendered:
        return ""
    before, after = (io.StringIO(text, newline="\n").readlines() for text in (committed, rendered))
    first = next((i for i, (one, other) in enumerate(zip(before, after, strict=False)) if one != other), None)
    start = max(0, (min(len(before), len(after)) if first is None else first) - CONTEXT)
    is_cut = max(len(before), len(after)) > start + _WINDOW
    lines = list(_lines(before[start : start + _WINDOW], after[start : start + _WINDOW], start))
    if len(lines) > MOST_LINES:
        lines, is_cut = lines[:MOST_LINES], True
    return "".join(
        f"{line}\n" for line in (
            f"--- {visible(name)}", "+++ what would be rendered now", *lines, *(["… and so on"] if is_cut else []),
        )
    )  # fmt: skip


def _lines(before: Sequence[str], after: Sequence[str], start: int) -> Iterator[str]:
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for group in matcher.get_grouped_opcodes(CONTEXT):
        (_, a, _, b, _), (_, _, a_end, _, b_end) = group[0], group[-1]
        yield f"@@ -{_range(start + a, a_end - a)} +{_range(start + b, b_end - b)} @@"
        for tag, i, i_end, j, j_end in group:
            if tag == "equal":
                yield from (_shown(" ", line) for line in before[i:i_end])
                continue
            olds, news = before[i:i_end], after[j:j_end]
            yield from (_shown("-", line, other) for line, other in zip_longest(olds, news[: len(olds)], fillvalue=""))
            yield from (_shown("+", line, other) for line, other in zip_longest(news, olds[: len(news)], fillvalue=""))


def _range(start: int, length: int) -> str:
    """Return a range of lines as the unified format has it."""
    return f"{start + (length > 0)}" + ("" if length == 1 else f",{length}")


def _shown(mark: str, line: str, other: str = "") -> str:
    """Return a line with everything spelled out that a terminal would obey, or that nobody would see.

    A long one is cut around the place where it begins to differ from `other`.
    """
    same = next((i for i, (one, two) in enumerate(zip(line, other, strict=False)) if one != two), 0)
    start = same - CONTEXT_OF_LINE if same > LONGEST_LINE - CONTEXT_OF_LINE else 0
    text = line.removesuffix("\n")[start:]
    shown = visible(text[:LONGEST_LINE]) + ("…" if len(text) > LONGEST_LINE else "")
    return f"{mark}{'…' if start else ''}{shown}" + ("" if line.endswith("\n") else "  (no line break)")
