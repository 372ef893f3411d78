"""The verdict as JSON, `taggate/verdict/v1`: the same bytes for the same verdict."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.verdict import Verdict

_NONE = '\n "findings": []'  # where they stand: at one blank only the document's own keys do


def render(verdict: Verdict) -> str:
    """Return the verdict as a JSON document that ends in a line break."""
    return "".join(_parts(verdict)) + "\n"


def _parts(verdict: Verdict) -> Iterator[str]:
    """Yield the document in parts. There may be a million findings: each is written by itself, and forgotten."""
    text = json.dumps(verdict.to_json(findings=False), indent=1, ensure_ascii=False, allow_nan=False)
    if not verdict.findings:
        yield text
        return
    before, _, behind = text.partition(_NONE)
    yield f'{before}\n "findings": ['
    for number, finding in enumerate(verdict.findings):
        yield ("," if number else "") + "\n  {\n   " + ",\n   ".join(map(_member, finding.to_json().items())) + "\n  }"
    yield f"\n ]{behind}"


def _member(member: tuple[str, Any]) -> str:
    """Return a member of a finding, all of which are scalars."""
    key, value = member
    return f"{_WRITTEN.encode(key)}: {_WRITTEN.encode(value)}"


_WRITTEN = json.JSONEncoder(ensure_ascii=False, allow_nan=False)
