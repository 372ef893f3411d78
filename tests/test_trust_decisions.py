"""Signatures: what is honest opens the door, and no forged ruling does. Each case is run with a real ssh-keygen."""

from __future__ import annotations

import base64
import json

import pytest

from gate.reporting import text as report
from gate.trust import _same_release
from tests.falsifiers.falsifier import judge
from tests.release import DECLAIM, NOW, VERSION, Release, declaimed, gate_here, judged
from tests.signing import (
    CLAIMS,
    GX10,
    PRINCIPALS,
    RELEASE,
    SUITE,
    Change,
    certificate,
    fingerprint,
    keys,
    line,
    public,
    sign,
    signed,
    signers,
    spoilt,
    standing,
    withdrawn,
)

FOLDER = f"receipts/{VERSION}"
CHECK = ("check", "--tag", VERSION, "--now", NOW)


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
    "the key was valid last year": (keys(owner=line("owner", 'valid-after="20250101",valid-before="20251231"')), "expired"),
    "the key ended a second ago": (keys(owner=line("owner", 'valid-before="20261031235959"')), "expired"),
    "the key is valid from next year": (keys(owner=line("owner", 'valid-after="20270101"')), "expired"),
    "the signature is another file's": (_copied, "forged"),
    "the signature is for git": (_resigned("owner", "git"), "misdirected"),
    "the signature is for files": (_resigned("owner", "file"), "misdirected"),
    "the signature is for taggate2": (_resigned("owner", "taggate2"), "misdirected"),
    "the owner's public key in mallory's signature": (spoilt(_spliced), "forged"),
    "one bit of the signature is flipped": (spoilt(_flipped), "forged"),
    "the signature is gone": (lambda r: r.documents.pop(f"{CLAIMS}.sig"), "unsigned"),
    "the signature is empty": (spoilt(lambda _: ""), "unsigned"),
    "the signature is garbage": (spoilt(lambda _: "Good \"taggate\" signature for owner@example.org\n"), "unsigned"),
    "the signature is cut short": (spoilt(lambda text: text[:120]), "unsigned"),
    "the signature's base64 is cut short": (spoilt(lambda t: "\n".join([t.splitlines()[0], "U1NIU0lHAAAA", t.splitlines()[-1]])), "unsigned"),
    "the signature is that of PGP": (spoilt(lambda text: text.replace("SSH", "PGP")), "unsigned"),
    "a signature follows the signature": (spoilt(lambda text: text + text), "unsigned"),
    "the key may sign for git alone": (keys(owner=line("owner", 'namespaces="git"')), "unauthorized"),
    "the key was removed": (keys(owner=""), "unauthorized"),
    "the key was replaced": (keys(owner=f"owner@example.org {public('mallory')}"), "unauthorized"),
    "the key is another principal's now": (keys(owner=line("owner", principal="owner@example.com")), "unauthorized"),
    "the principal differs by case": (keys(owner=line("owner", principal="Owner@example.org")), "unauthorized"),
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
