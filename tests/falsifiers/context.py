"""What turns a context red."""

from __future__ import annotations

from tests.falsifiers.falsifier import Falsifier
from tests.release import Release


def _unsized(release: Release) -> None:
    del release.documents["receipts/contexts.json"]["contexts"][0]["tokens"]


def _no_source(release: Release) -> None:
    del release.documents["receipts/contexts.json"]["contexts"][0]["source"]


def _no_number(release: Release) -> None:
    del release.documents["receipts/contexts.json"]["consumers"][1]["max_prompt_tokens"]


def _beyond(release: Release) -> None:
    document = release.documents["receipts/contexts.json"]
    document["contexts"].append({"name": "huge", "tokens": 10**9, "source": ["a slip of the pen"]})


FALSIFIERS = [
    Falsifier("Context-tokens", "MinCount", "a context without a size", (("4k", "tokens", "unmeasured"),), _unsized),
    Falsifier("Context-source", "MinCount", "a size from nowhere", (("4k", "source", "missing"),), _no_source),
    Falsifier("Consumer-tokens", "MinCount", "a consumer without a number", (("writer", "consumer", "unmeasured"),), _no_number),
    Falsifier("Context-reachable", "In", "a context beyond every model", (("huge", "reachable", "idle"),), _beyond),
]  # fmt: skip
