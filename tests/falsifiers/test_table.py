"""The red-turning table: every constraint of every shape has gone red here, and the green base passes in full."""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path

import pytest
from rdflib import Graph, URIRef
from rdflib.namespace import RDF, SH

from gate import shape_files
from gate.iris import NAMESPACE
from gate.obligations import kinds
from tests import falsifiers
from tests.falsifiers.falsifier import Falsifier, judge
from tests.formats.held import assert_reports_hold
from tests.release import DECLAIM, green

# Parameters that constrain nothing by themselves: where a shape looks, which shapes it leads to, how it is worded.
_NOT_CONSTRAINTS = {"path", "property", "flags", "severity"} | {"name", "description", "order", "message"}
_COMPONENTS = {"minCount", "maxCount", "in", "pattern", "minInclusive", "class", "lessThanOrEquals"}


def _modules() -> dict[str, list[Falsifier]]:
    names = [m.name for m in pkgutil.iter_modules(falsifiers.__path__)]
    modules = {name: importlib.import_module(f"{falsifiers.__name__}.{name}") for name in names}
    return {name: module.FALSIFIERS for name, module in modules.items() if hasattr(module, "FALSIFIERS")}


TABLE = [(kind, falsifier) for kind, found in _modules().items() for falsifier in found]


@pytest.mark.parametrize(("kind", "falsifier"), TABLE, ids=[f"{k}: {f.constraint} {f.name}" for k, f in TABLE])
def test_one_change_turns_exactly_its_own_finding_red(kind: str, falsifier: Falsifier, tmp_path: Path) -> None:
    release = green(tmp_path)
    falsifier.change(release)
    verdict, results = judge(release.write(), falsifier.edit)
    found = [(f.focus, f.property, f.reason) for f in verdict.findings if f.severity == falsifier.severity]
    assert found == list(falsifier.finds)
    shapes = {f.shape for f in verdict.findings if f.severity == falsifier.severity}
    assert kind in shapes
    component = f"{falsifier.component}ConstraintComponent"
    assert (f"{NAMESPACE}{falsifier.constraint}", component) in {(r.shape, r.component) for r in results}
    assert verdict.exit_code == (1 if falsifier.severity == "violation" else 0)
    assert_reports_hold(verdict, release.folder)


def test_every_constraint_of_every_shape_has_a_falsifier() -> None:
    own = shape_files.read(Path("no such folder"))
    constraints = set()
    for shape in own.shapes.values():
        for predicate in set(own.graph.predicates(URIRef(shape.iri))):
            name = str(predicate).removeprefix(str(SH))
            if str(predicate).startswith(str(SH)) and name not in _NOT_CONSTRAINTS and not name.startswith("target"):
                assert name in _COMPONENTS, f"{shape.iri} uses sh:{name}, which this test doesn't know yet"
                constraints.add((shape.iri.removeprefix(NAMESPACE), name[0].upper() + name[1:]))
    falsified = {(falsifier.constraint, falsifier.component) for _, falsifier in TABLE}
    assert constraints == falsified


def test_every_shape_says_what_it_is() -> None:
    graph = Graph()
    for path in shape_files.own_folder().glob("*.ttl"):
        graph.parse(path)
    shapes = set(graph.subjects(RDF.type, SH.NodeShape)) | set(graph.subjects(RDF.type, SH.PropertyShape))
    assert len(shapes) > 60
    for shape in shapes:
        for prop in (SH.name, SH.description, SH.message, SH.order):
            assert len(list(graph.objects(shape, prop))) == 1, f"{shape} has not one {prop}"


def test_every_kind_of_obligation_has_a_file_of_falsifiers() -> None:
    assert set(_modules()) == set(kinds())


def test_the_green_base_passes_with_every_cell_counted(tmp_path: Path) -> None:
    verdict, results = judge(green(tmp_path).write())
    assert results == []
    assert verdict.exit_code == 0
    assert verdict.states == {"passed": 72}
    assert {s.id: s.focus_nodes for s in verdict.shapes if s.focus_nodes} == {
        "release": 1, "receipt": 5, "host": 2, "context": 2, "model": 2, "coverage": 6, "cell": 72, "suite": 1,
        "row": 72,
    }  # fmt: skip


def test_a_declaim_in_force_takes_its_cells_out_of_what_is_owed(tmp_path: Path) -> None:
    release = green(tmp_path)
    release.claims = DECLAIM  # and of what it covers nothing was run
    rows = release.receipt("gx10.json")["runs"]
    rows[:] = [row for row in rows if row["model"]["file"] != "beta-q4_k_m.gguf"]
    verdict, _ = judge(release.write())
    assert verdict.findings == ()
    assert verdict.states == {"passed": 60, "declaimed": 12}
    (declaimed,) = verdict.declaimed
    assert sorted(cell.label for cell in declaimed.cells) == sorted(
        f"gx10/beta-q4_k_m.gguf/{verb}/think-off/{context}"
        for verb in ("run", "chat", "serve", "code")
        for context in ("4k", "consumer-max", "declared")
    )
