"""The straight line: subject, rules, decisions and ledger; obligations; graph; judge; verdict."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gate import contexts, decisions, ledger, obligations, rules, subject
from gate.errors import CallersError, Declined
from gate.iris import term
from gate.obligations.ground import Ground

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from rdflib import Graph

    from gate.judge import Engine
    from gate.obligations.node import Node
    from gate.shape_files import Shapes
    from gate.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Request:
    """What the caller asks: which rules, which tag, at which commit (None: look it up), as of when (None: now)."""

    rules: Path
    tag: str
    commit: str | None = None
    now: datetime.datetime | None = None


def silent(stage: str) -> None:
    """Say nothing of a stage: what `check` does where nobody watches."""


def survey(request: Request, stage: Callable[[str], None] = silent) -> Ground:
    """Read every input of the release.

    Raises:
        GateError: something can't be read, or there is nothing to judge.
    """
    stage("reading the rules and decisions")
    read_rules = rules.read(request.rules)
    read_decisions = decisions.read(read_rules)
    read_contexts = contexts.read(read_rules)
    found = subject.find(read_rules, request.tag, request.commit)
    stage("reading the receipts")
    read_ledger = ledger.read(read_rules, found)
    stage("reading the release before")
    from gate import earlier, shape_history

    shapes = shape_history.files(read_rules.folder)
    before = earlier.previous(read_rules, found.version, shapes, read_decisions)
    return Ground(found, read_rules, read_contexts, read_decisions, read_ledger, shapes, before)


def derive(ground: Ground) -> tuple[dict[str, Node], Graph]:
    """Return the nodes of the release by IRI, and its graph.

    Raises:
        Declined: two obligations would be one node.
    """
    from gate import graph

    nodes: dict[str, Node] = {}
    for kind in obligations.derive(ground).values():
        for node in kind:
            if nodes.setdefault(node.iri, node) is not node:
                raise Declined(f"two obligations are one node, {node.iri}: the gate can't be trusted; report this")
    return nodes, graph.build(nodes.values())


def check(request: Request, engine: Engine | None = None, stage: Callable[[str], None] = silent) -> Verdict:
    """Judge a release.

    Args:
        request: what to judge.
        engine: what judges; pyshacl where none is given.
        stage: told the name of each step as it begins.

    Raises:
        CallersError: bad flags or malformed input (exit code 3).
        Declined: nothing to judge, or a gate that can't be trusted (exit code 2).
    """
    return assess(survey(request, stage), request.now, engine, stage)


def assess(
    ground: Ground, now: datetime.datetime | None, engine: Engine | None = None, stage: Callable[[str], None] = silent
) -> Verdict:
    """Judge a release that was read: see `check`."""
    from gate import judge, shape_files, verdict

    evaluated_at = _evaluated_at(ground, now)
    stage("reading the shapes")
    shapes = shape_files.read(ground.rules.folder / shape_files.FOLDER)
    stage("building the graph")
    nodes, graph = derive(ground)
    focus_nodes = {file: shapes.focus_nodes(file, graph) for file in shapes.files}
    _refuse_vacuous(shapes, focus_nodes, nodes, graph)
    stage("judging")
    results = judge.judge(engine or judge.PySHACL(), graph, shapes)
    stage("composing the verdict")
    return verdict.compose(ground, nodes, results, shapes, focus_nodes, evaluated_at)


def before(verdict: Verdict) -> Verdict | None:
    """Judge the release before the one of `verdict`, as its tag has it, by today's shapes; None where there is none.

    Raises:
        GateError: it can't be judged.
    """
    from gate import earlier

    if not verdict.ground.previous:
        return None
    previous = verdict.ground.previous[0]
    with earlier.release(verdict.ground.rules, previous.version, previous.origin.commit) as ground:
        return assess(ground, verdict.evaluated_at)


def _refuse_vacuous(
    shapes: Shapes, focus_nodes: Mapping[str, set[str]], nodes: Mapping[str, Node], graph: Graph
) -> None:
    """Refuse to judge where a shape would pass because it found nothing, or fewer nodes than are owed."""
    for name, kind in obligations.kinds().items():
        if name not in focus_nodes:
            raise Declined(f"the gate has no shape for the obligation {name}: it can't be trusted; install it again")
        if {wanted for _, wanted in shapes.targets[name]} != {str(term(target)) for target in kind.TARGETS}:
            raise Declined(f"the shapes of {name} don't target {' and '.join(kind.TARGETS)}: the gate can't be trusted")
        if kind.REQUIRED and not focus_nodes[name]:
            raise Declined(f"the shape {name} found nothing to judge: without a {name} nothing is owed")
        owed = {iri for iri, node in nodes.items() if not set(kind.TARGETS).isdisjoint(node.types)}
        if owed != focus_nodes[name]:
            raise Declined(f"the shape {name} found {len(focus_nodes[name])} nodes where {len(owed)} are owed")
    for name, target in shapes.users_targets():
        if not shapes.targeted(graph, *target):
            raise Declined(f"shapes/{name}.ttl found nothing to judge: its target {target[1]} matches no node")


def _utc(moment: datetime.datetime) -> str:
    return moment.astimezone(datetime.UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _evaluated_at(ground: Ground, now: datetime.datetime | None) -> datetime.datetime:
    """Return the moment of judging, which never lies before the newest receipt: nobody chooses a convenient clock."""
    moment = now or datetime.datetime.now(datetime.UTC)
    dated = [(r.measured_at, r.file.path) for r in ground.ledger.receipts if r.measured_at is not None]
    newest, path = max(dated, default=(None, ""))
    if newest is not None and moment < newest:
        words = f"{path} was measured at {_utc(newest)}, after the moment of judging, {_utc(moment)}"
        raise CallersError(f"--now: {words}") if now else Declined(f"the clock can't be trusted: {words}")
    return moment.astimezone(datetime.UTC)
