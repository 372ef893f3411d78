"""`gate explain`: everything that a finding names is told, in full, and no more is said of it than was recorded."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gate import constraints, shape_files
from gate.errors import CallersError
from gate.iris import NAMESPACE
from gate.obligations import kinds
from gate.reporting import explain
from gate.verdict import Verdict
from tests.falsifiers.conformance import with_conformance
from tests.falsifiers.falsifier import CELL, judge
from tests.falsifiers.kernel import with_kernels
from tests.falsifiers.known_failure import KNOWN, shipped_red
from tests.falsifiers.scope import SCOPE
from tests.falsifiers.test_table import TABLE
from tests.falsifiers.ticket import with_tickets
from tests.release import DECLAIM, VERSION, Release, gate_here, green, parities, performances, tokenizers

FOLDER = f"receipts/{VERSION}"
IQ3 = DECLAIM.replace("beta-on", "iq3-on").replace('arch = "qwen35"', 'kernel = "iq3_s_gemv"')
CLAIMS = """
[[claims.performance]]
id = "decode"
model = "alpha-q4_k_m.gguf"
metric = "decode_tok_per_sec"
configuration = "one user, 128 in, 128 out"
comparator = "llama.cpp"
at_least = 0.9
runs = 2
of = 3
"""


def everything(release: Release) -> Release:
    """Let the release owe one of each kind, and withdraw some of it."""
    with_kernels(release)
    with_conformance(release)
    release.rules = release.rules.replace(
        "[require]",
        '[require]\ntokenizer = true\nparity = { against = "cpu", prefix = 20 }\n'
        'rows = [{ suite = "dogfood", rows = ["fmt"] }]',
    ).replace(
        "[models]\n",
        '[cells.long]\nfamilies = ["qwen35"]\nrepresentatives = { qwen3 = "alpha-q4_k_m.gguf" }\n\n[models]\n',
    )
    release.rules += CLAIMS
    with_tickets(release)
    tickets = release.documents[f"{FOLDER}/tickets.json"]["tickets"]
    tickets.append(
        {"number": 4666, "title": "x", "state": "open", "milestone": "0.72.0", "labels": [], "sources": ["issues.json"]}
    )
    shipped_red(
        release,
        f'release = "{VERSION}"\n'
        + DECLAIM.replace("issue", "warning = true\nissue")
        + IQ3
        + KNOWN.replace("gx10", "lambda")
        + SCOPE,
    )
    release.row("lambda", "beta-q4_k_m.gguf").update(verdict="error", exit_code=124, reason="timed out after 900 s")
    for row in release.receipt("gx10.json")["runs"]:
        row["warnings"] = ["see #4590"]
    release.receipt("kernels-gx10.json")["rows"][0]["verdict"] = "fail"
    release.documents[f"{FOLDER}/tokenizers.json"] = tokenizers()
    for host in ("lambda", "gx10"):
        release.documents[f"{FOLDER}/parity-{host}.json"] = parities(host)
    release.documents[f"{FOLDER}/speed.json"] = performances("lambda")
    rows = release.receipt("lambda.json")["runs"]
    rows.append({**rows[0], "context": "9k"})
    return release


def red(release: Release) -> Release:
    """One fault of each kind."""
    everything(release)
    release.row("lambda", "alpha-q4_k_m.gguf").update(verdict="fail", reason="golden output")
    release.receipt("kernels-gx10.json")["rows"][1] |= {"verdict": "fail", "reason": "picks differ"}
    release.receipt("shapes-gx10.json")["rows"].pop()
    release.receipt("tokenizers.json")["rows"][1]["compared"] = 1
    release.receipt("parity-lambda.json")["rows"][1]["matching_prefix"] = 5
    for row in release.receipt("speed.json")["rows"][:2]:
        row["value"] = 80.0
    release.receipt("dogfood.json")["rows"] = [{"name": "fmt", "result": "fail", "note": "2 files"}]
    release.receipt("inventory-gx10.json")["gpu"]["name"] = "NVIDIA Thor"
    del release.documents["receipts/contexts.json"]["consumers"][1]["max_prompt_tokens"]
    release.receipt("inventory-gx10.json")["models"][1]["weights_bytes"] = 5000
    release.receipt("inventory-lambda.json")["models"][1]["weights_bytes"] = 6000
    release.claims = (release.claims or "").replace('why = "Correct, but slow."\n', "", 1)
    return release


@pytest.fixture(scope="module")
def verdict(tmp_path_factory: pytest.TempPathFactory) -> Verdict:
    """The verdict on a release that has one fault of each kind."""
    return judge(red(green(tmp_path_factory.mktemp("red"))).write())[0]


def told(verdict: Verdict, label: str, shape: str | None = None) -> str:
    return explain.render(verdict, label, shape, color=False)


@pytest.mark.parametrize("change", [everything, red])
def test_whatever_the_graph_names_is_explained(change: object, release: Release) -> None:
    verdict, _ = judge(change(release).write())  # type: ignore[operator]
    shapes = set()
    for label in dict.fromkeys(node.label for node in verdict.nodes.values()):
        text = told(verdict, label)
        if " things in " in text.splitlines()[0]:
            for shape in re.findall(r"--shape (\w+)", text):
                shapes.add(shape)
                assert "Asked of it" in told(verdict, label, shape)
        else:
            assert "Asked of it" in text
    owner = {node.iri: node.owner or node.iri for node in verdict.nodes.values()}
    explained = {explain.kind_of(verdict, verdict.nodes[iri]) for iri in owner.values()}
    assert explained == set(kinds()) - {"refusal", "shrink", "retire"}  # a model that fits owes none
    assert {"host", "kernel", "conformance"} <= shapes


def test_every_finding_is_told_where_its_focus_is_explained(verdict: Verdict) -> None:
    assert len({f.shape for f in verdict.violations}) >= 10
    for finding in verdict.findings:
        text = " ".join(told(verdict, finding.focus, finding.shape).split())
        assert (
            f"shapes/{finding.shape}.ttl, {finding.property} ({finding.reason}): {' '.join(finding.says.split())}"
            in text
        )
        assert " ".join(f"→ {finding.remedy}".split()) in text or not finding.remedy


def test_no_constraint_is_left_out_of_what_is_asked() -> None:
    own = constraints.by_class(shape_files.read(Path("none")))
    asked = {c.shape.iri.removeprefix(NAMESPACE) for found in own.values() for c in found}
    assert asked == {falsifier.constraint for _, falsifier in TABLE}


def test_a_constraint_of_the_projects_own_is_asked_where_its_path_leads(release: Release) -> None:
    release.documents["shapes/speed.ttl"] = (
        "@prefix gate: <https://w3id.org/taggate/ns#> . @prefix sh: <http://www.w3.org/ns/shacl#> .\n"
        "@prefix my: <https://example.org/shapes#> .\n"
        "my:Speed a sh:NodeShape ; sh:targetClass gate:Cell ; sh:property [ sh:path gate:receipt ; sh:property my:Fast ] .\n"
        'my:Fast a sh:PropertyShape ; sh:path gate:seconds ; sh:minCount 1 ; sh:maxInclusive 60.0 ; sh:name "fast" ;\n'
        '  gate:shows ( gate:seconds ) ; sh:message "Too slow." ; gate:remedy "Make it faster." .\n'
    )
    release.row("lambda", "alpha-q4_k_m.gguf")["seconds"] = 99.5
    verdict, _ = judge(release.write())
    text = told(verdict, CELL)
    assert re.search(r"^  ✗ fast +seconds: 99\.5$", text, re.MULTILINE)
    assert "shapes/speed.ttl, fast (failed): Too slow." in text
    assert re.search(r"^  ✓ fast +seconds: 41\.2$", told(verdict, CELL.replace("/run/", "/chat/")), re.MULTILINE)


@pytest.mark.parametrize(
    ("label", "shape", "said"),
    [
        (CELL, None, ["FAILED", "cell: One run owed", "the rules pin alpha-q4_k_m.gguf on lambda", "✗ verdict",
                      f"Receipt: {FOLDER}/lambda.json, runs[0]", "golden output", "rule: Only pass passes"]),
        ("gx10/kernel/router_topk", None, ["FAILED", "Owed, because lambda/beta-q4_k_m.gguf runs it", "picks differ"]),
        ("gx10/kernel/iq3_s_gemv/IQ3_S", None, ["DE-CLAIMED", "Claimed, because", "· verdict", "Decision: iq3-on-gx10"]),
        ("gx10/conformance/Q4_K/2560x9216", None, ["MISSING", "gx10 holds Q4_K tensors of 2560x9216", "✗ receipt"]),
        ("gx10/conformance/IQ3_S/3584x1024", None, ["DE-CLAIMED", "· excluded", "Decision: iq3-on-gx10"]),
        ("tokenizer/beta-q4_k_m.gguf", None, ["FAILED", "require.tokenizer is set", "tokens asked for: 1000"]),
        ("parity/lambda/alpha-q4_k_m.gguf", None, ["FAILED", "is cpu's", "for its first 20 tokens", "split at token: 5"]),
        ("decode", None, ["FAILED", "at least 0.9 of llama.cpp's in 2 of 3 runs", "missed: run 1 on lambda: 0.8",
                          "Measured run: decode, run 1"]),
        ("decode, run 2", None, ["decode, run 2 is a part of it", "Measured run: decode, run 2", "2 more that nothing rejects"]),
        ("dogfood", None, ["FAILED", "require.suites names it", f"Suite run: {FOLDER}/dogfood.json", "Check: fmt", "2 files"]),
        ("dogfood/fmt", None, ["FAILED", "require.rows names fmt", "✗ verdict"]),
        ("gx10", "host", ["REJECTED", "NVIDIA Thor", "its cells: 24 passed, 12 de-claimed", "Held model: alpha"]),
        ("gx10", "kernel", ["HOLDS", "require.kernels is set", f"{FOLDER}/kernels-gx10.json"]),
        ("gx10", "conformance", ["HOLDS", "require.conformance is set", "✓ census"]),
        ("beta-q4_k_m.gguf", None, ["REJECTED", "gx10 and lambda hold it", "✗ weights", "5000, 6000"]),
        ("consumer-max", None, ["REJECTED", "the contexts file names it", "Consumer: writer", "✗ consumer"]),
        ("writer", None, ["writer is a part of it", "Consumer: writer", "1 more that nothing rejects"]),
        ("alpha-q4_k_m.gguf/4k", None, ["HOLDS", "owes the context 4k"]),
        ("qwen3", None, ["HOLDS", "cells.long gives the long contexts of qwen3", "✓ length"]),
        ("iq3-on-gx10", None, ["HOLDS", "it covers 2 obligations", "4590"]),
        ("beta-on-gx10", None, ["REJECTED", "✗ why", "The de-claim lacks its why."]),
        (f"{FOLDER}/gx10.json", None, ["HOLDS", "it gives 36 rows", "each keys onto something", "producer"]),
        (VERSION, None, ["REFUSED", "kinds were judged, and ", "v0.71.0 asks to be cut"]),
        ("v0.71.0", None, ["REFUSED", "v0.71.0 asks to be cut"]),
        (f"{FOLDER}/lambda.json, runs[36]", None, ["NAMED", "Owed by nothing: the model owes no such verb", "! cell"]),
        ("smoke", None, ["HOLDS", "✓ rulingWords", "0.71.0 ships on the smoke."]),
        ("lambda/beta-q4_k_m.gguf/run/think-off/4k", None, ["KNOWN FAILURE", "Decision: beta-times-out", "timed out after 900 s"]),
        ("beta-times-out", None, ["HOLDS", "✓ check", "4666"]),
    ],
)  # fmt: skip
def test_each_kind_says_what_it_is_and_why(label: str, shape: str | None, said: list[str], verdict: Verdict) -> None:
    text = " ".join(told(verdict, label, shape).split())
    for words in said:
        assert words in text, text


def test_a_label_of_several_kinds_lists_them(verdict: Verdict) -> None:
    text = told(verdict, "gx10")
    assert text.startswith("gx10 names 3 things in v0.71.0:\n")
    assert re.findall(r"^  (host[ a-z]*?)  +([A-Z]+)$", text, re.MULTILINE) == [
        ("host", "REJECTED"), ("host that owes kernels", "HOLDS"), ("host that owes conformance", "HOLDS"),
    ]  # fmt: skip
    assert re.findall(r"^  gate explain gx10 --shape (\w+) --tag v0.71.0$", text, re.MULTILINE) == [
        "host", "kernel", "conformance",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("label", "shape", "near"),
    [
        ("alpha", None, "alpha-q4_k_m.gguf"),
        ("gx11", None, "gx10"),
        ("dogfod", None, "dogfood"),
        ("gx10/kernel/router", None, "gx10/kernel/router_topk"),
        (CELL.replace("4k", "4kk"), None, CELL),
        ("Beta-Q4_K_M.gguf", None, "beta-q4_k_m.gguf"),
    ],
)
def test_an_unknown_label_suggests_near_ones(label: str, shape: str | None, near: str, verdict: Verdict) -> None:
    with pytest.raises(CallersError) as error:
        told(verdict, label, shape)
    assert f"\n  {near}" in str(error.value)


def test_a_label_that_resembles_nothing_says_where_names_stand(release: Release) -> None:
    done = gate_here(release.write(), "explain", "\x1b[31mzzz", "--tag", VERSION)
    assert (done.returncode, done.stdout) == (3, "")
    assert "\x1b" not in done.stderr
    assert "Names stand in every finding" in done.stderr


def test_a_shape_that_does_not_judge_it_is_named(release: Release) -> None:
    done = gate_here(release.write(), "explain", "gx10", "--shape", "cell", "--tag", VERSION)
    assert (done.returncode, "gx10 of v0.71.0 is judged by host" in done.stderr) == (3, True)


def test_lines_fit_and_no_word_stands_twice_in_a_row(verdict: Verdict) -> None:
    for label in dict.fromkeys(node.label for node in verdict.nodes.values()):
        for line in told(verdict, label).splitlines():
            assert line == line.rstrip()
            assert len(line) <= 110 or line.strip() in {label, verdict.nodes.get(label, label)}
            assert not re.search(r"\b([A-Za-z]+):? +\1\b", line), line


def test_color_is_for_terminals_only(release: Release) -> None:
    verdict, _ = judge(release.write())
    assert "\x1b[" not in explain.render(verdict, CELL)
    assert "\x1b[" in explain.render(verdict, CELL, color=True)


def test_a_terminal_is_as_wide_as_it_is(verdict: Verdict, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("TERM", "dumb")  # no colour, which is no part of a line's width
    lines = explain.render(verdict, "tokenizer/beta-q4_k_m.gguf").splitlines()
    assert max(map(len, lines)) <= 60
    assert any(line.startswith(" " * 21 + "few can differ") or "differ." in line for line in lines)


def test_many_members_are_counted_and_those_in_the_red_are_shown(release: Release) -> None:
    rows = [{"name": f"check {n}", "result": "fail" if n % 3 == 0 else "pass"} for n in range(90)]
    release.receipt("dogfood.json")["rows"] = rows
    verdict, _ = judge(release.write())
    text = told(verdict, "dogfood")
    assert text.count("Check: check") == 20
    assert "10 more that are rejected" in text


def test_a_recorded_text_can_not_drive_the_terminal(release: Release) -> None:
    release.row("lambda", "alpha-q4_k_m.gguf").update(verdict="fail", reason="\x1b[2J\x07\n\u202e PASSED")
    done = gate_here(release.write(), "explain", CELL, "--tag", VERSION)
    assert not set(done.stdout) & {"\x1b", "\x07", "\u202e"}
    assert not any(line.strip().startswith("PASSED") for line in done.stdout.splitlines())


def test_two_models_of_one_name_are_both_told(release: Release) -> None:
    for host in ("lambda", "gx10"):
        inventory = release.receipt(f"inventory-{host}.json")
        inventory["models"].append(inventory["models"][1] | {"file": "other-q4_k_m.gguf", "sha256": "4" * 64})
    release.receipt("inventory-gx10.json")["models"][3]["file"] = "beta2-q4_k_m.gguf"
    release.receipt("inventory-gx10.json")["models"][1]["sha256"] = "5" * 64
    verdict, _ = judge(release.write())
    text = told(verdict, "beta-q4_k_m.gguf")
    assert text.count("  model: An owed model") == 2
    assert all(digit * 64 in text for digit in "25")


def test_a_decision_that_has_not_begun_is_told(release: Release) -> None:
    release.claims = DECLAIM.replace('until = "0.72.0"', 'since = "0.72.0"\nuntil = "0.73.0"')
    verdict, _ = judge(release.write())
    text = told(verdict, "beta-on-gx10")
    assert "PENDING: it begins with a later release, and covers nothing yet." in text
    assert "0.73.0" in text
