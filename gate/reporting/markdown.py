"""Markdown: every value of a page is escaped as it is written, so that none can become markup."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from gate.reporting.legible import legible, line

if TYPE_CHECKING:
    from collections.abc import Iterable

_SPECIAL = re.compile(r"([\\`*_\[\]|~$@!])")  # what has a meaning inside a line
_BLOCK = re.compile(r"^([-+#=]|\d{1,9}[.)](?=\s|$))")  # what begins a list, a heading or a rule at the start of one


class Marked(Markup):
    """Text that is Markdown already. What it is put together with is escaped for Markdown, and not for HTML alone."""

    __slots__ = ()

    @classmethod
    def escape(cls, s: Any, /) -> Marked:
        """Return `s` as running text, the white space around it kept: it may stand between two words."""
        if isinstance(s, Marked):
            return s
        given = str(s)
        before, after = (" " if end.isspace() else "" for end in (given[:1], given[-1:]))
        return Marked(f"{before}{text(given)}{after if given.strip() else ''}")


def text(value: object) -> Marked:
    """Return `value` as running text: one line, HTML escaped, and nothing in it that Markdown would obey."""
    return value if isinstance(value, Marked) else _escaped(legible(value))


def _escaped(shown: str) -> Marked:
    return Marked(_BLOCK.sub(_escaped_block, _inline(shown)))


def _inline(shown: str) -> str:
    return _SPECIAL.sub(r"\\\1", str(escape(shown)))


def _escaped_block(match: re.Match[str]) -> str:
    return f"{match[1][:-1]}\\{match[1][-1]}"


def code(value: object) -> Marked:
    """Return `value` as a code span that nothing in it can leave."""
    shown = line(value)
    if not shown or re.search(r"[`|<>&\\]", shown):
        return Marked("<code>") + _escaped(shown) + Marked("</code>")
    return Marked(f"`{shown}`")


def link(words: str, address: str | None) -> Marked:
    """Return a link, or the words alone where there is no address. An address holds no bracket and no white space.

    Neither is for the beginning of a line, where words could begin a block.
    """
    shown = _inline(legible(words))
    return Marked(f"[{shown}]({escape(address)})" if address else shown)


def join(values: Iterable[object], separator: str = "") -> Marked:
    """Return `values` with `separator` between them, each as running text."""
    return Marked.escape(separator).join(text(value) for value in values)
