"""`crux-inference-receipt/v1`: one run of the smoke that asks several engines the same questions on one host.

It is read as a run of the suite `crux-smoke`, one row a cell. What is taken for a pass: a cell whose verdict is `GREEN`
and whose own checks say the same: the product's engine answered, ended with 0 and was right; where it says where it ran
(its `run` verb alone does), it ran where it was asked to, without falling back; no reason is recorded against the cell;
where a quorum is recorded, it was met. An answer that nobody recorded isn't one, and a skipped cell is `skip`, whatever
else it says. `RED` is a failure, and `ALL_WRONG` is one too: the product was wrong, if in company. `UNJUDGED` compared
nothing, and is `skip`. Where the verdict and the checks say different things, the row fails, and the receipt's
contradiction is reported.

The suite says GO where the summary's verdict is `PASS`. How many cells the summary speaks of is kept as what the
receipt claims: a shape holds it against the rows that are there. The receipt's `version` stands at the top level, its
commit in `apr.sha` where that is a full one; a short commit, as in `apr.version_line`, can only contradict.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from gate.errors import BadFile
from gate.ledger.foreign import Foreign
from gate.ledger.instants import Instant
from gate.ledger.rows import Binding, Receipt, SuiteRow, SuiteRun
from gate.malformed import checked
from gate.names import Name
from gate.rules import Sha256, Text
from gate.subject import FULL_COMMIT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gate.files import InputFile

SUITE = "crux-smoke"
_PRODUCT = "apr"
_VERSION_LINE = re.compile(r"apr (\S+) \(([0-9a-f]+)\)")
_VERDICTS = {"PASS": "go", "RED": "no-go", "DECLINE": "no-go"}
_NOT_RUN = {"UNJUDGED"}


class CruxBackend(Foreign):
    """Where an engine ran."""

    requested: str | None = None
    ran: str | None = None
    fell_back: bool | None = None


class CruxEngine(Foreign):
    """One engine's answer to a cell."""

    answered: bool | None = None
    rc: int | None = None
    correct: bool | None = None
    skipped: bool | None = None
    backend: CruxBackend | None = None


class CruxQuorum(Foreign):
    """Whether enough engines answered."""

    met: bool | None = None


class CruxParity(Foreign):
    """Whether the prompt's token ids are the comparator's."""

    measured: bool | None = None
    parity: bool | None = None


class CruxKey(Foreign):
    """What a cell asked: some keys are there for some verbs only, and all of them tell cells apart."""

    model_sha256: Sha256
    host: Name
    verb: Text
    thinking: Text | None = None
    rung: Text | None = None
    prompt_id: Text | None = None
    mode: Text | None = None
    route: Text | None = None


class CruxSubject(Foreign):
    """What a cell measured."""

    apr_version: str | None = None


class CruxCell(Foreign):
    """One cell."""

    key: CruxKey
    verdict: Literal["GREEN", "RED", "ALL_WRONG", "UNJUDGED"]
    skipped: bool | None = None
    reasons: list[str] = []
    all_wrong: bool | None = None
    quorum: CruxQuorum | None = None
    engines: dict[str, CruxEngine] = {}
    subject: CruxSubject = CruxSubject()
    token_parity: CruxParity = CruxParity()


class CruxModel(Foreign):
    """A model that was asked."""

    name: Text
    sha256: Sha256


class CruxApr(Foreign):
    """The product that was measured."""

    version_line: str | None = None
    sha: str | None = None


class CruxSummary(Foreign):
    """What the receipt says of its cells."""

    cells: Annotated[int, Field(ge=0, le=2**53)] | None = None
    verdict: Literal["PASS", "RED", "DECLINE"] | None = None


class Crux(Foreign):
    """The document."""

    version: str | None = None
    host: Name
    judged_at: Instant | None = None
    apr: CruxApr = CruxApr()
    models: list[CruxModel] = []
    cells: list[CruxCell]
    deterministic: list[Any] = []
    greedy: list[Any] = []
    not_covered: list[Any] = []
    summary: CruxSummary = CruxSummary()


def read(file: InputFile, schema: str, document: Any, lines: Iterable[tuple[int, Any]] | None) -> Receipt:
    """Return the smoke receipt in `file`.

    Raises:
        BadFile: it is no such document; the message names each place.
    """
    if lines is not None:
        raise BadFile(file.path, "line 1", f"{schema} is one JSON object", "Name the file .json.")
    crux = checked(Crux, document, file.path)
    rows, contradictions = [], []
    for index, cell in enumerate(crux.cells):
        result, note = _judged(cell)
        rows.append(SuiteRow(_name(cell, crux.models), result, note))
        if (result == "pass") != (cell.verdict == "GREEN") or note.endswith(_UNEXPLAINED):
            contradictions.append(f"cells[{index}]: {note}")
    verdict = _VERDICTS[crux.summary.verdict] if crux.summary.verdict else None
    return Receipt(
        file, schema, _binding(crux), measured_at=crux.judged_at, producer=SUITE, host=crux.host,
        suite=SuiteRun(SUITE, verdict, tuple(rows), crux.summary.cells),
        left_out=_left_out(crux), contradictions=tuple(contradictions),
    )  # fmt: skip


_UNEXPLAINED = "though every check passed"


def _judged(cell: CruxCell) -> tuple[str, str]:
    """Return the result of a cell, and what is to be said of it."""
    product = cell.engines.get(_PRODUCT)
    denials = _denials(cell, product)
    if cell.skipped or (product is not None and product.skipped) or cell.verdict in _NOT_RUN:
        skipped = cell.verdict in _NOT_RUN
        return "skip", "; ".join([cell.verdict, *cell.reasons]) if skipped else f"{cell.verdict}, and it was skipped"
    if cell.verdict == "GREEN":
        return ("fail", f"GREEN, and yet {'; '.join(denials)}") if denials else ("pass", "")
    said = "; ".join(denials) or _UNEXPLAINED
    return "fail", f"{cell.verdict}, {said}"


def _denials(cell: CruxCell, product: CruxEngine | None) -> list[str]:
    """Return what in a cell's own checks denies that it passed, in words."""
    found = [f"a reason against it: {reason}" for reason in cell.reasons]
    if cell.all_wrong:
        found.append("all_wrong is true")
    if cell.quorum is not None and cell.quorum.met is not True:
        found.append("the quorum was not met")
    if product is None:
        return [*found, f"no engine {_PRODUCT} is recorded"]
    if product.answered is not True:
        found.append(f"{_PRODUCT} did not answer")
    if product.rc != 0:
        found.append(f"{_PRODUCT} ended with {product.rc}" if product.rc is not None else "no exit code is recorded")
    if product.correct is not True:
        found.append(f"{_PRODUCT} was not right")
    backend = product.backend
    if backend is not None and (backend.fell_back is not False or backend.ran != backend.requested):
        found.append(f"{_PRODUCT} was asked to run on {backend.requested} and ran on {backend.ran}")
    return found


def _name(cell: CruxCell, models: list[CruxModel]) -> str:
    """Return a cell's name: host, model, verb, thinking, rung, prompt, mode and route, joined by slashes."""
    by_name = Counter(model.name for model in models)
    sha256 = cell.key.model_sha256
    name = next((model.name for model in models if model.sha256 == sha256), sha256)
    if by_name[name] > 1:
        name = f"{name}@{sha256[:12]}"
    key = cell.key
    rest = [key.verb, key.thinking, key.rung, key.prompt_id, key.mode, key.route]
    others = [f"{axis}={value}" for axis, value in sorted((key.model_extra or {}).items())]
    return "/".join([key.host, name, *(part for part in rest if part is not None), *others])


def _binding(crux: Crux) -> Binding:
    """Return what was measured. Only `apr.sha`, where it is a full commit, can say which one."""
    commit = crux.apr.sha if crux.apr.sha and FULL_COMMIT.fullmatch(crux.apr.sha) else None
    quarrels = []
    said = {crux.apr.version_line, *(cell.subject.apr_version for cell in crux.cells)} - {None}
    for text in sorted(map(str, said)):
        line = _VERSION_LINE.fullmatch(text)
        if line is None:
            quarrels.append(f"it measured {text!r}, which names no version and commit")
        elif crux.version is not None and line[1] != crux.version:
            quarrels.append(f"version is {crux.version}, and it measured {text}")
        elif commit is not None and not commit.startswith(line[2]):
            quarrels.append(f"apr.sha is {commit}, and it measured {text}")
    if len(said) > 1:
        quarrels.append(f"its cells measured {len(said)} binaries: {', '.join(sorted(map(str, said)))}")
    return Binding(crux.version, commit, quarrels=tuple(quarrels))


def _left_out(crux: Crux) -> dict[str, int]:
    counts = {
        "deterministic rows": len(crux.deterministic),
        "greedy rows": len(crux.greedy),
        "things that it says it does not cover": len(crux.not_covered),
        "prompts whose token ids it says differ": sum(
            bool(c.token_parity.measured) and c.token_parity.parity is False for c in crux.cells
        ),
    }
    return {name: count for name, count in counts.items() if count}
