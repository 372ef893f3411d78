"""Findings grouped by cause, then by host and model: what a person reads instead of a thousand lines."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gate.findings import Finding


@dataclass(frozen=True, slots=True)
class Where:
    """A host (None: no host is concerned), how many findings it has, and the things that they name, most first."""

    host: str | None
    count: int
    names: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Group:
    """One cause: the constraint that rejects, and where it does. `example` is the first finding."""

    shape: str
    property: str
    reason: str
    severity: str
    says: str
    remedy: str
    count: int
    where: tuple[Where, ...]
    example: Finding


def by_cause(findings: Iterable[Finding]) -> list[Group]:
    """Return the groups in the order of their shapes and constraints: a cause stands before what it breaks."""
    members: dict[tuple[str, str, str, str], list[Finding]] = {}
    for finding in findings:
        key = (finding.shape, finding.property, finding.reason, finding.severity)
        members.setdefault(key, []).append(finding)
    ranks: dict[str, int] = {}
    for shape, *_ in members:
        ranks.setdefault(shape, len(ranks))
    groups = [_group(found) for found in members.values()]
    return sorted(groups, key=lambda group: (ranks[group.shape], group.example.order, group.property, group.reason))


def _group(found: list[Finding]) -> Group:
    first = found[0]
    return Group(
        shape=first.shape, property=first.property, reason=first.reason, severity=first.severity, says=first.says,
        remedy=first.remedy, count=len(found),
        where=by_place((finding.about.host, finding.about.model or finding.focus) for finding in found),
        example=first,
    )  # fmt: skip


def by_place(places: Iterable[tuple[str | None, str]]) -> tuple[Where, ...]:
    """Return the (host, name) pairs by host, the most frequent name first."""
    hosts: dict[str | None, Counter[str]] = {}
    for host, name in places:
        hosts.setdefault(host, Counter())[name] += 1
    return tuple(
        Where(host, sum(names.values()), tuple(sorted(names.items(), key=lambda item: (-item[1], item[0]))))
        for host, names in sorted(hosts.items(), key=lambda item: item[0] or "")
    )
