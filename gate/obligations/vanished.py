"""What one release owed and another doesn't: each thing at the coarsest level that explains it, computed, not judged.

A cell that both owe is owed, whatever it is called there and however it stands. One that a de-claim takes out is a cell
all the same: what is withdrawn for a time hasn't vanished.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.obligations.pairing import pair
from gate.obligations.thing import Thing
from gate.obligations.vanished_cells import names_of, of_model, vanished_cells

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gate.obligations.ground import Ground, LostConstraint
    from gate.obligations.pairing import Pairing
    from gate.rules import PerformanceClaim


def vanished(before: Ground, now: Ground, lost: Iterable[LostConstraint] = ()) -> tuple[Thing, ...]:
    """Return what `before` owed and `now` doesn't. What is of a host stands once for each: `merged` joins them.

    Args:
        before: one release.
        now: the other.
        lost: the constraints of the project's own shapes that `before` had and `now` hasn't.
    """
    paired = pair(before, now)
    return (
        *vanished_cells(before, now, paired), *_hardware(before, paired), *_backend(before, now), *_sizes(before, now),
        *_pins(before, paired), *_require(before, now), *_kernels(before, now, paired),
        *_shapes(before, now, paired), *_claims(before, now), *map(_constraint, lost),
    )  # fmt: skip


def _hardware(before: Ground, paired: Pairing) -> Iterator[Thing]:
    """Yield the GPUs and compute capabilities that a host was asked to have, and isn't any more."""
    for host in before.rules.required_hosts:
        same = paired.hosts.get(host.id)
        for axis, was in (("gpu", host.gpu), ("compute", host.compute)):
            now = getattr(same, axis) if same is not None else was
            if was is not None and was != now:
                axes = (("host", names_of(host)), (axis, (was,)))
                yield Thing(axis, was, was, now or "not asked", axes, host.id, frozenset({host.id}))


def _backend(before: Ground, now: Ground) -> Iterator[Thing]:
    was, asked = before.rules.document.cells.backend, now.rules.document.cells.backend
    if was != asked:
        yield Thing("backend", was, was, asked, (("backend", (was,)),))


def _sizes(before: Ground, now: Ground) -> Iterator[Thing]:
    """Yield the contexts that ask for a shorter prompt than they did."""
    sizes = {context.name: context.tokens for context in now.contexts.contexts}
    for context in before.contexts.contexts:
        if context.tokens is not None and context.name in sizes and (sizes[context.name] or 0) < context.tokens:
            tokens = sizes[context.name]
            smaller = "no size" if tokens is None else f"{tokens} tokens"
            yield Thing("size", context.name, f"{context.tokens} tokens", smaller, (("context", (context.name,)),))


def _pins(before: Ground, paired: Pairing) -> Iterator[Thing]:
    """Yield the pins that are gone from a model which its host owes all the same."""
    for model in before.models:
        same = paired.models.get((model.host, model.key))
        if model.pinned and same is not None and not same.pinned:
            yield of_model(before, paired, "pin", model, model.file, f"pinned to {model.key[:12]}", "not pinned")


def _require(before: Ground, now: Ground) -> Iterator[Thing]:
    was, asked = before.rules.document.require, now.rules.document.require
    for key in type(was).model_fields:
        if getattr(was, key) is True and getattr(asked, key) is not True:
            yield Thing("require", key, "required", "not required", (("require", (key,)),))
    laxer = {
        "tokenizer_tokens": asked.tokenizer_tokens < was.tokenizer_tokens,
        "conformance_tolerance": asked.conformance_tolerance > was.conformance_tolerance,
        "conformance_census": (was.conformance_census, asked.conformance_census) == ("inventory", "receipt"),
    }
    for key, is_laxer in laxer.items():
        kind = key.partition("_")[0]
        if is_laxer and getattr(was, kind) and getattr(asked, kind):
            yield Thing("require", key, str(getattr(was, key)), str(getattr(asked, key)), (("require", (key,)),))
    trusted, trusts = before.rules.document.trust, now.rules.document.trust
    for key in ("decisions", "receipts"):
        if getattr(trusted, key, None) is not None and getattr(trusts, key, None) is None:
            name = f"trust.{key}"
            yield Thing("require", name, "signed", "not signed", (("require", (name,)),))
    if was.parity is not None:
        words = f"the first {was.parity.prefix} tokens, against {was.parity.against}"
        axes = (("require", ("parity",)),)
        if asked.parity is None:
            yield Thing("require", "parity", words, "not required", axes)
        elif asked.parity.against != was.parity.against or asked.parity.prefix < was.parity.prefix:
            now_words = f"the first {asked.parity.prefix} tokens, against {asked.parity.against}"
            yield Thing("require", "parity", words, now_words, axes)
    rows = {expected.suite: expected.rows for expected in asked.rows}
    expected_before = {expected.suite: expected.rows for expected in was.rows}
    for suite in was.suites:
        if suite not in asked.suites:
            yield Thing("suite", suite, "required", "not required", (("suite", (suite,)),))
            continue
        for row in expected_before.get(suite, []):
            if row not in rows.get(suite, []):
                named = (("suite", (suite,)), ("row", (row,)))
                yield Thing("row", f"{suite}/{row}", "expected", "not expected", named)


def _kernels(before: Ground, now: Ground, paired: Pairing) -> Iterator[Thing]:
    """Yield the kernels that a model which is still owed ran, and that no model runs now."""
    if not (before.rules.document.require.kernels and now.rules.document.require.kernels):
        return
    owed = {(kernel.kernel, kernel.quant) for kernel in now.kernels}
    ran = {
        pair_ran
        for own, lists in before.dispatched.items() if own in paired.models
        for found in lists for pair_ran in found.pairs
    }  # fmt: skip
    for kernel, quant in sorted(ran - owed, key=lambda each: (each[0], each[1] or "")):
        axes = (("kernel", (kernel,)), *([("quant", (quant,))] if quant else []))
        name = "/".join((kernel, *([quant] if quant else [])))
        yield Thing("kernel", name, "run by a model that is owed", "run by none", axes)


def _shapes(before: Ground, now: Ground, paired: Pairing) -> Iterator[Thing]:
    """Yield the quantizations, and else the tensor shapes, that a host's census had and has not."""
    if not (before.rules.document.require.conformance and now.rules.document.require.conformance):
        return
    hosts = {host.id: host for host in before.rules.required_hosts if host.id in paired.hosts}
    owed = {(shape.host, shape.quant, shape.shape) for shape in now.shapes}
    quants = {(host, quant) for host, quant, _ in owed}
    held = {(shape.host, shape.quant, shape.shape) for shape in before.shapes if shape.host in hosts}
    gone: dict[tuple[str, str, str | None], None] = {}
    for host, quant, shape in sorted(held):
        later = paired.hosts[host].id
        if (later, quant) not in quants:
            gone[host, quant, None] = None
        elif (later, quant, shape) not in owed:
            gone[host, quant, shape] = None
    for host, quant, lost in gone:
        everywhere = frozenset(h for h, q, s in held if q == quant and lost in {None, s})
        axes = (("host", names_of(hosts[host])), ("quant", (quant,)), *([("shape", (lost,))] if lost else []))
        name = f"{quant}/{lost}" if lost else quant
        yield Thing("shape" if lost else "quant", name, "in the census", "not in it", axes, host, everywhere)


def _claims(before: Ground, now: Ground) -> Iterator[Thing]:
    claims = {claim.id: claim for claim in now.rules.document.claims.performance}
    for claim in before.rules.document.claims.performance:
        later = claims.get(claim.id)
        if later is None or _weaker(later, claim):
            words = "not claimed" if later is None else _words(later)
            yield Thing("claim", claim.id, _words(claim), words, (("claim", (claim.id,)),))


def _weaker(later: PerformanceClaim, claim: PerformanceClaim) -> bool:
    """Say whether a claim says less than it did: of something else, by another measure, or less of it."""
    if any(getattr(later, key) != getattr(claim, key) for key in ("model", "metric", "configuration")):
        return True
    if claim.comparator is not None and later.comparator != claim.comparator:
        return True
    if claim.at_least is not None and (later.at_least or 0) < claim.at_least:
        return True
    return later.of < claim.of or later.runs < claim.runs or later.of - later.runs > claim.of - claim.runs


def _words(claim: PerformanceClaim) -> str:
    least = "" if claim.at_least is None else f" at least {claim.at_least:g}"
    against = "" if claim.comparator is None else f" of {claim.comparator}"
    return f"{claim.metric} of {claim.model}, {claim.configuration}:{least}{against} in {claim.runs} of {claim.of} runs"


def _constraint(lost: LostConstraint) -> Thing:
    names = (lost.file,) if lost.shape is None else (lost.shape, lost.file)
    return Thing("constraint", names[0], lost.was, lost.now, (("constraint", names),))
