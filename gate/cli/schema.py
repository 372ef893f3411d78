"""`gate schema`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from gate.cli.options import emit

if TYPE_CHECKING:
    from pydantic import BaseModel


@click.command(epilog="""\b
Examples:
  gate schema                            every schema, by name
  gate schema taggate/run-receipt/v1     one of them
""")  # fmt: skip
@click.argument("name", required=False)
def command(name: str | None) -> int:
    """Print the JSON Schemas (draft 2020-12) of the native receipts, of the tickets and of the contexts file.

    A JSON Lines receipt is the same document with its rows taken out: the first line is the header, and each line after
    it is one row.
    """
    from gate.contexts import ContextsFile
    from gate.errors import CallersError
    from gate.ledger import native, native_kernels, native_parity, tickets

    others: dict[str, type[BaseModel]] = {tickets.SCHEMA: tickets.TicketsDocument, "taggate/contexts/v1": ContextsFile}
    models: dict[str, type[BaseModel]] = {**native.MODELS, **native_kernels.MODELS, **native_parity.MODELS, **others}
    schemas = {
        key: {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": f"https://w3id.org/{key}"}
        | model.model_json_schema(by_alias=True)
        for key, model in models.items()
    }
    if name is not None and name not in schemas:
        raise CallersError(f"{name!r} is no native schema\n  Known: {', '.join(schemas)}.")
    emit(json.dumps(schemas[name] if name else schemas, indent=2, ensure_ascii=False) + "\n", None)
    return 0
