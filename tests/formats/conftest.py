"""The three releases that every format is rendered of, judged once."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from gate.check import Request, check
from gate.reporting.formats import Artifact, Setting
from gate.verdict import Verdict
from tests.real import COMMIT, aprender

ROOT = Path(__file__).parent.parent.parent
RELEASES = ("0.69.0 of the real project", "0.70.0", "0.71.0")
MOMENT = datetime.datetime(2026, 11, 1, tzinfo=datetime.UTC)
SETTING = Setting(artifacts=(Artifact("demo.tar.gz", "d" * 64),))


@pytest.fixture(scope="session")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Verdict]:
    folder = aprender(tmp_path_factory.mktemp("aprender"))
    found = {RELEASES[0]: check(Request(folder / "gate.toml", "0.69.0", COMMIT, MOMENT))}
    return found | {name: check(Request(ROOT / "gate.toml", name, now=MOMENT)) for name in RELEASES[1:]}
