"""The files of keys and signatures as they may be malformed, and an ssh-keygen that can't be trusted."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import shutil
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate import allowed_signers
from gate.errors import BadFile
from gate.files import InputFile
from gate.ssh_keygen import namespace_of
from tests.release import NOW, VERSION, Release, gate, gate_here, judged
from tests.signing import (
    CLAIMS,
    GX10,
    Change,
    certificate,
    key,
    line,
    public,
    signers,
    spoilt,
    standing,
)

FOLDER = f"receipts/{VERSION}"
CHECK = ("check", "--tag", VERSION, "--now", NOW)


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
    "the signature is huge": (spoilt(lambda _: "x" * 70_000), "claims.toml.sig: it has 70,000 bytes"),
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
