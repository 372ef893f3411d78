"""What the readers of foreign receipts share: fields that are left out are counted, numbers are never guessed."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

if TYPE_CHECKING:
    from collections.abc import Iterable

_WORDS = {"nan": None, "inf": math.inf, "-inf": math.inf, "infinity": math.inf, "-infinity": math.inf}


def _magnitude(value: Any) -> Any:
    return _WORDS.get(value.strip().lower(), value) if isinstance(value, str) else value


# A measured error or a bound on one. JSON has no NaN and no infinity, so that producers write them as words: NaN is
# what nobody knows, and an infinity of either sign is an error without bound.
Magnitude = Annotated[
    Annotated[float, Field(ge=0)] | None,
    BeforeValidator(_magnitude),
    WithJsonSchema({"anyOf": [{"type": "number", "minimum": 0}, {"enum": ["NaN", "inf", "-inf"]}, {"type": "null"}]}),
]


class Foreign(BaseModel):
    """A table of a foreign receipt: it may have more fields than are read; those that are read have their type."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True, populate_by_name=True, defer_build=True)


def unread(document: Foreign, **tables: Iterable[Foreign]) -> dict[str, int]:
    """Return how often each field occurs that no reader takes.

    Args:
        document: the receipt.
        tables: its tables by the name of their key: their fields are called `rows[].geometry`.
    """
    counts = Counter(f"the field {name}" for name in document.model_extra or {} if name != "schema")
    for key, found in tables.items():
        counts += Counter(f"the field {key}[].{name}" for table in found for name in table.model_extra or {})
    return dict(sorted(counts.items()))
