"""The tickets of a release: what its decisions name, what its master tickets list, what it waits for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from gate import versions
from gate.iris import term
from gate.obligations import proof
from gate.obligations.node import About, Node, known

if TYPE_CHECKING:
    from collections.abc import Iterator

    from semver import Version

    from gate.iris import Iri
    from gate.ledger.rows import Ticket, Tickets
    from gate.obligations.ground import Ground

TARGETS = (
    "TicketList", "TicketFile", "DecisionTicket", "NamedTicket", "PlannedTicket", "DoneRow", "FileProof",
    "ReceiptProof", "TestProof", "TestResult", "OpenTicket", "OverdueTicket",
)  # fmt: skip
REQUIRED = False  # only where tickets were imported, or the rules ask for them

# What may be a version in the name of a milestone: `0.71.0`, `0.71`, `0.71.0-rc.1`, `Release 0.71.0 (October)`.
_VERSION = re.compile(r"\d+\.\d+(?:\.\d+(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?)?")


def nodes(ground: Ground) -> Iterator[Node]:
    """Yield the file, the tickets of decisions, the rows of master tickets, and what is open on the milestone.

    A ticket that none of these names owes nothing. It is counted.
    """
    if not ground.tickets_asked:
        return
    tickets = ground.ledger.tickets
    own = ground.iri("tickets")
    edge = known(ticketFile=ground.iri("tickets", "file") if tickets is not None else None)
    yield Node(own, ("TicketList",), "tickets", edge, About(receipt=tickets.file.path if tickets else None))
    if tickets is None:
        return
    yield _file(ground, tickets, own)
    by_number = {ticket.number: ticket for ticket in tickets.tickets}
    for named in _decisions(ground):
        yield from _decision(ground, tickets, named, by_number.get(named.issue))
    tests = proof.tests_of(ground.ledger)
    judged = versions.parse(ground.subject.version).finalize_version()
    for ticket in tickets.tickets:
        kinds = _kinds(ground, ticket, judged)
        if kinds:
            yield _ticket(ground, tickets, ticket, kinds)
        if "DoneRow" in kinds:
            yield from proof.nodes(ground, ticket, _iri(ground, ticket), tests)


def _iri(ground: Ground, ticket: Ticket) -> Iri:
    return ground.iri("ticket", str(ticket.number))


def _file(ground: Ground, tickets: Tickets, owner: Iri) -> Node:
    return Node(
        ground.iri("tickets", "file"), ("TicketFile",), tickets.file.path,
        known(
            path=tickets.file.path, sha256=tickets.file.sha256, version=tickets.version,
            ownVersion=ground.subject.version, releaseHolds=tickets.version == ground.subject.version,
            importedAt=tickets.imported_at.isoformat().replace("+00:00", "Z"), ticketsListed=len(tickets.tickets),
        )
        + tuple(("leftOut", f"{what}: {count}") for what, count in sorted(tickets.left_out.items())),
        About(receipt=tickets.file.path), owner,
    )  # fmt: skip


# ---------------------------------------------------------------- decisions


class _Named(NamedTuple):
    """A decision that names a ticket: where it stands, what it is called, and the release that ends it.

    `planned` says whether the ticket must be planned for that release: a scope is of one release, and ends with it.
    """

    place: tuple[str, str]
    label: str
    issue: int
    until: str | None
    planned: bool = True


def _decisions(ground: Ground) -> Iterator[_Named]:
    """Yield each decision that applies to this release and names a ticket.

    One that has ended opens no door any more, and one that begins later doesn't yet. One without a ticket is red by
    itself.
    """
    for coverage in ground.coverage:
        declaim = coverage.declaim
        if coverage.in_force and declaim.issue is not None:
            yield _Named(("declaim", str(coverage.index)), coverage.label, declaim.issue, declaim.until)
    for known_failure in ground.known_failures:
        failure = known_failure.failure
        if known_failure.begun and not known_failure.ended and failure.issue is not None:
            place = ("known-failure", str(known_failure.index))
            yield _Named(place, known_failure.label, failure.issue, failure.until)
    for index, scope in ground.scopes:
        if scope.issue is not None:
            yield _Named(("scope", str(index)), scope.name, scope.issue, None, planned=False)


def _decision(ground: Ground, tickets: Tickets, named: _Named, ticket: Ticket | None) -> Iterator[Node]:
    iri = ground.iri("decision-ticket", *named.place)
    own = ground.iri("decision-ticket", *named.place, "ticket") if ticket is not None else None
    focus, about = f"{named.label} #{named.issue}", About(issue=named.issue, receipt=tickets.file.path)
    yield Node(iri, ("DecisionTicket",), focus, known(decision=named.label, issue=named.issue, ticket=own), about)
    if ticket is None or own is None:
        return
    kinds = ("NamedTicket", "PlannedTicket") if named.planned else ("NamedTicket",)
    facts = known(decision=named.label, until=named.until, milestoneHolds=_restores(ground, ticket, named.until))
    yield Node(own, kinds, focus, _facts(ticket) + facts, about, iri)


def _restores(ground: Ground, ticket: Ticket, until: str | None) -> bool | None:
    """Say whether a ticket's milestone is the release that ends the decision; None where either is not known."""
    if until is None or ticket.milestone is None:
        return None
    planned = _release_of(ticket.milestone, ground.rules.document.project.tag)
    return planned is not None and planned == versions.parse(until)


def _release_of(milestone: str, tag: str) -> Version | None:
    """Return the version that a milestone is called by, bare, with a `v` or as the project's tags; None: it is none."""
    for pattern in (tag, f"v{versions.TAG_FIELD}"):
        try:
            return versions.parse(versions.version_of_tag(milestone.strip(), pattern))
        except ValueError:
            continue
    return None


# ---------------------------------------------------------------- rows and open tickets


def _kinds(ground: Ground, ticket: Ticket, judged: Version) -> tuple[str, ...]:
    """Return the classes of a ticket; none: it owes nothing."""
    kinds = ["MasterRow"] if ticket.row else []
    if ticket.row and ticket.said_done:
        kinds.append("DoneRow")
    if ticket.open and _may_be_of(ticket, judged):
        kinds.append("OpenTicket")
    elif ticket.open and ticket.milestone is not None:
        planned = _release_of(ticket.milestone, ground.rules.document.project.tag)
        if planned is not None and planned.finalize_version() < judged:
            kinds.append("OverdueTicket")
    return ("Ticket", *kinds) if kinds else ()


def _may_be_of(ticket: Ticket, judged: Version) -> bool:
    """Say whether a ticket is planned for the release, however its milestone spells it; or nobody says for which.

    A candidate's milestone is its release's: what blocks the one blocks the other.
    """
    if ticket.milestone is None:
        return not ticket.tracked  # a tracker that was asked says that it has no milestone
    for found in _VERSION.findall(ticket.milestone):
        try:
            planned = versions.parse(found if found.count(".") > 1 else f"{found}.0")
        except ValueError:
            continue
        if planned.finalize_version() == judged:
            return True
    return False


def _ticket(ground: Ground, tickets: Tickets, ticket: Ticket, kinds: tuple[str, ...]) -> Node:
    proofs = tuple(("proof", proof.proof_iri(ground, ticket, index)) for index in range(len(ticket.evidence)))
    evidence = tuple(("evidence", str(found)) for found in ticket.evidence)
    about = About(issue=ticket.number, receipt=tickets.file.path)
    facts = _facts(ticket) + known(branch=ticket.branch) + evidence + (proofs if "DoneRow" in kinds else ())
    return Node(_iri(ground, ticket), kinds, f"#{ticket.number}", facts, about)


def _facts(ticket: Ticket) -> tuple[tuple[str, Iri | bool | int | float | str], ...]:
    owner = ticket.owner or ", ".join(ticket.assignees) or None
    return known(
        issue=ticket.number, title=ticket.title or None, state=term(ticket.state) if ticket.state else None,
        stateReason=ticket.state_reason, ticked=ticket.checked, milestone=ticket.milestone,
        priority=term(ticket.priority) if ticket.priority else None, assignedTo=owner, doneWhen=ticket.done_when,
        foldedInto=f"#{ticket.folded}" if ticket.folded and ticket.folded is not True else None,
    )  # fmt: skip
