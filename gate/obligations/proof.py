"""What is said to show that a row of a master ticket is done, held against the ledger. `ticket.ttl` says what holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate import ledger
from gate.iris import term
from gate.ledger import ticket_proofs
from gate.obligations.node import About, Node, known

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.iris import Iri
    from gate.ledger.rows import Ledger, Proof, Receipt, SuiteRow, Ticket
    from gate.obligations.ground import Ground

Tests = dict[tuple[str, str], list[tuple["Receipt", "SuiteRow"]]]


def tests_of(found: Ledger) -> Tests:
    """Return every row that a suite recorded, by suite and name."""
    tests: Tests = {}
    for receipt in found.receipts:
        for row in receipt.suite.rows if receipt.suite else ():
            tests.setdefault((receipt.suite.suite, row.name), []).append((receipt, row))  # type: ignore[union-attr]
    return tests


def nodes(ground: Ground, ticket: Ticket, owner: Iri, tests: Tests) -> Iterator[Node]:
    """Yield each proof of a ticket, in order, and the results behind a test.

    Args:
        ground: what is judged.
        ticket: the ticket.
        owner: the IRI of its row, which the proofs are judged under.
        tests: every row of every suite, as `tests_of` finds them.
    """
    for index, proof in enumerate(ticket.evidence):
        iri = proof_iri(ground, ticket, index)
        said = known(evidence=str(proof), doneWhen=ticket.done_when)
        about = About(issue=ticket.number, receipt=ground.ledger.tickets.file.path if ground.ledger.tickets else None)
        if proof.kind == ticket_proofs.TEST:
            results = tests.get((str(proof.suite), str(proof.row)), [])
            iris = [ground.iri("ticket", str(ticket.number), "proof", str(index), str(i)) for i in range(len(results))]
            facts = said + tuple(("receipt", result) for result in iris)
            yield Node(iri, ("TicketProof", "TestProof"), _label(ticket), facts, about, owner)
            for result, (receipt, row) in zip(iris, results, strict=True):
                yield _result(ground, ticket, owner, result, receipt, row, said)
        else:
            yield _file(ground, ticket, owner, iri, proof, said)


def proof_iri(ground: Ground, ticket: Ticket, index: int) -> Iri:
    """Return the IRI of a ticket's proof, by its place among them."""
    return ground.iri("ticket", str(ticket.number), "proof", str(index))


def _label(ticket: Ticket) -> str:
    return f"#{ticket.number}"


def _result(
    ground: Ground, ticket: Ticket, owner: Iri, iri: Iri, receipt: Receipt, row: SuiteRow,
    said: tuple[tuple[str, Iri | bool | int | float | str], ...],
) -> Node:  # fmt: skip
    facts = known(
        verdict=term(row.result), note=row.note or None, fresh=ground.fresh(receipt), version=receipt.binding.version,
        commit=receipt.binding.commit,
    )  # fmt: skip
    about = About(issue=ticket.number, receipt=receipt.file.path)
    return Node(iri, ("TestResult",), _label(ticket), said + facts, about, owner)


def _file(
    ground: Ground, ticket: Ticket, owner: Iri, iri: Iri, proof: Proof,
    said: tuple[tuple[str, Iri | bool | int | float | str], ...],
) -> Node:  # fmt: skip
    path = ledger.proof_path(ground.ledger.folder, str(proof.path))
    receipt = next((r for r in ground.ledger.receipts if r.file.path == path), None)
    facts = known(evidenceHolds=ground.ledger.evidence.get(path) == proof.sha256, path=path, sha256=proof.sha256)
    kinds: tuple[str, ...] = ("TicketProof", "FileProof")
    if proof.kind == ticket_proofs.RECEIPT:
        kinds = (*kinds, "ReceiptProof")
        facts = known(evidenceHolds=receipt is not None and receipt.file.sha256 == proof.sha256, path=path)
        if receipt is not None:
            binding = receipt.binding
            facts += known(fresh=ground.fresh(receipt), version=binding.version, commit=binding.commit)
            facts += tuple(("deniedBy", why) for why in denials(receipt))
    return Node(iri, kinds, _label(ticket), said + facts, About(issue=ticket.number, receipt=path), owner)


def denials(receipt: Receipt) -> list[str]:
    """Return what a receipt says of itself that keeps it from showing anything done."""
    found = [receipt.superseded] if receipt.superseded else []
    if receipt.suite is not None and receipt.suite.verdict == "no-go":
        found.append("its suite says no-go")
    verdicts = [row.verdict for rows in (receipt.runs, receipt.kernels, receipt.conformance) for row in rows]
    verdicts += [row.verdict for row in receipt.tokenizers if row.verdict is not None]
    verdicts += [row.result for row in receipt.suite.rows] if receipt.suite else []
    if verdicts and "pass" not in verdicts:
        found.append(f"none of its {len(verdicts)} rows passed")
    measured = (receipt.tokenizers, receipt.parities, receipt.performances)
    goes = receipt.suite is not None and receipt.suite.verdict is not None
    if not verdicts and not any(measured) and not goes:
        found.append("it measured nothing")
    return found
