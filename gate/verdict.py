"""The verdict: what was judged, how many of each, and every finding. Every output format renders this and no more."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gate import since, withdrawn
from gate.findings import find, owner
from gate.states import DECLAIMED, FAILED, KNOWN, MISSING, PASSED, CellState

if TYPE_CHECKING:
    import datetime
    from collections.abc import Iterable, Iterator, Mapping

    from gate.findings import Finding
    from gate.judging.canary import Canaries
    from gate.judging.judge import Judgement
    from gate.nodes import Nodes
    from gate.obligations.ground import Ground
    from gate.obligations.node import Node
    from gate.obligations.outcome import Outcome
    from gate.shape_files import Shapes
    from gate.trust import Signature
    from gate.withdrawn import Declaimed, KnownFailed, Scoped

SCHEMA = "taggate/verdict/v1"
CONFORMS, REFUSED = "conforms", "refused"

CELLS = {"Cell", "RefusalCell", "DeclaimedCell", "KnownCell"}
KERNELS = {
    "kernels": {"Kernel", "DeclaimedKernel", "KnownKernel"},
    "conformance": {"Conformance", "DeclaimedConformance", "KnownConformance"},
}
OTHERS = {
    "tokenizers": {"TokenizerCell"}, "parity": {"ParityCell"}, "suites": {"Suite", "KnownSuite"},
    "suite_rows": {"ExpectedRow", "KnownSuiteRow"}, "claims": {"PerformanceClaim"},
}  # fmt: skip
_COUNTED = CELLS.union(*KERNELS.values(), *OTHERS.values())


@dataclass(frozen=True, slots=True)
class ShapeCount:
    """How many nodes the shapes of one file targeted, and how many of them have a violation."""

    id: str
    focus_nodes: int
    violations: int


@dataclass(frozen=True, slots=True)
class HostSummary:
    """A required host: its GPU by the rules, and its cells by state."""

    id: str
    gpu: str | None
    compute: str | None
    states: dict[str, int]

    @property
    def counts(self) -> dict[str, int]:
        """How many of its cells are owed, and how they stand."""
        return state_counts(Counter(self.states))


@dataclass(frozen=True, slots=True)
class Verdict:
    """Everything that a report may say.

    `tag` is the tag as the project spells it, `nodes` the judged graph, `labels` and `comments` what the vocabulary
    calls its terms and says of them. `kernels` holds how kernels and tensor shapes stand, by the kind of obligation,
    where the rules ask for it; `others` every other obligation.
    `signatures` says who vouches for which file.
    `engine` is the name of what judged, and `whole` the shapes that could only be judged on the whole graph, with why.
    `canaries` are the planted faults that it saw.
    `ground` is what was judged, `judging` the shapes that did, and `focus_nodes` what the shapes of each file judged.
    """

    project: str
    repository: str | None
    version: str
    commit: str
    tag: str
    engine: str
    whole: tuple[tuple[str, str], ...]
    canaries: Canaries
    evaluated_at: datetime.datetime
    shapes: tuple[ShapeCount, ...]
    findings: tuple[Finding, ...]
    cells: tuple[CellState, ...]
    kernels: dict[str, tuple[CellState, ...]]
    others: dict[str, tuple[CellState, ...]]
    hosts: tuple[HostSummary, ...]
    declaimed: tuple[Declaimed, ...]
    known_failures: tuple[KnownFailed, ...]
    scope: Scoped | None
    inputs: tuple[tuple[str, str], ...]
    receipts: int
    ledger: str
    nodes: Nodes
    labels: dict[str, str]
    signatures: tuple[Signature, ...]
    comments: dict[str, str]
    ground: Ground
    judging: Shapes
    focus_nodes: dict[str, list[str]]

    def judged(self, file: str) -> list[str]:
        """Return the obligations that the shapes of a file judged, or parts of them, by IRI and in order."""
        found = {owner(iri, self.nodes) for iri in self.focus_nodes[file]}
        return [iri for iri in self.nodes if iri in found] + sorted(found - self.nodes.keys())

    @property
    def counted(self) -> Iterator[CellState]:
        """Everything that is owed one by one, and how it stands."""
        yield from self.cells
        for found in (*self.kernels.values(), *self.others.values()):
            yield from found

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
    def counts(self) -> dict[str, int]:
        """How many cells are owed, and how they stand."""
        return state_counts(self.states) | {"refusals": self.refusals}

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

    def to_json(self, *, findings: bool = True) -> dict[str, Any]:
        """Return the verdict as `taggate/verdict/v1`; with an empty list of findings where they aren't asked for."""
        kernels = {kind: state_counts(Counter(one.state for one in found)) for kind, found in self.kernels.items()}
        return {
            "schema": SCHEMA,
            "verdict": CONFORMS if self.conforms else REFUSED,
            "exit": self.exit_code,
            "release": {"version": self.version, "commit": self.commit},
            "evaluated_at": instant(self.evaluated_at),
            "engine": {
                "name": self.engine,
                "whole_graph": [{"shape": shape, "because": because} for shape, because in self.whole],
                "canaries": {
                    "constraints": self.canaries.constraints,
                    "unplanted": [one._asdict() for one in self.canaries.unplanted],
                },
            },
            "scope": self.scope.to_json() if self.scope else None,
            "counts": {
                "cells": self.counts,
                **kernels,
                "orphan_rows": self.orphan_rows,
                "receipts": self.receipts,
            },
            "shapes": [
                {"id": s.id, "focus_nodes": s.focus_nodes, "violations": s.violations} for s in self.shapes
            ],
            "findings": [finding.to_json() for finding in self.findings] if findings else [],
            "declaimed": [declaimed.to_json() for declaimed in self.declaimed],
            "known_failures": [known.to_json() for known in self.known_failures],
            "signatures": [signature.to_json() for signature in self.signatures],
            "retired": [retired.to_json() for retired in self.retired],
            "previous": since.to_json(self.ground.previous),
            "inputs": [{"path": path, "sha256": sha256} for path, sha256 in self.inputs],
        }  # fmt: skip


def state_counts(states: Counter[str]) -> dict[str, int]:
    """Return the states as JSON counts: a known failure is a failure, and counted apart only where there is one."""
    failed = states[FAILED] + states[KNOWN]
    counts = {
        "owed": states[PASSED] + states[MISSING] + failed, PASSED: states[PASSED], MISSING: states[MISSING],
        FAILED: failed, DECLAIMED: states[DECLAIMED],
    }  # fmt: skip
    return counts | ({KNOWN: states[KNOWN]} if states[KNOWN] else {})


def instant(moment: datetime.datetime) -> str:
    """Return a moment in UTC as `2026-10-12T09:00:00Z`."""
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")


def compose(
    ground: Ground,
    nodes: Nodes,
    judgement: Judgement,
    shapes: Shapes,
    outcome: Outcome,
    canaries: Canaries,
) -> Verdict:
    """Return the verdict that a judgement amounts to.

    Args:
        ground: what was judged.
        nodes: every node of the graph by IRI, in the order that findings come in.
        judgement: what the judge rejected, and what it judged.
        shapes: the shapes that judged.
        outcome: what rejects the obligations that decisions cover.
        canaries: the planted faults that were seen.
    """
    findings = find(judgement.results, nodes, shapes)
    judged = {file: len({owner(iri, nodes) for iri in found}) for file, found in judgement.focus_nodes.items()}
    red: dict[str, set[str]] = {}
    reasons: dict[str, set[str]] = {}
    for finding in findings:
        if finding.severity == "violation":
            red.setdefault(finding.shape, set()).add(finding.owner)
            # A project's own shape may call its reason what it likes; what is missing, the gate's own shapes say.
            is_own = finding.shape not in shapes.users
            reasons.setdefault(finding.owner, set()).add(finding.reason if is_own else "failed")
    nothing: set[str] = set()
    counted = [
        CellState(node, _state(node, reasons.get(iri, nothing), outcome))
        for iri, node in nodes.items()
        if node.types[0] in _COUNTED
    ]
    cells = [one for one in counted if one.node.types[0] in CELLS]
    aside: dict[str, CellState] = {one.node.iri: one for one in counted if one.state == DECLAIMED}
    document = ground.rules.document
    return Verdict(
        project=document.project.name,
        repository=document.project.repository,
        version=ground.subject.version,
        commit=ground.subject.commit,
        tag=ground.subject.tag,
        engine=judgement.engine,
        whole=judgement.whole,
        canaries=canaries,
        evaluated_at=ground.moment,
        shapes=tuple(ShapeCount(f, judged[f], len(red.get(f, ()))) for f in shapes.files),
        findings=findings,
        cells=tuple(cells),
        kernels=_of_kinds(KERNELS, counted),
        others=_of_kinds(OTHERS, counted),
        hosts=_hosts(ground, cells),
        declaimed=withdrawn.declaimed(ground, aside, outcome),
        known_failures=withdrawn.known_failures(ground, nodes, outcome),
        scope=withdrawn.scope(ground, nodes, outcome),
        inputs=_inputs(ground, shapes),
        receipts=len(ground.ledger.receipts),
        ledger=document.project.ledger,
        nodes=nodes,
        labels=shapes.labels,
        comments=shapes.comments,
        signatures=ground.trust.signatures,
        ground=ground,
        judging=shapes,
        focus_nodes=judgement.focus_nodes,
    )


def _of_kinds(kinds: Mapping[str, set[str]], counted: list[CellState]) -> dict[str, tuple[CellState, ...]]:
    """Return the obligations of each kind, without the kinds that the release owes nothing of."""
    found = {kind: tuple(one for one in counted if one.node.types[0] in types) for kind, types in kinds.items()}
    return {kind: own for kind, own in found.items() if own}


def _state(node: Node, reasons: set[str], outcome: Outcome) -> str:
    if node.types[0].startswith("Declaimed"):
        return DECLAIMED
    if node.types[0].startswith("Known"):
        # What a known failure stands for is red all the same: a decision is no measurement.
        return MISSING if any(found.reason == "missing" for found in outcome.found[node.iri]) else KNOWN
    if not reasons:
        return PASSED
    return MISSING if "missing" in reasons else FAILED


def _hosts(ground: Ground, cells: Iterable[CellState]) -> tuple[HostSummary, ...]:
    states: dict[str, Counter[str]] = {host.id: Counter() for host in ground.rules.required_hosts}
    for cell in cells:
        states[str(cell.node.host)][cell.state] += 1
    return tuple(HostSummary(h.id, h.gpu, h.compute, dict(states[h.id])) for h in ground.rules.required_hosts)


def _inputs(ground: Ground, shapes: Shapes) -> tuple[tuple[str, str], ...]:
    """Return the path and sha256 of everything that the verdict rests on, sorted by path."""
    files = [ground.rules.file, *shapes.inputs, *(receipt.file for receipt in ground.ledger.receipts)]
    files += ground.trust.inputs
    files += [f for f in (ground.decisions.file, ground.contexts.file, ground.subject.file) if f is not None]
    files += [ground.ledger.tickets.file] if ground.ledger.tickets is not None else []
    files += since.files(ground.previous)
    digests = {file.path: file.sha256 for file in files}
    digests |= {path: sha256 for path, sha256 in ground.ledger.evidence.items() if sha256 is not None}
    return tuple(sorted(digests.items()))
