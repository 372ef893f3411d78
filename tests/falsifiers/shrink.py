"""What was owed by the release before and vanishes. Each starts from a green release and an equal one before it."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from rdflib import Graph, URIRef
from rdflib.namespace import RDF

from gate.iris import term
from tests.falsifiers.falsifier import Falsifier
from tests.release import RULES, VERBS, VERSION, Release, header, parities, performances, preceded, tokenizers
from tests.signing import TRUST, frozen, sign, signers, who_signs

ALPHA, BETA = "alpha-q4_k_m.gguf", "beta-q4_k_m.gguf"
HOSTS = ("lambda", "gx10")
FOLDER = f"receipts/{VERSION}"

RETIRE = f"""
[[retire]]
id = "no-code"
verb = "code"
issue = 4711
release = "{VERSION}"
why = "Nobody used it."
ruling = {{ by = "release owner", on = 2026-10-01, words = "0.71 drops code." }}
"""

SPEED = """
@prefix gate: <https://w3id.org/taggate/ns#> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix my: <https://example.org/shapes#> .

my:Speed sh:targetClass gate:CellRow ; sh:path gate:seconds ; sh:maxInclusive 120.0 .
my:Answer sh:targetClass gate:CellRow ; sh:path gate:answerChars ; sh:minInclusive 1 .
"""


def replaced(release: Release, old: str, new: str) -> None:
    assert old in release.rules
    release.rules = release.rules.replace(old, new)


def ruled(old: str, new: str) -> Callable[[Release], None]:
    """Change the rules of the later release."""

    def change(release: Release) -> None:
        preceded(release)
        replaced(release, old, new)

    return change


def both(first: Callable[[Release], None], then: Callable[[Release], None]) -> Callable[[Release], None]:
    """Let `first` make both releases, and `then` the later one."""

    def change(release: Release) -> None:
        first(release)
        preceded(release)
        then(release)

    return change


def no_code(release: Release) -> None:
    """Drop a verb, with the decision that says so: green."""
    preceded(release)
    replaced(release, ', "code"]', "]")
    release.claims = RETIRE


def _rows(release: Release, host: str, keep: Callable[[Any], bool]) -> None:
    rows = release.receipt(f"{host}.json")["runs"]
    rows[:] = [row for row in rows if keep(row)]


def _held(release: Release, host: str, file: str) -> Any:
    return next(m for m in release.receipt(f"inventory-{host}.json")["models"] if m["file"] == file)


def without_host(release: Release) -> None:
    preceded(release)
    replaced(release, '[[hosts]]\nid = "gx10"\ngpu = "NVIDIA GB10"\ncompute = "12.1"\n', "")
    for name in ("gx10.json", "inventory-gx10.json"):
        del release.documents[f"{FOLDER}/{name}"]


def _merged_host(release: Release) -> None:
    """Say that the host which is gone is another name of the one that stays."""
    without_host(release)
    replaced(release, 'aliases = ["lambda-vector"]', 'aliases = ["lambda-vector", "gx10"]')


def _on_cpu(release: Release) -> None:
    preceded(release)
    replaced(release, 'backend = "cuda"', 'backend = "cpu"')
    for host in HOSTS:
        for row in release.receipt(f"{host}.json")["runs"]:
            row["backend"]["ran"] = "cpu"


def _contexts(change: Callable[[Any], None]) -> Callable[[Release], None]:
    def changed(release: Release) -> None:
        preceded(release)
        change(release.documents["receipts/contexts.json"])

    return changed


def _unsized(release: Release) -> None:
    preceded(release)
    replaced(release, 'contexts = "receipts/contexts.json"', "")
    replaced(release, "thinking = true", 'thinking = true\ncontexts = ["4k", "consumer-max", "declared"]')


def _one_arch(release: Release) -> None:
    replaced(release, 'arch = "qwen3"\n', "")
    for host in HOSTS:
        _held(release, host, BETA)["arch"] = "qwen3"


def _narrowed(release: Release) -> None:
    replaced(release, "[models]", f'[cells.long]\nrepresentatives = {{ qwen3 = "{ALPHA}" }}\n\n[models]')


def without_model(file: str, *hosts: str) -> Callable[[Release], None]:
    def change(release: Release) -> None:
        preceded(release)
        for host in hosts:
            models = release.receipt(f"inventory-{host}.json")["models"]
            models.remove(_held(release, host, file))
            _rows(release, host, lambda row: row["model"]["file"] != file)

    return change


def _renamed_out(release: Release) -> None:
    preceded(release)
    for host in HOSTS:
        _held(release, host, BETA)["file"] = "beta-fp16.gguf"
        _rows(release, host, lambda row: row["model"]["file"] != BETA)


def _no_markers(release: Release) -> None:
    preceded(release)
    for host in HOSTS:
        _held(release, host, ALPHA)["template_markers"] = []
        _rows(release, host, lambda row: row["thinking"] == "off")


def _shorter(release: Release) -> None:
    preceded(release)
    for host in HOSTS:
        _held(release, host, BETA)["context_length"] = 5000
        _rows(release, host, lambda row: (row["model"]["file"], row["context"]) != (BETA, "consumer-max"))
        for row in release.receipt(f"{host}.json")["runs"]:
            if row["model"]["file"] == BETA:
                row["prompt_tokens"] = min(row["prompt_tokens"], 5000)


def _hair_shorter(release: Release) -> None:
    """Shorten a model so little that it owes every context that it owed."""
    preceded(release)
    for host in HOSTS:
        _held(release, host, BETA)["context_length"] = 16383
        for row in release.receipt(f"{host}.json")["runs"]:
            if row["model"]["file"] == BETA:
                row["prompt_tokens"] = min(row["prompt_tokens"], 16383)


def _sized(release: Release) -> None:
    for host in HOSTS:
        release.receipt(f"inventory-{host}.json")["gpu"]["memory_bytes"] = 100_000
        _held(release, host, BETA).update(weights_bytes=5000, kv_bytes_per_token=1, workspace_bytes=100)


def _refusing(release: Release) -> None:
    release.receipt("inventory-gx10.json")["gpu"]["memory_bytes"] = 20_000
    for verb in VERBS:
        release.row("gx10", BETA, verb, "off", "declared").update(
            verdict="refused", required_bytes=21_484, answer_chars=0
        )


def _other_gpu(release: Release) -> None:
    preceded(release)
    replaced(release, 'gpu = "NVIDIA GB10"\ncompute = "12.1"', 'gpu = "NVIDIA GB20"\ncompute = "13.0"')
    release.receipt("inventory-gx10.json")["gpu"] = {"name": "NVIDIA GB20", "compute": "13.0"}


def _unpinned(release: Release) -> None:
    preceded(release)
    pin = RULES[RULES.index("[[models.pinned]]") : RULES.index("[require]")]
    replaced(release, pin, "")


def kernels(release: Release) -> None:
    replaced(release, "[require]", "[require]\nkernels = true")
    rows = [
        {
            "kernel": "q4_k_gemv",
            "quant": "Q4_K",
            "verdict": "pass",
            "max_err": 1e-7,
            "bound": 1e-5,
            "bound_source": "t",
        },
        {"kernel": "argmax", "verdict": "pass", "discrete": True, "index_mismatch": 0, "tie_margin": 0.0},
    ]
    for host in HOSTS:
        release.documents[f"{FOLDER}/kernels-{host}.json"] = header("taggate/kernel-receipt/v1", host) | {
            "rows": copy.deepcopy(rows)
        }
        _held(release, host, ALPHA)["dispatched"] = [{"kernel": "q4_k_gemv", "quant": "Q4_K"}]
        _held(release, host, BETA)["dispatched"] = [{"kernel": "q4_k_gemv", "quant": "Q4_K"}, {"kernel": "argmax"}]


def _undispatched(release: Release) -> None:
    for host in HOSTS:
        _held(release, host, BETA)["dispatched"].pop()


def conformance(release: Release) -> None:
    replaced(release, "[require]", "[require]\nconformance = true")
    pairs = [("Q4_K", "3584x1024"), ("Q4_K", "1024x512"), ("Q6_K", "3584x1024")]
    for host in HOSTS:
        release.receipt(f"inventory-{host}.json")["census"] = [{"quant": q, "shape": s} for q, s in pairs]
        release.documents[f"{FOLDER}/conformance-{host}.json"] = header("taggate/conformance-receipt/v1", host) | {
            "rows": [
                {
                    "quant": q,
                    "shape": s,
                    "verdict": "pass",
                    "excluded": False,
                    "worst": 1e-6,
                    "bound": 1e-5,
                    "bound_source": "the harness",
                }
                for q, s in pairs
            ]
        }


def _census(keep: Callable[[Any], bool]) -> Callable[[Release], None]:
    def change(release: Release) -> None:
        census = release.receipt("inventory-gx10.json")["census"]
        census[:] = [pair for pair in census if keep(pair)]

    return change


def _tokenizer(release: Release) -> None:
    replaced(release, "[require]", "[require]\ntokenizer = true")
    release.documents[f"{FOLDER}/tokenizer.json"] = tokenizers()


def _census_of_receipts(release: Release) -> None:
    """Take what the conformance receipts hold for all that there is: they hold what the inventories did."""
    replaced(release, "conformance = true", 'conformance = true\nconformance_census = "receipt"')


def _trust(*lines: str) -> Callable[[Release], None]:
    """Leave these lines of `[trust]`, and sign what is asked for; without any, the table is gone."""

    def change(release: Release) -> None:
        asked = "".join(f"{line}\n" for line in TRUST.splitlines() if line.partition(" =")[0] in lines)
        release.rules = release.rules.replace(TRUST, f"\n[trust]\n{asked}" if asked else "")

    return change


def _signed(release: Release) -> None:
    release.rules += TRUST
    release.documents["allowed_signers"] = signers()


def _resigned(*lines: str) -> Callable[[Release], None]:
    def change(release: Release) -> None:
        _signed(release)
        preceded(release)
        _trust(*lines)(release)
        release.claims = "# Nothing is withdrawn.\n"
        frozen(release)
        for path in [path for path in release.documents if path.startswith(f"{FOLDER}/")]:
            sign(release, path, who_signs(path))
        sign(release, "claims.toml", "owner")

    return change


def _parity(release: Release) -> None:
    release.rules += '[require.parity]\nagainst = "cpu"\nprefix = 32\n'
    for host in HOSTS:
        release.documents[f"{FOLDER}/parity-{host}.json"] = parities(host)


def _expected(release: Release) -> None:
    release.rules += '[[require.rows]]\nsuite = "dogfood"\nrows = ["fmt", "test all"]\n'
    release.receipt("dogfood.json")["rows"].append({"name": "test all", "result": "pass"})


def _claim(release: Release) -> None:
    release.rules += (
        f'[[claims.performance]]\nid = "decode"\nmodel = "{ALPHA}"\nmetric = "decode_tok_per_sec"\n'
        'configuration = "one user, 128 in, 128 out"\ncomparator = "llama.cpp"\nat_least = 0.9\nruns = 3\nof = 3\n'
    )
    release.documents[f"{FOLDER}/speed.json"] = performances("lambda")


def _unclaimed(release: Release) -> None:
    release.rules = release.rules[: release.rules.index("[[claims.performance]]")]
    del release.documents[f"{FOLDER}/speed.json"]


def speed(release: Release) -> None:
    release.documents["shapes/speed.ttl"] = SPEED


def no_file(release: Release) -> None:
    del release.documents["shapes/speed.ttl"]
    release.deleted.append("shapes/speed.ttl")


def _text(path: str, old: str, new: str) -> Callable[[Release], None]:
    def change(release: Release) -> None:
        assert old in release.documents[path]
        release.documents[path] = release.documents[path].replace(old, new)

    return change


def _rule(old: str, new: str) -> Callable[[Release], None]:
    return lambda release: replaced(release, old, new)


def _no_rules_at_tag(release: Release) -> None:
    preceded(release).name = "rules.toml"
    release.deleted.append("rules.toml")


def _refused_before(release: Release) -> None:
    """Drop a verb in a release that was measured and never cut, and number the next one as if nothing were gone."""
    preceded(release)
    replaced(release, ', "code"]', "]")
    between = {
        path.replace(VERSION, "0.70.9"): copy.deepcopy(found) for path, found in release.documents.items()
        if path.startswith(FOLDER) and not path.endswith(".toml")
    }  # fmt: skip
    for document in between.values():
        document["release"]["version"] = "0.70.9"
    release.documents |= between


def _unjudged(graph: Graph) -> None:
    for decision in list(graph.subjects(RDF.type, URIRef(term("Retire")))):
        graph.remove((decision, RDF.type, URIRef(term("Retire"))))


def _red(name: str, change: Callable[[Release], None], *labels: str) -> Falsifier:
    found = tuple((label, "decided", "vanished") for label in labels)
    return Falsifier("Vanished-decided", "MinCount", name, found, change)


FALSIFIERS = [
    _red("a host is gone from the rules", without_host, "host/gx10"),
    _red("a host is said to be another's other name", _merged_host, "host/gx10"),
    _red("a host is not required any more", ruled('compute = "12.1"', 'compute = "12.1"\nrequired = false'), "host/gx10"),
    _red("a host has another GPU", _other_gpu, "gpu/gx10/NVIDIA GB10", "compute/gx10/12.1"),
    _red("the rules name no GPU any more", ruled('gpu = "NVIDIA GB10"\n', ""), "gpu/gx10/NVIDIA GB10"),
    _red("a verb is gone", ruled(', "code"]', "]"), "verb/code"),
    _red("a verb is gone in a release that was never cut", _refused_before, "verb/code"),
    _red("thinking is not told apart any more", ruled("thinking = true", "thinking = false"), "thinking/both modes"),
    _red("another backend will do", _on_cpu, "backend/cuda"),
    _red("a context is not listed any more", _contexts(lambda d: d["contexts"].pop(0)), "context/4k"),
    _red("a context asks for a shorter prompt", _contexts(lambda d: d["contexts"][0].update(tokens=1024)), "size/4k"),
    _red("the consumer with the longest prompt is gone", _contexts(lambda d: d["consumers"].pop(0)), "size/consumer-max"),
    _red("contexts have no sizes any more", _unsized, "size/4k", "size/consumer-max"),
    _red("the long contexts are asked of fewer models", both(_one_arch, _narrowed),
         f"long/{BETA}/consumer-max", f"long/{BETA}/declared"),
    _red("a model is gone from one host, with its rows", without_model(ALPHA, "gx10"), f"model/gx10/{ALPHA}"),
    _red("a model is gone from every host, with its rows", without_model(BETA, *HOSTS), f"model/{BETA}"),
    _red("a file is renamed so that no rule owes it", _renamed_out, f"model/{BETA}"),
    _red("the owed patterns leave a file out", ruled('"*q4_k*"', '"alpha*"'), f"model/{BETA}"),
    _red("the thinking markers are emptied", _no_markers, f"mode/{ALPHA}/think-on"),
    _red("a model is said to be shorter", _shorter, f"length/{BETA}"),
    _red("a model is said to be a hair shorter", _hair_shorter, f"length/{BETA}"),
    _red("a refusal takes the place of a pass", both(_sized, _refusing), f"pass/gx10/{BETA}/declared"),
    _red("a model is not pinned any more", _unpinned, f"pin/lambda/{ALPHA}"),
    _red("kernels are not required any more", both(kernels, _rule("kernels = true", "")), "require/kernels"),
    _red("a kernel is in no dispatch list any more", both(kernels, _undispatched), "kernel/argmax"),
    _red("conformance is not required any more", both(conformance, _rule("conformance = true", "")), "require/conformance"),
    _red("a tensor shape is gone from the census", both(conformance, _census(lambda p: p["shape"] != "1024x512")),
         "shape/gx10/Q4_K/1024x512"),
    _red("a quantization is gone from the census", both(conformance, _census(lambda p: p["quant"] != "Q4_K")),
         "quant/gx10/Q4_K"),
    _red("a wider tolerance will do",
         both(conformance, _rule("conformance = true", "conformance = true\nconformance_tolerance = 0.001")),
         "require/conformance_tolerance"),
    _red("the census is what the receipts say it is", both(conformance, _census_of_receipts),
         "require/conformance_census"),
    _red("fewer token ids are compared", both(_tokenizer, _rule("tokenizer = true", "tokenizer = true\ntokenizer_tokens = 999")),
         "require/tokenizer_tokens"),
    _red("nothing need be signed any more", _resigned(), "require/trust.decisions", "require/trust.receipts"),
    _red("receipts need not be signed any more", _resigned("allowed_signers", "decisions"), "require/trust.receipts"),
    _red("decisions need not be signed any more", _resigned("allowed_signers", "receipts", "hostless"),
         "require/trust.decisions"),
    _red("tokenizers are not required any more", both(_tokenizer, _rule("tokenizer = true", "")), "require/tokenizer"),
    _red("parity is not required any more", both(_parity, _rule('[require.parity]\nagainst = "cpu"\nprefix = 32\n', "")),
         "require/parity"),
    _red("parity asks for a shorter prefix", both(_parity, _rule("prefix = 32", "prefix = 8")), "require/parity"),
    _red("a suite is not required any more", ruled('suites = ["dogfood"]', ""), "suite/dogfood"),
    _red("a row of a suite is not expected any more", both(_expected, _rule('"fmt", "test all"', '"fmt"')),
         "row/dogfood/test all"),
    _red("a claim of speed is gone", both(_claim, _unclaimed), "claim/decode"),
    _red("a claim of speed says less", both(_claim, _rule("at_least = 0.9", "at_least = 0.8")), "claim/decode"),
    _red("a claim of speed may miss more often", both(_claim, _rule("runs = 3", "runs = 2")), "claim/decode"),
    _red("a claim of speed has no comparator", both(_claim, _rule('comparator = "llama.cpp"', "")), "claim/decode"),
    _red("a file of the project's own shapes is gone", both(speed, no_file), "constraint/speed"),
    _red("a shape of the project's own is gone",
         both(speed, _text("shapes/speed.ttl", SPEED.strip().splitlines()[-1], "")),
         "constraint/https://example.org/shapes#Answer"),
    _red("a bound of the project's own is wider", both(speed, _text("shapes/speed.ttl", "120.0", "500.0")),
         "constraint/https://example.org/shapes#Speed"),
    _red("a shape of the project's own only warns",
         both(speed, _text("shapes/speed.ttl", "120.0", "120.0 ; sh:severity sh:Warning")),
         "constraint/https://example.org/shapes#Speed"),
    _red("the tag of the release before has no rules", _no_rules_at_tag, "rules/gate.toml"),
    Falsifier("Vanished-judged", "Class", "the decision escaped its constraints", (("verb/code", "decided", "vanished"),),
              no_code, _unjudged),
]  # fmt: skip
