"""GitHub's workflow commands: escaped as the runner unescapes them, ten a level at most, and nothing lost uncounted."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

import pytest

from gate.reporting.formats import Setting, render
from gate.verdict import Verdict
from tests.falsifiers.falsifier import judge
from tests.formats.conftest import RELEASES, ROOT
from tests.formats.shipped import shipped
from tests.release import VERSION, Release


@dataclass(frozen=True)
class Command:
    """A workflow command, as the runner understands a line of a log."""

    name: str
    properties: dict[str, str]
    message: str


def _unescaped(text: str, codes: dict[str, str]) -> str:
    for code, character in codes.items():
        text = text.replace(code, character)
    return text.replace("%25", "%")


def commands(text: str) -> list[Command]:
    found = []
    for line in text.splitlines():
        match = re.fullmatch(r"::(error|warning|notice) ([^:]*)::(.*)", line)
        assert match, line
        pairs = dict(pair.split("=", 1) for pair in match[2].split(","))
        codes = {"%0D": "\r", "%0A": "\n"}
        properties = {key: _unescaped(value, codes | {"%3A": ":", "%2C": ","}) for key, value in pairs.items()}
        found.append(Command(match[1], properties, _unescaped(match[3], codes)))
    return found


def github(verdict: Verdict, root: str = "") -> list[Command]:
    return commands(render("github", verdict, Setting(root)))


def _count(command: Command) -> int:
    counted = re.match(r"(?:and )?(\d+) (?:more )?findings", command.message)
    return int(counted[1]) if counted else 1


@pytest.mark.parametrize("release", RELEASES)
def test_no_level_has_more_than_github_shows_and_every_finding_is_counted(
    release: str, verdicts: dict[str, Verdict]
) -> None:
    verdict = verdicts[release]
    answer, *found = github(verdict)
    assert answer.properties == {"title": f"taggate: {verdict.tag} {'CONFORMS' if verdict.conforms else 'REFUSED'}"}
    assert answer.name == ("notice" if verdict.conforms else "error")
    assert max(Counter(command.name for command in [answer, *found]).values()) <= 10
    for name, severity in (("error", "violation"), ("warning", "warning"), ("notice", "info")):
        counted = sum(_count(command) for command in found if command.name == name)
        assert counted == sum(finding.severity == severity for finding in verdict.findings)


def test_an_annotation_lies_on_the_line_that_caused_it(verdicts: dict[str, Verdict]) -> None:
    _, missing, outlived = github(verdicts["0.71.0"])
    assert missing.message.startswith("60 findings (gx10 60): No run of this cell was recorded. First: gx10/")
    assert "\n-> Run the missing cells" in missing.message
    for command, begins in ((missing, "verbs = "), (outlived, "until = ")):
        lines = (ROOT / command.properties["file"]).read_text().split("\n")
        assert lines[int(command.properties["line"]) - 1].startswith(begins)


def test_every_cause_comes_before_any_comes_again(release: Release) -> None:
    for row in release.receipt("lambda.json")["runs"]:
        row.update(verdict="fail", exit_code=1, answer_chars=0)
    for name in ("a", "b", "c"):
        release.documents[f"receipts/{VERSION}/{name}.json"] = release.receipt("lambda.json") | {"runs": [
            release.receipt("lambda.json")["runs"].pop()
        ]}  # fmt: skip
    verdict, _ = judge(release.write())
    titles = [command.properties["title"] for command in github(verdict)[1:]]
    assert titles[:3] == ["cell: verdict, failed", "cell: exitCode, failed", "cell: answered, failed"]
    assert titles[-1] == "taggate: the rest"
    assert len(titles) == 9


@pytest.mark.parametrize(
    "text",
    [
        "::add-mask::x",
        "\n::set-output name=x::y",
        "100%0A::error::z",
        "%",
        "a,b=c:d",
        "::stop-commands::t",
        "\r\n::error::x",
    ],
)
def test_nothing_that_is_recorded_becomes_a_command(text: str, release: Release) -> None:
    release.row("lambda", "alpha-q4_k_m.gguf").update(verdict="fail", reason=text)
    verdict, _ = judge(release.write())
    _, found = github(verdict)
    assert found.properties == {"file": f"receipts/{VERSION}/lambda.json", "title": "cell: verdict, failed"}
    assert " ".join(text.split()) in found.message


def test_an_odd_name_of_a_file_is_escaped(release: Release) -> None:
    release.documents[f"receipts/{VERSION}/a,b:c%0A=d.json"] = release.documents.pop(f"receipts/{VERSION}/lambda.json")
    odd = release.receipt("a,b:c%0A=d.json")
    odd["runs"][0]["verdict"] = "fail"
    verdict, _ = judge(release.write())
    _, found = github(verdict, "sub/")
    assert found.properties["file"] == f"sub/receipts/{VERSION}/a,b:c%0A=d.json"


def test_a_conforming_release_is_a_notice_that_names_its_scope(release: Release) -> None:
    verdict, _ = judge(shipped(release).write())
    (answer,) = github(verdict)
    assert answer.name == "notice"
    assert "1 failed (1 of them known)" in answer.message
    assert answer.message.endswith("Under the scope smoke.")
