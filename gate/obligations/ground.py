"""The ground that every kind of obligation stands on: the inputs, and what is derived from them once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from gate import git, iris, versions
from gate.obligations import join, selectors, universe
from gate.obligations.node import About

if TYPE_CHECKING:
    from gate.contexts import Contexts
    from gate.decisions import Decisions, Declaim
    from gate.iris import Iri
    from gate.ledger.rows import Ledger, Receipt
    from gate.obligations.join import Joined
    from gate.obligations.universe import Cell, OwedModel
    from gate.rules import Rules
    from gate.subject import Subject


@dataclass(frozen=True, slots=True)
class Coverage:
    """A de-claim, its place in the file, whether it has begun and not ended, and the cells that it selects."""

    declaim: Declaim
    index: int
    begun: bool
    ended: bool
    cells: tuple[Cell, ...]

    @property
    def in_force(self) -> bool:
        """Whether it takes its cells out of what is owed."""
        return self.begun and not self.ended

    @property
    def label(self) -> str:
        """What findings call it: its id, or its place in the file where it has none."""
        return self.declaim.id or f"declaim[{self.index}]"


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


@dataclass(frozen=True)
class Ground:
    """Everything that a release is judged from."""

    subject: Subject
    rules: Rules
    contexts: Contexts
    decisions: Decisions
    ledger: Ledger

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
        return tuple(universe.owed_cells(self.models, self.rules, self.contexts))

    @cached_property
    def rows(self) -> tuple[Joined, ...]:
        """Every row of the ledger with the cell that it keys onto."""
        return join.join(self.ledger, self.rules, self.cells)

    @cached_property
    def inventories(self) -> dict[str, list[Receipt]]:
        """The receipts that hold an inventory, by host."""
        return universe.inventories(self.ledger, self.rules)

    @cached_property
    def computes(self) -> dict[str, str | None]:
        """Each host's compute capability, by the rules, or else by its inventory."""
        measured = {
            host: next((r.inventory.compute for r in receipts if r.inventory and r.inventory.compute), None)
            for host, receipts in self.inventories.items()
        }
        return {host.id: host.compute or measured[host.id] for host in self.rules.document.hosts}

    @cached_property
    def coverage(self) -> tuple[Coverage, ...]:
        """Every de-claim with what it selects. One without an end is red by itself, and covers what it says."""
        version = versions.parse(self.subject.version)
        return tuple(
            Coverage(
                declaim,
                index,
                # A candidate of the release that a decision begins with is already under it ...
                begun=declaim.since is None or version.finalize_version() >= versions.parse(declaim.since),
                # ... and one of the release that ends it still is, too.
                ended=declaim.until is not None and version >= versions.parse(declaim.until),
                cells=tuple(selectors.selected(declaim, self.cells, self.rules, self.computes)),
            )
            for index, declaim in enumerate(self.decisions.document.declaim)
        )

    @cached_property
    def declaimed(self) -> frozenset[Iri]:
        """The cells that a de-claim in force takes out of the owed set."""
        return frozenset(self.cell_iri(c) for coverage in self.coverage if coverage.in_force for c in coverage.cells)

    def fresh(self, receipt: Receipt) -> bool | None:
        """Say whether `receipt` measured this very version and commit; None where it doesn't say both.

        A receipt that contradicts itself about either measured nobody knows what. One of an earlier commit stands where
        git shows that only paths differ which the rules ignore.
        """
        binding = receipt.binding
        if binding.quarrels:
            return False
        if binding.version is None or binding.commit is None:
            return None
        if binding.version != self.subject.version:
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
                found = git.differences(self.rules.folder, commit, self.subject.commit, ignore)
                self._since[commit] = Since.of(found)
        return self._since[commit]

    @cached_property
    def _since(self) -> dict[str, Since]:
        return {}

    def cell_iri(self, cell: Cell) -> Iri:
        """Return the IRI of a cell."""
        mode = (f"think-{cell.thinking}",) if cell.thinking else ()
        return self.iri("cell", cell.host, cell.model.key, cell.verb, *mode, cell.context)

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
            quant=cell.model.quant, receipt=receipt.file.path if receipt else None,
        )  # fmt: skip
