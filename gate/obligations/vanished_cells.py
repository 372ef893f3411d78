"""Why cells of one release are owed no longer by another: the hosts, verbs, contexts, models and modes that went."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gate.obligations.thing import Thing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.obligations.ground import Ground
    from gate.obligations.pairing import Pairing
    from gate.obligations.universe import Cell, OwedModel
    from gate.rules import Host

_Key = tuple[str | None, ...]


def vanished_cells(before: Ground, now: Ground, paired: Pairing) -> Iterator[Thing]:
    """Yield each cause once, a host's causes for that host, with the number of cells that it explains.

    A cell is explained by the first of these that is gone: its host, verb, context, model, thinking axis; and else by
    what the model itself owes no longer. So no cell goes unexplained, whatever took it away.
    """
    causes = dict(_of_rules(before, now, paired)) | dict(_of_models(before, now, paired))
    owed_now: dict[tuple[str, ...], dict[str | None, Cell]] = {}
    for cell in now.cells:
        owed_now.setdefault((cell.host, cell.model.key, cell.verb, cell.context), {})[cell.thinking] = cell
    counted: dict[_Key, int] = {}
    for cell in before.cells:
        key, thing = _cause(before, cell, paired, causes, owed_now)
        if key is not None:
            counted[key] = counted.get(key, 0) + 1
            if thing is not None:
                causes.setdefault(key, thing)
    for key, thing in causes.items():
        yield replace(thing, cells=counted.get(key, 0))


def _cause(
    before: Ground, cell: Cell, paired: Pairing, causes: dict[_Key, Thing],
    owed_now: dict[tuple[str, ...], dict[str | None, Cell]],
) -> tuple[_Key | None, Thing | None]:  # fmt: skip
    """Return the key of what explains that a cell is owed no longer, and the cause itself where it is of this model.

    None where the later release owes the cell.
    """
    model, place = cell.model, paired.place(cell)
    own = (cell.host, model.key)
    for key in (("host", cell.host), ("verb", cell.verb), ("context", cell.context), ("model", *own)):
        if key in causes:
            return key, None
    modes = owed_now.get(place, {}) if place is not None else {}
    if not modes:
        length, same = ("length", *own), paired.models.get(own)
        if length in causes and same is not None and (cell.tokens or 0) > (same.context_length or 0):
            return length, None
        name = f"{model.file}/{cell.context}"
        return ("long", *own, cell.context), of_model(
            before, paired, "long", model, name, "owed", "not owed by this model", context=cell.context
        )
    # A release without the axis owes one mode, whichever: any of the later ones is that.
    same_mode = [modes[cell.thinking]] if cell.thinking in modes else [] if cell.thinking else list(modes.values())
    if not same_mode:
        if ("thinking",) in causes:
            return ("thinking",), None
        thinking, name = str(cell.thinking), f"{model.file}/think-{cell.thinking}"
        now = " and ".join(f"thinking {mode}" for mode in modes)
        return ("mode", *own, thinking), of_model(
            before, paired, "mode", model, name, f"thinking {thinking}", f"only {now}", thinking=thinking
        )
    if not cell.refusal_owed and all(later.refusal_owed for later in same_mode):
        name = f"{model.file}/{cell.context}"
        return ("pass", *own, cell.context), of_model(
            before, paired, "pass", model, name, "a pass", "a refusal", context=cell.context
        )
    return None, None


def of_model(
    before: Ground, paired: Pairing, kind: str, model: OwedModel, name: str, was: str, now: str, **axes: str
) -> Thing:
    """Return a thing of one model on one host.

    Args:
        before: the release that owed it.
        paired: which hosts are still there.
        kind: the kind of thing.
        model: the model.
        name: what the thing is called.
        was: what was owed.
        now: what is owed in its place.
        axes: what more a decision can name it by.
    """
    known = {"arch": model.arch, "quant": model.quant, **axes}
    host = next(host for host in before.rules.required_hosts if host.id == model.host)
    return Thing(
        kind, name, was, now,
        (("host", names_of(host)), ("model", tuple(dict.fromkeys((model.file, *model.names)))),
         *((axis, (value,)) for axis, value in known.items() if value is not None)),
        host.id, paired.owing[model.key],
    )  # fmt: skip


def names_of(host: Host) -> tuple[str, ...]:
    """Return all that a host is called, its id first."""
    return (host.id, *host.aliases)


def _of_rules(before: Ground, now: Ground, paired: Pairing) -> Iterator[tuple[_Key, Thing]]:
    """Yield what the rules and the contexts ask no longer, of any model."""
    for host in before.rules.required_hosts:
        if host.id not in paired.hosts:
            named = [found for name in names_of(host) if (found := now.rules.host_named(name)) is not None]
            idle = any(not found.required for found in named)
            words = "a host that isn't required" if idle else "no host of its own"
            yield ("host", host.id), Thing("host", host.id, "a required host", words, (("host", names_of(host)),))
    was, asked = before.rules.document.cells, now.rules.document.cells
    for verb in was.verbs:
        if verb not in asked.verbs:
            yield ("verb", verb), Thing("verb", verb, "asked of every model", "not asked", (("verb", (verb,)),))
    listed = {context.name for context in now.contexts.contexts}
    for context in before.contexts.contexts:
        if context.name not in listed:
            size = "asked" if context.tokens is None else f"{context.tokens} tokens"
            axes = (("context", (context.name,)),)
            yield ("context", context.name), Thing("context", context.name, size, "not listed", axes)
    if was.thinking and not asked.thinking:
        modes = (("thinking", ("off", "on")),)
        yield ("thinking",), Thing("thinking", "both modes", "each mode asked by itself", "not told apart", modes)


def _of_models(before: Ground, now: Ground, paired: Pairing) -> Iterator[tuple[_Key, Thing]]:
    """Yield the models that a host owes no longer, and those that read less than they could."""
    sized = before.contexts.sized and now.contexts.sized
    held = {host: _held(now, later.id) for host, later in paired.hosts.items()}
    for model in before.models:
        if model.host not in paired.hosts:
            continue
        same, own = paired.models.get((model.host, model.key)), (model.host, model.key)
        if same is None:
            # One that its host still holds was let go by a rule.
            again = next((file for name in (model.key, *model.names) if (file := held[model.host].get(name))), None)
            words = "not in the inventory" if again is None else f"held as {again}, which no rule owes"
            was = "owed" if model.held else "owed by its pin"
            yield ("model", *own), of_model(before, paired, "model", model, model.file, was, words)
        elif sized and model.context_length is not None and (same.context_length or 0) < model.context_length:
            later = "not measured" if same.context_length is None else f"{same.context_length} tokens"
            earlier = f"{model.context_length} tokens"
            yield ("length", *own), of_model(before, paired, "length", model, model.file, earlier, later)


def _held(now: Ground, host: str) -> dict[str, str]:
    """Return the files that a host's inventories list, by their name and by their sha256."""
    items = [item for receipt in now.inventories[host] if receipt.inventory for item in receipt.inventory.held]
    return {item.sha256: item.file for item in items if item.sha256 is not None} | {i.file: i.file for i in items}
