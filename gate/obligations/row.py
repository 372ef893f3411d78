"""Every row of a run receipt, with the facts that a cell's shape reads. One that keys onto no cell is an orphan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.iris import term
from gate.ledger import evidence_path
from gate.obligations.many import LeanNode
from gate.obligations.node import About, known

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gate.ledger.rows import Receipt, Told
    from gate.obligations.ground import Ground
    from gate.obligations.join import Joined
    from gate.obligations.node import Facts, Node, Value
    from gate.obligations.universe import Cell, Prompt

    _Key = tuple[Told, Prompt | None, int | None, bool | None, bool | None, bool | None, str | None]

TARGETS = ("Row", "UnrequiredRow")
REQUIRED = False


def nodes(ground: Ground) -> Iterator[Node]:
    """Yield each row."""
    receipt, common = None, _Common(ground)
    for joined in ground.rows:
        if joined.receipt is not receipt:
            receipt = joined.receipt
            common.begin(receipt)
        yield RowNode(ground, joined, _types(joined.cell), common.of(joined))


class RowNode(LeanNode):
    """The node of a row, judged under the cell that it keys onto."""

    __slots__ = ("_joined",)
    _joined: Joined

    def __init__(self, ground: Ground, joined: Joined, types: tuple[str, ...], common: Facts) -> None:
        cell = joined.cell
        super().__init__(joined.iri, types, cell.iri if cell is not None else None, ground, common)
        object.__setattr__(self, "_joined", joined)

    @property
    def label(self) -> str:
        """The name of its cell, or its place where it has none."""
        _, receipt, row, cell, _ = self._joined
        return cell.label if cell is not None else f"{receipt.file.path}, {row.place}"

    @property
    def about(self) -> About:
        """Where its cell lies, or what the row says of that."""
        _, receipt, row, cell, _ = self._joined
        if cell is not None:
            return self._ground.about(cell, receipt)
        return About(host=row.host, model=row.file, verb=row.verb, thinking=row.thinking, context=row.context,
                     receipt=receipt.file.path)  # fmt: skip

    @property
    def facts(self) -> Facts:
        """Everything that is known of it, in an order that doesn't depend on what is shared."""
        said = dict(self._common) | {name: value for name in _OWN for value in self.values(name)}
        return tuple((name, said[name]) for name in ORDER if name in said)

    @property
    def own_names(self) -> frozenset[str]:
        """What the facts are called that are its own."""
        return _OWN_NAMES

    def values(self, name: str) -> tuple[Value, ...]:
        """Return the values of those of its own facts that are called `name`."""
        value = _OWN[name](self._joined) if name in _OWN else None
        return () if value is None else (value,)

    def under(self, types: tuple[str, ...]) -> RowNode:
        """Return the node as one of other classes."""
        return RowNode(self._ground, self._joined, types, self._common)


def _evidence(joined: Joined) -> str | None:
    return evidence_path(joined.receipt, joined.row.evidence) if joined.row.evidence else None


# What hardly two rows have in common: which row it is, and what was counted and written down.
_OWN: dict[str, Callable[[Joined], Value | None]] = {
    "cell": lambda joined: joined.cell.iri if joined.cell is not None else None,
    "place": lambda joined: joined.row.place,
    "file": lambda joined: joined.row.file,
    "reason": lambda joined: joined.row.reason,
    "promptTokens": lambda joined: joined.row.prompt_tokens,
    "answerChars": lambda joined: joined.row.answer_chars,
    "seconds": lambda joined: joined.row.seconds,
    "requiredBytes": lambda joined: joined.row.required_bytes,
    "evidence": _evidence,
}
_OWN_NAMES = frozenset(_OWN)
ORDER = (
    "cell", "orphanedBy", "place", "file", "nameHolds", "binary", "binaryHolds", "verdict", "reason", "version",
    "commit", "fresh", "staleBecause", "backend", "requiredBackend", "backendMet", "fallback", "exitCode",
    "promptTokens", "contextTokens", "contextMet", "contextLength", "lengthHolds", "answerChars", "answered", "seconds",
    "thinkClosed", "requiredBytes", "gpuMemoryBytes", "shortfallShown", "evidence", "evidenceHolds",
)  # fmt: skip


class _Common:
    """What rows have in common, told once: all that a shape of the gate's own reads, and what it follows from."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._wanted = ground.rules.document.cells.backend
        self._of_receipt: dict[str, Value | None] = {}
        self._every: dict[tuple[Value | None, ...], dict[_Key, Facts]] = {}
        self._told: dict[_Key, Facts] = {}
        self._same: dict[Facts, Facts] = {}  # by what they say: a value of one name has one type

    def begin(self, receipt: Receipt) -> None:
        """Begin with the rows of a receipt."""
        ground, binding = self._ground, receipt.binding
        self._of_receipt = {
            "binary": binding.binary, "binaryHolds": ground.binary_holds(receipt), "version": binding.version,
            "commit": binding.commit, "fresh": ground.fresh(receipt), "staleBecause": ground.stale_because(receipt),
        }  # fmt: skip
        self._told = self._every.setdefault(tuple(self._of_receipt.values()), {})

    def of(self, joined: Joined) -> Facts:
        """Return what a row of the receipt has in common with others."""
        _, _, row, cell, why = joined
        told, answer_chars = row.told, row.answer_chars
        answered = answer_chars > 0 if answer_chars is not None else None
        evidence_holds = _evidence_holds(self._ground, joined) if row.evidence is not None else None
        prompt, length, name_holds = None, None, None
        if cell is not None:
            prompt, length, name_holds = cell.prompt, cell.model.context_length, row.file in cell.model.names
        key = (told, prompt, length, name_holds, answered, evidence_holds, why)
        found = self._told.get(key)
        if found is None:
            found = self._told[key] = self._tell(key)
        return found

    def _tell(self, key: _Key) -> Facts:
        told, prompt, length, name_holds, answered, evidence_holds, why = key
        tokens, required = told.prompt_tokens, told.required_bytes
        memory = prompt.gpu_memory_bytes if prompt is not None and required is not None else None
        facts = known(
            orphanedBy=why,
            nameHolds=name_holds,
            **self._of_receipt,
            verdict=term(told.verdict) if told.verdict else None,
            backend=term(f"backend-{told.backend}") if told.backend else None,
            requiredBackend=term(f"backend-{self._wanted}"),
            backendMet=told.backend == self._wanted if told.backend else None,
            fallback=told.fell_back,
            exitCode=told.exit_code,
            contextTokens=prompt.tokens if prompt is not None else None,
            contextMet=_context_met(tokens, prompt.tokens) if prompt is not None else None,
            contextLength=length,
            lengthHolds=_within(tokens, length) if prompt is not None else None,
            answered=answered,
            thinkClosed=told.think_closed,
            gpuMemoryBytes=memory,
            shortfallShown=_shortfall_shown(required, memory),
            evidenceHolds=evidence_holds,
        )
        return self._same.setdefault(facts, facts)


def _types(cell: Cell | None) -> tuple[str, ...]:
    """Return the classes of a row: what its cell owes decides which constraints judge it."""
    if cell is None:
        return _ORPHAN
    return _REFUSAL if cell.prompt.refusal_owed else _RUN


_ORPHAN, _REFUSAL, _RUN = ("Row",), ("Row", "RefusalRow"), ("Row", "CellRow")


def _context_met(prompt_tokens: int | None, owed: int | None) -> bool | None:
    """Say whether the prompt filled its context; without a size, whether there was a prompt at all."""
    if prompt_tokens is None:
        return None
    return prompt_tokens >= (owed if owed is not None else 1)


def _within(prompt_tokens: int | None, length: int | None) -> bool | None:
    """Say whether a prompt is one that the model can read; None where either was never measured."""
    return None if prompt_tokens is None or length is None else prompt_tokens <= length


def _shortfall_shown(required: int | None, total: int | None) -> bool | None:
    """Say whether a refusal names more than the GPU's total memory. More than what is free right now proves nothing."""
    return None if required is None or total is None else required > total


def _evidence_holds(ground: Ground, joined: Joined) -> bool | None:
    """Say whether the file that a row names as its evidence is the one that it vouches for."""
    if joined.row.evidence is None:
        return None
    found = ground.ledger.evidence.get(evidence_path(joined.receipt, joined.row.evidence))
    return found == joined.row.evidence.sha256
