"""What changed between two releases: cell by cell, thing by thing, finding by finding, decision by decision.

A cell is the same in both under whatever name its host and model have there; see `gate.obligations.pairing`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from gate import shape_history, since, versions
from gate.obligations.pairing import pair
from gate.obligations.thing import merged
from gate.obligations.vanished import vanished
from gate.states import DECLAIMED, FAILED, KNOWN, MISSING, PASSED
from gate.verdict import CONFORMS, REFUSED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.findings import Finding
    from gate.iris import Iri
    from gate.obligations.ground import Ground
    from gate.obligations.node import About
    from gate.obligations.pairing import Pairing
    from gate.obligations.thing import Thing
    from gate.states import CellState
    from gate.verdict import Verdict

SCHEMA = "taggate/difference/v1"

NEWLY_PASSING, NEWLY_FAILING, NEWLY_MISSING = "newly passing", "newly failing", "newly missing"
NEWLY_DECLAIMED, CLAIMED_AGAIN = "newly de-claimed", "claimed again"
FIRST_OWED, NO_LONGER_OWED = "owed for the first time", "no longer owed"
CHANGES = (
    NEWLY_FAILING, NEWLY_MISSING, NEWLY_PASSING, NEWLY_DECLAIMED, CLAIMED_AGAIN, FIRST_OWED, NO_LONGER_OWED,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Change:
    """A cell, kernel or tensor shape that stands otherwise than it did. A state is None where it isn't owed at all."""

    kind: str
    label: str
    change: str
    before: str | None
    after: str | None
    about: About

    def to_json(self) -> dict[str, Any]:
        """Return the change as the difference's JSON has it."""
        about = self.about
        found: dict[str, Any] = {
            "kind": self.kind, "name": self.label, "change": self.change, "before": self.before, "after": self.after,
            "host": about.host, "model": about.model, "verb": about.verb, "thinking": about.thinking,
            "context": about.context,
        }  # fmt: skip
        return found | {key: value for key in ("kernel", "quant") if (value := getattr(about, key)) is not None}


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision of either release: its table, its name, what it says, and what it said before where that changed."""

    kind: str
    id: str
    says: dict[str, Any]
    said: dict[str, Any] | None = None

    @property
    def issue(self) -> int | None:
        """Its ticket."""
        return self.says.get("issue")

    @property
    def changed(self) -> dict[str, tuple[Any, Any]]:
        """What it says otherwise than it did, by key: before and after."""
        said = self.said or {}
        keys = [*said, *(key for key in self.says if key not in said)] if self.said is not None else []
        return {key: (said.get(key), self.says.get(key)) for key in keys if said.get(key) != self.says.get(key)}

    def to_json(self) -> dict[str, Any]:
        """Return the decision as the difference's JSON has it."""
        changes = {key: {"before": before, "after": after} for key, (before, after) in self.changed.items()}
        return {"kind": self.kind, "id": self.id, "says": self.says} | ({"changes": changes} if changes else {})


@dataclass(frozen=True)
class Difference:
    """Everything that differs between two verdicts.

    Args:
        before: the earlier release.
        after: the later one.
        changes: what stands otherwise, in the order of the later release, what is gone last.
        unchanged: how many cells, kernels and tensor shapes both owe and stand as they did, by state.
        added: what the later one owes and the earlier didn't: hosts, models, verbs, contexts, suites, constraints, …
        withdrawn: what the earlier one owed and the later doesn't.
        new_findings: violations of the later one that the earlier had not, but those of cells.
        gone_findings: violations of the earlier one that the later hasn't.
        decisions_added: those in force in the later one alone.
        decisions_ended: those in force in the earlier one alone.
        decisions_changed: those in force in both that say something else.
    """

    before: Verdict
    after: Verdict
    changes: tuple[Change, ...]
    unchanged: dict[str, int]
    added: tuple[Thing, ...]
    withdrawn: tuple[Thing, ...]
    new_findings: tuple[Finding, ...]
    gone_findings: tuple[Finding, ...]
    decisions_added: tuple[Decision, ...]
    decisions_ended: tuple[Decision, ...]
    decisions_changed: tuple[Decision, ...]

    @cached_property
    def by_change(self) -> dict[str, tuple[Change, ...]]:
        """The changes by what they are, those that there are, in the order of `CHANGES`."""
        found = {kind: tuple(each for each in self.changes if each.change == kind) for kind in CHANGES}
        return {kind: changes for kind, changes in found.items() if changes}

    @property
    def nothing(self) -> bool:
        """Whether the two releases differ in nothing but their names."""
        return not any((
            self.changes, self.added, self.withdrawn, self.new_findings, self.gone_findings, self.decisions_added,
            self.decisions_ended, self.decisions_changed,
        ))  # fmt: skip

    def to_json(self) -> dict[str, Any]:
        """Return the difference as `taggate/difference/v1`."""
        return {
            "schema": SCHEMA,
            "before": _release(self.before),
            "after": _release(self.after),
            "counts": {_key(kind): len(self.by_change.get(kind, ())) for kind in CHANGES}
            | {"unchanged": self.unchanged},
            "changes": [change.to_json() for change in self.changes],
            "added": [_thing(thing) for thing in self.added],
            "withdrawn": [_thing(thing) for thing in self.withdrawn],
            "findings": {
                "new": [finding.to_json() for finding in self.new_findings],
                "gone": [finding.to_json() for finding in self.gone_findings],
            },
            "decisions": {
                "added": [decision.to_json() for decision in self.decisions_added],
                "ended": [decision.to_json() for decision in self.decisions_ended],
                "changed": [decision.to_json() for decision in self.decisions_changed],
            },
        }


def _key(kind: str) -> str:
    return kind.replace(" ", "_").replace("-", "")


def _release(verdict: Verdict) -> dict[str, Any]:
    return {
        "version": verdict.version, "tag": verdict.tag, "commit": verdict.commit,
        "verdict": CONFORMS if verdict.conforms else REFUSED,
    } | since.where(verdict.ground.origin)  # fmt: skip


def _thing(thing: Thing) -> dict[str, Any]:
    hosts = [thing.host] if thing.host is not None else list(thing.hosts)
    return {"kind": thing.kind, "name": thing.label, "before": thing.was, "after": thing.now, "hosts": hosts}


def compare(before: Verdict, after: Verdict) -> Difference:
    """Return what changed from `before` to `after`."""
    earlier, later = before.ground, after.ground
    changes, unchanged = _changes(before, after, pair(earlier, later))
    new, gone = _findings(before, after)
    added, ended, changed = _decisions(earlier, later)
    appeared = merged(vanished(later, earlier, shape_history.lost(later.own_shapes, earlier.own_shapes)))
    return Difference(
        before, after, changes, unchanged,
        added=tuple(replace(thing, was=thing.now, now=thing.was) for thing in appeared),
        withdrawn=merged(vanished(earlier, later, shape_history.lost(earlier.own_shapes, later.own_shapes))),
        new_findings=new, gone_findings=gone,
        decisions_added=added, decisions_ended=ended, decisions_changed=changed,
    )  # fmt: skip


_Place = tuple[str | None, ...]


def _changes(before: Verdict, after: Verdict, paired: Pairing) -> tuple[tuple[Change, ...], dict[str, int]]:
    """Return what stands otherwise, and how much stands as it did."""
    axis = after.ground.rules.document.cells.thinking
    was = {_moved(place, paired, axis=axis) or place: (kind, state) for kind, place, state in _standing(before)}
    changes, unchanged = [], Counter[str]()
    for kind, place, state in _standing(after):
        _, earlier = was.pop(place, (kind, None))
        change = _change(earlier.state if earlier else None, state.state)
        if change is None:
            unchanged[state.state] += 1
        else:
            changes.append(
                Change(kind, state.label, change, earlier.state if earlier else None, state.state, state.node.about)
            )
    changes += [
        Change(kind, state.label, NO_LONGER_OWED, state.state, None, state.node.about) for kind, state in was.values()
    ]
    return tuple(changes), dict(sorted(unchanged.items()))


def _standing(verdict: Verdict) -> Iterator[tuple[str, _Place, CellState]]:
    """Yield each cell, kernel and tensor shape of a verdict: its kind, its place in that release, how it stands."""
    ground = verdict.ground
    states = {one.node.iri: one for one in (*verdict.cells, *(k for found in verdict.kernels.values() for k in found))}
    owed: list[tuple[str, _Place, Iri]] = [
        ("cell", ("cell", c.host, c.model.key, c.verb, c.context, c.thinking), ground.cell_iri(c)) for c in ground.cells
    ]
    owed += [("kernel", ("kernel", k.host, k.kernel, k.quant), ground.owed_iri(k)) for k in ground.kernels]
    owed += [("shape", ("shape", s.host, s.quant, s.shape), ground.owed_iri(s)) for s in ground.shapes]
    for kind, place, iri in owed:
        if iri in states:  # a scope can leave it out
            yield kind, place, states[iri]


def _moved(place: _Place, paired: Pairing, *, axis: bool) -> _Place | None:
    """Return the place in the later release of what stands at `place` in the earlier; None where it has none there.

    A run without the thinking axis is one with thinking off.
    """
    kind, host, *rest = place
    if kind != "cell":
        same_host = paired.hosts.get(str(host))
        return (kind, same_host.id, *rest) if same_host is not None else None
    key, verb, context, thinking = rest
    same = paired.models.get((str(host), str(key)))
    mode = (thinking or "off") if axis else None if thinking == "off" else thinking
    return (kind, same.host, same.key, verb, context, mode) if same is not None else None


def _change(before: str | None, after: str) -> str | None:
    """Return what a change of state is called; None where there is none: a failure may be known by now."""
    failing = {FAILED, KNOWN}
    if before == after or (before in failing and after in failing):
        return None
    if after == DECLAIMED:
        return NEWLY_DECLAIMED
    if before is None:
        return FIRST_OWED
    if before == DECLAIMED:
        return CLAIMED_AGAIN
    if after == PASSED:
        return NEWLY_PASSING
    return NEWLY_MISSING if after == MISSING else NEWLY_FAILING


def _findings(before: Verdict, after: Verdict) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
    """Return the violations that only the later verdict has, and those that only the earlier has.

    Those of a cell, kernel or tensor shape are told by its state.
    """
    earlier, later = _told_apart(before), _told_apart(after)
    return _without(later, earlier), _without(earlier, later)


def _told_apart(verdict: Verdict) -> list[tuple[tuple[str, ...], Finding]]:
    states = {one.label for one in (*verdict.cells, *(k for found in verdict.kernels.values() for k in found))}
    return [
        # The same receipt of two releases differs in its folder.
        ((f.shape, f.focus.replace(f"/{verdict.version}/", "/*/"), f.property, f.reason), f)
        for f in verdict.violations if f.focus not in states
    ]  # fmt: skip


def _without(
    found: list[tuple[tuple[str, ...], Finding]], others: list[tuple[tuple[str, ...], Finding]]
) -> tuple[Finding, ...]:
    left = Counter(key for key, _ in others)
    kept = []
    for key, finding in found:
        left[key] -= 1
        if left[key] < 0:
            kept.append(finding)
    return tuple(kept)


def _decisions(
    before: Ground, after: Ground
) -> tuple[tuple[Decision, ...], tuple[Decision, ...], tuple[Decision, ...]]:
    """Return the decisions that only the later release is under, only the earlier was, and those that say otherwise."""
    earlier, later = dict(_in_force(before)), dict(_in_force(after))
    return (
        tuple(decision for key, decision in later.items() if key not in earlier),
        tuple(decision for key, decision in earlier.items() if key not in later),
        tuple(
            replace(decision, said=earlier[key].says)
            for key, decision in later.items() if key in earlier and earlier[key].says != decision.says
        ),
    )  # fmt: skip


def _in_force(ground: Ground) -> Iterator[tuple[tuple[str, str], Decision]]:
    """Yield the decisions that a release is under, by their table and what they are called."""
    version = ground.subject.version
    under = {
        "declaim": {coverage.index for coverage in ground.coverage if coverage.in_force},
        "known_failure": {known.index for known in ground.known_failures if known.begun and not known.ended},
    }
    document = ground.decisions.document
    tables: dict[str, list[Any]] = {
        "declaim": document.declaim, "known_failure": document.known_failure, "scope": document.scope,
        "retire": document.retire,
    }  # fmt: skip
    for kind, found in tables.items():
        for index, table in enumerate(found):
            if index in under[kind] if kind in under else _is_of(kind, table.release, version):
                name = getattr(table, "id", None) or getattr(table, "name", None) or f"{kind}[{index}]"
                said = table.model_dump(mode="json", exclude_none=True, warnings=False)
                yield (kind, name), Decision(kind, name, {key: value for key, value in said.items() if value})


def _is_of(kind: str, release: str | None, version: str) -> bool:
    """Say whether a decision of one release is of a version: a scope of that very one, others of its candidates too."""
    if kind == "scope" or release is None:
        return release == version
    return versions.parse(release).finalize_version() == versions.parse(version).finalize_version()
