"""Every owed model that was identified, once for all hosts: what is known of it, and whether the hosts agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.obligations.node import About, Node, known
from gate.obligations.universe import proven_modes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gate.ledger.rows import Held
    from gate.obligations.ground import Ground
    from gate.obligations.universe import OwedModel

TARGETS = ("Model", "SizedModel")
REQUIRED = False  # a release whose every file is unidentified is red on its hosts


def nodes(ground: Ground) -> Iterator[Node]:
    """Yield one node a sha256."""
    by_sha256: dict[str, list[OwedModel]] = {}
    for model in ground.models:
        if model.sha256 is not None:
            by_sha256.setdefault(model.sha256, []).append(model)
    measured: dict[str, list[Held]] = {}
    for host in ground.rules.required_hosts:
        for receipt in ground.inventories[host.id]:
            for held in receipt.inventory.held if receipt.inventory else ():
                if held.sha256 is not None:
                    measured.setdefault(held.sha256, []).append(held)
    for sha256, models in sorted(by_sha256.items(), key=lambda item: (item[1][0].file, item[0])):
        yield _model(ground, sha256, models, measured.get(sha256, []))


def _model(ground: Ground, sha256: str, models: list[OwedModel], held: list[Held]) -> Node:
    names = sorted({name for model in models for name in model.names})
    archs = sorted({item.arch for item in held if item.arch} | {m.arch for m in models if m.arch})
    lengths = sorted({length for model in models for length in model.lengths})
    claimed = sorted({tuple(sorted(item.modes)) for item in held if item.modes is not None})
    # Where contexts have sizes, a pinned model that nobody holds is sized too: nobody says which contexts it owes.
    return Node(
        ground.iri("model", sha256), ("Model", "SizedModel") if ground.contexts.sized else ("Model",), names[0],
        known(sha256=sha256)
        + tuple(("name", name) for name in names)
        + tuple(("arch", arch) for arch in archs)
        + tuple(("quant", quant) for quant in sorted({item.quant for item in held if item.quant}))
        + tuple(("contextLength", length) for length in lengths)
        + tuple(("markers", ", ".join(markers) or "none") for markers in models[0].markers)
        + tuple(("thinkingModes", ", ".join(modes)) for modes in claimed)
        + known(modesHold=_modes_hold(claimed, models[0].markers))
        + tuple(("weightsBytes", size) for size in _each(item.weights_bytes for item in held))
        + tuple(("kvBytesPerToken", size) for size in _each(item.kv_bytes_per_token for item in held))
        + tuple(("heldBy", ground.iri("host", model.host)) for model in models if model.held),
        About(model=names[0], quant=models[0].quant),
    )  # fmt: skip


def _each(values: Iterable[int | None]) -> list[int]:
    return sorted({value for value in values if value is not None})


def _modes_hold(claimed: list[tuple[str, ...]], markers: tuple[tuple[str, ...], ...]) -> bool | None:
    """Say whether the thinking modes that the inventories claim are those that the template's markers prove."""
    if not claimed or not markers:
        return None
    return {tuple(sorted(proven_modes(found))) for found in markers} == set(claimed)
