"""What turns a cell red."""

from __future__ import annotations

import copy
from typing import Any

from rdflib import Graph, URIRef
from rdflib.namespace import RDF

from gate.iris import term
from tests.falsifiers.falsifier import CELL, CELL_IRI, Falsifier, alone, ladder, row
from tests.release import BINARY, OTHER_COMMIT, VERSION, Release


def _unjudged(graph: Graph) -> None:
    row = graph.value(URIRef(CELL_IRI), URIRef(term("receipt")))
    graph.remove((row, RDF.type, URIRef(term("CellRow"))))


def _unnamed(graph: Graph) -> None:
    row = graph.value(URIRef(CELL_IRI), URIRef(term("receipt")))
    graph.remove((row, URIRef(term("nameHolds")), None))


def _named(**values: str) -> Any:
    """Name the right binary of the release, and change what one row's receipt says of its own."""

    def change(release: Release) -> None:
        release.documents[f"receipts/{VERSION}/release.toml"] += f'[binaries]\nlambda = "{BINARY["lambda"]}"\n'
        _unbound(release, **values)

    return change


def _unbound(release: Release, **values: str) -> None:
    block = alone(release)["release"]
    del block["binary_sha256"]
    block.update(values)


def _backend(ran: Any = "cuda", fell_back: Any = False) -> dict[str, Any]:
    found = {"requested": "cuda", "ran": ran, "fell_back": fell_back}
    return {key: value for key, value in found.items() if value is not None}


def _delete(release: Release) -> None:
    rows = release.receipt("lambda.json")["runs"]
    rows.remove(release.row("lambda", "alpha-q4_k_m.gguf"))


def _twice(release: Release) -> None:
    rows = release.receipt("lambda.json")["runs"]
    rows.append(copy.deepcopy(release.row("lambda", "alpha-q4_k_m.gguf")))


def _binding(**values: str) -> Any:
    return lambda release: alone(release)["release"].update(values)


def _changed_evidence(release: Release) -> None:
    release.documents[f"receipts/{VERSION}/logs/run.txt"] = "another text"
    row(evidence={"path": "logs/run.txt", "sha256": "0" * 64})(release)


def _red(constraint: str, component: str, name: str, prop: str, reason: str, change: Any) -> Falsifier:
    return Falsifier(constraint, component, name, ((CELL, prop, reason),), change)


FALSIFIERS = [
    _red("Cell-measured", "MinCount", "the row is gone", "receipt", "missing", _delete),
    _red("Cell-once", "MaxCount", "the row stands twice", "receipt", "ambiguous", _twice),
    Falsifier("Cell-judged", "Class", "a row escaped the constraints", ((CELL, "receipt", "failed"),), edit=_unjudged),
    *(
        _red("Row-verdict", "In", f"the verdict is {verdict}", "verdict", "failed", row(verdict=verdict))
        for verdict in ("fail", "error", "skip", "refused")
    ),
    _red("Row-verdict", "MinCount", "no verdict is recorded", "verdict", "failed", row(verdict=None)),
    _red("Row-fresh", "In", "another commit was measured", "fresh", "stale", _binding(commit=OTHER_COMMIT)),
    _red("Row-fresh", "In", "another version was measured", "fresh", "stale", _binding(version="0.70.0")),
    _red("Row-fresh", "In", "a candidate was measured", "fresh", "stale", _binding(version=f"{VERSION}-rc.1")),
    _red("Row-fresh", "MinCount", "no commit is recorded", "fresh", "stale", lambda r: ladder(r, apr_sha=None)),
    _red("Row-fresh", "MinCount", "a short commit is recorded", "fresh", "stale", lambda r: ladder(r, apr_sha="c0ffee000")),
    _red("Row-fresh", "MinCount", "no version is recorded", "fresh", "stale", lambda r: ladder(r, version=None)),
    _red("Row-backend", "In", "the run was on the CPU", "backend", "failed", row(backend=_backend(ran="cpu"))),
    _red("Row-backend", "In", "the backend only looks the same", "backend", "failed", row(backend=_backend(ran="CUDA"))),
    _red("Row-backend", "MinCount", "no backend is recorded", "backend", "failed", row(backend=_backend(ran=None))),
    _red("Row-fallback", "In", "the run fell back", "fallback", "failed", row(backend=_backend(fell_back=True))),
    _red("Row-fallback", "MinCount", "fallback isn't said", "fallback", "failed", row(backend=_backend(fell_back=None))),
    _red("Row-exitCode", "In", "the exit code is 5", "exitCode", "failed", row(exit_code=5)),
    _red("Row-exitCode", "In", "the exit code is that of a signal", "exitCode", "failed", row(exit_code=-9)),
    _red("Row-exitCode", "MinCount", "no exit code is recorded", "exitCode", "failed", row(exit_code=None)),
    _red("Row-contextMet", "In", "the prompt is one token short", "contextMet", "failed", row(prompt_tokens=4095)),
    _red("Row-contextMet", "MinCount", "no prompt tokens are recorded", "contextMet", "failed", row(prompt_tokens=None)),
    _red("Row-length", "In", "a prompt longer than the model can read", "length", "contradicted", row(prompt_tokens=16385)),
    _red("Row-answered", "In", "the answer is empty", "answered", "failed", row(answer_chars=0)),
    _red("Row-answered", "MinCount", "no answer is recorded", "answered", "failed", row(answer_chars=None)),
    _red("Row-model", "In", "the row's file is another model's", "model", "contradicted",
         row(model={"file": "beta-q4_k_m.gguf", "sha256": "1" * 64})),
    Falsifier("Row-model", "MinCount", "nobody compared the names", ((CELL, "model", "contradicted"),), edit=_unnamed),
    _red("Row-binary", "In", "no binary, though the release names it", "binary", "contradicted", _named()),
    _red("Row-binary", "In", "no binary, though other runs name it", "binary", "contradicted", _unbound),
    _red("Row-thinkClosed", "In", "the thinking block is unclosed", "thinkClosed", "failed", row(think_closed=False)),
    _red("Row-evidence", "In", "the evidence isn't there", "evidence", "contradicted",
         row(evidence={"path": "logs/none.txt", "sha256": "0" * 64})),
    _red("Row-evidence", "In", "the evidence is another file", "evidence", "contradicted", _changed_evidence),
    _red("Row-evidence", "In", "the evidence lies outside the ledger", "evidence", "contradicted",
         row(evidence={"path": "../../../etc/hostname", "sha256": "0" * 64})),
]  # fmt: skip
