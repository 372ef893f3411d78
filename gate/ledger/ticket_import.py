"""Tickets from their sources into `tickets.json`: what each source says, together, and never two things at a time."""

from __future__ import annotations

import hashlib
import itertools
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gate import strict_json
from gate.errors import BadFile, CallersError, visible
from gate.files import MAX_DOCUMENT, InputFile, decode, read_input, read_parts
from gate.ledger import github_issues, master_ticket, ticket_proofs, tickets
from gate.ledger.rows import Proof

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

FORMS = ("gh", "rest", "master")
_PAGES = {30, 100}  # what gh, and a page of the REST interface, hold where nobody asks for more
_MOST_QUARRELS = 8

# The keys of an entry, in the order that they are written in.
_KEYS = (
    "number", "title", "state", "state_reason", "milestone", "labels", "assignees", "priority", "owner", "row",
    "checked", "folded", "done_when", "branch", "text", "sources", "evidence",
)  # fmt: skip
_TOGETHER = {"number", "title", "sources", "evidence"}  # where two sources don't have to say the same

Entry = dict[str, Any]


@dataclass
class Source:
    """A file that was read: its entries with their places, and what was not taken from it."""

    form: str
    path: str
    sha256: str
    entries: list[tuple[str, Entry]]
    left_out: Counter[str] = field(default_factory=Counter)

    def to_json(self, moment: str) -> dict[str, Any]:
        """Return the source as `tickets.json` has it, imported at `moment`."""
        return {
            "form": self.form, "path": self.path, "sha256": self.sha256, "imported_at": moment,
            "tickets": len({entry["number"] for _, entry in self.entries}),
            "left_out": dict(sorted(self.left_out.items())),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Place:
    """Where a release's tickets are: its version, its folder, and how that is shown."""

    version: str
    folder: Path
    shown: str

    @property
    def file(self) -> Path:
        """The file that they stand in."""
        return self.folder / tickets.FILE

    @property
    def name(self) -> str:
        """How that file is shown."""
        return f"{self.shown}/{tickets.FILE}"


def existing(place: Place) -> dict[str, Any] | None:
    """Return the document that stands in `place`, checked; None: there is none.

    Raises:
        BadFile: it is no such document, or another release's.
    """
    if place.folder.is_symlink() or place.file.is_symlink():
        raise BadFile(place.name, "", "it is a symbolic link, and could lead out of the ledger", "Put the file there.")
    if not place.file.exists():
        return None
    file = read_input(place.file, place.name)
    document = strict_json.parse_file(file)
    found = tickets.read(file, document)
    if found.version != place.version:
        wrong = f"it is of {found.version}, and stands in the folder of {place.version}"
        raise BadFile(place.name, "release.version", wrong, "Remove it, and import the tickets of this release.")
    return dict(document)


def read(path: Path, form: str | None, repository: str | None, place: Place) -> Source:
    """Read a source.

    Args:
        path: the file.
        form: one of `FORMS`; None: the file's content says it.
        repository: the address of the project's repository, where the rules name it.
        place: where the tickets go: a row's evidence is looked up there.

    Raises:
        BadFile: the form can't be told, or the file isn't in it, or names no ticket.
    """
    shown, digest, left_out = str(path), hashlib.sha256(), Counter[str]()

    def hashed() -> Iterator[bytes]:
        for part in read_parts(path, shown):
            digest.update(part)
            yield part

    parts = hashed()
    begins = next(parts, b"")
    parts = itertools.chain([begins], parts)
    if form == "master" or (form is None and not _is_json(begins)):
        text = decode(InputFile(shown, "", _whole(parts, shown)))
        form, entries = "master", _with_proofs(master_ticket.entries(text, shown, left_out), shown, place, left_out)
    else:
        form, items = _issues(strict_json.parse_items(parts, shown), form, shown)
        entries = github_issues.entries(items, form, shown, repository, left_out)  # type: ignore[arg-type]
    found = list(entries)
    if not found:
        said = "; ".join(f"{what}: {count}" for what, count in sorted(left_out.items()))
        wrong = f"it names no ticket as {form} does" + (f" (left out: {said})" if said else "")
        raise BadFile(shown, "", wrong, f"Give a file with tickets; --form says how it is read: {', '.join(FORMS)}.")
    return Source(form, shown, digest.hexdigest(), found, left_out)


def _is_json(begins: bytes) -> bool:
    """Say whether a file begins as issues do: an object, or a list that is empty or holds an object or a list."""
    stripped = begins.lstrip()
    return stripped[:1] == b"{" or (stripped[:1] == b"[" and stripped[1:].lstrip()[:1] in {b"{", b"[", b"]"})


def _whole(parts: Iterable[bytes], shown: str) -> bytes:
    content = bytearray()
    for part in parts:
        content += part
        if len(content) > MAX_DOCUMENT:
            raise BadFile(shown, "", f"it has more than {MAX_DOCUMENT:,} bytes, and is no master ticket")
    return bytes(content)


def _issues(items: Iterator[tuple[str, Any]], form: str | None, shown: str) -> tuple[str, Iterable[tuple[str, Any]]]:
    """Return the form of the issues, which the first of them shows where nobody says it, and all of them."""
    first = next(items, None)
    if first is None:
        raise BadFile(shown, "", "it is an empty list: no ticket is known from it", f"Ask for all: {github_issues.ASK}")
    place, item = first
    if isinstance(item, dict) and item.get("schema") == tickets.SCHEMA:
        raise BadFile(shown, place, "it is what an import writes, and no source", "Import what a tracker printed.")
    form = form or github_issues.recognized(item)
    if form is None:
        right = f"Say which it is: --form gh or --form rest. gh prints it with: {github_issues.ASK}"
        raise BadFile(shown, place, "it is no issue, or it can't be told whether gh or GitHub's REST wrote it", right)
    return form, itertools.chain([first], items)


def _with_proofs(
    rows: Iterable[tuple[str, Entry]], shown: str, place: Place, left_out: Counter[str]
) -> Iterator[tuple[str, Entry]]:
    """Yield the rows of a master ticket with their evidence as proofs."""
    for where, row in rows:
        proofs = []
        for words in row.pop("evidence", []):
            try:
                proof = ticket_proofs.of_words(words, place.folder, place.shown)
            except CallersError as error:
                raise BadFile(shown, where, "its evidence can't be taken", str(error)) from None
            if proof is None:
                left_out[f"{where}: evidence that names no test, receipt or file"] += 1
            else:
                proofs.append(proof)
        yield where, row | ({"evidence": ticket_proofs.together([], proofs)} if proofs else {})


# ---------------------------------------------------------------- what the sources say together


def combined(
    place: Place, before: dict[str, Any] | None, sources: list[Source], moment: str, *, afresh: bool
) -> tuple[dict[str, Any], list[int]]:
    """Return the tickets with what `sources` say added to what is known, and the tickets whose proofs were dropped.

    Args:
        place: where they go.
        before: the document that stands there; None: none does.
        sources: what was read.
        moment: when, in UTC.
        afresh: forget what earlier sources said, and keep the proofs of the tickets that are still named.

    Raises:
        CallersError: two sources contradict each other: every ticket and key is named.
    """
    known: dict[int, Entry] = {}
    listed: list[dict[str, Any]] = []
    if before is not None and not afresh:
        known = {entry["number"]: dict(entry) for entry in before["tickets"]}
        listed = list(before["sources"])
    have = {(source["form"], source["path"], source["sha256"]) for source in listed}
    quarrels: list[str] = []
    for source in sources:
        if (source.form, source.path, source.sha256) in have:
            continue  # it says what it said
        listed.append(source.to_json(moment))
        for where, entry in source.entries:
            named = f"{source.path}, {where}" if where else source.path
            quarrels += _add(known, entry | {"sources": [source.path]}, named)
    if quarrels:
        more = len(quarrels) - _MOST_QUARRELS
        said = [f"  {visible(quarrel)}" for quarrel in quarrels[:_MOST_QUARRELS]]
        said += [f"  and {more} more"] if more > 0 else []
        right = "  Correct the one that is wrong; or give those that hold now with --afresh, which forgets the others."
        wrong = f"{place.name}: the sources contradict each other; nothing is written"
        raise CallersError("\n".join([wrong, *said, right]))
    dropped = _keep_proofs(known, before) if before is not None and afresh else []
    return {
        "schema": tickets.SCHEMA,
        "release": {"version": place.version},
        "sources": sorted(listed, key=lambda source: (source["path"], source["imported_at"], source["sha256"])),
        "tickets": [_ordered(known[number]) for number in sorted(known)],
    }, dropped


def _add(known: dict[int, Entry], new: Entry, named: str) -> list[str]:
    """Add what one source says of one ticket, and return where that contradicts what is known."""
    number = new["number"]
    old = known.get(number)
    if old is None:
        known[number] = new
        return []
    same = [key for key in new if key in old and key not in _TOGETHER]
    quarrels = [
        f"#{number}, {key}: {_shown(old[key])} by {', '.join(old['sources'])}; {_shown(new[key])} by {named}"
        for key in same
        if old[key] != new[key]
    ]
    both = old | new
    # A tracker's title counts: a row may word it as it likes. Two trackers must not differ, nor must two rows.
    if "state" in old and "state" not in new and "title" in old:
        both["title"] = old["title"]
    elif ("state" in old) == ("state" in new) and old.get("title", "") != new.get("title", ""):
        quarrels.append(
            f"#{number}, title: {_shown(old.get('title'))} by {', '.join(old['sources'])}; "
            f"{_shown(new.get('title'))} by {named}"
        )
    both["sources"] = sorted({*old["sources"], *new["sources"]})
    proofs = ticket_proofs.together(old.get("evidence", []), new.get("evidence", []))
    known[number] = both | ({"evidence": proofs} if proofs else {})
    return quarrels


def _shown(value: Any) -> str:
    text = "nothing" if value is None else value if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else f"{text[:60]}…"


def _keep_proofs(known: dict[int, Entry], before: dict[str, Any]) -> list[int]:
    """Keep what was proved of tickets that are still named, and return the numbers of those that aren't."""
    proved = {entry["number"]: entry["evidence"] for entry in before["tickets"] if entry.get("evidence")}
    for number, proofs in proved.items():
        if number in known:
            known[number]["evidence"] = ticket_proofs.together(proofs, known[number].get("evidence", []))
    return sorted(set(proved) - set(known))


def _ordered(entry: Entry) -> Entry:
    return {key: entry[key] for key in _KEYS if key in entry}


def told(place: Place, document: dict[str, Any], sources: list[Source], dropped: list[int]) -> str:
    """Return what an import did, for a person: each source, and everything that was left out."""
    lines = [f"{place.name}: {len(document['tickets'])} tickets"]
    for source in sources:
        numbers = {entry["number"] for _, entry in source.entries}
        lines.append(f"  {source.path}: {len(numbers)} tickets, read as {source.form}")
        lines += [f"    left out: {what} ({count})" for what, count in sorted(source.left_out.items())]
        if source.form != "master" and len(source.entries) in _PAGES:
            lines.append(f"    {len(source.entries)} may be a page of more: {github_issues.ASK}")
    lines += [f"  dropped: what proved #{number}, which no source names any more" for number in dropped]
    return "".join(f"{visible(line)}\n" for line in lines)


def proved(place: Place, document: dict[str, Any], number: int, proof: dict[str, str], *, only: bool) -> dict[str, Any]:
    """Return the tickets with `proof` added to what shows that `number` is done; with `only`, it alone does.

    Raises:
        CallersError: no source names the ticket.
    """
    found = next((entry for entry in document["tickets"] if entry["number"] == number), None)
    if found is None:
        raise CallersError(f"#{number}: {place.name} has no such ticket\n  Import the source that names it first.")
    proofs = ticket_proofs.together([] if only else found.get("evidence", []), [proof])
    changed = _ordered(found | {"evidence": proofs})
    return document | {"tickets": [changed if entry is found else entry for entry in document["tickets"]]}


def told_proofs(place: Place, entry: Entry) -> str:
    """Return what now shows a ticket done, for a person, beside what must hold for that."""
    proofs = [str(Proof(**proof)) for proof in entry["evidence"]]
    lines = [f"{place.name}: #{entry['number']} is shown by", *(f"  {proof}" for proof in proofs)]
    lines.append(f"  done when: {entry.get('done_when', 'nobody says')}")
    lines += [] if entry.get("row") else ["  it is no row of a master ticket, so that nothing asks for this"]
    return "".join(f"{visible(line)}\n" for line in lines)
