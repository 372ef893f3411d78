"""What a model refuses, said so that the writer of the file can mend it: the file, the line, the key, what is right."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from gate import strict_toml
from gate.errors import BadFile

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pydantic_core import ErrorDetails

    from gate.files import InputFile

MOST = 8  # a file of another kind gives an error a line: the first few say it

Model = TypeVar("Model", bound=BaseModel)


class Table(BaseModel):
    """A table of a file that people write: unknown keys are refused, values are never coerced, nothing changes."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)


def toml_model(file: InputFile, model: type[Model]) -> Model:
    """Return the TOML `file` as a `model`.

    Raises:
        BadFile: it isn't TOML, or not such a document; the message names every key that is wrong, with its line.
    """
    document = strict_toml.parse_file(file)

    def line(place: Sequence[str | int]) -> str:
        found = strict_toml.line_of(file, place)
        return f"line {found}" if found else ""

    return checked(model, document, file.path, line)


def checked(
    model: type[Model], document: Any, path: str, line: Callable[[Sequence[str | int]], str] | str = ""
) -> Model:
    """Return `document` as a `model`.

    Args:
        model: the pydantic model that the document must be.
        document: what was parsed.
        path: the file, for messages.
        line: what to say of the line on which a place stands: a text, or a function from the place to it.

    Raises:
        BadFile: it is no such document; the message names each place.
    """
    try:
        return model.model_validate(document)
    except ValidationError as error:
        details = error.errors(include_url=False)
        told = [_told(model, detail, line) for detail in details[:MOST]]
        place, wrong = told[0]
        more = [f"{at}: {what}" for at, what in told[1:]]
        if len(details) > MOST:
            more.append(f"and {len(details) - MOST} more")
        raise BadFile(path, place, wrong, "\n  ".join(more)) from None


def _told(
    model: type[BaseModel], detail: ErrorDetails, line: Callable[[Sequence[str | int]], str] | str
) -> tuple[str, str]:
    loc = detail["loc"]
    at = line if isinstance(line, str) else line(loc)
    spelled = dotted(loc)
    place = ", ".join(part for part in (at, spelled) if part)
    return place, _wrong(model, detail)


def dotted(loc: Sequence[str | int]) -> str:
    """Return the place as its writer would say it: `hosts[0].gpu`."""
    text = ""
    for part in loc:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text


def _wrong(model: type[BaseModel], detail: ErrorDetails) -> str:
    kind, value = detail["type"], detail.get("input")
    if kind == "missing":
        return "the key is missing"
    if kind == "extra_forbidden":
        return "there is no such key" + _meant(model, detail["loc"])
    message = detail["msg"].removeprefix("Value error, ")
    if isinstance(value, (dict, list, BaseModel)):
        return message  # of a table or list as a whole, which the place names
    message = message.removeprefix("Input ")
    shown = repr(value)
    return f"{shown[:80] + '…' if len(shown) > 80 else shown} {message}"


def _meant(model: type[BaseModel], loc: Sequence[str | int]) -> str:
    """Say which keys the table has, the nearest spelling first."""
    table: Any = model
    for part in loc[:-1]:
        if isinstance(part, str):
            table = _table_of(table.model_fields[part].annotation) if part in table.model_fields else None
        if table is None:
            return ""
    known = [field.alias or name for name, field in table.model_fields.items()]
    near = difflib.get_close_matches(str(loc[-1]), known, n=1)
    return f"; {near[0]!r} is meant?" if near else f"; the keys here are {', '.join(known)}"


def _table_of(annotation: Any) -> type[BaseModel] | None:
    """Return the model inside an annotation such as `tuple[Host, ...]` or `Long | None`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for inner in getattr(annotation, "__args__", ()):
        found = _table_of(inner)
        if found is not None:
            return found
    return None
