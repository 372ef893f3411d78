"""The rungs of an aprender model ladder: one model on one host, with its gates, and a leg for each backend.

A rung becomes one row a verb (run, chat, code, serve) of its GPU leg. A CPU leg beside a GPU leg is left out and
counted: a cell asks for one backend, and a second row would leave open which one counts.

What is taken for a pass: every gate that wasn't skipped passed, `capability_match` and `golden_output` among them;
`qa_rc` is 0; `sha_ok`; the leg ran, fell back nowhere and let no special token out; and the verb itself ran, ended
with 0 and was found no fault with (`output_bad`). Serving passes only if it was probed and every route was ok, with an
HTTP 2xx. The flag `green` decides nothing; where it differs from the checks, that is a contradiction, and reported.

A skipped check is not a pass, whatever its `passed` says. So is `golden_output` where its message says that the GPU
leg was skipped: then nothing judged what the GPU answered. What is null or absent is unknown: a row without a fault
and with something unknown has no verdict. `used_gpu` says where serving ran, null says nothing; `code` runs on what
was served.

A rung names no context, no thinking mode and no prompt: its rows say none, and key onto no sized cell.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from pydantic import BaseModel, ConfigDict

from gate.ledger.rows import RunRow, Told
from gate.names import Name
from gate.rules import Sha256

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

CPU = "cpu"
VERBS = ("run", "chat", "code", "serve")
OWED_GATES = ("capability_match", "golden_output")
INHERITED = "inherited-from-spawned-serve"
MOST = 400  # characters of a gate's message

_GPU_LEG_SKIPPED = re.compile(r"\bGPU leg skipped\b", re.IGNORECASE)


class _Foreign(BaseModel):
    # Fields that this reader has no use for are allowed, and their names are counted as left out.
    model_config = ConfigDict(extra="allow", strict=True, frozen=True, defer_build=True)


class Check(_Foreign):
    """One gate of a rung."""

    passed: bool | None = None
    skipped: bool | None = None
    message: str | None = None


class Route(_Foreign):
    """One route of a served model."""

    http: int | None = None
    ok: bool | None = None
    used_gpu: bool | None = None
    output_bad: str | None = None


class VerbRun(_Foreign):
    """A verb that is one process."""

    ran: bool | None = None
    rc: int | None = None
    backend: Name | None = None
    output_bad: str | None = None
    refusal: str | None = None


class Serve(_Foreign):
    """The verb that stays up: a server and its routes."""

    probed: bool | None = None
    routes: dict[str, Route] = {}


class Verbs(_Foreign):
    """The verbs of a leg; one that isn't there wasn't tried."""

    run: VerbRun | None = None
    chat: VerbRun | None = None
    code: VerbRun | None = None
    serve: Serve | None = None


class Leg(_Foreign):
    """One backend's part of a rung."""

    ran: bool | None = None
    fallback: bool | None = None
    escaped_special: bool | None = None
    rc: int | None = None
    verbs: Verbs = Verbs()


class Fit(_Foreign):
    """What another tool estimated of the model's memory before anything ran."""

    verdict: str | None = None
    reason: str | None = None


class Rung(_Foreign):
    """One model: not held (`present` is false), refused before it ran (`refused`), or measured."""

    file: Name
    sha256: Sha256 | None = None
    present: bool | None = None
    sha_ok: bool | None = None
    qa_rc: int | None = None
    gates: dict[str, Check] = {}
    gates_failed: list[str] | None = None
    capability_match: Check | None = None
    golden_output: Check | None = None
    backends: dict[Name, Leg] = {}
    green: bool | None = None
    refused: Name | None = None
    fit: Fit | None = None


class Rungs(_Foreign):
    """The list of them, as a document holds it."""

    rungs: list[Rung]


class Tried(NamedTuple):
    """A row, and the backend that was asked for (None: nothing was started)."""

    requested: str | None
    row: RunRow


@dataclass(frozen=True, slots=True)
class Found:
    """What speaks against a pass: what failed, what was skipped, and what nobody knows."""

    failed: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)

    def asked(self, what: str, value: object, wanted: object) -> None:
        """Take note of a value that should be `wanted`."""
        if value is None:
            self.unknown.append(f"{what} is unknown")
        elif value != wanted:
            self.failed.append(f"{what} is {str(value).lower()}")

    def with_all(self, other: Found) -> Found:
        """Return both."""
        return Found(self.failed + other.failed, self.skipped + other.skipped, self.unknown + other.unknown)

    @property
    def verdict(self) -> str | None:
        """The verdict of the row; None where nothing speaks against a pass and something is unknown."""
        if self.failed or self.skipped:
            return "fail" if self.failed else "skip"
        return None if self.unknown else "pass"

    @property
    def reason(self) -> str:
        """Why it is no pass, in words; empty where it is one."""
        return "; ".join(self.failed or self.skipped or self.unknown)


def rows(rung: Rung, host: str, place: str) -> list[Tried]:
    """Return the rows of a rung that stands at `place`: none where the host doesn't hold the model."""
    if rung.present is False:
        return []
    if rung.refused is not None:
        return [Tried(None, _refused(rung, host, place, verb)) for verb in VERBS]
    shared = _gates(rung)
    return [
        Tried(name, _row(rung, host, f"{place}.backends.{name}.verbs.{verb}", (name, leg, verb), shared))
        for name, leg in _legs(rung)
        for verb in VERBS
        if getattr(leg.verbs, verb) is not None
    ]


def _legs(rung: Rung) -> list[tuple[str, Leg]]:
    """Return the GPU legs; the CPU leg only where it stands alone."""
    gpu = [(name, leg) for name, leg in rung.backends.items() if name != CPU]
    return gpu or list(rung.backends.items())


def _refused(rung: Rung, host: str, place: str, verb: str) -> RunRow:
    said = rung.fit.reason if rung.fit and rung.fit.reason else f"refused: {rung.refused}"
    told = Told(host, verb, None, None, verdict="refused")
    return RunRow(f"{place}.refused, {verb}", rung.file, rung.sha256, told, reason=said)


def _row(rung: Rung, host: str, place: str, tried: tuple[str, Leg, str], shared: Found) -> RunRow:
    name, leg, verb = tried
    run = getattr(leg.verbs, verb)
    found = shared.with_all(_golden_of_gpu(rung, name)).with_all(_leg(name, leg)).with_all(_verb(verb, run))
    backend, fell_back = _where(name, leg, verb)
    told = Told(
        host, verb, None, None, verdict=found.verdict, backend=backend, fell_back=fell_back,
        exit_code=run.rc if isinstance(run, VerbRun) else None,
    )  # fmt: skip
    return RunRow(place, rung.file, rung.sha256, told, reason=found.reason or None)


def _gates(rung: Rung) -> Found:
    """What the gates, which judge the model and no one verb, say."""
    found = Found()
    for name, check in rung.gates.items():
        message = f"{name}: {(check.message or 'no message')[:MOST]}"
        if check.skipped:
            if name in OWED_GATES:
                found.skipped.append(message)
        elif check.passed is None:
            found.unknown.append(f"{name}.passed is unknown")
        elif not check.passed:
            found.failed.append(message)
    found.unknown.extend(f"{name} was not reported" for name in OWED_GATES if name not in rung.gates)
    if not found.failed:
        found.asked("qa_rc", rung.qa_rc, 0)
    found.asked("sha_ok", rung.sha_ok, wanted=True)
    return found


def _golden_of_gpu(rung: Rung, backend: str) -> Found:
    """What the golden check says of a GPU that it never asked: nothing."""
    golden = rung.gates.get("golden_output")
    if backend != CPU and golden and not golden.skipped and _GPU_LEG_SKIPPED.search(golden.message or ""):
        return Found(skipped=[f"golden_output: {golden.message}"])
    return Found()


def _leg(name: str, leg: Leg) -> Found:
    found = Found()
    if leg.fallback:
        found.failed.append(f"{name} fell back")
    found.asked(f"{name}.ran", leg.ran, wanted=True)
    found.asked(f"{name}.rc", leg.rc, 0)
    if not leg.fallback:
        found.asked(f"{name}.fallback", leg.fallback, wanted=False)
    found.asked(f"{name}.escaped_special", leg.escaped_special, wanted=False)
    return found


def _verb(verb: str, run: VerbRun | Serve) -> Found:
    found = Found()
    if isinstance(run, Serve):
        found.asked("serve.probed", run.probed, wanted=True)
        if not run.routes:
            found.unknown.append("serve names no route")
        bad = [f"{path} ({said})" for path, route in run.routes.items() if (said := _route_fault(route))]
        if bad:
            found.failed.append(f"serve: {len(bad)} of {len(run.routes)} routes failed: {', '.join(bad)}")
        found.unknown.extend(
            f"{path} says too little"
            for path, route in run.routes.items()
            if not _route_fault(route) and (route.ok is None or route.http is None)
        )
        return found
    found.asked(f"{verb}.ran", run.ran, wanted=True)
    found.asked(f"{verb}.rc", run.rc, 0)
    for what, words in (("output", run.output_bad), ("refusal", run.refusal)):
        if words is not None:
            found.failed.append(f"{verb} {what}: {words}")
    return found


def _route_fault(route: Route) -> str:
    if route.http is not None and not 200 <= route.http < 300:
        return f"HTTP {route.http}"
    if route.output_bad is not None:
        return route.output_bad or "output_bad says nothing"
    return "ok is false" if route.ok is False else ""


def _where(name: str, leg: Leg, verb: str) -> tuple[str | None, bool | None]:
    """Return the backend that a verb ran on, and whether it fell back: each None unless the rung says it."""
    run = getattr(leg.verbs, verb)
    if isinstance(run, VerbRun) and run.backend != INHERITED:
        ran = run.ran and leg.ran and not leg.fallback
        return (run.backend or name) if ran else None, leg.fallback
    # What is served says where it ran by `used_gpu` alone.
    said = {route.used_gpu for route in leg.verbs.serve.routes.values()} if leg.verbs.serve else set()
    if leg.fallback or (name != CPU and False in said):
        return None, True
    if said == {name != CPU} and leg.ran:
        return name, leg.fallback
    return None, None


def contradictions(rung: Rung, tried: list[Tried], place: str) -> Iterator[str]:
    """Yield each place where a rung says two things that can't both be true."""
    at = f"{place} ({rung.file})"
    for said in (*_flag(rung, tried), *_summaries(rung), *_of_legs(rung)):
        yield f"{at}: {said}"


def _flag(rung: Rung, tried: list[Tried]) -> Iterator[str]:
    """Yield where `green` differs from the checks."""
    against: dict[str, list[str]] = {}
    for _, row in tried:
        if row.verdict != "pass":
            against.setdefault(row.reason or "no reason", []).append(row.verb)
    if rung.green and (against or not tried):
        why = "; ".join(f"{', '.join(verbs)}: {reason}" for reason, verbs in against.items()) or "nothing ran"
        yield f"green is true with qa_rc {rung.qa_rc}, and its checks say otherwise: {why}"
    if rung.green is False and tried and not against:
        yield "green is false, and every check passes"
    if rung.present is False and (rung.green or rung.backends):
        yield "present is false, and it was measured"


def _summaries(rung: Rung) -> Iterator[str]:
    """Yield where what sums up the gates differs from them."""
    failed = sorted(name for name, check in rung.gates.items() if check.passed is False and not check.skipped)
    if rung.gates_failed is not None and sorted(rung.gates_failed) != failed:
        yield f"gates_failed is {rung.gates_failed}, and the gates that failed are {failed}"
    if rung.qa_rc == 0 and failed:
        yield f"qa_rc is 0, and {', '.join(failed)} failed"
    if rung.qa_rc and rung.gates and not failed:
        yield f"qa_rc is {rung.qa_rc}, and no gate failed"
    for name in OWED_GATES:
        above = getattr(rung, name)
        if above is not None and name in rung.gates and above != rung.gates[name]:
            yield f"{name} differs from the gate of that name"
    for name, check in rung.gates.items():
        if check.passed and check.skipped:
            yield f"{name} says that it passed and that it was skipped"


def _of_legs(rung: Rung) -> Iterator[str]:
    for name, leg in rung.backends.items():
        if leg.fallback and leg.ran:
            yield f"{name} says that it ran and that it fell back"
        for verb in ("run", "chat", "code"):
            run = getattr(leg.verbs, verb)
            if run is not None and run.ran and leg.ran is False:
                yield f"{name}.ran is false, and {verb}.ran is true"
        routes = leg.verbs.serve.routes if leg.verbs.serve else {}
        bad = [path for path, route in routes.items() if route.ok and _route_fault(route)]
        if bad:
            yield f"{name}: ok is true of {', '.join(bad)}, and it failed: {_route_fault(routes[bad[0]])}"
        if name == CPU and any(route.used_gpu for route in routes.values()):
            yield f"{name}: a route says that it used the GPU"


def left_out(rungs: Iterable[Rung]) -> dict[str, int]:
    """Count what the rows don't hold: rungs without rows, CPU legs, and fields that this reader has no use for."""
    found: Counter[str] = Counter()
    for rung in rungs:
        found["rungs of models that the host doesn't hold or isn't asked for"] += rung.present is False
        found["CPU legs beside a GPU leg"] += len(rung.backends) - len(_legs(rung))
        found["rungs that nothing ran of"] += not rung.backends and rung.present is not False and rung.refused is None
        for name in _unread(rung):
            found[f"rungs, the field {name}"] += 1
    return {what: count for what, count in found.items() if count}


def _unread(model: BaseModel) -> Iterator[str]:
    yield from model.model_extra or {}
    for name in type(model).model_fields:
        value = getattr(model, name)
        for inner in value.values() if isinstance(value, dict) else (value,):
            if isinstance(inner, BaseModel):
                yield from _unread(inner)
