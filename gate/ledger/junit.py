"""JUnit XML, as pytest, Surefire, CTest, gotestsum and many more write it: it comes in through `gate ingest`.

What is taken for a pass: a `testcase` without `failure`, `error` or `skipped`, whose `status` and `result`, where it
has them, say nothing else. A case that failed and passed when it was run again (`flakyFailure`) is a failure: what
passes now and then was not shown to work. The suite says GO only if at least one case passed, none failed or errored,
and no counter of the document differs from its cases.

A JUnit file names no release: the options do. Output and properties are left out and counted.

The XML is walked once before it is parsed: a document type, and with it every entity, is refused; so are a namespace,
an element that JUnit doesn't have there and nesting beyond what suites need. `junitparser` finds children by their
exact names, and would take a failure of another spelling for a pass.
"""

from __future__ import annotations

import datetime
import re
from collections import Counter
from typing import TYPE_CHECKING, Any
from xml.parsers import expat

from gate.errors import BadFile
from gate.names import checked_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.files import InputFile
    from gate.ledger.given import Given

Element = Any  # of junitparser, whose own annotations contradict each other

FORMAT = "junit"
TAKES = ("version", "commit", "measured_at", "suite")

MAX_DEPTH = 32
_OUTPUT = frozenset({"system-out", "system-err", "properties"})
_RERUN = frozenset({"rerunFailure", "rerunError", "flakyFailure", "flakyError"})
_CHILDREN = {
    "": frozenset({"testsuites", "testsuite"}),
    "testsuites": frozenset({"testsuite", "properties"}),
    "testsuite": frozenset({"testsuite", "testcase"}) | _OUTPUT,
    "testcase": frozenset({"failure", "error", "skipped"}) | _OUTPUT | _RERUN,
    "properties": frozenset({"property"}),
} | dict.fromkeys(_RERUN, frozenset({"stackTrace", "system-out", "system-err"}))
# What `status` and `result` of a case may say (googletest, CTest, Bazel): a case that says anything else is refused.
_STATED = {
    "pass": {"run", "passed", "pass", "success", "successful", "ok", "completed"},
    "skip": {"notrun", "skipped", "skip", "disabled", "ignored", "suppressed"},
    "fail": {"failed", "fail", "failure"},
    "error": {"error", "errored", "aborted", "timeout"},
}
_WORSE = ("pass", "skip", "fail", "error")


def to_native(file: InputFile, given: Given) -> dict[str, Any]:
    """Return the native suite receipt that says what the JUnit XML in `file` says.

    Raises:
        BadFile: it is no JUnit XML, or says what isn't known to be safe; the message names the line.
        CallersError: an option that the file needs wasn't given.
    """
    seen = _walk(file)
    root = _root(file)
    suites = list(root)
    rows = [_row(file, case) for suite in suites for case in suite]
    if len(rows) != seen["testcase"]:
        raise BadFile(file.path, "", f"it has {seen['testcase']} cases, of which {len(rows)} were found")
    contradictions = list(_miscounted(file, "testsuites", root, [row["result"] for row in rows]))
    for suite in (inner for outer in suites for inner in _nested(outer)):
        own = [_row(file, case)["result"] for case in suite]
        contradictions += _miscounted(file, f"testsuite {suite.name!r}", suite, own)
    results = Counter(row["result"] for row in rows)
    go = results["pass"] and not results["fail"] and not results["error"] and not contradictions
    left_out = {f"elements <{name}>": seen[name] for name in sorted(_OUTPUT) if seen[name]}
    measured_at, suite = given.measured_at or _newest(file, suites), given.suite or _name(suites)
    given.require("version", "commit", measured_at=measured_at, suite=suite)
    return {
        "schema": "taggate/suite-receipt/v1",
        "release": given.release(),
        "measured_at": measured_at,
        "producer": f"junit, {len(rows)} cases: {', '.join(f'{results[name]} {name}' for name in _WORSE)}",
        "source": {"format": FORMAT, "sha256": file.sha256},
        "left_out": left_out,
        "contradictions": contradictions,
        "suite": suite,
        "verdict": "go" if go else "no-go",
        "rows": rows,
    }


def _walk(file: InputFile) -> Counter[str]:
    """Count the elements, and refuse what could hide a failure or break the parser."""
    parser = expat.ParserCreate()
    seen: Counter[str] = Counter()
    path = [""]

    def refuse(wrong: str, right: str = "") -> None:
        raise BadFile(file.path, f"line {parser.CurrentLineNumber}", wrong, right)

    def opened(name: str, attributes: dict[str, str]) -> None:
        known = _CHILDREN.get(path[-1], frozenset())
        if "xmlns" in attributes:
            refuse("it has a default namespace, and JUnit XML has none")
        if name not in known:
            within = f"inside <{path[-1]}>" if path[-1] else "as its outermost element"
            refuse(f"<{name[:80]}> is not known {within}", f"Known there: {', '.join(sorted(known)) or 'none'}.")
        if len(path) > MAX_DEPTH:
            refuse("its suites are nested too deeply")
        path.append(name)
        seen[name] += 1

    def doctype(*_: object) -> None:
        refuse("it has a document type, which could define entities", "Remove <!DOCTYPE>: JUnit XML needs none.")

    parser.StartElementHandler = opened
    parser.EndElementHandler = lambda _: path.pop()
    parser.StartDoctypeDeclHandler = doctype
    try:
        parser.Parse(file.content, True)  # noqa: FBT003 - expat takes it by place
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise BadFile(file.path, "", f"it is not XML: {error}") from None
    return seen


def _root(file: InputFile) -> Element:
    """Return the outermost element, as what holds the suites."""
    from junitparser import Attr, JUnitXmlError, xunit2

    outcome = Attr()

    class Case(xunit2.TestCase):
        status = Attr()
        stated = outcome

    outcome.name = "result"  # the library calls each attribute by its Python name, and has a use for that one

    class Suite(xunit2.TestSuite):
        testcase = Case
        # As they are written: the library would count them anew.
        tests, failures, errors, skipped = Attr(), Attr(), Attr(), Attr()

    class Document(xunit2.JUnitXml):
        testsuite = Suite
        tests, failures, errors, skipped = Attr(), Attr(), Attr(), Attr()

    try:
        return Document.fromstring(file.content)
    except (JUnitXmlError, SyntaxError, ValueError) as error:
        raise BadFile(file.path, "", f"it is not JUnit XML: {error}") from None


def _row(file: InputFile, case: Element) -> dict[str, Any]:
    if not case.name:
        raise BadFile(file.path, "testcase", "a case has no name")
    name = f"{case.classname}::{case.name}" if case.classname else str(case.name)
    found = [*case.result, *case.interim_result]
    results = [_result_of(type(element).__name__) for element in found]
    for attribute, value in (("status", case.status), ("result", case.stated)):
        if value:
            results.append(_stated(file, name, attribute, value))
    worst = max(results, key=_WORSE.index, default="pass")
    notes = [text for element in found if (text := element.message or element.type)]
    return {"name": name, "result": worst, "note": "; ".join(notes)}


def _result_of(element: str) -> str:
    return {"Skipped": "skip", "Error": "error", "RerunError": "error", "FlakyError": "error"}.get(element, "fail")


def _stated(file: InputFile, case: str, attribute: str, value: str) -> str:
    for result, words in _STATED.items():
        if value.casefold() in words:
            return result
    raise BadFile(
        file.path, f"testcase {case[:80]!r}", f"its {attribute} is {value[:80]!r}, which says no known result"
    )


def _nested(suite: Element) -> Iterator[Element]:
    yield suite
    for inner in suite.iterchildren(type(suite)):
        yield from _nested(inner)


def _miscounted(file: InputFile, place: str, element: Element, cases: list[str]) -> Iterator[str]:
    """Yield where the counters of a suite, or of the root, differ from its cases."""
    counted = {
        "tests": len(cases), "failures": cases.count("fail"), "errors": cases.count("error"),
        "skipped": cases.count("skip"),
    }  # fmt: skip
    for name, count in counted.items():
        written = getattr(element, name)
        if written is not None and not re.fullmatch(r"[0-9]{1,9}", written):
            raise BadFile(file.path, place, f"its {name} is {written[:80]!r}, which is no count")
        claimed = None if written is None else int(written)
        # A counter that claims fewer failures than there are contradicts nothing that would let the suite go.
        if claimed is not None and (claimed != count if name == "tests" else claimed > count):
            yield f"{place}: {name} is {claimed}, and its cases say {count}"


def _name(suites: list[Element]) -> str | None:
    """Return the name of the only suite, if it can be one."""
    names = {suite.name for suite in suites}
    try:
        return checked_name(names.pop() or "") if len(names) == 1 else None
    except ValueError:
        return None


def _newest(file: InputFile, suites: list[Element]) -> str | None:
    """Return the newest time stamp, if all of them are instants: a time without its zone is none."""
    moments = []
    for suite in suites:
        if not suite.timestamp:
            continue
        try:
            moments.append(datetime.datetime.fromisoformat(suite.timestamp))
        except ValueError:
            raise BadFile(file.path, f"testsuite {suite.name!r}", "its timestamp is no time") from None
    if not moments or any(moment.tzinfo is None for moment in moments):
        return None
    return max(moments).isoformat()
