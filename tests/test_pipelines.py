"""The files for CI: the action and the templates, whose steps are run as their runners run them, and linted."""

from __future__ import annotations

import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import tomllib
import urllib.parse
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.actionlint import lint
from tests.release import VERSION, Release
from tests.runner import ROOT, Run, act, action, obeyed, offline

JUDGE = "May this tag be cut?"
COMMIT = "c0ffee" + "0" * 34
STARTERS = ROOT / "starter"


def commit_of(version: str) -> str:
    """Return the commit that a release of the sample is."""
    release = tomllib.loads((ROOT / f"receipts/{version}/release.toml").read_text(encoding="utf-8"))
    return str(release["commit"])


# A tag of the sample, a commit, and what the gate ends with. No pipeline is any good that gets one of them wrong: each
# test runs all four.
ENDINGS = [
    ("v0.70.0", commit_of("0.70.0"), 0, "conforms"),
    ("v0.71.0", commit_of("0.71.0"), 1, "refused"),
    ("v9.9.9", COMMIT, 2, "declined"),
    ("v0.70.0", COMMIT, 3, "malformed"),
]
LEFT = ["NOTES.md", "annotations.txt", "junit.xml", "summary.md", "taggate.sarif", "verdict.json"]

# Each would make a file called `ran`, or a line that a runner obeys, if any of it were taken for code.
HOSTILE = [
    "'\"; touch ran; $(touch ran) `touch ran`\n::error::obeyed\n##[error]obeyed\ntouch ran\n", "$(touch ran)", "`touch ran`", '"; touch ran; "', "'; touch ran; '", "v0.70.0\ntouch ran\n", "a && touch ran",
    "--help", "-n", "*", "v0.70.0\n::error::obeyed\n", "##[error]obeyed", "${{ github.token }}", "$RUNNER_TEMP", "a\\",
]  # fmt: skip


@pytest.fixture(scope="module")
def temporary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The runner's folder for temporary files, into which the action has installed the gate."""
    folder = tmp_path_factory.mktemp("runner")
    installed = act(folder, folder, {"tag": "unused"}, only="Install the gate")
    assert (installed.code, obeyed(installed.log)) == (0, []), installed.log
    return folder


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A folder with the sample."""
    folder = tmp_path / "workspace"
    folder.mkdir()
    for name in ("gate.toml", "claims.toml", "receipts"):
        (folder / name).symlink_to(ROOT / name)
    return folder


def judge(workspace: Path, temporary: Path, **inputs: str) -> Run:
    """Run the step of the action that judges."""
    return act(workspace, temporary, inputs, only=JUDGE)


# ---------------------------------------------------------------- the action


def test_the_action_ends_as_the_gate_does_and_leaves_what_it_says(workspace: Path, temporary: Path) -> None:
    for tag, commit, code, word in ENDINGS:
        _assert_action(tag, commit, code, word, workspace, temporary)


def _assert_action(tag: str, commit: str, code: int, word: str, workspace: Path, temporary: Path) -> None:
    where = f"out/{word}"
    run = judge(workspace, temporary, tag=tag, commit=commit, formats="ttl=report.ttl\n\nearl=earl.ttl", folder=where)
    assert run.code == code, run.log
    assert run.outputs == {"verdict": word, "exit-code": str(code), "folder": where}
    left = sorted(path.name for path in (workspace / where).iterdir())
    annotations = obeyed(run.log)
    if code > 1:
        assert left == []
        assert annotations == [f"::error title=taggate::Nothing was judged (exit code {code}). The log says why."]
        assert run.summary.startswith("## Nothing was judged\n")
        return
    assert left == sorted([*LEFT, "report.ttl", "earl.ttl"])
    folder = workspace / where
    verdict = json.loads((folder / "verdict.json").read_text(encoding="utf-8"))
    assert (verdict["exit"], verdict["release"]["commit"]) == (code, commit)
    assert run.summary == (folder / "summary.md").read_text(encoding="utf-8")
    assert "".join(f"{line}\n" for line in annotations) == (folder / "annotations.txt").read_text(encoding="utf-8")
    assert annotations[0].startswith("::error " if code else "::notice ")
    assert ("failure" in {one.tag for one in ET.parse(folder / "junit.xml").iter()}) == (code == 1)  # noqa: S314
    results = json.loads((folder / "taggate.sarif").read_text(encoding="utf-8"))["runs"][0]["results"]
    assert any(one["level"] == "error" for one in results) == (code == 1)
    assert (" CONFORMS " if code == 0 else " REFUSED ") in run.log


@pytest.mark.parametrize("value", HOSTILE)
@pytest.mark.parametrize("name", ["tag", "commit", "rules", "formats", "folder"])
def test_no_input_of_the_action_runs_or_is_obeyed(name: str, value: str, workspace: Path, temporary: Path) -> None:
    inputs = {"tag": "v0.70.0", name: value}
    run = judge(workspace, temporary, **inputs)
    assert not list(workspace.rglob("ran"))
    assert not (temporary / "ran").exists()
    assert set(run.outputs) == {"verdict", "exit-code", "folder"}
    assert all(line.startswith(("::error title=taggate::", "::notice title=taggate")) for line in obeyed(run.log))
    if name == "folder" and "\n" not in value:  # an odd name is one all the same
        assert (run.code, run.outputs["folder"]) == (0, value)
        assert sorted(path.name for path in (workspace / value).iterdir()) == LEFT
    elif name == "formats" and value == "*":
        assert run.code == 3, "no file of the workspace stands for it"
    else:
        assert (run.code, run.outputs["verdict"]) == (3, "malformed"), run.log


@pytest.mark.parametrize("value", HOSTILE)
def test_no_source_of_the_action_runs_or_is_obeyed(value: str, tmp_path: Path) -> None:
    run = act(tmp_path, tmp_path, {"tag": "v0.70.0", "source": value})
    assert run.code == 2
    assert run.outputs == {"verdict": "", "exit-code": "", "folder": ""}
    assert not list(tmp_path.rglob("ran"))
    assert obeyed(run.log) == [
        "::error title=taggate::Nothing was judged: the gate can't be installed. The log says why."
    ]


def test_what_a_receipt_records_is_obeyed_by_no_runner(release: Release, temporary: Path) -> None:
    """The text that the log shows has what was recorded; a runner reads the log for commands."""
    words = "##[add-mask]pass ::error::obeyed"
    release.row("gx10", "beta-q4_k_m.gguf").update(verdict="fail", reason=words)
    folder = release.write()
    run = judge(folder, temporary, tag=f"v{VERSION}")
    assert run.code == 1
    assert words in run.log
    unguarded = re.sub(r"^::(stop-commands::)?[0-9a-f]{64}(::)?$", "", run.log, flags=re.MULTILINE)
    assert any("add-mask" in line and not line.startswith("::") for line in obeyed(unguarded)), "else nothing is shown"
    annotations = (folder / "taggate/annotations.txt").read_text(encoding="utf-8")
    assert obeyed(run.log) == annotations.splitlines()


def test_the_folder_of_an_earlier_call_is_refused(workspace: Path, temporary: Path) -> None:
    (workspace / "taggate").mkdir()
    (workspace / "taggate/verdict.json").write_text("earlier", encoding="utf-8")
    run = judge(workspace, temporary, tag="v0.70.0")
    assert (run.code, run.outputs["verdict"], run.outputs["folder"]) == (3, "malformed", "")
    assert "isn't empty" in run.summary
    assert (workspace / "taggate/verdict.json").read_text(encoding="utf-8") == "earlier"


@pytest.mark.parametrize("folder", ["gate.toml", "gate.toml/below", "/proc/taggate", "x" * 300])
def test_a_folder_that_can_not_be_one_is_the_callers_error(folder: str, workspace: Path, temporary: Path) -> None:
    run = judge(workspace, temporary, tag="v0.70.0", folder=folder)
    assert (run.code, run.outputs["verdict"]) == (3, "malformed")
    assert "folder: it can't be made" in run.summary


@pytest.mark.parametrize("line", ["ttl", "ttl=", "=a", "ttl=a/b", "ttl=../a", "ttl=.a", "json=verdict.json", "no=a"])
def test_a_format_that_is_none_or_leads_out_of_the_folder_is_refused(
    line: str, workspace: Path, temporary: Path
) -> None:
    run = judge(workspace, temporary, tag="v0.70.0", formats=line)
    assert (run.code, run.outputs["verdict"]) == (3, "malformed")


def test_a_gate_that_is_not_there_is_no_verdict(workspace: Path, tmp_path: Path) -> None:
    (tmp_path / "taggate/bin").mkdir(parents=True)
    (tmp_path / "taggate/bin/python").symlink_to(sys.executable)
    run = judge(workspace, tmp_path, tag="v0.70.0")
    assert (run.code, run.outputs["verdict"]) == (2, "declined")


def test_a_gate_that_can_not_be_installed_for_gitlab_is_no_verdict(tmp_path: Path) -> None:
    (tmp_path / "workspace").mkdir()
    code, _ = gitlab(tmp_path / "workspace", TAG="v0.70.0", SHA=COMMIT, TAGGATE="./there-is-none")
    assert code == 2


# ---------------------------------------------------------------- what all of them hold


def _workflows() -> dict[str, str]:
    """Return every workflow of GitHub's: the action as one, the starter, those of the page on CI."""
    document = action()
    steps = document["runs"]["steps"]
    inputs = {
        name: {"type": "string", "description": one["description"], "required": one.get("required", False)}
        for name, one in document["inputs"].items()
    }
    job = {
        "runs-on": "ubuntu-latest",
        "steps": steps,
        "outputs": {name: one["value"] for name, one in document["outputs"].items()},
    }
    found = {
        "action.yml": yaml.safe_dump({"name": "it", "on": {"workflow_call": {"inputs": inputs}}, "jobs": {"it": job}}),
        "starter/github.yml": (STARTERS / "github.yml").read_text(encoding="utf-8"),
    }
    page = (ROOT / "docs/ci.md").read_text(encoding="utf-8")
    for number, block in enumerate(re.findall(r"^```yaml\n(.*?)^```$", page, flags=re.MULTILINE | re.DOTALL)):
        if "runs-on:" in block:
            found[f"docs/ci.md, {number}"] = block
    return found


def test_actionlint_finds_nothing_in_any_workflow() -> None:
    found = _workflows()
    assert len(found) > 2
    for name, text in found.items():
        assert lint(text) == [], name


def test_actionlint_is_really_asked() -> None:
    text = "on: push\njobs:\n  it:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo ${{ github.head_ref }}\n"
    assert any("untrusted" in said for said in lint(text))


def _texts(value: Any, key: str = "") -> list[tuple[str, str]]:
    """Return each text of a document, with the key that it stands under."""
    if isinstance(value, dict):
        return [found for name, one in value.items() for found in _texts(one, str(name))]
    if isinstance(value, list):
        return [found for one in value for found in _texts(one, key)]
    return [(key, value)] if isinstance(value, str) else []


def test_no_expression_is_pasted_into_a_script_and_every_action_is_one_that_is_known() -> None:
    known = {
        "actions/checkout@v4", "actions/setup-python@v5", "actions/upload-artifact@v4",
        "github/codeql-action/upload-sarif@v3", "./tools/taggate",
    }  # fmt: skip
    for name, text in _workflows().items():
        for key, said in _texts(yaml.safe_load(text)):
            assert key != "run" or "${{" not in said, name
            assert key != "uses" or said in known, name


def test_nothing_in_a_file_for_ci_turns_a_refusal_into_a_pass() -> None:
    for path in (ROOT / "action.yml", *STARTERS.glob("*.yml")):
        lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.lstrip().startswith("#")]
        for trap in ("continue-on-error", "allow_failure", "|| true"):
            assert not any(trap in line for line in lines), (path.name, trap)


# ---------------------------------------------------------------- GitLab


def _gitlab_job() -> dict[str, Any]:
    """Return the gate's job of the pipeline that `gate init` writes, as GitLab puts it together."""
    pipeline = yaml.safe_load((STARTERS / "gitlab.yml").read_text(encoding="utf-8"))
    template = yaml.safe_load((STARTERS / "gitlab-template.yml").read_text(encoding="utf-8"))
    assert pipeline["include"] == [{"local": ".gitlab/taggate.yml"}]
    own = pipeline["gate"]
    base = template[own["extends"]]
    return {**base, **own, "variables": {**base["variables"], **own["variables"]}}


def gitlab(workspace: Path, **variables: str) -> tuple[int, str]:
    """Run the lines of the gate's job as GitLab's runner does, in the project's folder."""
    job = _gitlab_job()
    environment = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", "HOME": str(workspace.parent),
        "LC_ALL": "C.UTF-8", **offline(), **job["variables"], "TAGGATE": str(ROOT), **variables,
    }  # fmt: skip
    lines = "\n".join(["set -e", *job["before_script"], *job["script"]])
    done = subprocess.run(
        ["sh", "-c", lines], cwd=workspace, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout


@pytest.fixture(scope="module")
def gitlab_venv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The environment that the job's own first lines make, once for all tests."""
    folder = tmp_path_factory.mktemp("gitlab") / "workspace"
    folder.mkdir()
    code, log = gitlab(folder, TAG="v9.9.9", SHA=COMMIT)
    assert code == 3, log  # installed, and there are no rules
    assert "gate.toml" in log
    return folder / ".taggate"


def gitlab_judges(workspace: Path, venv: Path, **variables: str) -> tuple[int, str]:
    """Run what the job does once the gate is installed."""
    if not (workspace / ".taggate").exists():
        (workspace / ".taggate").symlink_to(venv)
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(workspace.parent), "LC_ALL": "C.UTF-8", **offline(),
        **_gitlab_job()["variables"], **variables,
    }  # fmt: skip
    done = subprocess.run(
        ["sh", "-e", "-c", "\n".join(_gitlab_job()["script"])], cwd=workspace, env=environment,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout


def test_the_job_of_gitlab_ends_as_the_gate_does_and_keeps_what_it_says(workspace: Path, gitlab_venv: Path) -> None:
    for tag, commit, code, word in ENDINGS:
        _assert_gitlab(tag, commit, code, word, workspace, gitlab_venv)
        shutil.rmtree(workspace / "taggate")
    job = _gitlab_job()
    assert job["artifacts"]["when"] == "always"
    assert job["artifacts"]["reports"]["junit"] == "taggate/junit.xml"


def _assert_gitlab(tag: str, commit: str, code: int, word: str, workspace: Path, gitlab_venv: Path) -> None:
    ended, log = gitlab_judges(workspace, gitlab_venv, TAG=tag, SHA=commit, FORMATS="ttl=report.ttl earl=earl.ttl")
    assert ended == code, log
    left = sorted(path.name for path in (workspace / "taggate").iterdir())
    wanted = sorted([*(name for name in LEFT if name != "annotations.txt"), "report.ttl", "earl.ttl"])
    assert left == (wanted if code < 2 else [])
    if code < 2:
        verdict = json.loads((workspace / "taggate/verdict.json").read_text(encoding="utf-8"))
        assert verdict["verdict"] == word


@pytest.mark.parametrize("value", HOSTILE)
@pytest.mark.parametrize("name", ["TAG", "SHA", "RULES", "FORMATS"])
def test_no_variable_of_gitlab_runs(name: str, value: str, workspace: Path, gitlab_venv: Path) -> None:
    given = {"TAG": "v0.70.0", "SHA": commit_of("0.70.0"), name: value}
    code, log = gitlab_judges(workspace, gitlab_venv, **given)
    assert code == 3, log
    assert not list(workspace.glob("**/ran"))


@pytest.mark.parametrize("value", ["ttl", "ttl=", "=a", "ttl=a/b", "ttl=../a", "json=verdict.json", "no=a", "refused"])
def test_a_format_of_gitlab_that_is_none_is_refused(value: str, workspace: Path, gitlab_venv: Path) -> None:
    code, log = gitlab_judges(workspace, gitlab_venv, TAG="v0.70.0", SHA=commit_of("0.70.0"), FORMATS=value)
    assert code == 3, log


def test_a_folder_of_gitlab_that_is_there_is_not_written_into(workspace: Path, gitlab_venv: Path) -> None:
    (workspace / "taggate").mkdir()
    (workspace / "taggate/mine").write_text("mine", encoding="utf-8")
    code, _ = gitlab_judges(workspace, gitlab_venv, TAG="v0.70.0", SHA=commit_of("0.70.0"))
    assert code == 3
    assert [path.name for path in (workspace / "taggate").iterdir()] == ["mine"]


class _Releases(http.server.BaseHTTPRequestHandler):
    """The part of GitLab that makes a release: it keeps what it was told."""

    told: dict[str, Any]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.told |= {"path": self.path, "token": self.headers["JOB-TOKEN"], **dict(urllib.parse.parse_qsl(body))}
        self.send_response(201 if self.path.endswith("/releases") else 404)
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def test_the_job_of_gitlab_that_cuts_the_tag_publishes_the_notes(tmp_path: Path) -> None:
    (tmp_path / "taggate").mkdir()
    (tmp_path / "taggate" / "NOTES.md").write_text("# Notes\n\nA & B = 100% + more\n")
    (script,) = yaml.safe_load((ROOT / "starter" / "gitlab.yml").read_text())["cut-the-tag"]["script"]
    told: dict[str, Any] = {}
    handler = type("Handler", (_Releases,), {"told": told})
    with http.server.HTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        api = f"http://127.0.0.1:{server.server_address[1]}/api/v4"
        environment = {"PATH": os.environ["PATH"], "TAG": "v0.70.0", "SHA": "c" * 40, "CI_JOB_TOKEN": "secret",
                       "CI_PROJECT_ID": "7", "CI_API_V4_URL": api}  # fmt: skip
        done = subprocess.run(["sh", "-c", script], cwd=tmp_path, env=environment, check=False)
        gone = subprocess.run(
            ["sh", "-c", script.replace("/releases", "/gone")], cwd=tmp_path, env=environment, check=False,
            capture_output=True,
        )  # fmt: skip
        server.shutdown()
    assert done.returncode == 0
    assert gone.returncode != 0
    assert told["token"] == environment["CI_JOB_TOKEN"]
    assert (told["tag_name"], told["ref"]) == ("v0.70.0", "c" * 40)
    assert told["description"] == "# Notes\n\nA & B = 100% + more\n"
