"""Several formats in one run: where each goes, what is never written over, and what is left behind where a run fails."""

from __future__ import annotations

import json
import os
import pty
import re
import stat
import subprocess
import sys
import threading
from pathlib import Path

import junitparser
import pytest

from gate.reporting.formats import FORMATS, is_one_of_ours
from tests.release import NOW, VERSION, Release, gate, gate_here

CHECK = ("check", "--tag", VERSION, "--now", NOW)
LEDGER = f"receipts/{VERSION}"
FILES = {form: f"out/verdict.{form}" for form in FORMATS}


@pytest.fixture
def folder(release: Release) -> Path:
    """A refused release, an artifact, and a folder for what is written."""
    release.receipt("lambda.json")["runs"].pop()
    (release.folder / "out").mkdir()
    (release.folder / "demo").write_text("x")
    return release.write()


def _to_files(*forms: str) -> list[str]:
    asked = [word for form in forms for word in ("--format", f"{form}={FILES[form]}")]
    return asked + (["--artifact", "demo"] if "vsa" in forms else [])


def test_all_formats_are_written_in_one_run_and_the_log_has_the_text(folder: Path) -> None:
    done = gate_here(folder, *CHECK, *_to_files(*FORMATS))
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith(" REFUSED ")
    assert set((folder / "out").iterdir()) == {folder / file for file in FILES.values()}
    assert (folder / FILES["text"]).read_text() == done.stdout
    assert json.loads((folder / FILES["json"]).read_text())["exit"] == 1
    for form, file in FILES.items():
        alone = gate_here(folder, *CHECK, "--format", form, *(["--artifact", "demo"] if form == "vsa" else []))
        assert alone.stdout == (folder / file).read_text(), form


def test_one_bare_format_goes_to_standard_output_beside_files(folder: Path) -> None:
    done = gate_here(folder, *CHECK, "--format", "json", *_to_files("junit"))
    assert json.loads(done.stdout)["verdict"] == "refused"
    assert junitparser.JUnitXml.fromfile(str(folder / FILES["junit"])).failures == 1


def test_output_takes_the_bare_format_and_leaves_the_text_to_the_log(folder: Path) -> None:
    done = gate_here(folder, *CHECK, "--format", "json", *_to_files("junit"), "--output", "out/own.json")
    assert done.stdout.startswith(" REFUSED ")
    assert json.loads((folder / "out/own.json").read_text())["verdict"] == "refused"
    assert (folder / FILES["junit"]).exists()
    gate_here(folder, *CHECK, *_to_files("junit"), "--output", "out/own.txt")
    assert (folder / "out/own.txt").read_text() == done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--format", "json", "--format", "sarif"], "--format: json and sarif would both go to standard output"),
        (["--format", "json", "--format", "json"], "--format: json and json would both go to standard output"),
        (["--format", "json=a", "--format", "junit=./a"], "--format: a would be written twice"),
        (["--format", "json=a", "--output", "a"], "--format: a would be written twice"),
        (["--format", "json="], "'json=' names no file"),
        (["--format", "json=-"], "'json=-' names no file"),
        (["--format", "jnit=a"], "'jnit' is no format; did you mean junit?"),
        (["--format", "=a"], "'' is no format"),
        (["--format", ""], "'' is no format"),
        (["--format", "JSON"], "'JSON' is no format"),
    ],
)
def test_what_can_not_be_meant_ends_with_3(arguments: list[str], said: str, folder: Path) -> None:
    done = gate_here(folder, *CHECK, *arguments)
    assert (done.returncode, done.stdout) == (3, "")
    assert said in done.stderr
    assert not (folder / "a").exists()


@pytest.mark.parametrize(
    "target",
    [
        "gate.toml",
        f"{LEDGER}/lambda.json",
        f"{LEDGER}/new.xml",
        "shapes/new.ttl",
        "receipts/contexts.json",
        "claims.toml",
        "linked",
    ],
)
@pytest.mark.parametrize("form", ["junit", "ttl"])
def test_no_format_is_written_onto_an_input_or_into_the_ledger(form: str, target: str, folder: Path) -> None:
    (folder / "claims.toml").write_text("")
    (folder / "linked").symlink_to("gate.toml")
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    done = gate_here(folder, *CHECK, *_to_files("json"), "--format", f"{form}={target}")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith(f"gate: --format: {target} is an input of the check, or lies in the ledger or among")
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(("code", "broken"), [(3, "{"), (2, None)])
def test_a_run_without_a_verdict_leaves_none_of_an_earlier_one(code: int, broken: str | None, folder: Path) -> None:
    assert gate_here(folder, *CHECK, *_to_files(*FORMATS)).returncode == 1
    for path in (folder / LEDGER).iterdir():
        if broken is not None:
            path.write_text(broken)
        else:
            path.unlink()
    done = gate_here(folder, *CHECK, *_to_files(*FORMATS))
    assert (done.returncode, done.stdout) == (code, "")
    assert list((folder / "out").iterdir()) == []


def test_a_file_that_is_no_verdict_survives_a_run_without_one(folder: Path) -> None:
    for file in FILES.values():
        (folder / file).write_text("something of somebody's\n")
    (folder / LEDGER / "broken.json").write_text("{")
    assert gate_here(folder, *CHECK, *_to_files(*FORMATS)).returncode == 3
    assert {(folder / file).read_text() for file in FILES.values()} == {"something of somebody's\n"}


@pytest.mark.parametrize("target", ["out", "none/junit.xml", "demo/junit.xml", "/proc/none", "loop"])
def test_where_one_file_can_not_be_written_none_is_left(target: str, folder: Path) -> None:
    (folder / "loop").symlink_to("loop")
    done = gate_here(folder, *CHECK, *_to_files("json", "sarif"), "--format", f"junit={target}")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith(f"gate: {target}: ")
    assert "Traceback" not in done.stderr
    assert list((folder / "out").iterdir()) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_forbids_writing_ends_with_3(folder: Path) -> None:
    (folder / "out").chmod(stat.S_IRUSR | stat.S_IXUSR)
    done = gate_here(folder, *CHECK, *_to_files("json"))
    (folder / "out").chmod(stat.S_IRWXU)
    assert (done.returncode, done.stderr) == (3, f"gate: {FILES['json']}: it can't be written: Permission denied\n")


def test_a_full_disk_behind_standard_output_leaves_no_file(folder: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "gate", *CHECK, *_to_files("json", "junit")], cwd=folder, stdout=full,
            stderr=subprocess.PIPE, check=False,
        )  # fmt: skip
    assert done.returncode == 3
    assert list((folder / "out").iterdir()) == []


@pytest.mark.parametrize("form", sorted(FORMATS))
def test_a_pipe_that_closes_early_does_not_change_the_code(form: str, folder: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "gate", *CHECK, "--format", form, *(["--artifact", "demo"] if form == "vsa" else []),
         *(_to_files("json") if form != "json" else [])],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    process.stdout.close()
    _, error = process.communicate()
    assert (process.returncode, error) == (1, b"")
    assert form == "json" or (folder / FILES["json"]).exists()  # the reader's going away is no failure of the check


def test_a_named_pipe_is_written_to_and_stays_one(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append((folder / "pipe").read_text()))
    reader.start()
    done = gate(folder, *CHECK, "--format", "json=pipe")
    reader.join()
    assert done.returncode == 1
    assert json.loads(read[0])["verdict"] == "refused"
    assert stat.S_ISFIFO((folder / "pipe").stat().st_mode)


@pytest.mark.parametrize("columns", [1, 40])
def test_a_narrow_terminal_ends_as_any_other(columns: int, folder: Path) -> None:
    for arguments, code in (
        ([*CHECK, *_to_files("json")], 1),
        ([*CHECK, "--format", "github"], 1),
        (["check", "--help"], 0),
    ):
        main, terminal = pty.openpty()
        process = subprocess.Popen(
            [sys.executable, "-m", "gate", *arguments], cwd=folder, stdin=subprocess.DEVNULL, stdout=terminal,
            stderr=terminal, env={**os.environ, "COLUMNS": str(columns), "TERM": "xterm"},
        )  # fmt: skip
        os.close(terminal)
        said = b""
        try:
            while part := os.read(main, 65536):
                said += part
        except OSError:  # the terminal has closed
            pass
        os.close(main)
        assert process.wait() == code
        assert b"Traceback" not in said
        assert b"the gate itself failed" not in said


def test_the_paths_are_those_of_the_repository(folder: Path) -> None:
    sub = folder / "sub"
    sub.mkdir()
    for name in ("gate.toml", "receipts"):
        (folder / name).rename(sub / name)
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    for place, rules in ((folder, "sub/gate.toml"), (sub, "gate.toml"), (Path("/"), str(sub / "gate.toml"))):
        done = gate_here(place, *CHECK, "--rules", rules, "--format", "github")
        assert done.returncode == 1, done.stderr
        assert re.search(r"^::error file=sub/gate\.toml,line=\d+,", done.stdout, flags=re.MULTILINE)


def test_the_help_teaches_every_format(tmp_path: Path) -> None:
    said = gate_here(tmp_path, "check", "--help").stdout
    for name, form in FORMATS.items():
        assert f"{name:<9} {form.says}" in said
    assert max(map(len, said.splitlines())) <= 84


def test_help_imports_no_format(tmp_path: Path) -> None:
    script = (
        "import sys; from gate.__main__ import run; run(['check', '--help']);"
        "print(sorted(m for m in sys.modules if m.startswith('gate.reporting.') or m in {'rdflib', 'pyshacl', 'jinja2', 'rich'}))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.splitlines()[-1] == "['gate.reporting.formats']"


def test_a_text_that_is_asked_for_twice_is_the_same(folder: Path) -> None:
    done = gate_here(folder, *CHECK, "--format", "text", *_to_files("text"))
    assert is_one_of_ours(done.stdout.encode())
    assert (folder / FILES["text"]).read_text() == done.stdout
