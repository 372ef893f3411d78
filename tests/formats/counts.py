"""The counts of cells that a format says, read back from what it renders: by its own library, or as a reader would."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import junitparser
from google.protobuf import json_format
from in_toto_attestation.v1.statement_pb2 import Statement
from rdflib import Graph, Namespace
from rdflib.namespace import RDF, SH

from gate.iris import NAMESPACE

EARL, GATE = Namespace("http://www.w3.org/ns/earl#"), Namespace(NAMESPACE)
REPORT = Namespace("https://w3id.org/taggate/report#")
Counts = dict[str, int]
NAMES = ("owed", "passed", "missing", "failed", "declaimed")


def from_text(text: str) -> Counts:
    found = re.search(
        r"^(\d+) cells owed: (\d+) passed, (\d+) missing, (\d+) failed.*?; (\d+) de-claimed", text, re.MULTILINE
    )
    assert found
    return dict(zip(NAMES, map(int, found.groups()), strict=True))


def from_json(text: str) -> Counts:
    counts = json.loads(text)["counts"]["cells"]
    return {name: counts[name] for name in NAMES}


def junit_cases(text: str) -> list[tuple[str, str, junitparser.TestCase]]:
    """Return each case of a JUnit report that is one of a cell, with its suite's name and its result."""
    found = []
    for suite in junitparser.JUnitXml.fromstring(text.encode()):
        for case in suite if suite.name.startswith("cells on ") else ():
            (result,) = [
                r.type if isinstance(r, junitparser.Failure) else f"skipped {r.type}" for r in case.result
            ] or ["passed"]
            found.append((suite.name, result, case))
    return found


def from_junit(text: str) -> Counts:
    results = Counter(result for _, result, _ in junit_cases(text))
    failed = results["failed"] + results["skipped known"]
    owed = results["passed"] + results["missing"] + failed
    assert set(results) <= {"passed", "missing", "failed", "skipped known", "skipped declaimed", "skipped outside"}
    return dict(
        zip(NAMES, (owed, results["passed"], results["missing"], failed, results["skipped declaimed"]), strict=True)
    )


def from_sarif(text: str) -> Counts:
    """The counts that the run states, held against the cells that its results name."""
    (run,) = json.loads(text)["runs"]
    counts = run["properties"]["counts"]["cells"]
    red: dict[str, set[str]] = {}
    for result in run["results"]:
        if result["level"] == "error" and result["ruleId"].startswith(("cell/", "refusal/")):
            name = result["locations"][0]["logicalLocations"][0]["fullyQualifiedName"]
            red.setdefault(name, set()).add(result["properties"]["reason"])
    missing = sum("missing" in reasons for reasons in red.values())
    # What a known failure stands for is no result.
    assert (counts["missing"], counts["failed"] - counts.get("known", 0)) == (missing, len(red) - missing)
    return {name: counts[name] for name in NAMES}


def from_github(text: str) -> Counts:
    found = re.search(
        r"(\d+) cells owed: (\d+) passed, (\d+) missing, (\d+) failed.*?; (\d+) de-claimed", text.splitlines()[0]
    )
    assert found
    return dict(zip(NAMES, map(int, found.groups()), strict=True))


def from_markdown(text: str) -> Counts:
    (row,) = re.findall(r"^\| \*\*all\*\* \|(.*)\|$", text, flags=re.MULTILINE)
    return dict(zip(NAMES, (int(cell.strip("* ")) for cell in row.split("|")), strict=True))


def from_report(text: str) -> Counts:
    """The counts that the report states, held against its results."""
    graph = Graph().parse(data=text, format="turtle")
    (report,) = graph.subjects(RDF.type, SH.ValidationReport)
    counts = {name: int(str(graph.value(report, REPORT[f"cells{name.capitalize()}"]))) for name in NAMES}
    missing = {
        str(graph.value(result, SH.focusNode))
        for result in graph.objects(report, SH.result)
        if (result, GATE.because, GATE.missing) in graph
    }
    assert counts["missing"] == sum("/cell/" in focus for focus in missing)
    return counts


def from_earl(text: str) -> Counts:
    graph = Graph().parse(data=text, format="turtle")
    kinds = {GATE[name] for name in ("Cell", "RefusalCell", "KnownCell", "DeclaimedCell")}
    found: Counter[str] = Counter()
    for assertion in graph.subjects(RDF.type, EARL.Assertion):
        test, result = graph.value(assertion, EARL.test), graph.value(assertion, EARL.result)
        if kinds.isdisjoint(graph.objects(test, RDF.type)):
            continue
        outcome = str(graph.value(result, EARL.outcome)).removeprefix(str(EARL))
        is_missing = (result, GATE.because, GATE.missing) in graph
        found["missing" if is_missing else outcome] += 1
    assert set(found) <= {"passed", "missing", "failed", "inapplicable"}
    owed = found["passed"] + found["missing"] + found["failed"]
    return dict(
        zip(NAMES, (owed, found["passed"], found["missing"], found["failed"], found["inapplicable"]), strict=True)
    )


def from_vsa(text: str) -> Counts:
    """The counts of the extension, read through in-toto's own class."""
    statement = json_format.Parse(text, Statement())
    extension: Any = json_format.MessageToDict(statement)["predicate"]["https://w3id.org/taggate/verdict/v1"]
    return {name: int(extension["counts"]["cells"][name]) for name in NAMES}


READERS: dict[str, Callable[[str], Counts]] = {
    "text": from_text, "json": from_json, "junit": from_junit, "sarif": from_sarif, "github": from_github,
    "markdown": from_markdown, "ttl": from_report, "earl": from_earl, "vsa": from_vsa,
}  # fmt: skip
