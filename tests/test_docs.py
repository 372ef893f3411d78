"""What the pages say is what the gate does: their commands are run, their files are written, their lists are complete.

A page runs from top to bottom in one folder. Comments in front of a fenced block say what the block is:

    <!-- folder: clone -->        on top of a page: a copy of the sample project with the gate's own shapes beside it;
                                  `empty`: an empty folder; where nothing is said, the sample project alone
    <!-- file: gate.toml -->      the block is a file, written when the page reaches it
    <!-- set: TAG=v0.70.0 -->     variables that the page's commands have from here on
    <!-- models: models -->       a folder of one small GGUF file, written before the block is run
    <!-- not run: reason -->      a `sh` or `console` block that isn't run; all of them are counted below

In a `console` block a line after `$ ` is a command, a line after `> ` goes on with it, and the rest is output: each line
of it appears in this order, `…` standing for anything. A `sh` block is run whole. A command ends with 0 unless the block
shows what `echo $?` says.
"""

from __future__ import annotations

import functools
import importlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import click
import pytest
from pydantic import BaseModel
from rdflib import Graph, URIRef
from rdflib.namespace import SH

from gate import contexts, decisions, rules, shape_files, subject
from gate.cli import COMMANDS, gate, ingest, inventory, reference
from gate.comparison import CHANGES
from gate.iris import NAMESPACE
from gate.ledger import SCHEMAS, native, native_kernels, native_parity, tickets
from gate.ledger.given import OPTIONS
from gate.obligations import kinds
from gate.reporting import templates
from gate.reporting.changes import Changes, Group
from gate.reporting.facts import facts
from gate.reporting.formats import FORMATS
from gate.reporting.issues import Issue, Line, Row
from gate.reporting.spans import Span
from gate.withdrawn import Told
from tests.falsifiers.falsifier import judge
from tests.falsifiers.shrink import no_code
from tests.falsifiers.test_table import TABLE
from tests.release import BEFORE, VERSION, Release, gate_here, git, judged
from tests.test_inventory_scan import model

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FOLDERS = {
    "empty": (),
    "sample": ("gate.toml", "claims.toml", "receipts"),
    "clone": ("gate.toml", "claims.toml", "receipts", "shapes"),
}

# Every block of commands that isn't run, by page, with the reason that the page gives.
NOT_RUN = {
    "README.md": [
        "main command",
        "test command",
        "installs a package",
        "docs/git.md runs it in a repository of its own",
    ],
    "CONTRIBUTING.md": [
        "installs the project",
        "checks the checkout that this test is a part of",
        "measures for minutes",
    ],
    "docs/ci.md": ["installs the gate", "publishes"],
    "docs/receipts.md": ["needs a folder of models"],
    "docs/tickets.md": ["asks GitHub"],
    "docs/trust.md": ["needs Apache Jena"],
    "docs/tutorial.md": ["installs the gate"],
}

# Parameters that constrain nothing by themselves: where a shape looks, which shapes it leads to, how much it weighs.
_NOT_CONSTRAINTS = {"path", "property", "flags", "severity"}


@dataclass
class Block:
    """A fenced block: the line that it begins on, its language, its text, the comments in front of it."""

    line: int
    language: str
    text: str
    notes: dict[str, str] = field(default_factory=dict)

    @property
    def runs(self) -> bool:
        """Whether it holds commands."""
        return self.language in {"console", "sh"}

    @property
    def excluded(self) -> str | None:
        """Why its commands are not run, where they aren't."""
        named = next((note for note in ("main command", "test command") if note in self.notes), None)
        return self.notes.get("not run", named)


def blocks(page: Path) -> Iterator[Block]:
    """Yield the fenced blocks of a page in their order."""
    notes: dict[str, str] = {}
    block: Block | None = None
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), start=1):
        if block is not None:
            if line == "```":
                yield block
                block = None
            else:
                block.text += f"{line}\n"
        elif line.startswith("```"):
            block, notes = Block(number, line.removeprefix("```"), "", notes), {}
        elif comment := re.fullmatch(r"<!-- (.+) -->", line):
            name, _, value = comment[1].partition(": ")
            notes[name] = value
        elif line:
            notes = {}
    assert block is None, f"{page.name}: a block is not closed"


def _folder(page: Path) -> str:
    found = re.match(r"<!-- folder: (\w+) -->\n", page.read_text(encoding="utf-8"))
    return found[1] if found else "sample"


def _commands(block: Block) -> Iterator[tuple[str, list[str]]]:
    """Yield each command of a `console` block, and the lines of output that the block shows."""
    command, shown = "", []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            if command:
                yield command, shown
            command, shown = line.removeprefix("$ "), []
        elif line.startswith("> ") and not shown:
            command += "\n" + line.removeprefix("> ")
        else:
            shown.append(line)
    assert command, f"line {block.line}: no line begins with a dollar"
    yield command, shown


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment whose `gate` is this checkout's."""
    folder = tmp_path_factory.mktemp("bin")
    wrapper = folder / "gate"
    wrapper.write_text(
        f'#!/bin/sh\nPYTHONPATH={shlex.quote(str(ROOT))} exec {shlex.quote(sys.executable)} -m gate "$@"\n'
    )
    wrapper.chmod(0o755)
    tools = Path(sys.executable).parent
    path = os.pathsep.join([str(folder), str(tools), os.environ["PATH"]])
    return {"PATH": path, "HOME": str(folder), "LC_ALL": "C.UTF-8"}


def _shell(command: str, folder: Path, environment: dict[str, str], *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", *options, "-c", command], cwd=folder, env=environment, text=True, encoding="utf-8", timeout=120,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
    )  # fmt: skip


def _prepare(page: Path, folder: Path) -> None:
    for name in FOLDERS[_folder(page)]:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name)
        else:
            shutil.copy(source, folder / name)


def _assert_shown(shown: list[str], real: str, where: str) -> None:
    """Assert that each line shown appears in the real output, in this order."""
    rest = iter(real.splitlines())
    for line in shown:
        wanted = line.strip()
        if wanted in {"", "…"}:
            continue
        pattern = re.compile(".*".join(re.escape(part) for part in wanted.split("…")))
        if not any(pattern.fullmatch(candidate.strip()) for candidate in rest):
            pytest.fail(f"{where}: the page shows\n  {wanted}\nand the command said\n{real}", pytrace=False)


def _run(page: Path, block: Block, folder: Path, environment: dict[str, str]) -> None:
    where = f"{page.name}, line {block.line}"
    if block.language == "sh":
        done = _shell(block.text, folder, environment, "-eu")
        assert done.returncode == 0, f"{where}: {done.stdout}"
        return
    for command, shown in _commands(block):
        done = _shell(command, folder, environment)
        assert done.returncode == 0, f"{where}: {command} ended with {done.returncode}\n{done.stdout}"
        assert not command.endswith("echo $?") or done.stdout.split()[-1:] == shown[-1:], f"{where}: {done.stdout}"
        _assert_shown(shown, done.stdout, f"{where}: {command}")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_commands_of_a_page_do_what_it_shows(page: Path, tmp_path: Path, environment: dict[str, str]) -> None:
    _prepare(page, tmp_path)
    variables = dict(environment)
    for block in blocks(page):
        variables |= dict(pair.split("=", 1) for pair in block.notes.get("set", "").split())
        if "file" in block.notes:
            target = tmp_path / block.notes["file"]
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(block.text, encoding="utf-8")
        elif block.runs and block.excluded is None:
            if "models" in block.notes:
                model(tmp_path / block.notes["models"] / "tiny-q4_k_m.gguf")
            _run(page, block, tmp_path, variables)


def test_every_block_that_is_not_run_is_counted() -> None:
    pages = [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
    found = {
        str(page.relative_to(ROOT)): [b.excluded for b in blocks(page) if b.runs and b.excluded is not None]
        for page in pages
    }
    assert {page: reasons for page, reasons in found.items() if reasons} == NOT_RUN
    for page in pages[len(PAGES) :]:
        assert all(b.excluded for b in blocks(page) if b.runs), f"{page.name}: only README.md and docs/ are run"


def test_the_two_commands_that_set_up_a_machine_stand_in_the_readme() -> None:
    readme = list(blocks(ROOT / "README.md"))
    (main,) = (b.text for b in readme if "main command" in b.notes)
    (test,) = (b.text for b in readme if "test command" in b.notes)
    for command, last in ((main, ".venv/bin/gate check --tag 0.70.0"), (test, ".venv/bin/pytest -q -n auto")):
        assert command.count("\n") == 1
        assert command.startswith("python3 -m venv .venv && .venv/bin/pip install --quiet ")
        assert command.endswith(f" && {last}\n")
    shown = [command for b in readme if b.language == "console" for command, _ in _commands(b)]
    assert "gate check --tag 0.70.0" in shown  # so that the test of the pages runs it


# ---------------------------------------------------------------- continuous integration


def _ci_blocks() -> list[Block]:
    return list(blocks(ROOT / "docs" / "ci.md"))


def _steps(yaml: str) -> Iterator[str]:
    """Yield each command of `run:` and `script:` in a workflow: what stands deeper than the key, or behind it."""
    lines = yaml.splitlines()
    for index, line in enumerate(lines):
        key = re.match(r"( *)(?:- )?(?:run|script):(?: (.*))?$", line)
        if key is None:
            continue
        if key[2] not in {None, "|"}:
            yield key[2]
        for below in lines[index + 1 :]:
            if below.strip() and len(below) - len(below.lstrip()) <= len(key[1]):
                break
            yield below.strip().removeprefix("- ")


def test_a_workflow_runs_only_commands_that_stand_in_the_blocks_of_its_page() -> None:
    found = _ci_blocks()
    known = {line.strip() for b in found if b.language == "sh" for line in b.text.splitlines()}
    workflows = [b for b in found if b.language == "yaml" and re.search(r"^ *(?:- )?(?:run|script):", b.text, re.M)]
    assert len(workflows) == 2
    for workflow in workflows:
        assert "\t" not in workflow.text
        steps = [step for step in _steps(workflow.text) if step not in {"", "|"}]
        assert steps
        assert set(steps) <= known, set(steps) - known


@pytest.mark.parametrize(
    ("tag", "commit", "code"),
    [("v0.70.0", None, 0), ("v0.71.0", None, 1), ("v9.9.9", "0" * 40, 2), ("v0.70.0", "0" * 40, 3)],
)
def test_the_script_for_a_pipeline_ends_as_the_gate_does(
    tag: str, commit: str | None, code: int, tmp_path: Path, environment: dict[str, str]
) -> None:
    page = ROOT / "docs" / "ci.md"
    _prepare(page, tmp_path)
    script = next(b.text for b in _ci_blocks() if "set" in b.notes)
    if commit is None:
        release = tomllib.loads((tmp_path / f"receipts/{tag.removeprefix('v')}/release.toml").read_text())
        commit = release["commit"]
    written = ("verdict.json", "junit.xml", "taggate.sarif", "summary.md", "annotations.txt", "NOTES.md")
    for name in written:
        (tmp_path / name).write_text('{"verdict": "conforms"}')  # left by an earlier run
    done = _shell(script, tmp_path, environment | {"TAG": tag, "SHA": commit}, "-eu")
    assert done.returncode == code, done.stdout
    assert [(tmp_path / name).exists() for name in written] == [code in {0, 1}] * len(written)
    if code in {0, 1}:
        assert json.loads((tmp_path / "verdict.json").read_text())["exit"] == code


# ---------------------------------------------------------------- links and files


def _without_code(text: str) -> str:
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL))


def _anchors(page: Path) -> set[str]:
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"], ids=lambda page: page.name)
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", _without_code(page.read_text(encoding="utf-8"))):
        if target.startswith("https://"):
            continue
        path, _, anchor = target.partition("#")
        led = (page.parent / path).resolve() if path else page
        assert led.exists(), f"{page.name} links to {target}"
        assert not anchor or anchor in _anchors(led), f"{page.name} links to {target}"


def test_every_page_is_linked_from_the_readme() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for page in PAGES[1:]:
        assert f"(docs/{page.name})" in text, page.name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_block_of_data_can_be_parsed(page: Path) -> None:
    for block in blocks(page):
        where = f"{page.name}, line {block.line}"
        if block.language == "toml":
            assert tomllib.loads(block.text), where
        elif block.language == "json":
            assert json.loads(block.text), where
        elif block.language == "jsonl":
            assert [json.loads(line) for line in block.text.splitlines()], where
        elif block.language == "ttl":
            assert len(Graph().parse(data=block.text, format="turtle")), where
        else:
            assert block.language in {"console", "sh", "yaml", "text"}, where


# ---------------------------------------------------------------- lists that must be complete


@functools.cache
def _text(name: str) -> str:
    """Return a page without its fenced blocks: an example is no explanation."""
    text = (ROOT / "docs" / name).read_text(encoding="utf-8")
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def _explains(page: str, word: str) -> bool:
    return re.search(rf"`[^`\n]*\b{re.escape(word)}\b[^`\n]*`", _text(page)) is not None


def _rows(text: str) -> dict[str, str]:
    """Return the rows of the page's tables by what their first cell has in backticks."""
    found = re.findall(r"^\| `([^`]+)` \|(.*)\|$", text, flags=re.MULTILINE)
    rows: dict[str, str] = {}
    for name, rest in found:
        rows[name] = rows.get(name, "") + rest
    return rows


def _constraints() -> set[tuple[str, str]]:
    own = shape_files.read(Path("no such folder"))
    found = set()
    for shape in own.shapes.values():
        for predicate in set(own.graph.predicates(URIRef(shape.iri))):
            name = str(predicate).removeprefix(str(SH))
            asks = str(predicate) != name and name not in _NOT_CONSTRAINTS and not name.startswith("target")
            if asks and not shape.iri.startswith("urn:"):  # a part of another constraint, and told with it
                found.add((shape.iri.removeprefix(NAMESPACE), name))
    assert len(found) > 50
    return found


def test_every_constraint_stands_in_the_page_of_shapes() -> None:
    rows = _rows(_text("shapes.md"))
    for shape, parameter in _constraints():
        assert shape in rows, f"docs/shapes.md has no row for `{shape}`"
        assert f"`sh:{parameter}" in rows[shape], f"docs/shapes.md, `{shape}`: nothing is said of sh:{parameter}"


def test_the_page_of_shapes_names_no_constraint_and_no_falsifier_that_is_not_there() -> None:
    falsified: dict[str, set[str]] = {}
    for _, falsifier in TABLE:
        falsified.setdefault(falsifier.constraint, set()).add(falsifier.name)
    constraints = {shape for shape, _ in _constraints()}
    for name, row in _rows(_text("shapes.md")).items():
        if "-" in name and name[0].isupper():
            assert name in constraints, f"docs/shapes.md: `{name}` constrains nothing"
            cited = {text.strip() for text in row.rsplit("|", 1)[-1].split(";")}
            assert cited, name
            assert cited <= falsified[name], f"docs/shapes.md, `{name}`: {cited - falsified[name]}"


def test_every_file_of_shapes_has_a_section_of_its_own() -> None:
    assert set(kinds()) <= {
        name.removeprefix("shapes").removesuffix("ttl") for name in _anchors(ROOT / "docs/shapes.md")
    }


def _keys(model: type[BaseModel]) -> Iterator[str]:
    for name, info in model.model_fields.items():
        yield info.alias or name
        inner = _model_of(info.annotation)
        if inner is not None:
            yield from _keys(inner)


def _model_of(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((m for a in getattr(annotation, "__args__", ()) if (m := _model_of(a)) is not None), None)


@pytest.mark.parametrize(
    "model",
    [
        rules.RulesDocument,
        decisions.DecisionsDocument,
        subject.ReleaseFile,
        contexts.ContextsFile,
        tickets.TicketsDocument,
        *native.MODELS.values(),
        *native_kernels.MODELS.values(),
        *native_parity.MODELS.values(),
    ],
    ids=lambda model: model.__name__,
)
def test_every_key_of_a_file_stands_in_the_page_of_formats(model: type[BaseModel]) -> None:
    for key in _keys(model):
        assert _explains("formats.md", key), f"docs/formats.md has no `{key}`"


def test_every_key_of_a_receipts_row_stands_in_the_page_of_formats() -> None:
    """A native receipt of rows names their model in a list, which `_keys` walks; this one holds it to that."""
    models = {**native.MODELS, **native_kernels.MODELS, **native_parity.MODELS}
    assert set(models) == {schema for schema in SCHEMAS if schema.startswith("taggate/")}
    for row in (native_kernels.Kernel, native_kernels.Conformance, native_parity.TokenizerComparison,
                native_parity.OutputComparison, native_parity.PerformanceFigure):  # fmt: skip
        assert any(set(_keys(row)) <= set(_keys(model)) for model in models.values()), row.__name__


def test_everything_that_the_rules_can_ask_for_is_judged() -> None:
    """No page says any more that something is asked for and not judged: nothing is."""
    asked = {"kernel", "conformance", "tokenizer", "parity", "suite_row", "performance", "ticket"}
    assert asked <= set(kinds())
    for page in PAGES:
        assert "not judged yet" not in page.read_text(encoding="utf-8").lower(), page.name


def test_every_schema_and_every_format_of_ingest_has_a_row_in_the_page_of_receipts() -> None:
    rows = _rows(_text("receipts.md"))
    for schema in SCHEMAS:
        assert schema in rows, schema
    for form, module in ingest.FORMATS.items():
        assert form in rows, form
        takes = importlib.import_module(f"gate.ledger.{module}").TAKES
        options = {option for option in OPTIONS.values() if f"`{option}`" in rows[form]}
        assert options == {OPTIONS[name] for name in takes}, form


def test_every_option_of_a_scan_stands_in_the_page_of_receipts() -> None:
    text = (ROOT / "docs" / "receipts.md").read_text(encoding="utf-8")
    for parameter in inventory.scan.params:
        for option in parameter.opts if parameter.opts[0].startswith("--") else []:
            assert re.search(rf"{option}(?![\w-])", text), option


def test_every_schema_and_every_word_of_a_finding_stand_in_the_page_of_formats() -> None:
    own = shape_files.read(Path("no such folder"))
    text, rows = _text("formats.md"), _rows(_text("formats.md"))
    for schema in (
        *SCHEMAS,
        "taggate/contexts/v1",
        "taggate/verdict/v1",
        "taggate/tickets/v1",
        "taggate/ticket-status/v1",
        "apr-release-context-rungs/v1",
        "apr-dogfood",
    ):
        assert f"`{schema}`" in text, schema
    for shape, _ in _constraints():
        found = own.shapes[NAMESPACE + shape]
        assert found.because in rows, f"docs/formats.md: no reason `{found.because}`"
        assert re.search(rf"^\| `{found.file}` \|.*`{found.name}`", text, flags=re.MULTILINE), (
            f"{found.file} {found.name}"
        )


def _fields(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _fields(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _fields(inner)


def test_every_field_of_a_verdict_stands_in_the_page_of_formats(release: Release) -> None:
    no_code(release)
    assert release.claims is not None
    release.claims += (
        '[[declaim]]\nid = "d"\nverb = "run"\nissue = 1\nuntil = "0.72.0"\nwhy = "w"\n'
        'ruling = { by = "b", on = 2026-01-01, words = "w" }\n'
    )
    del release.documents[f"receipts/{VERSION}/gx10.json"]
    verdict = judged(release.write())
    assert verdict["retired"]
    assert verdict["previous"]
    for name in set(_fields(verdict)):
        assert _explains("formats.md", name), f"docs/formats.md has no `{name}`"


def test_the_page_of_commands_is_what_the_commands_say() -> None:
    page = (ROOT / "docs/cli.md").read_text(encoding="utf-8")
    assert page == reference.render(), f"docs/cli.md is out of date; this mends it: {reference.MEND}"


def test_every_option_of_every_command_stands_in_the_page_of_commands() -> None:
    """Asked of the commands themselves, so that what writes the page can't leave one out."""
    page = (ROOT / "docs/cli.md").read_text(encoding="utf-8")

    def walk(command: click.Command, path: str) -> Iterator[tuple[str, click.Command]]:
        yield path, command
        for name in command.list_commands(click.Context(command)) if isinstance(command, click.Group) else []:
            yield from walk(command.get_command(click.Context(command), name), f"{path} {name}")  # type: ignore

    for path, command in walk(gate, "gate"):
        section = re.search(rf"^## {path}$(.*?)(?=^## |\Z)", page, flags=re.MULTILINE | re.DOTALL)
        assert section, path
        for option in (option for param in command.params for option in param.opts if option.startswith("-")):
            assert re.search(rf"^- `[^`]*{option}\b", section[1], flags=re.MULTILINE), f"{path} {option}"


def test_every_format_of_a_verdict_has_a_section_in_the_page_of_formats() -> None:
    text = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8").partition("## The formats of a verdict\n")[2]
    sections = re.findall(r"^### (.+)$", text, flags=re.MULTILINE)
    assert [name.strip("`") for section in sections for name in section.split(", ")] == list(FORMATS)


def test_every_field_of_a_difference_stands_in_the_page_of_formats(release: Release) -> None:
    no_code(release)
    folder = release.write()
    done = gate_here(
        folder, "diff", BEFORE, VERSION, "--earlier-commit", git(folder, "rev-parse", "HEAD"), "--format", "json"
    )
    difference = json.loads(done.stdout)
    assert difference["changes"]
    assert difference["decisions"]["added"]
    for decision in difference["decisions"]["added"]:
        decision["says"] = {}  # its keys are those of claims.toml
    difference["counts"]["unchanged"] = {}
    assert "taggate/difference/v1" in _text("formats.md")
    for name in set(_fields(difference)):
        assert _explains("formats.md", name), f"docs/formats.md has no `{name}`"
    text = _text("diff.md")
    for change in CHANGES:
        assert f"| {change} |" in text, change


def test_every_command_stands_in_the_readme() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for command in COMMANDS:
        assert f"gate {command}" in text, command


def test_every_template_and_all_that_one_may_say_stand_in_the_page_of_pages(release: Release) -> None:
    verdict, _ = judge(release.write())
    for path in templates.own_folder().glob("*.j2"):
        assert f"`{path.name}`" in _text("pages.md"), path.name
    names = {*facts(verdict, None, ()), *(f.name for kind in (Issue, Span, Row, Line, Told) for f in fields(kind))}
    names |= (
        {f.name for f in fields(Changes)} & {"since"} | {f.name for f in fields(Group)} | {"names", "groups", "nothing"}
    )
    for name in names:
        assert _explains("pages.md", name), f"docs/pages.md has no `{name}`"
