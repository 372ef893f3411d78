"""The release itself: what is judged, at which commit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.obligations.node import Node, known
from gate.rules import Models

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.obligations.ground import Ground

TARGETS = ("Release",)
REQUIRED = True


def nodes(ground: Ground) -> Iterator[Node]:
    """Yield the release, its required hosts and the files that nothing reads."""
    subject = ground.subject
    facts = known(version=subject.version, commit=subject.commit, tag=subject.tag)
    hosts = tuple(("requires", ground.iri("host", host.id)) for host in ground.rules.required_hosts)
    unread = tuple(("unreadFile", path) for path in ground.ledger.unread)
    idle = tuple(("idleGlob", glob) for glob in _idle_globs(ground))
    yield Node(ground.iri(), ("Release",), subject.version, facts + hosts + unread + idle)


def _idle_globs(ground: Ground) -> list[str]:
    """Return the globs of models.owed that match no file of any required host: each may be misspelt."""
    hosts = [host.id for host in ground.rules.required_hosts]
    files = [h.file for host in hosts for r in ground.inventories[host] if r.inventory for h in r.inventory.held]
    globs = ground.rules.document.models.owed or []
    return [glob for glob in globs if not any(Models(owed=[glob]).owes(file) for file in files)]
