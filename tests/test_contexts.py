"""Contexts: sizes with their sources, the computed one, and each model's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gate import contexts, rules
from gate.errors import BadFile
from tests.release import RULES, Release


def read(release: Release) -> contexts.Contexts:
    return contexts.read(rules.read(release.write() / "gate.toml"))


def document(release: Release) -> Any:
    return release.documents["receipts/contexts.json"]


def test_the_computed_context_is_the_most_that_a_consumer_sends(release: Release) -> None:
    found = {c.name: c for c in read(release).contexts}
    assert found["consumer-max"].tokens == 7000
    assert found["consumer-max"].sources == ("consumer reader",)
    assert found["declared"].long
    assert list(found) == ["4k", "consumer-max", "declared"]


def test_names_alone_have_no_size_and_no_declared_context(release: Release) -> None:
    release.rules = RULES.replace('contexts = "receipts/contexts.json"\n', "").replace(
        "thinking = true", 'thinking = true\ncontexts = ["4k", "8k"]'
    )
    found = read(release)
    assert not found.sized
    assert [(c.name, c.tokens) for c in found.contexts] == [("4k", None), ("8k", None)]


def test_the_real_rungs_are_read(real: Path, release: Release) -> None:
    text = (real / "aprender/evidence/release/context-rungs.json").read_text()
    release.documents["receipts/contexts.json"] = text
    found = read(release)
    assert {c.name: c.tokens for c in found.contexts} == {
        "4k": 4096, "8k": 8192, "20k": 20480, "60k": 61440, "consumer-max": 148000, "declared": None,
    }  # fmt: skip
    assert [c.name for c in found.contexts if c.long] == ["60k", "consumer-max", "declared"]
    assert {c.name: c.tokens for c in found.consumers} == {"rah": 148000, "rmedia": 128000, "arbiter": 7000}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda d: d.update(schema="taggate/contexts/v2"),
            "schema: 'taggate/contexts/v2' is no schema of a contexts file",
        ),
        (lambda d: d.pop("schema"), "schema: None is no schema"),
        (lambda d: d["contexts"].append({"name": "4k", "tokens": 1}), "'4k' stands twice"),
        (lambda d: d["contexts"].append({"name": "4K", "tokens": 1}), "'4K' and '4k' differ only by case"),
        (
            lambda d: d["contexts"].append({"name": "declared", "tokens": 1}),
            "each model's own length, and is never listed",
        ),
        (lambda d: d["contexts"][1].update(tokens=1), "computed over the consumers"),
        (lambda d: d["contexts"][0].update(tokens="4096"), "contexts[0].tokens: '4096' should be a valid integer"),
        (lambda d: d["contexts"][0].update(tokens=0), "contexts[0].tokens: 0 should be greater than 0"),
        (lambda d: d["contexts"][0].update(tokens=4096.0), "contexts[0].tokens: 4096.0 should be a valid integer"),
        (lambda d: d["contexts"][0].update(long="false"), "contexts[0].long: 'false' should be a valid boolean"),
        (lambda d: d["consumers"][0].update(max_prompt_tokens=True), "consumers[0].max_prompt_tokens: True"),
        (lambda d: d["consumers"].append({"consumer": "reader"}), "'reader' stands twice"),
        (lambda d: d.update(contexts=[]), "contexts: List should have at least 1 item"),
    ],
)
def test_a_malformed_contexts_file_is_named_with_its_place(change: Any, said: str, release: Release) -> None:
    change(document(release))
    with pytest.raises(BadFile) as refused:
        read(release)
    assert str(refused.value).startswith("receipts/contexts.json, ")
    assert said in str(refused.value)


@pytest.mark.parametrize("text", ["[]", "3", "null", '"x"'])
def test_a_contexts_file_is_an_object(text: str, release: Release) -> None:
    release.documents["receipts/contexts.json"] = text
    with pytest.raises(BadFile, match="is no schema of a contexts file"):
        read(release)


def test_a_missing_contexts_file_is_named(release: Release) -> None:
    del release.documents["receipts/contexts.json"]
    with pytest.raises(BadFile, match=r"^receipts/contexts\.json: there is no such file"):
        read(release)
