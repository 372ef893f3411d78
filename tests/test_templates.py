"""A project's own templates: they take the place of the gate's, in a sandbox, and can neither unescape nor mislead."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest

from gate.errors import BadFile
from gate.reporting import pages, templates
from gate.verdict import Verdict
from tests.falsifiers.falsifier import judge
from tests.reading import shown
from tests.release import DECLAIM, NOW, VERSION, declaimed, green
from tests.release import gate_here as gate

HOSTILE = "</p><script>alert(1)</script> | `*[x](javascript:y)*` ![i](http://x/y)"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Verdict]:
    folder = tmp_path_factory.mktemp("project")
    claims = DECLAIM.replace("Correct, but slow.", HOSTILE)
    verdict, _ = judge(declaimed(green(folder), claims).write())
    return folder, verdict


def page(project: tuple[Path, Verdict], name: str, text: str, *, page: str = "notes", form: str | None = None) -> str:
    """Return a page as the project's template `name` makes it."""
    folder = project[0] / "reports"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / name).write_text(text, encoding="utf-8")
    return pages.render(page, form or templates.form_of(name), project[1], templates.read(folder))


def refusal(project: tuple[Path, Verdict], name: str, text: str, **kwargs: str) -> str:
    """Return what is said of a template that can't be taken."""
    with pytest.raises(BadFile) as caught:
        page(project, name, text, **kwargs)
    return str(caught.value)


def test_a_template_of_the_project_takes_the_place_of_the_gates(project: tuple[Path, Verdict]) -> None:
    text = "# Ours: {{ verdict.project }}\n{% for issue in issues %}\n- {{ issue.told.id }}: {{ issue.sees }}\n{% endfor %}\n"
    found = page(project, "notes.md.j2", text)
    assert found.startswith("# Ours: demo\n- beta-on-gx10: ")
    assert shown(found).links == set()


def test_a_part_of_a_page_can_be_replaced_alone_and_the_page_says_so(project: tuple[Path, Verdict]) -> None:
    for name, form, mark in (
        ("issue.md.j2", "md", "Ours: {{ issue.told.id }}\n"), ("issue.html.j2", "html", "<p>Ours: {{ issue.told.id }}</p>"),
        ("style.css.j2", "html", "body { background: url(Ours:) }"),
    ):  # fmt: skip
        found = page(project, name, mark, page="known-issues", form=form)
        assert "Ours:" in found
        assert "Known issues of demo 0.71.0" in found
        assert "By templates of the project's own:" in found
        sha256 = hashlib.sha256(mark.encode()).hexdigest()
        assert f"reports/{name}, sha256 {sha256}" in " ".join(shown(found, form).text.split())


def test_the_gates_own_templates_beside_the_rules_are_no_projects(project: tuple[Path, Verdict]) -> None:
    own = templates.own_folder() / "issue.md.j2"
    found = page(project, "issue.md.j2", own.read_text(encoding="utf-8"))
    assert found == pages.render("notes", "md", project[1])


@pytest.mark.parametrize("form", ["md", "html"])
def test_every_value_stays_escaped_in_a_template_of_the_project(form: str, project: tuple[Path, Verdict]) -> None:
    ways = (
        "issue.sees", "issue.sees | e", "issue.sees | escape", "issue.sees | forceescape", "issue.sees ~ ticket(issue.told)",
        "ticket(issue.told) + issue.sees", "[ticket(issue.told), issue.sees] | join(' ')", "issue.sees | replace('x', 'y')",
        "'%s' | format(issue.sees)", "issue.sees | code", "issue.sees | trim | upper | indent", "issue.sees | string",
    )  # fmt: skip
    text = "{% for issue in issues %}\n" + "\n\n".join(f"{{{{ {way} }}}}" for way in ways) + "\n{% endfor %}\n"
    text += "{% for issue in issues %}{% set said %}{{ issue.sees }}{% endset %}{{ said }}{% endfor %}\n"
    text += "{% macro m(x) %}{{ x }}{% endmacro %}{% for issue in issues %}{{ m(issue.sees) }}{% endfor %}\n"
    found = shown(page(project, f"notes.{form}.j2", text), form)
    assert not found.tags & {"script", "img"}
    assert found.links <= {"https://example.org/demo/issues/4590"}


@pytest.mark.parametrize("name", ["notes.md.j2", "notes.html.j2", "issue.html.j2"])
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{{ verdict.project | safe }}", "No filter named 'safe'"),
        ("{% autoescape false %}{{ verdict.project }}{% endautoescape %}", "it sets autoescape"),
        ("{% for issue in %}", "Expected an expression"),
        ("{{ verdict.projekt }}", "has no attribute 'projekt'"),
        ("{{ nothing }}", "'nothing' is undefined"),
        ("{{ 1 // 0 }}", "zero"),
        ("{{ verdict.__class__ }}", "unsafe"),
        ("{{ ''.__class__.__mro__ }}", "unsafe"),
        ("{{ ticket.func.__globals__ }}", "unsafe"),
        ("{{ verdict.nodes.clear() }}", "unsafe"),
        ("{% include 'other.j2' %}", "there is no template 'other.j2'"),
        ("{% include '../gate.toml' %}", "there is no template '../gate.toml'"),
        ("{% for n in range(10 ** 9) %}{% endfor %}", "Range too big"),
    ],
)
def test_what_a_template_may_not_do_is_told_with_its_line(
    name: str, line: str, words: str, project: tuple[Path, Verdict]
) -> None:
    said = refusal(project, name, f"one\n\n{line}\n", form=templates.form_of(name))
    assert said.startswith(f"reports/{name}, line 3: ")
    assert words in said


def test_a_template_that_includes_itself_is_told(project: tuple[Path, Verdict]) -> None:
    assert "includes itself" in refusal(project, "notes.md.j2", "{% include 'notes.md.j2' %}")


def test_a_markdown_template_has_no_filter_that_calls_markup_safe(project: tuple[Path, Verdict]) -> None:
    assert "No filter named 'tojson'" in refusal(project, "notes.md.j2", "{{ verdict.project | tojson }}")


def test_a_layout_without_the_blocks_of_its_pages_is_the_projects_own_choice(project: tuple[Path, Verdict]) -> None:
    assert (
        page(project, "layout.html.j2", "<title>{% block title %}{% endblock %}</title>")
        == "<title>demo 0.71.0</title>\n"
    )


@pytest.mark.parametrize(
    ("path", "content", "words"),
    [
        ("reports/note.md.j2", "x", "reports/note.md.j2: no page is made of a template of this name\n  Known: changes.html.j2,"),
        ("reports/notes.md", "x", "reports/notes.md: no page is made of a template of this name"),
        ("reports/junit.xml", "x", "reports/junit.xml: no page is made of a template of this name"),
        ("reports/old/notes.md.j2", "x", "reports/old/notes.md.j2: no page is made of a template of this name"),
        ("reports", "x", "reports: it is no folder"),
        ("reports/notes.md.j2", b"\xff", "reports/notes.md.j2, byte 1: it is not UTF-8"),
        ("reports/notes.md.j2", "x" * 2**20 + "y", "reports/notes.md.j2: it has 1,048,577 bytes"),
        ("reports/README.md", "why", ""), ("reports/.gitkeep", "", ""),
    ],
)  # fmt: skip
def test_a_file_that_is_none_of_the_templates_is_refused_by_name(
    path: str, content: str | bytes, words: str, tmp_path: Path
) -> None:
    target = tmp_path / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content.encode() if isinstance(content, str) else content)
    if not words:
        assert templates.read(tmp_path / "reports").own == ()
        return
    with pytest.raises(BadFile) as caught:
        templates.read(tmp_path / "reports")
    assert str(caught.value).startswith(words)


def test_the_commands_read_the_projects_templates_and_never_write_over_one(tmp_path: Path) -> None:
    folder = green(tmp_path).write()
    (folder / "reports").mkdir()
    (folder / "reports/notes.md.j2").write_text("# Ours\n")
    ask = ("notes", "--tag", VERSION, "--now", NOW)
    assert gate(folder, *ask).stdout == "# Ours\n"
    done = gate(folder, *ask, "--output", "reports/notes.md.j2")
    assert (done.returncode, "is an input" in done.stderr) == (3, True)
    (folder / "reports/notes.md.j2").write_text("{{ verdict.what }}\n")
    done = gate(folder, *ask)
    assert (done.returncode, done.stdout) == (3, "")
    assert "reports/notes.md.j2, line 1" in done.stderr
    assert gate(folder, "check", "--tag", VERSION, "--now", NOW).returncode == 0
