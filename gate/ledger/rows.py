"""What receipts say, as typed rows, whatever format they came in. None always means: the receipt doesn't say."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import datetime

    from gate.files import InputFile


@dataclass(frozen=True, slots=True)
class Binding:
    """What a receipt says it measured: a version, a full commit, a binary.

    `quarrels` are the places where the receipt contradicts itself about it, each in words. `versionless`: its format
    has no field for a version, so that the full commit alone says which one was measured. `binaryless`: its format has
    no field for a binary, because a harness measured and not the product's own binary. Both are said by the reader of a
    format, and by nothing that stands in a file.
    """

    version: str | None
    commit: str | None
    binary: str | None = None
    quarrels: tuple[str, ...] = ()
    versionless: bool = False
    binaryless: bool = False


@dataclass(frozen=True, slots=True)
class Evidence:
    """A file that a row rests on: its path beside the receipt, and the sha256 that the receipt vouches for."""

    path: str
    sha256: str


class Told(NamedTuple):
    """What a run shares with many others: how it was asked for, and what came of it."""

    host: str
    verb: str
    context: str | None
    thinking: str | None
    verdict: str | None = None
    backend: str | None = None
    fell_back: bool | None = None
    exit_code: int | None = None
    prompt_tokens: int | None = None
    think_closed: bool | None = None  # whether the thinking block was closed; None also where there was none
    required_bytes: int | None = None  # the memory that a refusal names as its requirement
    warnings: tuple[str, ...] | None = None  # what the run printed as warnings


class RunRow(NamedTuple):
    """One run of one model. `place` is where in its receipt the row stands.

    A release has up to a million of them. They are tuples, since no other class is made as fast and can't be changed,
    and what many say alike is held once.
    """

    place: str
    file: str
    sha256: str | None
    told: Told
    answer_chars: int | None = None
    seconds: float | None = None
    reason: str | None = None
    evidence: Evidence | None = None

    @property
    def host(self) -> str:
        """The host that it ran on."""
        return self.told.host

    @property
    def verb(self) -> str:
        """The verb."""
        return self.told.verb

    @property
    def context(self) -> str | None:
        """The name of the context."""
        return self.told.context

    @property
    def thinking(self) -> str | None:
        """The thinking mode, `on` or `off`."""
        return self.told.thinking

    @property
    def verdict(self) -> str | None:
        """The verdict, in the vocabulary of receipts."""
        return self.told.verdict

    @property
    def backend(self) -> str | None:
        """The backend that ran."""
        return self.told.backend

    @property
    def fell_back(self) -> bool | None:
        """Whether it fell back to another backend than was asked for."""
        return self.told.fell_back

    @property
    def exit_code(self) -> int | None:
        """The exit code."""
        return self.told.exit_code

    @property
    def prompt_tokens(self) -> int | None:
        """How many tokens the prompt had."""
        return self.told.prompt_tokens

    @property
    def think_closed(self) -> bool | None:
        """Whether the thinking block was closed; None also where there was none."""
        return self.told.think_closed

    @property
    def required_bytes(self) -> int | None:
        """The memory that a refusal names as its requirement."""
        return self.told.required_bytes

    @property
    def warnings(self) -> tuple[str, ...] | None:
        """What the run printed as warnings."""
        return self.told.warnings


@dataclass(frozen=True, slots=True)
class Held:
    """A model file that a host holds, and what was measured of it.

    `context_length` is in tokens; `markers` are those found in its chat template (an empty tuple: none were found).
    """

    file: str
    sha256: str | None
    arch: str | None = None
    quant: str | None = None
    context_length: int | None = None
    markers: tuple[str, ...] | None = None
    modes: tuple[str, ...] | None = None  # the thinking modes that the producer says it has
    weights_bytes: int | None = None
    kv_bytes_per_token: int | None = None
    workspace_bytes: int | None = None
    dispatched: tuple[tuple[str, str | None], ...] | None = None  # (kernel, quant) pairs that it runs on this host
    tensor_types: tuple[str, ...] | None = None  # the types of its tensors


@dataclass(frozen=True, slots=True)
class Inventory:
    """What a host holds, and its GPU's name and compute capability (`8.9`)."""

    gpu: str | None
    compute: str | None
    held: tuple[Held, ...]
    gpu_memory_bytes: int | None = None  # the GPU's total memory
    census: tuple[tuple[str, str], ...] | None = None  # (quant type, tensor shape class) pairs that its models hold


@dataclass(frozen=True, slots=True)
class SuiteRow:
    """One check of a suite, with the result in the vocabulary of receipts (`pass`, `fail`, `error`, `skip`)."""

    name: str
    result: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class SuiteRun:
    """One run of a suite: `verdict` is `go`, `no-go` or None."""

    suite: str
    verdict: str | None
    rows: tuple[SuiteRow, ...] = ()
    claimed_rows: int | None = None  # how many rows its own summary says it has


@dataclass(frozen=True, slots=True)
class KernelRow:
    """One measurement of one kernel at one quantization against its reference.

    A continuous kernel has `max_err` within `bound` (whose source is named); a discrete one, which picks indexes, has
    `index_mismatch` picks that differ and `tie_margin`, the widest gap among them between what was picked and what was
    not: within `bound`, each is a tie. `case` tells apart the rows of a kernel that was measured in several ways.
    """

    place: str
    kernel: str
    quant: str | None
    verdict: str | None = None
    discrete: bool = False
    max_err: float | None = None
    bound: float | None = None
    bound_source: str | None = None
    index_mismatch: int | None = None
    tie_margin: float | None = None
    reason: str | None = None
    case: str | None = None


@dataclass(frozen=True, slots=True)
class Dispatch:
    """The (kernel, quant) pairs that a receipt says a model runs on the receipt's host."""

    file: str
    sha256: str | None
    kernels: tuple[tuple[str, str | None], ...]


@dataclass(frozen=True, slots=True)
class ConformanceRow:
    """Whether the host's kernels are right for one quant type at one tensor shape class.

    `worst`, the largest error found, is within `bound`, whose source is named. `excluded` is the producer's own word
    that it doesn't run the type here: never a pass.
    """

    place: str
    quant: str
    shape: str
    verdict: str | None = None
    excluded: bool | None = None
    kernel: str | None = None
    worst: float | None = None
    bound: float | None = None
    bound_source: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class TokenizerRow:
    """One model's token ids against a pinned comparator's over a corpus."""

    place: str
    file: str
    sha256: str | None
    comparator: str | None = None
    comparator_pin: str | None = None
    corpus: str | None = None
    compared: int | None = None
    mismatches: int | None = None
    round_trip: bool | None = None
    reason: str | None = None
    verdict: str | None = None  # the producer's own word: it can deny what the row shows, and never stand for it


@dataclass(frozen=True, slots=True)
class ParityRow:
    """One prompt's output against another run's: the tokens compared, and how many match from the start."""

    place: str
    file: str
    sha256: str | None
    prompt: str
    backend: str | None = None
    against: str | None = None
    compared: int | None = None
    matching_prefix: int | None = None
    ended: bool | None = None  # whether the reference's output ended with the tokens compared


@dataclass(frozen=True, slots=True)
class PerformanceRow:
    """One figure of one run. `comparator` names what else was measured on the same model and configuration."""

    place: str
    file: str
    sha256: str | None
    metric: str
    run: int
    configuration: str
    value: float | None = None
    comparator: str | None = None
    comparator_value: float | None = None
    comparator_pin: str | None = None


@dataclass(frozen=True, slots=True)
class Receipt:
    """A file of the ledger, read. `superseded` says why it can vouch for nothing, though it was read.

    `left_out` counts, by name, what the reader did not take from the file. `contradictions` are the places where the
    receipt says of a run two things that can't both be true, each in words: the verdict follows the checks.
    """

    file: InputFile
    schema: str
    binding: Binding
    measured_at: datetime.datetime | None = None
    producer: str | None = None
    host: str | None = None
    inventory: Inventory | None = None
    runs: tuple[RunRow, ...] = ()
    suite: SuiteRun | None = None
    kernels: tuple[KernelRow, ...] = ()
    conformance: tuple[ConformanceRow, ...] = ()
    dispatches: tuple[Dispatch, ...] = ()
    census: tuple[tuple[str, str], ...] | None = None  # (quant, shape) pairs that its host holds, beside an inventory's
    compute: str | None = None  # the compute capability that its rows were measured with
    gpu: str | None = None  # the name of the GPU that they were measured with
    tokenizers: tuple[TokenizerRow, ...] = ()
    parities: tuple[ParityRow, ...] = ()
    performances: tuple[PerformanceRow, ...] = ()
    superseded: str | None = None
    left_out: dict[str, int] = field(default_factory=dict)
    contradictions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Proof:
    """What is said to show that a ticket is done.

    `kind` is `test` (a `suite` and the name of a `row`), or `receipt` or `not-reproduced` (a file, by its path relative
    to the release's folder, and the sha256 that it had).
    """

    kind: str
    path: str | None = None
    sha256: str | None = None
    suite: str | None = None
    row: str | None = None

    def __str__(self) -> str:
        """What a person calls it: `test dogfood/fmt`, `receipt dogfood.json`."""
        return f"{self.kind} {f'{self.suite}/{self.row}' if self.kind == 'test' else self.path}"


@dataclass(frozen=True, slots=True)
class Ticket:
    """What is known of one ticket, from a tracker and from master tickets that list it as a row.

    `state` (`open`, `closed`), `state_reason`, `milestone` and `labels` are the tracker's. A tracker that knows the
    ticket says all of them, so that without a `state` no tracker was asked. `row` says whether a master ticket lists
    it, `checked` whether that row's box is ticked (None: it has none), `folded` whether the ticket was closed into the
    row, as the number of the master ticket where that is known.
    """

    number: int
    title: str
    state: str | None = None
    state_reason: str | None = None
    milestone: str | None = None
    labels: tuple[str, ...] = ()
    assignees: tuple[str, ...] = ()
    priority: str | None = None
    owner: str | None = None
    row: bool = False
    checked: bool | None = None
    folded: int | bool | None = None
    done_when: str | None = None
    branch: str | None = None
    text: str | None = None
    evidence: tuple[Proof, ...] = ()
    sources: tuple[str, ...] = ()

    @property
    def tracked(self) -> bool:
        """Whether a tracker was asked about it."""
        return self.state is not None

    @property
    def lives_in_its_row(self) -> bool:
        """Whether the tracker closed it only because a master ticket carries it on: its work is still to be done."""
        return self.state == "closed" and self.state_reason == "not_planned" and bool(self.row and self.folded)

    @property
    def open(self) -> bool:
        """Whether its work is still to be done, as far as anybody says."""
        if self.state is None or self.lives_in_its_row:
            return not self.checked
        return self.state == "open"

    @property
    def said_done(self) -> bool:
        """Whether somebody says that it is done: it was closed, or its row was ticked."""
        return bool(self.checked) or (self.state == "closed" and not self.lives_in_its_row)


@dataclass(frozen=True, slots=True)
class Tickets:
    """The tickets of a release, sorted by number, when the newest of their sources was imported, what was left out."""

    file: InputFile
    version: str
    imported_at: datetime.datetime
    tickets: tuple[Ticket, ...]
    left_out: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Ledger:
    """Every receipt of one release, sorted by path.

    Args:
        folder: the release's folder as shown to the user.
        receipts: the receipts.
        unread: the files in the folder that are no receipts and that no row names as its evidence.
        evidence: the sha256 of each file that a row names as its evidence, by shown path; None: not there.
        tickets: the tickets of the release; None where none were imported.
        signatures: where the rules ask for signed receipts, the signature files by shown path: those of receipts and of
            release.toml, and those whose file isn't there.
    """

    folder: str
    receipts: tuple[Receipt, ...]
    unread: tuple[str, ...]
    evidence: dict[str, str | None]
    tickets: Tickets | None = None
    signatures: dict[str, InputFile] = field(default_factory=dict)
