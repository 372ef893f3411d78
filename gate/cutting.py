"""The tag of a release that conforms: annotated, on the commit that was judged, with what the verdict said."""

from __future__ import annotations

import hashlib
import os
import subprocess
from typing import TYPE_CHECKING

from gate import git
from gate.errors import CallersError, Declined
from gate.findings import plain
from gate.reporting import document
from gate.states import DECLAIMED, FAILED, KNOWN, MISSING, PASSED
from gate.verdict import instant

if TYPE_CHECKING:
    from pathlib import Path

    from gate.verdict import Verdict


def commit_to_judge(folder: Path) -> str:
    """Return the commit that a tag would be put on where nothing else names one: the current one.

    Raises:
        Declined: there is no repository, or it has no commit.
    """
    commit = git.head(folder)
    if commit is None:
        raise Declined(f"{folder}: there is no commit here that a tag could be put on")
    return commit


def refuse_uncommitted(folder: Path, verdict: Verdict) -> None:
    """Refuse a tag for what git doesn't hold: what was judged must be what others can judge again.

    Args:
        folder: the rules' folder, which the inputs are relative to.
        verdict: it names everything that it rests on.

    Raises:
        CallersError: an input isn't committed as it was judged.
        Declined: git fails.
    """
    own = [path for path in verdict.read if not path.startswith("taggate/")]
    changed = git.differing(folder, verdict.commit, own)
    if changed:
        more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
        raise CallersError(
            f"{plain(changed[0])}{more}: judged, and not what commit {verdict.commit[:12]} holds\n"
            "  Those who get the tag judge what it holds. Commit the rules, the decisions and the receipts, and tag\n"
            "  that commit: with freshness.ignore in the rules, receipts of the commit before stand."
        )


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
