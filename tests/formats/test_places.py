"""Where findings lie: the line that is named is the line that caused it, and where none is known none is named."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from gate.check import Request, check
from gate.reporting.places import Place, Places
from gate.verdict import Verdict
from tests.falsifiers.falsifier import judge
from tests.falsifiers.known_failure import shipped_red
from tests.falsifiers.test_table import TABLE
from tests.release import VERSION, Release, declaimed

FOLDER = f"receipts/{VERSION}"
RULES = {
    ("cell", "the row is gone"): "[[models.pinned]]",
    ("host", "no inventory"): "[[hosts]]",
    ("host", "two binaries on one host"): "[[hosts]]",
    ("kernel", "a host without a kernel receipt"): "kernels = true",
    ("long", "a representative that no required host holds"): 'representatives = { qwen3 = "nobody-has-it.gguf" }',
    ("parity", "nobody compared a prompt"): "[require.parity]",
    ("performance", "the runs had another configuration"): "[[claims.performance]]",
    ("refusal", "nobody asked for the refusal"): 'verbs = ["run", "chat", "serve", "code"]',
    ("release", "a glob that matches nothing"): 'owed = ["*q4_k*", "*q4-k*"]',
    ("suite", "the suite never ran"): 'suites = ["dogfood"]',
    ("suite_row", "the row is gone"): 'rows = ["fmt", "test all"]',
    ("tokenizer", "nobody compared the ids"): "tokenizer = true",
}
DECISIONS = {
    ("declaim", "no id"): "[[declaim]]",
    ("declaim", "the release that ends it is judged"): 'until = "0.71.0"',
    ("declaim", "the day on which it expires is over"): "[[declaim]]",
    ("declaim", "it is ruled tomorrow"): 'ruling = { by = "release owner", on = 2026-11-02',
    ("known_failure", "the cell passes now"): "[[known_failure]]",
    ("scope", "a name in it is misspelt"): 'models = ["alpha-q4_k_m.gguf", "beta*", "betta*"]',
    ("warning", "it was never run"): "[[declaim]]",
}


def _lines(verdict: Verdict, folder: Path, shape: str) -> list[tuple[str, str | None]]:
    """Return the file and the text of the line where each finding of a shape lies."""
    found = []
    for finding in verdict.findings:
        if finding.shape == shape:
            place = Places(verdict).of(finding)[0]
            text = (folder / place.path).read_text().split("\n")[place.line - 1] if place.line else None
            found.append((place.path, text))
    return found


@pytest.mark.parametrize(
    ("file", "kind", "name", "wanted"),
    [("gate.toml", *case, line) for case, line in RULES.items()]
    + [("claims.toml", *case, line) for case, line in DECISIONS.items()],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_the_line_is_the_one_that_asks_for_it(file: str, kind: str, name: str, wanted: str, release: Release) -> None:
    (falsifier,) = {f.name: f for k, f in TABLE if (k, f.name) == (kind, name)}.values()
    falsifier.change(release)
    verdict, _ = judge(release.write(), falsifier.edit)
    path, line = _lines(verdict, release.folder, kind)[0]
    assert (path, (line or "")[: len(wanted)]) == (file, wanted)


def _as_lines(release: Release, name: str, blank: int) -> None:
    """Write a run receipt as JSON Lines, with blank lines after the header."""
    document = release.documents.pop(f"{FOLDER}/{name}.json")
    rows = document.pop("runs")
    text = [json.dumps(document), *[""] * blank, *map(json.dumps, rows)]
    release.documents[f"{FOLDER}/{name}.jsonl"] = "\n".join(text)


def test_a_row_of_json_lines_has_its_line_blank_ones_counted(release: Release) -> None:
    row = release.row("lambda", "beta-q4_k_m.gguf", "chat")
    row.update(verdict="fail", reason="the one")
    _as_lines(release, "lambda", blank=3)
    verdict, _ = judge(release.write())
    ((path, line),) = _lines(verdict, release.folder, "cell")
    assert path == f"{FOLDER}/lambda.jsonl"
    assert line is not None
    assert json.loads(line)["reason"] == "the one"


def test_two_rows_of_one_cell_are_two_places(release: Release) -> None:
    row = release.row("lambda", "beta-q4_k_m.gguf")
    release.receipt("lambda.json")["runs"].append(dict(row))
    _as_lines(release, "lambda", blank=0)
    verdict, _ = judge(release.write())
    (finding,) = verdict.findings
    places = Places(verdict).of(finding)
    lines = (release.folder / f"{FOLDER}/lambda.jsonl").read_text().split("\n")
    assert len(places) == 2
    assert [json.loads(lines[(place.line or 0) - 1]) for place in places] == [row, row]


def test_a_row_of_one_json_object_has_a_file_and_no_line(release: Release) -> None:
    release.row("lambda", "beta-q4_k_m.gguf")["verdict"] = "fail"
    verdict, _ = judge(release.write())
    assert Places(verdict).of(verdict.findings[0]) == (Place(f"{FOLDER}/lambda.json"),)


@pytest.mark.parametrize("change", [lambda text: text.replace("\n", "\r\n"), lambda text: "\n\n# a comment\n" + text])
def test_lines_are_counted_as_an_editor_does(change: Callable[[str], str], release: Release) -> None:
    del release.receipt("gx10.json")["runs"][0]
    release.rules = change(release.rules)
    folder = release.folder
    release.write()
    (folder / "gate.toml").write_bytes(release.rules.encode())
    verdict = check(Request(folder / "gate.toml", VERSION, now=datetime.datetime(2026, 11, 1, tzinfo=datetime.UTC)))
    (place,) = Places(verdict).of(verdict.findings[0])
    assert place.line is not None
    assert (folder / "gate.toml").read_text().splitlines()[place.line - 1].startswith("verbs = ")


def test_an_item_of_a_list_over_several_lines_has_its_own_line(release: Release) -> None:
    release.receipt("gx10.json")["runs"].remove(release.row("gx10", "alpha-q4_k_m.gguf", "serve"))
    release.rules = release.rules.replace(
        '["run", "chat", "serve", "code"]', '[\n  "run", "chat",\n  "serve",\n  "code",\n]'
    )
    verdict, _ = judge(release.write())
    ((_, line),) = _lines(verdict, release.folder, "cell")
    assert line == '  "serve",'


def test_of_several_decisions_each_has_its_own_line(release: Release) -> None:
    declaimed(release)
    assert release.claims is not None
    release.claims += '[[declaim]]\nhost = "gx10"\nverb = "nothing"\nissue = 1\nuntil = "0.72.0"\nwhy = "w"\n'
    release.claims += 'ruling = { by = "b", on = 2026-01-01, words = "w" }\n'
    verdict, _ = judge(release.write())
    second = release.claims.split("\n").index("[[declaim]]", 2)
    assert {Places(verdict).of(finding) for finding in verdict.findings} == {(Place("claims.toml", second + 1),)}
    assert {finding.property for finding in verdict.findings} == {"id", "covers"}


def test_what_a_shape_of_the_projects_own_rejects_lies_in_the_receipt(release: Release) -> None:
    release.documents["shapes/speed.ttl"] = (
        "@prefix gate: <https://w3id.org/taggate/ns#> .\n@prefix sh: <http://www.w3.org/ns/shacl#> .\n"
        "<https://example.org/speed> a sh:PropertyShape ; sh:targetClass gate:Row ; sh:path gate:seconds ;\n"
        '  sh:maxInclusive 40.0 ; sh:message "Slow." .\n'
    )
    release.row("gx10", "beta-q4_k_m.gguf").pop("seconds")
    verdict, _ = judge(release.write())
    assert {place.path for finding in verdict.findings for place in Places(verdict).of(finding)} == {
        f"{FOLDER}/gx10.json", f"{FOLDER}/lambda.json",
    }  # fmt: skip


def test_a_known_failure_that_is_red_lies_at_its_decision(release: Release) -> None:
    shipped_red(release)
    release.row("gx10", "beta-q4_k_m.gguf").update(verdict="pass", exit_code=0)
    verdict, _ = judge(release.write())
    assert _lines(verdict, release.folder, "known_failure") == [("claims.toml", "[[known_failure]]")]
