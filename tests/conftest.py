"""What every test may ask for."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.release import Release, green

REAL = Path(__file__).parent.parent.parent / "shared" / "real"


@pytest.fixture
def release(tmp_path: Path) -> Release:
    """A green release, not yet written."""
    return green(tmp_path)


@pytest.fixture
def real() -> Path:
    """The real receipts beside the project; a test that needs them is skipped, by name, where they are absent."""
    if not REAL.is_dir():
        pytest.skip(f"the real receipts are not at {REAL}")
    return REAL
