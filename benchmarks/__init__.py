"""How fast the gate is, against what: `python -m benchmarks`. Nothing of it is installed."""
