"""The pages in a real browser: nothing is fetched, nothing runs, everything fits a phone and can be told from its ground.

What they look like is for people to judge; what can be measured is measured here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.reporting import pages
from tests.browser import CHROMIUM, Browser, browser
from tests.falsifiers.falsifier import judge
from tests.many import many, multiplied
from tests.release import RULES

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")

# The least contrast of any text with what lies behind it (WCAG 2.2, 1.4.3: 4.5 for text of normal size).
CONTRAST = """
(() => {
  const light = text => {
    const [r, g, b] = text.match(/[0-9.]+/g).map(Number).map(v => v / 255).map(
      v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = e => {
    for (; e; e = e.parentElement) {
      const found = getComputedStyle(e).backgroundColor;
      if (!found.startsWith('rgba(0, 0, 0, 0')) return found;
    }
    return 'rgb(255, 255, 255)';
  };
  const texts = [...document.body.querySelectorAll('*')].filter(
    e => [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim()));
  return Math.min(...texts.map(e => {
    const [a, b] = [light(getComputedStyle(e).color), light(ground(e))];
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  }));
})()
"""
# Every element that reaches out of the window to the right, or whose own content does.
BEYOND = """
[...document.querySelectorAll('body *')].filter(e => e.getClientRects().length && !e.closest('thead')
  && (e.getBoundingClientRect().right > innerWidth + 0.5 || e.scrollWidth > e.clientWidth + 1 && e.clientWidth))
  .map(e => e.outerHTML.slice(0, 80))
"""


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("browser")) as found:
        yield found


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Write both pages with 1, 40 and 1,000 issues, two of them known failures where there are more, and one refused."""
    folder = tmp_path_factory.mktemp("pages")
    verdict, _ = judge(many(folder / "many", 16, failing=2).write())
    one, _ = judge(many(folder / "one", 1).write())
    release = many(folder / "refused", 1)
    release.rules = release.rules.replace(
        RULES.split("\n")[2], 'name = "<img src=https://example.org/x> & \\"quoted\\""'
    )
    release.receipt("gx10.json")["runs"].pop()
    refused, _ = judge(release.write())
    found = {"1": one, "40": multiplied(verdict, 40), "1000": multiplied(verdict, 1000), "refused": refused}
    assert not refused.conforms
    addresses = {}
    for count, each in found.items():
        for page in ("notes", "known-issues"):
            file = folder / f"{page}-{count}.html"
            file.write_text(pages.render(page, "html", each), encoding="utf-8")
            addresses[f"{page}, {count}"] = file.as_uri()
    return addresses


LOOKS = [(count, *look) for count in ("1", "40", "1000", "refused") for look in ((360, False), (1280, True))]


@pytest.mark.parametrize(("count", "width", "dark"), [*LOOKS, ("40", 360, True), ("40", 1280, False)])
@pytest.mark.parametrize("page", ["notes", "known-issues"])
def test_a_page_fits_is_legible_and_asks_for_nothing(
    page: str, count: str, width: int, dark: bool, chromium: Browser, rendered: dict[str, str]
) -> None:
    address = rendered[f"{page}, {count}"]
    chromium.open(address, width, dark=dark)
    assert chromium.evaluate("document.documentElement.scrollWidth") <= width
    if count != "1000":  # which has the same parts, and too many of them to measure each
        assert chromium.evaluate(BEYOND) == []
        assert chromium.evaluate(CONTRAST) >= 4.5
    red, green, blue = (int(part) for part in re.findall(r"\d+", chromium.evaluate(
        "getComputedStyle(document.body).backgroundColor")))  # fmt: skip
    assert (red + green + blue < 3 * 128) == dark
    assert (
        chromium.evaluate(
            "document.querySelectorAll('script, img, iframe, object, embed, link[rel=stylesheet]').length"
        )
        == 0
    )
    assert chromium.evaluate("[document.documentElement.lang, document.title.length > 4, document.querySelectorAll('h1').length]") == [
        "en", True, 1,
    ]  # fmt: skip
    assert chromium.asked_for() == [address]
    assert chromium.complaints() == []


def test_the_list_of_contents_leads_to_every_issue(chromium: Browser, rendered: dict[str, str]) -> None:
    for name in ("known-issues, 1000", "notes, 1000"):
        chromium.open(rendered[name], 1280)
        links = "[...document.querySelectorAll('nav a')]"
        assert chromium.evaluate(f"{links}.length") == 1000
        assert chromium.evaluate(f"{links}.every(a => document.getElementById(decodeURIComponent(a.hash.slice(1))))")
        chromium.evaluate(f"{links}[999].click()")
        assert chromium.evaluate(
            "Math.abs(document.querySelector(':target').getBoundingClientRect().top) < innerHeight"
        )


def test_a_page_refuses_what_a_slip_in_a_template_would_let_in(
    chromium: Browser, tmp_path: Path, rendered: dict[str, str]
) -> None:
    text = Path(rendered["notes, 1"].removeprefix("file://")).read_text(encoding="utf-8")
    slip = '<script>document.title = "ran"</script><img src="https://example.org/x.png" onerror="document.title = 1"><style>h1 { color: red }</style>'
    file = tmp_path / "slip.html"
    file.write_text(text.replace("<h1>", f"{slip}<h1>"), encoding="utf-8")
    chromium.open(file.as_uri(), 1280)
    assert chromium.evaluate("document.title") == "demo 0.71.0"
    assert chromium.evaluate("getComputedStyle(document.querySelector('h1')).color") != "rgb(255, 0, 0)"
    assert chromium.asked_for() == [file.as_uri()]
    assert len(chromium.complaints()) >= 3


def test_what_is_folded_away_is_printed(chromium: Browser, tmp_path: Path, rendered: dict[str, str]) -> None:
    chromium.open(rendered["known-issues, 1"], 1280)
    seen = "document.querySelector('details li').getClientRects().length && document.querySelector('details li').checkVisibility()"
    assert not chromium.evaluate(seen)
    chromium.call("Emulation.setEmulatedMedia", media="print")
    assert chromium.evaluate(seen)
    assert chromium.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    chromium.print(tmp_path / "page.pdf")
    assert (tmp_path / "page.pdf").read_bytes().startswith(b"%PDF")
    chromium.call("Emulation.setEmulatedMedia", media="")
