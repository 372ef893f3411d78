"""Every required host: one inventory of this very release, the GPU that the rules name, every owed file identified."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from gate.obligations.node import About, Node, known

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.iris import Iri
    from gate.ledger.rows import Inventory, Receipt
    from gate.obligations.ground import Ground
    from gate.obligations.universe import OwedModel
    from gate.rules import Host

TARGETS = ("Host",)
REQUIRED = True


def nodes(ground: Ground) -> Iterator[Node]:
    """Yield each required host, its inventories and the owed files that it holds."""
    ran, passes_owed = _ran(ground), _passes_owed(ground)
    for host in ground.rules.required_hosts:
        yield from _host(ground, host, ran.get(host.id, {}), passes_owed.get(host.id))


def _host(ground: Ground, host: Host, ran: _Ran, passes_owed: int | None) -> Iterator[Node]:
    # An inventory that nobody vouches for says what is owed, and shows nothing.
    receipts = [r for r in ground.inventories[host.id] if r.file.path not in ground.trust.refused]
    unlisted = _unlisted(ground, host, ran) if receipts else {}
    held = [model for model in ground.models if model.host == host.id and model.held]
    yield Node(
        ground.iri("host", host.id), ("Host",), host.id,
        known(
            passesOwed=passes_owed, ownGpu=host.gpu, ownCompute=host.compute,
            ownBinary=ground.subject.binaries.get(host.id),
        )
        + tuple(("inventory", _inventory_iri(ground, receipt)) for receipt in receipts)
        + tuple(("holds", ground.held_iri(model)) for model in held)
        + tuple(("binary", binary) for binary in ground.binaries[host.id])
        + tuple(("unlisted", ground.iri("host", host.id, "unlisted", sha256)) for sha256 in unlisted)
        + tuple(("superseded", r.file.path) for r in _superseded(ground, host)),
        About(host=host.id),
    )  # fmt: skip
    for receipt in receipts:
        if receipt.inventory is not None:
            yield _inventory(ground, host, receipt, receipt.inventory)
    listed_by: dict[str, int] = {}
    for index, receipt in enumerate(ground.inventories[host.id]):
        for item in receipt.inventory.held if receipt.inventory else ():
            listed_by.setdefault(item.file, index)
    for model in held:
        yield _held(ground, model, listed_by)
    for sha256, (file, path) in unlisted.items():
        yield Node(
            ground.iri("host", host.id, "unlisted", sha256), ("UnlistedModel",), host.id,
            known(file=file, sha256=sha256),
            About(host=host.id, model=file, receipt=path), ground.iri("host", host.id),
        )  # fmt: skip


_Ran = dict[tuple[str, str], str]  # what a host ran, as pairs of sha256 and name, and the receipt that says so first


def _ran(ground: Ground) -> dict[str, _Ran]:
    """Return what each host ran, in the order of the rows."""
    found: dict[str, _Ran] = {}
    of_names: dict[str, _Ran] = {}
    for _, receipt, row, _, _ in ground.rows:
        if row.host not in of_names:
            host = ground.rules.host_named(row.host)
            of_names[row.host] = found.setdefault(host.id, {}) if host is not None else {}
        if row.sha256 is not None:
            of_names[row.host].setdefault((row.sha256, row.file), receipt.file.path)
    return found


def _unlisted(ground: Ground, host: Host, ran: _Ran) -> dict[str, tuple[str, str]]:
    """Return the models that the host ran and that no inventory of it lists, by sha256: their file and receipt."""
    listed = {h.sha256 for r in ground.inventories[host.id] if r.inventory for h in r.inventory.held}
    names = {h.file for r in ground.inventories[host.id] if r.inventory for h in r.inventory.held}
    listed |= {model.sha256 for model in ground.models if model.host == host.id and model.pinned}
    found: dict[str, tuple[str, str]] = {}
    for (sha256, file), path in ran.items():
        if sha256 not in listed and file not in names:  # by its name: an unidentified file is red already
            found.setdefault(sha256, (file, path))
    return dict(sorted(found.items()))


def _superseded(ground: Ground, host: Host) -> list[Receipt]:
    return [r for r in ground.ledger.receipts if r.superseded and r.host and ground.rules.host_named(r.host) == host]


def _passes_owed(ground: Ground) -> dict[str, int]:
    """Return how many cells a host owes as a pass, of each that owes any as a refusal: a host may not only refuse."""
    passes: Counter[str] = Counter()
    refusing: set[str] = set()
    declaimed = ground.declaimed
    for cell in ground.cells:
        if cell.iri not in declaimed:
            if cell.prompt.refusal_owed:
                refusing.add(cell.host)
            else:
                passes[cell.host] += 1
    return {host: passes[host] for host in refusing}


def _inventory_iri(ground: Ground, receipt: Receipt) -> Iri:
    return ground.iri("receipt", receipt.file.path, "inventory")


def _inventory(ground: Ground, host: Host, receipt: Receipt, inventory: Inventory) -> Node:
    binding = receipt.binding
    return Node(
        ground.iri("receipt", receipt.file.path, "inventory"), ("Inventory",), host.id,
        known(
            path=receipt.file.path, version=binding.version, commit=binding.commit, fresh=ground.fresh(receipt),
            staleBecause=ground.stale_because(receipt),
            gpu=inventory.gpu, compute=inventory.compute, ownGpu=host.gpu, ownCompute=host.compute,
            gpuHolds=_same(host.gpu, inventory.gpu), computeHolds=_same(host.compute, inventory.compute),
            memoryHolds=_same(host.memory_bytes, inventory.gpu_memory_bytes), ownMemoryBytes=host.memory_bytes,
            gpuMemoryBytes=inventory.gpu_memory_bytes,
            held=len(inventory.held),
            owedFiles=sum(ground.rules.document.models.owes(item.file) for item in inventory.held),
            notOwed=sum(not ground.rules.document.models.owes(item.file) for item in inventory.held),
        ),
        About(host=host.id, receipt=receipt.file.path), ground.iri("host", host.id),
    )  # fmt: skip


def _same(wanted: str | int | None, measured: str | int | None) -> bool | None:
    """Say whether what was measured is what the rules name; True where they name nothing, None where it isn't known."""
    if wanted is None:
        return True
    return None if measured is None else wanted == measured


def _held(ground: Ground, model: OwedModel, listed_by: dict[str, int]) -> Node:
    pins = [p for p in ground.rules.document.models.pinned if p.hosts is None or model.host in p.hosts]
    by_name = [p for p in pins if p.file in model.names]
    holds = all(p.sha256 == model.sha256 and (p.arch is None or p.arch == model.arch) for p in by_name)
    first = min((listed_by[name] for name in model.names if name in listed_by), default=None)
    receipt = ground.inventories[model.host][first].file.path if first is not None else None
    return Node(
        ground.held_iri(model), ("HeldModel",), model.host,
        known(file=model.file, sha256=model.sha256, arch=model.arch, quant=model.quant,
              pinnedSha256=by_name[0].sha256 if by_name else None, pinHolds=holds if by_name else None),
        About(host=model.host, model=model.file, quant=model.quant, receipt=receipt),
        ground.iri("host", model.host),
    )  # fmt: skip
