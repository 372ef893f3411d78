"""What turns shape conformance red. Each starts from a release that requires it, and is green with all of it."""

from __future__ import annotations

import copy
from typing import Any

from rdflib import Graph, URIRef
from rdflib.namespace import RDF

from gate.iris import term
from tests.falsifiers.falsifier import Falsifier
from tests.release import COMMIT, OTHER_COMMIT, VERSION, Release, header

SHAPE = "gx10/conformance/IQ3_S/3584x1024"
HELD = {
    "lambda": [("Q4_K", "2560x9216")],
    "gx10": [("IQ3_S", "3584x1024"), ("Q4_K", "2560x9216")],
}
COMPUTE = {"lambda": "8.9", "gx10": "12.1"}


def with_conformance(release: Release) -> None:
    """Require conformance: gx10 holds one type that lambda doesn't."""
    release.rules = release.rules.replace("[require]", "[require]\nconformance = true")
    for host, held in HELD.items():
        census = [{"quant": quant.lower(), "shape": shape} for quant, shape in held]
        release.receipt(f"inventory-{host}.json")["census"] = census
        rows = [
            {"quant": quant, "shape": shape, "kernel": f"{quant.lower()}_gemv", "verdict": "pass", "excluded": False,
             "worst": 1e-8, "bound": 1e-5, "bound_source": "ticket 3801"}
            for quant, shape in held
        ]  # fmt: skip
        receipt = header("taggate/conformance-receipt/v1", host) | {"gpu": {"compute": COMPUTE[host]}, "rows": rows}
        release.documents[f"receipts/{VERSION}/shapes-{host}.json"] = receipt


def _rows(release: Release) -> Any:
    return release.receipt("shapes-gx10.json")["rows"]


def _row(**values: Any) -> Any:
    """Change the row of `SHAPE`; None takes the key away."""

    def change(release: Release) -> None:
        _rows(release)[0] = {k: v for k, v in (_rows(release)[0] | values).items() if v is not None}

    return change


def _no_census(release: Release) -> None:
    del release.receipt("inventory-lambda.json")["census"]


def _empty_census(release: Release) -> None:
    release.receipt("inventory-lambda.json")["census"] = []


def _no_receipt(release: Release) -> None:
    del release.documents[f"receipts/{VERSION}/shapes-lambda.json"]


def _new_shape(release: Release) -> None:
    """A type that was admitted on one shape is held in another one."""
    release.receipt("inventory-gx10.json")["census"].append({"quant": "IQ3_S", "shape": "4864x896"})


def _on_the_other_host(release: Release) -> None:
    """The admission was measured, on the architecture where the kernel loads."""
    release.receipt("shapes-lambda.json")["rows"].append(_rows(release).pop(0))


def _again(release: Release) -> None:
    _rows(release).append(copy.deepcopy(_rows(release)[0]))


def _own(compute: str | None = None, **values: str) -> Any:
    """Move the row of `SHAPE` into a receipt of its own that measured something else."""

    def change(release: Release) -> None:
        own = header("taggate/conformance-receipt/v1", "gx10") | {"rows": [_rows(release).pop(0)]}
        own["release"].update(values)
        release.documents[f"receipts/{VERSION}/own.json"] = own | ({"gpu": {"compute": compute}} if compute else {})

    return change


def harness(**values: Any) -> Any:
    """Move the row of `SHAPE` into a receipt of the harness; None takes a field of the receipt away."""

    def change(release: Release) -> None:
        _rows(release).pop(0)
        own = {
            "schema": "gpu-shape-conformance/v1", "host": "gx10", "tolerance": 1e-5, "harness_rc": 0,
            "negative_controls": {"21": {"red": True}},
            "rows": [{"qtype": 21, "k": 3584, "n_held": 1024, "pass": True, "excluded": False, "worst": 1e-8}], **values,
        }  # fmt: skip
        release.documents[f"receipts/{VERSION}/own.json"] = {k: v for k, v in own.items() if v is not None}

    return change


def _gpu(release: Release) -> None:
    own = header("taggate/conformance-receipt/v1", "gx10") | {"rows": [_rows(release).pop(0)]}
    own["gpu"] = {"name": "NVIDIA GeForce RTX 4090"}
    release.documents[f"receipts/{VERSION}/own.json"] = own


def _no_binary(release: Release) -> None:
    _own()(release)
    del release.receipt("own.json")["release"]["binary_sha256"]


def _answers_itself(release: Release) -> None:
    """The only census of gx10 is that of the harness's receipt, which its own rows answer."""
    del release.receipt("inventory-gx10.json")["census"]
    harness(
        commit=COMMIT, census={"census-gx10.json": "d" * 64}, negative_controls={"12": {"red": True}, "21": {"red": True}},
        rows=[_measured(qtype=21, k=3584, n_held=1024), _measured(qtype=12, k=2560, n_held=9216)],
    )(release)  # fmt: skip
    _rows(release).clear()


def _measured(**values: int) -> dict[str, Any]:
    return values | {"pass": True, "excluded": False, "worst": 1e-8}


def _taken_at_its_word(release: Release) -> None:
    release.rules = release.rules.replace("conformance = true", 'conformance = true\nconformance_census = "receipt"')
    _answers_itself(release)


def _strict(release: Release) -> None:
    """Let the rules ask for less than the bound of `SHAPE`; the other rows keep to it."""
    release.rules = release.rules.replace("conformance = true", "conformance = true\nconformance_tolerance = 1e-6")
    for host in HELD:
        for row in release.receipt(f"shapes-{host}.json")["rows"]:
            row["bound"] = 1e-6
    _rows(release)[0]["bound"] = 1.1e-6


def _types(release: Release) -> None:
    """A model of gx10 has tensors of a type that the census doesn't name."""
    release.receipt("inventory-gx10.json")["models"][0]["tensor_types"] = {"F32": 9, "q4_k": 3, "Q6_K": 1, "Q5_K": 0}


def _unjudged(graph: Graph) -> None:
    head = next(s for s in graph.subjects(RDF.type, URIRef(term("Conformance"))) if str(s).endswith("IQ3_S/3584x1024"))
    row = graph.value(head, URIRef(term("receipt")))
    graph.remove((row, RDF.type, URIRef(term("OwedConformanceRow"))))


def _red(constraint: str, component: str, name: str, finds: Any, change: Any, **edit: Any) -> Falsifier:
    def both(release: Release) -> None:
        with_conformance(release)
        change(release)

    found = finds if isinstance(finds[0], tuple) else (finds,)
    return Falsifier(constraint, component, name, found, both, **edit)


def _nothing(_: Release) -> None:
    pass


FALSIFIERS = [
    _red("ConformanceHost-census", "MinCount", "a host without a census", ("lambda", "census", "missing"), _no_census),
    _red("ConformanceHost-census", "MinCount", "an empty census", ("lambda", "census", "missing"), _empty_census),
    _red("ConformanceHost-receipt", "MinCount", "a host without a conformance receipt",
         (("lambda", "receipt", "missing"), ("lambda/conformance/Q4_K/2560x9216", "receipt", "missing")), _no_receipt),
    _red("Conformance-measured", "MinCount", "the row is gone", (SHAPE, "receipt", "missing"), lambda r: _rows(r).pop(0)),
    _red("Conformance-measured", "MinCount", "admitted on another shape",
         ("gx10/conformance/IQ3_S/4864x896", "receipt", "missing"), _new_shape),
    _red("Conformance-measured", "MinCount", "admitted on another architecture", (SHAPE, "receipt", "missing"),
         _on_the_other_host),
    _red("Conformance-once", "MaxCount", "measured twice", (SHAPE, "receipt", "ambiguous"), _again),
    _red("Conformance-judged", "Class", "a row escaped the constraints", (SHAPE, "receipt", "failed"), _nothing,
         edit=_unjudged),
    _red("ConformanceRow-excluded", "In", "excluded by the receipt's own word", (SHAPE, "excluded", "excluded"),
         _row(excluded=True)),
    _red("ConformanceRow-excluded", "In", "excluded, and failed", (SHAPE, "excluded", "excluded"),
         _row(excluded=True, verdict="fail")),
    _red("ConformanceRow-excluded", "MinCount", "nobody says whether it is excluded", (SHAPE, "excluded", "excluded"),
         _row(excluded=None)),
    _red("ConformanceRow-fresh", "In", "another commit was measured", (SHAPE, "fresh", "stale"), _own(commit=OTHER_COMMIT)),
    _red("ConformanceRow-fresh", "In", "another version was measured", (SHAPE, "fresh", "stale"), _own(version="0.70.0")),
    _red("ConformanceRow-fresh", "In", "the harness measured another commit", (SHAPE, "fresh", "stale"),
         harness(commit=OTHER_COMMIT)),
    _red("ConformanceRow-fresh", "MinCount", "no commit is recorded", (SHAPE, "fresh", "stale"), harness()),
    _red("ConformanceRow-fresh", "MinCount", "a short commit is recorded", (SHAPE, "fresh", "stale"),
         harness(commit="c0ffee000")),
    _red("ConformanceRow-compute", "In", "measured on another architecture", (SHAPE, "compute", "contradicted"),
         _own(compute="sm_89")),
    _red("ConformanceRow-gpu", "In", "measured with another GPU", (SHAPE, "gpu", "contradicted"), _gpu),
    _red("ConformanceRow-gpu", "In", "the harness measured with another GPU", (SHAPE, "gpu", "contradicted"),
         harness(commit=COMMIT, gpu="NVIDIA Thor, 12.1")),
    _red("ConformanceRow-binary", "In", "another binary was measured", (SHAPE, "binary", "contradicted"),
         _own(binary_sha256="f" * 64)),
    _red("ConformanceRow-binary", "In", "no binary, though runs name it", (SHAPE, "binary", "contradicted"), _no_binary),
    _red("ConformanceHost-types", "MaxCount", "a quant type that the census lacks", ("gx10", "census", "contradicted"),
         _types),
    _red("ConformanceHost-independent", "MaxCount", "a receipt that answers its own census", ("gx10", "census", "unmeasured"),
         _answers_itself),
    _red("ConformanceHost-own-word", "MaxCount", "a receipt that is taken at its word",
         ((f"receipts/{VERSION}/own.json", "binary", "unidentified"), ("gx10", "census", "unmeasured")),
         _taken_at_its_word, severity="warning"),
    *(
        _red("ConformanceRow-withinBound", "In", f"a pass whose worst error is {worst}", (SHAPE, "withinBound", "failed"),
             _row(worst=worst))
        for worst in ("inf", 1.1e-5)
    ),
    _red("ConformanceRow-withinBound", "MinCount", "a pass whose worst error is NaN", (SHAPE, "withinBound", "failed"),
         _row(worst="NaN")),
    _red("ConformanceRow-withinBound", "MinCount", "no error is recorded", (SHAPE, "withinBound", "failed"), _row(worst=None)),
    _red("ConformanceRow-withinBound", "MinCount", "no bound is recorded", (SHAPE, "withinBound", "failed"), _row(bound=None)),
    _red("ConformanceRow-boundSource", "MinCount", "a bound from nowhere", (SHAPE, "boundSource", "failed"),
         _row(bound_source=None)),
    _red("ConformanceRow-bound", "In", "a bound that is too wide", (SHAPE, "bound", "failed"), _row(bound=1.1e-4)),
    _red("ConformanceRow-bound", "In", "a wider bound than the rules allow", (SHAPE, "bound", "failed"), _strict),
    _red("ConformanceRow-bound", "In", "a tolerance of the harness that is too wide", (SHAPE, "bound", "failed"),
         harness(commit=COMMIT, tolerance=1.1e-4)),
    *(
        _red("ConformanceRow-verdict", "In", f"the verdict is {verdict}", (SHAPE, "verdict", "failed"), _row(verdict=verdict))
        for verdict in ("fail", "error", "skip", "refused")
    ),
    _red("ConformanceRow-verdict", "MinCount", "no verdict is recorded", (SHAPE, "verdict", "failed"), _row(verdict=None)),
]  # fmt: skip
