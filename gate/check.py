"""The straight line: subject, rules, decisions and ledger; obligations; graph; judge; verdict.

What decisions cover is judged twice: once as if it were owed, so that the decisions can be judged by what came of it.
"""

from __future__ import annotations

import datetime
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gate import contexts, decisions, ledger, obligations, rules, subject, trust
from gate.errors import CallersError, Declined
from gate.iris import Iri, term
from gate.obligations import aside
from gate.obligations.ground import Ground
from gate.obligations.outcome import Found, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from gate.findings import Finding
    from gate.judging.judge import Engine
    from gate.ledger.rows import Ledger
    from gate.nodes import Nodes
    from gate.obligations.node import Node
    from gate.shape_files import Shapes
    from gate.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Request:
    """What the caller asks: which rules, which tag, at which commit (None: look it up), as of when (None: now).

    `given` is what names the commit, for messages.
    """

    rules: Path
    tag: str
    commit: str | None = None
    now: datetime.datetime | None = None
    given: str = "--commit"


def silent(stage: str) -> None:
    """Say nothing of a stage: what `check` does where nobody watches."""


@dataclass(frozen=True, slots=True)
class Case:
    """What is brought before the judge: the inputs, the shapes, and every node.

    `outcome` is what the shapes said of the obligations that decisions cover, judged as if none did.
    """

    ground: Ground
    shapes: Shapes
    outcome: Outcome
    nodes: Nodes


def survey(request: Request, stage: Callable[[str], None] = silent) -> Ground:
    """Read every input of the release.

    Raises:
        GateError: something can't be read, or there is nothing to judge.
    """
    stage("reading the rules and decisions")
    read_rules = rules.read(request.rules)
    read_decisions = decisions.read(read_rules)
    read_contexts = contexts.read(read_rules)
    found = subject.find(read_rules, request.tag, request.commit, request.given)
    stage("reading the receipts")
    read_ledger = ledger.read(read_rules, found)
    moment = _moment(read_ledger, request.now)
    stage("verifying the signatures")
    read_trust = trust.read(read_rules, read_decisions, read_ledger, found, moment)
    counted = trust.counted_decisions(read_trust, read_decisions), trust.counted_receipts(read_trust, read_ledger)
    stage("reading the release before")
    from gate import earlier, shape_history

    shapes = shape_history.files(read_rules.folder)
    before = earlier.previous(read_rules, found.version, shapes, counted[0], moment)
    return Ground(found, read_rules, read_contexts, *counted, read_trust, shapes, before)


def prepare(request: Request, engine: Engine | None = None, stage: Callable[[str], None] = silent) -> Case:
    """Derive what the release owes, and what its decisions leave of that.

    Args:
        request: what to judge.
        engine: what judges; `gate.judging.classes` where none is given.
        stage: told the name of each step as it begins.

    Raises:
        CallersError: bad flags or malformed input (exit code 3).
        Declined: nothing to judge, or a gate that can't be trusted (exit code 2).
    """
    return bring(survey(request, stage), engine, stage)


def bring(ground: Ground, engine: Engine | None = None, stage: Callable[[str], None] = silent) -> Case:
    """Bring a release that was read before the judge: see `prepare`."""
    from gate import shape_files
    from gate.judging.classes import Classes
    from gate.nodes import Nodes

    stage("reading the shapes")
    shapes = shape_files.read(ground.rules.folder / shape_files.FOLDER)
    stage("deriving what is owed")
    owed = obligations.owed(ground)
    outcome = _rehearse(engine or Classes(), ground, shapes, owed)
    set_aside = aside.set_aside(ground, owed, outcome)
    standing = [aside.reclassed(node, set_aside) for node in owed] if set_aside else owed
    nodes = Nodes.of([*standing, *obligations.decisions(ground, outcome)])
    return Case(ground, shapes, outcome, nodes)


def check(request: Request, engine: Engine | None = None, stage: Callable[[str], None] = silent) -> Verdict:
    """Judge a release.

    Args, and what is raised: those of `prepare`.
    """
    return assess(survey(request, stage), engine, stage)


def assess(ground: Ground, engine: Engine | None = None, stage: Callable[[str], None] = silent) -> Verdict:
    """Judge a release that was read: see `check`."""
    from gate import verdict
    from gate.judging import canaries, judge
    from gate.judging.classes import Classes

    engine = engine or Classes()
    case = bring(ground, engine, stage)
    stage("judging")
    judgement = judge.judge(engine, case.nodes, case.shapes)
    _refuse_vacuous(case.shapes, judgement.focus_nodes, case.nodes)
    stage("judging the canaries")
    planted = canaries.watch(engine, case.shapes)
    stage("composing the verdict")
    return verdict.compose(case.ground, case.nodes, judgement, case.shapes, case.outcome, planted)


def _rehearse(engine: Engine, ground: Ground, shapes: Shapes, owed: list[Node]) -> Outcome:
    """Judge the obligations that decisions cover as if none did: a decision is judged by what comes of it."""
    from gate import findings
    from gate.judging import judge
    from gate.nodes import Nodes

    covered = aside.rehearsed(ground, owed)
    if not covered:
        return Outcome()
    nodes = Nodes.of(node for node in owed if (node.owner or node.iri) in covered)
    results = judge.judge(engine, nodes, shapes).results
    found: dict[Iri, list[Found]] = {iri: [] for iri in covered}
    for finding in findings.find(results, nodes, shapes):
        if finding.severity == "violation" and Iri(finding.owner) in found:
            found[Iri(finding.owner)].append(_found(finding))
    ran = frozenset(node.owner for node in nodes.values() if node.owner is not None and _ran(nodes[node.owner], node))
    return Outcome({iri: tuple(rejections) for iri, rejections in found.items()}, ran)


def _found(finding: Finding) -> Found:
    texts = (finding.brief(), finding.property, finding.says)
    absent = finding.result.component == "MinCountConstraintComponent"
    return Found(finding.brief(), finding.reason, finding.message, texts, finding.recorded, absent)


def _ran(obligation: Node, part: Node) -> bool:
    """Say whether a part of an obligation is a run that something came of; of a suite, a check that failed.

    A refusal is one where a refusal is owed.
    """
    kind = obligation.types[0]
    ended = {"fail", "error"} if kind == "Suite" else {"pass", "fail", "error"}
    ended |= {"refused"} if kind == "RefusalCell" else set()
    return any(name == "verdict" and value in {term(verdict) for verdict in ended} for name, value in part.facts)


def before(verdict: Verdict) -> Verdict | None:
    """Judge the release before the one of `verdict`, as its tag has it, by today's shapes; None where there is none.

    Raises:
        GateError: it can't be judged.
    """
    from gate import earlier

    if not verdict.ground.previous:
        return None
    last, at = verdict.ground.previous[0], verdict.evaluated_at
    with earlier.release(verdict.ground.rules, last.version, last.origin.commit, at) as ground:
        return assess(ground)


def _refuse_vacuous(shapes: Shapes, focus_nodes: Mapping[str, list[str]], nodes: Nodes) -> None:
    """Refuse to judge where a shape would pass because it found nothing, or other nodes than those that are owed."""
    of_types = Counter(node.types for node in nodes.values())
    for name, kind in obligations.kinds().items():
        if name not in focus_nodes:
            raise Declined(f"the gate has no shape for the obligation {name}: it can't be trusted; install it again")
        if {wanted for _, wanted in shapes.targets[name]} != {str(term(target)) for target in kind.TARGETS}:
            raise Declined(f"the shapes of {name} don't target {' and '.join(kind.TARGETS)}: the gate can't be trusted")
        if kind.REQUIRED and not focus_nodes[name]:
            raise Declined(f"the shape {name} found nothing to judge: without a {name} nothing is owed")
        owed = {types for types in of_types if not set(kind.TARGETS).isdisjoint(types)}
        wanted, found = sum(of_types[types] for types in owed), focus_nodes[name]
        if len(set(found)) != wanted or not all(iri in nodes and nodes[iri].types in owed for iri in found):
            raise Declined(f"the shape {name} found {len(found)} nodes where {wanted} are owed")
    for name, target in shapes.users_targets():
        if not nodes.targeted(*target):
            raise Declined(f"shapes/{name}.ttl found nothing to judge: its target {target[1]} matches no node")


def _utc(moment: datetime.datetime) -> str:
    return moment.astimezone(datetime.UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _moment(read: Ledger, now: datetime.datetime | None) -> datetime.datetime:
    """Return the moment of judging, which never lies before the newest receipt: nobody chooses a convenient clock."""
    moment = now or datetime.datetime.now(datetime.UTC)
    measured = [(r.measured_at, r.file.path) for r in read.receipts if r.measured_at is not None]
    dated = [(at, f"{path} was measured") for at, path in measured]
    if read.tickets is not None:
        dated.append((read.tickets.imported_at, f"{read.tickets.file.path} was imported"))
    newest, what = max(dated, default=(None, ""))
    if newest is not None and moment < newest:
        words = f"{what} at {_utc(newest)}, after the moment of judging, {_utc(moment)}"
        raise CallersError(f"--now: {words}") if now else Declined(f"the clock can't be trusted: {words}")
    return moment.astimezone(datetime.UTC)
