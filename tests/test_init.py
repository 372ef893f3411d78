"""`gate init`: from an empty folder to a first refusal, whatever is answered, and never over what exists."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate import files, scaffold
from gate.errors import CallersError
from tests.release import gate, gate_here
from tests.terminal import on_terminal

COMMIT = "c0ffee" + "0" * 34
ROOT = Path(__file__).parent.parent

# Everything that is needed, in a folder that git doesn't know.
FLAGS: dict[str, tuple[str, ...]] = {
    "--name": ("demo",), "--release": ("0.1.0",), "--commit": (COMMIT,),
    "--host": ("bench:NVIDIA GeForce RTX 4090:8.9",), "--verb": ("run", "chat"), "--backend": ("cuda",),
    "--thinking": (), "--context": ("4k",), "--ci": ("none",),
}  # fmt: skip


def flags(**changed: Any) -> list[str]:
    """Return the flags as arguments; `changed` by their names without dashes, None taking one away."""
    wanted = FLAGS | {f"--{name.replace('_', '-')}": value for name, value in changed.items()}
    arguments = []
    for name, values in wanted.items():
        if values == ():
            arguments.append(name)
        for value in values or ():
            arguments += [name, value]
    return arguments


def begun(folder: Path, *arguments: str, **changed: Any) -> subprocess.CompletedProcess[str]:
    """Run `gate init` in `folder`, which succeeds."""
    done = gate_here(folder, "init", *arguments, *flags(**changed))
    assert (done.returncode, done.stderr) == (0, "")
    return done


def tree(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir() or path.is_symlink())


def rules_of(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / "gate.toml").read_text(encoding="utf-8"))


# ---------------------------------------------------------------- what is written


def test_the_files_say_what_was_asked(tmp_path: Path) -> None:
    done = begun(tmp_path)
    assert tree(tmp_path) == ["claims.toml", "gate.toml", "receipts/0.1.0/release.toml"]
    assert rules_of(tmp_path) == {
        "project": {"name": "demo", "tag": "v{version}", "ledger": "receipts", "decisions": "claims.toml"},
        "hosts": [{"id": "bench", "gpu": "NVIDIA GeForce RTX 4090", "compute": "8.9", "required": True}],
        "cells": {"verbs": ["run", "chat"], "backend": "cuda", "thinking": True, "contexts": ["4k"]},
    }
    assert tomllib.loads((tmp_path / "claims.toml").read_text()) == {}
    release = tomllib.loads((tmp_path / "receipts/0.1.0/release.toml").read_text())
    assert release == {"version": "0.1.0", "commit": COMMIT}
    for name in ("gate.toml", "claims.toml", "receipts/0.1.0/release.toml"):
        assert (tmp_path / name).read_text().startswith("# ")  # each says what it is for
        assert f"  {name}\n" in done.stdout


def test_everything_that_may_be_said_is_written(tmp_path: Path) -> None:
    begun(
        tmp_path, "deep/down", repository=("https://example.org/demo",), tag_format=("release-{version}",),
        host=("bench::8.9", "gx10:NVIDIA GB10", "laptop"), owed=("*q4_k*", "*iq2_*"), suite=("smoke", "dogfood"),
        thinking=None, no_thinking=(), context=("4k=4096:ticket 3710", "20k=20480"),
    )  # fmt: skip
    folder = tmp_path / "deep/down"
    found = rules_of(folder)
    assert found["project"]["repository"] == "https://example.org/demo"
    assert found["project"]["tag"] == "release-{version}"
    assert found["project"]["contexts"] == "receipts/contexts.json"
    assert [(h["id"], h.get("gpu"), h.get("compute")) for h in found["hosts"]] == [
        ("bench", None, "8.9"), ("gx10", "NVIDIA GB10", None), ("laptop", None, None),
    ]  # fmt: skip
    assert found["models"] == {"owed": ["*q4_k*", "*iq2_*"]}
    assert found["require"] == {"suites": ["smoke", "dogfood"]}
    assert found["cells"] == {"verbs": ["run", "chat"], "backend": "cuda", "thinking": False}
    assert json.loads((folder / "receipts/contexts.json").read_text()) == {
        "schema": "taggate/contexts/v1",
        "contexts": [{"name": "4k", "tokens": 4096, "source": ["ticket 3710"]}, {"name": "20k", "tokens": 20480}],
    }


@pytest.mark.parametrize(
    "name", ['"', "'", "'''", '"""', "#", "{{ x }}", "{% raw %}", "π 日本 🦆", "a = [1]", "$(id)", "a\tb"]
)
def test_an_odd_name_is_what_the_rules_say(name: str, tmp_path: Path) -> None:
    spelled = name.replace("\t", " ")  # a name of a host holds no tab, a project's may
    begun(tmp_path, name=(name,), host=(f"{spelled}:{name}",), verb=(spelled,), owed=(name,))
    found = rules_of(tmp_path)
    assert found["project"]["name"] == found["hosts"][0]["gpu"] == found["models"]["owed"][0] == name
    assert found["hosts"][0]["id"] == found["cells"]["verbs"][0] == spelled


_texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)


@settings(max_examples=60, deadline=None)
@given(st.lists(_texts, min_size=8, max_size=8), st.booleans())
def test_no_answer_ever_writes_rules_that_say_something_else(texts: list[str], thinking: bool) -> None:
    """The rules are read back by the gate's own reader before they are written; what it doesn't take is refused."""
    name, repository, host, gpu, verb, backend, owed, context = texts
    project = scaffold.Project(
        name=name, tag="v{version}", version="0.1.0", commit=COMMIT, hosts=(scaffold.Host(host, gpu),), verbs=(verb,),
        backend=backend, thinking=thinking, contexts=(scaffold.Context(context),), repository=repository, owed=(owed,),
    )  # fmt: skip
    try:
        made = scaffold.render(project)
    except CallersError:
        return
    assert tomllib.loads(made["gate.toml"].decode()) == project.rules()


def test_without_a_commit_git_says_what_is_checked_out(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    done = gate_here(tmp_path, "init", *flags(commit=None))
    assert done.returncode == 3  # a repository without history
    assert "--commit" in done.stderr
    identity = ["-c", "user.name=n", "-c", "user.email=e"]
    subprocess.run(["git", *identity, "commit", "--quiet", "--allow-empty", "-m", "x"], cwd=tmp_path, check=True)
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=tmp_path, capture_output=True, text=True, check=True)
    begun(tmp_path, "sub/folder", commit=None)
    said = tomllib.loads((tmp_path / "sub/folder/receipts/0.1.0/release.toml").read_text())
    assert said["commit"] == head.stdout.strip()


# ---------------------------------------------------------------- what comes next


def test_the_commands_that_come_next_are_the_right_ones(tmp_path: Path) -> None:
    """From an empty folder to a refusal that names the cells, by the commands that are printed and by nothing else."""
    pytest.importorskip("gguf")
    from tests.test_inventory_scan import model

    model(tmp_path / "models/tiny.gguf")
    done = begun(tmp_path, "de mo", host=("bench:NVIDIA GeForce RTX 4090:8.9", "it's:GB10"))
    said = done.stdout.partition("Next:\n")[2].partition("\n\n")[0].splitlines()
    assert [line.split()[:2] for line in said] == [
        ["cd", "'de"], ["gate", "inventory"], ["gate", "inventory"], ["gate", "check"], ["gate", "plan"],
    ]  # fmt: skip
    lines = "\n".join(said).replace(" MODELS ", " ../models ")
    script = f'gate() {{ PYTHONPATH={shlex.quote(str(ROOT))} {shlex.quote(sys.executable)} -m gate "$@"; }}\n{lines}\n'
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    ran = subprocess.run(["bash", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert all(" is written: " in line for line in ran.stderr.splitlines()), ran.stderr
    assert " REFUSED   v0.1.0 must not be cut." in ran.stdout
    assert "8 cells owed: 0 passed, 8 missing, 0 failed" in ran.stdout
    assert "bench: 4 cells" in ran.stdout


def test_with_models_the_first_check_names_the_cells_to_measure(tmp_path: Path) -> None:
    pytest.importorskip("gguf")
    from tests.test_inventory_scan import model

    model(tmp_path / "models/tiny.gguf")
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = gate(tmp_path, "init", "demo", *flags(), "--models", "models", env=environment)
    assert (done.returncode, done.stderr) == (0, "")
    assert "inventory scan" not in done.stdout
    folder = tmp_path / "demo"
    assert tree(folder)[-2:] == ["receipts/0.1.0/inventory-bench.json", "receipts/0.1.0/release.toml"]
    checked = gate_here(folder, "check", "--tag", "v0.1.0", "--format", "json")
    assert checked.returncode == 1
    verdict = json.loads(checked.stdout)
    assert verdict["counts"]["cells"]["missing"] == verdict["counts"]["cells"]["owed"] == 4
    assert {finding["reason"] for finding in verdict["findings"]} == {"missing"}


def test_once_all_is_measured_the_rules_that_were_written_let_the_release_through(tmp_path: Path) -> None:
    pytest.importorskip("gguf")
    from tests.test_inventory_scan import model

    model(tmp_path / "models/tiny.gguf")
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    sized = {"context": ("2k=2048:ticket 1",)}
    assert gate(tmp_path, "init", *flags(**sized), "--models", "models", env=environment).returncode == 0
    steps = json.loads(gate_here(tmp_path, "plan", "--tag", "0.1.0", "--format", "json").stdout)["steps"]
    runs = [
        {"model": {"file": step["model"], "sha256": step["sha256"]}, "verb": step["verb"], "context": step["context"],
         "thinking": step["thinking"], "verdict": "pass", "backend": {"ran": "cuda", "fell_back": False}, "exit_code": 0,
         "prompt_tokens": step["tokens"], "answer_chars": 9}
        for step in steps
    ]  # fmt: skip
    assert len(runs) == 8  # two verbs, two modes of thinking, 2k and the model's own length
    inventory = json.loads((tmp_path / "receipts/0.1.0/inventory-bench.json").read_text())
    header = {key: inventory[key] for key in ("release", "host", "measured_at")} | {"producer": "test"}
    receipt = {"schema": "taggate/run-receipt/v1", **header, "runs": runs}
    (tmp_path / "receipts/0.1.0/runs-bench.json").write_text(json.dumps(receipt))
    checked = gate_here(tmp_path, "check", "--tag", "0.1.0")
    assert (checked.returncode, checked.stderr) == (0, ""), checked.stdout


def test_a_size_without_a_source_is_written_and_the_check_asks_for_it(tmp_path: Path) -> None:
    pytest.importorskip("gguf")
    from tests.test_inventory_scan import model

    model(tmp_path / "models/tiny.gguf")
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    gate(tmp_path, "init", *flags(context=("2k=2048",)), "--models", "models", env=environment)
    verdict = json.loads(gate_here(tmp_path, "check", "--tag", "0.1.0", "--format", "json").stdout)
    assert ("context", "source") in {(finding["shape"], finding["property"]) for finding in verdict["findings"]}


# ---------------------------------------------------------------- all or nothing


@pytest.mark.parametrize("kind", ["file", "folder", "broken link"])
@pytest.mark.parametrize("name", ["gate.toml", "claims.toml", "receipts/0.1.0/release.toml", ".gitlab-ci.yml"])
def test_what_exists_is_refused_by_name_and_nothing_is_written(name: str, kind: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    {"file": lambda: path.write_text("mine"), "folder": path.mkdir, "broken link": lambda: path.symlink_to("no")}[
        kind
    ]()
    before = tree(tmp_path)
    done = gate_here(tmp_path, "init", *flags(ci=("gitlab",)))
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == f"gate: nothing was written, since nothing is written over\n{name}: it exists\n"
    assert tree(tmp_path) == before


def test_everything_that_exists_is_named_at_once(tmp_path: Path) -> None:
    (tmp_path / ".gitlab-ci.yml").write_text("mine")
    (tmp_path / "receipts").write_text("no folder")
    done = gate_here(tmp_path, "init", *flags(ci=("gitlab",), context=("4k=4096",)))
    assert done.returncode == 3
    assert done.stderr.splitlines()[1:] == ["receipts: it is no folder", ".gitlab-ci.yml: it exists"]


def test_the_models_are_not_read_where_the_inventory_exists(tmp_path: Path) -> None:
    path = tmp_path / "receipts/0.1.0/inventory-bench.json"
    path.parent.mkdir(parents=True)
    path.write_text("{}")
    done = gate_here(tmp_path, "init", *flags(), "--models", "there-is-no-such-folder")
    assert done.returncode == 3
    assert "inventory-bench.json: it exists" in done.stderr
    assert "there-is-no-such-folder" not in done.stderr


def test_a_broken_model_leaves_nothing_behind(tmp_path: Path) -> None:
    pytest.importorskip("gguf")
    (tmp_path / "models").mkdir()
    (tmp_path / "models/broken.gguf").write_bytes(b"GGUF")
    done = gate_here(tmp_path, "init", "demo", *flags(), "--models", "models")
    assert (done.returncode, done.stdout) == (3, "")
    assert "broken.gguf" in done.stderr
    assert not (tmp_path / "demo").exists()


@pytest.mark.parametrize("folder", ["file", "file/below", "/proc/taggate", "x" * 300])
def test_a_folder_that_can_not_be_one_is_the_callers_error(folder: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    done = gate_here(tmp_path, "init", folder, *flags())
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("gate: ")
    assert "the gate itself failed" not in done.stderr
    assert tree(tmp_path) == ["file"]


def test_a_folder_that_can_not_be_written_is_the_callers_error(tmp_path: Path) -> None:
    """Where the kernel keeps its own files, not even root makes one."""
    done = gate_here(tmp_path, "init", "/sys", *flags())
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("gate: /sys/gate.toml: it can't be written: ")
    assert done.stderr.endswith("\n  Nothing was written.\n")


def test_what_can_not_be_finished_is_taken_back(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    contents = {"a": b"1", "kept/b": b"2", "new/deep/c": b"3", "new/" + "d" * 300: b"4"}
    with pytest.raises(CallersError, match="File name too long"):
        files.write_new(tmp_path, contents)
    assert [path.name for path in tmp_path.rglob("*")] == ["kept"]


# ---------------------------------------------------------------- what is not said, and what can't be


def test_without_a_terminal_everything_missing_is_named_at_once(tmp_path: Path) -> None:
    done = gate_here(tmp_path, "init")
    assert (done.returncode, done.stdout) == (3, "")
    for option in FLAGS:
        assert option in done.stderr
    assert tree(tmp_path) == []
    done = gate_here(tmp_path, "init", *flags(verb=None, thinking=None))
    assert done.returncode == 3
    assert done.stderr == (
        "gate: nothing was written: there is no terminal to ask for --verb, --thinking or --no-thinking\n"
    )


def test_an_input_that_never_ends_is_never_waited_for(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    try:
        command = [sys.executable, "-m", "gate", "init"]
        done = subprocess.run(command, cwd=tmp_path, stdin=reading, capture_output=True, timeout=60, check=False)
    finally:
        os.close(reading)
        os.close(writing)
    assert done.returncode == 3


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"name": ("",)}, "Invalid value for '--name': '' is blank"),
        ({"release": ("0.1",)}, "Invalid value for '--release': '0.1' is not a semantic version"),
        ({"commit": ("c0ffee",)}, "Invalid value for '--commit': 'c0ffee' is not a full commit"),
        ({"tag_format": ("v",)}, "Invalid value for '--tag-format': 'v' holds {version} 0 times"),
        ({"host": ("a/b",)}, "Invalid value for '--host': 'a/b' holds '/'"),
        ({"host": ("",)}, "Invalid value for '--host': '' is empty"),
        ({"host": ("a:b:fast",)}, "'fast' is no compute capability"),
        ({"host": ("a:b:8.9:c",)}, "has more parts than ID:GPU:COMPUTE"),
        ({"host": ("a", "a")}, "hosts names 'a' twice"),
        ({"host": ("a", "A")}, "differ only by case"),
        ({"verb": ("run", "run")}, "cells.verbs names 'run' twice"),
        ({"context": ("4k=many",)}, "Invalid value for '--context': '4k=many' has no size"),
        ({"context": ("4k=0",)}, "has no size"),
        ({"context": ("4k=-1",)}, "has no size"),
        ({"context": ("4k=4096", "8k")}, "some have sizes and some have none"),
        ({"context": ("4k=4096", "4k=8192")}, "'4k' stands twice"),
        ({"context": (f"4k={2**60}",)}, "contexts[0].tokens"),
        ({"context": ("declared=4096",)}, "never listed"),
        ({"name": ("a\x1b[2J",)}, "holds the control character U+001B"),
        ({"name": ("a", "b")}, "it is given 2 times"),
        ({"no_thinking": ()}, "contradict"),
        ({"ci": ("jenkins",)}, "'jenkins' is not one of"),
        ({"models": ("none",)}, "none: there is no such folder"),
    ],
)  # fmt: skip
def test_a_wrong_answer_is_named_with_its_flag_and_nothing_is_written(
    changed: dict[str, tuple[str, ...]], said: str, tmp_path: Path
) -> None:
    done = gate_here(tmp_path, "init", *flags(**changed))
    assert (done.returncode, done.stdout) == (3, "")
    assert said in " ".join(done.stderr.split())
    assert tree(tmp_path) == []
    assert "\x1b" not in done.stderr


# ---------------------------------------------------------------- the pipeline


@pytest.mark.parametrize("pipeline", sorted(scaffold.PIPELINES))
def test_a_pipeline_stands_at_the_root_of_its_repository(pipeline: str, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    done = gate_here(tmp_path, "init", "sub", *flags(ci=(pipeline,)))
    assert (done.returncode, tree(tmp_path / "sub")) == (3, [])
    assert f"--ci {pipeline}" in done.stderr
    begun(tmp_path, ci=(pipeline,))
    for name, path in scaffold.PIPELINES[pipeline].items():
        assert (tmp_path / path).read_text() == (ROOT / "starter" / name).read_text()


# ---------------------------------------------------------------- on a terminal


ANSWERS = [
    ("What is the project called [demo]: ", "\n"), ("Where is its repository", "\n"),
    ("How is a tag spelled [v{version}]: ", "\n"), ("Which release is measured first", "0.1\n"),
    ("is not a semantic version", ""), ("Which release is measured first", "0.1.0\n"),
    ("What is the first machine that measures called", "bench\n"), ("Its GPU", "NVIDIA GeForce RTX 4090\n"),
    ("Its compute capability", "sm_89\n"), ("What is the next machine called", "\n"),
    ("Which modes of use", " ,\n"), ("name at least one", ""), ("Which modes of use", "run, chat\n"),
    ("On which backend", "cuda\n"), ("thinking and not", "\n"), ("At which sizes of prompt", "4k=4096\n"),
    ("What is 4k derived from", "ticket 3710\n"), ("Which model files are owed", "*q4_k*\n"),
    ("Which test suites", "\n"), ("holds the first machine's GGUF files", "\n"), ("Which CI", "github\n"),
]  # fmt: skip


def test_on_a_terminal_what_was_not_said_is_asked(tmp_path: Path) -> None:
    pytest.importorskip("gguf")
    folder = tmp_path / "demo"
    folder.mkdir()
    shown = on_terminal(folder, "init", "--commit", COMMIT, answers=ANSWERS)
    assert shown.code == 0, shown.text
    assert rules_of(folder) == {
        "project": {"name": "demo", "tag": "v{version}", "ledger": "receipts", "decisions": "claims.toml",
                    "contexts": "receipts/contexts.json"},
        "hosts": [{"id": "bench", "gpu": "NVIDIA GeForce RTX 4090", "compute": "8.9", "required": True}],
        "cells": {"verbs": ["run", "chat"], "backend": "cuda", "thinking": True},
        "models": {"owed": ["*q4_k*"]},
    }  # fmt: skip
    assert (folder / ".github/workflows/gate.yml").is_file()
    assert "At which full commit" not in shown.text  # it was said


def test_an_answer_that_can_not_be_taken_is_asked_again_and_no_other_is_lost(tmp_path: Path) -> None:
    pytest.importorskip("gguf")
    (tmp_path / ".gitlab-ci.yml").write_text("mine")
    answers = [
        ("What is the first machine", "bench\n"), ("GPU", "\n"), ("compute capability", "fast\n"),
        ("is no compute capability", ""), ("compute capability", "\n"), ("next machine", "Bench\n"),
        ("only looks different", ""), ("next machine", "\n"), ("Which modes of use", "run, run\n"),
        ("stands twice", ""), ("Which modes of use", "run\n"), ("At which sizes", "4k=4096, 8k\n"),
        ("some have tokens and some have none", ""), ("At which sizes", "4k\n"), ("Which model files", "\n"),
        ("Which test suites", "\n"), ("GGUF files", "nowhere\n"), ("'nowhere' is no folder", ""), ("GGUF files", "\n"),
        ("Which CI", "gitlab\n"), (".gitlab-ci.yml: it exists", ""), ("Which CI", "none\n"),
    ]  # fmt: skip
    given = flags(host=None, verb=None, context=None, ci=None, repository=("x",), tag_format=("v{version}",))
    shown = on_terminal(tmp_path, "init", *given, answers=answers)
    assert shown.code == 0, shown.text
    assert rules_of(tmp_path)["hosts"] == [{"id": "bench", "required": True}]
    assert (tmp_path / ".gitlab-ci.yml").read_text() == "mine"


def test_where_all_that_is_needed_is_said_nothing_is_asked(tmp_path: Path) -> None:
    shown = on_terminal(tmp_path, "init", *flags())
    assert (shown.code, "?" in shown.text, "Which" in shown.text) == (0, False, False)


def test_what_exists_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    (tmp_path / "gate.toml").write_text("mine")
    shown = on_terminal(tmp_path, "init", "--commit", COMMIT)
    assert shown.code == 3
    assert "gate.toml: it exists" in shown.text
    assert "What is" not in shown.text


def test_without_a_commit_the_first_words_say_so(tmp_path: Path) -> None:
    shown = on_terminal(tmp_path, "init")
    assert shown.code == 3
    assert "git init" in shown.text
    assert "What is" not in shown.text


@pytest.mark.parametrize("key", ["\x03", "\x04"], ids=["Ctrl-C", "Ctrl-D"])
def test_who_goes_away_leaves_nothing_behind(key: str, tmp_path: Path) -> None:
    answers = [("What is the project called", "x\n"), ("Where is its repository", key)]
    shown = on_terminal(tmp_path, "init", "--commit", COMMIT, answers=answers)
    assert shown.code == 2
    assert "nothing was written" in shown.text
    assert tree(tmp_path) == []


def test_an_answer_of_forty_columns_reads_well(tmp_path: Path) -> None:
    shown = on_terminal(tmp_path, "init", *flags(), columns=40)
    lines = [line for line in shown.text.splitlines() if len(line) > 40]
    assert all(line.startswith("  gate ") for line in lines), lines
