"""The commands as processes: exit codes, what is said where, and bad input of every kind."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from gate.cli import COMMANDS
from tests.falsifiers.falsifier import CELL
from tests.release import COMMIT, NOW, OTHER_COMMIT, VERSION, Release, gate, gate_here, git, green

CHECK = ("check", "--tag", VERSION, "--now", NOW)
FOLDER = f"receipts/{VERSION}"


def test_help_imports_nothing_heavy() -> None:
    script = "import sys; from gate.__main__ import run; run(['--help']); print(sorted({'rdflib', 'pyshacl', 'pydantic', 'rich', 'jinja2'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_has_help_that_teaches(command: str, tmp_path: Path) -> None:
    done = gate_here(tmp_path, command, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Example" in done.stdout
    first = COMMANDS[command].split(".")[0].split("?")[0]
    assert first.split()[0] in gate_here(tmp_path, "--help").stdout


def test_the_four_exit_codes(release: Release, tmp_path: Path) -> None:
    folder = release.write()
    assert gate(folder, *CHECK).returncode == 0
    release.receipt("lambda.json")["runs"].pop()
    assert gate(release.write(), *CHECK).returncode == 1
    assert gate(folder, "check", "--tag", "9.9.9", "--commit", COMMIT).returncode == 2
    assert gate(folder, "check", "--tag", "nonsense").returncode == 3
    (tmp_path / "empty").mkdir()
    done = gate(tmp_path / "empty", *CHECK)
    assert (done.returncode, done.stderr) == (3, "gate: gate.toml: there is no such file\n")


@pytest.mark.parametrize(
    "arguments",
    [
        [], ["chekc"], ["check"], ["check", "--tag"], ["check", "--tag", VERSION, "--format", "xml"],
        ["check", "--tag", VERSION, "--nonsense"], ["check", "--tag", VERSION, "extra"], ["explain", "--tag", VERSION],
        ["check", "--tag", VERSION, "--now", "yesterday"], ["check", "--tag", VERSION, "--now", "2026-11-01T00:00:00"],
        ["check", "--tag", VERSION, "--commit", "c0ffee"], ["check", "--tag", ""], ["check", "--tag", "v0.71"],
        ["check", "--tag", VERSION, "--commit", OTHER_COMMIT], ["graph", "--tag", VERSION, "--format", "json"],
        ["schema", "taggate/none/v1"], ["ingest"], ["ingest", "apr-dogfood", "x.json"],
        ["explain", "no/such/cell", "--tag", VERSION], ["check", "--tag", VERSION, "--rules", "none.toml"],
    ],
)  # fmt: skip
def test_the_callers_errors_end_in_3_and_say_so(arguments: list[str], release: Release) -> None:
    done = gate_here(release.write(), *arguments)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr
    assert "Traceback" not in done.stderr


BAD = {
    "broken JSON": ({f"{FOLDER}/x.json": "{"}, 3, f"{FOLDER}/x.json, line 1, column 2: it is not JSON"),
    "an empty receipt": ({f"{FOLDER}/x.json": ""}, 3, f"{FOLDER}/x.json: it is empty"),
    "broken TOML": ({"gate.toml": "[project"}, 3, "gate.toml, line 1"),
    "an empty gate.toml": ({"gate.toml": ""}, 3, "project: the key is missing"),
    "broken decisions": ({"claims.toml": "[[declaim]\n"}, 3, "claims.toml, line 1"),
    "broken Turtle": ({"shapes/x.ttl": "@prefix ."}, 3, "shapes/x.ttl, line 1: it is not Turtle"),
    "broken release.toml": ({f"{FOLDER}/release.toml": "commit ="}, 3, f"{FOLDER}/release.toml, line 1"),
    "an unknown schema": ({f"{FOLDER}/x.json": {"schema": "x/v1"}}, 3, f"{FOLDER}/x.json, schema: 'x/v1' is no schema"),
    "a directory as the rules": ({"gate.toml/x": ""}, 3, "gate.toml: it is not a regular file"),
    "a directory as the decisions": ({"claims.toml/x": ""}, 3, "claims.toml: it is not a regular file"),
    "a directory as release.toml": ({f"{FOLDER}/release.toml/x": ""}, 3, "release.toml: it is not a regular file"),
}


@pytest.mark.parametrize("name", sorted(BAD))
def test_bad_input_ends_in_one_readable_message(name: str, release: Release) -> None:
    documents, code, said = BAD[name]
    for path, document in documents.items():
        if path == "gate.toml":
            release.rules = document
        elif path.startswith("gate.toml/"):
            release.rules = ""
        release.documents.pop(path.rpartition("/")[0], None)
        if not path.startswith("gate.toml"):
            release.documents[path] = document
    folder = release.write()
    if name == "a directory as the rules":
        (folder / "gate.toml").unlink()
        (folder / "gate.toml").mkdir()
    done = gate_here(folder, *CHECK, "--format", "json", "--output", "verdict.json")
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr.startswith("gate: ")
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert not (folder / "verdict.json").exists()


def test_a_repository_without_history_is_declined_with_what_to_do(release: Release) -> None:
    del release.documents[f"{FOLDER}/release.toml"]
    folder = release.write()
    git(folder, "init", "-q", "-b", "main")
    done = gate_here(folder, "check", "--tag", VERSION)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"gate: v{VERSION}: nothing says which commit it is\n"
        f"  Give --commit, or create the tag in git, or write {FOLDER}/release.toml.\n"
    )
    done = gate_here(folder, *CHECK, "--commit", COMMIT)
    assert done.returncode == 0, done.stderr


def test_a_huge_file_is_refused_without_being_read(release: Release) -> None:
    folder = release.write()
    for name in ("huge.json", "huge.jsonl"):
        with (folder / FOLDER / name).open("wb") as stream:
            stream.truncate(1024**3)
        done = gate_here(folder, *CHECK)
        assert done.returncode == 3
        assert f"{FOLDER}/{name}: it has 1,073,741,824 bytes" in done.stderr
        (folder / FOLDER / name).unlink()


def test_a_link_out_of_the_ledger_is_refused(release: Release) -> None:
    folder = release.write()
    (folder / FOLDER / "passwd.json").symlink_to("/etc/passwd")
    done = gate_here(folder, *CHECK)
    assert (done.returncode, done.stdout) == (3, "")
    assert f"{FOLDER}/passwd.json: it is a symbolic link that leads out of the ledger" in done.stderr


@pytest.mark.parametrize(
    "name",
    [
        "my model q4_k.gguf",
        "<b>q4_k</b".replace("/", "|"),
        "{q4_k}",
        "\"q4_k\" 'x'",
        "🦆q4_k",
        "q4_k`x`",
        "q4_k|x",
        "%2Fq4_k",
        "q4_k>.<http:x",
    ],
)
def test_an_odd_name_is_carried_through_every_output(name: str, release: Release) -> None:
    for host in ("lambda", "gx10"):
        release.receipt(f"inventory-{host}.json")["models"][1]["file"] = name
        for row in release.receipt(f"{host}.json")["runs"]:
            if row["model"]["file"].startswith("beta"):
                row["model"]["file"] = name
    release.receipt("gx10.json")["runs"].pop()
    folder = release.write()
    label = f"gx10/{name}/code/think-off/declared"
    done = gate_here(folder, *CHECK, "--format", "json")
    assert [f["focus"] for f in json.loads(done.stdout)["findings"]] == [label]
    assert done.returncode == 1
    for command in (["check"], ["notes"], ["known-issues"], ["graph"]):
        other = gate_here(folder, *command, "--tag", VERSION)
        assert other.returncode in {0, 1}, other.stderr
    explained = gate_here(folder, "explain", label, "--tag", VERSION)
    assert (explained.returncode, explained.stdout.splitlines()[0]) == (0, label)


def test_a_name_with_a_line_break_is_refused_by_name(release: Release) -> None:
    release.receipt("inventory-gx10.json")["models"][1]["file"] = "beta\nq4_k.gguf"
    done = gate_here(release.write(), *CHECK)
    assert done.returncode == 3
    assert (
        done.stderr
        == f"gate: {FOLDER}/inventory-gx10.json, models[1].file: 'beta\\nq4_k.gguf' holds the control character U+000A\n"
    )


def test_a_recorded_reason_can_not_drive_the_terminal(release: Release) -> None:
    release.row("lambda", "alpha-q4_k_m.gguf").update(
        verdict="fail", reason="\x1b[2J\x1b]0;owned\x07 CONFORMS\n\u202e v0.71.0 may be cut."
    )
    for form in ("text", "json"):
        done = gate_here(release.write(), *CHECK, "--format", form)
        assert done.returncode == 1
        assert not set(done.stdout) & {"\x1b", "\x07", "\u202e"}
        assert not any(line.lstrip().startswith("CONFORMS") for line in done.stdout.splitlines())


def test_output_writes_the_format_to_the_file_and_the_text_to_the_log(release: Release) -> None:
    folder = release.write()
    done = gate_here(folder, *CHECK, "--format", "json", "--output", "verdict.json")
    assert json.loads((folder / "verdict.json").read_text())["verdict"] == "conforms"
    assert "CONFORMS" in done.stdout.splitlines()[0]
    direct = gate_here(folder, *CHECK, "--format", "json")
    assert direct.stdout == (folder / "verdict.json").read_text()


@pytest.mark.parametrize("target", [".", "none/verdict.json"])
def test_where_the_verdict_can_not_be_written_the_code_is_3(target: str, release: Release) -> None:
    done = gate_here(release.write(), *CHECK, "--format", "json", "--output", target)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith(f"gate: {target}: ")


def test_a_reader_that_goes_away_does_not_change_the_code(release: Release) -> None:
    for row in release.receipt("lambda.json")["runs"]:
        row["verdict"] = "fail"
    folder = release.write()
    process = subprocess.Popen(
        [sys.executable, "-m", "gate", *CHECK, "--format", "json"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.close()
    _, error = process.communicate()
    assert (process.returncode, error) == (1, b"")


def test_an_output_without_unicode_still_gets_the_bytes(release: Release) -> None:
    environment = dict(os.environ, LC_ALL="C", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    release.row("lambda", "alpha-q4_k_m.gguf").update(verdict="fail", reason="🦆")
    done = subprocess.run(
        [sys.executable, "-m", "gate", *CHECK], cwd=release.write(), env=environment, capture_output=True, check=False
    )
    assert done.returncode == 1
    assert "🦆".encode() in done.stdout


def test_the_schemas_are_schemas_and_the_receipts_obey_them(release: Release) -> None:
    done = gate_here(release.folder, "schema")
    schemas: dict[str, Any] = json.loads(done.stdout)
    for schema in schemas.values():
        jsonschema.Draft202012Validator.check_schema(schema)
    seen = set()
    for document in release.documents.values():
        if isinstance(document, dict):
            schema = schemas[document["schema"]]
            jsonschema.validate(document, schema)
            with pytest.raises(jsonschema.ValidationError):
                jsonschema.validate(document | {"unknown": 1}, schema)
            seen.add(document["schema"])
    assert seen == {f"taggate/{name}/v1" for name in ("run-receipt", "inventory-receipt", "suite-receipt", "contexts")}
    assert (
        json.loads(gate_here(release.folder, "schema", "taggate/run-receipt/v1").stdout)
        == schemas["taggate/run-receipt/v1"]
    )


def test_explain_tells_a_passed_a_missing_a_failed_and_a_declaimed_cell(release: Release) -> None:
    release.claims = '[[declaim]]\nid = "d"\narch = "qwen35"\nhost = "gx10"\nissue = 1\nuntil = "0.72.0"\nwhy = "Slow."\nruling = { by = "owner", on = 2026-09-28, words = "So be it." }\n'
    release.row("lambda", "alpha-q4_k_m.gguf").update(verdict="fail", reason="golden output")
    release.receipt("lambda.json")["runs"].remove(release.row("lambda", "alpha-q4_k_m.gguf", "chat"))
    folder = release.write()
    for cell, said in (
        (
            CELL,
            [
                "FAILED",
                f"{FOLDER}/lambda.json, runs[0]",
                "✗ verdict",
                "golden output",
                "shapes/cell.ttl, verdict (failed)",
            ],
        ),
        (CELL.replace("/run/", "/chat/"), ["MISSING", "No run of this cell was recorded.", "→ Run the missing cells"]),
        (CELL.replace("/run/", "/code/"), ["PASSED", "✓ verdict", "the rules pin alpha-q4_k_m.gguf on lambda"]),
        ("gx10/beta-q4_k_m.gguf/run/think-off/4k", ["DE-CLAIMED", "Decision: d", "#1", "So be it.", "· verdict"]),
    ):
        done = gate_here(folder, "explain", cell, "--tag", VERSION)
        assert done.returncode == 0
        for words in (cell, *said):
            assert words in done.stdout


def test_explain_of_no_cell_names_the_nearest(release: Release) -> None:
    done = gate_here(release.write(), "explain", CELL.replace("4k", "4kk"), "--tag", VERSION)
    assert (done.returncode, done.stdout) == (3, "")
    assert f"\n  {CELL}\n" in done.stderr


def test_the_sample_ledger_is_judged_as_its_readme_says() -> None:
    root = Path(__file__).parent.parent
    counts = {}
    for version, code in (("0.69.0", 1), ("0.70.0", 0), ("0.71.0", 1)):
        done = gate_here(root, "check", "--tag", version, "--format", "json")
        assert done.returncode == code, done.stderr
        counts[version] = json.loads(done.stdout)["counts"]["cells"]
    assert counts["0.70.0"]["missing"] == counts["0.70.0"]["failed"] == 0
    assert counts["0.70.0"]["declaimed"] > 0
    assert counts["0.71.0"]["missing"] > 0


def test_two_releases_in_one_folder_do_not_meet(tmp_path: Path) -> None:
    release = green(tmp_path)
    other = {
        p.replace(f"/{VERSION}/", "/0.72.0/"): json.loads(json.dumps(d))
        for p, d in release.documents.items()
        if "/0.71.0/" in p
    }
    release.documents |= other
    assert gate_here(release.write(), *CHECK).returncode == 0
    done = gate_here(tmp_path, "check", "--tag", "0.72.0", "--commit", COMMIT)
    assert done.returncode == 3  # its release.toml says that it is another version
    (tmp_path / "receipts/0.72.0/release.toml").unlink()
    done = gate_here(tmp_path, "check", "--tag", "0.72.0", "--commit", COMMIT, "--format", "json")
    assert {f["property"] for f in json.loads(done.stdout)["findings"]} == {"fresh"}


def test_a_full_disk_behind_standard_output_is_said(release: Release) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "gate", *CHECK],
            cwd=release.write(),
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert (done.returncode, done.stderr) == (3, b"gate: standard output can't be written: No space left on device\n")


def test_the_verdict_of_an_earlier_run_does_not_survive_a_decline(release: Release) -> None:
    folder = release.write()
    assert gate_here(folder, *CHECK, "--format", "json", "--output", "verdict.json").returncode == 0
    (folder / FOLDER / "broken.json").write_text("{")
    assert gate_here(folder, *CHECK, "--format", "json", "--output", "verdict.json").returncode == 3
    assert not (folder / "verdict.json").exists()


def test_quiet_says_the_verdict_alone(release: Release) -> None:
    folder = release.write()
    done = gate_here(folder, *CHECK, "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (0, f" CONFORMS   v{VERSION} may be cut.\n", "")
    release.receipt("lambda.json")["runs"].pop()
    done = gate_here(release.write(), *CHECK, "-q", "--format", "json", "--output", "verdict.json")
    assert (done.returncode, done.stdout, done.stderr) == (1, f" REFUSED   v{VERSION} must not be cut.\n", "")
    assert json.loads((folder / "verdict.json").read_text())["verdict"] == "refused"
    gate_here(folder, *CHECK, "--quiet", "--output", "verdict.txt")
    assert len((folder / "verdict.txt").read_text().splitlines()) > 5  # the file is whole: the log alone is short


def test_quiet_still_says_errors(release: Release) -> None:
    done = gate_here(release.write(), "check", "--tag", "9.9.9", "--quiet")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("gate: v9.9.9: ")


def test_quiet_has_nothing_to_shorten_in_a_document(release: Release) -> None:
    done = gate_here(release.write(), *CHECK, "--quiet", "--format", "json")
    assert (done.returncode, done.stdout) == (3, "")
    assert "--quiet" in done.stderr


def test_verbose_says_each_stage_with_its_time_on_standard_error(release: Release) -> None:
    folder = release.write()
    plain, told = gate_here(folder, *CHECK), gate_here(folder, *CHECK, "--verbose")
    assert (plain.returncode, told.returncode, plain.stderr) == (0, 0, "")
    assert told.stdout == plain.stdout
    stages = [re.fullmatch(r"gate: +[0-9]+\.[0-9]{2} s  (.+)", line) for line in told.stderr.splitlines()]
    assert all(stages), told.stderr
    named = [stage[1] for stage in stages if stage]
    assert named[0] == "reading the rules and decisions"
    assert named[-3:] == ["judging", "judging the canaries", "composing the verdict"]
    assert len(named) == len(set(named)) > 5


def test_verbose_names_the_stage_that_failed(release: Release) -> None:
    release.documents[f"{FOLDER}/x.json"] = "{"
    done = gate_here(release.write(), *CHECK, "--verbose")
    assert done.returncode == 3
    assert [line.split(" s  ")[-1] for line in done.stderr.splitlines()[:2]] == [
        "reading the rules and decisions",
        "reading the receipts",
    ]


@pytest.mark.parametrize(
    "command",
    [
        *(("explain", CELL, "--tag", VERSION), ("diff", VERSION, VERSION)),
        *((name, "--tag", VERSION) for name in ("plan", "notes", "known-issues", "graph")),
    ],
    ids=lambda command: command[0],
)
def test_whatever_reads_a_release_says_its_stages(command: tuple[str, ...], release: Release) -> None:
    done = gate_here(release.write(), *command, "-v")
    assert done.returncode == 0, done.stderr
    assert re.search(r"^gate: +[0-9.]+ s  judging$|^gate: +[0-9.]+ s  building the graph$", done.stderr, re.MULTILINE)


def test_quiet_and_verbose_contradict_each_other(release: Release) -> None:
    done = gate_here(release.write(), *CHECK, "--quiet", "--verbose")
    assert (done.returncode, done.stdout) == (3, "")
    assert "--quiet" in done.stderr
    assert "--verbose" in done.stderr


def test_quiet_still_says_that_a_scope_narrowed_the_gate(release: Release) -> None:
    release.claims = (
        f'[[scope]]\nrelease = "{VERSION}"\nname = "smoke"\nmodels = ["alpha*"]\n'
        'ruling = { by = "owner", on = 2026-10-05, words = "It ships on the smoke." }\n'
    )
    done = gate_here(release.write(), *CHECK, "--quiet")
    assert done.returncode == 0
    answer, scope, *_ = done.stdout.splitlines()
    assert answer == f" CONFORMS   v{VERSION} may be cut."
    assert scope.startswith("Under the scope smoke: “It ships on the smoke.”")
