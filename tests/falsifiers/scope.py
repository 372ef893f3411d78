"""What turns the scope of a release red. Each starts from a release that conforms under one."""

from __future__ import annotations

from typing import Any

from tests.falsifiers.falsifier import Falsifier, without
from tests.release import VERSION, Release

NAME = "smoke"
SCOPE = f"""
[[scope]]
release = "{VERSION}"
name = "{NAME}"
models = ["alpha-q4_k_m.gguf", "beta*"]
ruling = {{ by = "release owner", on = 2026-10-05, words = "{VERSION} ships on the smoke." }}
"""


def _replaced(old: str, new: str) -> Any:
    assert old in SCOPE

    def change(release: Release) -> None:
        release.claims = SCOPE.replace(old, new)

    return change


def _scoped(release: Release) -> None:
    release.claims = SCOPE


def _red(constraint: str, component: str, name: str, prop: str, reason: str, change: Any) -> Falsifier:
    return Falsifier(f"Scope-{constraint}", component, name, ((NAME, prop, reason),), change)


def _twice(release: Release) -> None:
    release.claims = SCOPE + SCOPE.replace('"smoke"', '"other"')


def _red_outside(release: Release) -> None:
    """Leave out a model that fails, where the release is judged by tickets."""
    _scoped(release)
    release.claims = SCOPE.replace('"alpha-q4_k_m.gguf", "beta*"', '"alpha-q4_k_m.gguf"')
    release.row("gx10", "beta-q4_k_m.gguf")["verdict"] = "fail"
    source = {
        "form": "gh",
        "path": "issues.json",
        "sha256": "5" * 64,
        "imported_at": "2026-10-13T09:00:00Z",
        "tickets": 1,
    }
    release.documents[f"receipts/{VERSION}/tickets.json"] = {
        "schema": "taggate/tickets/v1", "release": {"version": VERSION}, "sources": [source],
        "tickets": [{"number": 7, "title": "x", "state": "open", "milestone": "0.72.0", "labels": [], "sources": ["issues.json"]}],
    }  # fmt: skip


FALSIFIERS = [
    _red("rulingBy", "MinCount", "no author of the ruling", "rulingBy", "incomplete", _replaced('by = "release owner", ', "")),
    _red("rulingOn", "MinCount", "no day of the ruling", "rulingOn", "incomplete", _replaced("on = 2026-10-05, ", "")),
    _red("rulingWords", "MinCount", "no words of the ruling", "rulingWords", "incomplete",
         _replaced(f', words = "{VERSION} ships on the smoke."', "")),
    _red("rulingPast", "In", "it is ruled tomorrow", "rulingPast", "contradicted", _replaced("2026-10-05", "2026-11-02")),
    _red("matched", "MaxCount", "a name in it is misspelt", "matched", "stale", _replaced('"beta*"]', '"beta*", "betta*"]')),
    Falsifier("Scope-admits", "MinCount", "nobody says which models it names", ((NAME, "admits", "stale"),), _scoped,
              without("Scope", "admits")),
    _red("ticketed", "MinCount", "something is red outside it, and has no ticket", "issue", "incomplete", _red_outside),
    Falsifier("Scope-alone", "In", "the release has another one", ((NAME, "alone", "ambiguous"), ("other", "alone", "ambiguous")),
              _twice),
    Falsifier("Scope-alone", "MinCount", "nobody asked whether there is another", ((NAME, "alone", "ambiguous"),), _scoped,
              without("Scope", "alone")),
]  # fmt: skip
