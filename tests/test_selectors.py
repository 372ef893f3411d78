"""What a decision selects is what going through everything would find, in the same order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate import rules as rules_module
from gate.decisions import Declaim
from gate.iris import Iri
from gate.names import glob_matches, is_glob
from gate.obligations.census import OwedShape
from gate.obligations.dispatch import OwedKernel
from gate.obligations.selectors import Selection
from gate.obligations.universe import Cell, OwedModel, Prompt
from gate.rules import Rules
from tests.release import green

HOSTS = ("gx10", "lambda")
COMPUTES: dict[str, str | None] = {"gx10": "12.1", "lambda": None, "laptop": "8.9"}
NAMES = ("alpha.gguf", "alpha-2.gguf", "beta.gguf", "b*ta.gguf", "gamma[1].gguf")


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Rules:
    return rules_module.read(Path(green(tmp_path_factory.mktemp("release")).write()) / "gate.toml")


def a_model(host: str, names: tuple[str, ...], arch: str | None, quant: str | None) -> OwedModel:
    return OwedModel(
        host, names[0], names, names, None, arch, quant, held=True, pinned=False, lengths=(), markers=()
    )  # fmt: skip


MODELS = st.builds(
    a_model, st.sampled_from(HOSTS), st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True).map(tuple),
    st.sampled_from([None, "qwen2", "qwen3"]), st.sampled_from([None, "Q4_K", "Q8_0"]),
)  # fmt: skip
KERNELS = st.builds(
    OwedKernel, st.sampled_from(HOSTS), st.sampled_from(["gemv", "rope"]), st.sampled_from([None, "Q4_K"])
) | st.builds(
    OwedShape, st.sampled_from(HOSTS), st.sampled_from(["Q4_K", "Q8_0"]), st.just("1x2"),
    st.lists(st.sampled_from(["gemv", "rope"]), max_size=2).map(tuple),
)  # fmt: skip


@st.composite
def cells(draw: st.DrawFn) -> list[Cell]:
    found = []
    for number, model in enumerate(draw(st.lists(MODELS, max_size=5))):
        prompts = [
            Prompt(name, None, None, None, refusal_owed=False) for name in draw(st.sampled_from([["4k"], ["4k", "8k"]]))
        ]
        for verb in ("run", "chat"):
            for mode in draw(st.sampled_from([(None,), ("off",), ("off", "on")])):
                found += [Cell(Iri(f"{number}/{verb}/{mode}/{p.context}"), model, verb, mode, p) for p in prompts]
    return found


def patterns(*values: str) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(values), min_size=1, max_size=2)


DECISIONS = st.fixed_dictionaries({}, optional={
    "model": patterns(*NAMES, "alpha*", "b?ta.gguf", "*.gguf", "gamma[[]1].gguf", "delta.gguf"),
    "arch": patterns("qwen2", "qwen*", "llama"),
    "quant": patterns("Q4_K", "Q?_*"),
    "host": patterns("gx10", "lambda-vector", "l*", "nowhere"),
    "compute": patterns("12.1", ">=8.9", "8.9"),
    "verb": patterns("run", "c*"),
    "context": patterns("4k", "*k"),
    "thinking": patterns("on", "off"),
    "kernel": patterns("gemv", "*e*"),
}).filter(bool)  # fmt: skip


def scanned(given: dict[str, tuple[str, ...]], everything: list[Any], rules: Rules) -> list[Any]:
    """Go through everything, and ask each axis of each obligation."""

    def matches(pattern: str, value: str | None) -> bool:
        return value is not None and (value == pattern or (is_glob(pattern) and glob_matches(pattern, value)))

    def meets(wanted: str, compute: str | None) -> bool:
        if compute is None or not wanted.startswith(">="):
            return compute == wanted
        return tuple(map(int, compute.split("."))) >= tuple(map(int, wanted[2:].split(".")))

    def on(axis: str, wanted: tuple[str, ...], owed: Any) -> bool:
        if axis == "compute":
            return any(meets(want, COMPUTES.get(owed.host)) for want in wanted)
        if axis == "host":
            named = [(rules.host_named(want), want) for want in wanted]
            return any(matches(host.id if host else want, owed.host) for host, want in named)
        if axis == "kernel" and isinstance(owed, OwedShape):
            return bool(owed.kernels) and all(any(matches(w, kernel) for w in wanted) for kernel in owed.kernels)
        if isinstance(owed, Cell):
            values = owed.model.names if axis == "model" else (
                getattr(owed.model if axis in {"arch", "quant"} else owed, axis, None),)  # fmt: skip
        else:
            values = (getattr(owed, axis) if axis in {"quant", "kernel"} else None,)
        return any(matches(want, value) for want in wanted for value in values)

    of_kernels = "kernel" in given or {"quant", "compute"} <= given.keys()
    return [
        owed for owed in everything
        if (of_kernels or isinstance(owed, Cell)) and all(on(axis, wanted, owed) for axis, wanted in given.items())
    ]  # fmt: skip


@settings(deadline=None, max_examples=300)
@given(cells(), st.lists(KERNELS, max_size=3), st.lists(DECISIONS, min_size=1, max_size=4))
def test_what_is_selected_is_what_a_scan_finds(
    rules: Rules, owed: list[Cell], kernels: list[OwedKernel | OwedShape], decisions: list[dict[str, list[str]]]
) -> None:
    everything = [*owed, *kernels]
    selection = Selection(everything, rules, COMPUTES)
    for decision in decisions:
        declaim = Declaim.model_validate(decision)
        found, expected = selection.selected(declaim), scanned(declaim.given(), everything, rules)
        assert list(map(id, found)) == list(map(id, expected))
