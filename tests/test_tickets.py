"""The tickets of a release: imported from where they are kept, shown, and done only with what shows it."""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.errors import BadFile
from gate.files import InputFile
from gate.ledger import tickets
from gate.ledger.github_issues import ASK, recognized
from gate.ledger.rows import Ticket
from tests.falsifiers.falsifier import judge
from tests.falsifiers.ticket import FILE, FOLDER, sha256, ticket, with_tickets
from tests.release import DECLAIM, NOW, VERSION, Release, declaimed, gate_here, header, judged
from tests.test_master_ticket import EIGHT

WHEN = ("--imported-at", "2026-10-13T09:00:00Z")


def gh(number: int, /, **values: Any) -> dict[str, Any]:
    """One issue as gh prints it; an Ellipsis takes the key away."""
    found = {
        "number": number, "title": f"issue {number}", "state": "OPEN", "stateReason": "", "milestone": None,
        "labels": [], "assignees": [], "url": f"https://example.org/demo/issues/{number}",
    } | values  # fmt: skip
    return {key: value for key, value in found.items() if value is not ...}


def rest(number: int, /, **values: Any) -> dict[str, Any]:
    """One issue as GitHub's REST interface gives it."""
    return {
        "url": f"https://api.example.org/repos/demo/issues/{number}", "node_id": "I_1", "number": number,
        "html_url": f"https://example.org/demo/issues/{number}", "title": f"issue {number}", "state": "open",
        "state_reason": None, "milestone": None, "labels": [], "assignees": [], "body": "words", "comments": 3,
    } | values  # fmt: skip


def milestone(title: str) -> dict[str, Any]:
    return {"number": 1, "title": title, "description": "", "dueOn": None}


class Project:
    """A release on disk, with the command in its folder."""

    def __init__(self, release: Release) -> None:
        self.release = release
        self.folder = release.write()

    def gate(self, *arguments: str, ends: int = 0) -> str:
        done = gate_here(self.folder, *arguments)
        assert done.returncode == ends, done.stdout + done.stderr
        return done.stdout + done.stderr

    def file(self, name: str, content: Any) -> str:
        text = content if isinstance(content, str) else json.dumps(content)
        (self.folder / name).write_text(text, encoding="utf-8")
        return name

    def imported(self, content: Any, *arguments: str, name: str = "source", ends: int = 0) -> str:
        return self.gate("tickets", "import", self.file(name, content), "--tag", VERSION, *WHEN, *arguments, ends=ends)

    @property
    def document(self) -> Any:
        return json.loads((self.folder / FILE).read_text(encoding="utf-8"))

    @property
    def tickets(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.document["tickets"]
        return found

    def red(self) -> list[tuple[str, str, str]]:
        return [
            (f["focus"], f["property"], f["reason"])
            for f in judged(self.folder)["findings"]
            if f["severity"] == "violation"
        ]


@pytest.fixture
def project(release: Release) -> Project:
    return Project(release)


# ---------------------------------------------------------------- the three forms


def test_what_gh_prints_becomes_tickets(project: Project) -> None:
    issue = gh(
        12, title="slow", state="CLOSED", stateReason="NOT_PLANNED", milestone=milestone("v0.72.0"),
        labels=[{"id": "1", "name": "P1", "color": "f00"}, {"name": "owner:la-0.71"}, {"name": "bug"}],
        assignees=[{"login": "zoe"}, {"login": "ana"}], body="x" * 1000, closedAt="2026-10-01T00:00:00Z",
    )  # fmt: skip
    said = project.imported([issue, gh(3)])
    assert said == (
        f"{FILE}: 2 tickets\n  source: 2 tickets, read as gh\n"
        "    left out: the field body (1)\n    left out: the field closedAt (1)\n"
    )
    (project.folder / "source").rename(project.folder / "old")
    digest = hashlib.sha256((project.folder / "old").read_bytes()).hexdigest()
    assert project.document == {
        "schema": "taggate/tickets/v1",
        "release": {"version": VERSION},
        "sources": [{
            "form": "gh", "path": "source", "sha256": digest, "imported_at": "2026-10-13T09:00:00Z", "tickets": 2,
            "left_out": {"the field body": 1, "the field closedAt": 1},
        }],
        "tickets": [
            {"number": 3, "title": "issue 3", "state": "open", "state_reason": None, "milestone": None, "labels": [],
             "assignees": [], "sources": ["source"]},
            {"number": 12, "title": "slow", "state": "closed", "state_reason": "not_planned", "milestone": "v0.72.0",
             "labels": ["P1", "bug", "owner:la-0.71"], "assignees": ["ana", "zoe"], "priority": "P1",
             "owner": "la-0.71", "sources": ["source"]},
        ],
    }  # fmt: skip


def test_what_the_rest_interface_gives_becomes_tickets_and_pull_requests_are_counted(project: Project) -> None:
    pull = rest(5, pull_request={"url": "…"}, html_url="https://example.org/demo/pull/5")
    said = project.imported([rest(4, labels=["P2", {"name": "bug"}], milestone=milestone("0.72.0")), pull, rest(6)])
    assert "left out: pull requests (1)" in said
    assert "left out: the field comments (2)" in said
    assert [(t["number"], t["labels"], t["milestone"], t.get("priority")) for t in project.tickets] == [
        (4, ["P2", "bug"], "0.72.0", "P2"), (6, [], None, None),
    ]  # fmt: skip


def test_one_object_of_the_rest_interface_is_one_ticket(project: Project) -> None:
    project.imported(rest(4, state="closed", state_reason="completed"))
    assert [(t["number"], t["state"], t["state_reason"]) for t in project.tickets] == [(4, "closed", "completed")]


def test_a_pull_request_is_known_by_its_address_too(project: Project) -> None:
    said = project.imported([gh(1), gh(2, url="https://example.org/demo/pull/2")])
    assert "left out: pull requests (1)" in said
    assert [t["number"] for t in project.tickets] == [1]


def test_a_master_ticket_becomes_its_rows(project: Project) -> None:
    said = project.imported(EIGHT, name="master.txt")
    assert said.startswith(f"{FILE}: 8 tickets\n  master.txt: 8 tickets, read as master\n    left out: lines that")
    assert [(t["number"], t.get("branch"), t.get("folded"), t.get("priority")) for t in project.tickets] == [
        (4346, "fix/4346-no-host-install", None, None), (4520, "98/4520-ladder-box", None, None),
        (4590, "fix/4590", 5327, "P0"), (4665, "fix/4665-forward", None, None), (4765, None, None, None),
        (5072, "fix/5072-gpu010", None, None), (5119, "fix/5119-q2k", None, None), (5277, None, None, None),
    ]  # fmt: skip
    assert all(t["row"] for t in project.tickets)


def test_the_form_is_what_the_content_shows() -> None:
    assert recognized(gh(1)) == "gh"
    assert recognized({"number": 1, "state": "CLOSED"}) == "gh"
    assert recognized(rest(1)) == "rest"
    assert recognized({"number": 1, "title": "x", "state": "open"}) is None
    assert recognized({"number": 1, "createdAt": "x", "state": "open"}) is None
    assert recognized({"number": 1, "createdAt": "x", "html_url": "y"}) is None
    assert recognized([]) is recognized("x") is recognized({}) is None


PLAIN = {"number": 1, "title": "x", "state": "open", "milestone": None, "labels": []}


def test_a_form_that_can_not_be_told_is_refused_and_can_be_said(project: Project) -> None:
    said = project.imported([PLAIN], ends=3)
    assert said.startswith(
        "gate: source, [0]: it is no issue, or it can't be told whether gh or GitHub's REST wrote it"
    )
    assert not (project.folder / FILE).exists()
    project.imported([PLAIN], "--form", "rest")
    assert [t["number"] for t in project.tickets] == [1]


@pytest.mark.parametrize(
    ("content", "arguments", "wrong"),
    [
        ([], (), "source: it is an empty list: no ticket is known from it"),
        ("", (), "source: it names no ticket as master does"),
        ("Some prose.\n", (), "source: it names no ticket as master does (left out: lines that are no rows: 1)"),
        ([rest(1, pull_request={})], (), "source: it names no ticket as rest does (left out: pull requests: 1)"),
        ([gh(1), rest(2)], (), "source, [1]: it is no issue of the form gh"),
        ([rest(1), gh(2)], (), "source, [1]: it is no issue of the form rest"),
        ([[gh(1)]], (), "source, [0]: it is no issue, or"),
        ([gh(1), 3], (), "source, [1]: it is no issue of the form gh"),
        ([gh(1)], ("--form", "rest"), "source, [0]: it is no issue of the form rest"),
        ([gh(1)], ("--form", "master"), "source: it names no ticket as master does"),
        ("- a #1", ("--form", "gh"), "source, line 1: it is neither a JSON list nor a JSON object"),
        *(([gh(1, **{key: ...})], (), f"source, [0]: the key {key} is missing\n  Ask for it: {ASK}")
          for key in ("number", "title", "milestone", "labels")),
        ([gh(1), gh(2, state=...)], (), "source, [1]: the key state is missing"),
        ([gh(1, state="MERGED")], (), "source, [0], state: 'MERGED' should be 'OPEN' or 'CLOSED'"),
        ([gh(0)], (), "source, [0], number: 0 should be greater than 0"),
        ([gh(2**31)], (), "source, [0], number: 2147483648 should be less than"),
        ([gh(1) | {"number": "1"}], (), "source, [0], number: '1' should be a valid integer"),
        ([gh(1, title="")], (), "source, [0], title: '' "),
        ([gh(1, milestone="0.72.0")], (), "source, [0], milestone"),
        ([gh(1, labels=["P0"])], (), "source, [0], labels[0]"),
        ([gh(1, url="https://example.org/other/issues/1")], (),
         "source, [0]: https://example.org/other/issues/1 is an issue of another repository"),
        ('[{"number": 1, "number": 2}]', (), 'source, [0]: the key "number" stands twice'),
        ("[{\n", (), "source, [0], line 2: it is not JSON"),
        ("\ufeff[]", (), "source, byte 1: it begins with a byte-order mark"),
        ({"schema": "taggate/tickets/v1"}, (), "source: it is what an import writes, and no source"),
    ],
)  # fmt: skip
def test_a_source_that_can_not_be_taken_is_refused_by_name(
    content: Any, arguments: tuple[str, ...], wrong: str, project: Project
) -> None:
    assert project.imported(content, *arguments, ends=3).startswith(f"gate: {wrong}")
    assert not (project.folder / FILE).exists()


def test_no_file_and_a_folder_are_refused(project: Project) -> None:
    assert "none: there is no such file" in project.gate("tickets", "import", "none", "--tag", VERSION, ends=3)
    assert "receipts: it " in project.gate("tickets", "import", "receipts", "--tag", VERSION, ends=3)
    assert "is no tag of this project" in project.gate("tickets", "import", "none", "--tag", "x", ends=3)


def test_a_page_that_may_not_be_all_is_named(project: Project) -> None:
    assert "30 may be a page of more: gh issue list" in project.imported([gh(i) for i in range(1, 31)])
    assert "page of more" not in project.imported([gh(i) for i in range(1, 32)], "--afresh")


def test_ten_thousand_issues_and_bodies_of_a_megabyte(project: Project) -> None:
    body = "<b>é\n|🙂</b>" * 90_000
    assert len(body.encode()) > 2**20
    issues = [gh(i, body=body if i % 100 == 0 else "short", title=f"<script>{i}</script>") for i in range(1, 10_001)]
    said = project.imported(issues)
    assert "10000 tickets" in said
    assert "left out: the field body (10000)" in said
    written = (project.folder / FILE).stat().st_size
    assert written < 5 * 2**20, "no body is kept"
    assert [t["number"] for t in project.tickets] == list(range(1, 10_001))
    assert project.red() == []


# ---------------------------------------------------------------- several sources


def test_a_ticket_that_two_sources_know_has_what_both_say_whatever_their_order(project: Project) -> None:
    project.file("issues.json", [gh(1, title="tracked", milestone=milestone("0.72.0")), gh(2)])
    project.file("master.md", "- [ ] listed #1 — words — done when: it is (branch: b) (P1 owner:x)\n- third #3\n")
    project.gate("tickets", "import", "issues.json", "master.md", "--tag", VERSION, *WHEN)
    first = (project.folder / FILE).read_bytes()
    (project.folder / FILE).unlink()
    for name in ("master.md", "issues.json", "issues.json"):
        project.gate("tickets", "import", name, "--tag", VERSION, *WHEN)
    assert (project.folder / FILE).read_bytes() == first
    assert project.tickets[0] == {
        "number": 1, "title": "tracked", "state": "open", "state_reason": None, "milestone": "0.72.0", "labels": [],
        "assignees": [], "priority": "P1", "owner": "x", "row": True, "checked": False, "done_when": "it is",
        "branch": "b", "text": "words", "sources": ["issues.json", "master.md"],
    }  # fmt: skip
    assert [t["number"] for t in project.tickets] == [1, 2, 3]


def test_the_same_source_again_changes_no_byte(project: Project) -> None:
    project.imported([gh(1)])
    first = (project.folder / FILE).read_bytes()
    project.gate("tickets", "import", "source", "--tag", VERSION)  # at another moment
    assert (project.folder / FILE).read_bytes() == first


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ([gh(1)], [gh(1, state="CLOSED")], "#1, state: open by one; closed by two, [0]"),
        ([gh(1)], [gh(1, stateReason="REOPENED")], "#1, state_reason: nothing by one; reopened by two, [0]"),
        ([gh(1)], [gh(1, title="other")], "#1, title: issue 1 by one; other by two, [0]"),
        ([gh(1)], [gh(1, milestone=milestone("0.72.0"))], "#1, milestone: nothing by one; 0.72.0 by two, [0]"),
        ([gh(1)], "- a #1 (milestone: 0.72.0)", "#1, milestone: nothing by one; 0.72.0 by two, line 1"),
        ([gh(1, labels=[{"name": "P0"}])], "- a #1 (P1)", "#1, priority: P0 by one; P1 by two, line 1"),
        ([gh(1, labels=[{"name": "owner:x"}])], "- a #1 (owner:y)", "#1, owner: x by one; y by two, line 1"),
        ("- a #1 (branch: x)", "- a #1 (branch: y)", "#1, branch: x by one; y by two, line 1"),
        ("- [ ] a #1", "- [x] a #1", "#1, checked: False by one; True by two, line 1"),
        ("- a #1", "\n- b #1", "#1, title: a by one; b by two, line 2"),
        (
            "# m #8\n\n- a #1\n\nAll folded here.",
            "# m #9\n\n- a #1\n\nAll folded here.",
            "#1, folded: 8 by one; 9 by two, line 3",
        ),
    ],
)
def test_sources_that_contradict_each_other_are_refused_by_name(
    first: Any, second: Any, said: str, project: Project
) -> None:
    project.imported(first, name="one")
    before = (project.folder / FILE).read_bytes()
    told = project.imported(second, name="two", ends=3)
    assert told.startswith(f"gate: {FILE}: the sources contradict each other; nothing is written\n  {said}\n  Correct")
    assert (project.folder / FILE).read_bytes() == before
    project.imported(second, "--afresh", name="two")
    assert project.tickets[0]["sources"] == ["two"]


def test_a_source_that_contradicts_itself_is_refused(project: Project) -> None:
    assert "#1, state: open by source; closed by source, [1]" in project.imported(
        [gh(1), gh(1, state="CLOSED")], ends=3
    )
    assert "#1, text: x by source; y by source, line 2" in project.imported("- a #1 — x\n- a #1 — y\n", ends=3)
    many = [gh(i) for i in range(1, 21)] + [gh(i, title="x") for i in range(1, 21)]
    assert "\n  and 12 more\n" in project.imported(many, ends=3)


def test_afresh_forgets_what_was_said_and_keeps_what_was_shown(project: Project) -> None:
    project.imported("- [x] a #1\n- [x] b #2\n")
    for number in ("1", "2"):
        project.gate("tickets", "prove", number, "--tag", VERSION, "--test", "dogfood/fmt")
    said = project.imported([gh(1, state="CLOSED")], "--afresh", name="later")
    assert said.endswith("  dropped: what proved #2, which no source names any more\n")
    assert [(t["number"], t["sources"], len(t["evidence"])) for t in project.tickets] == [(1, ["later"], 1)]


def test_tickets_of_another_release_are_not_added_to(release: Release) -> None:
    with_tickets(release)
    release.documents[FILE]["release"]["version"] = "0.70.0"
    said = Project(release).imported([gh(1)], ends=3)
    assert said.startswith(f"gate: {FILE}, release.version: it is of 0.70.0, and stands in the folder of {VERSION}")


def test_a_link_out_of_the_ledger_is_not_written_through(project: Project) -> None:
    (project.folder / FILE).symlink_to(project.folder / "elsewhere.json")
    assert "it is a symbolic link" in project.imported([gh(1)], ends=3)
    assert not (project.folder / "elsewhere.json").exists()


def test_the_folder_of_a_release_that_measured_nothing_yet_is_made(project: Project) -> None:
    project.gate("tickets", "import", project.file("x.json", [gh(1)]), "--tag", "v0.99.0")
    assert (project.folder / "receipts/0.99.0/tickets.json").is_file()


# ---------------------------------------------------------------- what is judged


def test_a_release_with_tickets_in_order_conforms(release: Release) -> None:
    with_tickets(release)
    verdict, _ = judge(release.write())
    assert [f for f in verdict.findings if f.severity == "violation"] == []
    judged_nodes = {s.id: s.focus_nodes for s in verdict.shapes}["ticket"]
    assert judged_nodes == 7, "the list, a decision's ticket, three done rows, two that are open"
    assert FILE in verdict.read
    assert f"{FOLDER}/logs/nan.txt" in verdict.read


def test_a_release_without_tickets_owes_none_unless_the_rules_say_so(release: Release) -> None:
    declaimed(release)
    assert judged(release.write())["exit"] == 0
    release.rules = release.rules.replace("[require]", "[require]\ntickets = true")
    project = Project(release)
    assert project.red() == [("tickets", "imported", "missing")]
    project.imported([gh(4590, milestone=milestone("0.72.0"))])
    assert project.red() == []


def test_a_row_is_closed_with_a_receipt_and_not_without(release: Release) -> None:
    """The master ticket of the pages: eight rows, one of which is a folded P0 that the tracker closed when it was."""
    release.documents[f"{FOLDER}/nightly.json"] = header("taggate/suite-receipt/v1") | {
        "suite": "dogfood-nightly", "verdict": "go", "rows": [{"name": "ladder row", "result": "pass"}],
    }  # fmt: skip
    project = Project(release)
    project.file("master.txt", EIGHT)
    numbers = (4346, 4520, 4665, 4765, 5072, 5119, 5277)
    issues = [gh(n, milestone=milestone("0.72.0")) for n in numbers]
    folded = {"state": "CLOSED", "stateReason": "NOT_PLANNED", "labels": [{"name": "P0"}]}

    def imported(*more: dict[str, Any], **of_4665: Any) -> None:
        issues[2] |= of_4665
        project.file("issues.json", [*issues, *more])
        project.gate("tickets", "import", "issues.json", "master.txt", "--tag", VERSION, *WHEN, "--afresh")

    imported(gh(4590, **folded, milestone=milestone("0.72.0")))
    assert project.red() == []
    imported(gh(4590, **folded, milestone=milestone("0.72.0")), state="CLOSED", stateReason="COMPLETED")
    assert project.red() == [("#4665", "evidence", "missing")]
    (finding,) = (f for f in judged(project.folder)["findings"] if f["severity"] == "violation")
    assert finding["message"].startswith(
        "The row is said to be done, and nothing shows it. (done when: the ladder row is OK on lambda and gx10.; "
        "evidence: not recorded; "
    )
    assert finding["issue"] == 4665
    project.gate("tickets", "prove", "4665", "--tag", VERSION, "--receipt", f"{FOLDER}/nightly.json")
    assert project.red() == []
    imported(
        gh(4590, **folded, milestone=milestone("v0.71.0"))
    )  # on this release's milestone, a folded P0 is still a P0
    assert project.red() == [("#4590", "priority", "blocking")]
    (project.folder / FOLDER / "nightly.json").write_text("{}")
    assert judged_or_refused(project) == 3


def judged_or_refused(project: Project) -> int:
    return gate_here(project.folder, "check", "--tag", VERSION, "--now", NOW).returncode


def test_evidence_that_a_row_names_itself_counts(project: Project) -> None:
    log = project.folder / FOLDER / "gone.txt"
    log.write_text("ten prompts, no NaN\n")
    project.imported(
        "- [x] a #1 — done when: b — evidence: test dogfood/fmt\n- [x] c #2 — evidence: not reproduced gone.txt\n"
        f"- [x] d #3 — evidence: receipt {FOLDER}/dogfood.json — evidence: test dogfood/fmt\n"
        "- [x] e #4 — evidence: see the pull request\n"
    )
    digest = hashlib.sha256(log.read_bytes()).hexdigest()
    receipt = {"kind": "receipt", "path": "dogfood.json", "sha256": sha256(project.release.receipt("dogfood.json"))}
    test = {"kind": "test", "suite": "dogfood", "row": "fmt"}
    assert [t.get("evidence") for t in project.tickets] == [
        [test], [{"kind": "not-reproduced", "path": "gone.txt", "sha256": digest}], [receipt, test], None,
    ]  # fmt: skip
    assert project.document["sources"][0]["left_out"] == {"line 4: evidence that names no test, receipt or file": 1}
    assert project.red() == [("#4", "evidence", "missing")]
    log.write_text("one prompt, NaN\n")
    assert project.red() == [("#2", "evidence", "contradicted"), ("#4", "evidence", "missing")]


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        ("receipt none.json", "none.json: there is no such file"),
        ("receipt ../0.70.0/x.json", "it lies outside"),
        ("receipt /etc/passwd", "it lies outside"),
        ("receipt release.toml", "it says what is asked for, and shows nothing"),
        ("not reproduced tickets.json", "it says what is asked for"),
        ("receipt notes.txt", "it is no receipt: the name of one ends in .json or .jsonl"),
        ("test fmt", "'fmt' names no row of a suite"),
        ("test dogfood/", "names no row of a suite"),
    ],
)
def test_evidence_that_can_not_be_taken_is_refused_with_its_line(words: str, wrong: str, project: Project) -> None:
    said = project.imported(f"\n- [x] a #1 — evidence: {words}\n", ends=3)
    assert said.startswith("gate: source, line 2: its evidence can't be taken\n")
    assert wrong in said


def test_only_one_file_holds_the_tickets_of_a_release(release: Release) -> None:
    with_tickets(release)
    release.documents[f"{FOLDER}/more/tickets.json"] = release.documents[FILE]
    said = gate_here(release.write(), "check", "--tag", VERSION).stderr
    assert said.startswith(f"gate: {FOLDER}/more/tickets.json: only {FILE} holds the tickets of a release")


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        (lambda d: d["tickets"].append(d["tickets"][0]), "the ticket #4346 stands twice"),
        (lambda d: d["tickets"][0].update(number=0), "tickets[0].number: 0 should be greater than 0"),
        (lambda d: d["tickets"][2].update(state="OPEN"), "tickets[2].state: 'OPEN' should be 'open' or 'closed'"),
        (lambda d: d["tickets"][0].update(checked="true"), "tickets[0].checked: 'true' should be a valid boolean"),
        (lambda d: d["tickets"][0].update(row=False), "tickets[0].row: False should be True"),
        (
            lambda d: d["tickets"][0].update(prority="P0"),
            "tickets[0].prority: there is no such key; 'priority' is meant?",
        ),
        (
            lambda d: d["tickets"][0].update(priority="P4"),
            "tickets[0].priority: 'P4' should be 'P0', 'P1', 'P2' or 'P3'",
        ),
        (
            lambda d: d["tickets"][0]["evidence"][0].update(sha256="0" * 64),
            "is of the kind test, which has suite and row",
        ),
        (lambda d: d["tickets"][1]["evidence"][0].pop("sha256"), "is of the kind receipt, which has path and sha256"),
        (lambda d: d.update(sources=[]), "sources"),
        (lambda d: d["sources"][0].update(imported_at="2026-10-13T09:00:00"), "has no time zone"),
        (lambda d: d["sources"][0].update(imported_at="yesterday"), "is not a time such as"),
        (lambda d: d["release"].update(version="0.71"), "is not a semantic version"),
    ],
)
def test_a_file_that_is_malformed_is_refused_with_its_place(change: Any, wrong: str, release: Release) -> None:
    with_tickets(release)
    change(release.documents[FILE])
    done = gate_here(release.write(), "check", "--tag", VERSION)
    assert done.returncode == 3
    assert done.stderr.startswith(f"gate: {FILE}")
    assert wrong in done.stderr


JSON = st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.lists(st.integers(), max_size=2)
ENTRIES = st.lists(
    st.dictionaries(st.sampled_from([*tickets.TicketBlock.model_fields, "x"]), JSON, max_size=6), max_size=4
)


@given(ENTRIES, st.integers(0, 2))
def test_whatever_a_file_of_tickets_says_it_is_read_or_refused_by_name(found: list[Any], sources: int) -> None:
    source = {"form": "gh", "path": "x", "sha256": "5" * 64, "imported_at": "2026-10-13T09:00:00Z", "tickets": 3}
    document = {
        "schema": tickets.SCHEMA,
        "release": {"version": VERSION},
        "sources": [source] * sources,
        "tickets": found,
    }
    with contextlib.suppress(BadFile):
        read = tickets.read(InputFile("tickets.json", "", b""), document)
        assert len(read.tickets) == len(found)


def test_tickets_are_no_receipt(release: Release) -> None:
    with_tickets(release)
    for path in [p for p in release.documents if p.startswith(FOLDER) and not p.endswith(("tickets.json", ".toml"))]:
        del release.documents[path]
    done = gate_here(release.write(), "check", "--tag", VERSION)
    assert done.returncode == 2
    assert "it holds no receipt" in done.stderr


def test_tickets_that_were_imported_after_the_moment_of_judging_are_refused(release: Release) -> None:
    with_tickets(release)
    release.documents[FILE]["sources"][1]["imported_at"] = "2026-11-01T00:00:01Z"
    done = gate_here(release.write(), "check", "--tag", VERSION, "--now", NOW)
    assert done.returncode == 3
    assert f"--now: {FILE} was imported at 2026-11-01T00:00:01Z, after the moment of judging" in done.stderr


def test_a_decision_that_has_not_begun_or_has_ended_asks_for_no_ticket(release: Release) -> None:
    with_tickets(release)
    release.documents[FILE]["tickets"] = [t for t in release.documents[FILE]["tickets"] if t["number"] != 4590]
    project = Project(release)
    assert project.red() == [("beta-on-gx10 #4590", "ticket", "missing")]
    for old, new in (
        ('until = "0.72.0"', 'since = "0.72.0"\nuntil = "0.73.0"'),
        ('until = "0.72.0"', f'until = "{VERSION}"'),
    ):
        (project.folder / "claims.toml").write_text(DECLAIM.replace(old, new))
        assert [finding for finding in project.red() if finding[1] == "ticket"] == []


@pytest.mark.parametrize(
    ("tag", "milestone", "green"),
    [
        ("v{version}", "0.72.0", True), ("v{version}", "v0.72.0", True), ("v{version}", " v0.72.0 ", True),
        ("release-{version}", "release-0.72.0", True), ("release-{version}", "v0.72.0", True),
        ("v{version}", "0.72.0+build.7", True), ("v{version}", "0.72", False), ("v{version}", "0.072.0", False),
        ("v{version}", "release-0.72.0", False), ("v{version}", "0.72.1", False), ("v{version}", "0.72.0-rc.1", False),
    ],
)  # fmt: skip
def test_a_milestone_is_compared_as_a_version(tag: str, milestone: str, green: bool, release: Release) -> None:
    with_tickets(release)
    ticket(release, 4590)["milestone"] = milestone
    release.rules = release.rules.replace('name = "demo"', f'name = "demo"\ntag = "{tag}"')
    assert (Project(release).red() == []) is green


STATES = st.builds(
    Ticket, number=st.just(1), title=st.just(""), state=st.sampled_from([None, "open", "closed"]),
    state_reason=st.sampled_from([None, "completed", "not_planned", "duplicate"]), row=st.booleans(),
    checked=st.sampled_from([None, True, False]), folded=st.sampled_from([None, False, True, 5327]),
)  # fmt: skip


@given(STATES)
def test_no_ticket_is_neither_open_nor_said_to_be_done(found: Ticket) -> None:
    """What isn't open owes evidence where it is a row; so that nothing leaves the one without coming to the other."""
    assert found.open or found.said_done
    if found.state == "open":
        assert found.open


# ---------------------------------------------------------------- gate tickets prove


def test_what_shows_a_row_done_is_written_with_its_digest(project: Project) -> None:
    project.imported("- [x] a #1 — done when: b\n")
    assert project.red() == [("#1", "evidence", "missing")]
    said = project.gate("tickets", "prove", "1", "--tag", VERSION, "--receipt", f"{FOLDER}/dogfood.json")
    assert said == f"{FILE}: #1 is shown by\n  receipt dogfood.json\n  done when: b\n"
    digest = sha256(project.release.receipt("dogfood.json"))
    assert project.tickets[0]["evidence"] == [{"kind": "receipt", "path": "dogfood.json", "sha256": digest}]
    assert project.red() == []
    first = (project.folder / FILE).read_bytes()
    project.gate("tickets", "prove", "1", "--tag", VERSION, "--receipt", f"{FOLDER}/dogfood.json")
    assert (project.folder / FILE).read_bytes() == first


def test_each_of_several_must_hold_and_only_forgets_the_others(project: Project) -> None:
    project.imported("- [x] a #1\n")
    for proof in (("--test", "dogfood/none"), ("--test", "dogfood/fmt"), ("--receipt", f"{FOLDER}/gx10.json")):
        project.gate("tickets", "prove", "1", "--tag", VERSION, *proof)
    assert len(project.tickets[0]["evidence"]) == 3
    assert project.red() == [("#1", "test", "missing")]
    project.gate("tickets", "prove", "1", "--tag", VERSION, "--test", "dogfood/fmt", "--only")
    assert len(project.tickets[0]["evidence"]) == 1
    assert project.red() == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("2", "--test", "dogfood/fmt"), f"#2: {FILE} has no such ticket"),
        (("1",), "give one of --test, --receipt and --not-reproduced"),
        (("1", "--test", "a/b", "--receipt", "x.json"), "give one of --test, --receipt and --not-reproduced"),
        (("1", "--test", "a/b", "--test", "a/c"), "it is given 2 times, and once is right"),
        (("0", "--test", "a/b"), "0 is not in the range"),
        (("1", "--test", "fmt"), "'fmt' names no row of a suite, such as dogfood/fmt"),
        (("1", "--test", "/fmt"), "'/fmt': the suite is empty"),
        (("1", "--receipt", "gate.toml"), "gate.toml: it lies outside"),
        (("1", "--receipt", "receipts/contexts.json"), "it lies outside"),
        (("1", "--not-reproduced", FOLDER), "it lies outside"),
        (("1", "--not-reproduced", FILE), "it says what is asked for, and shows nothing"),
        (("1", "--receipt", f"{FOLDER}/none.json"), "there is no such file"),
    ],
)
def test_what_shows_nothing_is_refused(arguments: tuple[str, ...], said: str, project: Project) -> None:
    project.imported("- [x] a #1\n")
    before = (project.folder / FILE).read_bytes()
    assert said in project.gate("tickets", "prove", *arguments, "--tag", VERSION, ends=3)
    assert (project.folder / FILE).read_bytes() == before


def test_nothing_is_proved_or_shown_before_it_is_imported(project: Project) -> None:
    said = f"{FILE}: there is no such file\n  Import the tickets first: gate tickets import."
    assert said in project.gate("tickets", "prove", "1", "--tag", VERSION, "--test", "a/b", ends=3)
    assert said in project.gate("tickets", "status", "--tag", VERSION, ends=3)


# ---------------------------------------------------------------- gate tickets status

TITLE = "<script>alert(1)</script> | `a`\n*b* 🙂👩‍💻 שלום \u202etxt.exe [x](javascript:1)\x1b[31m\x9b31m"


def _shown(project: Project, form: str) -> str:
    return project.gate("tickets", "status", "--tag", VERSION, "--format", form)


def _obeyed(text: str) -> set[str]:
    return {c for c in text if unicodedata.category(c) in {"Cc", "Cf", "Zl", "Zp"}} - {
        "\n",
        "\u200d",
        "\u2068",
        "\u2069",
    }


@pytest.fixture
def strange(release: Release) -> Project:
    """Tickets whose words mean harm to a terminal, a table and a browser."""
    release.claims = DECLAIM
    project = Project(release)
    labels = [{"name": "P2"}, {"name": "owner:<b>|x"}]
    project.imported([gh(7, title=TITLE, labels=labels, milestone=milestone("0.72.0 | <i>"))], name="issues.json")
    project.imported("- [ ] x #7 — done when: a | <img src=x> \u202e (branch: b|c`d)\n- y #9\n", name="master.md")
    return project


def test_the_table_says_all_that_is_known_in_each_form(release: Release) -> None:
    with_tickets(release)
    project = Project(release)
    text = _shown(project, "text")
    assert text.startswith(f"6 tickets of {VERSION}, imported 2026-10-13T09:00:00Z; 3 still to be done\n")
    for words in ("#4346", "no host install", "row done", "done when: fmt passes", "evidence: test dogfood/fmt",
                  "#4590", "v0.72.0", "P1", "named by: beta-on-gx10", "evidence: not-reproduced logs/nan.txt"):  # fmt: skip
        assert words in text
    page = _shown(project, "markdown")
    assert "| #4346 | no host install | row done | — | — | — | fmt passes | — | test dogfood/fmt | — |\n" in page
    assert "| #4590 | beta is slow | open | P1 | — | v0.72.0 | — | — | — | beta-on-gx10 |\n" in page
    document = json.loads(_shown(project, "json"))
    assert [t["number"] for t in document["tickets"]] == [4346, 4520, 4590, 5119, 5219, 5277]
    assert document["tickets"][0]["evidence"] == [{"kind": "test", "suite": "dogfood", "row": "fmt"}]
    assert document["tickets"][2]["decisions"] == ["beta-on-gx10"]
    assert [t["done"] for t in document["tickets"]] == [True, True, False, True, False, False]


def test_a_ticket_that_only_a_decision_names_stands_in_the_table(strange: Project) -> None:
    assert re.search(r"^#4590 +not listed +— +— +— +—\n +named by: beta-on-gx10$", _shown(strange, "text"), re.M)
    assert "| #4590 | — | not listed | — | — | — | — | — | — | beta-on-gx10 |\n" in _shown(strange, "markdown")
    (line,) = (t for t in json.loads(_shown(strange, "json"))["tickets"] if t["number"] == 4590)
    assert line == {"number": 4590, "listed": False, "decisions": ["beta-on-gx10"]}


def test_strange_words_are_readable_and_obeyed_by_nothing(strange: Project) -> None:
    text, page, document = (_shown(strange, form) for form in ("text", "markdown", "json"))
    for shown in (text, page, document):
        assert _obeyed(shown) == set()
        assert "🙂👩‍💻 שלום" in shown
    rows = [line for line in page.splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {11}, "no word ends a cell"
    assert "&lt;script&gt;alert(1)&lt;/script&gt; \\| \\`a\\` \\*b\\*" in page
    assert not re.search(r"<(?!br>)[a-z/]", page)
    assert not re.search(r"(?<!\\)\]\(", page), "no word becomes a link"
    assert "<script>alert(1)</script> | `a` *b*" in text
    (found,) = (t for t in json.loads(document)["tickets"] if t["number"] == 7)
    assert (found["title"], found["branch"], found["owner"]) == (TITLE, "b|c`d", "<b>|x")


def test_strange_words_are_obeyed_by_nothing_in_the_file_and_in_what_a_check_says(strange: Project) -> None:
    assert _obeyed((strange.folder / FILE).read_text(encoding="utf-8")) == set()
    strange.imported([gh(7, title=TITLE, labels=[{"name": "P0"}], milestone=milestone(VERSION))], "--afresh")
    done = gate_here(strange.folder, "check", "--tag", VERSION, "--now", NOW)
    assert "An open P0 blocks the release." in done.stdout
    assert _obeyed(done.stdout) == set()


def test_a_refusal_writes_no_line_that_a_stranger_chose(project: Project) -> None:
    project.imported([gh(1, title="a")], name="one")
    said = project.imported([gh(1, title="b\nCONFORMS\x1b[2J")], name="two", ends=3)
    assert "#1, title: a by one; b\\nCONFORMS\\x1b[2J by two, [0]" in said
    assert _obeyed(said) == set()


def test_the_table_is_written_to_a_file_and_never_into_the_ledger(release: Release) -> None:
    with_tickets(release)
    project = Project(release)
    arguments = ("tickets", "status", "--tag", VERSION, "--format", "markdown", "--output")
    assert project.gate(*arguments, "TICKETS.md") == ""
    assert (project.folder / "TICKETS.md").read_text(encoding="utf-8") == _shown(project, "markdown")
    assert "lies in the ledger" in project.gate(*arguments, f"{FOLDER}/t.md", ends=3)


def test_help_names_the_commands(tmp_path: Path) -> None:
    said = gate_here(tmp_path, "tickets", "--help").stdout
    assert [name for name in ("import", "status", "prove") if re.search(rf"^  {name} ", said, re.M)] == [
        "import", "status", "prove",
    ]  # fmt: skip
