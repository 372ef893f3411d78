"""Cells and rows tell what they say when they are asked: all of it, in one order, and what is shared is one object."""

from __future__ import annotations

from typing import Any

from gate import check, obligations
from gate.obligations import many, row
from gate.obligations.node import Node
from tests.release import COMMIT, VERSION, Release, run

ROWS = [
    {"required_bytes": 10**12, "verdict": "refused", "think_closed": False, "reason": "too large"},
    {"evidence": {"path": "log.txt", "sha256": "4" * 64}, "exit_code": 1, "prompt_tokens": None, "answer_chars": 0},
    {"context": "no such", "backend": {"ran": "cpu", "fell_back": True}},
    {"model": {"file": "renamed.gguf", "sha256": "1" * 64}, "seconds": None},
    {"model": {"file": "unidentified.gguf"}, "context": None},
]


def nodes(release: Release) -> list[Node]:
    """Return the cells and rows of a release in which everything that a row can say is said by one."""
    memory = {"weights_bytes": 1, "kv_bytes_per_token": 1, "workspace_bytes": 1}
    inventory = release.receipt("inventory-lambda.json")
    inventory["gpu"]["memory_bytes"] = 8000
    inventory["models"][0] |= memory
    rows = release.receipt("lambda.json")["runs"]
    good = run("alpha-q4_k_m.gguf", "run", "off", "declared")
    rows += [{key: value for key, value in (good | odd).items() if value is not None} for odd in ROWS]
    ground = check.survey(check.Request(release.write() / "gate.toml", VERSION, COMMIT))
    return [node for node in obligations.owed(ground) if isinstance(node, many.LeanNode)]


def told(node: Node) -> list[tuple[str, Any]]:
    return [*node.common, *((name, value) for name in node.own_names for value in node.values(name))]


def test_what_is_shared_and_what_is_its_own_is_all_that_a_node_says(release: Release) -> None:
    found = nodes(release)
    assert {node.types[0] for node in found} == {"Cell", "RefusalCell", "Row"}
    for node in found:
        assert sorted(map(repr, node.facts)) == sorted(map(repr, told(node)))
        assert {name for name, _ in node.common}.isdisjoint(node.own_names)
    # A fact that has no place in the order would be left out: here each has been said.
    assert {name for node in found if node.types[0] == "Row" for name, _ in node.facts} >= {
        *row.ORDER
    } - {"staleBecause"}  # fmt: skip


def test_rows_that_differ_by_what_is_their_own_share_the_rest(release: Release) -> None:
    found = [node for node in nodes(release) if node.types == ("Row", "CellRow")]
    shared = {id(node.common): node.common for node in found}
    assert len(set(map(repr, shared.values()))) == len(shared) < len(found) / 5


def test_a_node_of_another_class_says_the_same(release: Release) -> None:
    for node in nodes(release):
        other = node.under(("SetAside",))
        assert (other.iri, other.label, other.facts, other.about, other.owner) == (
            node.iri, node.label, node.facts, node.about, node.owner,
        )  # fmt: skip
        assert other.types == ("SetAside",) != node.types
