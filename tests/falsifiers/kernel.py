"""What turns a kernel red. Each starts from a release that requires kernels, and is green with all of them."""

from __future__ import annotations

import copy
from typing import Any

from rdflib import Graph, URIRef
from rdflib.namespace import RDF

from gate.iris import term
from tests.falsifiers.falsifier import Falsifier
from tests.release import OTHER_COMMIT, VERSION, Release, header

COMPUTE = {"lambda": "8.9", "gx10": "12.1"}
GEMV, TOPK = "gx10/kernel/iq3_s_gemv/IQ3_S", "gx10/kernel/router_topk"
KERNELS = [
    {"kernel": "iq3_s_gemv", "quant": "IQ3_S", "verdict": "pass", "max_err": 2e-7, "bound": 1e-5,
     "bound_source": "F-GEMV-PARITY-001"},
    {"kernel": "router_topk", "verdict": "pass", "discrete": True, "index_mismatch": 0, "tie_margin": 0.0},
]  # fmt: skip


def with_kernels(release: Release) -> None:
    """Require kernels: alpha runs a GEMV and beta a router, on lambda alone by what the inventories say."""
    release.rules = release.rules.replace("[require]", "[require]\nkernels = true")
    for host, compute in COMPUTE.items():
        alpha, beta, _ = release.receipt(f"inventory-{host}.json")["models"]
        alpha["dispatched"] = [{"kernel": "iq3_s_gemv", "quant": "iq3_s"}]
        beta["dispatched"] = [{"kernel": "router_topk"}] if host == "lambda" else alpha["dispatched"]
        receipt = header("taggate/kernel-receipt/v1", host) | {
            "gpu": {"compute": compute},
            "rows": copy.deepcopy(KERNELS),
        }
        release.documents[f"receipts/{VERSION}/kernels-{host}.json"] = receipt


def _rows(release: Release) -> Any:
    return release.receipt("kernels-gx10.json")["rows"]


def _row(index: int, **values: Any) -> Any:
    """Change a row of gx10's receipt; None takes the key away."""

    def change(release: Release) -> None:
        _rows(release)[index] = {k: v for k, v in (_rows(release)[index] | values).items() if v is not None}

    return change


def _no_receipt(release: Release) -> None:
    del release.documents[f"receipts/{VERSION}/kernels-gx10.json"]


def _no_list(release: Release) -> None:
    del release.receipt("inventory-gx10.json")["models"][0]["dispatched"]


def _empty_list(release: Release) -> None:
    release.receipt("inventory-gx10.json")["models"][0]["dispatched"] = []


def _stale_list(release: Release) -> None:
    """The list comes from a kernel receipt of another release."""
    _no_list(release)
    release.documents[f"receipts/{VERSION}/diff.json"] = {
        "schema": "apr-kernel-diff-receipt/v1", "host": "gx10", "version": VERSION, "apr_sha": OTHER_COMMIT,
        "dispatch": [{"file": "alpha-q4_k_m.gguf", "sha256": "1" * 64, "kernels": ["router_topk"]}],
    }  # fmt: skip


def _again(release: Release) -> None:
    _rows(release).append(copy.deepcopy(_rows(release)[0]))


def _another_quant(release: Release) -> None:
    _rows(release)[0]["quant"] = "IQ2_S"


def _release(**values: str) -> Any:
    """Move the GEMV's row into a receipt of its own that measured something else."""

    def change(release: Release) -> None:
        own = header("taggate/kernel-receipt/v1", "gx10") | {"rows": [_rows(release).pop(0)]}
        own["release"].update(values)
        release.documents[f"receipts/{VERSION}/own.json"] = own

    return change


def diff(**values: Any) -> Any:
    """Move the GEMV's row into an apr-kernel-diff receipt; None takes a field of the receipt away."""

    def change(release: Release) -> None:
        own = {"schema": "apr-kernel-diff-receipt/v1", "host": "gx10", "version": VERSION} | values
        release.documents[f"receipts/{VERSION}/own.json"] = own | {"rows": [_rows(release).pop(0)]}

    return change


def _compute(release: Release) -> None:
    own = header("taggate/kernel-receipt/v1", "gx10") | {"gpu": {"compute": "sm_89"}, "rows": [_rows(release).pop(0)]}
    release.documents[f"receipts/{VERSION}/own.json"] = own


def _gpu(release: Release) -> None:
    release.receipt("kernels-gx10.json")["gpu"]["name"] = "NVIDIA GeForce RTX 4090"


def _binary(sha256: str | None) -> Any:
    """Move the GEMV's row into a receipt of another binary; None: it names none."""

    def change(release: Release) -> None:
        own = header("taggate/kernel-receipt/v1", "gx10") | {"rows": [_rows(release).pop(0)]}
        own["release"] |= {"binary_sha256": sha256}
        if sha256 is None:
            del own["release"]["binary_sha256"]
        release.documents[f"receipts/{VERSION}/own.json"] = own

    return change


def _unjudged(graph: Graph) -> None:
    head = next(s for s in graph.subjects(RDF.type, URIRef(term("Kernel"))) if str(s).endswith("gx10/iq3_s_gemv/IQ3_S"))
    row = graph.value(head, URIRef(term("receipt")))
    graph.remove((row, RDF.type, URIRef(term("OwedKernelRow"))))


def _red(constraint: str, component: str, name: str, finds: Any, change: Any, **edit: Any) -> Falsifier:
    def both(release: Release) -> None:
        with_kernels(release)
        change(release)

    found = finds if isinstance(finds[0], tuple) else (finds,)
    return Falsifier(constraint, component, name, found, both, **edit)


def _nothing(_: Release) -> None:
    pass


_ABSENT = (("gx10", "receipt", "missing"), (GEMV, "receipt", "missing"), (TOPK, "receipt", "missing"))
_ALPHA = ("gx10/alpha-q4_k_m.gguf", "dispatched", "unmeasured")

FALSIFIERS = [
    _red("KernelHost-receipt", "MinCount", "a host without a kernel receipt", _ABSENT, _no_receipt),
    _red("DispatchingModel-list", "MinCount", "a model without a dispatch list", _ALPHA, _no_list),
    _red("DispatchingModel-list", "MinCount", "an empty dispatch list", _ALPHA, _empty_list),
    _red("DispatchingModel-list", "MinCount", "a dispatch list of another commit", _ALPHA, _stale_list),
    _red("Kernel-measured", "MinCount", "unmeasured on one host", (GEMV, "receipt", "missing"), lambda r: _rows(r).pop(0)),
    _red("Kernel-measured", "MinCount", "measured at another quant type only", (GEMV, "receipt", "missing"), _another_quant),
    _red("Kernel-measured", "MinCount", "run on the other host only, and unmeasured here", (TOPK, "receipt", "missing"),
         lambda r: _rows(r).pop(1)),
    _red("Kernel-once", "MaxCount", "measured twice", (GEMV, "receipt", "ambiguous"), _again),
    _red("Kernel-judged", "Class", "a row escaped the constraints", (GEMV, "receipt", "failed"), _nothing, edit=_unjudged),
    *(
        _red("KernelRow-verdict", "In", f"red on one host only: {verdict}", (GEMV, "verdict", "failed"), _row(0, verdict=verdict))
        for verdict in ("fail", "error", "skip", "refused")
    ),
    _red("KernelRow-verdict", "MinCount", "no verdict is recorded", (GEMV, "verdict", "failed"), _row(0, verdict=None)),
    _red("KernelRow-fresh", "In", "another commit was measured", (GEMV, "fresh", "stale"), _release(commit=OTHER_COMMIT)),
    _red("KernelRow-fresh", "In", "another version was measured", (GEMV, "fresh", "stale"), _release(version="0.70.0")),
    _red("KernelRow-fresh", "MinCount", "no commit is recorded", (GEMV, "fresh", "stale"), diff()),
    _red("KernelRow-fresh", "MinCount", "a short commit is recorded", (GEMV, "fresh", "stale"), diff(apr_sha="c0ffee000")),
    _red("KernelRow-compute", "In", "measured on another architecture", (GEMV, "compute", "contradicted"), _compute),
    _red("KernelRow-gpu", "In", "measured with another GPU",
         ((GEMV, "gpu", "contradicted"), (TOPK, "gpu", "contradicted")), _gpu),
    _red("KernelRow-binary", "In", "another binary was measured", (GEMV, "binary", "contradicted"), _binary("f" * 64)),
    _red("KernelRow-binary", "In", "no binary, though runs name it", (GEMV, "binary", "contradicted"), _binary(None)),
    _red("Kernel-one-kind", "In", "a row chose its own test",
         ((GEMV, "discrete", "contradicted"), (GEMV.replace("gx10", "lambda"), "discrete", "contradicted")),
         _row(0, discrete=True, max_err=None, index_mismatch=0, tie_margin=0.0)),
    _red("KernelRow-one-measure", "MaxCount", "a discrete row with an error", (TOPK, "discrete", "contradicted"),
         _row(1, max_err=0.5)),
    _red("KernelRow-withinBound", "In", "the error is out of bound", (GEMV, "withinBound", "failed"), _row(0, max_err=1.1e-5)),
    _red("KernelRow-withinBound", "In", "the error is infinite", (GEMV, "withinBound", "failed"), _row(0, max_err="inf")),
    _red("KernelRow-withinBound", "In", "error and bound are infinite", (GEMV, "withinBound", "failed"),
         _row(0, max_err="inf", bound="inf")),
    _red("KernelRow-withinBound", "In", "an infinite bound", (GEMV, "withinBound", "failed"), _row(0, bound="Infinity")),
    _red("KernelRow-withinBound", "MinCount", "the error is NaN", (GEMV, "withinBound", "failed"), _row(0, max_err="NaN")),
    _red("KernelRow-withinBound", "MinCount", "no error is recorded", (GEMV, "withinBound", "failed"), _row(0, max_err=None)),
    _red("KernelRow-withinBound", "MinCount", "the bound is NaN", (GEMV, "withinBound", "failed"), _row(0, bound="nan")),
    _red("KernelRow-withinBound", "MinCount", "no bound is recorded", (GEMV, "withinBound", "failed"), _row(0, bound=None)),
    _red("KernelRow-boundSource", "MinCount", "a bound from nowhere", (GEMV, "boundSource", "failed"), _row(0, bound_source=None)),
    _red("KernelRow-boundSource", "MinCount", "ties within a bound from nowhere", (TOPK, "boundSource", "failed"),
         _row(1, index_mismatch=2, tie_margin=1e-6, bound=1e-5)),
    _red("KernelRow-ties", "In", "a pick differs by more than a tie", (TOPK, "ties", "failed"),
         _row(1, index_mismatch=1, tie_margin=2e-5, bound=1e-5, bound_source="F-ROUTER-001")),
    _red("KernelRow-ties", "In", "no pick differs by an infinite gap", (TOPK, "ties", "failed"), _row(1, tie_margin="inf")),
    _red("KernelRow-ties", "MinCount", "a pick differs, without a bound", (TOPK, "ties", "failed"),
         _row(1, index_mismatch=1, tie_margin=0.0, bound_source="F-ROUTER-001")),
    _red("KernelRow-ties", "MinCount", "no mismatches are recorded", (TOPK, "ties", "failed"), _row(1, index_mismatch=None)),
    _red("KernelRow-ties", "MinCount", "no tie margin is recorded", (TOPK, "ties", "failed"), _row(1, tie_margin=None)),
    _red("KernelRow-ties", "MinCount", "the tie margin is NaN", (TOPK, "ties", "failed"), _row(1, tie_margin="NaN")),
]  # fmt: skip
