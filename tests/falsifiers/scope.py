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


FALSIFIERS = [
    _red("rulingBy", "MinCount", "no author of the ruling", "rulingBy", "incomplete", _replaced('by = "release owner", ', "")),
    _red("rulingOn", "MinCount", "no day of the ruling", "rulingOn", "incomplete", _replaced("on = 2026-10-05, ", "")),
    _red("rulingWords", "MinCount", "no words of the ruling", "rulingWords", "incomplete",
         _replaced(f', words = "{VERSION} ships on the smoke."', "")),
    _red("rulingPast", "In", "it is ruled tomorrow", "rulingPast", "contradicted", _replaced("2026-10-05", "2026-11-02")),
    _red("matched", "MaxCount", "a name in it is misspelt", "matched", "stale", _replaced('"beta*"]', '"beta*", "betta*"]')),
    Falsifier("Scope-admits", "MinCount", "nobody says which models it names", ((NAME, "admits", "stale"),), _scoped,
              without("Scope", "admits")),
    Falsifier("Scope-alone", "In", "the release has another one", ((NAME, "alone", "ambiguous"), ("other", "alone", "ambiguous")),
              _twice),
    Falsifier("Scope-alone", "MinCount", "nobody asked whether there is another", ((NAME, "alone", "ambiguous"),), _scoped,
              without("Scope", "alone")),
]  # fmt: skip
