"""The ledger: every receipt of one release, read into typed rows by the reader that its `schema` names.

A file that can't be understood is refused by name, so that no receipt is ever half read or silently passed over.
"""

from __future__ import annotations

import importlib
import posixpath
from collections import Counter
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Protocol, cast

from gate import strict_json
from gate.errors import BadFile, Declined
from gate.files import MAX_DOCUMENT, InputFile, digest, read_input, read_signature, read_through, walk
from gate.ledger import tickets as tickets_file
from gate.ledger.rows import Evidence, Ledger, Receipt, Tickets
from gate.names import likeness, look_alikes, phrase_likeness
from gate.rules import PERFORMANCE_TERMS
from gate.ssh_keygen import SUFFIX
from gate.subject import RELEASE_FILE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gate.rules import Rules
    from gate.subject import Subject

# The reader of each schema: a module of this package, imported when a receipt of its schema is read.
READERS = {
    "taggate/run-receipt/v1": "native",
    "taggate/inventory-receipt/v1": "native",
    "taggate/suite-receipt/v1": "native",
    "taggate/kernel-receipt/v1": "native_kernels",
    "taggate/conformance-receipt/v1": "native_kernels",
    "apr-kernel-receipt/v1": "apr_kernel",
    "apr-kernel-diff-receipt/v1": "apr_kernel_diff",
    "gpu-shape-conformance/v1": "gpu_shape_conformance",
    "taggate/tokenizer-receipt/v1": "native_parity",
    "taggate/parity-receipt/v1": "native_parity",
    "taggate/performance-receipt/v1": "native_parity",
    "apr-tokenizer-parity-receipt/v1": "apr_tokenizer_parity",
    "crux-inference-receipt/v1": "crux_inference",
    "apr-model-ladder-receipt/v1": "apr_model_ladder",
    "apr-model-ladder-receipt/v2": "apr_model_ladder",
}
SCHEMAS = tuple(READERS)
_BEGIN = "  Begin with what a host holds: gate inventory scan --help."


class Reader(Protocol):
    """A module that reads the receipts of some schemas."""

    def read(self, file: InputFile, schema: str, document: Any, lines: Iterable[tuple[int, Any]] | None) -> Receipt:
        """Return the receipt in `file`; see `read_receipt`."""


class UnknownHost(BadFile):
    """A receipt of a host that no rule knows. `host` is what it calls itself."""

    def __init__(self, host: str, path: str, wrong: str, right: str) -> None:
        super().__init__(path, "host", wrong, right)
        self.host = host


def read(rules: Rules, subject: Subject, *, evidence: bool = True) -> Ledger:
    """Read `receipts/<version>/**`.

    Args:
        rules: they say where, and which hosts there are.
        subject: the release.
        evidence: whether the files that rows name as their evidence are read too, to know their digests.

    Raises:
        Declined: the folder is missing or holds no receipt.
        BadFile: a file can't be understood, leaves the ledger, names an unknown host, or two names look alike.
    """
    folder, shown = rules.ledger_of(subject.version)
    try:
        there = folder.exists()
    except (OSError, ValueError) as error:
        raise BadFile(shown, "", f"it can't be a folder: {error}") from None
    if folder.is_symlink():
        raise BadFile(
            shown, "", "it is a symbolic link, and could lead out of the ledger", "Put the folder itself there."
        )
    if not there:
        raise Declined(f"{shown}: there is no such folder, so that nothing was measured for {subject.tag}\n{_BEGIN}")
    if not folder.is_dir():
        raise BadFile(shown, "", "it is a file", "The receipts of a release are a folder.")
    receipts: list[Receipt] = []
    others: dict[str, Path] = {}
    tickets: Tickets | None = None
    for path, name in walk(folder, shown):
        if path.suffix.lower() in {".json", ".jsonl", ".ndjson"}:
            found = _read(path, name, shown, rules)
            if isinstance(found, Tickets):
                tickets = found
            else:
                receipts.append(found)
        elif name != f"{shown}/{RELEASE_FILE}":
            if likeness(path.name) == RELEASE_FILE:
                raise BadFile(name, "", f"only {shown}/{RELEASE_FILE} says what the release is", "Rename this file.")
            others[name] = path
    if not receipts:
        raise Declined(f"{shown}: it holds no receipt, so that nothing was measured for {subject.tag}\n{_BEGIN}")
    _refuse_look_alikes(receipts, rules)
    digests = _evidence(shown, receipts, tickets, others) if evidence else {}
    trust = rules.document.trust
    signed = [*(receipt.file.path for receipt in receipts), *([tickets.file.path] if tickets is not None else [])]
    signatures = {} if trust is None or trust.receipts is None else _signatures(shown, signed, others, subject)
    unread = tuple(name for name in others if name not in digests and name not in signatures)
    return Ledger(shown, tuple(receipts), unread, digests, tickets, signatures)


def _read(path: Path, shown: str, folder: str, rules: Rules) -> Receipt | Tickets:
    """Return the receipt in a file, or the release's tickets, which are no receipt: they measure nothing.

    What was read is not held: at a million rows that would be as much as all that is made of it.
    """
    if path.suffix.lower() == ".json":
        file = read_input(path, shown, limit=MAX_DOCUMENT)
        document, lines = strict_json.parse_file(file), None
        file = file.let_go(path)
    else:
        file = read_through(path, shown)
        parsed = strict_json.parse_lines(file)
        (_, document), lines = next(parsed), parsed
    if isinstance(document, dict) and document.get("schema") == tickets_file.SCHEMA:
        if shown != f"{folder}/{tickets_file.FILE}":
            right = "Two files could say two things. Bring their sources together: gate tickets import."
            raise BadFile(shown, "", f"only {folder}/{tickets_file.FILE} holds the tickets of a release", right)
        return tickets_file.read(file, document)
    receipt = read_receipt(file, document, lines)
    if receipt.host is not None and rules.host_named(receipt.host) is None:
        known = ", ".join("/".join((h.id, *h.aliases)) for h in rules.document.hosts)
        raise UnknownHost(
            receipt.host, shown, f"no rule knows the host {receipt.host!r}",
            f"{rules.file.path} knows {known}. Add the name to a host's aliases, or a host (required = false: it owes "
            "nothing).",
        )  # fmt: skip
    _refuse_twice(receipt)
    return receipt


def _refuse_twice(receipt: Receipt) -> None:
    files = [held.file for held in receipt.inventory.held] if receipt.inventory else []
    for file, count in Counter(files).items():
        if count > 1:
            raise BadFile(receipt.file.path, "", f"its inventory lists {file!r} {count} times", "List each file once.")


def read_receipt(file: InputFile, document: Any, lines: Iterable[tuple[int, Any]] | None = None) -> Receipt:
    """Return the receipt that `document` is, by the reader that its `schema` names.

    Args:
        file: the file, for messages and digests.
        document: the JSON object, or the first line of JSON Lines.
        lines: the lines after the first with their numbers; None for one JSON object.

    Raises:
        BadFile: the document is no object, has no schema or an unknown one, or isn't what its schema says.
    """
    place = "" if lines is None else "line 1, "
    if not isinstance(document, dict):
        raise BadFile(file.path, place.rstrip(", "), "it is not a JSON object", "A receipt is one, with a `schema`.")
    schema = document.get("schema")
    if not isinstance(schema, str) or schema not in SCHEMAS:
        wrong = "there is no schema" if schema is None else f"{str(schema)[:80]!r} is no schema that the gate reads"
        right = (
            f"Known: {', '.join(SCHEMAS)}. `gate ingest` brings in results without one; evidence that is JSON needs a "
            "name that doesn't end in .json."
        )
        raise BadFile(file.path, f"{place}schema", wrong, right)
    reader = cast("Reader", importlib.import_module(f"gate.ledger.{READERS[schema]}"))
    return reader.read(file, schema, document, lines)


def _refuse_look_alikes(receipts: list[Receipt], rules: Rules) -> None:
    """Refuse two model files or two receipts whose names a reader would take for one."""
    models: dict[str, str] = {}
    for receipt in receipts:
        named = (receipt.runs, receipt.tokenizers, receipt.parities, receipt.performances)
        names = [row.file for rows in named for row in rows]
        names += [held.file for held in receipt.inventory.held] if receipt.inventory else []
        for name in names:
            models.setdefault(name, receipt.file.path)
    for first, second in look_alikes(models):
        raise BadFile(
            models[second], "", f"the model {second!r} differs from {first!r} only by case or Unicode form",
            f"{first!r} stands in {models[first]}. Call one file by one name.",
        )  # fmt: skip
    suites = {receipt.suite.suite: receipt.file.path for receipt in receipts if receipt.suite is not None}
    for first, second in look_alikes([*suites, *rules.document.require.suites]):
        where = suites.get(second) or suites.get(first) or rules.file.path
        raise BadFile(where, "suite", f"the suite {second!r} differs from {first!r} only by case or Unicode form")
    for first, second in look_alikes(receipt.file.path for receipt in receipts):
        raise BadFile(second, "", f"its name differs from {first!r} only by case or Unicode form")
    _refuse_alike_terms(receipts, rules)


def _refuse_alike_terms(receipts: list[Receipt], rules: Rules) -> None:
    """Refuse two measurements of speed, or one and a claim, whose terms a reader would take for the same."""
    for key in PERFORMANCE_TERMS:
        found: dict[str, tuple[str, str]] = {}
        for receipt in receipts:
            for row in receipt.performances:
                term = getattr(row, key)
                if term is not None:
                    found.setdefault(term, (receipt.file.path, row.place))
        for pair in look_alikes([*found, *rules.document.claims.terms(key)], phrase_likeness):
            second, first = sorted(pair, key=lambda term: term not in found)  # what is refused stands in a receipt
            other = ", ".join(found[first]) if first in found else rules.file.path
            raise BadFile(
                *found[second], f"the {key} {second!r} differs from {first!r} only by blanks, case or Unicode form",
                f"{first!r} stands in {other}. Call one {key} by one name.",
            )  # fmt: skip


def _signatures(shown: str, read: Iterable[str], others: dict[str, Path], subject: Subject) -> dict[str, InputFile]:
    """Read the signatures of what was read and of release.toml, and those whose file isn't there: they are named."""
    signed = {*read, *([f"{shown}/{RELEASE_FILE}"] if subject.file is not None else [])}
    found = {}
    for name, path in others.items():
        file = name.removesuffix(SUFFIX)
        if file != name and (file in signed or file not in others):
            found[name] = read_signature(path, name)
    return found


def evidence_path(receipt: Receipt, evidence: Evidence) -> str:
    """Return the shown path of a row's evidence, which is given relative to its receipt's folder."""
    return posixpath.normpath(PurePosixPath(receipt.file.path).parent / evidence.path)


def proof_path(folder: str, path: str) -> str:
    """Return the shown path of a file that shows a ticket done, which is given relative to the release's folder."""
    return posixpath.normpath(PurePosixPath(folder) / path)


def _evidence(
    folder: str, receipts: list[Receipt], tickets: Tickets | None, others: dict[str, Path]
) -> dict[str, str | None]:
    """Return the sha256 of every file that a row or a ticket names as its evidence; None: the ledger has none such."""
    known = {receipt.file.path: receipt.file.sha256 for receipt in receipts}
    named = [evidence_path(r, row.evidence) for r in receipts for row in r.runs if row.evidence is not None]
    proofs = [proof for ticket in tickets.tickets for proof in ticket.evidence] if tickets else []
    named += [proof_path(folder, proof.path) for proof in proofs if proof.path is not None]
    return {
        shown: known.get(shown) or (digest(others[shown], shown) if shown in others else None)
        for shown in dict.fromkeys(named)
    }
