"""What turns the tickets of a release red. Each starts from a release that is green with all kinds of them."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from rdflib import Graph, URIRef
from rdflib.namespace import RDF

from gate.iris import term
from tests.falsifiers.falsifier import Falsifier, without
from tests.falsifiers.known_failure import KNOWN
from tests.falsifiers.scope import SCOPE
from tests.release import DECLAIM, OTHER_COMMIT, VERSION, Release, declaimed

FOLDER = f"receipts/{VERSION}"
FILE = f"{FOLDER}/tickets.json"
DECISION = "beta-on-gx10 #4590"
LOG = "all of 12 prompts: no NaN\n"


def sha256(content: Any) -> str:
    """Return the digest that a document has once it is written."""
    text = content if isinstance(content, str) else json.dumps(content)
    return hashlib.sha256(text.encode()).hexdigest()


def with_tickets(release: Release) -> None:
    """Give the release a decision whose ticket is in order, and rows of a master ticket, three of them done and shown."""
    declaimed(release)
    release.documents[f"{FOLDER}/logs/nan.txt"] = LOG
    row: dict[str, Any] = {"row": True, "sources": ["master.txt"]}
    tracked = {"state": "open", "milestone": "0.71.0", "labels": [], "sources": ["issues.json"]}
    release.documents[FILE] = {
        "schema": "taggate/tickets/v1",
        "release": {"version": VERSION},
        "sources": [
            {"form": "gh", "path": "issues.json", "sha256": "5" * 64, "imported_at": "2026-10-13T09:00:00Z", "tickets": 3},
            {"form": "master", "path": "master.txt", "sha256": "6" * 64, "imported_at": "2026-10-13T09:00:00Z", "tickets": 4},
        ],
        "tickets": [
            row | {"number": 4346, "title": "no host install", "checked": True, "done_when": "fmt passes",
                   "evidence": [{"kind": "test", "suite": "dogfood", "row": "fmt"}]},
            row | {"number": 4520, "title": "ladder box", "checked": True, "done_when": "the suite says go",
                   "evidence": [{"kind": "receipt", "path": "dogfood.json", "sha256": ""}]},
            tracked | {"number": 4590, "title": "beta is slow", "milestone": "v0.72.0", "priority": "P1"},
            row | tracked | {"number": 5119, "title": "NaN", "state": "closed", "state_reason": "completed",
                             "done_when": "it no longer reproduces",
                             "evidence": [{"kind": "not-reproduced", "path": "logs/nan.txt", "sha256": sha256(LOG)}]},
            row | {"number": 5219, "title": "faster", "checked": False},
            tracked | {"number": 5277, "title": "memory", "priority": "P2"},
        ],
    }  # fmt: skip
    _pin(release)


def _pin(release: Release) -> None:
    ticket(release, 4520)["evidence"][0]["sha256"] = sha256(release.receipt("dogfood.json"))


def ticket(release: Release, number: int) -> Any:
    """Return one ticket, to be changed in place."""
    return next(one for one in release.documents[FILE]["tickets"] if one["number"] == number)


def _of(number: int, **values: Any) -> Any:
    """Change values of a ticket; an Ellipsis takes the key away."""

    def change(release: Release) -> None:
        with_tickets(release)
        found = ticket(release, number)
        found |= values
        for key in [key for key, value in values.items() if value is ...]:
            del found[key]

    return change


def _evidence(number: int, **values: Any) -> Any:
    def change(release: Release) -> None:
        with_tickets(release)
        ticket(release, number)["evidence"][0] |= values

    return change


def _suite(**values: Any) -> Any:
    """Change the receipt that shows a row done, and the digest that vouches for it."""

    def change(release: Release) -> None:
        with_tickets(release)
        release.receipt("dogfood.json").update(values)
        _pin(release)

    return change


def _rows(*rows: dict[str, Any]) -> Any:
    return _suite(rows=list(rows))


def _required_and_absent(release: Release) -> None:
    release.rules = release.rules.replace("[require]", "[require]\ntickets = true")


def _of_another_release(release: Release) -> None:
    with_tickets(release)
    release.documents[FILE]["release"]["version"] = "0.70.0"


def _left_out(release: Release) -> None:
    with_tickets(release)
    release.documents[FILE]["sources"][0]["left_out"] = {"the field body": 3}


def _unlisted(release: Release) -> None:
    with_tickets(release)
    release.documents[FILE]["tickets"] = [t for t in release.documents[FILE]["tickets"] if t["number"] != 4590]


def _known_failure(release: Release) -> None:
    _of(4590, milestone="0.72.0")(release)
    release.claims = DECLAIM + KNOWN.replace("beta-q4", "alpha-q4") + SCOPE
    release.row("gx10", "alpha-q4_k_m.gguf").update(verdict="error", reason="timed out")
    release.row("gx10", "alpha-q4_k_m.gguf", thinking="on").update(verdict="error", reason="timed out")


def _inventory(release: Release) -> None:
    with_tickets(release)
    inventory = release.receipt("inventory-gx10.json")
    ticket(release, 4520)["evidence"][0] = {
        "kind": "receipt",
        "path": "inventory-gx10.json",
        "sha256": sha256(inventory),
    }


def _stale(release: Release) -> None:
    _suite(release={"version": VERSION, "commit": OTHER_COMMIT})(release)


def _another_suite(**values: Any) -> Any:
    """Let another suite, which the rules don't require, show the row done."""

    def change(release: Release) -> None:
        with_tickets(release)
        own = release.receipt("dogfood.json") | {"suite": "nightly"} | values
        release.documents[f"{FOLDER}/nightly.json"] = own
        ticket(release, 4520)["evidence"] = [{"kind": "receipt", "path": "nightly.json", "sha256": sha256(own)}]

    return change


def _nightly_fmt(**values: Any) -> Any:
    def change(release: Release) -> None:
        _another_suite(**values)(release)
        ticket(release, 4520)["evidence"] = []
        ticket(release, 4520)["checked"] = False
        ticket(release, 4346)["evidence"] = [{"kind": "test", "suite": "nightly", "row": "fmt"}]

    return change


def _untyped(kind: str) -> Any:
    def edit(graph: Graph) -> None:
        for node in list(graph.subjects(RDF.type, URIRef(term(kind)))):
            graph.remove((node, RDF.type, URIRef(term(kind))))

    return edit


def _red(
    constraint: str, component: str, name: str, finding: tuple[str, str, str], change: Any, **edit: Any
) -> Falsifier:
    return Falsifier(constraint, component, name, (finding,), change, **edit)


_OTHER = {"release": {"version": VERSION, "commit": OTHER_COMMIT}}
_SKIPPED = [{"name": "fmt", "result": "skip"}]

FALSIFIERS = [
    _red("TicketList-imported", "MinCount", "the rules ask for tickets, and none are there",
         ("tickets", "imported", "missing"), _required_and_absent),
    _red("TicketList-judged", "Class", "the file escaped the constraints", ("tickets", "imported", "failed"),
         with_tickets, edit=_untyped("TicketFile")),
    _red("TicketFile-release", "In", "the tickets of another release", (FILE, "release", "stale"), _of_another_release),
    _red("TicketFile-release", "MinCount", "nobody asked whose tickets they are", (FILE, "release", "stale"),
         with_tickets, edit=without("TicketFile", "releaseHolds")),
    _red("TicketFile-read", "MaxCount", "an import left something out", (FILE, "read", "unread"), _left_out,
         severity="info"),
    _red("DecisionTicket-listed", "MinCount", "no source knows the ticket", (DECISION, "ticket", "missing"), _unlisted),
    _red("DecisionTicket-listed", "MinCount", "no source knows the ticket of a known failure",
         ("beta-times-out #4666", "ticket", "missing"), _known_failure),
    _red("DecisionTicket-judged", "Class", "the ticket escaped the constraints", (DECISION, "ticket", "failed"),
         with_tickets, edit=_untyped("NamedTicket")),
    _red("NamedTicket-state", "In", "the ticket is closed", (DECISION, "state", "closed"),
         _of(4590, state="closed", state_reason="completed")),
    _red("NamedTicket-state", "In", "the ticket is closed as not planned", (DECISION, "state", "closed"),
         _of(4590, state="closed", state_reason="not_planned")),
    _red("NamedTicket-state", "In", "the ticket is closed, and folded into a row that is open", (DECISION, "state", "closed"),
         _of(4590, state="closed", state_reason="not_planned", row=True, folded=5327, checked=False)),
    _red("NamedTicket-state", "MinCount", "only a row says that there is such a ticket", (DECISION, "state", "closed"),
         _of(4590, state=..., labels=..., row=True)),
    _red("NamedTicket-milestone", "In", "the ticket is planned for another release", (DECISION, "milestone", "contradicted"),
         _of(4590, milestone="0.73.0")),
    _red("NamedTicket-milestone", "In", "the ticket is planned for a candidate", (DECISION, "milestone", "contradicted"),
         _of(4590, milestone="0.72.0-rc.1")),
    _red("NamedTicket-milestone", "In", "the milestone is no version", (DECISION, "milestone", "contradicted"),
         _of(4590, milestone="Backlog")),
    _red("NamedTicket-milestone", "MinCount", "the ticket has no milestone", (DECISION, "milestone", "contradicted"),
         _of(4590, milestone=None)),
    _red("DoneRow-proved", "MinCount", "a row is ticked, and nothing shows it", ("#4346", "evidence", "missing"),
         _of(4346, evidence=[])),
    _red("DoneRow-proved", "MinCount", "a row's ticket is closed, and nothing shows it", ("#5119", "evidence", "missing"),
         _of(5119, evidence=[])),
    _red("DoneRow-proved", "MinCount", "a row's ticket is closed as not planned, and nobody folded it",
         ("#5119", "evidence", "missing"), _of(5119, evidence=[], state_reason="not_planned")),
    _red("DoneRow-proved", "MinCount", "a row's ticket is closed as a duplicate", ("#5119", "evidence", "missing"),
         _of(5119, evidence=[], state_reason="duplicate", folded=5327)),
    _red("DoneRow-judged", "Class", "the evidence escaped the constraints", ("#4346", "evidence", "failed"),
         _of(4520, checked=False), edit=lambda graph: _escape(graph)),
    _red("FileProof-holds", "In", "the file is another by now", ("#5119", "evidence", "contradicted"),
         _evidence(5119, sha256="7" * 64)),
    _red("FileProof-holds", "In", "the file is not there", ("#5119", "evidence", "contradicted"),
         _evidence(5119, path="logs/none.txt")),
    _red("FileProof-holds", "In", "the file is another release's", ("#5119", "evidence", "contradicted"),
         _evidence(5119, path="../0.70.0/nan.txt")),
    _red("FileProof-holds", "In", "the receipt is another by now", ("#4520", "evidence", "contradicted"),
         _evidence(4520, sha256="7" * 64)),
    Falsifier("FileProof-holds", "In", "a file that is no receipt stands for one",
              (("#4520", "evidence", "contradicted"), ("#4520", "fresh", "stale")),
              _evidence(4520, path="logs/nan.txt", sha256=sha256(LOG))),
    Falsifier("FileProof-holds", "MinCount", "nobody looked at the files",
              (("#4520", "evidence", "contradicted"), ("#5119", "evidence", "contradicted")), with_tickets,
              without("FileProof", "evidenceHolds")),
    _red("ReceiptProof-fresh", "In", "the receipt is of another commit", ("#4520", "fresh", "stale"),
         _another_suite(**_OTHER)),
    _red("ReceiptProof-fresh", "MinCount", "nobody asked whether the receipt is fresh", ("#4520", "fresh", "stale"),
         with_tickets, edit=without("ReceiptProof", "fresh")),
    _red("ReceiptProof-denied", "MaxCount", "the receipt says no-go", ("#4520", "denied", "failed"),
         _another_suite(verdict="no-go")),
    _red("ReceiptProof-denied", "MaxCount", "nothing in the receipt passed", ("#4520", "denied", "failed"),
         _another_suite(rows=_SKIPPED)),
    _red("ReceiptProof-denied", "MaxCount", "the receipt is an inventory", ("#4520", "denied", "failed"), _inventory),
    _red("TestProof-recorded", "MinCount", "no suite has the test", ("#4346", "test", "missing"),
         _evidence(4346, row="Fmt")),
    _red("TestProof-recorded", "MinCount", "another suite has the test", ("#4346", "test", "missing"),
         _evidence(4346, suite="nightly")),
    _red("TestProof-once", "MaxCount", "the test stands twice", ("#4346", "test", "ambiguous"),
         _rows({"name": "fmt", "result": "pass"}, {"name": "fmt", "result": "pass"})),
    _red("TestProof-judged", "Class", "a result escaped the constraints", ("#4346", "test", "failed"), with_tickets,
         edit=_untyped("TestResult")),
    _red("TestResult-verdict", "In", "the test was skipped", ("#4346", "verdict", "failed"),
         _rows({"name": "fmt", "result": "skip"}, {"name": "clippy", "result": "pass"})),
    _red("TestResult-verdict", "In", "the test failed", ("#4346", "verdict", "failed"),
         _nightly_fmt(rows=[{"name": "fmt", "result": "fail"}])),
    _red("TestResult-verdict", "MinCount", "nobody says how the test ended", ("#4346", "verdict", "failed"), with_tickets,
         edit=without("TestResult", "verdict")),
    _red("TestResult-fresh", "In", "the test ran at another commit", ("#4346", "fresh", "stale"), _nightly_fmt(**_OTHER)),
    _red("TestResult-fresh", "MinCount", "nobody asked whether the test is fresh", ("#4346", "fresh", "stale"),
         with_tickets, edit=without("TestResult", "fresh")),
    _red("OpenTicket-priority", "In", "an open P0 on the milestone", ("#5277", "priority", "blocking"),
         _of(5277, priority="P0")),
    _red("OpenTicket-priority", "In", "only its title says P0", ("#5277", "priority", "blocking"),
         _of(5277, priority=..., title="0.71.0 P0: memory")),
    _red("OpenTicket-priority", "In", "the milestone is spelled otherwise", ("#5277", "priority", "blocking"),
         _of(5277, priority="P0", milestone="Release 0.71 (October)")),
    _red("OpenTicket-priority", "In", "the milestone is that of a candidate", ("#5277", "priority", "blocking"),
         _of(5277, priority="P0", milestone="v0.71.0-rc.2")),
    _red("OpenTicket-priority", "In", "a row is a P0, and nobody names its milestone", ("#5219", "priority", "blocking"),
         _of(5219, priority="P0")),
    _red("OpenTicket-priority", "In", "a P0 was closed only because it was folded into a row",
         ("#5219", "priority", "blocking"),
         _of(5219, priority="P0", state="closed", state_reason="not_planned", milestone="0.71.0", folded=5327)),
    _red("OpenTicket-priority", "In", "a P0 whose row is ticked is still open at the tracker",
         ("#4346", "priority", "blocking"), _of(4346, priority="P0", state="open", milestone="0.71.0")),
    _red("OverdueTicket-priority", "In", "an open P0 of an earlier release", ("#5277", "overdue", "blocking"),
         _of(5277, priority="P0", milestone="0.70.0"), severity="warning"),
]  # fmt: skip


def _escape(graph: Graph) -> None:
    """Take the class away from the evidence of one row."""
    for node in list(graph.subjects(RDF.type, URIRef(term("TicketProof")))):
        if "/4346/" in str(node):
            graph.remove((node, RDF.type, URIRef(term("TicketProof"))))
