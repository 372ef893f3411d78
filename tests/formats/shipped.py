"""A release in which decisions set aside all that they can, and which conforms: nothing of it may read as a pass."""

from __future__ import annotations

from tests.falsifiers.known_failure import ID, shipped_red
from tests.falsifiers.scope import SCOPE
from tests.release import Release

KNOWN_CELL = "gx10/beta-q4_k_m.gguf/run/think-off/4k"
DECLAIMED_CELL = "gx10/beta-q4_k_m.gguf/chat/think-off/4k"
OUTSIDE_CELL = "lambda/alpha-q4_k_m.gguf/run/think-off/4k"
CLAIMS = f"""
[[known_failure]]
id = "{ID}"
model = "beta-q4_k_m.gguf"
host = "gx10"
verb = "run"
context = "4k"
check = ["timed out*", "exitCode"]
issue = 4666
until = "0.72.0"
why = "The run times out."

[[declaim]]
id = "no-chat"
model = "beta*"
host = "gx10"
verb = "chat"
issue = 7
until = "0.72.0"
why = "Chat loses the first message."
ruling = {{ by = "release owner", on = 2026-10-01, words = "So be it." }}
"""


def shipped(release: Release) -> Release:
    """Let one cell fail as known, three be withdrawn (one of them missing), and alpha lie outside the scope, half red."""
    scope = SCOPE.replace('["alpha-q4_k_m.gguf", "beta*"]', '["beta*"]')
    assert scope != SCOPE
    shipped_red(release, CLAIMS + scope)
    release.receipt("gx10.json")["runs"].remove(release.row("gx10", "beta-q4_k_m.gguf", "chat"))
    release.row("lambda", "alpha-q4_k_m.gguf").update(verdict="fail", reason="golden output")
    return release
