"""The universe: the models that each required host owes, and the cells of each. Derived from what was measured.

No list of models is kept by hand: a file that a host holds is owed because the host holds it, and a pinned model
because the rules claim it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from gate import iris
from gate.contexts import DECLARED
from gate.iris import Iri

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.contexts import Contexts
    from gate.ledger.rows import Held, Ledger, Receipt
    from gate.rules import Host, Rules

BOTH_MODES = ("off", "on")


@dataclass(frozen=True, slots=True)
class OwedModel:
    """A model that a host owes: one sha256, however many names it has there; or one name that was never identified.

    `names` are those on this host, `known_as` those on any. `lengths` and `markers` hold what every required host
    measured of this sha256, so that a host which measured nothing owes no less than one which did.
    """

    host: str
    file: str
    names: tuple[str, ...]
    known_as: tuple[str, ...]
    sha256: str | None
    arch: str | None
    quant: str | None
    held: bool
    pinned: bool
    lengths: tuple[int, ...]
    markers: tuple[tuple[str, ...], ...]
    weights_bytes: int | None = None
    kv_bytes_per_token: int | None = None
    workspace_bytes: int | None = None

    def needs(self, tokens: int | None) -> int | None:
        """Return the GPU memory, in bytes, that a prompt of `tokens` needs; None where a term was never measured."""
        if None in {tokens, self.weights_bytes, self.kv_bytes_per_token, self.workspace_bytes}:
            return None
        return self.weights_bytes + self.kv_bytes_per_token * tokens + self.workspace_bytes  # type: ignore[operator]

    @property
    def key(self) -> str:
        """What tells this model from the others of its host: its sha256, or its name where it has none."""
        return self.sha256 or f"file:{self.file}"

    @property
    def context_length(self) -> int | None:
        """The longest context, in tokens, that any host measured of this model."""
        return self.lengths[-1] if self.lengths else None  # they are sorted


class Prompt(NamedTuple):
    """A context as one model owes it on its host, in every cell of it.

    Args:
        context: its name.
        tokens: the size that a prompt must reach; None: the context has no size.
        needed_bytes: the GPU memory that it needs; None where a term was never measured.
        gpu_memory_bytes: what the host's GPU has in all.
        refusal_owed: whether it can't fit, so that an honest refusal is owed. In doubt a pass is.
    """

    context: str
    tokens: int | None
    needed_bytes: int | None
    gpu_memory_bytes: int | None
    refusal_owed: bool


class Cell(NamedTuple):
    """One obligation to run: a model on a host, with a verb, a thinking mode (None: no such axis) and a context.

    A release has up to a million: each is small, and what its cells have in common is held once.
    """

    iri: Iri
    model: OwedModel
    verb: str
    thinking: str | None
    prompt: Prompt

    @property
    def host(self) -> str:
        """The host's id."""
        return self.model.host

    @property
    def context(self) -> str:
        """The context's name."""
        return self.prompt.context

    @property
    def tokens(self) -> int | None:
        """The size that a prompt must reach, in tokens."""
        return self.prompt.tokens

    @property
    def gpu_memory_bytes(self) -> int | None:
        """What the host's GPU has in all."""
        return self.prompt.gpu_memory_bytes

    @property
    def needed_bytes(self) -> int | None:
        """The GPU memory that the cell needs, in bytes; None where a term was never measured."""
        return self.prompt.needed_bytes

    @property
    def refusal_owed(self) -> bool:
        """Whether the cell can't fit, so that an honest refusal is owed."""
        return self.prompt.refusal_owed

    @property
    def label(self) -> str:
        """The name that findings and `gate explain` use: `lambda/Qwen3-8B-Q4_K_M.gguf/run/think-off/4k`."""
        mode = (f"think-{self.thinking}",) if self.thinking else ()
        return "/".join((self.model.host, self.model.file, self.verb, *mode, self.prompt.context))


def inventories(ledger: Ledger, rules: Rules) -> dict[str, list[Receipt]]:
    """Return the receipts that hold an inventory, by the id of the host that they name."""
    found: dict[str, list[Receipt]] = {host.id: [] for host in rules.document.hosts}
    for receipt in ledger.receipts:
        host = rules.host_named(receipt.host) if receipt.host else None
        if host is not None and receipt.inventory is not None:
            found[host.id].append(receipt)
    return found


def proven_modes(markers: tuple[str, ...]) -> tuple[str, ...]:
    """Return the thinking modes that a chat template proves.

    `enable_thinking` is a switch: both. A prompt that opens `<think>` without one always thinks: on only. Neither:
    off only.
    """
    if "enable_thinking" in markers:
        return BOTH_MODES
    return ("on",) if "<think>" in markers else ("off",)


def owed_models(ledger: Ledger, rules: Rules) -> tuple[OwedModel, ...]:
    """Return every model that a required host owes, by host, then by file name."""
    held = {
        host: [item for receipt in receipts for item in receipt.inventory.held]  # type: ignore[union-attr]
        for host, receipts in inventories(ledger, rules).items()
    }
    measured: dict[str, list[Held]] = {}
    for host in rules.required_hosts:
        for item in held[host.id]:
            if item.sha256 is not None:
                measured.setdefault(item.sha256, []).append(item)
    models = [m for host in rules.required_hosts for m in _owed_by(host, held[host.id], rules, measured)]
    return tuple(sorted(_told_apart(models), key=lambda model: (model.host, model.file, model.key)))


def _told_apart(models: list[OwedModel]) -> Iterator[OwedModel]:
    """Yield the models, those that share a name on one host called by a part of their sha256 too."""
    named = Counter((model.host, model.file) for model in models)
    for model in models:
        if model.sha256 is not None and named[model.host, model.file] > 1:
            yield replace(model, file=f"{model.file}@{model.sha256[:12]}")
        else:
            yield model


def _owed_by(host: Host, held: list[Held], rules: Rules, measured: dict[str, list[Held]]) -> Iterator[OwedModel]:
    pinned = {p.sha256: p for p in rules.document.models.pinned if p.hosts is None or host.id in p.hosts}
    groups: dict[str, list[Held]] = {}
    for item in held:
        groups.setdefault(item.sha256 or f"file:{item.file}", []).append(item)
    claimed = {pin.file for pin in pinned.values()}
    for key in sorted({*groups, *pinned}):
        items, pin = groups.get(key, []), pinned.get(key)
        names = sorted({item.file for item in items})
        # A file under a pinned name is owed whatever the globs say: it is either the pinned one or in its place.
        if pin is None and not any(name in claimed or rules.document.models.owes(name) for name in names):
            continue
        same = measured.get(key, items)
        yield OwedModel(
            host=host.id,
            file=pin.file if pin else names[0],
            names=tuple(sorted({*names, pin.file} if pin else names)),
            known_as=tuple(sorted({*names, *(item.file for item in same), *([pin.file] if pin else [])})),
            sha256=None if key.startswith("file:") else key,
            arch=_first(item.arch for item in same) or (pin.arch if pin else None),
            quant=_first(item.quant for item in same),
            held=bool(items),
            pinned=pin is not None,
            lengths=tuple(sorted({i.context_length for i in same if i.context_length is not None})),
            markers=tuple(sorted({tuple(sorted(set(i.markers))) for i in same if i.markers is not None})),
            weights_bytes=_least(item.weights_bytes for item in same),
            kv_bytes_per_token=_least(item.kv_bytes_per_token for item in same),
            workspace_bytes=_least(item.workspace_bytes for item in same),
        )


def _first(values: Iterator[str | None]) -> str | None:
    return min((value for value in values if value is not None), default=None)


def _least(values: Iterator[int | None]) -> int | None:
    """Return the least that any host measured: where hosts disagree, the cell is the sooner owed as a pass."""
    return min((value for value in values if value is not None), default=None)


def gpu_memory(ledger: Ledger, rules: Rules) -> dict[str, int | None]:
    """Return each host's total GPU memory, in bytes: what the rules say, or else the most that an inventory says."""
    found = inventories(ledger, rules)
    measured = {
        host: [r.inventory.gpu_memory_bytes for r in receipts if r.inventory and r.inventory.gpu_memory_bytes]
        for host, receipts in found.items()
    }
    return {host.id: host.memory_bytes or max(measured[host.id], default=None) for host in rules.document.hosts}


def owed_cells(
    models: tuple[OwedModel, ...], rules: Rules, contexts: Contexts, memory: dict[str, int | None], version: str
) -> Iterator[Cell]:
    """Yield every cell that the models owe, by host, model, verb, thinking and context.

    Args:
        models: the models, each on its host.
        rules: they say which verbs and modes there are.
        contexts: every context.
        memory: the total GPU memory of each host, in bytes.
        version: the release, which the cells' IRIs begin with.
    """
    ends: dict[tuple[str, str | None, str], str] = {}
    for model in models:
        prompts = [
            _prompt(model, *context, memory.get(model.host)) for context in owed_contexts(model, rules, contexts)
        ]
        begins = iris.node(version, "cell", model.host, model.key)
        modes = _modes(model, rules)
        for verb in rules.document.cells.verbs:
            for mode in modes:
                for prompt in prompts:
                    key = (verb, mode, prompt.context)
                    end = ends.get(key)
                    if end is None:
                        end = ends[key] = iris.below("", verb, *([f"think-{mode}"] if mode else []), prompt.context)
                    yield Cell(Iri(begins + end), model, verb, mode, prompt)


def _prompt(model: OwedModel, context: str, tokens: int | None, memory: int | None) -> Prompt:
    needed = model.needs(tokens)
    return Prompt(context, tokens, needed, memory, needed is not None and memory is not None and needed > memory)


def _modes(model: OwedModel, rules: Rules) -> tuple[str | None, ...]:
    """The modes that a model owes: those that its markers prove; both where nobody measured them."""
    if not rules.document.cells.thinking:
        return (None,)
    if not model.markers:
        return BOTH_MODES
    return tuple(sorted({mode for markers in model.markers for mode in proven_modes(markers)}))


def owed_contexts(model: OwedModel, rules: Rules, contexts: Contexts) -> Iterator[tuple[str, int | None]]:
    """Yield the name and size of each context that a model owes.

    One that is larger than the model's own length isn't owed. Where the length was never measured, which is red on
    the model, the short contexts are owed in full; a long one can't be: there is no length to say whether it exists.
    """
    for context in contexts.contexts:
        if context.long and not _owes_long(model, rules):
            continue
        if not contexts.sized:
            yield context.name, None
        elif model.context_length is None:
            if not context.long:
                yield context.name, context.tokens
        elif context.name == DECLARED:
            yield context.name, model.context_length
        elif context.tokens is None or context.tokens <= model.context_length:
            yield context.name, context.tokens


def _owes_long(model: OwedModel, rules: Rules) -> bool:
    """Say whether `[cells.long]` asks the long contexts of this model. An unknown architecture owes them."""
    long = rules.document.cells.long
    if long is None or model.arch is None or model.arch in long.families:
        return True
    representative = long.representatives.get(model.arch)
    return representative is None or representative in model.known_as
