"""What has a row named as an orphan."""

from __future__ import annotations

import copy
from typing import Any

from tests.falsifiers import conformance, kernel, parity, performance, tokenizer
from tests.falsifiers.falsifier import Falsifier
from tests.release import VERSION, Release


def _extra(**values: Any) -> Any:
    def change(release: Release) -> None:
        rows = release.receipt("lambda.json")["runs"]
        found = copy.deepcopy(rows[0])
        for key, value in values.items():
            if value is None:
                del found[key]
            else:
                found[key] = value
        rows.append(found)

    return change


def _orphan(name: str, change: Any) -> Falsifier:
    focus = f"receipts/{VERSION}/lambda.json, runs[36]"
    return Falsifier("Row-cell", "MinCount", name, ((focus, "cell", "orphan"),), change, severity="warning")


def _laptop(release: Release) -> None:
    receipt = copy.deepcopy(release.receipt("lambda.json")) | {"host": "laptop"}
    receipt["runs"] = receipt["runs"][:1]
    release.documents[f"receipts/{VERSION}/laptop.json"] = receipt


def _copied(base: Any, path: str, host: str | None = None, **values: Any) -> Any:
    """Put a row of a receipt into one of its own once more, changed; None takes a key away."""

    def change(release: Release) -> None:
        base(release)
        receipt = copy.deepcopy(release.documents[path])
        row = receipt["rows"][0] | values
        receipt["rows"] = [{key: value for key, value in row.items() if value is not None}]
        if host is not None:
            receipt["host"] = host
        release.documents[f"receipts/{VERSION}/own.json"] = receipt

    return change


def _own(name: str, change: Any) -> Falsifier:
    focus = f"receipts/{VERSION}/own.json, rows[0]"
    return Falsifier("Row-cell", "MinCount", name, ((focus, "cell", "orphan"),), change, severity="warning")


def _unrequired(name: str, base: Any, path: str) -> Falsifier:
    """Measure something, one row of it, that no rule asks for."""

    def change(release: Release) -> None:
        rules, documents = release.rules, set(release.documents)
        base(release)
        receipt = release.documents[path]
        for added in set(release.documents) - documents:
            del release.documents[added]
        release.documents[f"receipts/{VERSION}/own.json"] = receipt | {"rows": receipt["rows"][:1]}
        release.rules = rules

    focus = f"receipts/{VERSION}/own.json, rows[0]"
    return Falsifier("Row-required", "MinCount", name, ((focus, "required", "orphan"),), change, severity="warning")


_UNIDENTIFIED = {"file": "alpha-q4_k_m.gguf"}
_UNKNOWN = {"file": "gamma-fp16.gguf", "sha256": "3" * 64}
_OUTPUTS = parity.RECEIPTS["lambda"]

FALSIFIERS = [
    _orphan("a row without a sha256", _extra(model={"file": "alpha-q4_k_m.gguf"})),
    _orphan("a row of a model that isn't owed", _extra(model={"file": "gamma-fp16.gguf", "sha256": "3" * 64})),
    _orphan("a row of a verb that isn't owed", _extra(verb="embed")),
    _orphan("a row at a context that isn't owed", _extra(context="8k")),
    _orphan("a row without a context", _extra(context=None)),
    _orphan("a row without a thinking mode", _extra(thinking=None)),
    Falsifier("Row-cell", "MinCount", "a row of a host that owes nothing",
              ((f"receipts/{VERSION}/laptop.json, runs[0]", "cell", "orphan"),), _laptop, severity="warning"),
    _own("ids without a sha256", _copied(tokenizer.required, tokenizer.RECEIPT, model=_UNIDENTIFIED, mismatches=1)),
    _own("ids of a model that isn't owed", _copied(tokenizer.required, tokenizer.RECEIPT, model=_UNKNOWN)),
    _own("an output without a sha256", _copied(parity.required, _OUTPUTS, model=_UNIDENTIFIED, matching_prefix=0)),
    _own("an output of a model that isn't owed", _copied(parity.required, _OUTPUTS, model=_UNKNOWN)),
    _own("an output against another reference", _copied(parity.required, _OUTPUTS, against="llama.cpp")),
    _own("an output against no reference", _copied(parity.required, _OUTPUTS, against=None)),
    _own("an output of a host that owes nothing", _copied(parity.required, _OUTPUTS, host="laptop")),
    _own("a figure of a host that owes nothing", _copied(performance.claimed, performance.RECEIPT, host="laptop")),
    _own("a figure of another model", _copied(performance.claimed, performance.RECEIPT, model=_UNKNOWN)),
    _own("a figure of another metric", _copied(performance.claimed, performance.RECEIPT, metric="rps")),
    _own("a figure at another configuration",
         _copied(performance.claimed, performance.RECEIPT, configuration="eight users")),
    _own("a figure of another comparator",
         _copied(performance.claimed, performance.RECEIPT, value=None, comparator={"name": "vllm", "value": 1.0})),
    _unrequired("a kernel, and no kernel is required", kernel.with_kernels, f"receipts/{VERSION}/kernels-gx10.json"),
    _unrequired("a tensor shape, and no conformance is required",
                conformance.with_conformance, f"receipts/{VERSION}/shapes-gx10.json"),
    _unrequired("token ids, and no tokenizer is required", tokenizer.required, tokenizer.RECEIPT),
    _unrequired("an output, and no parity is required", parity.required, _OUTPUTS),
    _unrequired("a figure, and nothing is claimed", performance.claimed, performance.RECEIPT),
]  # fmt: skip
