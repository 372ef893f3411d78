"""Time the command as a whole process: `python benchmarks/time_check.py [CELLS ...]` prints a table of medians."""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import ledger

RUNS = 5
SHARES = {"all passing": 0.0, "1% missing": 0.01, "all missing": 1.0}


def measure(arguments: list[str], folder: Path) -> tuple[float, int]:
    """Return the median wall time, in seconds, of `RUNS` runs after a warm-up, and the last exit code."""
    times = []
    code = 0
    for _ in range(RUNS + 1):
        begun = time.perf_counter()
        done = subprocess.run([sys.executable, "-m", "gate", *arguments], cwd=folder, capture_output=True, check=False)
        times.append(time.perf_counter() - begun)
        code = done.returncode
    return statistics.median(times[1:]), code


def main(sizes: list[int]) -> None:
    """Print the table."""
    print(f"| command | cells | wall, median of {RUNS} | exit |\n|---|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        wall, code = measure(["--help"], Path(folder))
        print(f"| gate --help | | {wall:.2f} s | {code} |")
        for cells in sizes:
            for name, missing in SHARES.items():
                project = Path(folder) / f"{cells}-{missing}"
                count = ledger.write(project, cells, missing=missing)
                wall, code = measure(
                    ["check", "--tag", ledger.VERSION, "--commit", ledger.COMMIT, "--format", "json"], project
                )
                print(f"| gate check, {name} | {count:,} | {wall:.2f} s | {code} |")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"\nPeak memory of the largest process: {peak:.0f} MiB")


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or [768])
