"""What a person sees on a terminal: narrow ones, ones without colour, and none at all."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from gate.cli import COMMANDS
from tests.release import NOW, VERSION, green
from tests.terminal import on_terminal

ABOUT = ("--tag", VERSION, "--now", NOW)
LONG = "Some-Very-Long-Name-Of-A-Model-That-Fills-A-Line-Q4_K_M.gguf"
COLOUR = re.compile(r"\x1b\[[0-9;]*?(?:3[0-7]|4[0-7]|9[0-7])[0-9;]*m")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release with a model of a long name, whose cells are all missing on one host, and two decisions' worth of ends."""
    release = green(tmp_path_factory.mktemp("release"))
    for host in ("lambda", "gx10"):
        models = release.receipt(f"inventory-{host}.json")["models"]
        models[1]["file"] = LONG
        rows = release.receipt(f"{host}.json")["runs"]
        rows[:] = [row for row in rows if row["model"]["file"].startswith("alpha")]
    release.row("gx10", "alpha-q4_k_m.gguf").update(verdict="fail", reason="golden output: nothing came back")
    return release.write()


def _joined(text: str) -> str:
    """Return what was folded over several lines as it was before."""
    return re.sub(r"\s+", "", text)


@pytest.mark.parametrize("arguments", [("check", *ABOUT), ("plan", *ABOUT)], ids=lambda arguments: arguments[0])
@pytest.mark.parametrize("columns", [40, 24])
def test_on_a_narrow_terminal_nothing_is_cut_and_nothing_is_wider(
    columns: int, arguments: tuple[str, ...], folder: Path
) -> None:
    shown = on_terminal(folder, *arguments, columns=columns, quiet_errors=True, NO_COLOR="1")
    assert "…" not in shown.text
    assert LONG in _joined(shown.text)
    wide = [line for line in shown.text.splitlines() if len(line) > columns]
    assert all(line.startswith("    gate ") for line in wide), wide  # a command to copy is one line, however long


def test_what_goes_on_in_the_next_line_stands_below_what_it_goes_on_with(folder: Path) -> None:
    lines = on_terminal(folder, "check", *ABOUT, columns=40, quiet_errors=True, NO_COLOR="1").text.splitlines()
    first = next(index for index, line in enumerate(lines) if line.endswith("No run of this cell was recorded."))
    assert lines[first + 1] == "       [cell: receipt, missing]"


@pytest.mark.parametrize("term", ["xterm", "dumb"])
def test_a_variable_says_how_wide_a_terminal_is(term: str, folder: Path) -> None:
    shown = on_terminal(folder, "check", *ABOUT, columns=200, quiet_errors=True, COLUMNS="40", TERM=term)
    assert max(len(line) for line in shown.text.splitlines() if not line.startswith("    gate ")) <= 40


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_fits_a_narrow_terminal(command: str, folder: Path) -> None:
    shown = on_terminal(folder, *command.split(), "--help", columns=40)
    assert shown.code == 0
    said = re.split("Example|Formats|The everyday path", shown.text)[0]  # what follows is read or copied as it stands
    assert said != shown.text
    assert [line for line in said.splitlines() if len(line) > 40] == []


def test_colour_is_for_terminals_that_want_it(folder: Path) -> None:
    def raw(**environment: str) -> str:
        return on_terminal(folder, "check", *ABOUT, quiet_errors=True, **environment).raw

    assert COLOUR.search(raw())
    assert not COLOUR.search(raw(NO_COLOR="1"))
    assert COLOUR.search(raw(NO_COLOR=""))  # an empty one asks for nothing: no-color.org
    assert not COLOUR.search(raw(NO_COLOR="1", FORCE_COLOR="1"))
    assert "\x1b" not in raw(TERM="dumb")
    assert "\x1b" not in on_terminal(folder, "check", *ABOUT, TERM="dumb").raw  # the progress on standard error too


@pytest.mark.parametrize("arguments", [("check", *ABOUT), ("plan", *ABOUT)], ids=lambda arguments: arguments[0])
def test_a_log_has_colour_only_where_it_is_asked_for(arguments: tuple[str, ...], folder: Path) -> None:
    def log(**environment: str) -> str:
        known = {name: value for name, value in os.environ.items() if name not in {"FORCE_COLOR", "NO_COLOR"}}
        command = [sys.executable, "-m", "gate", *arguments]
        return subprocess.run(command, cwd=folder, env=known | environment, capture_output=True, text=True).stdout

    assert "\x1b" not in log()
    assert "\x1b[" in log(FORCE_COLOR="1")
    assert not COLOUR.search(log(FORCE_COLOR="1", NO_COLOR="1"))


def test_a_file_has_no_colour_whatever_is_asked_for(folder: Path) -> None:
    target = folder / "verdict.txt"
    on_terminal(folder, "check", *ABOUT, "--output", str(target), FORCE_COLOR="1", columns=40)
    assert "\x1b" not in target.read_text()
    assert max(len(line) for line in target.read_text().splitlines()) > 80  # nor the width of who happens to watch


@pytest.mark.parametrize("arguments", [("check", *ABOUT), ("schema",), ("--help",)], ids=lambda arguments: arguments[0])
def test_no_pager_is_ever_started(arguments: tuple[str, ...], folder: Path, tmp_path: Path) -> None:
    pager = tmp_path / "pager"
    pager.write_text('#!/bin/sh\ntouch "$0.was-here"\ncat\n')
    pager.chmod(pager.stat().st_mode | stat.S_IXUSR)
    on_terminal(folder, *arguments, PAGER=str(pager), MANPAGER=str(pager), LESS="", CI="true")
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("pager")] == ["pager"]
