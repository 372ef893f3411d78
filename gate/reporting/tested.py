"""Every obligation and what came of it, as reports of tests have it: one test an obligation.

Machines that read such a report know passes, failures and skips, and nothing of de-claims or scopes. So that none of
them sees more green than the verdict has, every violation makes a test fail: where no obligation carries it, it becomes
a test of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gate.states import DECLAIMED, FAILED, KNOWN, MISSING, PASSED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from gate.findings import Finding
    from gate.obligations.node import About, Node
    from gate.states import CellState
    from gate.verdict import Verdict
    from gate.withdrawn import Rejected, Told

OUTSIDE = "outside"  # left out by the scope of the release
RED = {MISSING, FAILED}

_ASIDE = {"Declaimed": DECLAIMED, "Known": KNOWN, "Outside": OUTSIDE}
_DECISIONS = {"KnownFailure", "KnownRejection"}
_KINDS = {"Cell": "cell", "Kernel": "kernel", "Conformance": "conformance", "Suite": "suite", "SuiteRow": "suite_row"}


@dataclass(frozen=True, slots=True)
class Tested:
    """An obligation, and what came of it.

    Args:
        iri: the obligation.
        kind: the file of shapes that judges it, or would.
        label: its name.
        types: its classes in the vocabulary; none: it is no node of the release.
        host: where it lies.
        state: one of `gate.states`, or `OUTSIDE`.
        findings: the violations, where it is red.
        told: what a decision says of it, and what would reject it, a line each.
        seconds: how long its runs took, where they say so.
    """

    iri: str
    kind: str
    label: str
    types: tuple[str, ...]
    host: str | None
    state: str
    findings: tuple[Finding, ...] = ()
    told: tuple[str, ...] = ()
    seconds: float | None = None

    @property
    def is_cell(self) -> bool:
        """Whether it is a cell."""
        return self.kind in {"cell", "refusal"}


def tested(verdict: Verdict) -> list[Tested]:
    """Return every obligation of the release, in the order of the shapes and then of the verdict.

    What a decision sets aside is among them. A row that keys onto nothing is no obligation.
    """
    violations: dict[str, list[Finding]] = {}
    for finding in verdict.violations:
        violations.setdefault(finding.owner, []).append(finding)
    states = {str(one.node.iri): one.state for one in _counted(verdict)}
    aside = list(_set_aside(verdict, states, violations))
    found = [*_judged(verdict, states, violations, {test.iri for test in aside}), *aside]
    carried = {test.iri for test in found if test.state in RED}
    found += _loose(verdict, [finding for finding in verdict.violations if finding.owner not in carried])
    ranks = {count.id: rank for rank, count in enumerate(verdict.shapes)}
    return sorted(found, key=lambda test: ranks[test.kind])


def _counted(verdict: Verdict) -> Iterator[CellState]:
    yield from verdict.cells
    for kernels in verdict.kernels.values():
        yield from kernels


def _judged(
    verdict: Verdict, states: Mapping[str, str], violations: Mapping[str, list[Finding]], aside: set[str]
) -> Iterator[Tested]:
    """Yield the obligations that some shape judged, each under the first file that did."""
    seen = set(aside)
    for file in verdict.focus_nodes:
        for iri in verdict.judged(file):
            node = verdict.nodes.get(iri)
            if iri in seen or node is None or node.types == ("Row",):
                continue
            seen.add(iri)
            found = tuple(violations.get(iri, ()))
            yield _test(verdict, node, file, states.get(iri) or _state(found), findings=found)


def _state(found: Iterable[Finding]) -> str:
    reasons = {finding.reason for finding in found}
    if not reasons:
        return PASSED
    return MISSING if "missing" in reasons else FAILED


def _set_aside(
    verdict: Verdict, states: Mapping[str, str], violations: Mapping[str, list[Finding]]
) -> Iterator[Tested]:
    """Yield what a decision sets aside, with what it says of it."""
    decisions = _decisions(verdict)
    rejected = _rejected(verdict)
    for node in verdict.nodes.values():
        kind = node.types[0] if node.types else ""
        prefix = next((prefix for prefix in _ASIDE if kind.startswith(prefix)), None)
        if prefix is None or kind in _DECISIONS:
            continue
        found = rejected.get((node.label, node.about))
        state = states.get(node.iri) or _ASIDE[prefix]
        if state == KNOWN and found is not None and any(one.reason == "missing" for one in found.found):
            state = MISSING  # a decision stands for what is red, and nothing was measured to be
        told = _says(verdict, state, decisions.get(node.iri, []), found)
        findings = tuple(violations.get(node.iri, ())) if state in RED else ()
        yield _test(verdict, node, _KINDS.get(kind.removeprefix(prefix), "scope"), state, findings=findings, told=told)


def _decisions(verdict: Verdict) -> dict[str, list[Told]]:
    """Return by obligation what the decisions in force that cover it tell."""
    told = {
        "Declaim": {declaim.told.id: declaim.told for declaim in verdict.declaimed},
        "KnownFailure": {known.told.id: known.told for known in verdict.known_failures},
    }
    found: dict[str, list[Told]] = {}
    for node in verdict.nodes.values():
        own = told.get(node.types[0] if node.types else "", {}).get(node.label)
        for name, value in node.facts if own is not None else ():
            if name == "covers" and own is not None:
                found.setdefault(str(value), []).append(own)
    return found


def _rejected(verdict: Verdict) -> dict[tuple[str, About], Rejected]:
    """Return what decisions cover, by label and place, with what would reject it."""
    every = [one for declaim in verdict.declaimed for one in declaim.failing]
    every += [one for known in verdict.known_failures for one in known.rejected]
    every += verdict.scope.outside if verdict.scope else ()
    return {(one.label, one.about): one for one in every}


def _says(verdict: Verdict, state: str, decisions: Iterable[Told], rejected: Rejected | None) -> tuple[str, ...]:
    words = {DECLAIMED: "De-claimed by", KNOWN: "Known failure", MISSING: "Known failure"}
    told = [
        f"{words.get(state, 'Covered by')} {one.id}"
        + (f" (#{one.issue})" if one.issue else "")
        + (f", until {one.until}" if one.until else "")
        + (f": {one.why}" if one.why else "")
        for one in decisions
    ]
    if state == OUTSIDE and verdict.scope is not None:
        red = ", and red" if rejected is not None and rejected.found else ""
        told.append(f"Left out by the scope {verdict.scope.name}{red}")
    would = dict.fromkeys(f"[{one.brief}] {one.message}" for one in (rejected.found if rejected else ()))
    return (*told, *would)


def _loose(verdict: Verdict, findings: Iterable[Finding]) -> Iterator[Tested]:
    """Yield the violations that no red obligation carries, by the shape and what they stand against."""
    groups: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        groups.setdefault((finding.shape, finding.owner), []).append(finding)
    for (shape, owner), found in groups.items():
        node = verdict.nodes.get(owner)
        types = node.types if node else ()
        state = _state(found)
        yield Tested(
            owner, shape, node.label if node else found[0].focus, types, found[0].about.host, state, tuple(found)
        )


def _test(
    verdict: Verdict, node: Node, kind: str, state: str, *,
    findings: tuple[Finding, ...] = (), told: tuple[str, ...] = (),
) -> Tested:  # fmt: skip
    rows = [verdict.nodes.get(str(value)) for name, value in node.facts if name == "receipt"]
    facts = [fact for row in rows if row is not None for fact in row.facts]
    seconds = [float(value) for name, value in facts if name == "seconds" and isinstance(value, int | float)]
    return Tested(
        node.iri, kind, node.label, node.types, node.about.host, state, findings, told,
        sum(seconds) if seconds else None,
    )  # fmt: skip
