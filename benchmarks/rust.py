"""The engine `shacl`, written in Rust, as a program: `python -m benchmarks.rust SHAPES DATA` counts the results."""

from __future__ import annotations

import sys

import shacl

if __name__ == "__main__":
    report = shacl.Shapes.from_file(sys.argv[1]).validate_file(sys.argv[2])
    print(f"Results ({len(report.results)}):")
