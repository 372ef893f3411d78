"""What turns a warned cell red. Each starts from a de-claim whose cells print the warning, which conforms."""

from __future__ import annotations

from collections.abc import Callable

from tests.falsifiers.falsifier import Falsifier
from tests.release import DECLAIM, OTHER_COMMIT, Release, declaimed

CELL = "gx10/beta-q4_k_m.gguf/run/think-off/4k"


def warned(release: Release, *printed: str) -> None:
    """Withdraw beta on gx10 with a warning, which every run of it prints; the run of `CELL` prints `printed`."""
    declaimed(release, DECLAIM.replace("issue = 4590", "issue = 4590\nwarning = true"))
    for row in release.receipt("gx10.json")["runs"]:
        if row["model"]["file"] == "beta-q4_k_m.gguf":
            row["warnings"] = ["warning: beta on GB10 is slow, see #4590"]
    release.row("gx10", "beta-q4_k_m.gguf")["warnings"] = list(printed)


def _printing(*texts: str) -> Callable[[Release], None]:
    return lambda release: warned(release, *texts)


def _missing(release: Release) -> None:
    warned(release)
    release.receipt("gx10.json")["runs"].remove(release.row("gx10", "beta-q4_k_m.gguf"))


def _stale(release: Release) -> None:
    warned(release)
    row = release.row("gx10", "beta-q4_k_m.gguf")
    release.receipt("gx10.json")["runs"].remove(row)
    old = {k: v for k, v in release.receipt("gx10.json").items() if k != "runs"}
    old = old | {"release": old["release"] | {"commit": OTHER_COMMIT}, "runs": [row | {"warnings": ["see #4590"]}]}
    release.documents["receipts/0.71.0/old.json"] = old


def _red(name: str, change: Callable[[Release], None]) -> Falsifier:
    return Falsifier("Warning-printed", "MinCount", name, ((CELL, "printed", "missing"),), change)


FALSIFIERS = [
    _red("its run printed nothing", _printing()),
    _red("its run printed another warning", _printing("warning: low on memory")),
    _red("its run names another ticket", _printing("see #45901, and 4590")),
    _red("its run names another project's ticket", _printing("see https://example.org/other/issues/4590")),
    _red("it was never run", _missing),
    _red("its run is of another commit", _stale),
]
