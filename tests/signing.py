"""Real keys and real signatures of a release, made with ssh-keygen once a session."""

from __future__ import annotations

import functools
import json
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.release import DECLAIM, VERSION, Release

_KEYS = tempfile.TemporaryDirectory(prefix="taggate-keys-")  # removed when the session ends
FOLDER = Path(_KEYS.name)
PRINCIPALS = {name: f"{name}@example.org" for name in ("owner", "lambda", "gx10", "ci", "mallory")}

CLAIMS, GX10 = "claims.toml", f"receipts/{VERSION}/gx10.json"
SUITE, RELEASE = f"receipts/{VERSION}/dogfood.json", f"receipts/{VERSION}/release.toml"

Change = Callable[[Release], None]

TRUST = """
[trust]
allowed_signers = "allowed_signers"
decisions = ["owner@example.org"]
receipts = { lambda = ["lambda@example.org"], gx10 = ["gx10@example.org"] }
hostless = ["ci@example.org"]
"""


def keygen(*arguments: str, content: bytes = b"") -> bytes:
    """Run ssh-keygen among the keys, and return what it writes."""
    done = subprocess.run(["ssh-keygen", *arguments], cwd=FOLDER, input=content, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


@functools.cache
def key(name: str) -> Path:
    """Return the private key of this name, which may end in its kind."""
    kind = name.rpartition("-")[2]
    keygen("-q", "-t", kind if kind in {"rsa", "ecdsa"} else "ed25519", "-N", "", "-C", name, "-f", name)
    return FOLDER / name


def public(name: str) -> str:
    """Return the public key of this name as an allowed_signers file has it."""
    return " ".join(key(name).with_suffix(".pub").read_text().split()[:2])


def fingerprint(name: str) -> str:
    """Return the fingerprint of the key of this name, as ssh-keygen prints it."""
    return keygen("-l", "-f", str(key(name).with_suffix(".pub"))).decode().split()[1]


@functools.cache
def signed(content: bytes, name: str, namespace: str = "taggate") -> str:
    """Return the signature of `content` by the key (or certificate) of this name."""
    path = key(name) if not name.endswith("-cert.pub") else FOLDER / name
    return keygen("-q", "-Y", "sign", "-n", namespace, "-f", str(path), content=content).decode()


@functools.cache
def certificate(authority: str, name: str, principal: str, *options: str) -> str:
    """Return the name of a certificate of its own key, by which `authority` lets `principal` sign with it."""
    keygen("-q", "-s", str(key(authority)), "-I", name, "-n", principal, *options, str(key(name)) + ".pub")
    return f"{name}-cert.pub"


def signers(**lines: str) -> str:
    """Return an allowed_signers file of everybody but mallory; `lines` replaces lines by name, an empty one takes it away."""
    usual = {n: f"{p} {public(n)}" for n, p in PRINCIPALS.items() if n != "mallory"}
    return "".join(f"{line}\n" for line in (usual | lines).values() if line)


def line(name: str, options: str = "", *, principal: str | None = None) -> str:
    """Return a line of an allowed_signers file."""
    return " ".join(part for part in (principal or PRINCIPALS[name], options, public(name)) if part)


def frozen(release: Release) -> None:
    """Make each document the text that `write` would make of it, so that it can be signed."""
    for path, document in release.documents.items():
        release.documents[path] = document if isinstance(document, str) else json.dumps(document)


def who_signs(path: str) -> str:
    """Return who signs a file of the release, by its name."""
    return next((host for host in ("lambda", "gx10") if host in path), "ci")


def sign(release: Release, path: str, name: str, namespace: str = "taggate") -> None:
    """Sign one file of a frozen release."""
    content = release.claims if path == "claims.toml" else release.documents[path]
    assert isinstance(content, str)
    release.documents[f"{path}.sig"] = signed(content.encode(), name, namespace)


def withdrawn(release: Release) -> Release:
    """Withdraw the cells of one model on one host, which nobody ran: without the decision they are missing."""
    release.claims = DECLAIM
    rows = release.receipt("gx10.json")["runs"]
    rows[:] = [row for row in rows if row["model"]["file"] != "beta-q4_k_m.gguf"]
    return release


def sealed(release: Release) -> Release:
    """Ask for signatures and sign everything: a green release that somebody vouches for in full."""
    release.rules += TRUST
    release.documents["allowed_signers"] = signers()
    if release.claims is None:
        release.claims = "# Nothing is withdrawn.\n"
    frozen(release)
    for path in [path for path in release.documents if path.startswith(f"receipts/{VERSION}/")]:
        sign(release, path, who_signs(path))
    sign(release, "claims.toml", "owner")
    return release


def standing(verdict: dict[str, Any], path: str) -> dict[str, Any]:
    """Return what a verdict says of the signature of one file."""
    found: list[dict[str, Any]] = [one for one in verdict["signatures"] if one["path"] == path]
    assert len(found) == 1
    return found[0]


def keys(**lines: str) -> Change:
    """Change the file of keys: see `signers`."""
    return lambda release: release.documents.update(allowed_signers=signers(**lines))


def spoilt(edit: Callable[[str], str]) -> Change:
    """Change the signature of the decisions."""
    return lambda release: release.documents.update({f"{CLAIMS}.sig": edit(release.documents[f"{CLAIMS}.sig"])})
