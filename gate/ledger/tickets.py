"""The tickets of a release, `taggate/tickets/v1`: `tickets.json` in the release's folder, which `gate tickets` writes.

An entry has the keys that a source said something of, and no others: `"milestone": null` is a tracker's word that there
is none, an absent `milestone` is nobody's word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from gate.decisions import Issue
from gate.ledger import priority
from gate.ledger.instants import Instant
from gate.ledger.priority import Priority
from gate.ledger.rows import Proof, Ticket, Tickets
from gate.malformed import Table, checked
from gate.rules import Sha256, Text
from gate.versions import VersionText

if TYPE_CHECKING:
    from gate.files import InputFile

SCHEMA = "taggate/tickets/v1"
FILE = "tickets.json"

Said = Annotated[str, StringConstraints(strict=True, min_length=1)]  # a stranger's words, whatever is in them
Count = Annotated[int, Field(gt=0, le=2**53)]


class ProofBlock(Table):
    """What is said to show that a ticket is done."""

    kind: Literal["test", "receipt", "not-reproduced"]
    path: Text | None = None
    sha256: Sha256 | None = None
    suite: Text | None = None
    row: Text | None = None

    @model_validator(mode="after")
    def _says_what_it_needs(self) -> Self:
        wanted = ("suite", "row") if self.kind == "test" else ("path", "sha256")
        for name in ("path", "sha256", "suite", "row"):
            if (getattr(self, name) is not None) != (name in wanted):
                raise ValueError(f"is of the kind {self.kind}, which has {' and '.join(wanted)} and nothing else")
        return self


class TicketBlock(Table):
    """One ticket: what its sources say of it, and what was said to show that it is done."""

    number: Issue
    title: Said | None = None
    state: Literal["open", "closed"] | None = None
    state_reason: Said | None = None
    milestone: Said | None = None
    labels: list[Said] = []
    assignees: list[Said] = []
    priority: Priority | None = None
    owner: Said | None = None
    row: Literal[True] | None = None
    checked: bool | None = None
    folded: Issue | bool | None = None
    done_when: Said | None = None
    branch: Said | None = None
    text: Said | None = None
    sources: Annotated[list[Text], Field(min_length=1)]
    evidence: list[ProofBlock] = []


class SourceBlock(Table):
    """A file that tickets were imported from: how many, and what was not taken from it."""

    form: Literal["gh", "rest", "master"]
    path: Text
    sha256: Sha256
    imported_at: Instant
    tickets: Count
    left_out: dict[Said, Count] = {}


class ReleaseBlock(Table):
    """The release whose tickets these are."""

    version: VersionText


class TicketsDocument(Table):
    """`taggate/tickets/v1`: the tickets of one release."""

    schema_: Literal["taggate/tickets/v1"] = Field(alias="schema")
    release: ReleaseBlock
    sources: Annotated[list[SourceBlock], Field(min_length=1)]
    tickets: list[TicketBlock]

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        numbers: set[int] = set()
        for ticket in self.tickets:
            if ticket.number in numbers:
                raise ValueError(f"the ticket #{ticket.number} stands twice")
            numbers.add(ticket.number)
        return self


def read(file: InputFile, document: Any) -> Tickets:
    """Return the tickets in `file`.

    Args:
        file: the file, for messages and digests.
        document: the JSON document that it holds.

    Raises:
        BadFile: it is no such document; the message names each place.
    """
    found = checked(TicketsDocument, document, file.path)
    left_out: dict[str, int] = {}
    for source in found.sources:
        for what, count in source.left_out.items():
            name = f"{source.path}: {what}"
            left_out[name] = left_out.get(name, 0) + count
    return Tickets(
        file=file,
        version=found.release.version,
        imported_at=max(source.imported_at for source in found.sources),
        tickets=tuple(sorted(map(_ticket, found.tickets), key=lambda ticket: ticket.number)),
        left_out=left_out,
    )


def _ticket(block: TicketBlock) -> Ticket:
    return Ticket(
        number=block.number, title=block.title or "", state=block.state, state_reason=block.state_reason,
        milestone=block.milestone, labels=tuple(block.labels), assignees=tuple(block.assignees),
        priority=block.priority or priority.of_title(block.title or ""), owner=block.owner, row=bool(block.row),
        checked=block.checked, folded=block.folded, done_when=block.done_when, branch=block.branch, text=block.text,
        evidence=tuple(Proof(p.kind, p.path, p.sha256, p.suite, p.row) for p in block.evidence),
        sources=tuple(block.sources),
    )  # fmt: skip
