"""The verdict as GitHub's workflow commands: the answer, then an annotation a cause and place.

GitHub shows at most ten annotations of a level a step, and drops the rest in silence. So the findings of one cause at
one place are one annotation, each cause comes before any comes again, and what doesn't fit is counted in the last.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from gate.findings import plain
from gate.reporting.groups import by_cause
from gate.reporting.places import Places
from gate.states import DECLAIMED, FAILED, KNOWN, MISSING, PASSED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.findings import Finding
    from gate.reporting.formats import Setting
    from gate.reporting.places import Place
    from gate.verdict import Verdict

MOST = 10  # annotations of one level that GitHub shows of one step

_COMMANDS = {"violation": "error", "warning": "warning", "info": "notice"}


def render(verdict: Verdict, setting: Setting) -> str:
    """Return the verdict as lines of workflow commands."""
    answer = "notice" if verdict.conforms else "error"
    lines = [_command(answer, {"title": f"taggate: {verdict.tag} {_word(verdict)}"}, _counts(verdict))]
    places = Places(verdict)
    for severity, command in _COMMANDS.items():
        found = [finding for finding in verdict.findings if finding.severity == severity]
        lines += _annotations(command, found, places, setting, MOST - (command == answer))
    return "".join(f"{line}\n" for line in lines)


def _word(verdict: Verdict) -> str:
    return "CONFORMS" if verdict.conforms else "REFUSED"


def _counts(verdict: Verdict) -> str:
    states = verdict.states
    failed = states[FAILED] + states[KNOWN]
    known = f" ({states[KNOWN]} of them known)" if states[KNOWN] else ""
    scope = f" Under the scope {plain(verdict.scope.name)}." if verdict.scope else ""
    return (
        f"{states[PASSED] + states[MISSING] + failed} cells owed: {states[PASSED]} passed, {states[MISSING]} missing, "
        f"{failed} failed{known}; {states[DECLAIMED]} de-claimed.{scope}"
    )


def _annotations(command: str, findings: list[Finding], places: Places, setting: Setting, most: int) -> Iterator[str]:
    """Yield at most `most` annotations of one level: a cause at its first place, then each at its next."""
    causes: dict[str, dict[Place, list[Finding]]] = {
        f"{group.shape}: {group.property}, {group.reason}": {} for group in by_cause(findings)
    }
    for finding in findings:
        causes[finding.brief()].setdefault(places.of(finding)[0], []).append(finding)
    rounds = [
        (turn, rank, place, found)
        for rank, at in enumerate(causes.values())
        for turn, (place, found) in enumerate(at.items())
    ]
    rounds.sort(key=lambda one: one[:2])
    shown = rounds if len(rounds) <= most else rounds[: most - 1]
    for _, _, place, found in shown:
        yield _annotation(command, place, found, setting)
    if len(shown) < len(rounds):
        rest = rounds[len(shown) :]
        count = sum(len(found) for *_, found in rest)
        message = f"and {count} more findings at {len(rest)} places; --format json or sarif has them all"
        yield _command(command, {"title": "taggate: the rest"}, message)


def _annotation(command: str, place: Place, found: list[Finding], setting: Setting) -> str:
    first = found[0]
    path = setting.located(place.path)
    where = {} if path is None else {"file": path} | ({"line": str(place.line)} if place.line else {})
    if len(found) == 1:
        message = f"{first.focus}: {first.message}"
    else:
        hosts = Counter(finding.about.host for finding in found if finding.about.host)
        on = ", ".join(f"{host} {count}" for host, count in sorted(hosts.items())[:MOST])
        message = f"{len(found)} findings{f' ({on})' if on else ''}: {first.says} First: {first.focus}"
    remedy = f"\n-> {first.remedy}" if first.remedy else ""
    return _command(command, where | {"title": first.brief()}, message + remedy)


def _command(name: str, properties: dict[str, str], message: str) -> str:
    """Return a workflow command, escaped as the runner unescapes it: nothing in a name can end it or begin another."""
    data = message.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    values = {
        key: value.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A").replace(":", "%3A").replace(",", "%2C")
        for key, value in properties.items()
    }
    return f"::{name} {','.join(f'{key}={value}' for key, value in values.items())}::{data}"
