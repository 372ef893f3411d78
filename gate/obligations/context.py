"""Every sized context: its tokens, the source that they were derived from, and the consumers behind `consumer-max`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.contexts import CONSUMER_MAX, DECLARED
from gate.obligations.node import About, Node, known

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.obligations.ground import Ground

TARGETS = ("Context",)
REQUIRED = False  # contexts that are names alone owe no size


def nodes(ground: Ground) -> Iterator[Node]:
    """Yield each sized context and the consumers that it is computed from."""
    if not ground.contexts.sized:
        return
    receipt = ground.contexts.file.path if ground.contexts.file else None
    consumers = [c.name for c in ground.contexts.consumers]
    for context in ground.contexts.contexts:
        if context.name == DECLARED:
            continue  # sized by each model, whose shape asks for its length
        asked = consumers if context.name == CONSUMER_MAX else []
        yield Node(
            ground.iri("context", context.name), ("Context",), context.name,
            known(tokens=context.tokens, long=context.long, reachable=_reachable(ground, context.tokens))
            + tuple(("source", source) for source in context.sources)
            + tuple(("consumer", ground.iri("consumer", name)) for name in asked),
            About(context=context.name, receipt=receipt),
        )  # fmt: skip
    for consumer in ground.contexts.consumers:
        yield Node(
            ground.iri("consumer", consumer.name), ("Consumer",), consumer.name,
            known(promptTokens=consumer.tokens), About(context=CONSUMER_MAX, receipt=receipt),
            ground.iri("context", CONSUMER_MAX),
        )  # fmt: skip


def _reachable(ground: Ground, tokens: int | None) -> bool | None:
    """Say whether any owed model is long enough for a context; None where a length that could be is unmeasured."""
    lengths = [model.context_length for model in ground.models]
    if tokens is None or any(length is not None and length >= tokens for length in lengths):
        return None if tokens is None else True
    return None if None in lengths else False
