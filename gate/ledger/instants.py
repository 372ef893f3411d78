"""Moments in receipts: with a time zone, or they are none."""

from __future__ import annotations

import datetime
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator


def _instant(value: Any) -> Any:
    if isinstance(value, str):
        try:
            return datetime.datetime.fromisoformat(value)
        except ValueError:
            raise ValueError("is not a time such as 2026-10-12T09:00:00Z") from None
    return value


def _with_zone(instant: datetime.datetime) -> datetime.datetime:
    if instant.tzinfo is None:
        raise ValueError("has no time zone, and so is no instant; end it with Z or +02:00")
    try:
        return instant.astimezone(datetime.UTC)
    except OverflowError:
        raise ValueError("lies beyond the calendar") from None


Instant = Annotated[datetime.datetime, BeforeValidator(_instant), AfterValidator(_with_zone)]
