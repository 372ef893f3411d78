"""A release with as many issues as a test wants, each on a model of its own, some of them in hostile words."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from gate.verdict import Verdict
from tests.release import RULES, VERSION, Release, green, header

HOSTS = {"lambda": ("NVIDIA GeForce RTX 4090", "8.9"), "gx10": ("NVIDIA GB10", "12.1")}
GOOD = "good-q4_k_m.gguf"
WHYS = [
    "Correct, but slow: the prompt is read serially.",
    f"Answers end in the middle of a sentence once the context is full{', and the exit code is 0 all the same' * 4}.",
    "<script>alert(1)</script> appears in the answer | where a table\nwas asked for.",
    "🦆 and 👩‍👩‍👧 come out as question marks.",
    "הטקסט נחתך אחרי 2048 אסימונים (run).",
    "\u202etxet esrever\u202c and the rest of the line.",
    "NoSpacesInThisOne" * 12,
]
INSTEADS = ["Use another quantization.", "", "Start a new session for each question.", "استخدم نموذجا آخر.", ""]


def many(folder: Path, count: int, *, failing: int = 0) -> Release:
    """Return a release that conforms with `count` issues, of which the last `failing` are known failures.

    Each is on a model of its own, on both hosts, with its own ticket; every run of those models fails. One model passes.
    """
    release = green(folder)
    files = [f"model-{number:04}-q4_k_m.gguf" for number in range(count)]
    shas = {file: f"{index:064x}" for index, file in enumerate([*files, GOOD], start=1)}
    release.rules = RULES.replace('contexts = "receipts/contexts.json"\n', "").replace(
        'verbs = ["run", "chat", "serve", "code"]', 'verbs = ["run", "chat"]\ncontexts = ["4k", "8k"]'
    )
    release.rules = release.rules.split("[[models.pinned]]")[0] + '[require]\nsuites = ["dogfood"]\n'
    del release.documents["receipts/contexts.json"]
    for host, (gpu, compute) in HOSTS.items():
        models: list[dict[str, Any]] = [
            {"file": file, "sha256": sha, "arch": "qwen3", "quant": "Q4_K_M", "template_markers": []}
            for file, sha in shas.items()
        ]
        release.documents[f"receipts/{VERSION}/inventory-{host}.json"] = header(
            "taggate/inventory-receipt/v1", host
        ) | {"gpu": {"name": gpu, "compute": compute}, "models": models}
        release.documents[f"receipts/{VERSION}/{host}.json"] = header("taggate/run-receipt/v1", host) | {
            "runs": [_run(file, sha, verb, context)
                     for file, sha in shas.items() for verb in ("run", "chat") for context in ("4k", "8k")]
        }  # fmt: skip
    decisions = [_decision(file, index, fails=index >= count - failing) for index, file in enumerate(files)]
    scope = f'[[scope]]\nrelease = "{VERSION}"\nname = "smoke"\nmodels = ["model-*", "good-*"]\n{_ruling("Ships on the smoke.")}\n'
    release.claims = "\n".join(decisions) + (f"\n{scope}" if failing else "")
    return release


def _run(file: str, sha256: str, verb: str, context: str) -> dict[str, Any]:
    return {
        "model": {"file": file, "sha256": sha256}, "verb": verb, "context": context, "thinking": "off",
        "verdict": "pass" if file == GOOD else "fail", "backend": {"requested": "cuda", "ran": "cuda", "fell_back": False}, "exit_code": 0,
        "prompt_tokens": 8192, "answer_chars": 12, "seconds": 41.2, "reason": "golden output",
    }  # fmt: skip


def _decision(file: str, index: int, *, fails: bool) -> str:
    lines = [
        "[[known_failure]]" if fails else "[[declaim]]", f'id = "{file.removesuffix("-q4_k_m.gguf")}-slow"',
        f'model = "{file}"', f"issue = {1000 + index}", 'since = "0.70.0"', 'until = "0.72.0"',
        f"why = {toml(WHYS[index % len(WHYS)])}",
        'check = "verdict"' if fails else _ruling(f"0.71 ships without number {index}."),
    ]  # fmt: skip
    instead = INSTEADS[index % len(INSTEADS)]
    return "\n".join([*lines, *([f"instead = {toml(instead)}"] if instead else [])]) + "\n"


def _ruling(words: str) -> str:
    return f'ruling = {{ by = "release owner", on = 2026-10-05, words = {toml(words)} }}'


def multiplied(verdict: Verdict, count: int) -> Verdict:
    """Return the verdict with its de-claims again and again, under other names and tickets, until there are `count`.

    A page is a function of the verdict; judging a thousand decisions would take a minute and show nothing more.
    """
    again = itertools.islice(itertools.cycle(verdict.declaimed), count - len(verdict.known_failures))
    return replace(verdict, declaimed=tuple(
        replace(declaim, told=replace(declaim.told, id=f"{declaim.told.id}-{index}", issue=10_000 + index))
        for index, declaim in enumerate(again)
    ))  # fmt: skip


def toml(text: str) -> str:
    """Return a text as TOML has it on one line."""
    return json.dumps(text, ensure_ascii=False)
