"""What vanished since the releases before, and the decisions that name it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gate import versions
from gate.obligations.selectors import matches
from gate.obligations.thing import Thing, merged
from gate.obligations.vanished import vanished

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gate.decisions import Retire
    from gate.iris import Iri
    from gate.obligations.ground import Ground, Previous
    from gate.rules import Rules


@dataclass(frozen=True, slots=True)
class Loss:
    """Something that a release before owed and this one doesn't.

    Args:
        thing: what it is.
        owed_by: the versions before that owed it, the previous release first.
        retired_by: the places in the file of the decisions that name it, in each of those releases' stead.
    """

    thing: Thing
    owed_by: tuple[str, ...]
    retired_by: tuple[int, ...]

    def iri(self, ground: Ground) -> Iri:
        """Return the IRI of the vanished thing."""
        thing = self.thing
        hosts = (thing.host,) if thing.host is not None else thing.hosts
        return ground.iri("vanished", thing.kind, thing.name, *hosts)


def losses(ground: Ground) -> tuple[Loss, ...]:
    """Return everything that vanished, one a thing and set of decisions, in the order of kinds and names."""
    found: dict[tuple[str, str], tuple[Thing, list[str], set[int]]] = {}
    for previous in ground.previous:
        for thing in _since(previous, ground):
            named = {
                index for index, retire in enumerate(ground.decisions.document.retire)
                if applies(retire, previous.version, ground.subject.version) and names(retire, thing)
            }  # fmt: skip
            _, owed_by, decisions = found.setdefault((thing.kind, thing.label), (thing, [], named))
            owed_by.append(previous.version)
            decisions &= named
    groups: dict[tuple[tuple[str, ...], tuple[int, ...]], list[Thing]] = {}
    for thing, owed_by, decisions in found.values():
        groups.setdefault((tuple(owed_by), tuple(sorted(decisions))), []).append(thing)
    return tuple(Loss(thing, owed_by, by) for (owed_by, by), things in groups.items() for thing in merged(things))


def _since(previous: Previous, ground: Ground) -> Iterable[Thing]:
    yield from vanished(previous.ground, ground, previous.lost)
    if previous.origin.missing_rules is not None:
        yield rules_thing(ground.rules, previous.version)


def rules_thing(today: Rules, version: str) -> Thing:
    """Return the rules of a release as a thing: where they aren't at its tag, nobody knows what else it owed."""
    name = today.file.path
    return Thing("rules", name, f"the rules of {version}", "not to be read at its tag", (("rules", (name,)),))


def retire_iri(ground: Ground, index: int) -> Iri:
    """Return the IRI of a decision: by its id, or, in a place that no id can take, by where it stands in the file."""
    named = ground.decisions.document.retire[index].id
    return ground.iri("retire", named) if named is not None else ground.iri("unnamed-retire", str(index))


def names(retire: Retire, thing: Thing) -> bool:
    """Say whether a decision names a thing: each selector that is given is one of the thing's, and matches it.

    So a decision on less than what vanished names nothing: a verb on one host is no verb. Nor does one on more: who
    gives up a host gives up the host, and not a model of one that stays.
    """
    axes, given = dict(thing.axes), retire.given()
    if given.keys() == {"host"} and thing.kind != "host":
        return False
    return all(
        axis in axes and any(matches(pattern, value) for pattern in patterns for value in axes[axis])
        for axis, patterns in given.items()
    )


def applies(retire: Retire, previous: str, judged: str) -> bool:
    """Say whether what vanished between two versions may be what a decision gives up with its release.

    A candidate of that release is under it already, as it is under a de-claim.
    """
    if retire.release is None:
        return False
    release = versions.parse(retire.release)
    return versions.parse(previous) < release <= versions.parse(judged).finalize_version()
