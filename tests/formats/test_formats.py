"""What holds for all formats: the same counts, the same bytes, and a beginning by which an earlier file is known."""

from __future__ import annotations

import subprocess
import sys

import pytest

from gate.reporting.formats import FORMATS, is_one_of_ours, render
from gate.verdict import Verdict
from tests.falsifiers.falsifier import judge
from tests.formats.conftest import RELEASES, ROOT, SETTING
from tests.formats.counts import READERS
from tests.formats.shipped import shipped
from tests.release import Release, declaimed

EXPECTED = {
    RELEASES[0]: {"owed": 768, "passed": 0, "missing": 752, "failed": 16, "declaimed": 0},
    "0.70.0": {"owed": 304, "passed": 304, "missing": 0, "failed": 0, "declaimed": 56},
    "0.71.0": {"owed": 360, "passed": 300, "missing": 60, "failed": 0, "declaimed": 0},
}
SHIPPED = {"owed": 21, "passed": 20, "missing": 0, "failed": 1, "declaimed": 3}


def test_every_format_is_read_back() -> None:
    assert set(READERS) == set(FORMATS)


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("form", sorted(READERS))
def test_every_format_says_the_same_counts(form: str, release: str, verdicts: dict[str, Verdict]) -> None:
    assert READERS[form](render(form, verdicts[release], SETTING)) == EXPECTED[release]


def test_every_format_counts_what_decisions_set_aside(release: Release) -> None:
    verdict, _ = judge(shipped(release).write())
    assert verdict.conforms
    assert {form: READERS[form](render(form, verdict, SETTING)) for form in READERS} == dict.fromkeys(READERS, SHIPPED)


@pytest.mark.parametrize("form", sorted(FORMATS))
def test_an_earlier_file_is_known_by_its_beginning(form: str, verdicts: dict[str, Verdict]) -> None:
    for verdict in verdicts.values():
        assert is_one_of_ours(render(form, verdict, SETTING).encode()[:1024])


@pytest.mark.parametrize(
    "begins",
    [b"", b"<?xml version='1.0'?>\n<testsuites name=\"pytest\">", b'{\n "version": "2.1.0"', b"::error file=a.py::x",
     b"# a page", b"@prefix gate: <https://w3id.org/taggate/ns#> .", b'{"_type": "https://in-toto.io/Statement/v1"}',
     b'{"schema": "taggate/run-receipt/v1"}', b"[project]\n"],
)  # fmt: skip
def test_no_other_file_is_taken_for_one_of_ours(begins: bytes) -> None:
    assert not is_one_of_ours(begins)


def test_the_same_verdict_gives_the_same_bytes_in_every_format(release: Release) -> None:
    release.row("lambda", "alpha-q4_k_m.gguf").update(verdict="fail", reason="golden output")
    folder = declaimed(release).write()
    script = (
        "import datetime, hashlib, sys; from pathlib import Path; from gate.check import Request, check\n"
        "from gate.reporting.formats import *\n"
        "moment = datetime.datetime(2026, 11, 1, tzinfo=datetime.UTC)\n"
        "verdict = check(Request(Path(sys.argv[1]), '0.71.0', now=moment))\n"
        "setting = Setting(artifacts=(Artifact('x', 'd' * 64),))\n"
        "for form in FORMATS: print(form, hashlib.sha256(render(form, verdict, setting).encode()).hexdigest())\n"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", script, str(folder / "gate.toml")],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT), "LC_ALL": locale, "TZ": zone},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed, locale, zone in (("1", "C", "UTC"), ("2", "C.UTF-8", "Asia/Tokyo"))
    }  # fmt: skip
    assert len(said) == 1
