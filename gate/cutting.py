"""The tag of a release that conforms: annotated, on the commit that was judged, with what the verdict said."""

from __future__ import annotations

import hashlib
import os
import subprocess
from typing import TYPE_CHECKING

from gate.errors import CallersError, Declined
from gate.findings import plain
from gate.reporting import document
from gate.states import DECLAIMED, FAILED, KNOWN, MISSING, PASSED
from gate.verdict import instant

if TYPE_CHECKING:
    from pathlib import Path

    from gate.verdict import Verdict


def message(verdict: Verdict) -> str:
    """Return the message of the tag: what was judged, how many of each, and the digest of the verdict as JSON."""
    states = verdict.states
    failed = states[FAILED] + states[KNOWN]
    owed = states[PASSED] + states[MISSING] + failed
    digest = hashlib.sha256(document.render(verdict).encode("utf-8")).hexdigest()
    known = f" ({states[KNOWN]} known)" if states[KNOWN] else ""
    lines = [
        f"{verdict.project} {verdict.version}",
        "",
        (
            f"{owed} {'cell' if owed == 1 else 'cells'} owed: {states[PASSED]} passed, {states[MISSING]} missing, "
            f"{failed} failed{known}; {states[DECLAIMED]} de-claimed. Receipts: {verdict.receipts}."
        ),
    ]
    if verdict.scope is not None:
        lines.append(f"Under the scope {verdict.scope.name}: {plain(verdict.scope.ruling.words or '')}")
    lines += [
        f"Withdrawn: {one.told.id}" + (f" (#{one.told.issue})" if one.told.issue else "") for one in verdict.declaimed
    ]
    lines += [
        "",
        f"Gate-Verdict: {'conforms' if verdict.conforms else 'refused'}",
        f"Gate-Verdict-SHA256: {digest}",
        f"Gate-Commit: {verdict.commit}",
        f"Gate-Evaluated-At: {instant(verdict.evaluated_at)}",
        "",
    ]
    return "\n".join(lines)


def cut(folder: Path, verdict: Verdict) -> None:
    """Create the annotated tag of a verdict that conforms; git signs it where it is set up to (`tag.gpgSign`).

    Raises:
        CallersError: git refuses: the tag exists by now, nobody says who the tagger is, the key can't sign.
        Declined: the verdict doesn't conform: a refused release gets no tag, whoever asks.
    """
    if not verdict.conforms:
        raise Declined(f"{verdict.tag} is refused, and gets no tag")
    done = subprocess.run(  # noqa: S603 - a fixed program, arguments never through a shell
        ["git", "-C", str(folder), "tag", "--annotate", "--cleanup=verbatim", "--file=-", verdict.tag, verdict.commit],  # noqa: S607
        input=message(verdict), capture_output=True, text=True, check=False, env=os.environ | {"LC_ALL": "C"},
    )  # fmt: skip
    if done.returncode:
        raise CallersError(f"{verdict.tag} conforms, and git can't tag it:\n  {plain(done.stderr)}")
