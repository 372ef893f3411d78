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


FALSIFIERS = [
    Falsifier("Context-tokens", "MinCount", "a context without a size", (("4k", "tokens", "unmeasured"),), _unsized),
    Falsifier("Context-source", "MinCount", "a size from nowhere", (("4k", "source", "missing"),), _no_source),
    Falsifier("Consumer-tokens", "MinCount", "a consumer without a number", (("writer", "consumer", "unmeasured"),), _no_number),
]  # fmt: skip
