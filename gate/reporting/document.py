"""The verdict as JSON, `taggate/verdict/v1`: the same bytes for the same verdict."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gate.verdict import Verdict


def render(verdict: Verdict) -> str:
    """Return the verdict as a JSON document that ends in a line break."""
    return json.dumps(verdict.to_json(), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
