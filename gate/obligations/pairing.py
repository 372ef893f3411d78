"""Which hosts, models and cells of one release are those of another, whatever each calls them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gate.obligations.ground import Ground
    from gate.obligations.universe import Cell, OwedModel
    from gate.rules import Host


@dataclass(frozen=True, slots=True)
class Pairing:
    """What of an earlier release a later one owes too.

    Args:
        hosts: the later host, by the id of the earlier.
        models: the later model, by the host and key of the earlier.
        owing: by the key of an earlier model, the hosts that owed it and are still there.
    """

    hosts: dict[str, Host]
    models: dict[tuple[str, str], OwedModel]
    owing: dict[str, frozenset[str]]

    def place(self, cell: Cell) -> tuple[str, str, str, str] | None:
        """Return the later host, model key, verb and context of an earlier cell; None where host or model are gone."""
        same = self.models.get((cell.host, cell.model.key))
        return (same.host, same.key, cell.verb, cell.context) if same is not None else None


def pair(before: Ground, now: Ground) -> Pairing:
    """Return the hosts and models of `before` that `now` still owes.

    A host is the same under its id, or under an alias of either; a model under its sha256, or else under a name that it
    has on that host: other bytes under one name are that model, renewed. None stands for two of the earlier ones.
    """
    hosts = _hosts(before, now)
    models: dict[tuple[str, str], OwedModel] = {}
    owing: dict[str, set[str]] = {}
    for was, host in hosts.items():
        mine = [model for model in before.models if model.host == was]
        same = _same(mine, [model for model in now.models if model.host == host.id])
        models |= {(was, key): model for key, model in same.items()}
        for model in mine:
            owing.setdefault(model.key, set()).add(was)
    return Pairing(hosts, models, {key: frozenset(found) for key, found in owing.items()})


def _same(before: list[OwedModel], now: list[OwedModel]) -> dict[str, OwedModel]:
    """Return the models of a host that it owes still, by their earlier key."""
    free = {model.key: model for model in now}
    same = {model.key: free.pop(model.key) for model in before if model.key in free}
    named: dict[str, list[str]] = {}
    for key, model in free.items():
        for name in model.names:
            named.setdefault(name, []).append(key)
    for model in before:
        if model.key not in same:
            again = next((key for name in model.names for key in named.get(name, ()) if key in free), None)
            if again is not None:
                same[model.key] = free.pop(again)
    return same


def _hosts(before: Ground, now: Ground) -> dict[str, Host]:
    free = {host.id: host for host in now.rules.required_hosts}
    found = {host.id: free.pop(host.id) for host in before.rules.required_hosts if host.id in free}
    for host in before.rules.required_hosts:
        if host.id not in found:
            names = {host.id, *host.aliases}
            again = next((other for other in free.values() if not names.isdisjoint({other.id, *other.aliases})), None)
            if again is not None:
                found[host.id] = free.pop(again.id)
    return found
