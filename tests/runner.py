"""What a GitHub runner does with a composite action: its inputs, its steps of shell, its files, and what it obeys."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parent.parent

# The commands that a runner obeys; `stop-commands` and the word that ends it are told apart below.
_COMMANDS = {
    "add-mask", "add-matcher", "add-path", "debug", "echo", "endgroup", "error", "group", "notice", "remove-matcher",
    "save-state", "set-env", "set-output", "stop-commands", "warning",
}  # fmt: skip


def obeyed(log: str) -> list[str]:
    """Return the lines of a log that a runner obeys: `::name …::data` after blanks, `##[name …]data` anywhere."""
    found: list[str] = []
    token: str | None = None
    for line in log.splitlines():
        known = _COMMANDS | ({token} if token else set())
        new = re.match(r"\s*::(\S*?)(?: .*?)?::(.*)", line)
        old = re.search(r"##\[(\S*?)(?: [^\]]*)?\](.*)", line)
        command = next((one for one in (new, old) if one is not None and one[1].lower() in known), None)
        if command is None:
            continue
        name = command[1].lower()
        if token is not None:
            token = None if name == token else token
        elif name == "stop-commands":
            token = command[2].lower()
        else:
            found.append(line)
    assert token is None, "the log ends, and commands are still not heard"
    return found


@dataclass
class Run:
    """What came of an action: its exit code, its log, and what its steps wrote for the runner."""

    code: int
    log: str
    summary: str
    outputs: dict[str, str] = field(default_factory=dict)


def action() -> dict[str, Any]:
    """Return the action of this project."""
    document: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    return document


def _filled(text: str, inputs: Mapping[str, str], outputs: Mapping[str, Mapping[str, str]]) -> str:
    """Return a value of YAML with its expressions, of which an action of this project has two kinds."""

    def value(match: re.Match[str]) -> str:
        words = match[1].split(".")
        if words[0] == "inputs":
            return inputs[words[1]]
        assert (words[0], words[2]) == ("steps", "outputs"), match[0]
        return outputs.get(words[1], {}).get(words[3], "")

    return re.sub(r"\$\{\{ ([\w.-]+) \}\}", value, text)


def read_outputs(file: Path) -> dict[str, str]:
    """Return what a step wrote into `GITHUB_OUTPUT`: lines of `name=value`."""
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    assert all("=" in line and "<<" not in line.partition("=")[0] for line in lines), lines
    return dict(line.split("=", 1) for line in lines)


def act(workspace: Path, temporary: Path, given: Mapping[str, str], *, only: str | None = None) -> Run:
    """Run the steps of the action as a runner does, and stop after the first one that fails.

    Args:
        workspace: the folder that the steps run in.
        temporary: the runner's folder for temporary files, of this job.
        given: the inputs.
        only: the name of the one step to run; None: all of them.
    """
    document = action()
    inputs = {name: given.get(name, one.get("default", "")) for name, one in document["inputs"].items()}
    assert set(given) <= set(inputs)
    # setup-python isn't run: the Python that runs the tests stands for the one that it finds.
    outputs: dict[str, dict[str, str]] = {"python": {"python-path": sys.executable}}
    run = Run(0, "", "")
    for number, step in enumerate(document["runs"]["steps"]):
        if "run" not in step or only not in {None, step["name"]}:
            continue
        files = {name: temporary / f"{name}-{number}" for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT")}
        for file in files.values():
            file.write_text("", encoding="utf-8")
        script = temporary / f"step-{number}.sh"
        script.write_text(step["run"], encoding="utf-8")
        environment = {
            "PATH": os.environ["PATH"], "HOME": str(temporary), "LC_ALL": "C.UTF-8", "GITHUB_ACTIONS": "true",
            "GITHUB_ACTION_PATH": str(ROOT), "GITHUB_WORKSPACE": str(workspace), "RUNNER_TEMP": str(temporary),
            **offline(), **{name: str(file) for name, file in files.items()},
            **{name: _filled(value, inputs, outputs) for name, value in step.get("env", {}).items()},
        }  # fmt: skip
        assert step["shell"] == "bash"
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)], cwd=workspace, env=environment,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        run.code = done.returncode
        run.log += done.stdout.decode("utf-8")
        run.summary += files["GITHUB_STEP_SUMMARY"].read_text(encoding="utf-8")
        if "id" in step:
            outputs[step["id"]] = read_outputs(files["GITHUB_OUTPUT"])
        if run.code:
            break
    run.outputs = {name: _filled(one["value"], inputs, outputs) for name, one in document["outputs"].items()}
    return run


def offline() -> dict[str, str]:
    """Return what has pip install the project alone, without an index: what it needs comes from where the tests run."""
    return {"PIP_NO_INDEX": "1", "PIP_NO_DEPS": "1", "PIP_NO_BUILD_ISOLATION": "0", "PYTHONPATH": _libraries()}


def _libraries() -> str:
    """Return the folders of libraries of the tests' environment, none of which holds this project's package."""
    paths = [sysconfig.get_path("purelib"), *(path for path in sys.path if path.endswith("site-packages"))]
    return os.pathsep.join(dict.fromkeys(paths))
