"""`gate ingest`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gate.cli.options import Moment, Once, announce, emit

if TYPE_CHECKING:
    from collections.abc import Callable

    from gate.files import InputFile
    from gate.ledger.given import Given

# The module of each format; it has `to_native`, and is imported when a file of its format is brought in. Its `TAKES`
# names the fields of `Given` that it uses: an option that would change nothing is refused.
FORMATS = {
    "apr-dogfood": "apr_dogfood",
    "apr-findings": "apr_findings",
    "apr-ladder-inventory": "apr_ladder_inventory",
    "apr-ladder-rows": "apr_ladder_rows",
    "apr-parity": "apr_parity",
    "apr-provenance": "apr_provenance",
    "in-toto": "in_toto",
    "junit": "junit",
    "llama-bench": "llama_bench",
    "lm-eval": "lm_eval",
    "vllm-bench": "vllm_bench",
}


@click.command(epilog="""\b
Example:
  gate ingest apr-dogfood dogfood-receipt.json --output receipts/0.71.0/dogfood.json

\b
Formats:
  apr-dogfood           the dogfood receipt of aprender: a suite; GO is a pass
  apr-ladder-rows       rows.jsonl of aprender's model ladder: runs
  apr-ladder-inventory  inventory.jsonl of it: what a host holds
  apr-provenance        the provenance line of apr: one run (--exit-code, --run)
  junit                 JUnit XML: a suite; no GO with a failure or without a pass
  in-toto               a test-result statement: a suite; no signature is verified
  lm-eval               results of lm-evaluation-harness: a suite without a verdict
  apr-parity            tokens of aprender against llama.cpp's: output parity
  apr-findings          throughput of aprender against llama.cpp's: performance
  llama-bench           llama-bench -o json: performance (--comparator: llama.cpp's)
  vllm-bench            a result of vLLM's benchmarks: performance, one run (--number)

What a result doesn't say about itself is said by options, and never guessed; an option that the format has no use for
is refused.
""")  # fmt: skip
@click.argument("form", metavar="FORMAT", type=click.Choice(list(FORMATS)))
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--output", cls=Once, type=click.Path(path_type=Path), metavar="PATH",
              help="The receipt to write; whole or not at all.  [required]")  # fmt: skip
@click.option("--force", is_flag=True, help="Replace PATH where it exists and says something else.")
@click.option("--release", "version", cls=Once, metavar="VERSION", help="The version that was measured.")
@click.option("--commit", cls=Once, metavar="SHA", help="The full commit that was measured.")
@click.option("--host", cls=Once, metavar="HOST", help="The host that measured.")
@click.option("--measured-at", cls=Once, type=Moment(), metavar="TIME", help="When it was measured, with its zone.")
@click.option("--suite", cls=Once, metavar="NAME", help="The suite that the file is a run of.")
@click.option("--exit-code", cls=Once, type=int, metavar="CODE", help="The exit code of the run.")
@click.option("--run", cls=Once, type=click.Path(path_type=Path), metavar="JSON",
              help="A file that describes the run: model (file, "
              "sha256), verb, context, thinking, prompt_tokens, answer_chars, seconds.")  # fmt: skip
@click.option("--binary", cls=Once, metavar="HEX", help="The sha256 of the binary that was measured.")
@click.option("--model", cls=Once, metavar="FILE", help="The file name of the model that was measured.")
@click.option("--sha256", cls=Once, metavar="HEX", help="The sha256 of that file.")
@click.option("--backend", cls=Once, metavar="NAME", help="The backend that the measured run ran on.")
@click.option("--comparator", cls=Once, metavar="NAME", help="The software whose figures these are; "
              "without it they are the product's own.")  # fmt: skip
@click.option("--configuration", cls=Once, metavar="TEXT", help="How it was measured, in the words of the claim.")
@click.option(
    "--number", cls=Once, type=click.IntRange(min=1, max=2**53), metavar="N", help="Which run of a claim this is."
)
def command(form: str, file: Path, output: Path | None, *, force: bool, **given: Any) -> int:
    """Turn a result that carries no schema into a native receipt.

    The receipt records the sha256 of FILE. Nothing is improved on the way: what FILE doesn't say, the receipt doesn't.
    What was written, and what of FILE was left out, is said on standard error.
    """
    from gate.errors import CallersError
    from gate.files import read_input
    from gate.ledger import read_receipt

    source = read_input(file, str(file))
    document = _convert(form, source, _given(given), [] if output else ["--output"])
    if output is None:
        raise CallersError("--output is needed: where the receipt is to be written")
    text = json.dumps(document, indent=1, ensure_ascii=False) + "\n"
    read_receipt(source, document)  # what is written can be read back, or nothing is written
    if not force and output.is_file() and output.read_bytes() != text.encode("utf-8"):
        raise CallersError(f"{output}: it exists and says something else; --force replaces it")
    emit(text, output)
    announce(output, document)
    return 0


def _given(options: dict[str, Any]) -> Given:
    """Return the options as the readers use them, each checked here, so that its name stands in the message."""
    from gate.files import read_input
    from gate.ledger.given import Given
    from gate.names import checked_name
    from gate.subject import FULL_COMMIT
    from gate.versions import checked_version

    moment = options["measured_at"]
    if moment is not None:
        options["measured_at"] = moment.isoformat().replace("+00:00", "Z")
    if options["commit"] is not None and not FULL_COMMIT.fullmatch(options["commit"]):
        raise click.BadParameter(f"{options['commit']!r} is no full commit: 40 hex digits", param_hint="--commit")
    checks: dict[str, Callable[[str], object]] = {
        "version": checked_version, "host": checked_name, "suite": checked_name, "model": checked_name,
        "backend": checked_name, "comparator": checked_name, "configuration": _said, "sha256": _digest,
        "binary": _digest,
    }  # fmt: skip
    for name, check in checks.items():
        if options[name] is not None:
            try:
                check(options[name])
            except ValueError as error:
                hint = "--release" if name == "version" else f"--{name}"
                raise click.BadParameter(f"{options[name]!r} {error}", param_hint=hint) from None
    if options["run"] is not None:
        options["run"] = read_input(options["run"], str(options["run"]))
    return Given(**options)


def _said(text: str) -> None:
    if not text.strip():
        raise ValueError("says nothing")


def _digest(text: str) -> None:
    if not re.fullmatch("[0-9a-f]{64}", text):
        raise ValueError("is no sha256: 64 hex digits in lower case")


def _convert(form: str, source: InputFile, given: Given, missing: list[str]) -> dict[str, Any]:
    """Return the native receipt that `source` becomes; `missing` are options that are named with those it needs."""
    import importlib

    from gate.ledger.given import MissingOptions

    module = importlib.import_module(f"gate.ledger.{FORMATS[form]}")
    for name, option in given.named().items():
        if name not in module.TAKES:
            raise click.UsageError(f"{option} is not for {form}: its files say that themselves, or don't need it")
    try:
        document: dict[str, Any] = module.to_native(source, given)
    except MissingOptions as error:
        raise MissingOptions([*missing, *error.options]) from None
    return document
