"""What a decision selects: all that it names must match, and nothing broader than was written."""

from __future__ import annotations

from array import array
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, cast

from gate.decisions import AT_LEAST
from gate.names import glob_matches, is_glob
from gate.obligations.dispatch import OwedKernel
from gate.obligations.universe import Cell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.decisions import KnownFailure, Selector
    from gate.obligations.census import OwedShape
    from gate.obligations.universe import OwedModel
    from gate.rules import Rules

    Owed = Cell | OwedKernel | OwedShape
    _Given = dict[str, tuple[str, ...]]


def matches(pattern: str, value: str | None) -> bool:
    """Say whether `value` is what `pattern` says: a glob where one is written, otherwise the very same text."""
    return value is not None and (value == pattern or (is_glob(pattern) and glob_matches(pattern, value)))


class _Axes(NamedTuple):
    """Where a cell lies, but for its model."""

    host: str
    compute: str | None
    arch: str | None
    quant: str | None
    verb: str
    context: str
    thinking: str | None


class Selection:
    """What decisions select from.

    A decision may name one model of thousands, and there may be a thousand decisions: nothing is gone through for each
    of them but the values that an axis has, the obligations it selects, and of models named by it all cells.

    Args:
        everything: every obligation of the release that a decision can cover.
        rules: they know the aliases of a host.
        computes: each host's compute capability.
    """

    def __init__(self, everything: Sequence[Owed], rules: Rules, computes: dict[str, str | None]) -> None:
        self._everything = everything
        self._rules = rules
        self._computes = computes
        self._others: dict[int, OwedKernel | OwedShape] = {}  # by their places
        self._cells_of: dict[_Axes, array[int]] = {}  # the places of the cells that lie there, whatever their models
        self._named: dict[str, list[range]] = {}  # the places of the cells of the models that have a name
        begins, last = 0, None
        for place, owed in enumerate(self._everything):
            model = None
            if isinstance(owed, Cell):
                model = owed.model
                self._cells_of.setdefault(self._axes(owed), array("L")).append(place)
            else:
                self._others[place] = owed
            if model is not last:
                self._name(last, range(begins, place))
                begins, last = place, model
        self._name(last, range(begins, len(self._everything)))

    def _name(self, model: OwedModel | None, places: range) -> None:
        for name in model.names if model is not None else ():
            self._named.setdefault(name, []).append(places)

    def _axes(self, cell: Cell) -> _Axes:
        model, compute = cell.model, self._computes.get(cell.model.host)
        return _Axes(model.host, compute, model.arch, model.quant, cell.verb, cell.prompt.context, cell.thinking)

    def selected(self, selector: Selector) -> list[Owed]:
        """Return the obligations that `selector` covers, in their order."""
        given = selector.given()
        if "suite" in given:
            return []
        if "host" in given:
            named = [(self._rules.host_named(host), host) for host in given["host"]]
            given["host"] = tuple(host.id if host is not None else text for host, text in named)
        places = self._cells(given)
        # A kernel fails by its architecture. A decision that names neither it nor its quant type on one speaks of runs.
        if "kernel" in given or {"quant", "compute"} <= given.keys():
            places += (place for place, owed in self._others.items() if self._covers(given, owed))
        return [self._everything[place] for place in sorted(places)]

    def _covers(self, given: _Given, owed: OwedKernel | OwedShape) -> bool:
        return all(_axis(axis, wanted, owed, self._computes) for axis, wanted in given.items())

    def _cells(self, given: _Given) -> list[int]:
        """Return the places of the cells that are selected."""
        if "kernel" in given:
            return []  # a cell has no kernel: a decision on one covers no cell
        there = [
            axes for axes in self._cells_of
            if all(_on_axis(axis, wanted, axes) for axis, wanted in given.items() if axis != "model")
        ]  # fmt: skip
        if "model" not in given:
            return list(chain.from_iterable(self._cells_of[axes] for axes in there))
        names = set(given["model"]) & self._named.keys()
        for glob in filter(is_glob, given["model"]):
            names.update(name for name in self._named if glob_matches(glob, name))
        # One model may have several of these names.
        places = list(set(chain.from_iterable(chain.from_iterable(self._named[name] for name in names))))
        if len(there) == len(self._cells_of):
            return places
        lie_there = set(there)
        return [place for place in places if self._axes(cast("Cell", self._everything[place])) in lie_there]


def selected_suites(failure: KnownFailure, rules: Rules) -> list[tuple[str, ...]]:
    """Return the suites that a known failure covers, or rows of them, as the segments of their IRIs."""
    if failure.suite is None:
        return []
    require = rules.document.require
    suites = [name for name in require.suites if any(matches(want, name) for want in failure.suite)]
    if failure.row is None:
        return [("suite", name) for name in suites]
    rows = {expected.suite: expected.rows for expected in require.rows}
    return [
        ("suite", suite, "row", row)
        for suite in suites
        for row in rows.get(suite, ())
        if any(matches(want, row) for want in failure.row)
    ]


def _on_axis(axis: str, wanted: tuple[str, ...], axes: _Axes) -> bool:
    value = getattr(axes, axis)
    return any(_meets(want, value) if axis == "compute" else matches(want, value) for want in wanted)


def _axis(
    axis: str, wanted: tuple[str, ...], owed: OwedKernel | OwedShape, computes: dict[str, str | None]
) -> bool:  # fmt: skip
    if axis == "compute":
        return any(_meets(want, computes.get(owed.host)) for want in wanted)
    if axis == "kernel" and not isinstance(owed, OwedKernel):
        # A shape that a kernel not named here may have measured is none of the decision's.
        return bool(owed.kernels) and all(any(matches(want, kernel) for want in wanted) for kernel in owed.kernels)
    return any(matches(want, _kernel(axis, owed)) for want in wanted)


def _kernel(axis: str, owed: OwedKernel | OwedShape) -> str | None:
    if axis == "kernel" and isinstance(owed, OwedKernel):
        return owed.kernel
    return {"quant": owed.quant, "host": owed.host}.get(axis)  # it has no model, verb, context or thinking mode


def _meets(wanted: str, compute: str | None) -> bool:
    """Say whether a capability is the one that is wanted, or with `>=` that one or a later one."""
    if compute is None or not wanted.startswith(AT_LEAST):
        return compute == wanted
    return _number(compute) >= _number(wanted.removeprefix(AT_LEAST))


def _number(compute: str) -> tuple[int, int]:
    major, _, minor = compute.partition(".")
    return int(major), int(minor)
