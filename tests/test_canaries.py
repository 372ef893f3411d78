"""Canaries: every constraint is broken by a planted fault, and a judge that misses one is found out, by name."""

from __future__ import annotations

import dataclasses
import datetime
from pathlib import Path

import pytest
from rdflib import Graph, URIRef
from rdflib.namespace import SH

from gate import graph, iris, shape_files
from gate.check import Request, check
from gate.errors import Declined
from gate.iris import NAMESPACE
from gate.judging import canaries
from gate.judging.canary import Canaries, Expected, is_canary
from gate.judging.classes import Classes
from gate.judging.faults import component
from gate.judging.judge import Judgement, Result
from gate.judging.pyshacl_engine import PySHACL
from gate.nodes import Nodes
from gate.shape_files import Shapes
from gate.shape_lint import CONSTRAINTS, references
from tests.release import NOW, VERSION, green
from tests.triples import judging

PREFIXES = """\
@prefix gate: <https://w3id.org/taggate/ns#> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix my: <https://example.org/shapes#> .
"""


def built_in() -> Shapes:
    return shape_files.read(Path("no such folder"))


def with_shapes(folder: Path, text: str) -> Shapes:
    """A project's own shapes, as they are read, and without the built-in ones: they cost each judgement much time."""
    (folder / "shapes").mkdir()
    (folder / "shapes" / "own.ttl").write_text(PREFIXES + text, encoding="utf-8")
    read = shape_files.read(folder / "shapes")
    built = built_in()
    # SHACL's own shapes judged these when they were read; `users` would have them judged at every turn.
    own = {iri: shape for iri, shape in read.shapes.items() if iri not in built.shapes}
    return judging(dataclasses.replace(read, users=frozenset(), shapes=own), read.graph - built.graph)


def without(shapes: Shapes, *triples: tuple[URIRef, URIRef]) -> Shapes:
    """The same shapes, with what some of them say of something taken away."""
    left = Graph(bind_namespaces="none")
    for triple in shapes.graph:
        if (triple[0], triple[1]) not in triples:
            left.add(triple)
    return judging(shapes, left)


def judged(planted: Canaries, shapes: Shapes) -> list[Result]:
    return PySHACL().results(graph.build(planted.nodes), shapes)


def constraints(shapes: Shapes) -> list[tuple[URIRef, URIRef]]:
    """Every constraint of every shape, counted here once more: a shape and a parameter."""
    own = {URIRef(iri) for iri in shapes.shapes}
    return sorted((s, p) for s in own for p in set(shapes.graph.predicates(s)) & CONSTRAINTS - {SH.property})


def expected_of(planted: Canaries, shape: URIRef, parameter: URIRef) -> list[Expected]:
    return sorted(e for e in planted.expected if (e.shape, e.component) == (str(shape), component(parameter)))


BUILT_IN = constraints(built_in())


def test_every_constraint_of_the_built_in_shapes_is_planted() -> None:
    shapes = built_in()
    planted = canaries.planted(shapes)
    assert planted.unplanted == ()
    assert {(e.shape, e.component) for e in planted.expected} == {(str(s), component(p)) for s, p in BUILT_IN}
    assert planted.constraints == len(BUILT_IN) > 300


def test_every_planted_fault_is_reported_and_none_is_left_in_the_results() -> None:
    shapes = built_in()
    planted = canaries.planted(shapes)
    results = judged(planted, shapes)
    assert canaries.silent(planted.expected, results) == []
    canaries.heed(planted, results)


def test_no_canary_is_a_node_of_a_release() -> None:
    planted = canaries.planted(built_in())
    assert not iris.node("0.71.0", "cell").startswith(canaries.NAMESPACE)
    held = {node.iri for node in planted.nodes} | {v for n in planted.nodes for _, v in n.facts if type(v) is iris.Iri}
    assert all(is_canary(iri) for iri in held)
    assert not any(is_canary(term) for term in (NAMESPACE, iris.RELEASES))


def test_two_canaries_a_class_and_two_a_place_that_a_class_leads_to() -> None:
    planted = canaries.planted(built_in())
    classes = [node.types for node in planted.nodes if node.types]
    assert len(classes) == 2 * len(set(classes))
    assert (
        len(planted.nodes) - len(classes) == 2 * 6
    )  # Context, Host three times, Suite, and what a Suite's receipt holds


@pytest.mark.parametrize("parameter", sorted({p for _, p in BUILT_IN}), ids=lambda p: str(p).partition("#")[2])
def test_a_judge_that_knows_no_such_constraint_is_found_out(parameter: URIRef) -> None:
    shapes = built_in()
    planted = canaries.planted(shapes)
    gone = without(shapes, *((s, p) for s, p in BUILT_IN if p == parameter))
    assert canaries.silent(planted.expected, judged(planted, gone)) == sorted(
        e for e in planted.expected if e.component == component(parameter)
    )


@pytest.mark.parametrize(("shape", "parameter"), BUILT_IN, ids=[f"{s}-{p}".replace(NAMESPACE, "") for s, p in BUILT_IN])
def test_a_constraint_that_is_gone_is_named_and_no_other(shape: URIRef, parameter: URIRef) -> None:
    shapes = built_in()
    planted = canaries.planted(shapes)
    missed = canaries.silent(planted.expected, judged(planted, without(shapes, (shape, parameter))))
    assert missed == expected_of(planted, shape, parameter)
    assert missed


def test_a_target_that_is_gone_and_a_way_that_is_gone_are_found_out() -> None:
    shapes = built_in()
    planted = canaries.planted(shapes)
    held = URIRef(f"{NAMESPACE}holds")
    way = next(s for s in shapes.graph.subjects(SH.path, held) if (s, SH.property, None) in shapes.graph)
    below = {str(o) for o in shapes.graph.objects(way, SH.property)}
    assert below
    for at, link, named in (
        (URIRef(f"{NAMESPACE}Row-verdict"), SH.targetClass, {f"{NAMESPACE}Row-verdict"}),
        (way, SH.property, below),
    ):
        gone = without(shapes, (at, link))
        assert {e.shape for e in canaries.silent(planted.expected, judged(planted, gone))} == named


def test_a_judge_that_loses_one_result_or_a_part_of_it_is_found_out() -> None:
    shapes = built_in()
    planted = canaries.planted(shapes)
    results = judged(planted, shapes)
    assert len(results) >= len(planted.expected)
    for one in planted.expected:
        kept = [r for r in results if Expected.of(r) != one]
        assert canaries.silent(planted.expected, kept) == [one]
        weaker = [r._replace(severity="info" if one.severity != "info" else "warning") if Expected.of(r) == one else r
                  for r in results]  # fmt: skip
        assert canaries.silent(planted.expected, weaker) == [one]


def test_a_missed_fault_ends_the_check_and_is_named() -> None:
    shapes = built_in()
    planted = canaries.planted(shapes)
    results = judged(planted, shapes)
    canaries.heed(planted, results)
    blind = [r for r in results if r.shape != f"{NAMESPACE}Row-verdict"]
    with pytest.raises(Declined, match=r"did not see 2 planted faults .*InConstraintComponent of gate:Row-verdict"):
        canaries.heed(planted, blind)
    with pytest.raises(Declined, match="and 300 more"):
        canaries.heed(planted, [])


class Blind(Classes):
    """An engine that doesn't see one constraint."""

    def judge(self, nodes: Nodes, shapes: Shapes) -> Judgement:
        found = super().judge(nodes, shapes)
        return found._replace(results=[r for r in found.results if r.shape != f"{NAMESPACE}Row-verdict"])


def test_a_check_by_a_blind_engine_is_declined(tmp_path: Path) -> None:
    release = green(tmp_path)
    release.row("lambda", "alpha-q4_k_m.gguf")["verdict"] = "fail"
    request = Request(release.write() / "gate.toml", VERSION, now=datetime.datetime.fromisoformat(NOW))
    with pytest.raises(Declined, match=r"did not see 2 planted faults .*InConstraintComponent of gate:Row-verdict"):
        check(request, Blind())
    verdict = check(request)
    assert len(verdict.findings) == 1
    assert not any(map(is_canary, verdict.nodes))
    assert verdict.to_json()["engine"]["canaries"] == {"constraints": 303, "unplanted": []}


CELL = "my:S a sh:NodeShape ; sh:targetClass gate:Cell ; sh:property ["
CORE = {
    "class": "sh:path gate:receipt ; sh:class gate:CellRow",
    "datatype": "sh:path gate:seconds ; sh:datatype xsd:integer",
    "datatype of text": "sh:path gate:seconds ; sh:datatype xsd:string",
    "nodeKind of nodes": "sh:path gate:receipt ; sh:nodeKind sh:IRI",
    "nodeKind of literals": "sh:path gate:seconds ; sh:nodeKind sh:Literal",
    "minCount": "sh:path gate:receipt ; sh:minCount 3",
    "maxCount": "sh:path gate:receipt ; sh:maxCount 2",
    "maxCount none": "sh:path gate:receipt ; sh:maxCount 0",
    "minExclusive": "sh:path gate:seconds ; sh:minExclusive 0.5",
    "minInclusive": "sh:path gate:seconds ; sh:minInclusive -3",
    "maxExclusive": "sh:path gate:seconds ; sh:maxExclusive 60",
    "maxInclusive": "sh:path gate:seconds ; sh:maxInclusive 60.25",
    "minLength": "sh:path gate:reason ; sh:minLength 3",
    "maxLength": "sh:path gate:reason ; sh:maxLength 0",
    "pattern": 'sh:path gate:reason ; sh:pattern "^.+$"',
    "pattern with flags": 'sh:path gate:reason ; sh:pattern "^(|a|CANARY)$" ; sh:flags "i"',
    "languageIn": 'sh:path gate:reason ; sh:languageIn ( "en" )',
    "equals": "sh:path gate:file ; sh:equals gate:reason",
    "disjoint": "sh:path gate:file ; sh:disjoint gate:reason",
    "lessThan": "sh:path gate:seconds ; sh:lessThan gate:promptTokens",
    "lessThanOrEquals": "sh:path gate:seconds ; sh:lessThanOrEquals gate:promptTokens",
    "node": "sh:path gate:receipt ; sh:node [ a sh:NodeShape ; sh:class gate:CellRow ]",
    "node by a property": "sh:path gate:receipt ; sh:node [ sh:property [ sh:path gate:verdict ; sh:minCount 1 ] ]",
    "and": "sh:path gate:receipt ; sh:and ( [ sh:class gate:CellRow ] [ sh:nodeKind sh:IRI ] )",
    "or": "sh:path gate:receipt ; sh:or ( [ sh:class gate:CellRow ] [ sh:class gate:Row ] )",
    "xone": "sh:path gate:receipt ; sh:xone ( [ sh:class gate:CellRow ] [ sh:datatype xsd:integer ] )",
    "hasValue": "sh:path gate:verdict ; sh:hasValue gate:pass",
    "in": 'sh:path gate:reason ; sh:in ( "a" "canary" )',
    "in of texts": 'sh:path gate:reason ; sh:in ( "a" )',
    "in of numbers": "sh:path gate:seconds ; sh:in ( 0 1 )",
    "in of both booleans": "sh:path gate:fresh ; sh:in ( true false )",
    "qualifiedMinCount": "sh:path gate:receipt ; sh:qualifiedValueShape [ sh:class gate:CellRow ] ; sh:qualifiedMinCount 1",
    "severity": "sh:path gate:receipt ; sh:minCount 1 ; sh:severity sh:Info",
    "a way of two steps": "sh:path ( gate:receipt gate:seconds ) ; sh:maxInclusive 60 ; sh:minCount 1 ; sh:maxCount 1",
    "a way back": "sh:path [ sh:inversePath gate:receipt ] ; sh:class gate:Cell ; sh:minCount 1 ; sh:maxCount 1",
    "back and forth": "sh:path ( [ sh:inversePath gate:receipt ] gate:seconds ) ; sh:maxInclusive 60 ; sh:minCount 1",
    "either way": "sh:path [ sh:alternativePath ( gate:seconds gate:promptTokens ) ] ; sh:maxInclusive 60 ; sh:minCount 1",
    "once and again": "sh:path [ sh:oneOrMorePath gate:receipt ] ; sh:class gate:CellRow ; sh:minCount 1",
    "perhaps": "sh:path [ sh:zeroOrMorePath gate:receipt ] ; sh:class gate:CellRow ; sh:minCount 2 ; sh:maxCount 1",
    "below": "sh:path gate:receipt ; sh:property [ sh:path gate:seconds ; sh:minCount 1 ; sh:maxInclusive 60 ]",
    "below, at the end of a way": "sh:path ( gate:receipt gate:receipt ) ; sh:property [ sh:path gate:seconds ; sh:minCount 1 ]",
}  # fmt: skip


@pytest.mark.parametrize("text", CORE.values(), ids=CORE)
def test_a_projects_own_constraint_is_planted(text: str, tmp_path: Path) -> None:
    shapes = with_shapes(tmp_path, f"{CELL} {text} ] .")
    armed(shapes)


ON_THE_NODE = {
    "class": "sh:class gate:Row",
    "datatype": "sh:datatype xsd:string",
    "nodeKind": "sh:nodeKind sh:Literal",
    "pattern": 'sh:pattern "^urn:"',
    "minLength": "sh:minLength 1000",
    "maxLength": "sh:maxLength 3",
    "in": "sh:in ( gate:pass )",
    "hasValue": "sh:hasValue gate:pass",
    "maxInclusive": "sh:maxInclusive 3",
    "equals": "sh:equals gate:receipt",
    "disjoint": "sh:disjoint gate:receipt",
    "node": "sh:node [ sh:property [ sh:path gate:receipt ; sh:minCount 1 ] ]",
    "and": "sh:and ( [ sh:property [ sh:path gate:receipt ; sh:hasValue gate:pass ] ] )",
    "or": "sh:or ( [ sh:path gate:receipt ; sh:minCount 1 ] [ sh:path gate:verdict ; sh:minCount 1 ] )",
    "xone": "sh:xone ( [ sh:path gate:receipt ; sh:minCount 1 ] [ sh:path gate:verdict ; sh:minCount 1 ] )",
    "closed": "sh:closed true ; sh:ignoredProperties ( gate:verdict )",
}


@pytest.mark.parametrize("text", ON_THE_NODE.values(), ids=ON_THE_NODE)
def test_a_constraint_on_the_node_itself_is_planted(text: str, tmp_path: Path) -> None:
    armed(with_shapes(tmp_path, f"my:S a sh:NodeShape ; sh:targetClass gate:Cell ; {text} ."))


def armed(shapes: Shapes) -> None:
    """Assert that every constraint of the project's own that a result can name is planted, reported, and missed."""
    planted = canaries.planted(shapes)
    assert canaries.silent(planted.expected, judged(planted, shapes)) == []
    own = {e for e in planted.expected if not e.shape.startswith(NAMESPACE)}
    assert own
    assert all("only the whole" in one.why for one in planted.unplanted)
    inner = {URIRef(one.shape) for one in planted.unplanted}
    asked = {(s, p) for s in map(URIRef, shapes.shapes) for p in set(shapes.graph.predicates(s))
             if not str(s).startswith(NAMESPACE) and s not in inner
             and p in (CONSTRAINTS | {SH.qualifiedMinCount}) - {SH.property, SH.qualifiedValueShape}}  # fmt: skip
    assert {(e.shape, e.component) for e in own} == {(str(s), component(p)) for s, p in asked}
    for shape, parameter in asked:
        drop = [(shape, parameter), (shape, SH.ignoredProperties)]
        drop += [(shape, SH.qualifiedValueShape)] if parameter == SH.qualifiedMinCount else []
        missed = canaries.silent(planted.expected, judged(planted, without(shapes, *drop)))
        assert missed == expected_of(planted, shape, parameter)
        assert missed


NAMED = {
    "a target that is no class": (
        "my:S a sh:NodeShape ; sh:targetSubjectsOf gate:receipt ; sh:property [ sh:path gate:receipt ; sh:maxCount 1 ] .",
        [("maxCount", "its target is sh:targetSubjectsOf, and no class")]),
    "sh:not": (
        f"{CELL} sh:path gate:verdict ; sh:not [ sh:in ( gate:fail ) ] ] .",
        [("in", "only the whole that it is a part of is reported"), ("not", "no value is known that it rejects")]),
    "a language of each": (
        f"{CELL} sh:path gate:reason ; sh:uniqueLang true ] .",
        [("uniqueLang", "no value is known that it rejects")]),
    "a pattern that all match": (
        f"{CELL} sh:path gate:reason ; sh:pattern \"\" ] .",
        [("pattern", "no value is known that it rejects")]),
    "what is always true": (
        "my:S a sh:NodeShape ; sh:targetClass gate:Cell ; sh:class gate:Cell .",
        [("class", "it doesn't reject a node of the class for what it is")]),
    "a value that is always there": (
        f"{CELL} sh:path [ sh:zeroOrOnePath gate:receipt ] ; sh:minCount 1 ] .",
        [("minCount", "no value is known that it rejects")]),
    "a way back from where one came": (
        f"{CELL} sh:path gate:receipt ; sh:property [ sh:path [ sh:inversePath gate:receipt ] ; sh:minCount 1 ] ] .",
        [("minCount", "no value is known that it rejects")]),
    "two of one": (
        f"{CELL} sh:path gate:receipt ; sh:class gate:CellRow , gate:Row ] .",
        [("class", "the shape has several of them, and one is planted")]),
    "a label": (
        f"{CELL} sh:path rdfs:label ; sh:minCount 1 ] .",
        [("minCount", "its path is none that can be walked through the vocabulary")]),
    "at most of a kind": (
        f"{CELL} sh:path gate:receipt ; sh:qualifiedValueShape [ sh:class gate:CellRow ] ; sh:qualifiedMaxCount 1 ] .",
        [("class", "only the whole that it is a part of is reported"), ("qualifiedMaxCount", "no value is known that it rejects")]),
}  # fmt: skip


@pytest.mark.parametrize(("text", "named"), NAMED.values(), ids=NAMED)
def test_a_constraint_that_cannot_be_planted_is_named_and_never_expected(
    text: str, named: list[tuple[str, str]], tmp_path: Path
) -> None:
    shapes = with_shapes(tmp_path, text)
    planted = canaries.planted(shapes)
    assert sorted((one.parameter, one.why) for one in planted.unplanted) == sorted(named)
    assert canaries.silent(planted.expected, judged(planted, shapes)) == []


def test_nothing_of_a_projects_shapes_is_passed_over(tmp_path: Path) -> None:
    shapes = with_shapes(tmp_path, "\n".join(f"my:S{i} a sh:NodeShape ; sh:targetClass gate:Cell ; sh:property [ {text} ] ."
                                             for i, text in enumerate(CORE.values())))  # fmt: skip
    planted = canaries.planted(shapes)
    known = {e.shape for e in planted.expected} | {one.shape for one in planted.unplanted}
    links = {s for s in shapes.shapes if set(shapes.graph.predicates(URIRef(s))) & CONSTRAINTS <= {SH.property}}
    assert set(shapes.shapes) - known == links
    assert canaries.silent(planted.expected, judged(planted, shapes)) == []
    assert all(references(shapes.graph, URIRef(link)) for link in links)
