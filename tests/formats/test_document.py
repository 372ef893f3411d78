"""The verdict as JSON: what is written finding by finding is what would be written at once."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from gate.reporting import document

if TYPE_CHECKING:
    from gate.verdict import Verdict


def test_what_is_written_in_parts_is_the_whole(verdicts: dict[str, Verdict]) -> None:
    assert {bool(verdict.findings) for verdict in verdicts.values()} == {True, False}
    for verdict in verdicts.values():
        whole = json.dumps(verdict.to_json(), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
        assert document.render(verdict) == whole
