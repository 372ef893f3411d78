"""What turns a tokenizer red. Each starts from a release that is green with the tokenizers required."""

from __future__ import annotations

import copy
from typing import Any

from rdflib import Graph, URIRef
from rdflib.namespace import RDF

from gate.iris import term
from tests.falsifiers.falsifier import Falsifier, without
from tests.release import COMMIT, OTHER_COMMIT, VERSION, Release, tokenizers

ALPHA = "tokenizer/alpha-q4_k_m.gguf"
RECEIPT = f"receipts/{VERSION}/tokenizers.json"


def required(release: Release) -> None:
    """Require the tokenizers, and compare each of them."""
    release.rules += "tokenizer = true\n"
    release.documents[RECEIPT] = tokenizers()


def _row(**values: Any) -> Any:
    def change(release: Release) -> None:
        required(release)
        row = release.documents[RECEIPT]["rows"][0]
        for key, value in values.items():
            if value is None:
                del row[key]
            else:
                row[key] = value

    return change


def _asked(tokens: int) -> Any:
    """Ask for so many ids of both; beta has as many."""

    def change(release: Release) -> None:
        required(release)
        release.rules += f"tokenizer_tokens = {tokens}\n"
        release.documents[RECEIPT]["rows"][1]["compared"] = tokens

    return change


def _twice(release: Release) -> None:
    required(release)
    rows = release.documents[RECEIPT]["rows"]
    rows.append(copy.deepcopy(rows[0]))


def _gone(release: Release) -> None:
    required(release)
    del release.documents[RECEIPT]["rows"][0]


def _other_model(release: Release) -> None:
    required(release)
    release.documents[RECEIPT]["rows"][0]["model"]["sha256"] = "9" * 64


def _stale(release: Release) -> None:
    required(release)
    receipt = release.documents[RECEIPT]
    own = {**receipt, "rows": receipt["rows"][:1], "release": {"version": VERSION, "commit": OTHER_COMMIT}}
    receipt["rows"] = receipt["rows"][1:]
    release.documents[f"receipts/{VERSION}/stale.json"] = own


def _binary(sha256: str | None) -> Any:
    """Let the comparison of alpha name its host, and a binary."""

    def change(release: Release) -> None:
        required(release)
        receipt = release.documents[RECEIPT]
        bound = {"version": VERSION, "commit": COMMIT} | ({"binary_sha256": sha256} if sha256 else {})
        own = {**receipt, "host": "lambda", "rows": receipt["rows"][:1], "release": bound}
        release.documents[f"receipts/{VERSION}/other.json"] = own
        receipt["rows"] = receipt["rows"][1:]

    return change


def foreign(release: Release, **values: Any) -> None:
    """Hand the comparison of alpha over to an apr receipt; None takes a field away."""
    _gone(release)
    row = {
        "file": "alpha-q4_k_m.gguf", "sha256": "1" * 64, "family": "qwen2", "corpus_sha256": "c" * 64,
        "comparator": "llama.cpp", "comparator_sha": "d1d3c3396", "tokens_compared": 51200, "mismatches": 0,
        "roundtrip_ok": True, "verdict": "pass",
    }  # fmt: skip
    document = {"schema": "apr-tokenizer-parity-receipt/v1", "version": VERSION, "apr_sha": COMMIT, "rows": [row]}
    for key, value in values.items():
        target = document if key in document else row
        if value is None:
            del target[key]
        else:
            target[key] = value
    release.documents[f"receipts/{VERSION}/foreign.json"] = document


def _unjudged(graph: Graph) -> None:
    for row in list(graph.subjects(RDF.type, URIRef(term("TokenizerRow")))):
        if "/rows%5B0%5D" in str(row):
            graph.remove((row, RDF.type, URIRef(term("TokenizerRow"))))


def _red(constraint: str, component: str, name: str, prop: str, reason: str, change: Any) -> Falsifier:
    return Falsifier(f"Tokenizer-{constraint}", component, name, ((ALPHA, prop, reason),), change)


_BOTH_UNASKED = ((ALPHA, "fresh", "stale"), ("tokenizer/beta-q4_k_m.gguf", "fresh", "stale"))
_BOTH_UNCOUNTED = ((ALPHA, "compared", "unmeasured"), ("tokenizer/beta-q4_k_m.gguf", "compared", "unmeasured"))
_BOTH_UNNAMED = ((ALPHA, "model", "contradicted"), ("tokenizer/beta-q4_k_m.gguf", "model", "contradicted"))

FALSIFIERS = [
    _red("measured", "MinCount", "nobody compared the ids", "receipt", "missing", _gone),
    _red("measured", "MinCount", "another model's ids were compared", "receipt", "missing", _other_model),
    _red("once", "MaxCount", "two comparisons", "receipt", "ambiguous", _twice),
    Falsifier("Tokenizer-judged", "Class", "a comparison escaped the constraints", ((ALPHA, "receipt", "failed"),),
              required, _unjudged),
    _red("fresh", "In", "ids of another commit", "fresh", "stale", _stale),
    _red("fresh", "MinCount", "an apr receipt without a full commit", "fresh", "stale",
         lambda r: foreign(r, apr_sha=COMMIT[:9])),
    Falsifier("Tokenizer-fresh", "MinCount", "nobody asked whether it is fresh", _BOTH_UNASKED, required,
              without("TokenizerRow", "fresh")),
    _red("model", "In", "the row's file is another model's", "model", "contradicted",
         _row(model={"file": "beta-q4_k_m.gguf", "sha256": "1" * 64})),
    Falsifier("Tokenizer-model", "MinCount", "nobody compared the names", _BOTH_UNNAMED, required,
              without("TokenizerRow", "nameHolds")),
    _red("binary", "In", "another binary was compared", "binary", "contradicted", _binary("f" * 64)),
    _red("binary", "In", "no binary, though runs name it", "binary", "contradicted", _binary(None)),
    *(
        _red("verdict", "In", f"it says {verdict} itself", "verdict", "failed", _row(verdict=verdict))
        for verdict in ("fail", "error", "skip", "refused")
    ),
    _red("verdict", "In", "an apr receipt says fail itself", "verdict", "failed", lambda r: foreign(r, verdict="FAIL")),
    _red("comparator", "MinCount", "an apr receipt names no comparator", "comparator", "incomplete",
         lambda r: foreign(r, comparator="")),
    _red("pin", "MinCount", "the comparator isn't pinned", "comparatorPin", "incomplete",
         _row(comparator={"name": "llama.cpp"})),
    _red("corpus", "MinCount", "no corpus is named", "corpus", "incomplete", _row(corpus=None)),
    *(
        _red("enough", "LessThanOrEquals", name, "compared", "unmeasured", _row(compared=compared))
        for name, compared in (("nothing was compared", 0), ("one id was compared", 1), ("one id too few", 999))
    ),
    _red("enough", "LessThanOrEquals", "fewer than the rules ask for", "compared", "unmeasured", _asked(51201)),
    Falsifier("Tokenizer-enough", "MinCount", "nobody says how many are asked for", _BOTH_UNCOUNTED, required,
              without("TokenizerRow", "tokensAsked")),
    _red("compared", "MinCount", "nobody counted what was compared", "compared", "unmeasured", _row(compared=None)),
    _red("ids", "In", "one id differs", "mismatches", "failed", _row(mismatches=1)),
    _red("ids", "MinCount", "nobody counted what differs", "mismatches", "failed", _row(mismatches=None)),
    _red("roundTrip", "In", "the round trip fails", "roundTrip", "failed", _row(round_trip=False)),
    _red("roundTrip", "MinCount", "no round trip is recorded", "roundTrip", "failed", _row(round_trip=None)),
]  # fmt: skip
