"""Tests, laid out like the package. `release.py` has the green release that most of them change one thing in."""
