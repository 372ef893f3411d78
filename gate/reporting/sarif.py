"""The verdict as SARIF 2.1.0: one rule a constraint, one result a finding, with the file and line that caused it.

The results are the findings, all of them and nothing else: what a decision sets aside is no result. The counts of the
verdict stand in the run's `properties`, the inputs with their digests in its `artifacts`.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from gate import __version__
from gate.iris import RELEASES, local
from gate.reporting.places import Places
from gate.shape_files import OWN

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gate.findings import Finding
    from gate.reporting.formats import Setting
    from gate.reporting.places import Place
    from gate.shape import Shape
    from gate.verdict import Verdict

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

_LEVELS = {"violation": "error", "warning": "warning", "info": "note"}
_RELATED = 20  # places beside the first: two hundred rows of one cell say no more than twenty


def render(verdict: Verdict, setting: Setting) -> str:
    """Return the verdict as a SARIF document that ends in a line break."""
    return json.dumps(document(verdict, setting), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def document(verdict: Verdict, setting: Setting) -> dict[str, Any]:
    """Return the verdict as a SARIF document."""
    shapes = _rules(verdict)
    ids = _ids(shapes)
    rules = {shape.iri: index for index, shape in enumerate(shapes)}
    inputs = [(path, sha256) for path, sha256 in verdict.inputs if setting.located(path) and _is_the_projects(path)]
    artifacts = {path: index for index, (path, _) in enumerate(inputs)}
    places = Places(verdict)
    judged = verdict.to_json()
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "taggate",
                "version": __version__,
                "rules": [_rule(shape, ids[shape.iri]) for shape in shapes],
            }
        },
        "invocations": [{"executionSuccessful": True, "exitCode": verdict.exit_code}],
        "columnKind": "unicodeCodePoints",
        "properties": {key: judged[key] for key in ("verdict", "release", "evaluated_at", "scope", "counts")},
    }
    if re.fullmatch(r"https?://\S+", verdict.repository or ""):
        run["versionControlProvenance"] = [{"repositoryUri": verdict.repository, "revisionId": verdict.commit}]
    run["artifacts"] = [
        {"location": {"uri": _uri(setting.located(path) or "")}, "hashes": {"sha-256": sha256}}
        for path, sha256 in inputs
    ]
    run["results"] = [
        {"ruleId": ids[finding.result.shape], "ruleIndex": rules[finding.result.shape]}
        | _result(finding, [_location(place, artifacts, setting) for place in places.of(finding)])
        for finding in verdict.findings
    ]
    return {"version": "2.1.0", "$schema": SCHEMA, "runs": [run]}


def _rules(verdict: Verdict) -> list[Shape]:
    """Return the shapes that can reject something, in the order of the findings."""
    found = {finding.result.shape for finding in verdict.findings}
    found |= {iri for iri, shape in verdict.judging.shapes.items() if shape.constrains}
    order = {count.id: rank for rank, count in enumerate(verdict.shapes)}
    shapes = [verdict.judging.shapes[iri] for iri in found]
    return sorted(shapes, key=lambda shape: (order[shape.file], shape.order, shape.iri))


def _ids(shapes: list[Shape]) -> dict[str, str]:
    """Return the id of each rule by the shape's IRI: its file and local name; the IRI where two would share one."""
    names = {shape.iri: f"{shape.file}/{local(shape.iri)}" for shape in shapes}
    shared = Counter(names.values())
    return {iri: name if shared[name] == 1 else iri for iri, name in names.items()}


def _is_the_projects(path: str) -> bool:
    """Say whether an input is a file of the project's, and not one of the gate's own shapes."""
    return not path.startswith(f"{OWN}/")


def _uri(path: str) -> str:
    return quote(path, safe="/")


def _rule(shape: Shape, name: str) -> dict[str, Any]:
    message = shape.message or shape.name
    help_text = "\n\n".join(filter(None, (shape.description, shape.remedy)))
    return {
        "id": name,
        "name": f"{shape.file}-{shape.name}",
        "shortDescription": {"text": _message(message)},
        "fullDescription": {"text": _message(shape.description or message)},
        "help": {"text": _message(help_text or message)},
        "properties": {"shape": shape.iri, "reason": shape.because, "tags": [shape.file, shape.because]},
    }


def _message(text: str) -> str:
    """Return `text` as SARIF has messages: braces doubled (3.11.5), and nothing in it that is a link (3.11.6)."""
    return text.replace("{", "{{").replace("}", "}}").replace("](", "] (")


def _result(finding: Finding, places: list[dict[str, Any] | None]) -> dict[str, Any]:
    located = [place for place in places if place is not None]
    logical = {"name": finding.focus.rpartition("/")[2] or finding.focus, "fullyQualifiedName": finding.focus}
    result: dict[str, Any] = {
        "level": _LEVELS[finding.severity],
        "message": {"text": _message(f"{finding.focus}: {finding.message}")},
        "locations": [(located[0] if located else {}) | {"logicalLocations": [logical]}],
        "partialFingerprints": {"taggate/v1": _fingerprint(finding)},
        "properties": {"reason": finding.reason, **finding.about.given()},
    }
    return result | ({"relatedLocations": located[1 : 1 + _RELATED]} if len(located) > 1 else {})


def _location(place: Place, artifacts: Mapping[str, int], setting: Setting) -> dict[str, Any] | None:
    path = setting.located(place.path)
    if path is None:
        return None
    artifact: dict[str, Any] = {"uri": _uri(path)}
    if place.path in artifacts:
        artifact["index"] = artifacts[place.path]
    region = {"region": {"startLine": place.line}} if place.line is not None else {}
    return {"physicalLocation": {"artifactLocation": artifact, **region}}


def _fingerprint(finding: Finding) -> str:
    """Return what is the same of a finding in every release: a cell that is missing again is the same alert."""
    result = finding.result
    value = re.sub(rf"^{re.escape(RELEASES)}[^/]*/", "", result.value or "")
    parts = (result.shape, result.component, finding.focus, value)
    return hashlib.sha256("\0".join(parts).encode("utf-8")).hexdigest()
