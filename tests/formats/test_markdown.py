"""The summary: it fits where GitHub puts it, counts what it leaves out, and nothing in it becomes markup."""

from __future__ import annotations

import re

import pytest

from gate.reporting.formats import Setting, render
from gate.reporting.summary import MOST_BYTES
from gate.verdict import Verdict
from tests.falsifiers.falsifier import judge
from tests.formats.conftest import RELEASES
from tests.formats.shipped import shipped
from tests.release import DECLAIM, VERSION, Release, declaimed
from tests.test_reporting import HOSTILE, repr_toml, shown

ALLOWED = {"h2", "h3", "p", "ul", "ol", "li", "table", "thead", "tbody", "tr", "th", "td", "code", "strong", "br",
           "details", "summary"}  # fmt: skip


def summary(verdict: Verdict) -> str:
    page = render("markdown", verdict, Setting())
    assert len(page.encode()) <= MOST_BYTES == 65_536
    return page


@pytest.mark.parametrize("release", RELEASES)
def test_it_says_the_answer_the_hosts_the_causes_and_every_red_cell(release: str, verdicts: dict[str, Verdict]) -> None:
    verdict = verdicts[release]
    page = summary(verdict)
    answer = "CONFORMS: {} may be cut" if verdict.conforms else "REFUSED: {} must not be cut"
    assert page.split("\n\n")[1] == f"## {answer.format(verdict.tag)}"
    for host in verdict.hosts:
        assert f"| `{host.id}` | " in page
    for cell in verdict.cells:
        assert (f"- `{cell.label}`\n" in page) == (cell.state in {"missing", "failed"})
    assert ("### Why" in page) == (not verdict.conforms)
    assert shown(page).tags <= ALLOWED


def test_it_names_what_decisions_set_aside(release: Release) -> None:
    verdict, _ = judge(shipped(release).write())
    page = summary(verdict)
    for words in (
        "**Under the scope smoke**: “0.71.0 ships on the smoke.” (release owner, 2026-10-05). 52 obligations are left out, 1 of them red.",
        "- **3** no-chat (#7), until 0.72.0: Chat loses the first message.",
        "- **1** beta-times-out (#4666), until 0.72.0: The run times out.",
        "### Red outside the scope\n\n- **1** `cell: verdict, failed`",
    ):
        assert words in page


def test_what_there_is_no_room_for_is_counted(release: Release) -> None:
    names = [f"{'m' * 200}-{number:03}-q4_k.gguf" for number in range(60)]
    for host in ("lambda", "gx10"):
        models = release.receipt(f"inventory-{host}.json")["models"]
        models += [models[1] | {"file": name, "sha256": f"{number:064x}"} for number, name in enumerate(names, start=9)]
    verdict, _ = judge(release.write())
    page = summary(verdict)
    missing = verdict.states["missing"]
    (rest,) = re.findall(r"^- and (\d+) more cells$", page, flags=re.MULTILINE)
    assert f"{missing} cells missing" in page
    listed = len(re.findall(r"^- `[^`]*/", page, flags=re.MULTILINE))
    assert listed + int(rest) == missing > 1000
    assert len(page.encode()) > MOST_BYTES // 2


def test_an_endless_list_of_decisions_and_hosts_leaves_room_for_the_counts(release: Release) -> None:
    release.rules += "".join(f'\n[[hosts]]\nid = "{"h" * 200}-{number}"\n' for number in range(400))
    release.claims = "".join(
        f'[[declaim]]\nid = "{"d" * 200}-{number}"\nhost = "gx10"\nverb = "run"\nissue = 1\nuntil = "0.72.0"\n'
        f'why = "{"w" * 500}"\nruling = {{ by = "b", on = 2026-01-01, words = "w" }}\n'
        for number in range(300)
    )
    verdict, _ = judge(release.write())
    page = summary(verdict)
    assert re.search(r"^\| \d+ more hosts \|", page, flags=re.MULTILINE)
    assert re.search(r"^- and \d+ more decisions$", page, flags=re.MULTILINE)
    assert "| **all** | " in page


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_that_is_recorded_becomes_markup(text: str, release: Release) -> None:
    claims = DECLAIM.replace('"Correct, but slow."', repr_toml(text))
    declaimed(release, claims)
    release.row("lambda", "alpha-q4_k_m.gguf").update(verdict="fail", reason=text)
    release.rules = release.rules.replace('name = "demo"', f"name = {repr_toml(text)}")
    verdict, _ = judge(release.write())
    page = shown(summary(verdict))
    assert page.tags <= ALLOWED
    assert page.links == set()


def test_its_first_line_is_a_comment_that_a_bot_can_find_again(release: Release) -> None:
    verdict, _ = judge(release.write())
    assert summary(verdict).startswith(f"<!-- taggate: summary of {VERSION} -->\n")
