"""What turns a decision that gives something up red. Each starts from a release that drops a verb, and says so: green."""

from __future__ import annotations

from typing import Any

from tests.falsifiers.falsifier import Falsifier, without
from tests.falsifiers.shrink import ALPHA, RETIRE, no_code, without_model
from tests.release import BEFORE, VERSION, Release, preceded

ID, GONE = "no-code", ("verb/code", "decided", "vanished")


def _replaced(old: str, new: str) -> Any:
    assert old in RETIRE

    def change(release: Release) -> None:
        no_code(release)
        release.claims = RETIRE.replace(old, new)

    return change


def _lacks(prop: str, key: str, line: str, *more: Any) -> Falsifier:
    focus = "retire[0]" if prop == "id" else ID
    return Falsifier(
        f"Retire-{prop}", "MinCount", f"no {key}", (*more, (focus, prop, "incomplete")), _replaced(line, "")
    )


def _stale(name: str, old: str, new: str) -> Falsifier:
    return Falsifier("Retire-names", "MinCount", name, (GONE, (ID, "names", "stale")), _replaced(old, new))


def _host_alone(release: Release) -> None:
    """Give up a host, where a model is gone from it and the host stays: what names more than is gone names nothing."""
    without_model(ALPHA, "gx10")(release)
    release.claims = RETIRE.replace('verb = "code"', 'host = "gx10"')


def _nothing_before(release: Release) -> None:
    release.claims = RETIRE


def _still_owed(release: Release) -> None:
    preceded(release)
    release.claims = RETIRE


def _untagged(release: Release) -> None:
    """Drop the verb where git has no tag: the rules of the release before are taken to be today's."""
    no_code(release)
    assert release.earlier is not None
    earlier, release.earlier = release.earlier, None
    for host in ("lambda", "gx10"):
        rows = release.receipt(f"{host}.json")["runs"]
        rows[:] = [row for row in rows if row["verb"] != "code"]
    release.documents |= {path: found for path, found in earlier.documents.items() if BEFORE in path}


FALSIFIERS = [
    _lacks("id", "id", f'id = "{ID}"'),
    _lacks("issue", "ticket", "issue = 4711"),
    _lacks("release", "release", f'release = "{VERSION}"', GONE),
    _lacks("why", "reason", 'why = "Nobody used it."'),
    _lacks("rulingBy", "author of the ruling", 'by = "release owner", '),
    _lacks("rulingOn", "day of the ruling", "on = 2026-10-01, "),
    _lacks("rulingWords", "words of the ruling", ', words = "0.71 drops code."'),
    _stale("it is misspelt", '"code"', '"cod"'),
    _stale("it names only a part of what is gone", 'verb = "code"', 'verb = "code"\nhost = "gx10"'),
    Falsifier("Retire-names", "MinCount", "it gives up what is still owed", ((ID, "names", "stale"),), _still_owed),
    Falsifier("Retire-names", "MinCount", "it gives up a host, and a model of it is gone",
              ((f"model/gx10/{ALPHA}", "decided", "vanished"), (ID, "names", "stale")), _host_alone),
    Falsifier("Retire-names", "MinCount", "no release is before it", ((ID, "names", "stale"),), _nothing_before),
    Falsifier("Retire-names", "MinCount", "nobody asked what it names", ((ID, "names", "stale"),), no_code,
              without("SettledRetire", "retires")),
    Falsifier("Retire-seen", "MinCount", "the rules of the release before aren't known", ((ID, "names", "stale"),),
              _untagged, severity="warning"),
]  # fmt: skip
