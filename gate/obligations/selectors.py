"""What a decision selects: all that it names must match, and nothing broader than was written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.decisions import AT_LEAST
from gate.names import glob_matches, is_glob
from gate.obligations.dispatch import OwedKernel
from gate.obligations.universe import Cell

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gate.decisions import KnownFailure, Selector
    from gate.obligations.census import OwedShape
    from gate.rules import Rules

    Owed = Cell | OwedKernel | OwedShape


def matches(pattern: str, value: str | None) -> bool:
    """Say whether `value` is what `pattern` says: a glob where one is written, otherwise the very same text."""
    return value is not None and (value == pattern or (is_glob(pattern) and glob_matches(pattern, value)))


def selected(
    selector: Selector, everything: Iterable[Owed], rules: Rules, computes: dict[str, str | None]
) -> list[Owed]:
    """Return the obligations that `selector` covers, in their order.

    Args:
        selector: the decision.
        everything: every obligation of the release that a decision can cover.
        rules: they know the aliases of a host.
        computes: each host's compute capability.
    """
    given = selector.given()
    if "suite" in given:
        return []
    if "host" in given:
        named = [(rules.host_named(host), host) for host in given["host"]]
        given["host"] = tuple(host.id if host is not None else text for host, text in named)
    of_kernels = "kernel" in given or {"quant", "compute"} <= given.keys()
    return [
        owed
        for owed in everything
        # A kernel fails by its architecture. A decision that names neither it nor its quant type on one speaks of runs.
        if (of_kernels or isinstance(owed, Cell))
        and all(_axis(axis, wanted, owed, computes) for axis, wanted in given.items())
    ]


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


def _axis(axis: str, wanted: tuple[str, ...], owed: Owed, computes: dict[str, str | None]) -> bool:
    if axis == "compute":
        return any(_meets(want, computes.get(owed.host)) for want in wanted)
    if axis == "kernel" and not isinstance(owed, Cell | OwedKernel):
        # A shape that a kernel not named here may have measured is none of the decision's.
        return bool(owed.kernels) and all(any(matches(want, kernel) for want in wanted) for kernel in owed.kernels)
    values = _cell(axis, owed) if isinstance(owed, Cell) else _kernel(axis, owed)
    return any(matches(want, value) for want in wanted for value in values)


def _cell(axis: str, cell: Cell) -> tuple[str | None, ...]:
    if axis == "model":
        return cell.model.names
    values = {
        "arch": cell.model.arch,
        "quant": cell.model.quant,
        "host": cell.host,
        "verb": cell.verb,
        "context": cell.context,
        "thinking": cell.thinking,
    }
    return (values.get(axis),)  # a cell has no kernel: a decision on one covers no cell


def _kernel(axis: str, owed: OwedKernel | OwedShape) -> tuple[str | None, ...]:
    if axis == "kernel" and isinstance(owed, OwedKernel):
        return (owed.kernel,)
    return ({"quant": owed.quant, "host": owed.host}.get(axis),)  # it has no model, verb, context or thinking mode


def _meets(wanted: str, compute: str | None) -> bool:
    """Say whether a capability is the one that is wanted, or with `>=` that one or a later one."""
    if compute is None or not wanted.startswith(AT_LEAST):
        return compute == wanted
    return _number(compute) >= _number(wanted.removeprefix(AT_LEAST))


def _number(compute: str) -> tuple[int, int]:
    major, _, minor = compute.partition(".")
    return int(major), int(minor)
