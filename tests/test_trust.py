"""Signatures: what opens the door, and everything that must not. Each case is run with a real ssh-keygen."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate import allowed_signers
from gate.errors import BadFile
from gate.files import InputFile
from gate.reporting import text as report
from gate.ssh_keygen import namespace_of
from gate.trust import _same_release
from tests.falsifiers.falsifier import judge
from tests.release import BINARY, COMMIT, DECLAIM, NOW, VERSION, Release, declaimed, gate, gate_here, green, judged
from tests.signing import (
    PRINCIPALS,
    certificate,
    fingerprint,
    frozen,
    key,
    keygen,
    line,
    public,
    sealed,
    sign,
    signed,
    signers,
    withdrawn,
)

CLAIMS, FOLDER = "claims.toml", f"receipts/{VERSION}"
GX10, SUITE, RELEASE = f"{FOLDER}/gx10.json", f"{FOLDER}/dogfood.json", f"{FOLDER}/release.toml"
CHECK = ("check", "--tag", VERSION, "--now", NOW)

Change = Callable[[Release], None]


@pytest.fixture
def trusted(tmp_path: Path) -> Release:
    """A release that is signed in full, with a de-claim whose cells nobody ran."""
    return sealed(withdrawn(green(tmp_path)))


def standing(verdict: dict[str, Any], path: str) -> dict[str, Any]:
    found: list[dict[str, Any]] = [one for one in verdict["signatures"] if one["path"] == path]
    assert len(found) == 1
    return found[0]


# ------------------------------------------------------------------ honest cases


def test_a_release_that_is_signed_in_full_conforms_and_says_who_vouches_for_what(trusted: Release) -> None:
    verdict = judged(trusted.write())
    assert verdict["verdict"] == "conforms"
    assert verdict["counts"]["cells"]["declaimed"] == 12
    names = {CLAIMS: "owner", SUITE: "ci", RELEASE: "ci"}
    names |= {f"{FOLDER}/{kind}{host}.json": host for kind in ("", "inventory-") for host in ("lambda", "gx10")}
    assert verdict["signatures"] == [
        {"path": path, "principal": PRINCIPALS[name], "key": fingerprint(name), "reason": None}
        for path, name in sorted(names.items())
    ]
    inputs = {one["path"] for one in verdict["inputs"]}
    assert {"allowed_signers", "claims.toml.sig", f"{GX10}.sig", f"{RELEASE}.sig"} <= inputs
    # Whatever is read of the ledger and the decisions, somebody vouches for it, or for its digest.
    assert {p for p in inputs if p.startswith(FOLDER) and not p.endswith(".sig")} <= {*names}


def test_the_text_and_the_notes_say_who_vouches_for_what(trusted: Release) -> None:
    folder = trusted.write()
    said = " ".join(gate_here(folder, *CHECK).stdout.split())
    assert "Receipts: 5, all signed by 3 keys." in said
    assert f"Decisions: signed by owner@example.org ({fingerprint('owner')})." in said
    notes = gate_here(folder, "notes", "--tag", VERSION, "--now", NOW).stdout
    assert f"| `owner@example.org` | `{fingerprint('owner')}` | 1 |" in notes
    assert f"| `lambda@example.org` | `{fingerprint('lambda')}` | 2 |" in notes


def test_without_trust_the_verdict_says_unsigned_in_plain_sight(release: Release) -> None:
    declaimed(release)
    release.documents["claims.toml.sig"] = "whatever\n"
    release.documents[f"{GX10}.sig"] = "whatever\n"
    verdict = judged(release.write())
    assert verdict["verdict"] == "conforms"
    assert {one["reason"] for one in verdict["signatures"]} == {"unsigned"}
    assert [f["property"] for f in verdict["findings"]] == ["read"]  # nobody reads the signature of the receipt
    assert "Receipts: 5, all unsigned.\nDecisions: unsigned.\n" in gate_here(release.folder, *CHECK).stdout
    notes = gate_here(release.folder, "notes", "--tag", VERSION).stdout
    assert "Receipts: 5, all unsigned, measured on 2026-10-12. Decisions: unsigned." in notes


def _without(release: Release, key_of_trust: str) -> None:
    lines = release.rules.splitlines()
    release.rules = "\n".join(text for text in lines if not text.startswith(key_of_trust)) + "\n"


def test_where_only_decisions_are_asked_for_receipts_are_said_to_be_unsigned(trusted: Release) -> None:
    for name in ("receipts =", "hostless ="):
        _without(trusted, name)
    del trusted.documents[f"{GX10}.sig"]
    folder = trusted.write()
    verdict = judged(folder)
    assert verdict["verdict"] == "conforms"
    assert standing(verdict, GX10)["reason"] == "unsigned"
    assert standing(verdict, CLAIMS)["principal"] == "owner@example.org"
    assert "Receipts: 5, all unsigned.\nDecisions: signed by owner@example.org" in gate_here(folder, *CHECK).stdout


def test_where_only_receipts_are_asked_for_decisions_are_said_to_be_unsigned(trusted: Release) -> None:
    _without(trusted, "decisions =")
    del trusted.documents["claims.toml.sig"]
    folder = trusted.write()
    assert judged(folder)["counts"]["cells"]["declaimed"] == 12
    assert "Receipts: 5, all signed by 3 keys.\nDecisions: unsigned.\n" in gate_here(folder, *CHECK).stdout


def _valid_now(release: Release) -> None:
    release.documents["allowed_signers"] = signers(
        owner=line("owner", 'namespaces="taggate,git",valid-after="20260101",valid-before="20270101Z"')
    )


def _certified(release: Release) -> None:
    ca = line("ca", "cert-authority", principal="*@example.org")
    release.documents["allowed_signers"] = signers(owner="", ca=ca)
    sign(release, CLAIMS, certificate("ca", "owner-honest", "owner@example.org", "-V", "20260101:20270101"))


def _second_principal(release: Release) -> None:
    release.rules = release.rules.replace('["owner@example.org"]', '["deputy@example.org", "owner@example.org"]')


def _no_entry_for_others(release: Release) -> None:
    """Without `hostless`, whoever may sign for a required host signs what names no host; so does the owner."""
    _without(release, "hostless =")
    sign(release, SUITE, "gx10")
    sign(release, RELEASE, "owner")


def _alias(release: Release) -> None:
    document = json.loads(release.documents[f"{FOLDER}/lambda.json"]) | {"host": "lambda-vector"}
    release.documents[f"{FOLDER}/lambda.json"] = json.dumps(document)
    sign(release, f"{FOLDER}/lambda.json", "lambda")


def _renamed_together(release: Release) -> None:
    for end in ("", ".sig"):
        release.documents[f"{FOLDER}/deeper/other.json{end}"] = release.documents.pop(f"{GX10}{end}")


def _revocation_of_others(release: Release) -> None:
    release.rules += 'revoked = "revoked"\n'
    release.documents["revoked"] = f"# Lost in March.\n{public('mallory')} mallory\n"


def _for_this_release(release: Release) -> None:
    release.claims = f'release = "{VERSION}"\n{release.claims}'
    sign(release, CLAIMS, "owner")


def _two_keys(release: Release) -> None:
    """A new key, while the old one has run out: two lines for one principal."""
    old, new = line("owner", 'valid-before="20260601"'), line("owner-new", principal="owner@example.org")
    release.documents["allowed_signers"] = signers(owner=f"{old}\n{new}")
    sign(release, CLAIMS, "owner-new")


@pytest.mark.parametrize(
    "change",
    [_valid_now, _certified, _second_principal, _no_entry_for_others, _alias, _renamed_together, _revocation_of_others,
     _for_this_release, _two_keys],
)  # fmt: skip
def test_what_is_honest_is_green(change: Change, trusted: Release) -> None:
    change(trusted)
    verdict = judged(trusted.write())
    assert verdict["findings"] == []
    assert verdict["counts"]["cells"]["declaimed"] == 12


@pytest.mark.parametrize("kind", ["rsa", "ecdsa"])
def test_other_kinds_of_key_sign_too(kind: str, trusted: Release) -> None:
    trusted.documents["allowed_signers"] = signers(owner=line(f"owner-{kind}", principal="owner@example.org"))
    sign(trusted, CLAIMS, f"owner-{kind}")
    assert judged(trusted.write())["verdict"] == "conforms"


def test_two_names_of_one_key_are_what_the_file_of_keys_says(trusted: Release) -> None:
    """No attack: whoever reviews allowed_signers let this key sign as both. The verdict names the one that was asked for."""
    trusted.documents["allowed_signers"] = signers(gx10=f"gx10@example.org {public('lambda')}")
    for name in (GX10, f"{FOLDER}/inventory-gx10.json"):
        sign(trusted, name, "lambda")
    verdict = judged(trusted.write())
    assert verdict["verdict"] == "conforms"
    assert standing(verdict, GX10)["principal"] == "gx10@example.org"
    assert standing(verdict, GX10)["key"] == standing(verdict, f"{FOLDER}/lambda.json")["key"] == fingerprint("lambda")


# ------------------------------------------------------------------ attacks on the decisions


def _edit(old: str, new: str) -> Change:
    def change(release: Release) -> None:
        assert release.claims is not None
        assert old in release.claims
        release.claims = release.claims.replace(old, new)

    return change


def _resigned(name: str, namespace: str = "taggate") -> Change:
    return lambda release: sign(release, CLAIMS, name, namespace)


def _keys(**lines: str) -> Change:
    return lambda release: release.documents.update(allowed_signers=signers(**lines))


def _sig(edit: Callable[[str], str]) -> Change:
    return lambda release: release.documents.update({f"{CLAIMS}.sig": edit(release.documents[f"{CLAIMS}.sig"])})


def _copied(release: Release) -> None:
    """The owner's own signature of another file."""
    release.documents[f"{CLAIMS}.sig"] = signed(b"Minutes of the meeting.\n", "owner")


def _spliced(text: str) -> str:
    """Put the owner's public key into the signature that mallory made: the same kind of key, so that it parses."""
    blobs = [base64.b64decode("".join(sig.splitlines()[1:-1])) for sig in (text, signed(DECLAIM.encode(), "mallory"))]
    head = 10 + 4 + 51  # SSHSIG, version 1, the length of a public ed25519 key, the key
    blob = base64.b64encode(blobs[0][:head] + blobs[1][head:]).decode()
    return f"-----BEGIN SSH SIGNATURE-----\n{blob}\n-----END SSH SIGNATURE-----\n"


def _flipped(text: str) -> str:
    blob = bytearray(base64.b64decode("".join(text.splitlines()[1:-1])))
    blob[-1] ^= 1
    return f"-----BEGIN SSH SIGNATURE-----\n{base64.b64encode(blob).decode()}\n-----END SSH SIGNATURE-----\n"


def _taken_back(release: Release) -> None:
    release.rules += 'revoked = "revoked"\n'
    release.documents["revoked"] = public("owner") + "\n"


def _certificate(name: str, principal: str, *options: str, authority: str = "ca") -> Change:
    def change(release: Release) -> None:
        ca = line("ca", "cert-authority", principal="*@example.org")
        release.documents["allowed_signers"] = signers(owner="", ca=ca)
        sign(release, CLAIMS, certificate(authority, name, principal, *options))

    return change


def _plain_authority(release: Release) -> None:
    """The key of the authority stands there as a key, not as an authority."""
    _certificate("owner-plain", "owner@example.org")(release)
    release.documents["allowed_signers"] = signers(owner=line("ca", principal="owner@example.org"))


def _earlier_release(release: Release) -> None:
    """What the owner signed for the release before this one is put back, with its signature."""
    release.claims = f'release = "0.70.0"\n{release.claims}'
    sign(release, CLAIMS, "owner")


ON_DECISIONS: dict[str, tuple[Change, str]] = {
    "the ticket is edited": (_edit("4590", "4591"), "forged"),
    "the end is put off": (_edit('"0.72.0"', '"0.99.0"'), "forged"),
    "an empty line is added": (_edit("[[declaim]]", "\n[[declaim]]"), "forged"),
    "line ends are changed to CRLF": (_edit("\n", "\r\n"), "forged"),
    "another key signs": (_resigned("mallory"), "unauthorized"),
    "a host's key signs": (_resigned("gx10"), "unauthorized"),
    "the key of who signs suites signs": (_resigned("ci"), "unauthorized"),
    "the key was valid last year": (_keys(owner=line("owner", 'valid-after="20250101",valid-before="20251231"')), "expired"),
    "the key ended a second ago": (_keys(owner=line("owner", 'valid-before="20261031235959"')), "expired"),
    "the key is valid from next year": (_keys(owner=line("owner", 'valid-after="20270101"')), "expired"),
    "the signature is another file's": (_copied, "forged"),
    "the signature is for git": (_resigned("owner", "git"), "misdirected"),
    "the signature is for files": (_resigned("owner", "file"), "misdirected"),
    "the signature is for taggate2": (_resigned("owner", "taggate2"), "misdirected"),
    "the owner's public key in mallory's signature": (_sig(_spliced), "forged"),
    "one bit of the signature is flipped": (_sig(_flipped), "forged"),
    "the signature is gone": (lambda r: r.documents.pop(f"{CLAIMS}.sig"), "unsigned"),
    "the signature is empty": (_sig(lambda _: ""), "unsigned"),
    "the signature is garbage": (_sig(lambda _: "Good \"taggate\" signature for owner@example.org\n"), "unsigned"),
    "the signature is cut short": (_sig(lambda text: text[:120]), "unsigned"),
    "the signature's base64 is cut short": (_sig(lambda t: "\n".join([t.splitlines()[0], "U1NIU0lHAAAA", t.splitlines()[-1]])), "unsigned"),
    "the signature is that of PGP": (_sig(lambda text: text.replace("SSH", "PGP")), "unsigned"),
    "a signature follows the signature": (_sig(lambda text: text + text), "unsigned"),
    "the key may sign for git alone": (_keys(owner=line("owner", 'namespaces="git"')), "unauthorized"),
    "the key was removed": (_keys(owner=""), "unauthorized"),
    "the key was replaced": (_keys(owner=f"owner@example.org {public('mallory')}"), "unauthorized"),
    "the key is another principal's now": (_keys(owner=line("owner", principal="owner@example.com")), "unauthorized"),
    "the principal differs by case": (_keys(owner=line("owner", principal="Owner@example.org")), "unauthorized"),
    "the key was taken back": (_taken_back, "revoked"),
    "a certificate of a key that is no authority": (_plain_authority, "unauthorized"),
    "a certificate of another authority": (_certificate("owner-other", "owner@example.org", authority="mallory"), "unauthorized"),
    "a certificate for somebody else": (_certificate("owner-else", "gx10@example.org"), "unauthorized"),
    "a certificate that ran out": (_certificate("owner-late", "owner@example.org", "-V", "20250101:20250601"), "unauthorized"),
    "decisions of an earlier release are put back": (_earlier_release, "stale"),
}  # fmt: skip


@pytest.mark.parametrize(("attack", "reason"), ON_DECISIONS.values(), ids=ON_DECISIONS)
def test_no_forged_ruling_opens_the_door(attack: Change, reason: str, trusted: Release) -> None:
    attack(trusted)
    folder = trusted.folder
    trusted.write()
    (folder / CLAIMS).write_bytes((trusted.claims or "").encode())  # as it stands, line ends included
    found, _ = judge(folder)
    verdict = found.to_json()
    assert verdict["exit"] == 1
    assert [(f["focus"], f["reason"]) for f in verdict["findings"] if f["shape"] == "signature"] == [(CLAIMS, reason)]
    # It counts as absent: the cells that it withdraws are owed, and nobody ran them.
    assert verdict["counts"]["cells"] == {
        "owed": 72, "passed": 60, "missing": 12, "failed": 0, "declaimed": 0, "refusals": 0,
    }  # fmt: skip
    assert verdict["declaimed"] == []
    said = standing(verdict, CLAIMS)
    assert said["reason"] == reason
    assert reason == "stale" or (said["principal"], said["key"]) == (None, None)
    assert f"Decisions: {reason}, and count as absent." in report.render(found, color=False)


def test_what_the_owner_signed_for_any_release_can_be_put_back_while_it_lasts(trusted: Release) -> None:
    """What signatures can't close: docs/trust.md says so. `release` closes it between releases, `until` in the end."""
    earlier, signature = trusted.claims, trusted.documents["claims.toml.sig"]
    trusted.claims = "# Decided since: nothing is withdrawn after all.\n"
    sign(trusted, CLAIMS, "owner")
    assert judged(trusted.write())["exit"] == 1
    trusted.claims, trusted.documents["claims.toml.sig"] = earlier, signature
    assert judged(trusted.write())["exit"] == 0


def test_decisions_for_another_release_count_as_absent_unsigned_too(release: Release) -> None:
    withdrawn(release)
    release.claims = f'release = "0.70.0"\n{release.claims}'
    found, _ = judge(release.write())
    assert [f.property for f in found.findings if f.shape == "signature"] == ["release"]
    assert found.states["missing"] == 12
    assert standing(found.to_json(), CLAIMS)["reason"] == "stale"
    assert "Decisions: stale, and count as absent." in report.render(found, color=False)


@pytest.mark.parametrize(("release_of", "counts"), [("0.71.0", True), ("0.71.0-rc.1", True), ("0.71.1", False)])
def test_decisions_for_one_release_are_for_its_candidates_too(release_of: str, counts: bool) -> None:
    assert _same_release("0.71.0", release_of) is counts
    assert not _same_release("0.71.0-rc.1", "0.71.0")


# ------------------------------------------------------------------ attacks on the receipts


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
        _keys(gx10=""), [(GX10, "unauthorized"), (f"{FOLDER}/inventory-gx10.json", "unauthorized")], 24,
    ),
    "the host's key ran out": (
        _keys(gx10=line("gx10", 'valid-before="20260901"')),
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


# ------------------------------------------------------------------ what is malformed


def _linked(release: Release) -> None:
    (release.folder / "elsewhere.sig").write_text(release.documents.pop(f"{CLAIMS}.sig"))
    (release.folder / f"{CLAIMS}.sig").symlink_to("elsewhere.sig")


def _linked_in_the_ledger(release: Release) -> None:
    release.documents[f"{FOLDER}/copy.txt"] = release.documents.pop(f"{GX10}.sig")
    (release.folder / FOLDER).mkdir(parents=True)
    (release.folder / f"{GX10}.sig").symlink_to("copy.txt")


def _folder(release: Release) -> None:
    del release.documents[f"{CLAIMS}.sig"]
    (release.folder / f"{CLAIMS}.sig").mkdir()


def _pipe(release: Release) -> None:
    del release.documents[f"{CLAIMS}.sig"]
    os.mkfifo(release.folder / f"{CLAIMS}.sig")


def _allowed(text: str) -> Change:
    return lambda release: release.documents.update(allowed_signers=text)


def _added(text: str) -> Change:
    return lambda release: release.documents.update(allowed_signers=signers() + text + "\n")


def _in_the_ledger(release: Release) -> None:
    release.documents["receipts/allowed_signers"] = release.documents["allowed_signers"]
    release.rules = release.rules.replace('"allowed_signers"', '"receipts/allowed_signers"')


def _linked_from_the_ledger(release: Release) -> None:
    release.documents["receipts/keys"] = release.documents.pop("allowed_signers")
    (release.folder / "allowed_signers").symlink_to("receipts/keys")


def _revoked(text: str) -> Change:
    def change(release: Release) -> None:
        release.rules += 'revoked = "revoked"\n'
        release.documents["revoked"] = text

    return change


MALFORMED: dict[str, tuple[Change, str]] = {
    "the signature is a link": (_linked, "claims.toml.sig: it is a symbolic link"),
    "a receipt's signature is a link": (_linked_in_the_ledger, f"{GX10}.sig: it is a symbolic link"),
    "the signature is a folder": (_folder, "claims.toml.sig: it is not a regular file"),
    "the signature is a pipe": (_pipe, "claims.toml.sig: it is not a regular file"),
    "the signature is huge": (_sig(lambda _: "x" * 70_000), "claims.toml.sig: it has 70,000 bytes"),
    "a receipt's signature is huge": (
        lambda r: r.documents.update({f"{GX10}.sig": "x" * 70_000}), f"{GX10}.sig: it has 70,000 bytes",
    ),
    "no keys": (lambda r: r.documents.pop("allowed_signers"), "allowed_signers: there is no such file"),
    "keys that are empty": (_allowed("# nobody\n\n"), "allowed_signers: it names no key"),
    "a line of one word": (_added("garbage"), "allowed_signers, line 5: the key is missing"),
    "a line of words": (_added("owner@example.org is the owner"), "allowed_signers, line 5: there is no public key in 'the'"),
    "a public key without a principal": (_added(public("owner")), "allowed_signers, line 5: there is no public key"),
    "a key of another type": (
        _added(f"o@example.org {public('owner').replace('ssh-ed25519', 'ssh-rsa')}"), "its key is not one of ssh-rsa",
    ),
    "a key that is not base64": (_added("o@example.org ssh-ed25519 AAAA!"), "line 5: its key 'AAAA!'… is not base64"),
    "a key cut short": (_added("o@example.org ssh-ed25519 AAAAC3NzaC1lZDI1NTE5"), "its key is not one of ssh-ed25519"),
    "a certificate in place of a key": (
        lambda r: _added(f"o@example.org {(key('owner').parent / certificate('ca', 'cert', 'o')).read_text()}".strip())(r),
        "a certificate stands where a key should",
    ),
    "an unknown option": (_added(line("owner", "touch-required")), "line 5: 'touch-required' is no option"),
    "an option without its value": (_added(line("owner", "valid-before")), "valid-before needs a value"),
    "an option that stands twice": (
        _added(line("owner", 'namespaces="git",namespaces="taggate"')), "line 5: namespaces stands twice",
    ),
    "a date that is none": (_added(line("owner", 'valid-before="20261301"')), "valid-before: '20261301' is no time"),
    "a date of another form": (_added(line("owner", 'valid-before="2026-12-01"')), "'2026-12-01' is no time"),
    "an empty date": (_added(line("owner", 'valid-before=""')), "valid-before: '' is no time"),
    "dates in the wrong order": (
        _added(line("owner", 'valid-after="20270101",valid-before="20260101"')), "the key would never be valid",
    ),
    "a quotation mark that is not closed": (_added(line("owner", 'namespaces="git')), "a quotation mark is not closed"),
    "a comma that leads nowhere": (_added(line("owner", 'namespaces="git",')), "is no option"),
    "a key for everybody": (_added(line("mallory", principal="*")), "line 5: '*' is a pattern"),
    "a key for a domain": (_added(line("mallory", principal="*@example.org")), "'*@example.org' is a pattern"),
    "a key for all but one": (_added(line("mallory", principal="!x,owner@example.org")), "is a pattern"),
    "an empty principal": (_added(line("mallory", principal="owner@example.org,")), "is no list of principals"),
    "CRLF": (_added(line("mallory") + "\r"), "line 5: it holds the control character U+000D"),
    "keys in the ledger": (_in_the_ledger, "gate.toml, line 40, trust.allowed_signers: it lies in the ledger"),
    "keys that link into the ledger": (_linked_from_the_ledger, "trust.allowed_signers: it lies in the ledger"),
    "revoked keys that aren't there": (
        lambda r: setattr(r, "rules", r.rules + 'revoked = "revoked"\n'), "revoked: there is no such file",
    ),
    "revoked keys that are none": (_revoked("owner@example.org\n"), "revoked, line 1: there is no public key"),
    "a revocation list that is broken": (_revoked("SSHKRL\n\0garbage"), "revoked: ssh-keygen can't read it"),
}  # fmt: skip


@pytest.mark.parametrize(("change", "said"), MALFORMED.values(), ids=MALFORMED)
def test_what_is_malformed_is_refused_by_its_place(change: Change, said: str, trusted: Release) -> None:
    change(trusted)
    done = gate_here(trusted.write(), *CHECK)
    assert (done.returncode, done.stdout) == (3, "")
    assert said in done.stderr, done.stderr


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('decisions = ["owner@example.org"]', "decisions = []", "line 41, trust.decisions: List should have at least 1"),
        ('decisions = ["owner@example.org"]', 'decisions = "owner@example.org"', "line 41, trust.decisions: 'owner"),
        ('["owner@example.org"]', '["owner@example.org", "owner@example.org"]', "names 'owner@example.org' twice"),
        ('["owner@example.org"]', '["*"]', "line 41, trust.decisions[0]: '*' is no principal"),
        ('["owner@example.org"]', '["release owner"]', "trust.decisions[0]: 'release owner' is no principal"),
        ("decisions =", "decision =", "line 41, trust.decision: there is no such key; 'decisions' is meant?"),
        ('allowed_signers = "allowed_signers"\n', "", "trust.allowed_signers: the key is missing"),
        ("gx10 = [", "gx11 = [", "line 42, trust.receipts.gx11: no host has this id"),
        ("gx10 = [", '"lambda-vector" = [', "trust.receipts.lambda-vector: no host has this id"),
        (', gx10 = ["gx10@example.org"]', "", "line 42, trust.receipts: nobody may sign the receipts of the required host 'gx10'"),
        ('receipts = { lambda = ["lambda@example.org"], gx10 = ["gx10@example.org"] }\n', "", "hostless"),
        ('gx10 = ["gx10@example.org"]', "gx10 = []", "trust.receipts.gx10: List should have at least 1 item"),
    ],
)  # fmt: skip
def test_rules_of_trust_are_refused_by_their_line(old: str, new: str, said: str, trusted: Release) -> None:
    assert old in trusted.rules
    trusted.rules = trusted.rules.replace(old, new)
    done = gate_here(trusted.write(), *CHECK)
    assert done.returncode == 3, done.stdout
    assert said in done.stderr, done.stderr


def test_rules_that_ask_for_no_signature_are_refused(release: Release) -> None:
    release.rules += '[trust]\nallowed_signers = "allowed_signers"\n'
    done = gate_here(release.write(), *CHECK)
    assert done.returncode == 3
    assert "asks for no signature" in done.stderr


@pytest.mark.parametrize(
    "text",
    [
        "owner@example.org {}",
        "\t owner@example.org\t {}  the owner's key, it's \"his\"",
        "deputy@example.org,owner@example.org {}",
        'owner@example.org NAMESPACES="taggate",Valid-After="202601011200" {}',
        'owner@example.org valid-before="20270101120000Z",namespaces="git,tag*" {} # a comment',
    ],
)
def test_a_line_that_is_taken_is_one_that_ssh_keygen_takes(text: str, trusted: Release) -> None:
    trusted.documents["allowed_signers"] = signers(owner=f"# The release owner\n\n{text.format(public('owner'))}")
    assert judged(trusted.write())["verdict"] == "conforms"


@given(st.binary(max_size=200) | st.binary(max_size=150).map(base64.b64encode))
def test_no_bytes_of_a_signature_are_read_as_more_than_they_are(content: bytes) -> None:
    for text in (content, b"-----BEGIN SSH SIGNATURE-----\n" + content + b"\n-----END SSH SIGNATURE-----\n"):
        with contextlib.suppress(ValueError):
            assert namespace_of(text).isprintable()


@given(st.text(max_size=60))
def test_no_line_of_keys_makes_the_reader_crash(text: str) -> None:
    content = f"owner@example.org {text} {public('owner')}\n".encode(errors="surrogatepass")
    with contextlib.suppress(BadFile):
        allowed_signers.undated(allowed_signers.read(InputFile("keys", "", content)))


# ------------------------------------------------------------------ ssh-keygen itself


def _path_with(tmp_path: Path, script: str) -> dict[str, str]:
    """Return an environment whose ssh-keygen is a script; `REAL` in it is the real one."""
    real = shutil.which("ssh-keygen")
    assert real is not None
    shim = tmp_path / "shims" / "ssh-keygen"
    shim.parent.mkdir()
    shim.write_text("#!/bin/sh\n" + script.replace("REAL", real))
    shim.chmod(0o755)
    return os.environ | {"PATH": f"{shim.parent}:{os.environ['PATH']}", "PYTHONPATH": str(Path(__file__).parent.parent)}


@pytest.mark.parametrize(
    "script",
    [
        "exit 0",
        'echo "Good \\"taggate\\" signature for owner@example.org with ED25519 key SHA256:' + "A" * 43 + '"',
        "exit 255",
        # One that doesn't know the time to verify at, and so takes every key for valid now.
        'for a; do case $a in -Overify-time=*) ;; *) set -- "$@" "$a";; esac; shift; done; exec REAL "$@"',
    ],
    ids=["says yes", "says yes in words", "says no", "heeds no dates"],
)
def test_an_ssh_keygen_that_can_not_be_trusted_judges_nothing(script: str, trusted: Release, tmp_path: Path) -> None:
    done = gate(trusted.write(), *CHECK, env=_path_with(tmp_path, script))
    assert done.returncode == 2, done.stdout
    assert "ssh-keygen" in done.stderr


def test_without_ssh_keygen_nothing_is_judged(trusted: Release, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    env = os.environ | {"PATH": str(tmp_path / "bin"), "PYTHONPATH": str(Path(__file__).parent.parent)}
    for tool in ("git",):
        (tmp_path / "bin" / tool).symlink_to(shutil.which(tool) or sys.executable)
    done = gate(trusted.write(), *CHECK, env=env)
    assert done.returncode == 2
    assert "ssh-keygen is not installed" in done.stderr


def test_a_file_that_changes_while_it_is_verified_is_judged_as_it_was_read(trusted: Release, tmp_path: Path) -> None:
    """The forged decisions are read, and the signed ones lie there by the time ssh-keygen is asked."""
    folder = trusted.write()
    shutil.copy(folder / CLAIMS, tmp_path / "honest.toml")
    (folder / CLAIMS).write_text((trusted.claims or "").replace("beta", "beta "))
    env = _path_with(tmp_path, f'cp "{tmp_path}/honest.toml" "{folder}/{CLAIMS}"; exec REAL "$@"')
    done = gate(folder, *CHECK, "--format", "json", env=env)
    assert (folder / CLAIMS).read_text() == trusted.claims  # it was changed back in time
    assert done.returncode == 1
    assert standing(json.loads(done.stdout), CLAIMS)["reason"] == "forged"


def test_the_time_zone_and_the_order_of_answers_change_nothing(trusted: Release) -> None:
    trusted.documents["allowed_signers"] = signers(owner=line("owner", 'valid-before="202611010030"'))
    folder = trusted.write()
    said = [
        gate(folder, *CHECK, "--format", "json", env=os.environ | {"TZ": zone}).stdout
        for zone in ("UTC", "Pacific/Kiritimati", "America/Los_Angeles")
    ]
    assert json.loads(said[0])["verdict"] == "conforms"
    assert len(set(said)) == 1


# ------------------------------------------------------------------ gate sign


def test_what_gate_sign_signs_ssh_keygen_and_the_gate_verify(trusted: Release) -> None:
    for path in [path for path in trusted.documents if path.endswith(".sig")]:
        del trusted.documents[path]
    folder = trusted.write()
    names = [p for p in trusted.documents if p.startswith(FOLDER)]
    for name in ("lambda", "gx10"):
        done = gate_here(folder, "sign", *[p for p in names if name in p], "--key", str(key(name)))
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.count(f".sig: signed with {fingerprint(name)}\n") == 2
    assert gate_here(folder, "sign", SUITE, RELEASE, "--key", str(key("ci"))).returncode == 0
    assert gate_here(folder, "sign", CLAIMS, "--key", str(key("owner")) + ".pub").returncode == 0
    assert judged(folder)["verdict"] == "conforms"
    keygen(
        "-Y", "verify", "-f", str(folder / "allowed_signers"), "-I", "owner@example.org", "-n", "taggate", "-s",
        str(folder / "claims.toml.sig"), content=(folder / CLAIMS).read_bytes(),
    )  # fmt: skip


def test_a_signature_is_never_replaced_unasked(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a")
    arguments = ("sign", "a", "--key", str(key("owner")))
    assert gate_here(tmp_path, *arguments).returncode == 0
    first = (tmp_path / "a.sig").read_bytes()
    assert gate_here(tmp_path, *arguments).returncode == 0  # the same one again
    other = gate_here(tmp_path, "sign", "a", "--key", str(key("gx10")))
    assert (other.returncode, (tmp_path / "a.sig").read_bytes()) == (3, first)
    assert "a.sig: it exists and is another signature; --force replaces it" in other.stderr
    assert gate_here(tmp_path, "sign", "a", "--key", str(key("gx10")), "--force").returncode == 0
    assert (tmp_path / "a.sig").read_bytes() != first


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("a", "nofile"), "nofile: there is no such file"),
        (("a", "b.sig"), "b.sig: it is a signature itself"),
        (("a", "c"), "c.sig: it is a symbolic link"),
        (("a", "."), "it is not a regular file"),
    ],
)
def test_where_one_file_can_not_be_signed_none_is(arguments: tuple[str, ...], said: str, tmp_path: Path) -> None:
    for name in ("a", "b.sig", "c"):
        (tmp_path / name).write_text(name)
    (tmp_path / "c.sig").symlink_to("a")
    done = gate_here(tmp_path, "sign", *arguments, "--key", str(key("owner")))
    assert done.returncode == 3
    assert said in done.stderr
    assert not (tmp_path / "a.sig").exists()


def test_what_ssh_keygen_says_against_a_key_is_shown(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a")
    done = gate_here(tmp_path, "sign", "a", "--key", "no\x1b[31mkey")
    assert done.returncode == 3
    assert "a: ssh-keygen didn't sign it with no\\x1b[31mkey\n  Couldn't load public key" in done.stderr
    assert not (tmp_path / "a.sig").exists()


# ------------------------------------------------------------------ the gate's own files


def test_the_output_is_never_written_over_a_signature_or_the_keys(trusted: Release) -> None:
    folder = trusted.write()
    for name in ("claims.toml.sig", "allowed_signers"):
        done = gate_here(folder, *CHECK, "--output", name)
        assert done.returncode == 3
        assert "is an input of the check" in done.stderr


def test_the_graph_says_who_signed(trusted: Release) -> None:
    done = gate_here(trusted.write(), "graph", "--tag", VERSION, "--format", "nt", "--now", NOW)
    assert done.returncode == 0
    assert f'ns#fingerprint> "{fingerprint("owner")}"' in done.stdout


def test_the_receipts_may_say_in_which_order_they_like_who_they_are(tmp_path: Path) -> None:
    """An unsigned JSON Lines receipt counts as absent, however many rows it has."""
    release = green(tmp_path)
    document = release.documents.pop(GX10)
    rows = document.pop("runs")
    release.documents[f"{FOLDER}/gx10.jsonl"] = "".join(json.dumps(one) + "\n" for one in [document, *rows])
    sealed(release)
    frozen(release)
    assert judged(release.write())["verdict"] == "conforms"
    (release.folder / f"{FOLDER}/gx10.jsonl.sig").unlink()
    assert judged(release.folder)["counts"]["cells"]["missing"] == 36
