"""The whole line: what is refused, what is declined, and that a crash is never a verdict."""

from __future__ import annotations

import datetime
import json
import os
import random
import shutil
from pathlib import Path
from typing import Any

import pytest
from pyshacl.shape import Shape
from rdflib import Graph, URIRef

from gate import obligations
from gate.__main__ import run
from gate.check import Request, check
from gate.errors import CallersError, Declined
from gate.judging import judge as judging
from gate.judging.judge import Result
from gate.judging.pyshacl_engine import PySHACL
from gate.obligations import kinds
from gate.shape_files import Shapes
from tests.falsifiers.falsifier import CELL, CELL_IRI, judge
from tests.release import COMMIT, DECLAIM, NOW, RULES, VERSION, Release, declaimed, gate, green, judged


def request(release: Release, now: str = NOW) -> Request:
    return Request(release.write() / "gate.toml", VERSION, now=datetime.datetime.fromisoformat(now))


# ------------------------------------------------------------------ what is owed


def test_a_model_without_a_length_owes_its_short_contexts_only_and_is_red(release: Release) -> None:
    for host in ("lambda", "gx10"):
        del release.receipt(f"inventory-{host}.json")["models"][1]["context_length"]
    verdict, _ = judge(release.write())
    cells = {c.label for c in verdict.cells if "beta" in c.label}
    assert {label.rpartition("/")[2] for label in cells} == {"4k"}
    assert [f.reason for f in verdict.violations] == ["unmeasured"]


def test_a_context_beyond_a_models_length_is_not_owed(release: Release) -> None:
    for host in ("lambda", "gx10"):
        release.receipt(f"inventory-{host}.json")["models"][1]["context_length"] = 5000
        for row in release.receipt(f"{host}.json")["runs"]:
            if row["model"]["file"].startswith("beta") and row["context"] == "declared":
                row["prompt_tokens"] = 5000
    verdict, _ = judge(release.write())
    tokens = {
        c.label.rpartition("/")[2]: dict(c.node.facts)["contextTokens"] for c in verdict.cells if "beta" in c.label
    }
    assert tokens == {"4k": 4096, "declared": 5000}
    assert verdict.conforms
    assert verdict.orphan_rows == 8


def test_a_workspace_may_differ_by_host(release: Release) -> None:
    for host, workspace in (("lambda", 100), ("gx10", 300)):
        terms = {"weights_bytes": 5000, "kv_bytes_per_token": 2, "workspace_bytes": workspace}
        release.receipt(f"inventory-{host}.json")["models"][1] |= terms
        release.receipt(f"inventory-{host}.json")["gpu"]["memory_bytes"] = 1_000_000
    verdict, _ = judge(release.write())
    assert verdict.findings == ()


def test_a_representative_stands_for_no_longer_model_only_where_contexts_have_sizes(release: Release) -> None:
    release.rules = RULES.replace(
        "[models]", '[cells.long]\nrepresentatives = { qwen3 = "alpha-q4_k_m.gguf" }\n[models]'
    )
    release.rules = release.rules.replace('contexts = "receipts/contexts.json"', "").replace(
        "thinking = true", 'thinking = true\ncontexts = ["4k"]'
    )
    for host in ("lambda", "gx10"):
        release.receipt(f"inventory-{host}.json")["models"][1] |= {"arch": "qwen3", "context_length": 99_999}
    verdict, _ = judge(release.write())
    assert verdict.conforms


def test_unmeasured_markers_owe_both_thinking_modes(release: Release) -> None:
    for host in ("lambda", "gx10"):
        del release.receipt(f"inventory-{host}.json")["models"][1]["template_markers"]
    verdict, _ = judge(release.write())
    assert verdict.states == {"passed": 72, "missing": 24}


def test_a_prompt_that_always_opens_a_think_block_owes_thinking_only(release: Release) -> None:
    for host in ("lambda", "gx10"):
        release.receipt(f"inventory-{host}.json")["models"][1]["template_markers"] = ["<think>"]
    verdict, _ = judge(release.write())
    assert verdict.states == {"passed": 48, "missing": 24}
    assert verdict.orphan_rows == 24


def test_without_the_axis_there_are_no_modes(release: Release) -> None:
    release.rules = RULES.replace("thinking = true", "thinking = false")
    verdict, _ = judge(release.write())
    assert verdict.states == {"passed": 48}
    assert verdict.orphan_rows == 24
    assert verdict.cells[0].label == "gx10/alpha-q4_k_m.gguf/run/4k"


def test_a_pinned_model_is_owed_where_nobody_holds_it(release: Release) -> None:
    release.rules += f'\n[[models.pinned]]\nfile = "gone.gguf"\nsha256 = "{"9" * 64}"\nhosts = ["gx10"]\n'
    verdict, _ = judge(release.write())
    missing = [c for c in verdict.cells if c.state == "missing"]
    # nobody measured its thinking or its length: both modes, and the contexts that every model has
    assert {c.label.split("/")[1] for c in missing} == {"gone.gguf"}
    assert len(missing) == 4 * 2
    assert {f.shape for f in verdict.violations} == {"model", "cell"}


def test_one_sha256_under_two_names_is_one_model(release: Release) -> None:
    models = release.receipt("inventory-gx10.json")["models"]
    models.append(models[1] | {"file": "beta-copy-q4_k_m.gguf"})
    verdict, _ = judge(release.write())
    assert verdict.conforms
    assert verdict.states == {"passed": 72}
    assert sum("beta-copy-q4_k_m.gguf" in c.label for c in verdict.cells) == 12


def test_two_models_of_one_name_on_one_host_are_told_apart(release: Release) -> None:
    twin = json.loads(json.dumps(release.receipt("inventory-gx10.json")))
    twin["models"] = [twin["models"][1] | {"sha256": "8" * 64}]
    release.documents[f"receipts/{VERSION}/inventory-more.json"] = twin
    verdict, _ = judge(release.write())
    missing = {c.label.split("/")[1] for c in verdict.cells if c.state == "missing"}
    assert missing == {"beta-q4_k_m.gguf@888888888888"}
    assert len({c.label for c in verdict.cells}) == len(verdict.cells)


def test_an_alias_measures_for_its_host(release: Release) -> None:
    for name in ("lambda.json", "inventory-lambda.json"):
        release.receipt(name)["host"] = "lambda-vector"
    verdict, _ = judge(release.write())
    assert verdict.findings == ()


def test_the_rows_of_one_host_never_serve_another(release: Release) -> None:
    release.receipt("gx10.json")["host"] = "lambda"
    verdict, _ = judge(release.write())
    assert verdict.states == {"failed": 36, "missing": 36}
    assert {f.reason for f in verdict.violations} == {"ambiguous", "missing", "contradicted"}


def test_unsized_contexts_ask_for_a_prompt(release: Release) -> None:
    release.rules = RULES.replace('contexts = "receipts/contexts.json"\n', "").replace(
        "thinking = true", 'thinking = true\ncontexts = ["4k"]'
    )
    release.row("lambda", "alpha-q4_k_m.gguf")["prompt_tokens"] = 0
    verdict, _ = judge(release.write())
    assert [(f.focus, f.property) for f in verdict.violations] == [(CELL, "contextMet")]
    assert verdict.states == {"passed": 23, "failed": 1}


def test_long_contexts_are_owed_by_families_and_representatives(release: Release) -> None:
    release.rules = RULES.replace(
        "[models]", '[cells.long]\nfamilies = ["qwen35"]\nrepresentatives = { qwen3 = "other.gguf" }\n\n[models]'
    )
    verdict, _ = judge(release.write())
    contexts = {(c.label.split("/")[1][:5], c.label.rpartition("/")[2]) for c in verdict.cells}
    assert contexts == {("alpha", "4k"), ("beta-", "4k"), ("beta-", "consumer-max"), ("beta-", "declared")}


@pytest.mark.parametrize(
    ("selector", "covered"),
    [
        ('model = "beta-q4_k_m.gguf"', 24), ('model = "beta*"', 24), ('model = "beta"', 0), ('model = "BETA-q4_k_m.gguf"', 0),
        ('arch = "qwen35"', 24), ('host = "gx10"', 36), ('host = "gx*"', 36), ('compute = "sm_121"', 36), ('compute = "12.0"', 0),
        ('verb = "run"', 18), ('verb = "ru"', 0), ('context = "declared"', 24), ('thinking = "on"', 24),
        ('host = "gx10"\nverb = "run"\ncontext = "4k"\nthinking = "on"', 1), ('kernel = "x"', 0),
    ],
)  # fmt: skip
def test_a_declaim_covers_what_it_selects_and_nothing_more(selector: str, covered: int, release: Release) -> None:
    release.rules = RULES.replace(RULES[RULES.index("[[models.pinned]]") : RULES.index("[require]")], "")
    release.claims = DECLAIM.replace('arch = "qwen35"\nhost = "gx10"', selector)
    verdict, _ = judge(release.write())
    assert verdict.states["declaimed"] == covered
    assert [f.reason for f in verdict.findings] == ["claimable" if covered else "stale"]
    for one in verdict.declaimed[0].cells:
        release.row(
            one.node.about.host, one.node.about.model, *map(str, one.label.replace("think-", "").split("/")[2:])
        )["verdict"] = "error"
    verdict, _ = judge(release.write())
    assert verdict.conforms == (covered > 0)
    assert sum(len(d.cells) for d in verdict.declaimed) == covered


def test_a_declaim_by_alias_covers_the_host(release: Release) -> None:
    release.claims = DECLAIM.replace('host = "gx10"', 'host = "lambda-vector"')
    verdict, _ = judge(release.write())
    assert verdict.states["declaimed"] == 12


@pytest.mark.parametrize(
    ("lines", "in_force"),
    [('since = "0.71.0"', True), ('since = "0.71.1"', False), ('since = "0.60.0"', True), ("", True)],
)
def test_a_declaim_begins_with_its_release(lines: str, in_force: bool, release: Release) -> None:
    declaimed(release, DECLAIM.replace('until = "0.72.0"', f'until = "0.72.0"\n{lines}'))
    verdict, _ = judge(release.write())
    assert verdict.states["declaimed"] == (12 if in_force else 0)
    assert [f.property for f in verdict.findings] == ([] if in_force else ["verdict"])


def test_a_candidate_of_the_restoring_release_is_still_before_it(release: Release) -> None:
    release.documents = {p.replace(f"/{VERSION}/", "/0.72.0-rc.1/"): d for p, d in release.documents.items()}
    for path, document in release.documents.items():
        if path.startswith("receipts/0.72.0-rc.1/") and isinstance(document, dict):
            document["release"]["version"] = "0.72.0-rc.1"
    del release.documents["receipts/0.72.0-rc.1/release.toml"]
    release.claims = DECLAIM
    gx10 = release.documents["receipts/0.72.0-rc.1/gx10.json"]
    next(row for row in gx10["runs"] if row["model"]["file"] == "beta-q4_k_m.gguf")["verdict"] = "error"
    folder = release.write()
    verdict = check(Request(folder / "gate.toml", "v0.72.0-rc.1", COMMIT))
    assert verdict.findings == ()
    assert verdict.states["declaimed"] == 12


# ------------------------------------------------------------------ what is declined


def test_requirements_that_no_shape_judges_are_declined(release: Release, monkeypatch: pytest.MonkeyPatch) -> None:
    known = {name: kind for name, kind in kinds().items() if name != "kernel"}
    monkeypatch.setattr(obligations, "kinds", lambda: known)
    release.rules = RULES.replace("[require]", "[require]\nkernels = true")
    with pytest.raises(Declined, match=r"require\.kernels: this gate has no shape for it yet"):
        check(request(release))


def test_a_release_that_owes_no_cell_is_declined(release: Release) -> None:
    release.rules = RULES.replace(
        RULES[RULES.index("[models]") : RULES.index("[require]")], '[models]\nowed = ["nothing"]\n'
    )
    with pytest.raises(Declined, match="the shape cell found nothing to judge"):
        check(request(release))


def test_a_declaim_of_everything_leaves_nothing_to_judge(release: Release) -> None:
    release.claims = DECLAIM.replace('arch = "qwen35"\nhost = "gx10"', 'quant = "Q4_K_M"')
    with pytest.raises(Declined, match="the shape cell found nothing to judge"):
        check(request(release))


def test_no_clock_is_chosen_before_the_newest_receipt(release: Release) -> None:
    with pytest.raises(CallersError, match="was measured at 2026-10-12T09:00:00Z, after the moment of judging"):
        check(request(release, "2026-10-12T08:59:59Z"))
    assert check(request(release, "2026-10-12T09:00:00Z")).conforms


def test_a_receipt_from_the_future_is_declined(release: Release) -> None:
    release.receipt("gx10.json")["measured_at"] = "2999-01-01T00:00:00Z"
    with pytest.raises(Declined, match="the clock can't be trusted"):
        check(Request(release.write() / "gate.toml", VERSION))


class Broken(PySHACL):
    """An engine with a fault."""

    def __init__(self, fault: BaseException | list[Result]) -> None:
        self.fault = fault

    def results(self, graph: Graph, shapes: Shapes) -> list[Result]:
        assert graph
        assert shapes.files
        if isinstance(self.fault, BaseException):
            raise self.fault
        return self.fault


def test_a_result_of_an_unknown_shape_is_declined(release: Release) -> None:
    alien = [Result("https://example.org/x", "MinCount", "https://example.org/y", None, "violation")]
    with pytest.raises(Declined, match=r"names the shape https://example\.org/x, which no file holds"):
        check(request(release), Broken(alien))


@pytest.mark.parametrize(
    "fault", [RuntimeError("boom"), MemoryError(), RecursionError(), KeyError("x"), SystemExit(0), AssertionError()]
)
@pytest.mark.parametrize(
    "step",
    [
        "gate.ledger.read",
        "gate.shape_files.read",
        "gate.nodes.Nodes.of",
        "gate.judging.judge.judge",
        "gate.verdict.compose",
    ],
)
def test_a_crash_of_any_step_ends_in_2(
    step: str,
    fault: BaseException,
    release: Release,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fails(*_: Any, **__: Any) -> None:
        raise fault

    monkeypatch.chdir(release.write())
    monkeypatch.setattr(step, fails)
    assert run(["check", "--tag", VERSION, "--now", NOW]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert f"the gate itself failed, and judged nothing: {type(fault).__name__}" in said.err
    assert "No tag may be cut on this" in said.err


def test_pyshacl_failing_is_never_a_verdict(release: Release, monkeypatch: pytest.MonkeyPatch) -> None:
    import pyshacl

    monkeypatch.setattr(
        pyshacl, "validate", lambda *_, **__: (True, pyshacl.errors.ValidationFailure("broken"), "broken")
    )
    with pytest.raises(Declined, match="pyshacl can't judge: broken"):
        check(request(release), PySHACL())
    monkeypatch.setattr(pyshacl, "validate", lambda *_, **__: (True, Graph(), ""))
    with pytest.raises(Declined, match="verdict and its report disagree"):
        check(request(release), PySHACL())


def test_pyshacl_failing_over_one_shape_is_never_a_verdict(release: Release, monkeypatch: pytest.MonkeyPatch) -> None:
    release.row("lambda", "alpha-q4_k_m.gguf")["verdict"] = "fail"
    judged = Shape.validate
    monkeypatch.setattr(Shape, "validate", lambda *given, **named: (True, judged(*given, **named)[1]))
    with pytest.raises(Declined, match="verdict and its report disagree"):
        check(request(release))
    monkeypatch.setattr(Shape, "validate", lambda *given, **_: judged(*given, focus=[URIRef(CELL_IRI)]))
    with pytest.raises(Declined, match="which it wasn't given"):
        check(request(release))


# ------------------------------------------------------------------ the same bytes


def test_the_verdict_is_the_same_bytes_whatever_the_order_locale_or_time_zone(tmp_path: Path) -> None:
    outputs = set()
    environment = dict(os.environ)
    for index, extra in enumerate(({}, {"LC_ALL": "C", "TZ": "Asia/Tokyo"}, {"LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "7"}, {"PYTHONHASHSEED": "8"})):  # fmt: skip
        release = green(tmp_path / str(index))
        release.claims = DECLAIM
        del release.receipt("gx10.json")["runs"][3:9]
        release.row("lambda", "alpha-q4_k_m.gguf")["verdict"] = "fail"
        documents = list(release.documents.items())
        random.Random(index).shuffle(documents)  # noqa: S311 - an order, not a secret
        release.documents = dict(documents)
        for form in (["--format", "json"], ["--format", "text"]):
            done = gate(release.write(), "check", "--tag", VERSION, "--now", NOW, *form, env=environment | extra)
            assert done.returncode == 1
            outputs.add((form[1], done.stdout))
    assert len(outputs) == 2


def test_the_graph_is_the_same_bytes_in_every_format(release: Release) -> None:
    folder = release.write()
    for form in ("ttl", "nt", "jsonld"):
        seeds = [
            gate(folder, "graph", "--tag", VERSION, "--format", form, env=dict(os.environ, PYTHONHASHSEED=str(s)))
            for s in (1, 2)
        ]
        assert {s.returncode for s in seeds} == {0}
        assert seeds[0].stdout == seeds[1].stdout
        parsed = Graph().parse(data=seeds[0].stdout, format={"ttl": "turtle", "nt": "nt", "jsonld": "json-ld"}[form])
        assert len(parsed) > 1000


def test_the_exported_graph_judged_alone_gives_the_same_results(release: Release) -> None:
    """Anyone can check the gate: pyshacl over the exported graph and the shape files finds what the verdict says."""
    import pyshacl
    from rdflib.namespace import SH

    from gate import shape_files

    release.row("lambda", "alpha-q4_k_m.gguf")["verdict"] = "fail"
    del release.receipt("gx10.json")["runs"][0]
    folder = release.write()
    verdict = judged(folder)
    data = Graph().parse(data=gate(folder, "graph", "--tag", VERSION, "--format", "nt").stdout, format="nt")
    shapes = Graph()
    for path in shape_files.own_folder().glob("*.ttl"):
        shapes.parse(path)
    conforms, report, _ = pyshacl.validate(data, shacl_graph=shapes)
    assert not conforms
    assert len(set(report.subjects(SH.resultSeverity, SH.Violation))) == len(verdict["findings"]) == 2


# ------------------------------------------------------------------ the house


def test_every_kind_of_obligation_has_a_shape_of_its_name() -> None:
    from gate import shape_files

    assert set(kinds()) == set(shape_files.read(Path("none")).files)


def test_the_judge_is_one_small_interface() -> None:
    assert [name for name in vars(judging.Engine) if not name.startswith("_")] == ["judge"]


def test_a_broken_copy_of_the_release_never_passes(release: Release) -> None:
    """Every file of the release, taken away by itself: nothing but red, declined or an error comes of it."""
    folder = release.write()
    for path in sorted(p for p in folder.rglob("*") if p.is_file() and p.name != "release.toml"):
        copy = folder.parent / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(folder, copy)
        (copy / path.relative_to(folder)).unlink()
        done = gate(copy, "check", "--tag", VERSION, "--now", NOW)
        assert done.returncode in {1, 2, 3}, path
