"""The verdict as a SLSA verification summary of the release's artifacts: an in-toto Statement v1, to be signed.

It says that the gate judged the release that these files are, by these rules and from these receipts. It does not say
that each of them was measured: the gate can't look into an archive. A file that some host did run, byte for byte, names
those hosts in its annotations.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from gate import __version__
from gate.verdict import SCHEMA, instant

if TYPE_CHECKING:
    from gate.reporting.formats import Artifact, Setting
    from gate.verdict import Verdict

VERIFIER = "https://w3id.org/taggate"
EXTENSION = f"{VERIFIER}/verdict/v1"  # a field of its own, as the predicate's parsing rules let a producer add

# What the summary says of SLSA's own levels (nothing), and of the gate's: a narrowed gate is not the gate.
_UNEVALUATED = "SLSA_BUILD_LEVEL_UNEVALUATED"
_CONFORMS, _UNDER_SCOPE = "TAGGATE_CONFORMS", "TAGGATE_CONFORMS_UNDER_SCOPE"


def render(verdict: Verdict, setting: Setting) -> str:
    """Return the statement as JSON that ends in a line break."""
    return json.dumps(statement(verdict, setting), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def statement(verdict: Verdict, setting: Setting) -> dict[str, Any]:
    """Return the statement.

    Raises:
        ValueError: there is no artifact: a statement about nothing is none.
    """
    if not setting.artifacts:
        raise ValueError("a verification summary needs an artifact")
    rules = verdict.ground.rules.file
    judged = verdict.to_json()
    evidence = [
        _descriptor(verdict, setting, path, sha256) for path, sha256 in verdict.inputs if not _is_policy(verdict, path)
    ]
    predicate = {
        "verifier": {"id": VERIFIER, "version": {"taggate": __version__}},
        "timeVerified": instant(verdict.evaluated_at),
        "resourceUri": _resource(verdict),
        "policy": _descriptor(verdict, setting, rules.path, rules.sha256),
        "inputAttestations": evidence,
        "verificationResult": "PASSED" if verdict.conforms else "FAILED",
        "verifiedLevels": _levels(verdict),
        "slsaVersion": "1.1",
        EXTENSION: {
            "schema": SCHEMA,
            **{key: judged[key] for key in ("verdict", "release", "evaluated_at", "scope", "counts", "inputs")},
        },
    }
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "predicateType": "https://slsa.dev/verification_summary/v1",
        "predicate": predicate,
        "subject": [_subject(verdict, artifact) for artifact in setting.artifacts],
    }


def _is_policy(verdict: Verdict, path: str) -> bool:
    """Say whether an input says what is asked, and not what was found: the rules, and the shapes."""
    return path in {verdict.ground.rules.file.path, *(file.path for file in verdict.judging.inputs)}


def _levels(verdict: Verdict) -> list[str]:
    if not verdict.conforms:
        return ["FAILED"]
    return [_UNEVALUATED, _UNDER_SCOPE if verdict.scope else _CONFORMS]


def _repository(verdict: Verdict) -> str | None:
    repository = (verdict.repository or "").rstrip("/")
    return f"git+{repository}" if re.fullmatch(r"https?://[!-~]+", repository) else None


def _resource(verdict: Verdict) -> str:
    """Return what the artifacts are a release of: the tag in the repository, or else a package URL."""
    repository = _repository(verdict)
    if repository is None:
        return f"pkg:generic/{quote(verdict.project, safe='')}@{quote(verdict.version, safe='')}"
    return f"{repository}@refs/tags/{quote(verdict.tag, safe='/')}"


def _descriptor(verdict: Verdict, setting: Setting, path: str, sha256: str) -> dict[str, Any]:
    located = quote(setting.located(path) or path, safe="/")
    repository = _repository(verdict)
    return {"uri": f"{repository}#{located}" if repository else located, "digest": {"sha256": sha256}}


def _subject(verdict: Verdict, artifact: Artifact) -> dict[str, Any]:
    hosts = [
        node.label
        for node in verdict.nodes.values()
        if node.types == ("Host",) and ("binary", artifact.sha256) in node.facts
    ]
    found: dict[str, Any] = {"name": artifact.name, "digest": {"sha256": artifact.sha256}}
    return found | ({"annotations": {"measuredOn": hosts}} if hosts else {})
