"""What `ssh-keygen -Y` knows: whether a signature is one of these bytes, for whom its key may sign, and how to sign.

Signatures are OpenSSH's own (PROTOCOL.sshsig), as git makes and verifies them. ssh-keygen alone decides; nothing of its
cryptography or of its rules on keys is done again here. It is asked over bytes that the gate has read already, and with
copies of them in a folder of its own, so that nothing is read again from where it may have changed since.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import datetime
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from gate.errors import CallersError, Declined, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

NAMESPACE = "taggate"  # what a signature is for: one made for git or for mail is none for the gate
SUFFIX = ".sig"

_ARMOR = re.compile(rb"-----BEGIN SSH SIGNATURE-----\n([A-Za-z0-9+/=\n]+)\n-----END SSH SIGNATURE-----\n?")
_FINGERPRINT = re.compile(r" key (SHA256:[A-Za-z0-9+/]{43})\n?\Z")

# A signature whose answers are known, by a key that was thrown away. What ssh-keygen says of it shows whether there is
# a program behind the name that verifies at all, and that heeds dates, principals and namespaces: versions before
# OpenSSH 8.8 don't know the time to verify at.
_KNOWN_KEY = (
    "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBOuk3T0Y395GhBkOkz/TCHb9MjR/Lb7T0M5Cobse"
    "0SIO8NGKwxasKniwuA08LSRWWRMHKkKLfrzePhvBRRuq7bU="
)
_KNOWN_FINGERPRINT = "SHA256:Jg2cwhSPOtB4/pnv7//KoWVMCahjgRcVZLP60BskXlA"
_KNOWN_SIGNERS = f'known valid-after="20200101",valid-before="20300101" {_KNOWN_KEY}\n'.encode()
_KNOWN_MESSAGE = b"taggate: a known answer\n"
_KNOWN_SIGNATURE = b"""-----BEGIN SSH SIGNATURE-----
U1NIU0lHAAAAAQAAAGgAAAATZWNkc2Etc2hhMi1uaXN0cDI1NgAAAAhuaXN0cDI1NgAAAE
EE66TdPRjf3kaEGQ6TP9MIdv0yNH8tvtPQzkKhux7RIg7w0YrDFqwqeLC4DTwtJFZZEwcq
Qot+vN4+G8FFG6rttQAAAAd0YWdnYXRlAAAAAAAAAAZzaGE1MTIAAABkAAAAE2VjZHNhLX
NoYTItbmlzdHAyNTYAAABJAAAAIQCWK6xUdC5BUMUgThohtaGkT6FBAMeDspe/IrC+dDsd
UgAAACB/p3AmXTeiZvCzRQyLwhg7VuzysFzupLuEl8HkICpC7w==
-----END SSH SIGNATURE-----
"""


def namespace_of(signature: bytes) -> str:
    """Return what a signature says that it is for. Whether it is a good one, ssh-keygen says.

    The layout is that of PROTOCOL.sshsig: `SSHSIG`, the version, then strings, each behind its length: the public key,
    the namespace, and more.

    Raises:
        ValueError: it is no such signature; the message says why.
    """
    if not signature.strip():
        raise ValueError("its signature file is empty")
    armor = _ARMOR.fullmatch(signature)
    if armor is None:
        raise ValueError("its signature file is no SSH signature")
    try:
        blob = base64.b64decode(armor[1].replace(b"\n", b""), validate=True)
        if blob[:10] != b"SSHSIG\x00\x00\x00\x01":
            raise ValueError("its signature file is no SSH signature of version 1")
        _, rest = _string(blob[10:])
        namespace = _string(rest)[0].decode("ascii")
    except (binascii.Error, UnicodeDecodeError, IndexError):
        raise ValueError("its signature file is broken") from None
    if not namespace.isprintable() or not namespace:
        raise ValueError("its signature file is broken")
    return namespace


def _string(blob: bytes) -> tuple[bytes, bytes]:
    """Return a string of SSH's wire format, and what follows it."""
    end = 4 + int.from_bytes(blob[:4], "big")
    if len(blob) < max(end, 4):
        raise IndexError
    return blob[4:end], blob[end:]


class Verifier:
    """ssh-keygen, asked with the keys and the moment of one check.

    Args:
        folder: an empty folder that nobody else writes to.
        at: the moment at which keys must be valid.
        revoked: the keys that are taken back, as `ssh-keygen -r` reads them; None: none are.
    """

    def __init__(self, folder: Path, at: datetime.datetime, revoked: bytes | None) -> None:
        self.folder = folder
        self.at = at
        self.revocable = revoked is not None
        if revoked is not None:
            self.keep("revoked_keys", revoked)

    def keep(self, name: str, content: bytes) -> str:
        """Put `content` where ssh-keygen finds it by `name`, and return the name."""
        (self.folder / name).write_bytes(content)
        return name

    def verify(
        self, content: bytes, signature: str, principal: str, *, namespace: str = NAMESPACE,
        signers: str = "allowed_signers", revocable: bool = True, at: str | None = None,
    ) -> str | None:  # fmt: skip
        """Return the fingerprint of the key that signed, where `principal` may sign with it; None where not.

        Args:
            content: what was signed.
            signature: the name of the kept signature.
            principal: who must be allowed to sign with that key.
            namespace: what the signature must be for.
            signers: the name of the kept allowed_signers file.
            revocable: whether the keys that are taken back are refused.
            at: another moment than that of the check, as `20260101`.
        """
        moment = at or self.at.astimezone(datetime.UTC).strftime("%Y%m%d%H%M%S")
        revoked = ("-r", "revoked_keys") if self.revocable and revocable else ()
        said = self._ask(
            content, "verify", "-n", namespace, "-s", signature, "-f", signers, "-I", principal,
            f"-Overify-time={moment}", *revoked,
        )  # fmt: skip
        return None if said is None else _fingerprint(said, f'Good "{namespace}" signature for {principal} with ')

    def signed_by(self, content: bytes, signature: str, namespace: str = NAMESPACE) -> str | None:
        """Return the fingerprint of the key that made the signature of these very bytes; None where none did.

        Whose key it is, and whether it may sign, is another question.
        """
        said = self._ask(content, "check-novalidate", "-n", namespace, "-s", signature)
        return None if said is None else _fingerprint(said, f'Good "{namespace}" signature with ')

    def revokes_wrongly(self) -> bool:
        """Say whether the keys that are taken back can't be read: then ssh-keygen refuses every key."""
        return self.revocable and self._known(at="20250101") is None

    def prove(self) -> None:
        """Hold ssh-keygen against answers that are known.

        Raises:
            Declined: it gives another one: it is too old, or not what its name says.
        """
        self.keep("known.sig", _KNOWN_SIGNATURE)
        self.keep("known_signers", _KNOWN_SIGNERS)
        right = (
            self._known(at="20250101", revocable=False) == _KNOWN_FINGERPRINT
            and self._known(at="20190101", revocable=False) is None
            and self._known(at="20310101", revocable=False) is None
            and self._known(at="20250101", revocable=False, content=_KNOWN_MESSAGE + b"\n") is None
            and self._known(at="20250101", revocable=False, principal="other") is None
            and self._known(at="20250101", revocable=False, namespace="git") is None
        )
        if not right:
            raise Declined(
                "ssh-keygen gives a wrong answer on a signature that is known: nothing that it says can be trusted\n"
                "  Signatures need OpenSSH 8.8 or later; ssh -V says which one is here."
            )

    def _known(
        self, *, at: str, revocable: bool = True, content: bytes = _KNOWN_MESSAGE, principal: str = "known",
        namespace: str = NAMESPACE,
    ) -> str | None:  # fmt: skip
        return self.verify(
            content, "known.sig", principal, namespace=namespace, signers="known_signers", revocable=revocable, at=at
        )

    def _ask(self, content: bytes, *question: str) -> str | None:
        """Return what ssh-keygen said where it said yes; None where it said no."""
        # In UTC a date without a zone in an allowed_signers file means the same on every machine.
        done = _run(["-Y", *question], content, self.folder, os.environ | {"LC_ALL": "C", "TZ": "UTC"})
        if done.returncode < 0:
            raise Declined(f"ssh-keygen was ended by signal {-done.returncode}, and said nothing of a signature")
        return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None


@contextlib.contextmanager
def verifier(at: datetime.datetime, revoked: bytes | None = None) -> Iterator[Verifier]:
    """Yield a verifier that has shown that it can be trusted, and leave nothing of it behind.

    Raises:
        Declined: there is no ssh-keygen, or none that can be trusted.
    """
    with tempfile.TemporaryDirectory(prefix="taggate-") as folder:
        found = Verifier(Path(folder), at, revoked)
        found.prove()
        yield found


def sign(content: bytes, shown: str, key: Path) -> bytes:
    """Return the signature of `content` by `key`.

    Args:
        content: what is signed.
        shown: its name, for messages.
        key: a private key; or a public one, whose private one an agent or a hardware key holds.

    Raises:
        CallersError: ssh-keygen doesn't sign with this key; the message has its words.
        Declined: there is no ssh-keygen.
    """
    # Where a person watches, ssh-keygen itself asks to touch the hardware key; passphrases it asks on the terminal.
    done = _run(
        ["-q", "-Y", "sign", "-n", NAMESPACE, "-f", str(key)], content, None, dict(os.environ),
        watched=sys.stderr.isatty(),
    )  # fmt: skip
    if done.returncode:
        words = [visible(line) for line in (done.stderr or b"").decode("utf-8", "replace").splitlines() if line.strip()]
        raise CallersError("\n  ".join([f"{shown}: ssh-keygen didn't sign it with {visible(str(key))}", *words]))
    return done.stdout


def key_of(content: bytes, signature: bytes) -> str | None:
    """Return the fingerprint of the key that made `signature` of `content`; None where none did."""
    with tempfile.TemporaryDirectory(prefix="taggate-") as folder:
        asked = Verifier(Path(folder), datetime.datetime.now(datetime.UTC), None)
        return asked.signed_by(content, asked.keep("made.sig", signature))


def _run(
    arguments: list[str], content: bytes, folder: Path | None, environment: dict[str, str], *, watched: bool = False
) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(  # noqa: S603 - a fixed program, arguments never through a shell
            ["ssh-keygen", *arguments],  # noqa: S607 - the user's own, as git takes it
            input=content, stdout=subprocess.PIPE, stderr=None if watched else subprocess.PIPE, check=False,
            cwd=folder, env=environment,
        )  # fmt: skip
    except FileNotFoundError:
        raise Declined("ssh-keygen is not installed, and nothing else here verifies or makes a signature") from None
    except ValueError:
        raise CallersError("a NUL stands where ssh-keygen should be told a name") from None


def _fingerprint(said: str, begins: str) -> str:
    """Return the fingerprint in what ssh-keygen says of a good signature.

    Raises:
        Declined: it says something else, though it ended well.
    """
    found = _FINGERPRINT.search(said)
    if found is None or not said.startswith(begins):
        raise Declined(f"ssh-keygen says of a good signature what nobody can read: {visible(said[:200])}")
    return found[1]
