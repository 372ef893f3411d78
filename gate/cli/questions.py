"""The questions of `gate init`, asked on a terminal: of what no flag said, each until its answer can be taken."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from gate.cli.answers import COMPUTE, NAME, TAG, TEXT, VERSION, ContextType

if TYPE_CHECKING:
    from collections.abc import Callable

    from gate.scaffold import Context, Host

Answer = TypeVar("Answer")


def ask(said: dict[str, Any], folder: Path, may_write: Callable[[str], None]) -> dict[str, Any]:
    """Return what was said, with an answer for everything that was not.

    Args:
        said: by the names of the options; None or empty: not said.
        folder: the project's, whose name is offered for the project's.
        may_write: raises a CallersError where the pipeline that it is given can't be written.
    """
    click.echo("Answer, or press Enter for what stands in brackets. Nothing is written before the last answer.\n")
    questions: dict[str, Callable[[], Any]] = {
        "name": lambda: _one("What is the project called", TEXT, folder.resolve().name),
        "repository": lambda: _maybe("Where is its repository, so that tickets become links (https://…)", TEXT),
        "tag_format": lambda: _one("How is a tag spelled", TAG, "v{version}"),
        "version": lambda: _one("Which release is measured first (0.1.0)", VERSION),
        "hosts": _hosts,
        "verbs": lambda: _some("Which modes of use does it have (run, chat, serve)", NAME),
        "backend": lambda: _one("On which backend must a run have run (cuda)", NAME),
        "thinking": lambda: click.confirm("Are models measured thinking and not, where they can do both", default=True),
        "contexts": _contexts,
        "owed": lambda: _some("Which model files are owed (*q4_k*; Enter: all)", TEXT, least=0),
        "suites": lambda: _some("Which test suites must say GO (Enter: none)", NAME, least=0),
        "models": _models,
        "pipeline": lambda: _pipeline(may_write),
    }
    unsaid = {name: question for name, question in questions.items() if said[name] in (None, ())}
    return said | {name: question() for name, question in unsaid.items()}


def _one(question: str, kind: click.ParamType[Any], default: str | None = None) -> str:
    answer: str = click.prompt(
        question, value_proc=lambda text: kind.convert(text.strip(), None, None), default=default
    )
    return answer


def _maybe(question: str, kind: click.ParamType[Answer]) -> Answer | None:
    answer: Answer | None = click.prompt(
        f"{question} [none]",
        value_proc=lambda text: kind.convert(text.strip(), None, None) if text.strip() else None,
        default="", show_default=False,
    )  # fmt: skip
    return answer


def _some(question: str, kind: click.ParamType[Answer], *, least: int = 1) -> tuple[Answer, ...]:
    def split(text: str) -> tuple[Answer, ...]:
        found = tuple(kind.convert(part.strip(), None, None) for part in text.split(",") if part.strip())
        if len(found) < least:
            raise click.BadParameter("name at least one; commas separate several")
        if len(set(found)) < len(found):
            raise click.BadParameter("one of them stands twice")
        return found

    answers: tuple[Answer, ...] = click.prompt(
        question, value_proc=split, default=None if least else "", show_default=False
    )
    return answers


def _hosts() -> tuple[Host, ...]:
    from gate.scaffold import Host

    found: list[Host] = []
    name: str | None = _one("What is the first machine that measures called", NAME)
    while name:
        gpu = _maybe("  Its GPU, as nvidia-smi names it", TEXT)
        found.append(Host(name, gpu, _maybe("  Its compute capability, such as 8.9", COMPUTE)))
        name = _maybe("What is the next machine called", _Other(found))
    return tuple(found)


class _Other(click.ParamType[str]):
    """The name of a machine that is none of those before it."""

    name = "host"

    def __init__(self, before: list[Host]) -> None:
        self._before = before

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from gate.names import look_alikes

        name, known = NAME.convert(value, param, ctx), [host.id for host in self._before]
        if name in known or look_alikes([*known, name]):
            self.fail(f"{value!r} is one of those before, or only looks different", param, ctx)
        return name


def _contexts() -> tuple[Context, ...]:
    from gate.scaffold import Context

    found: tuple[Context, ...] = ()
    while not found:
        found = _some("At which sizes of prompt (4k, 20k; or with tokens: 4k=4096)", ContextType())
        if len({one.tokens is None for one in found}) > 1:
            click.echo("Error: some have tokens and some have none; give all of them tokens, or none")
            found = ()
    return tuple(
        Context(one.name, one.tokens, _maybe(f"  What is {one.name} derived from (a ticket, a consumer)", TEXT))
        if one.tokens is not None and one.source is None
        else one
        for one in found
    )


def _models() -> Path | None:
    if importlib.util.find_spec("gguf") is None:
        return None  # what comes next says how the scan is installed
    return _maybe("Which folder here holds the first machine's GGUF files", _Folder())


class _Folder(click.ParamType[Path]):
    """A folder that is there."""

    name = "folder"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        folder = Path(value).expanduser()
        if not folder.is_dir():
            self.fail(f"{value!r} is no folder", param, ctx)
        return folder


def _pipeline(may_write: Callable[[str], None]) -> str:
    from gate.errors import CallersError

    while True:
        name: str = click.prompt("Which CI", type=click.Choice(["github", "gitlab", "none"]), default="none")
        try:
            may_write(name)
        except CallersError as error:
            click.echo(f"Error: {error}")
        else:
            return name
