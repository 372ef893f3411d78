"""taggate: may this tag be cut? Receipts become a graph, SHACL shapes judge it, and absence is a violation."""

__version__ = "0.1.0"
