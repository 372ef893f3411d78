"""A page as its reader sees it: its tags, its links and its words, whatever format it is in."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from markdown_it import MarkdownIt


class Tags(HTMLParser):
    """The tags, links and text of a page, as a browser would see them."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.links: set[str] = set()
        self.text = ""
        self.unsaid: list[str] = []  # what is open of that which no Markdown has: the head, and the list of contents

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.links |= {value or "" for name, value in attrs if name in {"href", "src"}}
        if tag in {"head", "nav"}:
            self.unsaid.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self.unsaid[-1:] == [tag]:
            self.unsaid.pop()
        if tag in {"td", "th"}:
            self.text += " "

    def handle_data(self, data: str) -> None:
        if not self.unsaid:
            self.text += data


def shown(page: str, form: str = "md") -> Tags:
    """Return what a browser makes of a page; of a Markdown one raw HTML allowed, as on most sites."""
    tags = Tags()
    tags.feed(MarkdownIt("commonmark", {"html": True}).enable("table").render(page) if form == "md" else page)
    return tags


def words(page: str, form: str) -> list[str]:
    """Return the words of a page in their order, whatever marks them."""
    return re.findall(r"\w+", shown(page, form).text)
