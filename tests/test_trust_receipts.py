"""Signatures of receipts: what nobody vouches for shows nothing. Each case is run with a real ssh-keygen."""

from __future__ import annotations

import json

import pytest

from tests.release import BINARY, COMMIT, VERSION, Release, judged
from tests.signing import (
    CLAIMS,
    GX10,
    RELEASE,
    SUITE,
    Change,
    keys,
    line,
    sign,
    signed,
    standing,
)

FOLDER = f"receipts/{VERSION}"


def _edited_receipt(release: Release) -> None:
    document = json.loads(release.documents[GX10])
    document["runs"][0]["seconds"] = 1.0
    release.documents[GX10] = json.dumps(document)


def _signed_by(path: str, name: str, namespace: str = "taggate") -> Change:
    return lambda release: sign(release, path, name, namespace)


def _relabelled(release: Release) -> None:
    """Host gx10 says that its runs are lambda's, and signs that."""
    document = json.loads(release.documents[GX10]) | {"host": "lambda"}
    document["release"]["binary_sha256"] = BINARY["lambda"]
    release.documents[f"{FOLDER}/lambda.json"] = json.dumps(document)
    sign(release, f"{FOLDER}/lambda.json", "gx10")


def _swapped(release: Release) -> None:
    one, other = f"{FOLDER}/lambda.json.sig", f"{FOLDER}/inventory-lambda.json.sig"
    release.documents[one], release.documents[other] = release.documents[other], release.documents[one]


def _renamed_alone(release: Release) -> None:
    release.documents[f"{FOLDER}/other.json"] = release.documents.pop(GX10)


def _other_case(release: Release) -> None:
    release.documents[f"{GX10}.SIG"] = release.documents.pop(f"{GX10}.sig")


def _laptop(release: Release) -> None:
    """A host that owes nothing, and that nobody may sign for."""
    document = json.loads(release.documents[GX10]) | {"host": "laptop"}
    release.documents[f"{FOLDER}/laptop.json"] = json.dumps(document)
    sign(release, f"{FOLDER}/laptop.json", "gx10")


def _other_binaries(release: Release) -> None:
    release.documents[RELEASE] += f'[binaries]\nlambda = "{BINARY["lambda"]}"\n'


# What must be red, and how many cells are missing beside the 12 that are withdrawn.
ON_RECEIPTS: dict[str, tuple[Change, list[tuple[str, str]], int]] = {
    "a run is edited": (_edited_receipt, [(GX10, "forged")], 24),
    "an unsigned run": (lambda r: r.documents.pop(f"{GX10}.sig"), [(GX10, "unsigned")], 24),
    "an empty signature": (lambda r: r.documents.update({f"{GX10}.sig": ""}), [(GX10, "unsigned")], 24),
    "another host's key": (_signed_by(GX10, "lambda"), [(GX10, "unauthorized")], 24),
    "the owner's key": (_signed_by(GX10, "owner"), [(GX10, "unauthorized")], 24),
    "nobody's key": (_signed_by(GX10, "mallory"), [(GX10, "unauthorized")], 24),
    "for git": (_signed_by(GX10, "gx10", "git"), [(GX10, "misdirected")], 24),
    "runs under another host's name": (_relabelled, [(f"{FOLDER}/lambda.json", "unauthorized")], 36),
    "two signatures change places": (
        _swapped, [(f"{FOLDER}/inventory-lambda.json", "forged"), (f"{FOLDER}/lambda.json", "forged")], 36,
    ),
    "renamed without its signature": (_renamed_alone, [(f"{FOLDER}/other.json", "unsigned")], 24),
    "a signature in capitals": (_other_case, [(GX10, "unsigned")], 24),
    "a receipt of a host that nobody signs for": (_laptop, [(f"{FOLDER}/laptop.json", "unauthorized")], 0),
    "a suite that a host signed": (_signed_by(SUITE, "gx10"), [(SUITE, "unauthorized")], 0),
    "a release.toml that was edited": (_other_binaries, [(RELEASE, "forged")], 0),
    "a release.toml that a host signed": (_signed_by(RELEASE, "lambda"), [(RELEASE, "unauthorized")], 0),
    "the host's key was removed": (
        keys(gx10=""), [(GX10, "unauthorized"), (f"{FOLDER}/inventory-gx10.json", "unauthorized")], 24,
    ),
    "the host's key ran out": (
        keys(gx10=line("gx10", 'valid-before="20260901"')),
        [(GX10, "expired"), (f"{FOLDER}/inventory-gx10.json", "expired")], 24,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("attack", "red", "missing"), ON_RECEIPTS.values(), ids=ON_RECEIPTS)
def test_no_forged_receipt_shows_anything(
    attack: Change, red: list[tuple[str, str]], missing: int, trusted: Release
) -> None:
    attack(trusted)
    verdict = judged(trusted.write())
    assert verdict["exit"] == 1
    found = [f for f in verdict["findings"] if f["shape"] == "signature" and f["severity"] == "violation"]
    assert [(f["focus"], f["reason"]) for f in found] == red
    assert verdict["counts"]["cells"]["missing"] == missing
    assert all(standing(verdict, path)["reason"] == reason for path, reason in red)


def test_an_inventory_without_a_voucher_shows_nothing_and_takes_nothing_away(trusted: Release) -> None:
    del trusted.documents[f"{FOLDER}/inventory-gx10.json.sig"]
    verdict = judged(trusted.write())
    assert [(f["shape"], f["focus"], f["reason"]) for f in verdict["findings"]] == [
        ("signature", f"{FOLDER}/inventory-gx10.json", "unsigned"),
        ("host", "gx10", "missing"),
    ]
    assert verdict["counts"]["cells"]["owed"] == 60


def test_where_nothing_is_signed_everything_is_named(trusted: Release) -> None:
    for path in [path for path in trusted.documents if path.endswith(".sig")]:
        del trusted.documents[path]
    verdict = judged(trusted.write())
    assert verdict["exit"] == 1
    assert sum(f["reason"] == "unsigned" for f in verdict["findings"]) == 7
    assert verdict["counts"]["cells"]["missing"] == verdict["counts"]["cells"]["owed"] == 72


def test_a_signature_whose_file_is_gone_is_named(trusted: Release) -> None:
    trusted.documents[f"{FOLDER}/red.json.sig"] = signed(b"{}", "gx10")
    verdict = judged(trusted.write())
    (found,) = verdict["findings"]
    assert (found["focus"], found["reason"], found["severity"]) == (f"{FOLDER}/red.json.sig", "orphan", "warning")


def test_the_signature_of_decisions_that_are_gone_is_named(trusted: Release) -> None:
    trusted.claims = None
    (trusted.write() / CLAIMS).unlink(missing_ok=True)
    verdict = judged(trusted.folder)
    assert [f["focus"] for f in verdict["findings"] if f["reason"] == "orphan"] == ["claims.toml.sig"]
    assert verdict["counts"]["cells"]["missing"] == 12


def test_the_signature_of_a_release_file_that_is_gone_is_named(trusted: Release) -> None:
    del trusted.documents[RELEASE]
    verdict = judged(trusted.write(), "--commit", COMMIT)
    assert [(f["focus"], f["reason"]) for f in verdict["findings"]] == [(f"{RELEASE}.sig", "orphan")]


def test_a_signature_of_evidence_is_nobodys(trusted: Release) -> None:
    """Evidence is bound by the digest in its row; its own signature is a file that nobody reads."""
    trusted.documents |= {f"{FOLDER}/log.txt": "Paris.\n", f"{FOLDER}/log.txt.sig": "whatever\n"}
    verdict = judged(trusted.write())
    assert [(f["property"], f["severity"]) for f in verdict["findings"]] == [("read", "info")]
