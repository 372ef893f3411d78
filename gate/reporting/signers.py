"""Who vouches for a release, in a few words: for the text, the notes, and whoever reads no further."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.findings import plain

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gate.trust import Signature
    from gate.verdict import Verdict


def decisions(verdict: Verdict) -> str:
    """Return who signed the decisions: `signed by owner@example.org (SHA256:…)`, `unsigned`, or why not."""
    found = next((one for one in verdict.signatures if one.kind == "decisions"), None)
    if found is None:
        return "none"
    if not found.counts:
        return f"{found.to_json()['reason']}, and count as absent"
    return f"signed by {_named(found)}" if found.asked else "unsigned"


def receipts(verdict: Verdict) -> str:
    """Return how many receipts there are and who signed them: `5, all signed by 2 keys`, or `5, all unsigned`."""
    found = [one for one in verdict.signatures if one.kind == "receipt"]
    if not any(one.asked for one in found):
        return f"{len(found)}, {_all(found, 'unsigned')}"
    signed = [one for one in found if one.counts]
    keys = len({one.key for one in signed})
    by = f"signed by {keys} {'key' if keys == 1 else 'keys'}"
    if len(signed) == len(found):
        return f"{len(found)}, {_all(found, by)}"
    absent = f"{len(found) - len(signed)} without a good signature, counted as absent"
    return f"{len(found)}, {len(signed)} {by}, {absent}" if signed else f"{len(found)}, {absent}"


def keys(verdict: Verdict) -> list[tuple[str, str, list[str]]]:
    """Return each key that vouches for something: its principal, its fingerprint, the files that it vouches for."""
    found: dict[tuple[str, str], list[str]] = {}
    for one in verdict.signatures:
        if one.asked and one.counts:
            found.setdefault((one.principal or "", one.key or ""), []).append(one.file.path)
    return [(principal, key, files) for (principal, key), files in sorted(found.items())]


def _named(one: Signature) -> str:
    return f"{plain(one.principal or '')} ({one.key})"


def _all(found: Iterable[Signature], words: str) -> str:
    return words if len(list(found)) == 1 else f"all {words}"
