"""What turns a de-claim red. Each starts from a release that is green with a de-claim in it."""

from __future__ import annotations

from typing import Any

from tests.falsifiers.falsifier import Falsifier, without
from tests.release import DECLAIM, VERSION, Release

ID = "beta-on-gx10"


def _replaced(old: str, new: str) -> Any:
    assert old in DECLAIM

    def change(release: Release) -> None:
        release.claims = DECLAIM.replace(old, new)

    return change


def _claimed(release: Release) -> None:
    release.claims = DECLAIM


def _lacks(prop: str, key: str, line: str) -> Falsifier:
    focus = "declaim[0]" if prop == "id" else ID
    return Falsifier(f"Declaim-{prop}", "MinCount", f"no {key}", ((focus, prop, "incomplete"),), _replaced(line, ""))


def _red(constraint: str, component: str, name: str, prop: str, reason: str, change: Any) -> Falsifier:
    return Falsifier(constraint, component, name, ((ID, prop, reason),), change)


FALSIFIERS = [
    _lacks("id", "id", f'id = "{ID}"'),
    _lacks("issue", "ticket", "issue = 4590"),
    _lacks("until", "end", 'until = "0.72.0"'),
    _lacks("why", "reason", 'why = "Correct, but slow."'),
    _lacks("rulingBy", "author of the ruling", 'by = "release owner", '),
    _lacks("rulingOn", "day of the ruling", "on = 2026-09-28, "),
    _lacks("rulingWords", "words of the ruling", ', words = "0.71 de-claims beta on GB10."'),
    _red("Declaim-covers", "MinCount", "it matches nothing", "covers", "stale", _replaced('"qwen35"', '"qwen36"')),
    _red("Declaim-covers", "MinCount", "one selector of two matches nothing", "covers", "stale",
         _replaced('arch = "qwen35"', 'arch = "qwen35"\nverb = "serv"')),
    _red("Declaim-covers", "MinCount", "a kernel covers no cell", "covers", "stale",
         _replaced('arch = "qwen35"', 'kernel = "iq3_s_gemv"')),
    _red("Declaim-inForce", "In", "the release that ends it is judged", "inForce", "outlived",
         _replaced("0.72.0", VERSION)),
    _red("Declaim-inForce", "In", "the release that ends it is past", "inForce", "outlived", _replaced("0.72.0", "0.9.0")),
    Falsifier("Declaim-inForce", "MinCount", "nobody asked whether it is in force", ((ID, "inForce", "outlived"),),
              _claimed, without("Declaim", "inForce")),
    _red("Declaim-uncontradicted", "MaxCount", "a pinned model claims its cells", "uncontradicted", "contradicted",
         _replaced('arch = "qwen35"\nhost = "gx10"', 'arch = "qwen3"\nhost = "lambda"')),
]  # fmt: skip
