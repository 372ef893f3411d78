"""What turns the coverage of a context red."""

from __future__ import annotations

from tests.falsifiers.falsifier import Falsifier
from tests.falsifiers.refusal import TOTAL, refusing
from tests.release import VERBS, Release


def _refused_everywhere(release: Release) -> None:
    refusing(release)
    release.receipt("inventory-lambda.json")["gpu"]["memory_bytes"] = TOTAL
    for verb in VERBS:
        for thinking in ("off", "on"):
            row = release.row("lambda", "alpha-q4_k_m.gguf", verb, thinking, "declared")
            row.update(verdict="refused", required_bytes=21_484)


FALSIFIERS = [
    Falsifier("Coverage-pass", "MinCount", "every required host may refuse the context",
              (("alpha-q4_k_m.gguf/declared", "pass", "missing"),), _refused_everywhere),
]  # fmt: skip
