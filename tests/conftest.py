"""What every test may ask for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.release import Release, green
from tests.signing import sealed, withdrawn

REAL = Path(__file__).parent.parent.parent / "shared" / "real"


# Modules whose tables run whole, always: what turns a release red, and what must not turn it green.
# Of the tables of all others the first case runs always, and every case with --exhaustive.
ALWAYS_WHOLE = {
    "test_table",
    "test_attacks",
    "test_check",
    "test_cli",
    "test_decisions",
    "test_docs",
    "test_engines",
    "test_everything",
    "test_real",
    "test_real_files",
    "test_shape_files",
    "test_shrink",
    "test_terminal",
    "test_w3c",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Take `--exhaustive`."""
    parser.addoption("--exhaustive", action="store_true", help="run every case of every table")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out all but the first case of each test of the other modules; pytest counts them as deselected."""
    if config.getoption("--exhaustive"):
        return
    seen: set[tuple[str, str]] = set()
    kept, left_out = [], []
    for item in items:
        module = item.nodeid.partition("::")[0].rpartition("/")[2].removesuffix(".py")
        test = (module, item.name.partition("[")[0])
        (left_out if module not in ALWAYS_WHOLE and test in seen else kept).append(item)
        seen.add(test)
    items[:] = kept
    config.hook.pytest_deselected(items=left_out)


@pytest.fixture(autouse=True, scope="session")
def _caches(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the caches of these runs, and of every process that they start, apart from those of whoever runs them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("caches")))
        yield


@pytest.fixture
def release(tmp_path: Path) -> Release:
    """A green release, not yet written."""
    return green(tmp_path)


@pytest.fixture
def trusted(tmp_path: Path) -> Release:
    """A release that is signed in full, with a de-claim whose cells nobody ran."""
    return sealed(withdrawn(green(tmp_path)))


@pytest.fixture
def real() -> Path:
    """The real receipts beside the project; a test that needs them is skipped, by name, where they are absent."""
    if not REAL.is_dir():
        pytest.skip(f"the real receipts are not at {REAL}")
    return REAL
