"""The ground that every kind of obligation stands on: the inputs, and what is derived from them once."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from gate import git, iris, versions
from gate.obligations import census, dispatch, join, selectors, universe
from gate.obligations.join import Joined
from gate.obligations.node import About

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gate.contexts import Contexts
    from gate.decisions import Decision, Decisions, Declaim, KnownFailure, Scope
    from gate.files import InputFile
    from gate.iris import Iri
    from gate.ledger.rows import Ledger, Receipt
    from gate.obligations.census import Census, OwedShape
    from gate.obligations.dispatch import Dispatched, OwedKernel
    from gate.obligations.universe import Cell, OwedModel
    from gate.rules import Rules
    from gate.subject import Subject
    from gate.trust import Trust


_FIRST_ON_EARTH = datetime.timedelta(hours=14)  # UTC+14: no clock is ahead of it


@dataclass(frozen=True, slots=True)
class Coverage:
    """A de-claim, its place in the file, whether it has begun and not ended, and the obligations that it selects."""

    declaim: Declaim
    index: int
    begun: bool
    ended: bool
    covered: tuple[Cell | OwedKernel | OwedShape, ...]

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cells among them."""
        return tuple(owed for owed in self.covered if isinstance(owed, universe.Cell))

    @property
    def kernels(self) -> tuple[OwedKernel | OwedShape, ...]:
        """The kernels and tensor shapes among them."""
        return tuple(owed for owed in self.covered if not isinstance(owed, universe.Cell))

    @property
    def in_force(self) -> bool:
        """Whether it takes what it covers out of what is owed."""
        return self.begun and not self.ended

    @property
    def label(self) -> str:
        """What findings call it: its id, or its place in the file where it has none."""
        return self.declaim.id or f"declaim[{self.index}]"


@dataclass(frozen=True, slots=True)
class Known:
    """A known failure, its place in the file, whether it has begun and not ended, and the obligations that it selects.

    `applies` says whether it may stand for them: it is in force, in a release that ships under a scope.
    """

    failure: KnownFailure
    index: int
    begun: bool
    ended: bool
    applies: bool
    covered: tuple[Iri, ...]

    @property
    def label(self) -> str:
        """What findings call it: its id, or its place in the file where it has none."""
        return self.failure.id or f"known_failure[{self.index}]"


@dataclass(frozen=True, slots=True)
class Since:
    """What differs since an earlier commit: whether its receipts stand, the ignored paths, or why they don't stand."""

    stands: bool
    ignored: tuple[str, ...]
    because: str | None

    @classmethod
    def of(cls, found: tuple[list[str], list[str]] | str) -> Since:
        """Return what git's answer amounts to."""
        if isinstance(found, str):
            return cls(stands=False, ignored=(), because=found)
        ignored, others = found
        if others:
            more = f" and {len(others) - 1} more" if len(others) > 1 else ""
            return cls(
                stands=False, ignored=tuple(ignored), because=f"{others[0]}{more} differs since, and isn't ignored"
            )
        return cls(stands=True, ignored=tuple(ignored), because=None)


@dataclass(frozen=True, slots=True)
class LostConstraint:
    """A shape of the project's own that is gone, or asks for less. `shape` is its IRI; None: its whole file is gone."""

    file: str
    shape: str | None
    was: str
    now: str


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the inputs of a release come from that isn't the one being cut.

    Args:
        commit: its commit; None where nothing names it.
        rules_at: the commit that its rules, decisions, contexts and shapes are read from; None: they are today's.
        receipts_at: the commit that its receipts are read from; None: they are those of today's ledger.
        because: why its rules are today's; None where they are its own.
        missing_rules: the file of rules that its tag should have and hasn't; None: it has it, or there is no tag.
    """

    commit: str | None
    rules_at: str | None = None
    receipts_at: str | None = None
    because: str | None = None
    missing_rules: str | None = None


@dataclass(frozen=True, slots=True)
class Previous:
    """A release that this one is compared with, where it comes from, and the constraints that are gone since."""

    ground: Ground
    origin: Origin
    lost: tuple[LostConstraint, ...] = ()

    @property
    def version(self) -> str:
        """Its version."""
        return self.ground.subject.version


@dataclass(frozen=True)
class Ground:
    """Everything that a release is judged from.

    `own_shapes` are the project's own files of shapes; `previous` the releases that it is compared with, the previous
    one first; `origin` says where its inputs come from, where they aren't simply those that are here today.
    """

    subject: Subject
    rules: Rules
    contexts: Contexts
    decisions: Decisions
    ledger: Ledger
    trust: Trust
    own_shapes: tuple[InputFile, ...] = ()
    previous: tuple[Previous, ...] = ()
    origin: Origin | None = None

    @property
    def moment(self) -> datetime.datetime:
        """The moment of judging, in UTC."""
        return self.trust.at

    def iri(self, *segments: str) -> Iri:
        """Return the IRI of this release's node that `segments` lead to."""
        return iris.node(self.subject.version, *segments)

    @cached_property
    def models(self) -> tuple[OwedModel, ...]:
        """Every model that a required host owes."""
        return universe.owed_models(self.ledger, self.rules)

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """Every cell of the release, the de-claimed ones included."""
        return tuple(
            universe.owed_cells(
                self.models, self.rules, self.contexts, universe.gpu_memory(self.ledger, self.rules),
                self.subject.version,
            )
        )  # fmt: skip

    @cached_property
    def rows(self) -> tuple[Joined, ...]:
        """Every row of the ledger with the cell that it keys onto."""
        return join.join(self.ledger, self.rules, self.cells, self.subject.version)

    def rows_of(self, cell: Cell) -> Sequence[Joined]:
        """Return the rows that key onto a cell."""
        found = self._rows_of_cells.get(cell.iri, ())
        return (found,) if isinstance(found, Joined) else found

    @cached_property
    def _rows_of_cells(self) -> dict[Iri, Joined | list[Joined]]:
        """What keys onto each cell, by its IRI: most cells have one row, and a list of it would be as large again."""
        found: dict[Iri, Joined | list[Joined]] = {}
        for joined in self.rows:
            if joined.cell is not None:
                own = found.setdefault(joined.cell.iri, joined)
                if isinstance(own, list):
                    own.append(joined)
                elif own is not joined:
                    found[joined.cell.iri] = [own, joined]
        return found

    @cached_property
    def dispatched(self) -> dict[tuple[str, str], list[Dispatched]]:
        """The dispatch lists of each owed model, by host and the model's key there."""
        return dispatch.dispatched(self.ledger, self.rules, self.models)

    @cached_property
    def kernels(self) -> tuple[OwedKernel, ...]:
        """Every kernel that the release owes, the de-claimed ones included; none where the rules ask for none."""
        return dispatch.owed_kernels(self.dispatched, self.rules) if self.rules.document.require.kernels else ()

    @cached_property
    def censuses(self) -> dict[str, list[Census]]:
        """What each required host's models hold, by quant type and tensor shape, as its receipts say."""
        return census.censuses(self.ledger, self.rules)

    @cached_property
    def shapes(self) -> tuple[OwedShape, ...]:
        """Every quant type and tensor shape that must conform; none where the rules ask for none."""
        wanted = self.rules.document.require.conformance
        return census.owed_shapes(self.censuses, self.ledger, self.rules, self.fresh) if wanted else ()

    @property
    def tickets_asked(self) -> bool:
        """Whether the release is judged by tickets: it has some, or the rules ask for them."""
        return self.ledger.tickets is not None or self.rules.document.require.tickets

    @cached_property
    def inventories(self) -> dict[str, list[Receipt]]:
        """The receipts that hold an inventory, by host."""
        return universe.inventories(self.ledger, self.rules)

    @cached_property
    def binaries(self) -> dict[str, list[str]]:
        """The binaries that the fresh run receipts of each host say they measured."""
        found: dict[str, set[str]] = {host.id: set() for host in self.rules.document.hosts}
        for receipt in self.ledger.receipts:
            host = self.rules.host_named(receipt.host) if receipt.host else None
            if host is not None and receipt.runs and receipt.binding.binary and self.fresh(receipt):
                found[host.id].add(receipt.binding.binary)
        return {host: sorted(binaries) for host, binaries in found.items()}

    def binary_holds(self, receipt: Receipt) -> bool | None:
        """Say whether a run receipt measured the release's binary; None where nothing says which one that is.

        Where release.toml names the host's binary, it is that one. Otherwise a receipt that names none can't stand
        beside one that does: it may have measured another.
        """
        host = self.rules.host_named(receipt.host) if receipt.host else None
        if host is None:
            return None
        wanted = self.subject.binaries.get(host.id)
        if wanted is not None:
            return receipt.binding.binary == wanted
        return receipt.binding.binary is not None if self.binaries[host.id] else None

    def same_binary(self, receipt: Receipt) -> bool | None:
        """Say whether a receipt measured the binary of its host's runs; None where nothing says which one that is.

        None too where the format has no field for a binary: such a receipt rests on its version and commit.
        """
        wanted = self._wanted_binaries(receipt)
        return receipt.binding.binary in wanted if wanted and not receipt.binding.binaryless else None

    def binary_unsayable(self, receipt: Receipt) -> bool:
        """Say whether a receipt's binary is asked for, and its format can't name one."""
        return receipt.binding.binaryless and bool(self._wanted_binaries(receipt))

    def _wanted_binaries(self, receipt: Receipt) -> list[str]:
        """Return the binaries that a measurement of the receipt's host may be of; none where nothing says which."""
        host = self.rules.host_named(receipt.host) if receipt.host else None
        if host is None:
            return []
        named = self.subject.binaries.get(host.id)
        return self.binaries[host.id] if named is None else [named]

    def same_gpu(self, receipt: Receipt) -> bool | None:
        """Say whether a receipt names the GPU that the rules name for its host; None where either names none."""
        host = self.rules.host_named(receipt.host) if receipt.host else None
        if host is None or host.gpu is None or receipt.gpu is None:
            return None
        return receipt.gpu == host.gpu

    @cached_property
    def computes(self) -> dict[str, str | None]:
        """Each host's compute capability, by the rules, or else by its inventory."""
        measured = {
            host: next((r.inventory.compute for r in receipts if r.inventory and r.inventory.compute), None)
            for host, receipts in self.inventories.items()
        }
        return {host.id: host.compute or measured[host.id] for host in self.rules.document.hosts}

    @cached_property
    def _every(self) -> selectors.Selection:
        return self._selection(lambda _: True)

    def _selection(self, admits: Callable[[OwedModel], bool]) -> selectors.Selection:
        """Return what decisions select from: the cells of the models that are admitted, and what concerns no model."""
        admitted = {id(model) for model in self.models if admits(model)}
        cells = (cell for cell in self.cells if id(cell.model) in admitted)
        return selectors.Selection((*cells, *self.kernels, *self.shapes), self.rules, self.computes)

    @cached_property
    def coverage(self) -> tuple[Coverage, ...]:
        """Every de-claim with what it selects. One without an end is red by itself, and covers what it says."""
        return tuple(
            Coverage(
                declaim,
                index,
                begun=self._begun(declaim),
                ended=self._ended(declaim),
                covered=tuple(self._every.selected(declaim)),
            )
            for index, declaim in enumerate(self.decisions.document.declaim)
        )

    @cached_property
    def declaimed(self) -> frozenset[Iri]:
        """The obligations that a de-claim in force takes out of the owed set."""
        return frozenset(self.owed_iri(o) for coverage in self.coverage if coverage.in_force for o in coverage.covered)

    @cached_property
    def known_failures(self) -> tuple[Known, ...]:
        """Every known failure with what it selects of what no de-claim withdraws and the scope doesn't leave out."""
        if not self.decisions.document.known_failure:
            return ()
        scope, found = self.scope, []
        left = self._every if scope is None else self._selection(lambda model: self.admits(scope, model))
        for index, failure in enumerate(self.decisions.document.known_failure):
            begun, ended = self._begun(failure), self._ended(failure)
            selected = (self.owed_iri(owed) for owed in left.selected(failure))
            covered = tuple(iri for iri in selected if iri not in self.declaimed)
            suites = tuple(self.iri(*segments) for segments in selectors.selected_suites(failure, self.rules))
            applies = begun and not ended and self.scope is not None
            found.append(Known(failure, index, begun, ended, applies, covered + suites))
        return tuple(found)

    @cached_property
    def scopes(self) -> tuple[tuple[int, Scope], ...]:
        """The scopes of this very release, with their places in the file."""
        every = enumerate(self.decisions.document.scope)
        return tuple((index, scope) for index, scope in every if scope.release == self.subject.version)

    @cached_property
    def scope(self) -> Scope | None:
        """What narrows this release. Of two scopes neither does: which one was meant nobody can say."""
        return self.scopes[0][1] if len(self.scopes) == 1 else None

    @staticmethod
    def admits(scope: Scope, model: OwedModel) -> bool:
        """Say whether a scope names a model."""
        return any(selectors.matches(pattern, name) for pattern in scope.models for name in model.known_as)

    def is_past(self, day: datetime.date | None) -> bool | None:
        """Say whether a day has begun somewhere on Earth: no decision is made tomorrow. None where no day is given."""
        return None if day is None else day <= (self.moment + _FIRST_ON_EARTH).date()

    def represents(self, model: OwedModel) -> bool:
        """Say whether `[cells.long]` names a model for its architecture."""
        long = self.rules.document.cells.long
        return long is not None and model.arch is not None and long.representatives.get(model.arch) in model.known_as

    @cached_property
    def unrepresented(self) -> frozenset[tuple[str | None, str]]:
        """Each architecture and long context that its representative owes on no host any more, while others lean on it.

        A representative shows the long contexts for all models of its architecture. Where de-claims withdraw them on
        every host, nothing shows them; where no other model of the architecture owes anything, nothing need.
        """
        long = {context.name for context in self.contexts.contexts if context.long}
        withdrawn: set[tuple[str | None, str]] = set()
        owed: set[tuple[str | None, str]] = set()
        leaning: set[str | None] = set()
        for cell in self.cells:
            is_owed, represents = self.cell_iri(cell) not in self.declaimed, self.represents(cell.model)
            if represents and cell.context in long:
                (owed if is_owed else withdrawn).add((cell.model.arch, cell.context))
            elif is_owed and not represents:
                leaning.add(cell.model.arch)
        return frozenset(pair for pair in withdrawn - owed if pair[0] in leaning)

    def _begun(self, decision: Decision) -> bool:
        """Say whether a decision applies already: to a candidate of the release that it begins with, too."""
        version = versions.parse(self.subject.version).finalize_version()
        return decision.since is None or version >= versions.parse(decision.since)

    def _ended(self, decision: Decision) -> bool:
        """Say whether a decision has ended: with its release, not with a candidate of it; or with its day, UTC."""
        version = versions.parse(self.subject.version)
        outlived = decision.until is not None and version >= versions.parse(decision.until)
        return outlived or (decision.expires is not None and self.moment.date() > decision.expires)

    def fresh(self, receipt: Receipt) -> bool | None:
        """Say whether `receipt` measured this very version and commit; None where it doesn't say both.

        A receipt that contradicts itself about either measured nobody knows what. One of an earlier commit stands where
        git shows that only paths differ which the rules ignore.
        """
        binding = receipt.binding
        if binding.quarrels:
            return False
        if binding.commit is None or (binding.version is None and not binding.versionless):
            return None
        if binding.version not in {None, self.subject.version}:
            return False
        return binding.commit == self.subject.commit or self.since(binding.commit).stands

    def stale_because(self, receipt: Receipt) -> str | None:
        """Return why git doesn't let a receipt of an earlier commit stand, where the rules let git have a say."""
        commit = receipt.binding.commit
        if commit is None or commit == self.subject.commit or not self.rules.document.freshness.ignore:
            return None
        return self.since(commit).because

    def since(self, commit: str) -> Since:
        """Return what git shows to differ between an earlier commit and the one that is judged, asked once each."""
        ignore = self.rules.document.freshness.ignore
        if commit not in self._since:
            if not ignore:
                self._since[commit] = Since(stands=False, ignored=(), because=None)
            else:
                found = git.differences(self.rules.repository, commit, self.subject.commit, ignore)
                self._since[commit] = Since.of(found)
        return self._since[commit]

    @cached_property
    def _since(self) -> dict[str, Since]:
        return {}

    @staticmethod
    def cell_iri(cell: Cell) -> Iri:
        """Return the IRI of a cell."""
        return cell.iri

    def owed_iri(self, owed: Cell | OwedKernel | OwedShape) -> Iri:
        """Return the IRI of an obligation that a de-claim can cover."""
        if isinstance(owed, universe.Cell):
            return self.cell_iri(owed)
        if isinstance(owed, dispatch.OwedKernel):
            return self.iri("kernel", owed.host, owed.kernel, *([owed.quant] if owed.quant else []))
        return self.iri("conformance", owed.host, owed.quant, owed.shape)

    def model_iri(self, model: OwedModel) -> Iri:
        """Return the IRI of a model: one for its sha256 on all hosts; of its own host where it was never identified."""
        return self.iri("model", model.sha256) if model.sha256 else self.held_iri(model)

    def held_iri(self, model: OwedModel) -> Iri:
        """Return the IRI of a model as one host holds it."""
        return self.iri("host", model.host, "holds", model.key)

    @staticmethod
    def about(cell: Cell, receipt: Receipt | None = None) -> About:
        """Return where a cell lies, and the receipt that speaks of it."""
        return About(
            host=cell.host, model=cell.model.file, verb=cell.verb, thinking=cell.thinking, context=cell.context,
            quant=cell.model.quant, receipt=receipt.file.path if receipt else None, sha256=cell.model.sha256,
        )  # fmt: skip
