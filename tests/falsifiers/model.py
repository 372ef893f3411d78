"""What turns a model red."""

from __future__ import annotations

from collections.abc import Callable

from tests.falsifiers.falsifier import Falsifier
from tests.release import Release

BETA = "beta-q4_k_m.gguf"


def _arch(release: Release) -> None:
    release.receipt("inventory-gx10.json")["models"][1]["arch"] = "llama"


def _quant(release: Release) -> None:
    release.receipt("inventory-gx10.json")["models"][1]["quant"] = "IQ1_S"


def _shorter(release: Release) -> None:
    release.receipt("inventory-gx10.json")["models"][1]["context_length"] = 8192


def _unmeasured(release: Release) -> None:
    for host in ("lambda", "gx10"):
        del release.receipt(f"inventory-{host}.json")["models"][1]["context_length"]


def _marked(release: Release) -> None:
    release.receipt("inventory-gx10.json")["models"][0]["template_markers"] = ["enable_thinking", "<think>"]


def _modes(*modes: str) -> Callable[[Release], None]:
    def change(release: Release) -> None:
        for host in ("lambda", "gx10"):
            release.receipt(f"inventory-{host}.json")["models"][1]["thinking_modes"] = list(modes)

    return change


def _memory(**values: int) -> Callable[[Release], None]:
    """Let lambda measure the memory of beta, and gx10 something else; the workspace may differ by GPU."""

    def change(release: Release) -> None:
        terms = {"weights_bytes": 5000, "kv_bytes_per_token": 2, "workspace_bytes": 100}
        for host, own in (("lambda", {}), ("gx10", {"workspace_bytes": 300} | values)):
            inventory = release.receipt(f"inventory-{host}.json")
            inventory["models"][1] |= terms | own
            inventory["gpu"]["memory_bytes"] = 1_000_000

    return change


FALSIFIERS = [
    Falsifier("Model-arch", "MaxCount", "the hosts disagree on the architecture", ((BETA, "arch", "contradicted"),), _arch),
    Falsifier("Model-quant", "MaxCount", "the hosts disagree on the quantization", ((BETA, "quant", "contradicted"),), _quant),
    Falsifier("Model-one-length", "MaxCount", "the hosts disagree on the context length",
              ((BETA, "contextLength", "contradicted"),), _shorter),
    Falsifier("Model-length", "MinCount", "nobody measured the context length",
              ((BETA, "contextLength", "unmeasured"),), _unmeasured),
    Falsifier("Model-markers", "MaxCount", "the hosts disagree on the template",
              (("alpha-q4_k_m.gguf", "markers", "contradicted"),), _marked),
    Falsifier("Model-weights", "MaxCount", "the hosts disagree on the weights",
              ((BETA, "weights", "contradicted"),), _memory(weights_bytes=5001)),
    Falsifier("Model-kv", "MaxCount", "the hosts disagree on the KV cache",
              ((BETA, "kvBytes", "contradicted"),), _memory(kv_bytes_per_token=3)),
    *(
        Falsifier("Model-modes", "In", f"modes {' and '.join(modes)} that the template doesn't prove",
                  ((BETA, "thinking", "contradicted"),), _modes(*modes))
        for modes in (("on",), ("off", "on"))
    ),
]  # fmt: skip
