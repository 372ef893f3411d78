"""The pages of a release: the notes and the known issues, in Markdown and in HTML, from the templates in `reports/`."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from gate.reporting import html, markdown, templates
from gate.reporting.facts import facts
from gate.reporting.templates import SUFFIX, Templates

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from markupsafe import Markup

    from gate.reporting.changes import Changes
    from gate.verdict import Verdict
    from gate.withdrawn import Told

NOTES, KNOWN_ISSUES = "notes", "known-issues"

_LINKS: dict[str, Callable[[str, str | None], Markup]] = {"md": markdown.link, "html": html.link}
_ADDRESS = re.compile(r"https?://[^\s()<>\[\]\\`|\"']+")


def form_of(file: Path | None) -> str:
    """Return the format that a file's name asks for: `html`, or `md` for any other."""
    return "html" if file is not None and file.suffix.lower() in {".html", ".htm"} else "md"


def render(
    page: str, form: str, verdict: Verdict, own: Templates | None = None, changes: Changes | str | None = None
) -> str:
    """Return a page, which ends in one line break.

    Args:
        page: `notes` or `known-issues`.
        form: `md` or `html`.
        verdict: the judged release.
        own: the templates; None: the gate's own alone.
        changes: what changed since the release before; None: there is none to compare with; a text: why it can't be.

    Raises:
        BadFile: a template of the project's own can't be rendered.
    """
    found = own if own is not None else templates.read()
    said = facts(verdict, changes, found.own)
    text = found.render(f"{page}.{form}{SUFFIX}", said | {"ticket": partial(_ticket, verdict, form)}, form)
    return re.sub(r"\n{3,}", "\n\n", text).strip("\n") + "\n"


def _ticket(verdict: Verdict, form: str, told: Told) -> Markup:
    """Return the ticket of a decision, as a link where the rules name a repository that a browser can open."""
    name = f"#{int(told.issue)}" if told.issue is not None else "no ticket"
    repository = (verdict.repository or "").rstrip("/")
    is_address = told.issue is not None and _ADDRESS.fullmatch(repository) is not None
    return _LINKS[form](name, f"{repository}/issues/{told.issue}" if is_address else None)
