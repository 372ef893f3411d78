"""A small green release, written to disk as a project would have it, for tests to change one thing in."""

from __future__ import annotations

import contextlib
import copy
import io
import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

VERSION = "0.71.0"
BEFORE = "0.70.0"
COMMIT = "c0ffee" + "0" * 34
OTHER_COMMIT = "bad" + "1" * 37
NOW = "2026-11-01T00:00:00Z"
BINARY = {"lambda": "a" * 64, "gx10": "b" * 64}
SHA256 = {"alpha-q4_k_m.gguf": "1" * 64, "beta-q4_k_m.gguf": "2" * 64}
VERBS = ["run", "chat", "serve", "code"]
TOKENS = {"4k": 4096, "consumer-max": 7000, "declared": 16384}

RULES = """
[project]
name = "demo"
repository = "https://example.org/demo"
contexts = "receipts/contexts.json"

[[hosts]]
id = "lambda"
aliases = ["lambda-vector"]
gpu = "NVIDIA GeForce RTX 4090"
compute = "8.9"

[[hosts]]
id = "gx10"
gpu = "NVIDIA GB10"
compute = "12.1"

[[hosts]]
id = "laptop"
required = false

[cells]
verbs = ["run", "chat", "serve", "code"]
backend = "cuda"
thinking = true

[models]
owed = ["*q4_k*"]

[[models.pinned]]
file = "alpha-q4_k_m.gguf"
sha256 = "1111111111111111111111111111111111111111111111111111111111111111"
arch = "qwen3"
hosts = ["lambda"]

[require]
suites = ["dogfood"]
"""

DECLAIM = """
[[declaim]]
id = "beta-on-gx10"
arch = "qwen35"
host = "gx10"
issue = 4590
until = "0.72.0"
why = "Correct, but slow."
ruling = { by = "release owner", on = 2026-09-28, words = "0.71 de-claims beta on GB10." }
"""


def header(schema: str, host: str | None = None) -> dict[str, Any]:
    """What every receipt of the release begins with."""
    release = {"version": VERSION, "commit": COMMIT}
    if host is not None:
        release["binary_sha256"] = BINARY[host]
    found = {"schema": schema, "release": release, "measured_at": "2026-10-12T09:00:00Z", "producer": "ladder 2.3"}
    return found | ({"host": host} if host else {})


def inventory(host: str, gpu: str, compute: str) -> dict[str, Any]:
    """Two owed models, one file that isn't owed."""
    models = [
        {"file": "alpha-q4_k_m.gguf", "sha256": "1" * 64, "arch": "qwen3", "quant": "Q4_K_M", "context_length": 16384,
         "template_markers": ["enable_thinking"]},
        {"file": "beta-q4_k_m.gguf", "sha256": "2" * 64, "arch": "qwen35", "quant": "Q4_K_M", "context_length": 16384,
         "template_markers": []},
        {"file": "gamma-fp16.gguf", "sha256": "3" * 64},
    ]  # fmt: skip
    gpu_block = {"name": gpu, "compute": compute}
    return header("taggate/inventory-receipt/v1", host) | {"gpu": gpu_block, "models": models}


def run(file: str, verb: str, thinking: str, context: str) -> dict[str, Any]:
    """One passing row."""
    return {
        "model": {"file": file, "sha256": SHA256[file]}, "verb": verb, "context": context, "thinking": thinking,
        "verdict": "pass", "backend": {"requested": "cuda", "ran": "cuda", "fell_back": False}, "exit_code": 0,
        "prompt_tokens": TOKENS[context], "answer_chars": 12, "seconds": 41.2, "reason": "",
    }  # fmt: skip


def runs(host: str) -> dict[str, Any]:
    """Every cell of one host: alpha thinks both ways, beta never."""
    rows = [
        run(file, verb, thinking, context)
        for file, modes in (("alpha-q4_k_m.gguf", ("off", "on")), ("beta-q4_k_m.gguf", ("off",)))
        for verb in VERBS
        for thinking in modes
        for context in TOKENS
    ]
    return header("taggate/run-receipt/v1", host) | {"runs": rows}


def tokenizers() -> dict[str, Any]:
    """A passing comparison of each owed model's token ids."""
    rows = [
        {"model": {"file": file, "sha256": SHA256[file]}, "comparator": {"name": "llama.cpp", "pin": "d1d3c3396"},
         "corpus": "sha256:" + "c" * 64, "compared": 51200, "mismatches": 0, "round_trip": True}
        for file in SHA256
    ]  # fmt: skip
    return header("taggate/tokenizer-receipt/v1") | {"rows": rows}


def parities(host: str) -> dict[str, Any]:
    """Two prompts of each owed model, whose outputs match the CPU's: one in whole, one for longer than is owed."""
    rows = [
        {"model": {"file": file, "sha256": SHA256[file]}, "prompt": prompt, "backend": "cuda", "against": "cpu",
         "compared": compared, "matching_prefix": matching, **({"ended": True} if compared < 32 else {})}
        for file in SHA256
        for prompt, compared, matching in (("count to ten", 20, 20), ("tell a story", 128, 40))
    ]  # fmt: skip
    return header("taggate/parity-receipt/v1", host) | {"rows": rows}


def performances(host: str) -> dict[str, Any]:
    """Three runs of one model, each with the comparator's figure: 95, 96 and 97 of its 100."""
    rows = [
        {"model": {"file": "alpha-q4_k_m.gguf", "sha256": "1" * 64}, "metric": "decode_tok_per_sec",
         "configuration": "one user, 128 in, 128 out", "run": run, "value": 94.0 + run,
         "comparator": {"name": "llama.cpp", "pin": "d1d3c3396", "value": 100.0}}
        for run in (1, 2, 3)
    ]  # fmt: skip
    return header("taggate/performance-receipt/v1", host) | {"rows": rows}


@dataclass
class Release:
    """The files of a release, by path below the project's folder; a document is written as JSON, text as it is."""

    folder: Path
    rules: str = RULES
    claims: str | None = None
    documents: dict[str, Any] = field(default_factory=dict)
    earlier: Release | None = None  # committed before, under the git tag of its version
    name: str = "gate.toml"
    deleted: list[str] = field(default_factory=list)  # what the earlier release wrote, and this one takes away

    def write(self) -> Path:
        """Write everything, and return the project's folder."""
        if self.earlier is not None:
            self.earlier.write()
            git(self.folder, "init", "-q", "-b", "main")
            git(self.folder, "add", "-A")
            git(self.folder, "commit", "-qm", BEFORE)
            git(self.folder, "tag", f"v{BEFORE}")
        files: dict[str, Any] = {self.name: self.rules, **self.documents}
        for path in self.deleted:
            (self.folder / path).unlink()
            with contextlib.suppress(OSError):  # git keeps no empty folder
                (self.folder / path).parent.rmdir()
        if self.claims is not None:
            files["claims.toml"] = self.claims
        for path, content in files.items():
            target = self.folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return self.folder

    def receipt(self, name: str) -> Any:
        """Return the document of `receipts/<version>/<name>`, to be changed in place."""
        return self.documents[f"receipts/{VERSION}/{name}"]

    def row(self, host: str, file: str, verb: str = "run", thinking: str = "off", context: str = "4k") -> Any:
        """Return one row, to be changed in place."""
        rows = self.receipt(f"{host}.json")["runs"]
        return next(
            r for r in rows
            if (r["model"]["file"], r["verb"], r["thinking"], r["context"]) == (file, verb, thinking, context)
        )  # fmt: skip


def green(folder: Path) -> Release:
    """Return a release of 2 hosts × (2 + 1) model modes × 4 verbs × 3 contexts = 72 cells, every one of them passed."""
    return Release(
        folder,
        documents={
            "receipts/contexts.json": {
                "schema": "taggate/contexts/v1",
                "consumers": [
                    {"consumer": "reader", "max_prompt_tokens": 7000, "basis": "measured"},
                    {"consumer": "writer", "max_prompt_tokens": 5000, "basis": "plan"},
                ],
                "contexts": [
                    {"name": "4k", "tokens": 4096, "source": ["ticket 3710"]},
                    {"name": "consumer-max", "long": True},
                ],
            },
            f"receipts/{VERSION}/release.toml": f'version = "{VERSION}"\ncommit = "{COMMIT}"\n',
            f"receipts/{VERSION}/inventory-lambda.json": inventory("lambda", "NVIDIA GeForce RTX 4090", "8.9"),
            f"receipts/{VERSION}/inventory-gx10.json": inventory("gx10", "NVIDIA GB10", "12.1"),
            f"receipts/{VERSION}/lambda.json": runs("lambda"),
            f"receipts/{VERSION}/gx10.json": runs("gx10"),
            f"receipts/{VERSION}/dogfood.json": header("taggate/suite-receipt/v1") | {
                "suite": "dogfood", "verdict": "go", "rows": [{"name": "fmt", "result": "pass"}],
            },
        },
    )  # fmt: skip


def declaimed(release: Release, claims: str = DECLAIM) -> Release:
    """Withdraw what `claims` says, and let a run of it fail: a claim that holds everywhere may not be withdrawn."""
    release.claims = claims
    release.row("gx10", "beta-q4_k_m.gguf").update(verdict="error", reason="timed out")
    return release


def preceded(release: Release) -> Release:
    """Give the release one before it, which is equal but for its version, and return that one to be changed."""
    documents = {path.replace(VERSION, BEFORE): copy.deepcopy(found) for path, found in release.documents.items()}
    del documents[f"receipts/{BEFORE}/release.toml"]  # its tag says which commit it is
    for document in documents.values():
        if "release" in document:
            document["release"]["version"] = BEFORE
    release.earlier = Release(release.folder, release.rules, release.claims, documents)
    return release.earlier


def git(folder: Path, *arguments: str) -> str:
    """Run git in `folder` as nobody in particular, and return what it says."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")} | {
        "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org", "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@example.org", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null",
    }  # fmt: skip
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=True, env=environment
    )
    return done.stdout.strip()


def gate(folder: Path, *arguments: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run the command as a process of its own in `folder`."""
    return subprocess.run(
        [sys.executable, "-m", "gate", *arguments], cwd=folder, env=env, capture_output=True, text=True, check=False
    )


def gate_here(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command in this process, which is a second faster than in one of its own: the same code, the same words."""
    from gate.__main__ import run

    streams, before = [io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2)], (sys.stdout, sys.stderr, Path.cwd())
    os.chdir(folder)
    sys.stdout, sys.stderr = streams
    try:
        code = run(list(arguments))
    finally:
        sys.stdout, sys.stderr = before[:2]
        os.chdir(before[2])
    said = []
    for stream in streams:
        stream.flush()
        said.append(stream.buffer.getvalue().decode("utf-8"))  # type: ignore[attr-defined]
    return subprocess.CompletedProcess(list(arguments), code, *said)


def judged(folder: Path, *arguments: str) -> dict[str, Any]:
    """Return the verdict's JSON of `gate check`, which ended with 0 or 1."""
    done = gate_here(folder, "check", "--tag", VERSION, "--format", "json", "--now", NOW, *arguments)
    assert done.returncode in {0, 1}, done.stderr
    verdict: dict[str, Any] = json.loads(done.stdout)
    assert verdict["exit"] == done.returncode
    return verdict
