"""The graph as text: nothing that a receipt recorded is obeyed by a terminal, and all of it is read back as it was."""

from __future__ import annotations

import datetime
import json
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import Graph, Literal, URIRef
from rdflib.compare import isomorphic

from gate import graph
from gate.check import Request, prepare
from gate.obligations.node import Node
from tests.release import NOW, VERSION, Release, gate_here

PARSED_AS = {"ttl": "turtle", "nt": "nt", "jsonld": "json-ld"}
RECORDED = (
    '\x1b[2J\x1b]0;owned\x07\n<urn:x> a <urn:y> .\r\t\x7f\x85\x9b\u2028\u2029\u202e\u200d\U000e0001 "q" \\u0041 \\ ü'
)
UNSAFE = {"Cc", "Cf", "Cs", "Zl", "Zp"}
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


def unsafe(text: str) -> set[str]:
    """Return what a terminal would obey, the line breaks of the form itself aside."""
    return {c for c in text if unicodedata.category(c) in UNSAFE} - {"\n"}


@pytest.mark.parametrize("form", PARSED_AS)
def test_a_recorded_text_drives_no_terminal_and_is_read_back_as_it_was(form: str, release: Release) -> None:
    release.row("lambda", "alpha-q4_k_m.gguf").update(verdict="fail", reason=RECORDED)
    folder = release.write()
    done = gate_here(folder, "graph", "--tag", VERSION, "--format", form)
    assert done.returncode == 0, done.stderr
    assert unsafe(done.stdout) == set()
    assert not any(line.startswith("<urn:x>") for line in done.stdout.splitlines())
    found = Graph().parse(data=done.stdout, format=PARSED_AS[form])
    assert Literal(RECORDED) in set(found.objects())
    moment = datetime.datetime.fromisoformat(NOW)
    own = prepare(Request(folder / "gate.toml", VERSION, now=moment)).nodes.graph()
    assert isomorphic(found, own)


@settings(max_examples=60)
@given(TEXT)
def test_every_text_is_the_same_in_every_form(text: str) -> None:
    node = Node("https://w3id.org/taggate/release/1.0.0", ("Release",), text, (("reason", text), ("exitCode", -7)))  # type: ignore[arg-type]
    own = graph.build([node])
    for form, parser in PARSED_AS.items():
        written = graph.serialize(own, form)
        assert unsafe(written) == set()
        found = Graph().parse(data=written, format=parser)
        assert isomorphic(found, own), (form, written)


def test_a_number_without_bound_is_written_as_every_engine_reads_it() -> None:
    node = Node("https://w3id.org/taggate/release/1.0.0", ("Release",), "1.0.0", (("maxErr", float("inf")),))  # type: ignore[arg-type]
    own = graph.build([node])
    for form, parser in PARSED_AS.items():
        written = graph.serialize(own, form)
        assert '"INF"' in written
        assert "Infinity" not in written  # which is no JSON
        found = Graph().parse(data=written, format=parser)
        (value,) = found.objects(None, URIRef("https://w3id.org/taggate/ns#maxErr"))
        assert float(str(value)) == float("inf")


def test_n_triples_are_sorted_lines_of_one_triple(release: Release) -> None:
    release.row("lambda", "alpha-q4_k_m.gguf").update(verdict="fail", reason="b\u2028a\x85c\x0cd")
    done = gate_here(release.write(), "graph", "--tag", VERSION, "--format", "nt")
    lines = done.stdout.removesuffix("\n").split("\n")
    assert lines == sorted(lines)
    assert all(line.endswith(" .") for line in lines)


def test_the_json_is_one_document(release: Release, tmp_path: Path) -> None:
    release.row("lambda", "alpha-q4_k_m.gguf").update(verdict="fail", reason=RECORDED)
    done = gate_here(release.write(), "graph", "--tag", VERSION, "--format", "jsonld", "--output", "graph.json")
    assert done.returncode == 0
    assert json.loads((tmp_path / "graph.json").read_text(encoding="utf-8"))
