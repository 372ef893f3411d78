"""A master ticket in Markdown or plain text: a list whose items are tickets, folded into one.

A row is a list item that names its own ticket:

    • title #4346 — text — done when: … — evidence: receipt smoke.json (branch: fix/4346) (P1 owner:la-0.71)

The mark may be `•`, `-`, `*`, `+` or a number, with a box behind it (`[ ]`, `[x]`); the separator is an em dash, an en
dash or a hyphen between spaces. All but the number may be absent. The row's own number is the one that the item begins
with, or else the first one with a separator behind it, or else the last thing before the brackets at its end. Indented
lines go on with their item.

Rows are folded where the heading of their section, or its prose, says so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gate.errors import BadFile
from gate.ledger.priority import PRIORITIES

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator

MOST = 2**31 - 1  # of a ticket's number

_ITEM = re.compile(r"([ \t]*)(?:[•◦▪●‣·*+\u2013-]|\d{1,9}[.)])\s+(?:\[([ xX])\]\s+)?(\S.*)")
_MARKED = re.compile(r"\[(#\d{1,10})\]\([^()\s]*\)|[*_`]{1,3}(#\d{1,10})[*_`]{1,3}")  # `[#12](address)`, `**#12**`
_NUMBER = re.compile(r"(?<![\w/#&-])#(\d+)(?!\w)")  # not `owner/repository#12`: another one's
# Each run of white space is one space by then: a pattern that may begin anywhere in a run takes the square of its time.
_BREAK = r" (?:—|\u2013|--?) "
_SEPARATOR = re.compile(_BREAK)
_PART = re.compile(rf"(?:^|{_BREAK}|^(?:—|\u2013|--?) )\**(done when|evidence):\** ?", re.IGNORECASE)
_PAIR = re.compile(r"(owner|branch|milestone): ?(\S(?:.*?\S)?)(?=[,;]? (?:owner|branch|milestone):|$)")
_PRIORITY = re.compile(r"(P[0-3])(?:[,;]? |$)")
_FOLDED = re.compile(r"\bfolded\b", re.IGNORECASE)
_HEADING = re.compile(r"#{1,6}\s+\S.*")
_SENTENCE_ENDS = (".", ",", ";", ":", "!", "?")
_LONGEST_HEADING = 120  # characters: a longer line is prose
_MOST_LINES = 100  # of a row's first paragraph: what follows is below it


@dataclass
class _Item:
    """A list item: the line that it begins on, its box, its first paragraph, and what is indented below that."""

    line: int
    box: str | None
    head: list[str]
    below: list[str] = field(default_factory=list)
    broken: bool = False  # a blank line ended its first paragraph


@dataclass
class _Section:
    """What stands between two headings: its items, and whether it says that they are folded."""

    folded: bool = False
    items: list[_Item] = field(default_factory=list)


def entries(text: str, path: str, left_out: Counter[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each row as an entry of `tickets.json`, with its place; `evidence` is in the row's own words.

    Args:
        text: the master ticket.
        path: the file, for messages.
        left_out: what is left out is counted and named here.

    Raises:
        BadFile: a row names a ticket that no tracker could have.
    """
    sections, master = _sections(text, left_out)
    for section in sections:
        for item in section.items:
            entry = _entry(item, path)
            place = f"line {item.line}"
            if entry is None:
                left_out[f"{place}: an item that names no ticket of its own"] += 1
                continue
            if section.folded:
                entry["folded"] = master or True
            yield place, entry


def _sections(text: str, left_out: Counter[str]) -> tuple[list[_Section], int | None]:
    """Return the sections, and the number of the master ticket where its first line ends with it."""
    sections, item, master, first = [_Section()], None, None, True
    lines = text.replace("\r\n", "\n").split("\n")
    for number, line in enumerate(lines, start=1):
        blank, found = not line.strip(), _ITEM.fullmatch(line.rstrip())
        if blank:
            item = _ended(item)
        elif found is not None and (not found[1] or item is None or _NUMBER.search(_plain(found[3]))):
            item = _Item(number, found[2], [found[3]])
            sections[-1].items.append(item)
        elif item is not None and line[0] in " \t":
            item.broken |= found is not None or len(item.head) >= _MOST_LINES  # a list of steps is below the row
            (item.below if item.broken else item.head).append(line.strip())
        else:
            item = None
            if first:
                ends = re.search(r"#(\d{1,10})\s*$", line)
                master = int(ends[1]) if ends and 0 < int(ends[1]) <= MOST else None
            if _is_heading(line, lines[number : number + 1]):
                sections.append(_Section())
            sections[-1].folded |= _FOLDED.search(line) is not None
            left_out["lines that are no rows"] += 1
        first = first and blank
    return sections, master


def _plain(text: str) -> str:
    """Return `text` with one space for each run of white space, and numbers of tickets without markup."""
    return _MARKED.sub(lambda found: found[1] or found[2], " ".join(text.split()))


def _ended(item: _Item | None) -> _Item | None:
    if item is not None:
        item.broken = True
    return item


def _is_heading(line: str, following: list[str]) -> bool:
    """Say whether a line is one of Markdown's headings, or stands alone as a short line that is no sentence."""
    if _HEADING.fullmatch(line.strip()):
        return True
    alone = not following or not following[0].strip()
    return alone and len(line) <= _LONGEST_HEADING and not line.rstrip().endswith(_SENTENCE_ENDS)


def _entry(item: _Item, path: str) -> dict[str, Any] | None:
    """Return the entry of a row; None: the item is no row."""
    head, facts, below = _brackets(item)
    own = _own_number(head)
    if own is None:
        return None
    number = int(own[1]) if len(own[1]) <= len(str(MOST)) else MOST + 1
    if not 0 < number <= MOST:
        raise BadFile(path, f"line {item.line}", f"#{own[1][:20]} is the number of no ticket")
    title, more = _stripped(head[: own.start()].strip())
    after = head[own.end() :]
    if not title and _SEPARATOR.match(after) is None:  # `#12 title — text`
        ends = _SEPARATOR.search(after)
        title, after = (after[: ends.start()], after[ends.start() :]) if ends else (after, "")
    said, parts = _parts(after)
    words = {"title": title.strip(), "text": "\n".join([*([said] if said else []), *below]), **more, **facts}
    entry: dict[str, Any] = {"number": number, "row": True} | {name: value for name, value in words.items() if value}
    if item.box is not None:
        entry["checked"] = item.box in "xX"
    done_when = [value for name, value in parts if name == "done when" and value]
    evidence = [value for name, value in parts if name == "evidence" and value]
    if done_when:
        entry["done_when"] = "; ".join(done_when)
    return entry | ({"evidence": evidence} if evidence else {})


def _own_number(head: str) -> re.Match[str] | None:
    found = list(_NUMBER.finditer(head))
    begins = next((n for n in found if n.start() == 0), None)
    separated = next((n for n in found if _SEPARATOR.match(head, n.end())), None)
    last = found[-1] if found and found[-1].end() == len(head) else None
    return begins or separated or last


def _parts(text: str) -> tuple[str, list[tuple[str, str]]]:
    """Return a row's text, and what it says behind `done when:` and `evidence:`."""
    pieces = _PART.split(text)
    pairs = zip(pieces[1::2], pieces[2::2], strict=True)
    text = pieces[0].strip()
    leads = _SEPARATOR.match(f" {text} ")
    return text[leads.end() - 1 :].strip() if leads else text, [(name.lower(), value.strip()) for name, value in pairs]


def _brackets(item: _Item) -> tuple[str, dict[str, str], list[str]]:
    """Return a row's head without the brackets at its end that it understands, what they say, and what is below.

    A paragraph may be wrapped: the head ends with the last line that ends with such brackets.
    """
    for length in range(len(item.head), 0, -1):
        head = _plain(" ".join(item.head[:length]))
        rest, facts = _stripped(head)
        if facts:
            return rest, facts, item.head[length:] + item.below
    return _plain(" ".join(item.head)), {}, item.below


def _stripped(head: str) -> tuple[str, dict[str, str]]:
    facts: dict[str, str] = {}
    while head.endswith(")"):
        inner = head[head.rfind("(") + 1 : -1]
        said = _understood(inner.strip()) if "(" in head and ")" not in inner else None
        if said is None or not facts.keys().isdisjoint(said):
            break
        facts |= said
        head = head[: head.rfind("(")].rstrip()
    return head, facts


def _understood(text: str) -> dict[str, str] | None:
    """Return what brackets such as `P1 owner:la-0.71` or `branch: fix/1` say; None: they say something else."""
    facts: dict[str, str] = {}
    first = _PRIORITY.match(text)
    if first is not None and first[1] in PRIORITIES:
        facts["priority"] = first[1]
        text = text[first.end() :]
    at = 0
    for pair in _PAIR.finditer(text):
        if pair[1] in facts or text[at : pair.start()].strip(" ,;"):
            return None
        facts[pair[1]], at = pair[2].rstrip(",;"), pair.end()
    return facts if facts and not text[at:].strip(" ,;") else None
