"""What turns a signature red. Each starts from a release that is signed in full with real keys, and green."""

from __future__ import annotations

from collections.abc import Callable

from rdflib import Graph, URIRef
from rdflib.namespace import RDF

from gate.iris import term
from tests.falsifiers.falsifier import Falsifier, unchanged, without
from tests.release import VERSION, Release
from tests.signing import line, public, sealed, sign, signers

CLAIMS, SUITE, RELEASE = "claims.toml", f"receipts/{VERSION}/dogfood.json", f"receipts/{VERSION}/release.toml"
MISSING_SUITE = ("dogfood", "receipt", "missing")  # a suite's receipt that counts as absent is owed as before


def _then(change: Callable[[Release], None]) -> Callable[[Release], None]:
    return lambda release: change(sealed(release))


def _unsigned(path: str) -> Callable[[Release], None]:
    return _then(lambda release: release.documents.pop(f"{path}.sig"))


def _signature(path: str, text: str) -> Callable[[Release], None]:
    return _then(lambda release: release.documents.update({f"{path}.sig": text}))


def _signed(path: str, name: str, namespace: str = "taggate") -> Callable[[Release], None]:
    return _then(lambda release: sign(release, path, name, namespace))


def _edited(release: Release) -> None:
    release.claims = "# Nothing at all is withdrawn.\n"


def _for_release(release: Release, version: str) -> None:
    release.claims = f'release = "{version}"\n{release.claims}'
    sign(release, CLAIMS, "owner")


def _revoked(release: Release) -> None:
    release.rules += 'revoked = "revoked"\n'
    release.documents["revoked"] = public("ci") + "\n"
    for path in (RELEASE, SUITE):
        sign(release, path, "ci2")
    sign(release, SUITE, "ci")
    release.documents["allowed_signers"] += line("ci2", principal="ci@example.org") + "\n"


def _dated(options: str) -> Callable[[Release], None]:
    def change(release: Release) -> None:
        release.documents["allowed_signers"] = signers(owner=line("owner", options))

    return _then(change)


def _untyped(kind: str) -> Callable[[Graph], None]:
    """Let the nodes of one class escape the constraints that target it."""

    def edit(graph: Graph) -> None:
        for subject in list(graph.subjects(RDF.type, URIRef(term(kind)))):
            graph.remove((subject, RDF.type, URIRef(term(kind))))

    return edit


def _only_decisions(release: Release) -> None:
    """Ask for signed decisions alone, so that one file has a signature."""
    sealed(release)
    cut = release.rules.index("receipts = { lambda")
    release.rules = release.rules[:cut]
    for path in [path for path in release.documents if path.endswith(".sig") and path != "claims.toml.sig"]:
        del release.documents[path]


def _red(constraint: str, component: str, name: str, prop: str, reason: str, change: Callable[[Release], None] = unchanged,
         edit: Callable[[Graph], None] = unchanged, focus: str = CLAIMS) -> Falsifier:  # fmt: skip
    more = (MISSING_SUITE,) if focus == SUITE else ()
    return Falsifier(constraint, component, name, ((focus, prop, reason), *more), change, edit)


FALSIFIERS = [
    _red("SignedFile-signature", "MinCount", "the decisions are not signed", "signature", "unsigned", _unsigned(CLAIMS)),
    _red("SignedFile-signature", "MinCount", "a receipt is not signed", "signature", "unsigned", _unsigned(SUITE), focus=SUITE),
    _red("SignedFile-signature", "MinCount", "release.toml is not signed", "signature", "unsigned", _unsigned(RELEASE),
         focus=RELEASE),
    _red("SignedFile-signature", "MinCount", "an empty signature", "signature", "unsigned", _signature(CLAIMS, "")),
    _red("SignedFile-signature", "MinCount", "a signature of garbage", "signature", "unsigned", _signature(CLAIMS, "yes\n")),
    _red("SignedFile-signature", "Class", "a signature escaped the constraints", "signature", "unsigned", _only_decisions,
         _untyped("Signature")),
    _red("BoundFile-release", "In", "decisions of another release", "release", "stale",
         _then(lambda r: _for_release(r, "0.70.0"))),
    _red("BoundFile-release", "MinCount", "nobody asked which release they are for", "release", "stale",
         _then(lambda r: _for_release(r, VERSION)), without("BoundFile", "releaseHolds")),
    _red("Signature-namespace", "In", "a signature for git", "namespace", "misdirected", _signed(CLAIMS, "owner", "git")),
    _red("Signature-namespace", "MinCount", "nobody asked what it was made for", "namespace", "misdirected", _only_decisions,
         without("Signature", "namespaceHolds")),
    _red("Signature-key", "MinCount", "the decisions were edited", "holds", "forged", _then(_edited)),
    _red("Signature-key", "Class", "a key escaped the constraints", "holds", "forged", _only_decisions, _untyped("SigningKey")),
    _red("SigningKey-signer", "MinCount", "another key", "signer", "unauthorized", _signed(CLAIMS, "mallory")),
    _red("SigningKey-signer", "MinCount", "a host signed the decisions", "signer", "unauthorized", _signed(CLAIMS, "gx10")),
    _red("SigningKey-signer", "Class", "a signer escaped the constraints", "signer", "unauthorized", _only_decisions,
         _untyped("Signer")),
    _red("Signer-unrevoked", "In", "a key that was taken back", "revoked", "revoked", _then(_revoked), focus=SUITE),
    _red("Signer-unrevoked", "MinCount", "nobody asked whether the key was taken back", "revoked", "revoked", _only_decisions,
         without("Signer", "unrevoked")),
    _red("Signer-valid", "In", "a key of last year", "valid", "expired",
         _dated('valid-after="20250101",valid-before="20251231"')),
    _red("Signer-valid", "In", "a key of next year", "valid", "expired", _dated('valid-after="20270101"')),
    _red("Signer-valid", "MinCount", "nobody asked for its dates", "valid", "expired", _only_decisions,
         without("Signer", "keyValid")),
    Falsifier("StraySignature-file", "MinCount", "a signature without its file",
              ((f"receipts/{VERSION}/gone.json.sig", "file", "orphan"),),
              _signature(f"receipts/{VERSION}/gone.json", "gone\n"), severity="warning"),
]  # fmt: skip
