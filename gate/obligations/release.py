"""The release itself: what is judged, at which commit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.obligations.node import Node, known

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
    yield Node(ground.iri(), ("Release",), subject.version, facts + hosts + unread)
