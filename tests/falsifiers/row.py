"""What has a row named as an orphan."""

from __future__ import annotations

import copy
from typing import Any

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


FALSIFIERS = [
    _orphan("a row without a sha256", _extra(model={"file": "alpha-q4_k_m.gguf"})),
    _orphan("a row of a model that isn't owed", _extra(model={"file": "gamma-fp16.gguf", "sha256": "3" * 64})),
    _orphan("a row of a verb that isn't owed", _extra(verb="embed")),
    _orphan("a row at a context that isn't owed", _extra(context="8k")),
    _orphan("a row without a context", _extra(context=None)),
    _orphan("a row without a thinking mode", _extra(thinking=None)),
    Falsifier("Row-cell", "MinCount", "a row of a host that owes nothing",
              ((f"receipts/{VERSION}/laptop.json, runs[0]", "cell", "orphan"),), _laptop, severity="warning"),
]  # fmt: skip
