"""Ways in which the gate was fooled once, or could have been. Each starts from the green release and must not end in 0."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.release import DECLAIM, NOW, RULES, SHA256, VERSION, Release, gate, gate_here
from tests.test_freshness import IGNORE, history, stale, verdict
from tests.test_shape_files import PREFIXES, with_shapes
from tests.test_subject import git

FOLDER = f"receipts/{VERSION}"
CHECK = ("check", "--tag", VERSION, "--now", NOW)


def judged(release: Release, code: int) -> str:
    done = gate_here(release.write(), *CHECK, "--format", "json")
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


# ------------------------------------------------------------------ what is owed


def _drop_alpha(release: Release) -> None:
    """Nobody holds the pinned model any more, and only its short cells were run."""
    for host in ("lambda", "gx10"):
        del release.receipt(f"inventory-{host}.json")["models"][0]
        rows = release.receipt(f"{host}.json")["runs"]
        rows[:] = [
            r for r in rows if r["model"]["file"].startswith("beta") or (host == "lambda" and r["context"] == "4k")
        ]


def _other_under_pinned_name(release: Release) -> None:
    release.rules = RULES.replace('owed = ["*q4_k*"]', 'owed = ["beta*"]')
    release.receipt("inventory-lambda.json")["models"][0]["sha256"] = "9" * 64


def _huge_consumer(release: Release) -> None:
    release.documents["receipts/contexts.json"]["consumers"][0]["max_prompt_tokens"] = 2**53


def _row_of_another_file(release: Release) -> None:
    for row in release.receipt("lambda.json")["runs"]:
        row["model"]["file"] = "beta-q4_k_m.gguf"


def _inventory_without_what_ran(release: Release) -> None:
    """The inventory loses a model whose failing runs stay."""
    for host in ("lambda", "gx10"):
        del release.receipt(f"inventory-{host}.json")["models"][1]
        for row in release.receipt(f"{host}.json")["runs"]:
            if row["model"]["sha256"] == SHA256["beta-q4_k_m.gguf"]:
                row["verdict"] = "fail"


def _unbound_rows(release: Release) -> None:
    release.documents[f"{FOLDER}/release.toml"] += f'[binaries]\nlambda = "{"a" * 64}"\n'
    rows = release.receipt("lambda.json")["runs"]
    bound = release.receipt("lambda.json") | {"runs": rows[:1]}
    release.documents[f"{FOLDER}/bound.json"] = json.loads(json.dumps(bound))
    del release.receipt("lambda.json")["release"]["binary_sha256"], rows[0]


def _go_over_skips(release: Release) -> None:
    release.receipt("dogfood.json")["rows"] = [{"name": "fmt", "result": "skip"}]


@pytest.mark.parametrize(
    ("attack", "said"),
    [
        (_drop_alpha, "The model has no context length"),
        (_other_under_pinned_name, "The file is not the one that the rules pin"),
        (_huge_consumer, "No owed model is long enough for this context"),
        (_row_of_another_file, "file and sha256 are not of one model"),
        (_inventory_without_what_ran, "ran a model that its inventory doesn't list"),
        (_unbound_rows, "not known to have measured the release's binary"),
        (_go_over_skips, "No check of the suite passed"),
    ],
)
def test_what_is_owed_can_not_be_talked_away(attack: Callable[[Release], None], said: str, release: Release) -> None:
    attack(release)
    assert said in judged(release, 1)


def test_a_name_with_brackets_selects_itself_alone(release: Release) -> None:
    for host in ("lambda", "gx10"):
        for receipt in (
            release.receipt(f"inventory-{host}.json")["models"],
            [r["model"] for r in release.receipt(f"{host}.json")["runs"]],
        ):
            for model in receipt:
                model["file"] = {"alpha-q4_k_m.gguf": "m1-q4_k.gguf", "beta-q4_k_m.gguf": "m[12]-q4_k.gguf"}.get(
                    model["file"], model["file"]
                )
    release.rules = RULES.replace(RULES[RULES.index("[[models.pinned]]") : RULES.index("[require]")], "")
    release.claims = DECLAIM.replace('arch = "qwen35"\nhost = "gx10"', 'model = "m[12]-q4_k.gguf"')
    release.row("gx10", "m[12]-q4_k.gguf")["verdict"] = "error"
    assert json.loads(judged(release, 0))["counts"]["cells"]["declaimed"] == 24


# ------------------------------------------------------------------ what is malformed


def _rules(old: str, new: str) -> Callable[[Release], None]:
    return lambda release: setattr(release, "rules", RULES.replace(old, new))


def _contexts(name: str) -> Callable[[Release], None]:
    return lambda release: release.documents["receipts/contexts.json"]["contexts"].append(
        {"name": name, "tokens": 1, "source": ["x"]}
    )


def _lookalike_suite(release: Release) -> None:
    release.documents[f"{FOLDER}/other.json"] = release.receipt("dogfood.json") | {
        "suite": "Dogfood",
        "verdict": "no-go",
    }


@pytest.mark.parametrize(
    ("attack", "said"),
    [
        (_rules('hosts = ["lambda"]', 'hosts = ["laptop"]'), "names the host 'laptop', which owes nothing"),
        (_rules("[require]", '[freshness]\nignore = ["?*"]\n[require]'), "ignores everything"),
        (_rules("[require]", '[freshness]\nignore = ["[!_]*/**"]\n[require]'), "ignores everything"),
        (_rules('name = "demo"', 'name = "demo"\ntag = "v{version}\\u001b[2J"'), "U+001B"),
        (_rules('contexts = "receipts/contexts.json"', 'contexts = "receipts/\\u0000.json"'), "U+0000"),
        (_contexts("Consumer-Max"), "differ only by case or Unicode form"),
        (_contexts("DECLARED"), "only looks like declared"),
        (_lookalike_suite, "differs from 'Dogfood' only by case"),
        (
            lambda r: r.documents.update({f"{FOLDER}/Release.toml": "x"}),
            f"only {FOLDER}/release.toml says what the release is",
        ),
        (
            lambda r: r.documents.update({f"{FOLDER}/sub/release.toml": "x"}),
            f"only {FOLDER}/release.toml says what the release is",
        ),
        (
            lambda r: setattr(r, "claims", DECLAIM.replace("Correct, but slow.", "\u200b ")),
            "declaim[0].why: '\\u200b ' is blank",
        ),
        (lambda r: r.documents.update({"shapes": "x"}), "shapes: it is no folder"),
        (
            lambda r: r.documents.update({"shapes/strict.TTL": "x"}),
            "shapes/strict.TTL: it is no *.ttl file, and would not be read",
        ),
        (lambda r: r.receipt("inventory-gx10.json")["models"][1].update(file="q4_k\u202efugg.x"), "U+202E"),
    ],
)
def test_what_only_looks_right_is_refused(attack: Callable[[Release], None], said: str, release: Release) -> None:
    attack(release)
    assert said in judged(release, 3)


BODY = "sh:targetClass gate:Cell ; sh:property"


@pytest.mark.parametrize(
    ("shapes", "said"),
    [
        (f"my:S a sh:NodeShape ; {BODY} [ sh:path gate:receipt ; sh:disjoint my:nothing ] .", "the graph has no such property"),
        (f"my:S a sh:NodeShape ; {BODY} [ sh:path gate:receipt ; sh:lessThan my:nothing ] .", "the graph has no such property"),
        (f"my:S a sh:NodeShape ; {BODY} [ sh:path gate:receipt ; sh:minCount 0 ] .", "constrains nothing"),
        ("my:S a sh:NodeShape ; sh:targetClass gate:Cell ; sh:closed false .", "constrains nothing"),
        ("my:S a sh:NodeShape ; sh:targetClass gate:Cell ; sh:not my:S .", "leads back to itself"),
        ("my:S a sh:NodeShape ; sh:targetClass gate:Cell ; sh:not my:T . my:T a sh:NodeShape ; sh:not my:S .", "leads back to itself"),
        (f"my:S a sh:NodeShape ; {BODY} [ sh:path ( gate:receipt ) ; sh:order \"x\" ; sh:minCount 1 ] .", "sh:order is x"),
        (f"my:S a sh:NodeShape ; {BODY} [ sh:path gate:receipt ; sh:minCount -1 ] .", "no whole number"),
        (f"my:S a sh:NodeShape ; {BODY} [ sh:path gate:receipt ; sh:minCount 1, 2 ] .", "shapes"),
        (f'my:S a sh:NodeShape ; {BODY} [ sh:path gate:receipt ; sh:maxInclusive "1e9999999999"^^<http://www.w3.org/2001/XMLSchema#decimal> ] .', "is no number to compare with"),
        (f"my:S a sh:NodeShape ; {BODY} [ sh:path _:l ; sh:minCount 1 ] . _:l <http://www.w3.org/1999/02/22-rdf-syntax-ns#first> gate:receipt ; <http://www.w3.org/1999/02/22-rdf-syntax-ns#rest> _:l .", "does not go from item to item to its end"),
        ("<http://www.w3.org/1999/02/22-rdf-syntax-ns#nil> <http://www.w3.org/1999/02/22-rdf-syntax-ns#first> gate:fail .", "another vocabulary's term"),
        (f'my:S a sh:NodeShape ; {BODY} [ sh:path gate:receipt ; sh:minCount 1 ; sh:message "x"@not_a_language ] .', "it is not Turtle"),
        (f"my:S a sh:NodeShape ; {BODY} [ sh:path () ; sh:in ( gate:fail ) ] .", "the graph has no such property"),
        (f"my:S a sh:NodeShape ; {BODY} [ sh:path ( gate:receipt () ) ; sh:in ( gate:fail ) ] .", "the graph has no such property"),
        (f"my:S a sh:NodeShape ; {BODY} [ sh:path gate:receipt ; sh:qualifiedMinCount 0 ; sh:qualifiedValueShape [ sh:nodeKind sh:Literal ] ] .", "constrains nothing"),
        ('my:S a sh:PropertyShape ; sh:targetSubjectsOf gate:seconds ; sh:path gate:seconds ; sh:minInclusive "2026-01-01"^^<http://www.w3.org/2001/XMLSchema#date> .', "sh:minInclusive is 2026-01-01, which is no number"),
        (f'my:S a sh:NodeShape ; {BODY} [ sh:path gate:receipt ; sh:minCount 1 ; sh:order "2026-01-01"^^<http://www.w3.org/2001/XMLSchema#date> ] .', "sh:order is 2026-01-01, which is no number"),
    ],
)  # fmt: skip
def test_a_shape_that_judges_nothing_is_refused(shapes: str, said: str, release: Release) -> None:
    assert said in judged(with_shapes(release, shapes), 3)


# What no number is compared with: pyshacl orders it all the same, and passes what SHACL calls a violation.
@pytest.mark.parametrize(
    ("constraint", "end"),
    [
        ("sh:path gate:fresh ; sh:maxInclusive 3", "gate:fresh"),
        ("sh:path gate:fresh ; sh:or ( [ sh:maxInclusive 3 ] )", "gate:fresh"),
        ("sh:path gate:fresh ; sh:node [ sh:not [ sh:and ( [ sh:minExclusive 3 ] ) ] ]", "gate:fresh"),
        ("sh:path gate:fresh ; sh:qualifiedValueShape [ sh:maxInclusive 3 ] ; sh:qualifiedMinCount 1", "gate:fresh"),
        ("sh:path ( gate:cell gate:pinned ) ; sh:maxInclusive 3", "gate:pinned"),
        ("sh:path [ sh:alternativePath ( gate:seconds gate:fresh ) ] ; sh:maxInclusive 3", "gate:fresh"),
        ("sh:path [ sh:zeroOrOnePath gate:fresh ] ; sh:maxInclusive 3", "gate:fresh"),
        ("sh:path gate:reason ; sh:maxInclusive 3", "gate:reason"),
        ("sh:path gate:fresh ; sh:lessThanOrEquals gate:seconds", "gate:fresh"),
        ("sh:path gate:seconds ; sh:lessThan gate:file", "gate:file"),
        ("sh:path gate:cell ; sh:lessThanOrEquals gate:cell", "gate:cell"),
        ("sh:path [ sh:inversePath gate:receipt ] ; sh:lessThan gate:seconds", "what it is led to from"),
    ],
)
def test_what_is_no_number_is_never_compared_with_one(constraint: str, end: str, release: Release) -> None:
    said = judged(with_shapes(release, f"my:S a sh:PropertyShape ; sh:targetClass gate:CellRow ; {constraint} ."), 3)
    assert "compares numbers, and" in said
    assert end in said


def test_a_literal_that_is_targeted_and_no_number_is_never_compared_with_one(release: Release) -> None:
    shape = "my:S a sh:NodeShape ; sh:targetObjectsOf gate:fresh ; sh:maxInclusive 3 ."
    assert "compares numbers, and the values of gate:fresh are none" in judged(with_shapes(release, shape), 3)


@pytest.mark.parametrize(
    ("constraint", "code"),
    [
        ("sh:path gate:promptTokens ; sh:maxInclusive 3", 1),
        ("sh:path gate:promptTokens ; sh:minInclusive 3", 0),
        ("sh:path ( gate:cell gate:contextTokens ) ; sh:or ( [ sh:maxInclusive 3 ] )", 1),
        ("sh:path gate:promptTokens ; sh:lessThan gate:contextTokens", 1),
        ("sh:path gate:promptTokens ; sh:lessThanOrEquals gate:contextLength", 0),
        ("sh:path [ sh:inversePath gate:receipt ] ; sh:maxInclusive 3", 1),  # no IRI is within a bound
    ],
)
def test_numbers_are_compared(constraint: str, code: int, release: Release) -> None:
    judged(with_shapes(release, f"my:S a sh:PropertyShape ; sh:targetClass gate:CellRow ; {constraint} ."), code)


def test_a_typed_string_is_the_string_that_the_graph_holds(release: Release) -> None:
    text = f'my:S a sh:NodeShape ; {BODY} [ sh:path ( gate:receipt gate:place ) ; sh:not [ sh:hasValue "runs[0]"^^<http://www.w3.org/2001/XMLSchema#string> ] ] .'
    assert '"focus": "gx10/alpha-q4_k_m.gguf/run/think-off/4k"' in judged(with_shapes(release, text), 1)


@pytest.mark.parametrize("constraint", ["sh:hasValue", "sh:class"])
def test_a_constraint_that_names_the_class_of_property_shapes_is_judged(constraint: str, release: Release) -> None:
    text = f"my:S a sh:PropertyShape ; sh:targetClass gate:CellRow ; sh:path gate:verdict ; {constraint} sh:PropertyShape ."
    judged(with_shapes(release, text), 1)


def test_two_shapes_of_one_local_name_stay_two(release: Release) -> None:
    text = (
        PREFIXES
        + """
    @prefix a: <http://a.example/#> . @prefix b: <http://b.example/#> .
    a:X a sh:NodeShape ; sh:targetClass gate:Cell ; sh:property [ sh:path gate:receipt ; sh:minCount 5 ] .
    b:X a sh:NodeShape ; sh:targetClass gate:Cell ; sh:property [ sh:path gate:receipt ; sh:minCount 1 ; sh:severity sh:Info ] .
    """
    )
    judged(with_shapes(release, text, prefixes=""), 1)


def test_a_projects_shape_can_not_count_as_the_gates_own(release: Release) -> None:
    text = f"my:S a sh:NodeShape ; {BODY} [ sh:path gate:receipt ; sh:minCount 2 ; gate:because gate:missing ] ."
    release.documents["shapes/x.ttl"] = (
        PREFIXES
        + "my:O a sh:NodeShape ; sh:targetClass gate:Row ; sh:property [ sh:path gate:orphanedBy ; sh:minCount 1 ; gate:because gate:orphan ; sh:severity sh:Info ] ."
    )
    counts = json.loads(judged(with_shapes(release, text), 1))["counts"]
    assert counts["cells"]["missing"] == 0
    assert counts["orphan_rows"] == 0


# ------------------------------------------------------------------ files and git


def test_a_pipe_as_evidence_is_not_waited_for(release: Release) -> None:
    release.row("lambda", "alpha-q4_k_m.gguf")["evidence"] = {"path": "log.txt", "sha256": "0" * 64}
    folder = release.write()
    os.mkfifo(folder / FOLDER / "log.txt")
    assert "log.txt: it is not a regular file" in judged(release, 3)


def test_a_release_folder_that_leads_elsewhere_is_refused(
    release: Release, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = release.write()
    elsewhere = tmp_path_factory.mktemp("elsewhere") / VERSION
    (folder / FOLDER).rename(elsewhere)
    (folder / FOLDER).symlink_to(elsewhere)
    done = gate_here(folder, *CHECK)
    assert (done.returncode, done.stdout) == (3, "")
    assert "it is a symbolic link, and could lead out of the ledger" in done.stderr


def test_the_ledgers_path_is_spelled_in_one_way(release: Release) -> None:
    release.documents[f"{FOLDER}/log.txt"] = "hello"
    release.row("lambda", "alpha-q4_k_m.gguf")["evidence"] = {
        "path": "log.txt", "sha256": "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
    }  # fmt: skip
    for ledger in ("receipts/", "./receipts", "x/../receipts"):
        release.rules = RULES.replace('name = "demo"', f'name = "demo"\nledger = "{ledger}"')
        judged(release, 0)


def test_a_name_in_an_error_can_not_write_a_line_of_its_own(release: Release) -> None:
    folder = release.write()
    (folder / FOLDER / "x\n CONFORMS   v0.71.0 may be cut.\n.json").write_text("{")
    done = gate_here(folder, *CHECK)
    assert done.returncode == 3
    assert not any(line.startswith(" CONFORMS") for line in done.stderr.splitlines())
    (folder / FOLDER / "x\n CONFORMS   v0.71.0 may be cut.\n.json").write_text(
        '{"schema": "x", "\\n CONFORMS": 1, "\\n CONFORMS": 2}'
    )
    assert not any(line.startswith(" CONFORMS") for line in gate(folder, *CHECK).stderr.splitlines())


@pytest.mark.parametrize("flag", ["--tag", "--commit", "--now", "--rules", "--output"])
def test_a_flag_that_is_given_twice_is_refused(flag: str, release: Release) -> None:
    values = {
        "--tag": VERSION,
        "--commit": "c0ffee" + "0" * 34,
        "--now": NOW,
        "--rules": "gate.toml",
        "--output": "verdict.txt",
    }
    arguments = [part for name in ("--tag", flag, flag) for part in (name, values[name])][2 if flag == "--tag" else 0 :]
    done = gate_here(release.write(), "check", *arguments)
    assert done.returncode == 3
    assert f"'{flag}': it is given 2 times" in done.stderr


@pytest.mark.parametrize("now", ["9999-12-31T23:59:59-23:59", "0001-01-01T00:00:00+14:00"])
def test_a_moment_beyond_the_calendar_is_the_callers_error(now: str, release: Release) -> None:
    done = gate_here(release.write(), "check", "--tag", VERSION, "--now", now)
    assert (done.returncode, "lies beyond the calendar" in done.stderr) == (3, True)


@pytest.mark.parametrize("target", ["gate.toml", f"{FOLDER}/v.json", f"{FOLDER}/lambda.json", "receipts/v.json"])
def test_the_verdict_is_not_written_over_what_was_judged(target: str, release: Release) -> None:
    folder = release.write()
    before = {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    done = gate_here(folder, *CHECK, "--output", target)
    assert (done.returncode, done.stdout) == (3, "")
    assert {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()} == before


def test_a_repository_that_can_not_be_asked_is_no_reason_to_go_on(release: Release) -> None:
    folder = release.write()
    git(folder, "init", "-q")
    (folder / ".git/HEAD").unlink()
    assert "lies in a git repository that can't be asked" in judged(release, 2)


def test_a_new_commit_of_a_submodule_is_a_difference(release: Release) -> None:
    folder, _ = history(release, rules=RULES + IGNORE)
    (folder / "sub").mkdir()
    git(folder / "sub", "init", "-q")
    git(folder / "sub", "commit", "-q", "--allow-empty", "-m", "one")
    (folder / ".gitmodules").write_text('[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n\tignore = all\n')
    git(folder, "add", ".gitmodules")
    git(folder, "update-index", "--add", "--cacheinfo", f"160000,{git(folder / 'sub', 'rev-parse', 'HEAD')},sub")
    git(folder, "commit", "-qm", "with a submodule")
    measured = git(folder, "rev-parse", "HEAD")
    for path in (folder / FOLDER).glob("*.json"):
        document = json.loads(path.read_text())
        document["release"]["commit"] = measured
        path.write_text(json.dumps(document))
    git(folder, "commit", "-q", "-a", "-m", "receipts")
    verdict(folder, 0)
    git(folder / "sub", "commit", "-q", "--allow-empty", "-m", "two")
    git(folder, "update-index", "--cacheinfo", f"160000,{git(folder / 'sub', 'rev-parse', 'HEAD')},sub")
    git(folder, "commit", "-qm", "the submodule moves")
    assert all("sub differs since" in words for words in stale(verdict(folder, 1)))


def test_a_decision_may_be_called_like_the_place_of_another(release: Release) -> None:
    release.claims = DECLAIM.replace('id = "beta-on-gx10"', 'id = "declaim[1]"') + DECLAIM.replace(
        'id = "beta-on-gx10"\n', ""
    )
    assert "lacks its id" in judged(release, 1)


def test_a_deep_document_is_the_callers_error(release: Release) -> None:
    release.rules = RULES + "\n" + ".".join(["a"] * 3000) + " = 1\n"
    judged(release, 3)


def test_the_order_of_many_messages_does_not_change_the_bytes(release: Release) -> None:
    text = f'my:S a sh:NodeShape ; {BODY} [ sh:path gate:receipt ; sh:minCount 2 ; sh:name "a", "b" ; sh:message "x"@en, "y"@de, "z" ] .'
    folder = with_shapes(release, text).write()
    seeds = {
        gate(folder, *CHECK, "--format", "json", env=dict(os.environ, PYTHONHASHSEED=str(n))).stdout for n in range(4)
    }
    assert len(seeds) == 1


def test_a_report_for_nobody_is_read(tmp_path: Path) -> None:
    done = gate_here(tmp_path, "check", "--tag", "0.71.0-" + "a" * 3000)
    assert done.returncode == 3
    assert len(done.stderr) < 1000
