"""What turns the coverage of a context red."""

from __future__ import annotations

from tests.falsifiers.falsifier import Falsifier
from tests.falsifiers.refusal import TOTAL, refusing
from tests.release import DECLAIM, VERBS, Release


def _refused_everywhere(release: Release) -> None:
    refusing(release)
    release.receipt("inventory-lambda.json")["gpu"]["memory_bytes"] = TOTAL
    for verb in VERBS:
        for thinking in ("off", "on"):
            row = release.row("lambda", "alpha-q4_k_m.gguf", verb, thinking, "declared")
            row.update(verdict="refused", required_bytes=21_484, answer_chars=0)


def _one_verb_left(release: Release) -> None:
    """gx10 refuses the context, and lambda's de-claim leaves one of its verbs."""
    refusing(release)
    release.rules = release.rules.replace('hosts = ["lambda"]', 'hosts = ["gx10"]')
    release.claims = DECLAIM.replace(
        'arch = "qwen35"\nhost = "gx10"',
        'arch = "qwen3"\nhost = "lambda"\ncontext = "declared"\nverb = ["chat", "serve", "code"]',
    )
    release.row("lambda", "alpha-q4_k_m.gguf", "chat", context="declared")["verdict"] = "error"


FALSIFIERS = [
    Falsifier("Coverage-pass", "MinCount", "every required host may refuse the context",
              (("alpha-q4_k_m.gguf/declared", "pass", "missing"),), _refused_everywhere),
    Falsifier("Coverage-modes", "MaxCount", "all but one verb is withdrawn where the context fits",
              (("alpha-q4_k_m.gguf/declared", "modes", "missing"),), _one_verb_left),
]  # fmt: skip
