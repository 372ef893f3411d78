"""What turns output parity red. Each starts from a release that is green with it required."""

from __future__ import annotations

import copy
from typing import Any

from rdflib import Graph, URIRef
from rdflib.namespace import RDF

from gate.iris import term
from tests.falsifiers.falsifier import Falsifier
from tests.release import COMMIT, OTHER_COMMIT, VERSION, Release, parities

ALPHA = "parity/lambda/alpha-q4_k_m.gguf"
RECEIPTS = {host: f"receipts/{VERSION}/parity-{host}.json" for host in ("lambda", "gx10")}


def required(release: Release) -> None:
    """Require the outputs to match the CPU's for 32 tokens, and compare two prompts of each model on each host."""
    release.rules += '[require.parity]\nagainst = "cpu"\nprefix = 32\n'
    for host, path in RECEIPTS.items():
        release.documents[path] = parities(host)


def _rows(release: Release) -> Any:
    return release.documents[RECEIPTS["lambda"]]["rows"]


def _row(index: int = 0, **values: Any) -> Any:
    def change(release: Release) -> None:
        required(release)
        row = _rows(release)[index]
        for key, value in values.items():
            if value is None:
                del row[key]
            else:
                row[key] = value

    return change


def _gone(release: Release) -> None:
    required(release)
    del _rows(release)[:2]


def _other_reference(release: Release) -> None:
    required(release)
    for row in _rows(release)[:2]:
        row["against"] = "llama.cpp"


def _unidentified(release: Release) -> None:
    required(release)
    for row in _rows(release)[:2]:
        del row["model"]["sha256"]


def _twice(release: Release) -> None:
    required(release)
    rows = _rows(release)
    rows.append(copy.deepcopy(rows[0]))


def _stale(release: Release) -> None:
    required(release)
    receipt = release.documents[RECEIPTS["lambda"]]
    own = {**receipt, "rows": receipt["rows"][:1], "release": receipt["release"] | {"commit": OTHER_COMMIT}}
    receipt["rows"] = receipt["rows"][1:]
    release.documents[f"receipts/{VERSION}/stale.json"] = own


def _binary(sha256: str | None) -> Any:
    def change(release: Release) -> None:
        required(release)
        receipt = release.documents[RECEIPTS["lambda"]]
        bound = {"version": VERSION, "commit": COMMIT} | ({"binary_sha256": sha256} if sha256 else {})
        release.documents[f"receipts/{VERSION}/other.json"] = {**receipt, "rows": receipt["rows"][:1], "release": bound}
        receipt["rows"] = receipt["rows"][1:]

    return change


def _first(graph: Graph) -> Any:
    rows = graph.subjects(RDF.type, URIRef(term("ParityRow")))
    return next(row for row in rows if "parity-lambda" in str(row) and str(row).endswith("/rows%5B0%5D"))


def _unjudged(graph: Graph) -> None:
    graph.remove((_first(graph), RDF.type, URIRef(term("ParityRow"))))


def _unasked(graph: Graph) -> None:
    graph.remove((_first(graph), URIRef(term("fresh")), None))


def _unnamed(graph: Graph) -> None:
    graph.remove((_first(graph), URIRef(term("nameHolds")), None))


def _red(constraint: str, component: str, name: str, prop: str, reason: str, change: Any) -> Falsifier:
    return Falsifier(f"Parity-{constraint}", component, name, ((ALPHA, prop, reason),), change)


FALSIFIERS = [
    _red("measured", "MinCount", "nobody compared a prompt", "receipt", "missing", _gone),
    _red("measured", "MinCount", "the prompts were compared with another reference", "receipt", "missing", _other_reference),
    _red("measured", "MinCount", "nobody identified the model", "receipt", "missing", _unidentified),
    _red("once", "MaxCount", "one prompt twice", "prompt", "ambiguous", _twice),
    Falsifier("Parity-judged", "Class", "a prompt escaped the constraints", ((ALPHA, "receipt", "failed"),),
              required, _unjudged),
    _red("fresh", "In", "a prompt of another commit", "fresh", "stale", _stale),
    Falsifier("Parity-fresh", "MinCount", "nobody asked whether it is fresh", ((ALPHA, "fresh", "stale"),),
              required, _unasked),
    _red("model", "In", "the row's file is another model's", "model", "contradicted",
         _row(model={"file": "beta-q4_k_m.gguf", "sha256": "1" * 64})),
    Falsifier("Parity-model", "MinCount", "nobody compared the names", ((ALPHA, "model", "contradicted"),),
              required, _unnamed),
    _red("binary", "In", "another binary was compared", "binary", "contradicted", _binary("f" * 64)),
    _red("binary", "In", "no binary, though runs name it", "binary", "contradicted", _binary(None)),
    _red("backend", "In", "the CPU was compared with itself", "backend", "failed", _row(backend="cpu")),
    _red("backend", "MinCount", "nobody says where the run ran", "backend", "failed", _row(backend=None)),
    _red("compared", "MinInclusive", "two empty outputs", "compared", "unmeasured", _row(compared=0, matching_prefix=0)),
    _red("compared", "MinCount", "nobody counted the tokens", "compared", "unmeasured", _row(compared=None)),
    _red("prefix-measured", "MinCount", "nobody says where it split", "matchingPrefix", "unmeasured",
         _row(matching_prefix=None)),
    _red("prefix-coherent", "LessThanOrEquals", "more matches than was compared", "matchingPrefix", "contradicted",
         _row(matching_prefix=21)),
    _red("prefix", "LessThanOrEquals", "a short output splits at its last token", "matchingPrefix", "failed",
         _row(matching_prefix=19)),
    _red("prefix", "LessThanOrEquals", "one token that matches", "matchingPrefix", "failed",
         _row(1, compared=1, matching_prefix=1)),
    _red("prefix", "LessThanOrEquals", "nobody says that the reference ended", "matchingPrefix", "failed",
         _row(ended=None)),
    _red("prefix", "LessThanOrEquals", "the reference did not end", "matchingPrefix", "failed", _row(ended=False)),
    _red("prefix", "LessThanOrEquals", "a long output splits one token too early", "matchingPrefix", "failed",
         _row(1, matching_prefix=31)),
]  # fmt: skip
