"""Both engines say the very same: on random graphs by random shapes, and on releases."""

from __future__ import annotations

import datetime
import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import event, given, settings
from rdflib import Graph

from gate import cache
from gate.__main__ import run
from gate.cache import Store
from gate.check import Request, check, prepare
from gate.errors import CallersError, GateError
from gate.iris import Iri
from gate.judging import following, pyshacl_engine
from gate.judging.canary import is_canary
from gate.judging.classes import Classes
from gate.judging.pyshacl_engine import PySHACL
from gate.nodes import Nodes
from gate.obligations.node import Node
from gate.reporting.text import render
from tests import random_shapes
from tests.falsifiers.falsifier import CELL
from tests.release import NOW, VERSION, Release, green
from tests.triples import Triples, shapes_of

if TYPE_CHECKING:
    from pathlib import Path

    from gate.judging.judge import Engine
    from gate.verdict import Verdict


def judge(release: Release, engine: Engine | None = None) -> Verdict:
    """Judge a release: by classes, where no engine is given."""
    moment = datetime.datetime.fromisoformat(NOW)
    return check(Request(release.write() / "gate.toml", VERSION, now=moment), engine)


def said(engine: Engine, data: Graph, shapes: Graph) -> Any:
    """Return what an engine says, or what it raises."""
    try:
        judgement = engine.judge(Triples(data), shapes_of(shapes))
    except GateError as error:
        return type(error)  # of several faults it is chance which one is met first
    return Counter(judgement.results), {file: Counter(found) for file, found in judgement.focus_nodes.items()}


def compare(data: Graph, shapes: Graph) -> None:
    """Let both engines judge, and expect the same."""
    whole, classes = said(PySHACL(), data, shapes), said(Classes(), data, shapes)
    assert classes == whole


@given(random_shapes.data(), random_shapes.shapes())
@settings(max_examples=300, deadline=None)
def test_both_engines_say_the_same_of_any_graph_by_any_shapes(data: Graph, shapes: Graph) -> None:
    roots = following.of(shapes).roots
    event(f"judged on the whole graph: {sum(bool(root.whole) for root in roots)} of {len(roots)}")
    compare(data, shapes)


@given(random_shapes.data(), random_shapes.shapes(simple=True))
@settings(max_examples=300, deadline=None)
def test_both_engines_say_the_same_where_every_shape_can_be_followed(data: Graph, shapes: Graph) -> None:
    assert not [root for root in following.of(shapes).roots if root.whole]
    compare(data, shapes)


@given(random_shapes.data(), random_shapes.shapes(simple=True))
@settings(max_examples=100, deadline=None)
def test_what_was_kept_says_the_same(kept: Store, data: Graph, shapes: Graph) -> None:
    whole = said(PySHACL(), data, shapes)
    with cache.used(kept):
        assert said(Classes(), data, shapes) == whole
        assert said(Classes(), data, shapes) == whole


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A store that all examples of a test share, as all checks of a user do."""
    return Store(tmp_path_factory.mktemp("kept") / "store")


EXAMPLE = "@prefix : <https://example.org/> . @prefix sh: <http://www.w3.org/ns/shacl#> .\n"
ROUND = ":x a :C ; :next :y . :y a :C ; :next :x ; :size 1 ."  # what is read of one is what is read of the other


@pytest.mark.parametrize(
    ("data", "shapes"),
    [
        pytest.param(
            ROUND,
            ":S a sh:NodeShape ; sh:targetClass :C ; sh:property :N , :M . :M sh:path :size ; sh:maxCount 1 . "
            ":N sh:path :next ; sh:nodeKind sh:Literal .",
            id="two classes whose nodes lead to each other",
        ),
        pytest.param(
            ROUND,
            ":S a sh:NodeShape ; sh:targetClass :C ; sh:property :N , :M . :M sh:path :size ; sh:minCount 1 . "
            ":N sh:path :next ; sh:nodeKind sh:Literal ; sh:severity sh:Warning .",
            id="one of them has a violation and both have warnings",
        ),
        pytest.param(
            ":x a :C ; :p 'https://example.org/x' . :y a :C ; :p 'https://example.org/x' .",
            ":N sh:targetClass :C ; sh:path :p ; sh:nodeKind sh:IRI .",
            id="a text that reads as the IRI of a node",
        ),
        pytest.param(
            ":x a :C ; :p 'https://example.org/x' .",
            ":N sh:targetClass :C ; sh:targetObjectsOf :p ; sh:path :p ; sh:minCount 1 .",
            id="such a text that is judged, beside the node",
        ),
    ],
)
def test_what_was_kept_of_nodes_that_look_alike_says_the_same(data: str, shapes: str, tmp_path: Path) -> None:
    data_graph, shapes_graph = (Graph().parse(data=EXAMPLE + text, format="turtle") for text in (data, shapes))
    whole = said(PySHACL(), data_graph, shapes_graph)
    with cache.used(Store(tmp_path / "store")):
        for _ in range(2):
            assert said(Classes(), data_graph, shapes_graph) == whole


def test_a_truth_value_that_is_judged_is_named_alike_by_both_engines(tmp_path: Path) -> None:
    text = (
        EXAMPLE + "@prefix gate: <https://w3id.org/taggate/ns#> . :N sh:targetObjectsOf gate:fresh ; sh:in ( true ) ."
    )
    moment = datetime.datetime.fromisoformat(NOW)
    nodes = prepare(Request(green(tmp_path).write() / "gate.toml", VERSION, now=moment)).nodes
    shapes = shapes_of(Graph().parse(data=text, format="turtle"))
    judged = [engine.judge(nodes, shapes) for engine in (PySHACL(), Classes())]
    assert [(one.results, one.focus_nodes) for one in judged] == [([], {"own": ["true"]})] * 2


def test_pyshacl_is_asked_nothing_where_all_is_kept(tmp_path: Path, monkeypatch: Any) -> None:
    release = green(tmp_path / "project")
    release.row("lambda", "alpha-q4_k_m.gguf")["verdict"] = "fail"
    release.receipt("dogfood.json")["verdict"] = "no-go"  # judged by a shape whose findings are about another node
    with cache.used(Store(tmp_path / "store")):
        first = judge(release)
        monkeypatch.setattr(pyshacl_engine, "asked", None)
        again = judge(release)
    assert len(first.findings) == 2
    assert again.to_json() == first.to_json()


def test_a_kept_verdict_is_one_of_the_very_same_values(tmp_path: Path) -> None:
    release = green(tmp_path / "project")
    with cache.used(Store(tmp_path / "store")):
        assert judge(release).conforms
        for value, is_green in ((1, True), (0, False), (1, True)):
            release.row("lambda", "alpha-q4_k_m.gguf")["answer_chars"] = value
            assert judge(release).conforms == is_green


EXAMPLES = {
    "as many values as there are nodes at the end of two steps": (
        "ex:S a sh:PropertyShape ; sh:targetClass ex:T ; sh:path ( ex:p ex:q ) ; sh:maxCount 1 .",
        """ex:one a ex:T ; ex:p ex:a , ex:b . ex:a ex:q ex:x . ex:b ex:q ex:x .
        ex:two a ex:T ; ex:p ex:c , ex:d . ex:c ex:q ex:y . ex:d ex:q ex:z . ex:x ex:r 1 . ex:y ex:r 1 . ex:z ex:r 1 .""",
        1,
    ),
    "two properties with the same node, and with two that are alike": (
        "ex:S a sh:PropertyShape ; sh:targetClass ex:T ; sh:path ex:p ; sh:equals ex:q .",
        "ex:one a ex:T ; ex:p ex:x ; ex:q ex:x . ex:two a ex:T ; ex:p ex:x ; ex:q ex:y . ex:x ex:r 1 . ex:y ex:r 1 .",
        2,
    ),
    "a finding about what a node leads to": (
        "ex:S a sh:PropertyShape ; sh:targetClass ex:T ; sh:path ex:p ; sh:property [ sh:path ex:q ; sh:minCount 1 ] .",
        "ex:one a ex:T ; ex:p ex:x . ex:two a ex:T ; ex:p ex:y . ex:x ex:r 1 . ex:y ex:r 1 .",
        2,
    ),
    "a finding about a node that was given too": (
        "ex:S a sh:PropertyShape ; sh:targetClass ex:T ; sh:path ex:p ; sh:property [ sh:path ex:q ; sh:minCount 1 ] .",
        """ex:one a ex:T ; ex:p ex:last . ex:two a ex:T ; ex:p ex:last . ex:last a ex:T . ex:other a ex:T .
        ex:three a ex:T ; ex:p ex:other .""",
        3,
    ),
    "two rows that are alike, and one that is led to twice": (
        "ex:S a sh:PropertyShape ; sh:targetClass ex:T ; sh:path ex:p ; sh:minCount 3 .",
        """ex:one a ex:T ; ex:p ex:x , ex:y . ex:two a ex:T ; ex:p ex:x , ex:y , ex:z .
        ex:x ex:r 1 . ex:y ex:r 1 . ex:z ex:r 1 .""",
        1,
    ),
    "a path that leads back, and one that leads to another": (
        "ex:S a sh:PropertyShape ; sh:targetClass ex:T ; sh:path ex:p ; sh:class ex:U .",
        "ex:one a ex:T ; ex:p ex:one . ex:two a ex:T ; ex:p ex:one .",
        2,
    ),
    "what a shape mentions is no other": (
        "ex:S a sh:PropertyShape ; sh:targetClass ex:T ; sh:path ex:p ; sh:hasValue ex:x .",
        "ex:one a ex:T ; ex:p ex:x . ex:two a ex:T ; ex:p ex:y . ex:x ex:r 1 . ex:y ex:r 1 .",
        1,
    ),
    "an IRI and a blank node": (
        "ex:S a sh:NodeShape ; sh:targetClass ex:T ; sh:nodeKind sh:IRI .",
        "ex:one a ex:T . [] a ex:T .",
        1,
    ),
    "equal to Python, and three terms": (
        "ex:S a sh:PropertyShape ; sh:targetClass ex:T ; sh:path ex:p ; sh:in ( 1 ) .",
        'ex:one a ex:T ; ex:p 1 . ex:two a ex:T ; ex:p true . ex:three a ex:T ; ex:p 1.0 . ex:four a ex:T ; ex:p "1" .',
        3,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", EXAMPLES)
def test_what_is_alike_and_isnt_the_same_is_told_apart(name: str) -> None:
    prefixes = "@prefix ex: <https://example.org/> . @prefix sh: <http://www.w3.org/ns/shacl#> . "
    shapes, data, count = EXAMPLES[name]
    read = Graph().parse(data=prefixes + shapes, format="turtle")
    assert not [root for root in following.of(read).roots if root.whole]
    judgement = Classes().judge(
        Triples(triples := Graph().parse(data=prefixes + data, format="turtle")), shapes_of(read)
    )
    assert len(judgement.results) == count
    compare(triples, read)


def test_a_fact_that_a_node_says_twice_is_one() -> None:
    shapes = Graph().parse(
        data="@prefix gate: <https://w3id.org/taggate/ns#> . @prefix sh: <http://www.w3.org/ns/shacl#> . "
        "gate:S a sh:PropertyShape ; sh:targetClass gate:Cell ; sh:path gate:receipt ; sh:maxCount 1 .",
        format="turtle",
    )
    rows = [Iri("https://example.org/row/1"), Iri("https://example.org/row/2")]
    led_to = {"twice": (rows[0], rows[0]), "two": (rows[0], rows[1])}
    nodes = Nodes.of(
        [
            *(Node(row, ("CellRow",), "row", ()) for row in rows),
            *(
                Node(Iri(f"https://example.org/{name}"), ("Cell",), name, tuple(("receipt", row) for row in own))
                for name, own in led_to.items()
            ),
        ]
    )
    for engine in (PySHACL(), Classes()):
        assert [result.focus for result in engine.judge(nodes, shapes_of(shapes)).results] == [
            "https://example.org/two"
        ]


def own_shape(release: Release, body: str) -> None:
    """Give the project a shape of its own."""
    release.documents["shapes/own.ttl"] = (
        "@prefix gate: <https://w3id.org/taggate/ns#> .\n@prefix sh: <http://www.w3.org/ns/shacl#> .\n"
        f"<https://example.org/own> a sh:PropertyShape ; sh:targetClass gate:CellRow ; {body} .\n"
    )


def test_the_graph_is_built_for_those_that_are_judged_and_no_others(tmp_path: Path, monkeypatch: Any) -> None:
    built: list[int] = []
    graph = Nodes.graph

    def counted(nodes: Nodes, only: Any = None) -> Graph:
        if not any(map(is_canary, nodes)):
            built.append(len(nodes if only is None else list(only := dict.fromkeys(only))))
        return graph(nodes, only)

    monkeypatch.setattr(Nodes, "graph", counted)
    verdict = judge(green(tmp_path))
    assert verdict.conforms
    assert (verdict.engine, verdict.whole) == ("classes", ())
    assert 0 < sum(built) < len(verdict.nodes) / 2


def test_a_shape_with_a_new_property_tells_nodes_apart_that_were_alike(tmp_path: Path) -> None:
    release = green(tmp_path)
    release.row("lambda", "alpha-q4_k_m.gguf")["seconds"] = 500.0
    assert judge(release).conforms
    own_shape(release, "sh:path gate:seconds ; sh:maxInclusive 100")
    (finding,) = judge(release).findings
    assert (finding.shape, finding.focus) == ("own", CELL)


def test_a_shape_that_cant_be_followed_is_judged_on_the_whole_graph_and_named(tmp_path: Path) -> None:
    release = green(tmp_path)
    own_shape(release, "sh:path [ sh:inversePath gate:receipt ] ; sh:maxCount 0")
    verdict = judge(release)
    rows = [node for node in verdict.nodes.values() if "CellRow" in node.types]
    assert len(verdict.findings) == len(rows) > 1
    ((shape, because),) = verdict.whole
    assert shape == "https://example.org/own"
    assert because == "the path of https://example.org/own is more than properties that follow each other"
    assert verdict.to_json()["engine"]["whole_graph"] == [{"shape": shape, "because": because}]
    assert f"On the whole graph, since it can't be judged by classes: {shape}" in " ".join(render(verdict).split())


@pytest.mark.parametrize("engine", [Classes, PySHACL])
def test_what_shacls_own_shapes_refuse_is_the_callers_error_and_named(engine: type[Engine], tmp_path: Path) -> None:
    release = green(tmp_path)
    own_shape(release, "sh:path gate:verdict ; sh:nodeKind gate:pass")
    with pytest.raises(CallersError, match=r"shapes: <https://example.org/own>, sh:nodeKind: SHACL doesn't allow"):
        judge(release, engine())


@pytest.mark.parametrize("engine", ["classes", "pyshacl"])
def test_the_engine_is_chosen_on_the_command_line(engine: str, tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.chdir(green(tmp_path).write())
    assert run(["check", "--tag", VERSION, "--now", NOW, "--format", "json", "--engine", engine]) == 0
    assert json.loads(capsys.readouterr().out)["engine"]["name"] == engine
