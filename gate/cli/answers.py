"""What may be said of a project that begins: each kind of answer, checked where it is given, by flag or in words."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from gate.scaffold import Context, Host


class Checked(click.ParamType[str]):
    """A text that a reader of the gate's files takes.

    Args:
        kind: the module and the name of the annotated type that checks it (`gate.rules:Text`).
    """

    name = "text"

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the text as the file will have it, or fail with the reader's own words."""
        from pydantic import TypeAdapter, ValidationError

        module, _, name = self._kind.partition(":")
        try:
            return str(TypeAdapter(getattr(importlib.import_module(module), name)).validate_python(value))
        except ValidationError as error:
            self.fail(f"{value!r} {error.errors()[0]['msg'].removeprefix('Value error, ')}", param, ctx)


TEXT = Checked("gate.rules:Text")
NAME = Checked("gate.names:Name")
TAG = Checked("gate.rules:TagPattern")
VERSION = Checked("gate.versions:VersionText")
COMMIT = Checked("gate.subject:Commit")
COMPUTE = Checked("gate.rules:Compute")


class HostType(click.ParamType["Host"]):
    """A host as a flag spells it: `gx10:NVIDIA GB10:12.1`, `gx10:NVIDIA GB10` or `gx10`."""

    name = "host"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Host:
        """Return the host."""
        from gate.scaffold import Host

        parts = str(value).split(":")
        if len(parts) > 3:
            self.fail(f"{value!r} has more parts than ID:GPU:COMPUTE", param, ctx)
        kinds = (NAME, TEXT, COMPUTE)
        said = [kind.convert(part.strip(), param, ctx) if part.strip() or kind is NAME else None
                for kind, part in zip(kinds, parts, strict=False)]  # fmt: skip
        return Host(str(said[0]), *said[1:])


class ContextType(click.ParamType["Context"]):
    """A context as a flag spells it: `4k`, `4k=4096` or `4k=4096:ticket 3710`."""

    name = "context"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Context:
        """Return the context."""
        from gate.scaffold import Context

        name, sized, rest = str(value).partition("=")
        size, _, source = rest.partition(":")
        if sized and not (size.strip().isascii() and size.strip().isdigit() and int(size) > 0):
            self.fail(f"{value!r} has no size: a context is 4k, 4k=4096 or 4k=4096:where 4096 comes from", param, ctx)
        said = TEXT.convert(source.strip(), param, ctx) if source.strip() else None
        return Context(NAME.convert(name.strip(), param, ctx), int(size) if sized else None, said)
