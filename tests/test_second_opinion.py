"""A second engine judges what the first one judged, and one result that differs ends the check."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

import pytest
from rdflib import BNode, Graph, Literal, URIRef, namespace
from rdflib.namespace import SH

from gate import graph, shape_files
from gate.errors import Declined
from gate.iris import NAMESPACE, Iri
from gate.judging import canaries
from gate.judging.canary import is_canary
from gate.judging.classes import Classes
from gate.judging.judge import Judgement, Result, Said
from gate.judging.pyshacl_engine import PySHACL
from gate.judging.second_opinion import PACKAGE, Agreed, agree
from gate.nodes import Nodes
from gate.obligations.node import Node
from gate.shape_files import Shapes
from tests import test_canaries
from tests.falsifiers.falsifier import Falsifier, Recording, judge
from tests.falsifiers.test_table import TABLE
from tests.real import COMMIT, aprender
from tests.release import NOW, VERSION, Release, gate_here, green

FIRST_OF_EACH = dict(reversed(TABLE))


def built_in() -> Shapes:
    return shape_files.read(Path("no such folder"))


@pytest.fixture(scope="module")
def planted() -> tuple[Graph, Shapes, list[Result]]:
    """The canaries: a result of every constraint there is."""
    shapes = built_in()
    data = graph.build(canaries.planted(shapes).nodes)
    return data, shapes, PySHACL().results(data, shapes)


def test_the_engines_agree_on_every_constraint_there_is(planted: tuple[Graph, Shapes, list[Result]]) -> None:
    assert len(planted[2]) > 300
    agree(*planted)


def test_the_engines_agree_on_a_release(release: Release) -> None:
    folder = release.write()
    for arguments in (("--cross-check",), ("--cross-check", "--format", "json")):
        done = gate_here(folder, "check", "--tag", VERSION, "--now", NOW, *arguments)
        plain = gate_here(folder, "check", "--tag", VERSION, "--now", NOW, *arguments[1:])
        assert (done.returncode, done.stdout, done.stderr) == (0, plain.stdout, "")


def falsified(falsifier: Falsifier, folder: Path) -> None:
    """Assert that both engines see the same in the release of one falsifier, its decisions' rehearsal included."""
    release = green(folder)
    falsifier.change(release)

    class Both(Recording):
        def results(self, graph: Graph, shapes: Shapes) -> list[Result]:
            found = super().results(graph, shapes)
            agree(graph, shapes, found)
            seen.update((r.shape, r.component) for r in found)
            return found

    seen: Counter[tuple[str, str]] = Counter()
    judge(release.write(), falsifier.edit, Both)
    assert seen[f"{NAMESPACE}{falsifier.constraint}", f"{falsifier.component}ConstraintComponent"]


def test_the_engines_agree_on_a_falsifier_of_each_file_of_shapes(tmp_path: Path) -> None:
    assert set(FIRST_OF_EACH) == set(built_in().files)
    for kind, falsifier in FIRST_OF_EACH.items():
        (tmp_path / kind).mkdir()
        falsified(falsifier, tmp_path / kind)


@pytest.mark.parametrize("falsifier", [f for _, f in TABLE], ids=[f"{k}: {f.constraint} {f.name}" for k, f in TABLE])
def test_the_engines_agree_on_every_falsifier(falsifier: Falsifier, tmp_path: Path) -> None:
    falsified(falsifier, tmp_path)


def test_the_engines_agree_on_the_real_case(tmp_path: Path, real: Path) -> None:
    assert real.is_dir()
    done = gate_here(aprender(tmp_path), "check", "--tag", "v0.69.0", "--commit", COMMIT, "--cross-check")
    assert (done.returncode, done.stderr) == (1, "")


def assert_agreed(shapes: Shapes) -> None:
    """Assert that both engines see the same canaries of a project's shapes."""
    data = graph.build(canaries.planted(shapes).nodes)
    results = PySHACL().results(data, shapes)
    assert results
    agree(data, shapes, results)


@pytest.mark.parametrize("text", test_canaries.CORE.values(), ids=test_canaries.CORE)
def test_the_engines_agree_on_a_projects_own_constraint(text: str, tmp_path: Path) -> None:
    shapes = test_canaries.with_shapes(tmp_path, f"{test_canaries.CELL} {text} ] .")
    assert_agreed(shapes)


@pytest.mark.parametrize("text", test_canaries.ON_THE_NODE.values(), ids=test_canaries.ON_THE_NODE)
def test_the_engines_agree_on_a_constraint_on_the_node_itself(text: str, tmp_path: Path) -> None:
    shapes = test_canaries.with_shapes(tmp_path, f"my:S a sh:NodeShape ; sh:targetClass gate:Cell ; {text} .")
    assert_agreed(shapes)


def test_a_value_that_pyshacl_lets_pass_a_bound_is_found_out(tmp_path: Path) -> None:
    # A boolean compares with no number, so that SHACL rejects it (section 4.3); pyshacl takes it to be less than all.
    shapes = test_canaries.with_shapes(tmp_path, f"{test_canaries.CELL} sh:path gate:seconds ; sh:maxInclusive 60 ] .")
    data = graph.build([Node(Iri("https://w3id.org/taggate/release/1.0.0"), ("Cell",), "cell", (("seconds", True),))])
    results = PySHACL().results(data, shapes)
    assert results == []
    with pytest.raises(Declined, match="only the second engine: MaxInclusiveConstraintComponent"):
        agree(data, shapes, results)


@pytest.mark.parametrize(
    ("value", "spelled"),
    [
        (Literal("a\"b\n\t\\ ü\u202e"), "text"), (Literal("x", lang="EN-us"), "language"), (Literal("s", datatype=namespace.XSD.string), "typed text"),
        (Literal(float("inf")), "no bound"), (Literal(1e30), "double"), (Literal("1", datatype=namespace.XSD.boolean), "boolean"),
        (Literal("1.50", datatype=namespace.XSD.decimal), "decimal"), (URIRef("https://example.org/ü?a=b&c"), "IRI"), (BNode("one"), "blank node"),
    ],
    ids=lambda v: v if isinstance(v, str) and v.isidentifier() else "",
)  # fmt: skip
def test_what_is_spelled_differently_and_means_alike_is_no_difference(
    value: Literal, spelled: str, tmp_path: Path
) -> None:
    shapes = test_canaries.with_shapes(tmp_path, f"{test_canaries.CELL} sh:path gate:reason ; sh:in ( 7 ) ] .")
    data = Graph()
    node = URIRef("https://w3id.org/taggate/release/1.0.0")
    data.add((node, URIRef("http://www.w3.org/1999/02/22-rdf-syntax-ns#type"), URIRef(f"{NAMESPACE}Cell")))
    data.add((node, URIRef(f"{NAMESPACE}reason"), value))
    results = PySHACL().results(data, shapes)
    assert len(results) == 1, spelled
    agree(data, shapes, results)


def _other(result: Result) -> list[tuple[str, Result]]:
    """Return the result with each part of it changed, and how the difference is named."""
    elsewhere = URIRef("https://w3id.org/taggate/release/1.0.0")
    return [
        ("focus", result._replace(focus=str(elsewhere))),
        ("shape", result._replace(shape=f"{NAMESPACE}Row-verdict")),
        ("component", result._replace(component="NodeConstraintComponent")),
        ("value", result._replace(value="7", value_said=Said.of(Literal(7)))),
        ("type of the value", result._replace(value_said=Said.of(Literal(result.value)))),
        ("severity", result._replace(severity="info")),
    ]


def test_a_difference_in_any_part_of_one_result_is_found_and_named(planted: tuple[Graph, Shapes, list[Result]]) -> None:
    data, shapes, results = planted
    one = next(r for r in results if r.component == "InConstraintComponent" and r.value == "false")
    for part, changed in _other(one):
        with pytest.raises(
            Declined, match=f"2 results differ of {len(results)} and {len(results)}. only the judge: "
        ) as said:
            agree(data, shapes, [changed if r is one else r for r in results])
        assert "only the second engine: InConstraintComponent of " + one.shape in str(said.value), part


def test_a_result_that_is_lost_invented_or_said_twice_is_found(planted: tuple[Graph, Shapes, list[Result]]) -> None:
    data, shapes, results = planted
    for judged, said in (
        (results[1:], f"1 result differs of {len(results) - 1} and {len(results)}. only the second engine: "),
        ([*results, results[0]], f"1 result differs of {len(results) + 1} and {len(results)}. only the judge: "),
        ([], f"{len(results)} results differ of 0 and {len(results)}."),
    ):
        with pytest.raises(Declined) as refused:
            agree(data, shapes, judged)
        assert said in str(refused.value)


def test_a_path_that_the_shape_does_not_have_is_a_difference(planted: tuple[Graph, Shapes, list[Result]]) -> None:
    data, shapes, results = planted
    one = next(r for r in results if r.component == "MinCountConstraintComponent")
    other = test_canaries.without(shapes, (URIRef(one.shape), SH.path))
    other.graph.add((URIRef(one.shape), SH.path, URIRef(f"{NAMESPACE}elsewhere")))
    with pytest.raises(Declined, match="elsewhere"):
        agree(data, other, results)


def test_the_check_ends_with_2_and_no_verdict_where_the_engines_differ(
    release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    def blind(self: PySHACL, data: Graph, shapes: Shapes) -> list[Result]:
        found = judged(self, data, shapes)
        return [r for r in found if r.shape != f"{NAMESPACE}Row-verdict" or is_canary(r.focus)]

    judged = PySHACL.results
    monkeypatch.setattr(PySHACL, "results", blind)
    release.row("lambda", "alpha-q4_k_m.gguf")["verdict"] = "fail"
    folder = release.write()
    judge = ("check", "--tag", VERSION, "--now", NOW, "--engine", "pyshacl")
    assert gate_here(folder, *judge).returncode == 0  # the wrong green, were it alone
    done = gate_here(folder, *judge, "--cross-check")
    assert (done.returncode, done.stdout) == (2, "")
    assert "two engines judged, and they disagree: 1 result differs of 0 and 1" in done.stderr
    assert "InConstraintComponent of https://w3id.org/taggate/ns#Row-verdict" in done.stderr


def test_without_the_second_engine_the_error_says_what_to_install(release: Release) -> None:
    folder = release.write()
    # A name that is None in sys.modules can't be imported, as if it weren't installed.
    code = "import sys; sys.modules['shacl'] = None; from gate.__main__ import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", code, "check", "--tag", VERSION, "--now", NOW, "--cross-check"],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (3, "")
    extras = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]
    assert extras["cross-check"] == [PACKAGE]
    assert done.stderr == (
        f"gate: --cross-check: the second engine isn't installed. Install it beside the gate: pip install '{PACKAGE}'.\n"
    )


def test_every_judgement_of_a_check_is_confirmed(planted: tuple[Graph, Shapes, list[Result]]) -> None:
    _, shapes, results = planted

    class Blind:
        def judge(self, _: Nodes, __: Shapes) -> Judgement:
            return Judgement("blind", results[1:], {})

    nodes = Nodes.of(canaries.planted(shapes).nodes)
    for engine in (PySHACL(), Classes()):
        assert Counter(Agreed(engine).judge(nodes, shapes).results) == Counter(results)
    with pytest.raises(Declined, match="disagree"):
        Agreed(Blind()).judge(nodes, shapes)
