"""The tickets of a release: what its decisions name, what its master tickets list, what it waits for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

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
    "TicketList", "TicketFile", "DecisionTicket", "NamedTicket", "DoneRow", "FileProof", "ReceiptProof", "TestProof",
    "TestResult", "OpenTicket", "OverdueTicket",
)  # fmt: skip
REQUIRED = False  # only where tickets were imported, or the rules ask for them

# What may be a version in the name of a milestone: `0.71.0`, `0.71`, `0.71.0-rc.1`, `Release 0.71.0 (October)`.
_VERSION = re.compile(r"\d+\.\d+(?:\.\d+(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?)?")


def nodes(ground: Ground) -> Iterator[Node]:
    """Yield the file, the tickets of decisions, the rows of master tickets, and what is open on the milestone.

    A ticket that none of these names owes nothing. It is counted.
    """
    tickets = ground.ledger.tickets
    if tickets is None and not ground.rules.document.require.tickets:
        return
    own = ground.iri("tickets")
    edge = known(ticketFile=ground.iri("tickets", "file") if tickets is not None else None)
    yield Node(own, ("TicketList",), "tickets", edge, About(receipt=tickets.file.path if tickets else None))
    if tickets is None:
        return
    yield _file(ground, tickets, own)
    by_number = {ticket.number: ticket for ticket in tickets.tickets}
    for place, label, issue, until in _decisions(ground):
        yield from _decision(ground, tickets, place, label, by_number.get(issue), issue, until)
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


def _decisions(ground: Ground) -> Iterator[tuple[tuple[str, str], str, int, str | None]]:
    """Yield the place, label, ticket and end of each decision that applies to this release and names a ticket.

    One that has ended opens no door any more, and one that begins later doesn't yet. One without a ticket is red by
    itself.
    """
    for coverage in ground.coverage:
        declaim = coverage.declaim
        if coverage.in_force and declaim.issue is not None:
            yield ("declaim", str(coverage.index)), coverage.label, declaim.issue, declaim.until
    version = versions.parse(ground.subject.version)
    for index, failure in enumerate(ground.decisions.document.known_failure):
        ended = failure.until is not None and version >= versions.parse(failure.until)
        if failure.issue is not None and not ended:
            label = failure.id or f"known_failure[{index}]"
            yield ("known-failure", str(index)), label, failure.issue, failure.until


def _decision(
    ground: Ground, tickets: Tickets, place: tuple[str, str], label: str, ticket: Ticket | None, issue: int,
    until: str | None,
) -> Iterator[Node]:  # fmt: skip
    iri = ground.iri("decision-ticket", *place)
    named = ground.iri("decision-ticket", *place, "ticket") if ticket is not None else None
    focus, about = f"{label} #{issue}", About(issue=issue, receipt=tickets.file.path)
    yield Node(iri, ("DecisionTicket",), focus, known(decision=label, issue=issue, ticket=named), about)
    if ticket is None or named is None:
        return
    facts = known(decision=label, until=until, milestoneHolds=_restores(ground, ticket, until))
    yield Node(named, ("NamedTicket",), focus, _facts(ticket) + facts, about, iri)


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
