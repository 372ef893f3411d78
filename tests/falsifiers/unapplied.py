"""What has a decision named as unapplied."""

from __future__ import annotations

from tests.falsifiers.falsifier import Falsifier, without
from tests.release import VERSION, Release

_FAILURE = '[[known_failure]]\nid = "thinking"\nmodel = "beta-q4_k_m.gguf"\nissue = 4666\nuntil = "0.72.0"\nwhy = "Unclosed."\n'
_SCOPE = f'[[scope]]\nrelease = "{VERSION}"\nname = "smoke"\nmodels = ["beta-q4_k_m.gguf"]\n'


def _failure(release: Release) -> None:
    release.claims = _FAILURE


def _scope(release: Release) -> None:
    release.claims = _SCOPE


FALSIFIERS = [
    Falsifier("Unapplied-applied", "In", "a known failure", (("thinking", "applied", "unapplied"),), _failure, severity="warning"),
    Falsifier("Unapplied-applied", "In", "a scope", (("scope[0] smoke", "applied", "unapplied"),), _scope, severity="warning"),
    Falsifier("Unapplied-applied", "MinCount", "nobody asked whether it is applied",
              (("thinking", "applied", "unapplied"),), _failure, without("Unapplied", "applied"), "warning"),
]  # fmt: skip
