"""What turns a performance claim red. Each starts from a release that is green with the claim made."""

from __future__ import annotations

import copy
from typing import Any

from rdflib import Graph, Literal, URIRef
from rdflib.namespace import RDF

from gate.iris import term
from tests.falsifiers.falsifier import Falsifier, without
from tests.release import COMMIT, OTHER_COMMIT, VERSION, Release, performances

CLAIM = "decode-parity"
RECEIPT = f"receipts/{VERSION}/performance.json"
RULES = """
[[claims.performance]]
id = "decode-parity"
model = "alpha-q4_k_m.gguf"
metric = "decode_tok_per_sec"
configuration = "one user, 128 in, 128 out"
comparator = "llama.cpp"
at_least = 0.9
runs = 3
of = 3
"""


def claimed(release: Release) -> None:
    """Claim at least 0.9 of llama.cpp in 3 of 3 runs, and measure 0.95, 0.96 and 0.97."""
    release.rules += RULES
    release.documents[RECEIPT] = performances("lambda")


def rules(*changes: tuple[str, str], values: tuple[float, ...] = ()) -> Any:
    """Make the claim in other words, and give its runs other figures."""

    def change(release: Release) -> None:
        claimed(release)
        for old, new in changes:
            assert old in RULES
            release.rules = release.rules.replace(old, new)
        for row, value in zip(_rows(release), values, strict=False):
            row["value"] = value

    return change


OWN = ('comparator = "llama.cpp"\n', "")  # a claim of the product's own figure


def _rows(release: Release) -> Any:
    return release.documents[RECEIPT]["rows"]


def _each(**values: Any) -> Any:
    def change(release: Release) -> None:
        claimed(release)
        for row in _rows(release):
            row.update(values)

    return change


def _row(**values: Any) -> Any:
    def change(release: Release) -> None:
        claimed(release)
        _rows(release)[1].update(values)

    return change


def _gone(release: Release) -> None:
    claimed(release)
    del _rows(release)[1]


def _valueless(release: Release) -> None:
    claimed(release)
    del _rows(release)[1]["value"]


def _fourth(release: Release) -> None:
    claimed(release)
    _rows(release).append(_rows(release)[0] | {"run": 4})


def _twice(release: Release) -> None:
    claimed(release)
    own = copy.deepcopy(_rows(release)[0])
    del own["comparator"]
    _rows(release).append(own)


def _comparator_twice(release: Release) -> None:
    claimed(release)
    own = copy.deepcopy(_rows(release)[0])
    del own["value"]
    _rows(release).append(own)


def _stale(release: Release) -> None:
    claimed(release)
    receipt = release.documents[RECEIPT]
    own = {**receipt, "rows": receipt["rows"][:1], "release": receipt["release"] | {"commit": OTHER_COMMIT}}
    receipt["rows"] = receipt["rows"][1:]
    release.documents[f"receipts/{VERSION}/stale.json"] = own


def _binary(sha256: str | None) -> Any:
    def change(release: Release) -> None:
        claimed(release)
        receipt = release.documents[RECEIPT]
        bound = {"version": VERSION, "commit": COMMIT} | ({"binary_sha256": sha256} if sha256 else {})
        release.documents[f"receipts/{VERSION}/other.json"] = {**receipt, "rows": receipt["rows"][:1], "release": bound}
        receipt["rows"] = receipt["rows"][1:]

    return change


def _other_file(release: Release) -> None:
    """On another host the claimed name is another file, which one of the runs measured."""
    claimed(release)
    laptop = copy.deepcopy(release.receipt("inventory-lambda.json")) | {"host": "laptop"}
    laptop["models"] = [{"file": "alpha-q4_k_m.gguf", "sha256": "4" * 64}]
    release.documents[f"receipts/{VERSION}/inventory-laptop.json"] = laptop
    _rows(release)[1]["model"]["sha256"] = "4" * 64


def _numbered(*numbers: int) -> Any:
    def change(release: Release) -> None:
        claimed(release)
        for row, number in zip(_rows(release), numbers, strict=True):
            row["run"] = number

    return change


def _third_on(host: str) -> Any:
    """Let the third run be one of another host."""

    def change(release: Release) -> None:
        claimed(release)
        own = performances("gx10") | {"host": host}
        own["rows"] = [_rows(release).pop()]
        release.documents[f"receipts/{VERSION}/{host}-performance.json"] = own

    return change


def _take(kind: str, prop: str, number: int = 2) -> Any:
    """Take a fact or a class away from the nodes of one run."""

    def edit(graph: Graph) -> None:
        for node in list(graph.subjects(RDF.type, URIRef(term(kind)))):
            if str(node).endswith((f"/run/lambda/{number}", f"/rows%5B{number - 1}%5D")):
                wanted = URIRef(term(kind)) if prop == "a" else None
                graph.remove((node, RDF.type if prop == "a" else URIRef(term(prop)), wanted))

    return edit


def _only_comparator_unjudged(graph: Graph) -> None:
    """Give the comparator's figure of a run to a node that nothing judges."""
    run = next(n for n in graph.subjects(RDF.type, URIRef(term("PerformanceRun"))) if str(n).endswith("/run/lambda/2"))
    graph.set((run, URIRef(term("comparatorFigure")), URIRef("urn:unjudged")))


def _less_than_none(graph: Graph) -> None:
    claim = next(graph.subjects(RDF.type, URIRef(term("ThresholdClaim"))))
    graph.set((claim, URIRef(term("runsMayMiss")), Literal(-1)))


def _red(
    constraint: str, component: str, name: str, prop: str, reason: str, change: Any, focus: str = CLAIM
) -> Falsifier:
    return Falsifier(constraint, component, name, ((focus, prop, reason),), change)


def _bug(
    constraint: str, component: str, name: str, prop: str, reason: str, edit: Any, focus: str = CLAIM
) -> Falsifier:
    return Falsifier(constraint, component, name, ((focus, prop, reason),), claimed, edit)


RUN_1, RUN_2 = f"{CLAIM}, run 1", f"{CLAIM}, run 2"

FALSIFIERS = [
    _red("Claim-runs-owed", "LessThanOrEquals", "a run is gone", "runs", "missing", _gone),
    _red("Claim-runs-owed", "LessThanOrEquals", "a run has only the comparator's figure", "runs", "missing", _valueless),
    _red("Claim-runs-owed", "LessThanOrEquals", "the runs had another configuration", "runs", "missing", _each(configuration="eight users")),
    _red("Claim-runs-owed", "LessThanOrEquals", "the runs measured something else", "runs", "missing", _each(metric="rps")),
    _red("Claim-runs-owed", "LessThanOrEquals", "the runs measured another model", "runs", "missing", _each(model={"file": "beta-q4_k_m.gguf", "sha256": "2" * 64})),
    _red("Claim-runs-owed", "LessThanOrEquals", "an own figure that nobody measured", "runs", "missing",
         rules(OWN, ("at_least = 0.9\nruns = 3\nof = 3\n", ""), ("one user", "two users"))),
    _bug("Claim-runs-owed", "MinCount", "nobody says how many runs are owed", "runs", "missing",
         without("PerformanceClaim", "runsOwed")),
    _red("Claim-runs-owed", "LessThanOrEquals", "runs 4, 17 and 90 of 3", "runs", "missing", _numbered(4, 17, 90)),
    _red("Claim-runs-owed", "LessThanOrEquals", "a run of a host that isn't required", "runs", "missing",
         _third_on("laptop")),
    _bug("Claim-runs-numbered", "MinCount", "nobody counted the numbers", "runs", "missing",
         without("PerformanceClaim", "runsNumbered")),
    _red("Claim-host", "MaxCount", "one run of three is another host's", "host", "contradicted", _third_on("gx10")),
    Falsifier("Claim-runs-counted", "MinCount", "nobody counted the runs", ((CLAIM, "runs", "missing"),), claimed,
              without("PerformanceClaim", "runsRecorded")),
    _red("Claim-runs-chosen", "LessThanOrEquals", "three of four runs", "runs", "ambiguous", _fourth),
    _red("Claim-model", "MaxCount", "one name, two files", "model", "contradicted", _other_file),
    Falsifier("Claim-judged", "Class", "a run escaped the constraints", ((CLAIM, "runs", "failed"),), claimed,
              _take("PerformanceRun", "a")),
    _red("Claim-compared", "LessThanOrEquals", "the comparator was never measured", "comparator", "unmeasured",
         _each(comparator={"name": "llama.cpp"})),
    _red("Claim-compared", "LessThanOrEquals", "another comparator was measured", "comparator", "unmeasured",
         _each(comparator={"name": "vllm", "value": 1.0})),
    _red("Claim-compared", "LessThanOrEquals", "the comparator is missing in one run", "comparator", "unmeasured",
         _row(comparator={"name": "llama.cpp"})),
    _red("Claim-compared", "LessThanOrEquals", "the comparator did nothing", "comparator", "unmeasured",
         _row(comparator={"name": "llama.cpp", "pin": "d1d3c3396", "value": 0})),
    _bug("Claim-compared-counted", "MinCount", "nobody counted the comparisons", "comparator", "unmeasured",
         without("ComparedClaim", "runsCompared")),
    _red("Claim-reached", "LessThanOrEquals", "one run of three misses", "reached", "failed", rules(values=(95, 89.9))),
    _red("Claim-reached", "LessThanOrEquals", "two runs miss where one may", "reached", "failed",
         rules(("runs = 3", "runs = 2"), values=(80, 80))),
    _red("Claim-reached", "LessThanOrEquals", "an own figure misses", "reached", "failed",
         rules(OWN, ("at_least = 0.9", "at_least = 95.5"))),
    _bug("Claim-reached", "MinCount", "nobody counted what missed", "reached", "failed",
         without("ThresholdClaim", "runsMissed")),
    _bug("Claim-allowance", "MinCount", "nobody says how many may miss", "reached", "contradicted",
         without("ThresholdClaim", "runsMayMiss")),
    Falsifier("Claim-allowance", "MinInclusive", "fewer than none may miss",
              ((CLAIM, "reached", "failed"), (CLAIM, "reached", "contradicted")), claimed, _less_than_none),
    _bug("Run-figure", "MinCount", "a run without a figure", "figure", "failed", _take("PerformanceRun", "figure"), RUN_2),
    Falsifier("Run-figure", "Class", "a figure escaped the constraints",
              ((RUN_2, "figure", "failed"), (RUN_2, "comparator", "failed")), claimed, _take("PerformanceRow", "a")),
    _red("Run-once", "MaxCount", "two figures of one run", "figure", "ambiguous", _twice, RUN_1),
    _bug("Run-comparator", "Class", "a comparator's figure escaped the constraints", "comparator", "failed",
         _only_comparator_unjudged, RUN_2),
    _red("Run-comparator-once", "MaxCount", "two figures of the comparator", "comparator", "ambiguous",
         _comparator_twice, RUN_1),
    _red("Claim-pin", "MaxCount", "one run of another build", "comparatorPin", "contradicted",
         _row(comparator={"name": "llama.cpp", "pin": "b4567", "value": 100.0})),
    _red("Run-pin", "In", "the comparator isn't pinned in one run", "comparatorPin", "incomplete",
         _row(comparator={"name": "llama.cpp", "value": 100.0}), RUN_2),
    _bug("Run-pin", "MinCount", "nobody asked for the pin", "comparatorPin", "incomplete",
         _take("PerformanceRun", "comparatorPinned"), RUN_2),
    _red("Figure-fresh", "In", "a run of another commit", "fresh", "stale", _stale, RUN_1),
    _bug("Figure-fresh", "MinCount", "nobody asked whether it is fresh", "fresh", "stale",
         _take("PerformanceRow", "fresh"), RUN_2),
    _red("Figure-binary", "In", "another binary was measured", "binary", "contradicted", _binary("f" * 64), RUN_1),
    _red("Figure-binary", "In", "no binary, though runs name it", "binary", "contradicted", _binary(None), RUN_1),
    _red("Figure-identified", "MinCount", "a figure without a sha256", "model", "unidentified",
         _row(model={"file": "alpha-q4_k_m.gguf"}), RUN_2),
    _red("Figure-model", "In", "the figure's file is another model's", "model", "contradicted",
         _row(model={"file": "beta-q4_k_m.gguf", "sha256": "1" * 64}), RUN_2),
    _bug("Figure-model", "MinCount", "nobody compared the names", "model", "contradicted",
         _take("PerformanceRow", "nameHolds"), RUN_2),
    Falsifier("Figure-identified", "In", "a figure of another file of this name",
              ((CLAIM, "model", "contradicted"), (RUN_2, "model", "unidentified")),
              _row(model={"file": "alpha-q4_k_m.gguf", "sha256": "9" * 64})),
]  # fmt: skip
