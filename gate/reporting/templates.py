"""The templates of the pages: the gate's own, and those that a project puts in their place.

A project's template runs in a sandbox: it sees what a page may say and nothing of the machine. Escaping can't be turned
off in it, and a value that isn't there is an error, never an empty place.
"""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import BaseLoader, Environment, StrictUndefined, TemplateError, TemplateNotFound, TemplateSyntaxError, nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment

from gate.errors import BadFile, Declined
from gate.files import MEBIBYTE, InputFile, decode, read_input, walk
from gate.reporting import html, markdown
from gate.reporting.performance import figure

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

FOLDER = "reports"
OWN = "taggate/reports"  # how the gate's own are shown
SUFFIX = ".j2"
MAX_TEMPLATE = MEBIBYTE
FORMATS = ("md", "html")

_UNESCAPED = ("safe", "mark_safe")  # they would let a recorded text be markup
_ESCAPING = ("e", "escape", "forceescape")


@dataclass(frozen=True, slots=True)
class Templates:
    """The text of every template by name, and which of them are the project's own."""

    texts: Mapping[str, tuple[str, str]]  # by name: the path as it is shown, and the text
    own: tuple[InputFile, ...]

    def render(self, name: str, facts: Mapping[str, Any], form: str) -> str:
        """Return what a template makes of `facts`.

        Raises:
            BadFile: a template of the project's own can't be rendered; the message names the line.
        """
        try:
            return environment(self, form).get_template(name).render(**facts)
        except Exception as error:
            place = self._place(error)
            if place is None:
                raise
            raise BadFile(*place, _said(error)) from None

    def _place(self, error: Exception) -> tuple[str, str] | None:
        """Return where the project's own template fails: the innermost line of one. None: only the gate's own do."""
        projects = {file.path for file in self.own}
        frames = [(frame.filename, frame.lineno or 0) for frame in traceback.extract_tb(error.__traceback__)]
        if isinstance(error, TemplateSyntaxError):
            frames.append((error.filename or "", error.lineno))
        return next(((path, f"line {line}") for path, line in reversed(frames) if path in projects), None)


def read(folder: Path | None = None) -> Templates:
    """Read the gate's own templates, and those of a project in `folder` where there is one.

    Raises:
        BadFile: a file in `folder` is none of the templates, or can't be taken as it stands.
        Declined: the gate's own are missing: the installation is broken.
    """
    own = {path.name: read_input(path, f"{OWN}/{path.name}") for path in sorted(own_folder().glob(f"*{SUFFIX}"))}
    projects = _projects(folder, own) if folder is not None else {}
    files = own | projects
    found = Templates({name: (file.path, decode(file)) for name, file in files.items()}, tuple(projects.values()))
    for name, file in projects.items():
        _refuse_unescaped(found, name, file)
    return found


def own_folder() -> Path:
    """Return the folder of the templates: in the package where it is installed, beside it in a checkout.

    Raises:
        Declined: neither is there: the installation is broken.
    """
    package = Path(__file__).parent.parent
    for candidate in (package / FOLDER, package.parent / FOLDER):
        if (candidate / f"notes.md{SUFFIX}").is_file():
            return candidate
    raise Declined("the gate's report templates are missing from its installation; install it again")


def _projects(folder: Path, own: Mapping[str, InputFile]) -> dict[str, InputFile]:
    """Return the project's templates by name, but those that are the gate's own byte for byte.

    Raises:
        BadFile: the folder is something else, or holds a file that would be passed over in silence.
    """
    if not folder.exists() and not folder.is_symlink():
        return {}
    if not folder.is_dir():
        raise BadFile(FOLDER, "", "it is no folder", "The project's own templates are a folder of *.j2 files.")
    found = {}
    for path, shown in walk(folder, FOLDER):
        name = shown.removeprefix(f"{FOLDER}/")
        if name in own:
            found[name] = read_input(path, shown, limit=MAX_TEMPLATE)
        elif f"{name}{SUFFIX}" in own or not _is_aside(
            path
        ):  # `notes.md` is meant for a template, and explains nothing
            raise BadFile(shown, "", "no page is made of a template of this name", f"Known: {', '.join(own)}.")
    return {name: file for name, file in found.items() if file.sha256 != own[name].sha256}


def _is_aside(path: Path) -> bool:
    """Say whether a file explains the folder, or is hidden: as in the folder of shapes."""
    return path.suffix == ".md" or path.name.startswith(".")


def _refuse_unescaped(templates: Templates, name: str, file: InputFile) -> None:
    """Refuse a template of the project's own that isn't Jinja, or that turns escaping off.

    Raises:
        BadFile: it does; the message names the line.
    """
    jinja = environment(templates, form_of(name))
    try:
        tree = jinja.parse(templates.texts[name][1], name, file.path)
    except TemplateSyntaxError as error:
        raise BadFile(file.path, f"line {error.lineno}", _said(error)) from None
    for scope in tree.find_all(nodes.EvalContextModifier):
        raise BadFile(file.path, f"line {scope.lineno}", "it sets autoescape", "Every value stays escaped.")
    try:
        jinja.compile(tree, name, file.path)
    except TemplateError as error:
        raise BadFile(file.path, f"line {getattr(error, 'lineno', 1)}", _said(error)) from None


def form_of(name: str) -> str:
    """Return the format that a template makes, by its name: `md` or `html`, which a style is a part of."""
    return "md" if name.endswith(f".md{SUFFIX}") else "html"


class _Loader(BaseLoader):
    def __init__(self, templates: Templates) -> None:
        self._texts = templates.texts

    def get_source(self, environment: Environment, template: str) -> tuple[str, str, Callable[[], bool]]:  # noqa: ARG002
        """Return a template's text, its path as it is shown, and that it never changes."""
        if template not in self._texts:
            raise TemplateNotFound(template)
        path, text = self._texts[template]
        return text, path, lambda: True


def environment(templates: Templates, form: str) -> ImmutableSandboxedEnvironment:
    """Return the environment that renders pages in a format."""
    is_html = form == "html"
    own = html if is_html else markdown
    found = ImmutableSandboxedEnvironment(
        loader=_Loader(templates), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        # Markdown's `finalize` escapes what Jinja's own escaping, which is HTML's, would leave as markup.
        keep_trailing_newline=True, autoescape=is_html, finalize=own.text,
    )  # fmt: skip
    found.filters |= {"code": own.code, "figure": figure}
    for name in _UNESCAPED:
        found.filters.pop(name, None)
    if is_html:
        found.filters |= {"pinned": html.pinned}
    else:
        found.filters |= dict.fromkeys(_ESCAPING, markdown.text) | {"join": markdown.join}
        del found.filters["tojson"]  # it says that what it returns needs no escaping, which holds in HTML alone
    return found


def _said(error: Exception) -> str:
    """Return what is wrong with a template, in one line."""
    if isinstance(error, RecursionError):
        return "it includes itself, or is nested too deeply"
    if isinstance(error, TemplateNotFound):
        return f"there is no template {error.name!r}"
    return " ".join(str(error).split()) or type(error).__name__
