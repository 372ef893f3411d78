"""Many rows of one model at once: pydantic is asked of each column, and of each text in it once.

A million rows repeat few names, digests and verdicts, and their numbers are plain. What is accepted here is what the
model accepts, field by field; what isn't is read again row by row by whoever asked, so that the model words what is
wrong.
"""

from __future__ import annotations

import functools
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, Union, get_args, get_origin

from pydantic import ConfigDict, TypeAdapter, ValidationError

from gate.malformed import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic.fields import FieldInfo

_REMEMBERED = 16_384  # texts of a column: more than a file's neighbouring rows have
_LONGEST = 300  # characters of a text that is remembered: a name has at most 255
_FEW, _ALIKE = 4, 64  # layouts: so many there may be, and one more for so many rows
_TEXT = {str, type(None)}

Columns = dict[str, list[Any]]


class RowsOf:
    """Reads rows of `model`, a table whose fields are each right or wrong by themselves."""

    def __init__(self, model: type[Table]) -> None:
        decorators = model.__pydantic_decorators__
        if decorators.model_validators or decorators.root_validators or decorators.field_validators:
            raise TypeError(f"{model.__name__} judges more than one field at a time")
        self._fields = {name: _field(info) for name, info in model.model_fields.items()}
        self._keys = {info.alias or name: name for name, info in model.model_fields.items()}
        self._required = {info.alias or name for name, info in model.model_fields.items() if info.is_required()}

    def read(self, rows: list[Any]) -> Columns | None:
        """Return the fields of `rows`, each as the values that it has in them, in their order.

        A field that is a table of its own gives a column for each of its fields, `backend.ran`: None where the table
        was left out.

        Args:
            rows: what was parsed.

        Returns:
            None where the model refuses a row, or where there is nothing to gain: no row, or hardly two alike.
        """
        if not rows or set(map(type, rows)) - {dict}:
            return None
        every = set(map(tuple, rows))
        if len(every) == 1:
            return self._read_alike(every.pop(), rows)
        if len(every) > _FEW + len(rows) // _ALIKE:
            return None  # where hardly two rows are alike, one by one is faster
        layouts: dict[tuple[str, ...], list[int]] = {keys: [] for keys in every}
        for index, keys in enumerate(map(tuple, rows)):
            layouts[keys].append(index)
        found: Columns = {}
        for keys, places in layouts.items():
            columns = self._read_alike(keys, [rows[place] for place in places])
            if columns is None:
                return None
            for name, column in columns.items():
                whole = found.setdefault(name, [None] * len(rows))
                for place, value in zip(places, column, strict=True):
                    whole[place] = value
        return found

    def columns(self, rows: Sequence[Table]) -> Columns:
        """Return the fields of rows that were validated one by one, as `read` returns them."""
        found: Columns = {}
        for name, field in self._fields.items():
            for inner, column in field.columns([getattr(row, name) for row in rows]).items():
                found[f"{name}.{inner}" if inner else name] = column
        return found

    def _read_alike(self, keys: tuple[str, ...], rows: list[dict[str, Any]]) -> Columns | None:
        """Read rows that have the same keys in the same order."""
        if not self._keys.keys() >= set(keys) >= self._required:
            return None
        given = dict(zip(keys, zip(*map(dict.values, rows), strict=True), strict=True))
        found: Columns = {}
        for key, name in self._keys.items():
            columns = self._fields[name].read(given.get(key), len(rows))
            if columns is None:
                return None
            for inner, column in columns.items():
                found[f"{name}.{inner}" if inner else name] = column
        return found


class _Field:
    """A field that holds values."""

    def __init__(self, info: FieldInfo) -> None:
        # A field's constraints stand beside its type, where the type of a list must have them inside.
        kind = Annotated[(info.annotation, *info.metadata)] if info.metadata else info.annotation
        self._adapter = TypeAdapter(list[kind], config=ConfigDict(strict=True))  # type: ignore[valid-type]
        self._default = None if info.is_required() else info.get_default(call_default_factory=True)
        self._known: dict[str | None, Any] = {}

    def read(self, column: Sequence[Any] | None, count: int) -> Columns | None:
        """Return the column as the model has it; where it isn't given, the default `count` times."""
        if column is None:
            return {"": [self._default] * count}
        try:  # nothing but a text or None is ever equal to what is remembered
            return {"": list(map(self._known.__getitem__, column))}
        except (KeyError, TypeError):
            pass
        values = list(column)
        try:
            texts = set(map(type, values)) <= _TEXT
            return {"": self._texts(values) if texts else self._adapter.validate_python(values)}
        except ValidationError:
            return None

    @staticmethod
    def columns(values: list[Any]) -> Columns:
        """Return the column of what was validated."""
        return {"": values}

    def _texts(self, values: list[str | None]) -> list[Any]:
        """Return texts as the model has them: a text that was accepted once is accepted, and held once."""
        new = list(set(values) - self._known.keys())
        accepted = dict(zip(new, self._adapter.validate_python(new), strict=True))
        seen = self._known | accepted
        short = {text: value for text, value in accepted.items() if text is None or len(text) <= _LONGEST}
        if len(self._known) + len(short) > _REMEMBERED:
            self._known = {}
        self._known |= short
        return list(map(seen.__getitem__, values))


class _Inner:
    """A field that holds a table; a table that is left out says what an empty one says, or is none at all."""

    def __init__(self, info: FieldInfo, model: type[Table]) -> None:
        if info.default is not None and not info.is_required() and info.default != model():
            raise TypeError(f"a {model.__name__} that is left out is no empty one")
        self._rows = RowsOf(model)
        self._names = list(model.model_fields)
        self._nullable = type(None) in get_args(info.annotation)
        self._default: dict[str, Any] | None = None if info.default is None else {}

    def read(self, column: Sequence[Any] | None, count: int) -> Columns | None:
        """Return the columns of the table's fields; where it isn't given, those of the default `count` times."""
        values = column if column is not None else [self._default] * count
        if None not in values:
            return self._rows.read(list(values))
        places = [place for place, value in enumerate(values) if value is not None]
        given = [values[place] for place in places]
        columns = self._rows.read(given) if given else {name: [] for name in self._names}
        if columns is None or not self._nullable:
            return None
        return {name: _spread(column, places, count) for name, column in columns.items()}

    def columns(self, values: list[Any]) -> Columns:
        """Return the columns of tables that were validated."""
        places = [place for place, value in enumerate(values) if value is not None]
        columns = self._rows.columns([values[place] for place in places])
        return {name: _spread(column, places, len(values)) for name, column in columns.items()}


def _spread(column: list[Any], places: list[int], count: int) -> list[Any]:
    """Return a column with its values at their places, and None elsewhere."""
    spread: list[Any] = [None] * count
    for place, value in zip(places, column, strict=True):
        spread[place] = value
    return spread


def _field(info: FieldInfo) -> _Field | _Inner:
    kinds = get_args(info.annotation) if get_origin(info.annotation) in {Union, UnionType} else (info.annotation,)
    inner = next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, Table)), None)
    return _Field(info) if inner is None else _Inner(info, inner)


rows_of = functools.cache(RowsOf)  # what a model says is compiled where the first row of its kind is read
