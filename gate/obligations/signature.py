"""Every file that must be signed: by a key that made the signature of these very bytes, and that may sign it now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.obligations.node import About, Node, known
from gate.ssh_keygen import NAMESPACE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.obligations.ground import Ground
    from gate.trust import Signature

TARGETS = ("SignedFile", "BoundFile", "Signature", "SigningKey", "Signer", "StraySignature")
REQUIRED = False  # only where the rules ask for signatures, or decisions say which release they are for


def nodes(ground: Ground) -> Iterator[Node]:
    """Yield each file that must be signed, with what its signature leads to; and signatures without a file."""
    for one in ground.trust.signatures:
        if one.asked or one.release is not None:
            yield from _file(ground, one)
    for path in ground.trust.strays:
        yield Node(ground.iri("signature", path, "stray"), ("StraySignature",), path, known(path=path))


def _file(ground: Ground, one: Signature) -> Iterator[Node]:
    """Yield a file, and as far as they lead: its signature, the key that made it, the signer whose key that is.

    A link that doesn't hold is an edge that isn't there, so that the first one that fails is named, and no other.
    """
    path = one.file.path
    iri = ground.iri("signature", path)
    signature, key, signer = (ground.iri("signature", path, part) for part in ("signature", "key", "signer"))
    about = About(host=one.host, receipt=path)
    may_sign = tuple(("maySign", principal) for principal in one.may_sign)
    found, made, allowed = (link is not None for link in (one.namespace, one.key, one.principal))
    yield Node(
        iri, (*(("SignedFile",) if one.asked else ()), *(("BoundFile",) if one.release is not None else ())), path,
        known(
            path=path, sha256=one.file.sha256, signatureFault=one.fault, signature=signature if found else None,
            boundTo=one.release, releaseHolds=one.release_holds, ownVersion=ground.subject.version,
        ) + may_sign,
        about,
    )  # fmt: skip
    if found:
        holds = known(namespace=one.namespace, namespaceHolds=one.namespace == NAMESPACE, madeBy=key if made else None)
        yield Node(signature, ("Signature",), path, holds, about, iri)
    if made:
        facts = known(fingerprint=one.key, signer=signer if allowed else None) + may_sign
        yield Node(key, ("SigningKey",), path, facts, about, iri)
    if allowed:
        facts = known(
            principal=one.principal, fingerprint=one.key, keyValid=one.key_valid, unrevoked=one.unrevoked
        )  # fmt: skip
        yield Node(signer, ("Signer",), path, facts, about, iri)
