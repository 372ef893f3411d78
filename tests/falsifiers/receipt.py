"""What turns a receipt red, or has it named."""

from __future__ import annotations

from tests.falsifiers import kernel
from tests.falsifiers.falsifier import CELL, Falsifier, ladder
from tests.release import COMMIT, VERSION, Release

OWN = f"receipts/{VERSION}/own.json"
_INCOHERENT = ((OWN, "coherent", "stale"), (CELL, "fresh", "stale"))


def _superseded(release: Release) -> None:
    old = {"schema": "apr-model-ladder-receipt/v1", "host": "gx10", "version": VERSION, "sha": COMMIT[:9], "rungs": []}
    release.documents[OWN] = old


def _contradicted(release: Release) -> None:
    release.receipt("lambda.json")["contradictions"] = ["runs[0]: green is true, and golden_output failed"]


def _binaryless(release: Release) -> None:
    """Runs name the binary, and a kernel stands in a receipt whose format can't."""
    kernel.with_kernels(release)
    kernel.diff(apr_sha=COMMIT)(release)


def _variants(release: Release) -> None:
    """One variant of a kernel was measured at another commit, of which it names the beginning alone."""
    variant = {"host": "gx10", "sha": COMMIT, "variant": "rsqrt", "parity": {"pass": True}}
    release.documents[OWN] = {
        "schema": "apr-kernel-receipt/v1", "kernel": "l2", "receipts": [variant, variant | {"sha": "deadbeef0"}],
    }  # fmt: skip


FALSIFIERS = [
    Falsifier("Receipt-coherent", "MaxCount", "its version line names another version", _INCOHERENT,
              lambda r: ladder(r, apr_version=f"apr 0.70.0 ({COMMIT[:9]})")),
    Falsifier("Receipt-coherent", "MaxCount", "its version line names another commit", _INCOHERENT,
              lambda r: ladder(r, apr_version=f"apr {VERSION} (deadbeef0)")),
    Falsifier("Receipt-coherent", "MaxCount", "its short commit is of another one", _INCOHERENT,
              lambda r: ladder(r, sha="deadbeef0")),
    Falsifier("Receipt-coherent", "MaxCount", "a variant's short commit is of another one",
              ((OWN, "coherent", "stale"),), _variants),
    Falsifier("Receipt-vouches", "MaxCount", "a receipt of the first version",
              ((OWN, "vouches", "superseded"),), _superseded, severity="warning"),
    Falsifier("Receipt-consistent", "MaxCount", "a summary that its checks deny",
              ((f"receipts/{VERSION}/lambda.json", "consistent", "contradicted"),), _contradicted, severity="warning"),
    Falsifier("Receipt-binary", "MaxCount", "a format that can't name the binary",
              ((OWN, "binary", "unidentified"),), _binaryless, severity="warning"),
    Falsifier("Receipt-read", "MaxCount", "a field that no reader takes",
              ((OWN, "read", "unread"),), lambda r: ladder(r, weather="fine"), severity="info"),
]  # fmt: skip
