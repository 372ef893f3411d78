"""Fuzz every reader with atheris: `python -m tests.fuzz.fuzz_readers -max_total_time=600 tests/fuzz/corpus`."""

from __future__ import annotations

import importlib
import sys

import atheris

with atheris.instrument_imports(include=["gate"]):
    from gate.cli.ingest import FORMATS
    from gate.ledger import READERS
    from tests.fuzz.target import feed

    for module in sorted({*READERS.values(), *FORMATS.values()}):
        importlib.import_module(f"gate.ledger.{module}")  # now, so that it is instrumented


def main() -> None:
    """Hand the process to the fuzzer."""
    atheris.Setup(sys.argv, lambda data: feed(data) and None)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
