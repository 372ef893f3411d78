"""The rows of an aprender model ladder as JSON Lines, without a schema: they come in through `gate ingest`.

One line a model, in three shapes: not held (`present` is false), refused for memory fit (`refused`), and measured. What
is taken for a pass, and what is a contradiction, says `apr_ladder_rungs`. A model that isn't held gives no row and is
counted. A refusal gives a row a verb with the verdict `refused`; it names no requirement in bytes, because the tool
that refused measured none, and so is no honest refusal of a cell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gate import strict_json
from gate.ledger import apr_ladder_rungs
from gate.malformed import checked

if TYPE_CHECKING:
    from gate.files import InputFile
    from gate.ledger.apr_ladder_rungs import Tried
    from gate.ledger.given import Given

FORMAT = "apr-ladder-rows"
TAKES = ("version", "commit", "host", "measured_at", "binary")


def to_native(file: InputFile, given: Given) -> dict[str, Any]:
    """Return the native run receipt that says what the rows in `file` say.

    Raises:
        BadFile: a line is no such row; the message names it.
        CallersError: an option that the rows need wasn't given.
    """
    rungs = [
        (f"line {number}", checked(apr_ladder_rungs.Rung, row, file.path, f"line {number}"))
        for number, row in strict_json.parse_lines(file)
    ]
    given.require("version", "commit", "host", "measured_at")
    host = given.demand("host")
    tried = [(place, rung, apr_ladder_rungs.rows(rung, host, place)) for place, rung in rungs]
    shapes = {
        "not held": sum(rung.present is False for _, rung in rungs),
        "refused": sum(rung.present is not False and rung.refused is not None for _, rung in rungs),
    }
    shapes["measured"] = len(rungs) - sum(shapes.values())
    counted = ", ".join(f"{count} {what}" for what, count in shapes.items())
    return {
        "schema": "taggate/run-receipt/v1",
        "release": given.release(),
        "host": host,
        "measured_at": given.demand("measured_at"),
        "producer": f"apr model ladder, {len(rungs)} models: {counted}",
        "source": {"format": FORMAT, "sha256": file.sha256},
        "left_out": apr_ladder_rungs.left_out(rung for _, rung in rungs),
        "contradictions": [
            said for place, rung, rows in tried for said in apr_ladder_rungs.contradictions(rung, rows, place)
        ],
        "runs": [_run(found) for _, _, rows in tried for found in rows],
    }


def _run(found: Tried) -> dict[str, Any]:
    row = found.row
    model = {"file": row.file, "sha256": row.sha256}
    backend = {"requested": found.requested, "ran": row.backend, "fell_back": row.fell_back}
    said = {
        "model": {key: value for key, value in model.items() if value is not None},
        "verb": row.verb,
        "verdict": row.verdict,
        "backend": {key: value for key, value in backend.items() if value is not None},
        "exit_code": row.exit_code,
        "reason": row.reason,
    }
    return {key: value for key, value in said.items() if value is not None}
