"""What turns a de-claim red. Each starts from a release that is green with a de-claim in it."""

from __future__ import annotations

from typing import Any

from tests.falsifiers.falsifier import Falsifier, without
from tests.release import DECLAIM, VERSION, Release, declaimed

ID = "beta-on-gx10"
CELL = "gx10/beta-q4_k_m.gguf/run/think-off/4k"


def _replaced(old: str, new: str) -> Any:
    assert old in DECLAIM

    def change(release: Release) -> None:
        declaimed(release, DECLAIM.replace(old, new))

    return change


def _released(old: str, new: str) -> Any:
    """Change the de-claim of a release in which everything passes."""
    assert old in DECLAIM

    def change(release: Release) -> None:
        release.claims = DECLAIM.replace(old, new)

    return change


def _pinned(release: Release) -> None:
    """Withdraw a pinned model, which fails."""
    release.claims = DECLAIM.replace('arch = "qwen35"\nhost = "gx10"', 'arch = "qwen3"\nhost = "lambda"')
    release.row("lambda", "alpha-q4_k_m.gguf")["verdict"] = "error"


def _claimed(release: Release) -> None:
    declaimed(release)


def _passing(release: Release) -> None:
    release.claims = DECLAIM


def _nobody_owes_long(release: Release) -> None:
    """Withdraw the long contexts of the one qwen35 file that shows them, and leave another file that leans on it."""
    release.rules = release.rules.replace(
        "[models]",
        '[cells.long]\nrepresentatives = { qwen35 = "beta-q4_k_m.gguf", qwen3 = "alpha-q4_k_m.gguf" }\n\n[models]',
    )
    for host in ("lambda", "gx10"):
        found = release.receipt(f"inventory-{host}.json")["models"]
        found.append(found[1] | {"file": "delta-q4_k_m.gguf", "sha256": "4" * 64})
        runs = release.receipt(f"{host}.json")["runs"]
        runs += [
            run | {"model": {"file": "delta-q4_k_m.gguf", "sha256": "4" * 64}}
            for run in runs if run["model"]["file"] == "beta-q4_k_m.gguf" and run["context"] == "4k"
        ]  # fmt: skip
    declaimed(release, DECLAIM.replace('arch = "qwen35"\nhost = "gx10"', 'model = "beta-q4_k_m.gguf"'))


def _twice(release: Release) -> None:
    declaimed(
        release, DECLAIM + DECLAIM.replace(ID, "again").replace('arch = "qwen35"', 'model = "beta*"\nverb = "run"')
    )


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
    _red("Declaim-covers", "MinCount", "it matches nothing", "covers", "stale", _released('"qwen35"', '"qwen36"')),
    _red("Declaim-covers", "MinCount", "one selector of two matches nothing", "covers", "stale",
         _released('arch = "qwen35"', 'arch = "qwen35"\nverb = "serv"')),
    _red("Declaim-covers", "MinCount", "a kernel covers no cell", "covers", "stale",
         _released('arch = "qwen35"', 'kernel = "iq3_s_gemv"')),
    _red("Declaim-inForce", "In", "the release that ends it is judged", "inForce", "outlived",
         _released("0.72.0", VERSION)),
    _red("Declaim-inForce", "In", "the release that ends it is past", "inForce", "outlived", _released("0.72.0", "0.9.0")),
    Falsifier("Declaim-inForce", "MinCount", "nobody asked whether it is in force", ((ID, "inForce", "outlived"),),
              _claimed, without("Declaim", "inForce")),
    Falsifier("Declaim-inForce", "In", "the day on which it expires is over",
              ((CELL, "verdict", "failed"), (ID, "inForce", "outlived")), _replaced("0.72.0\"", "0.72.0\"\nexpires = 2026-10-31")),
    _red("Declaim-rulingPast", "In", "it is ruled tomorrow", "rulingPast", "contradicted", _replaced("2026-09-28", "2026-11-02")),
    _red("Declaim-needed", "In", "all that it withdraws passes", "needed", "claimable", _passing),
    Falsifier("Declaim-needed", "MinCount", "nobody asked whether it is needed", ((ID, "needed", "claimable"),),
              _claimed, without("Declaim", "claimable")),
    Falsifier("Declaim-alone", "MaxCount", "another one covers some of its cells", (("again", "alone", "ambiguous"),), _twice),
    _red("Declaim-uncontradicted", "MaxCount", "no host owes the long contexts of a representative any more",
         "uncontradicted", "contradicted", _nobody_owes_long),
    _red("Declaim-uncontradicted", "MaxCount", "a pinned model claims its cells", "uncontradicted", "contradicted",
         _pinned),
]  # fmt: skip
