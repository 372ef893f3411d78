"""`gate ingest`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gate.cli.options import emit

if TYPE_CHECKING:
    from gate.files import InputFile

# The module of each format; it has `to_native`, and is imported when a file of its format is brought in.
FORMATS = {
    "apr-dogfood": "apr_dogfood",
}


@click.command(epilog="""\b
Example:
  gate ingest apr-dogfood dogfood-receipt.json --output receipts/0.71.0/dogfood.json

\b
Formats:
  apr-dogfood   the dogfood receipt of aprender: a suite receipt; GO is a pass
""")  # fmt: skip
@click.argument("form", metavar="FORMAT", type=click.Choice(list(FORMATS)))
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--output", type=click.Path(path_type=Path), required=True, metavar="PATH",
              help="The receipt to write; whole or not at all.")  # fmt: skip
@click.option("--force", is_flag=True, help="Replace PATH where it exists and says something else.")
def command(form: str, file: Path, output: Path, *, force: bool) -> int:
    """Turn a result that carries no schema into a native receipt.

    The receipt records the sha256 of FILE. Nothing is improved on the way: what FILE doesn't say, the receipt doesn't.
    """
    from gate.errors import CallersError
    from gate.files import read_input
    from gate.ledger import read_receipt

    source = read_input(file, str(file))
    document = _convert(form, source)
    text = json.dumps(document, indent=1, ensure_ascii=False) + "\n"
    read_receipt(source, document)  # what is written can be read back, or nothing is written
    if not force and output.is_file() and output.read_bytes() != text.encode("utf-8"):
        raise CallersError(f"{output}: it exists and says something else; --force replaces it")
    emit(text, output)
    return 0


def _convert(form: str, source: InputFile) -> dict[str, Any]:
    import importlib

    module = importlib.import_module(f"gate.ledger.{FORMATS[form]}")
    document: dict[str, Any] = module.to_native(source)
    return document
