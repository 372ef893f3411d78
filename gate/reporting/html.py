"""HTML: what the templates of a page need beside Jinja's own escaping."""

from __future__ import annotations

import base64
import hashlib

from markupsafe import Markup as Marked

from gate.reporting.legible import legible, line


def text(value: object) -> object:
    """Return what is written for `value`: a text on one line, which the environment then escapes."""
    return legible(value) if isinstance(value, str) and not isinstance(value, Marked) else value


def code(value: object) -> Marked:
    """Return `value` as code."""
    return Marked("<code>{}</code>").format(line(value))


def link(words: str, address: str | None) -> Marked:
    """Return a link that tells the other side nothing of where it was followed; the words alone without an address."""
    marked = Marked.escape(legible(words))
    return Marked('<a href="{}" rel="noreferrer">{}</a>').format(address, marked) if address else marked


def pinned(style: str) -> str:
    """Return the source expression that lets a browser take exactly this style (Content Security Policy, level 3)."""
    return "sha256-" + base64.b64encode(hashlib.sha256(str(style).encode("utf-8")).digest()).decode("ascii")
