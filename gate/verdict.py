"""The verdict: what was judged, how many of each, and every finding. Every output format renders this and no more."""

from __future__ import annotations

import unicodedata
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gate import since
from gate.iris import NAMESPACE, Iri

if TYPE_CHECKING:
    import datetime
    from collections.abc import Iterable, Mapping

    from gate.judge import Result
    from gate.obligations.ground import Ground
    from gate.obligations.node import About, Node
    from gate.shape_files import Shape, Shapes

SCHEMA = "taggate/verdict/v1"
CONFORMS, REFUSED = "conforms", "refused"
PASSED, MISSING, FAILED, DECLAIMED = "passed", "missing", "failed", "declaimed"

CELLS = {"Cell", "RefusalCell", "DeclaimedCell"}
KERNELS = {"kernels": {"Kernel", "DeclaimedKernel"}, "conformance": {"Conformance", "DeclaimedConformance"}}

_LONGEST = 240  # of a recorded value in a message: a log pasted into a receipt stays in the receipt


@dataclass(frozen=True, slots=True)
class Finding:
    """One property that fails. `severity` is `violation`, `warning` or `info`; only a violation refuses the tag."""

    shape: str
    focus: str
    severity: str
    reason: str
    property: str
    message: str
    about: About
    says: str  # the message without this node's own facts: what a group of findings is called
    remedy: str
    order: float  # of the constraint among those of its shape

    def to_json(self) -> dict[str, Any]:
        """Return the finding as the verdict's JSON has it."""
        about = self.about
        found: dict[str, Any] = {
            "shape": self.shape, "focus": self.focus, "severity": self.severity, "reason": self.reason,
            "property": self.property, "message": self.message, "host": about.host, "model": about.model,
            "verb": about.verb, "thinking": about.thinking, "context": about.context, "issue": about.issue,
            "receipt": about.receipt,
        }  # fmt: skip
        return found | {k: v for k in ("kernel", "quant") if (v := getattr(about, k)) is not None}


@dataclass(frozen=True, slots=True)
class CellState:
    """How one cell, or kernel, stands: `passed`, `missing`, `failed` or `declaimed`, and the node that says so."""

    node: Node
    state: str

    @property
    def label(self) -> str:
        """The cell's name."""
        return self.node.label


@dataclass(frozen=True, slots=True)
class ShapeCount:
    """How many nodes the shapes of one file targeted, and how many of them have a violation."""

    id: str
    focus_nodes: int
    violations: int


@dataclass(frozen=True, slots=True)
class Declaimed:
    """A de-claim in force, with the cells that it covers, and the kernels and tensor shapes."""

    id: str
    issue: int | None
    since: str | None
    until: str | None
    why: str | None
    by: str | None
    on: str | None
    words: str | None
    cells: tuple[CellState, ...]
    kernels: tuple[CellState, ...] = ()

    @property
    def covered(self) -> tuple[CellState, ...]:
        """Everything that it covers."""
        return self.cells + self.kernels

    def to_json(self) -> dict[str, Any]:
        """Return the de-claim as the verdict's JSON has it."""
        return {
            "id": self.id, "issue": self.issue, "since": self.since, "until": self.until, "why": self.why,
            "ruling": {"by": self.by, "on": self.on, "words": self.words}, "cells": [c.label for c in self.covered],
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class HostSummary:
    """A required host: its GPU by the rules, and its cells by state."""

    id: str
    gpu: str | None
    compute: str | None
    states: dict[str, int]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Everything that a report may say.

    `tag` is the tag as the project spells it, `nodes` the judged graph, `labels` what the vocabulary calls its terms,
    and `row_constraints` what the shapes ask of a row, by its class. `kernels` holds how kernels and tensor shapes
    stand, by the kind of obligation, where the rules ask for it.
    """

    project: str
    repository: str | None
    version: str
    commit: str
    tag: str
    evaluated_at: datetime.datetime
    shapes: tuple[ShapeCount, ...]
    findings: tuple[Finding, ...]
    cells: tuple[CellState, ...]
    kernels: dict[str, tuple[CellState, ...]]
    hosts: tuple[HostSummary, ...]
    declaimed: tuple[Declaimed, ...]
    inputs: tuple[tuple[str, str], ...]
    receipts: int
    ledger: str
    nodes: dict[str, Node]
    labels: dict[str, str]
    row_constraints: dict[str, tuple[Shape, ...]]
    ground: Ground

    @property
    def violations(self) -> tuple[Finding, ...]:
        """The findings that refuse the tag."""
        return tuple(finding for finding in self.findings if finding.severity == "violation")

    @property
    def conforms(self) -> bool:
        """Whether the tag may be cut."""
        return not self.violations

    @property
    def exit_code(self) -> int:
        """The process's exit code: 0 where the release conforms, 1 where it is refused."""
        return 0 if self.conforms else 1

    @property
    def states(self) -> Counter[str]:
        """How many cells stand in each state."""
        return Counter(cell.state for cell in self.cells)

    @property
    def refusals(self) -> int:
        """How many of the owed cells owe a refusal and not a pass."""
        return sum(cell.node.types[0] == "RefusalCell" for cell in self.cells)

    @property
    def retired(self) -> tuple[since.Retired, ...]:
        """The decisions that give something up with this release."""
        return since.retired(self.nodes)

    @property
    def read(self) -> tuple[str, ...]:
        """The paths of everything that the verdict rests on."""
        return tuple(path for path, _ in self.inputs)

    @property
    def orphan_rows(self) -> int:
        """How many rows key onto no cell."""
        return sum(finding.shape == "row" and finding.reason == "orphan" for finding in self.findings)

    def to_json(self) -> dict[str, Any]:
        """Return the verdict as `taggate/verdict/v1`."""
        states = self.states
        kernels = {kind: _counted(Counter(one.state for one in found)) for kind, found in self.kernels.items()}
        return {
            "schema": SCHEMA,
            "verdict": CONFORMS if self.conforms else REFUSED,
            "exit": self.exit_code,
            "release": {"version": self.version, "commit": self.commit},
            "evaluated_at": instant(self.evaluated_at),
            "scope": None,
            "counts": {
                "cells": _counted(states) | {"refusals": self.refusals},
                **kernels,
                "orphan_rows": self.orphan_rows,
                "receipts": self.receipts,
            },
            "shapes": [
                {"id": s.id, "focus_nodes": s.focus_nodes, "violations": s.violations} for s in self.shapes
            ],
            "findings": [finding.to_json() for finding in self.findings],
            "declaimed": [declaimed.to_json() for declaimed in self.declaimed],
            "known_failures": [],
            "retired": [retired.to_json() for retired in self.retired],
            "previous": since.to_json(self.ground.previous),
            "inputs": [{"path": path, "sha256": sha256} for path, sha256 in self.inputs],
        }  # fmt: skip


def _counted(states: Counter[str]) -> dict[str, int]:
    owed = states[PASSED] + states[MISSING] + states[FAILED]
    return {"owed": owed} | {state: states[state] for state in (PASSED, MISSING, FAILED, DECLAIMED)}


def instant(moment: datetime.datetime) -> str:
    """Return a moment in UTC as `2026-10-12T09:00:00Z`."""
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")


def plain(text: str) -> str:
    """Return `text` on one line, with nothing in it that a terminal or a log would obey, cut to a readable length."""
    line = " ".join(text.split())
    safe = "".join("\ufffd" if unicodedata.category(c) in {"Cc", "Cf", "Cs"} and c != "\u200d" else c for c in line)
    return safe if len(safe) <= _LONGEST else f"{safe[:_LONGEST]}…"


def compose(
    ground: Ground,
    nodes: Mapping[str, Node],
    results: Iterable[Result],
    shapes: Shapes,
    focus_nodes: Mapping[str, set[str]],
    evaluated_at: datetime.datetime,
) -> Verdict:
    """Return the verdict that `results` amount to.

    Args:
        ground: what was judged.
        nodes: every node of the graph by IRI, in the order that findings come in.
        results: what the judge rejected.
        shapes: the shapes that judged.
        focus_nodes: by shape file, the nodes that its shapes targeted.
        evaluated_at: when.
    """
    ranks = {iri: rank for rank, iri in enumerate(nodes)}
    found = sorted(((_rank(result, nodes, ranks, shapes), result) for result in results), key=lambda pair: pair[0])
    findings = tuple(_finding(result, nodes, shapes) for _, result in found)
    red: dict[str, set[str]] = {}
    reasons: dict[str, set[str]] = {}
    for (_, result), finding in zip(found, findings, strict=True):
        if finding.severity == "violation":
            owner = _owner(result.focus, nodes)
            red.setdefault(finding.shape, set()).add(owner)
            # A project's own shape may call its reason what it likes; what is missing, the gate's own shapes say.
            is_own = finding.shape not in shapes.users
            reasons.setdefault(owner, set()).add(finding.reason if is_own else "failed")
    counted = CELLS.union(*KERNELS.values())
    everything = {
        iri: CellState(node, _state(node, reasons.get(iri, set())))
        for iri, node in nodes.items()
        if node.types[0] in counted
    }
    cells = {iri: one for iri, one in everything.items() if one.node.types[0] in CELLS}
    document = ground.rules.document
    return Verdict(
        project=document.project.name,
        repository=document.project.repository,
        version=ground.subject.version,
        commit=ground.subject.commit,
        tag=ground.subject.tag,
        evaluated_at=evaluated_at,
        shapes=tuple(
            ShapeCount(f, len({_owner(n, nodes) for n in focus_nodes[f]}), len(red.get(f, ()))) for f in shapes.files
        ),
        findings=findings,
        cells=tuple(cells.values()),
        kernels={
            kind: own
            for kind, types in KERNELS.items()
            if (own := tuple(one for one in everything.values() if one.node.types[0] in types))
        },
        hosts=_hosts(ground, cells.values()),
        declaimed=_declaimed(ground, everything),
        inputs=_inputs(ground, shapes),
        receipts=len(ground.ledger.receipts),
        ledger=document.project.ledger,
        nodes=dict(nodes),
        labels=shapes.labels,
        row_constraints={kind: shapes.targeting(kind) for kind in ("CellRow", "RefusalRow")},
        ground=ground,
    )


def _owner(focus: str, nodes: Mapping[str, Node]) -> str:
    node = nodes.get(focus)
    return node.owner if node is not None and node.owner is not None else focus


def _rank(
    result: Result, nodes: Mapping[str, Node], ranks: Mapping[str, int], shapes: Shapes
) -> tuple[int, int, int, str, float, str, str, str]:
    """Return what orders a finding: its shape's file, its obligation, the node, the constraint, the value."""
    shape, last = shapes.shapes[result.shape], len(ranks)
    return (
        shapes.files.index(shape.file),
        ranks.get(_owner(result.focus, nodes), last),
        ranks.get(result.focus, last),
        result.focus,
        shape.order,
        result.shape,
        result.component,
        result.value or "",
    )


def _finding(result: Result, nodes: Mapping[str, Node], shapes: Shapes) -> Finding:
    from gate.obligations.node import About

    shape, node = shapes.shapes[result.shape], nodes.get(result.focus)
    return Finding(
        shape=shape.file,
        focus=node.label if node else plain(result.focus),
        severity=result.severity,
        reason=shape.because,
        property=shape.name,
        message=_message(shape, node, result, shapes.labels),
        about=node.about if node else About(),
        says=_says(shape, result),
        remedy=shape.remedy,
        order=shape.order,
    )


def _says(shape: Shape, result: Result) -> str:
    return plain(shape.message or f"{shape.name} fails sh:{result.component.removesuffix('ConstraintComponent')}")


def _message(shape: Shape, node: Node | None, result: Result, labels: Mapping[str, str]) -> str:
    """Return what the shape says, and the facts that it asks to be shown."""
    said = _says(shape, result)
    facts: dict[str, list[str]] = {}
    for name, value in node.facts if node else ():
        facts.setdefault(name, []).append(_shown(value, labels))
    parts = [
        f"{labels.get(name, name)}: {', '.join(facts[name]) if name in facts else 'not recorded'}"
        for name in (*shape.shows, *shape.mentions)
        if name in facts or name in shape.shows
    ]
    return said + (f" ({'; '.join(parts)})" if parts else "")


def _shown(value: object, labels: Mapping[str, str]) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Iri):
        local = value.removeprefix(NAMESPACE)
        return labels.get(local, local.removeprefix("backend-").rpartition("/")[2])
    return plain(str(value))


def _state(node: Node, reasons: set[str]) -> str:
    if node.types[0] in {"DeclaimedCell", "DeclaimedKernel", "DeclaimedConformance"}:
        return DECLAIMED
    if not reasons:
        return PASSED
    return MISSING if "missing" in reasons else FAILED


def _hosts(ground: Ground, cells: Iterable[CellState]) -> tuple[HostSummary, ...]:
    states: dict[str, Counter[str]] = {host.id: Counter() for host in ground.rules.required_hosts}
    for cell in cells:
        states[str(cell.node.about.host)][cell.state] += 1
    return tuple(HostSummary(h.id, h.gpu, h.compute, dict(states[h.id])) for h in ground.rules.required_hosts)


def _declaimed(ground: Ground, everything: Mapping[str, CellState]) -> tuple[Declaimed, ...]:
    return tuple(
        Declaimed(
            id=coverage.label,
            issue=coverage.declaim.issue,
            since=coverage.declaim.since,
            until=coverage.declaim.until,
            why=coverage.declaim.why,
            by=coverage.declaim.ruling.by,
            on=coverage.declaim.ruling.on.isoformat() if coverage.declaim.ruling.on else None,
            words=coverage.declaim.ruling.words,
            cells=tuple(everything[ground.cell_iri(cell)] for cell in coverage.cells),
            kernels=tuple(everything[ground.owed_iri(owed)] for owed in coverage.kernels),
        )
        for coverage in ground.coverage
        if coverage.in_force
    )


def _inputs(ground: Ground, shapes: Shapes) -> tuple[tuple[str, str], ...]:
    """Return the path and sha256 of everything that the verdict rests on, sorted by path."""
    files = [ground.rules.file, *shapes.inputs, *(receipt.file for receipt in ground.ledger.receipts)]
    files += [f for f in (ground.decisions.file, ground.contexts.file, ground.subject.file) if f is not None]
    files += since.files(ground.previous)
    digests = {file.path: file.sha256 for file in files}
    digests |= {path: sha256 for path, sha256 in ground.ledger.evidence.items() if sha256 is not None}
    return tuple(sorted(digests.items()))
