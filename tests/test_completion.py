"""Completion: what shells are told, how little it costs, and that it never answers in place of a verdict."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gate.cli import COMMANDS
from tests.release import COMMIT, NOW, VERSION, Release, gate, gate_here

ROOT = Path(__file__).parent.parent
SHELLS = ("bash", "zsh", "fish")


def completed(folder: Path, line: str, shell: str = "zsh") -> list[str]:
    """Return what is offered for the last word of `line`; where it ends in a space, for the word to come."""
    words = line.split()
    position = len(words) if line.endswith(" ") else len(words) - 1
    environment = os.environ | {"_GATE_COMPLETE": f"{shell}_complete", "COMP_WORDS": line, "COMP_CWORD": str(position)}
    done = gate(folder, env=environment)
    assert done.stderr == ""
    assert done.returncode == 2, "a completion judges nothing"
    return done.stdout.splitlines()[1::3] if shell == "zsh" else done.stdout.splitlines()


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_is_what_click_makes_for_the_shell(shell: str, tmp_path: Path) -> None:
    done = gate_here(tmp_path, "completion", shell)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"_GATE_COMPLETE={shell}_complete" in done.stdout
    parser = shutil.which(shell)
    if parser is not None:
        parsed = subprocess.run([parser, "-n"], input=done.stdout, capture_output=True, text=True, check=False)
        assert (parsed.returncode, parsed.stderr) == (0, "")


def test_an_unknown_shell_is_the_callers_error(tmp_path: Path) -> None:
    for arguments in ((), ("tcsh",)):
        done = gate_here(tmp_path, "completion", *arguments)
        assert (done.returncode, done.stdout) == (3, "")
        assert "fish" in done.stderr


def test_bash_completes_what_the_script_says(release: Release, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A real bash reads the script, and is asked as it asks itself."""
    program = tmp_path_factory.mktemp("bin") / "gate"
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m gate "$@"\n')
    program.chmod(0o755)
    script = """
eval "$(gate completion bash)"
COMP_WORDS=(gate check --tag 0) COMP_CWORD=3
_gate_completion gate
echo "${COMPREPLY[@]}"
complete -p gate
"""
    environment = os.environ | {"PATH": f"{program.parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-c", script], cwd=release.write(), env=environment, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert done.stdout.splitlines() == [VERSION, "complete -o nosort -F _gate_completion gate"]


def test_commands_and_options_are_completed(tmp_path: Path) -> None:
    assert completed(tmp_path, "gate ") == list(COMMANDS)
    assert completed(tmp_path, "gate kn") == ["known-issues"]
    assert {"--tag", "--commit", "--rules", "--now", "--format", "--output"} <= set(
        completed(tmp_path, "gate check --")
    )
    assert completed(tmp_path, "gate graph --format n") == ["nt"]
    assert completed(tmp_path, "gate completion f") == ["fish"]
    assert completed(tmp_path, "gate ", "bash") == [f"plain,{name}" for name in COMMANDS]


def test_tags_come_from_the_ledger_and_from_git_the_newest_first(release: Release) -> None:
    folder = release.write()
    (folder / "receipts/0.9.0").mkdir()
    (folder / "receipts/no-version").mkdir()
    for command in (
        ["init", "--quiet"],
        ["-c", "user.name=n", "-c", "user.email=e", "commit", "--quiet", "--allow-empty", "-m", "x"],
        ["tag", "v0.72.0-rc.1"],
        ["tag", f"v{VERSION}"],
        ["tag", "nightly"],
    ):
        subprocess.run(["git", *command], cwd=folder, check=True)
    assert completed(folder, "gate check --tag ") == ["v0.72.0-rc.1", f"v{VERSION}", "v0.9.0"]
    assert completed(folder, "gate notes --tag v0.7") == ["v0.72.0-rc.1", f"v{VERSION}"]
    assert completed(folder, "gate check --tag 0.9") == ["0.9.0"]
    assert completed(folder, "gate tag v0.9") == completed(folder, "gate diff 0.71.0 v0.9") == ["v0.9.0"]
    assert completed(folder.parent, f"gate check --rules {folder.name}/gate.toml --tag v0.9") == ["v0.9.0"]


def test_hosts_come_from_the_rules(release: Release) -> None:
    folder = release.write()
    assert completed(folder, "gate plan --host ") == ["lambda", "lambda-vector", "gx10", "laptop"]
    assert completed(folder, "gate inventory scan models --host g") == ["gx10"]
    assert completed(folder, "gate ingest junit --host la") == ["lambda", "lambda-vector", "laptop"]


@pytest.mark.parametrize(
    "rules", [None, "[project", 'project = 1\nhosts = "x"', "[[hosts]]\n[project]\nledger = 3\ntag = 1", "\x00"]
)
def test_rules_that_can_not_be_read_complete_nothing_and_say_nothing(rules: str | None, tmp_path: Path) -> None:
    if rules is not None:
        (tmp_path / "gate.toml").write_text(rules)
    assert completed(tmp_path, "gate check --tag ") == []
    assert completed(tmp_path, "gate plan --host ") == []


@pytest.mark.parametrize("line", ["gate check --tag ", "gate plan --host ", "gate check --", "gate "])
def test_completion_imports_nothing_heavy(line: str, release: Release) -> None:
    script = (
        "import sys; from gate.__main__ import run; run([]); "
        "print(sorted({'rdflib', 'pyshacl', 'rich', 'jinja2', 'gate.rules', 'gate.ledger'} & set(sys.modules)))"
    )
    environment = os.environ | {
        "_GATE_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(len(line.split())),
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=release.write(), env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("instruction", ["bash_complete", "bash_source", "zsh_source", "nonsense", "1"])
def test_a_variable_left_in_the_environment_never_answers_in_place_of_a_verdict(
    instruction: str, release: Release
) -> None:
    del release.documents[f"receipts/{VERSION}/gx10.json"]
    environment = os.environ | {"_GATE_COMPLETE": instruction, "COMP_WORDS": "gate", "COMP_CWORD": "1"}
    folder = release.write()
    done = gate(folder, "check", "--tag", VERSION, "--now", NOW, env=environment)
    assert done.returncode == 1
    assert done.stdout.startswith(" REFUSED ")
    done = gate(folder, "check", "--tag", "9.9.9", "--commit", COMMIT, env=environment)
    assert done.returncode == 2
    assert gate(folder, env=environment).returncode in {2, 3}


def test_a_completion_that_fails_says_nothing_into_the_line_that_is_typed(tmp_path: Path) -> None:
    done = gate(tmp_path, env=os.environ | {"_GATE_COMPLETE": "bash_complete", "COMP_CWORD": "nonsense"})
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "")
