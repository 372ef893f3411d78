"""What turns an architecture's long contexts red."""

from __future__ import annotations

from collections.abc import Callable

from tests.falsifiers.falsifier import Falsifier
from tests.release import RULES, Release


def _long(families: str, representatives: str) -> Callable[[Release], None]:
    def change(release: Release) -> None:
        table = f"[cells.long]\nfamilies = [{families}]\nrepresentatives = {{ {representatives} }}\n\n[models]"
        release.rules = RULES.replace("[models]", table)

    return change


def _outgrown(release: Release) -> None:
    """Let alpha stand for beta, which reads one token more."""
    _long("", 'qwen3 = "alpha-q4_k_m.gguf"')(release)
    for host in ("lambda", "gx10"):
        release.receipt(f"inventory-{host}.json")["models"][1] |= {"arch": "qwen3", "context_length": 16385}


FALSIFIERS = [
    Falsifier("Long-representative", "MinCount", "an architecture without a representative",
              (("qwen3", "representative", "missing"),), _long('"qwen35"', "")),
    Falsifier("Long-held", "MinCount", "a representative that no required host holds",
              (("qwen3", "held", "missing"),), _long('"qwen35"', 'qwen3 = "nobody-has-it.gguf"')),
    Falsifier("Long-held", "MinCount", "a representative of another architecture",
              (("qwen3", "held", "missing"),), _long('"qwen35"', 'qwen3 = "beta-q4_k_m.gguf"')),
    Falsifier("Long-length", "LessThanOrEquals", "a representative that is one token too short",
              (("qwen3", "length", "missing"),), _outgrown),
    Falsifier("Long-held", "MinCount", "a representative of an architecture that nobody has",
              (("llama", "held", "missing"),), _long('"qwen35", "qwen3"', 'llama = "alpha-q4_k_m.gguf"')),
]  # fmt: skip
