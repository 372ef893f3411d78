"""What turns a known failure red. Each starts from a release that ships one red cell under a scope, and conforms."""

from __future__ import annotations

from typing import Any

from tests.falsifiers.falsifier import Falsifier, without
from tests.falsifiers.scope import SCOPE
from tests.release import VERSION, Release

ID = "beta-times-out"
CELL = "gx10/beta-q4_k_m.gguf/run/think-off/4k"
KNOWN = f"""
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
"""


def shipped_red(release: Release, claims: str = KNOWN + SCOPE) -> None:
    """Let one run fail in two ways that a known failure names, under a scope that leaves nothing out."""
    release.row("gx10", "beta-q4_k_m.gguf").update(verdict="error", exit_code=124, reason="timed out after 900 s")
    release.claims = claims


def _replaced(old: str, new: str) -> Any:
    assert old in KNOWN + SCOPE

    def change(release: Release) -> None:
        shipped_red(release, (KNOWN + SCOPE).replace(old, new))

    return change


def _lacks(prop: str, line: str, *others: tuple[str, str, str]) -> Falsifier:
    focus = "known_failure[0]" if prop == "id" else ID
    return Falsifier(
        f"KnownFailure-{prop}", "MinCount", f"no {prop}", (*others, (focus, prop, "incomplete")), _replaced(line, "")
    )


RED = ((CELL, "verdict", "failed"), (CELL, "exitCode", "failed"))


def _skipped(release: Release) -> None:
    shipped_red(release)
    release.row("gx10", "beta-q4_k_m.gguf").update(verdict="skip", exit_code=0)


def _silent(release: Release) -> None:
    shipped_red(release, (KNOWN + SCOPE).replace('["timed out*", "exitCode"]', '"exitCode"'))
    row = release.row("gx10", "beta-q4_k_m.gguf")
    row["verdict"] = "pass"
    del row["exit_code"]


def _missing(release: Release) -> None:
    shipped_red(release, (KNOWN + SCOPE).replace('["timed out*", "exitCode"]', '"cell: receipt, missing"'))
    runs = release.receipt("gx10.json")["runs"]
    runs.remove(release.row("gx10", "beta-q4_k_m.gguf"))


def _passing(release: Release) -> None:
    shipped_red(release)
    release.row("gx10", "beta-q4_k_m.gguf").update(verdict="pass", exit_code=0)


def _twice(release: Release) -> None:
    again = KNOWN.replace(ID, "again").replace('host = "gx10"', 'host = "gx*"')
    shipped_red(release, KNOWN + again + SCOPE)


FALSIFIERS = [
    _lacks("id", f'id = "{ID}"'),
    _lacks("issue", "issue = 4666"),
    _lacks("until", 'until = "0.72.0"'),
    _lacks("why", 'why = "The run times out."'),
    _lacks("check", 'check = ["timed out*", "exitCode"]', *RED),
    Falsifier("KnownFailure-covers", "MinCount", "it matches nothing", (*RED, (ID, "covers", "stale")),
              _replaced("beta-q4_k_m.gguf\"\nhost", "betta\"\nhost")),
    Falsifier("KnownFailure-inForce", "In", "the release that mends it is judged", (*RED, (ID, "inForce", "outlived")),
              _replaced("0.72.0", VERSION)),
    Falsifier("KnownFailure-inForce", "In", "the day on which it expires is over", (*RED, (ID, "inForce", "outlived")),
              _replaced("issue = 4666", "issue = 4666\nexpires = 2026-10-31")),
    Falsifier("KnownFailure-inForce", "MinCount", "nobody asked whether it is in force", ((ID, "inForce", "outlived"),),
              shipped_red, without("KnownFailure", "inForce")),
    Falsifier("KnownFailure-scoped", "MinCount", "the release has no scope", (*RED, (ID, "scoped", "unscoped")),
              _replaced(SCOPE, "")),
    Falsifier("KnownFailure-red", "MaxCount", "the cell passes now", ((ID, "red", "stale"),), _passing),
    Falsifier("KnownFailure-alone", "MaxCount", "another one covers the cell", (("again", "alone", "ambiguous"),), _twice),
    Falsifier("KnownRejection-measured", "In", "the cell was never run",
              ((ID, "measured", "unproven"), (ID, "recorded", "unproven"), (ID, "ran", "unproven")), _missing),
    Falsifier("KnownRejection-recorded", "In", "its run doesn't say how it ended", ((ID, "recorded", "unproven"),), _silent),
    Falsifier("KnownRejection-recorded", "MinCount", "nobody asked whether it was recorded",
              ((ID, "recorded", "unproven"), (ID, "recorded", "unproven")), shipped_red, without("KnownRejection", "recorded")),
    Falsifier("KnownRejection-ran", "In", "its run was skipped", ((ID, "ran", "unproven"),), _skipped),
    Falsifier("KnownRejection-ran", "MinCount", "nobody asked whether it ran",
              ((ID, "ran", "unproven"), (ID, "ran", "unproven")), shipped_red, without("KnownRejection", "ran")),
    Falsifier("KnownRejection-measured", "MinCount", "nobody says why it is rejected",
              ((ID, "measured", "unproven"), (ID, "measured", "unproven")), shipped_red, without("KnownRejection", "because")),
    Falsifier("KnownRejection-of", "MinCount", "nobody says what it rejects",
              ((ID, "of", "unproven"), (ID, "of", "unproven")), shipped_red, without("KnownRejection", "of")),
]  # fmt: skip
