"""`gate inventory`."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gate.cli.options import Moment, Once, announce, emit

if TYPE_CHECKING:
    import datetime
    from collections.abc import Callable, Iterator

    from gate.ledger.digests import Digests
    from gate.ledger.gguf_header import Header


@click.group(epilog="""\b
Example:
  gate inventory scan models --host gx10 --release 0.71.0 --commit "$(git rev-parse HEAD)" \\
    --gpu "NVIDIA GB10" --compute 12.1 --output receipts/0.71.0/inventory-gx10.json
""")  # fmt: skip
def command() -> None:
    """What a host holds.

    An inventory is measured, never kept by hand: what a host holds is what it owes.
    """


@command.command(epilog="""\b
Example:
  gate inventory scan models --host gx10 --release 0.71.0 --commit "$(git rev-parse HEAD)" \\
    --gpu "NVIDIA GB10" --compute 12.1 --output receipts/0.71.0/inventory-gx10.json

Every *.gguf below DIR is read, a symbolic link to a file too. A broken or truncated one is named, and then nothing is
written. Digests are kept in the platform's cache folder by path, size and time of change. Needs the package gguf.
""")  # fmt: skip
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--host", cls=Once, metavar="HOST", help="The host that holds the folder.  [required]")
@click.option("--release", "version", cls=Once, metavar="VERSION", help="The version that is measured.  [required]")
@click.option("--commit", cls=Once, metavar="SHA", help="The full commit that is measured.  [required]")
@click.option("--gpu", cls=Once, metavar="NAME", help="The host's GPU. A host whose GPU the rules name owes it.")
@click.option("--compute", cls=Once, metavar="CC", help="Its compute capability: 8.9.")
@click.option("--gpu-memory", cls=Once, type=int, metavar="BYTES", help="Its total memory.")
@click.option("--binary-sha256", cls=Once, metavar="SHA256", help="The sha256 of the binary that the release measures.")
@click.option("--measured-at", cls=Once, type=Moment(), metavar="TIME", help="When, with its zone. [default: now]")
@click.option("--no-cache", is_flag=True, help="Read every byte again, and keep no digest.")
@click.option("--output", cls=Once, type=click.Path(path_type=Path), metavar="PATH",
              help="The receipt to write; whole or not at all.  [required]")  # fmt: skip
@click.option("--force", is_flag=True, help="Replace PATH where it exists and says something else.")
def scan(folder: Path, output: Path | None, *, no_cache: bool, force: bool, **given: Any) -> int:
    """Scan a folder of models into an inventory receipt.

    Name, sha256, architecture, quantization, context length, template markers and the census of tensors come from what
    the GGUF files hold, never from what they are called. What was written, and what was left out, is said on standard
    error.
    """
    from gate.errors import CallersError

    output = _required(output, given)
    document = measured(folder, given, no_cache=no_cache)
    text = json.dumps(document, indent=1, ensure_ascii=False) + "\n"
    if not force and output.is_file() and output.read_bytes() != text.encode("utf-8"):
        raise CallersError(f"{output}: it exists and says something else; --force replaces it")
    emit(text, output)
    announce(output, document)
    return 0


def measured(folder: Path, given: dict[str, Any], *, no_cache: bool = False) -> dict[str, Any]:
    """Return the inventory receipt of a folder of models, as `scan` writes it.

    Args:
        folder: what is scanned.
        given: what the options of `scan` say, by their names.
        no_cache: read every byte again.

    Raises:
        CallersError: an option is wrong, a file is broken, or there is none.
    """
    import platformdirs

    from gate.errors import BadFile, CallersError
    from gate.files import InputFile
    from gate.ledger import read_receipt
    from gate.ledger.digests import CACHE, Digests

    files, left_out = _found(folder)
    headers = _headers(files)
    cache = None if no_cache else platformdirs.user_cache_path("taggate", appauthor=False) / CACHE
    document = _document(files, headers, Digests(cache), given, left_out)
    try:
        read_receipt(InputFile("the options", "", b""), document)
    except BadFile as error:
        raise CallersError(str(error)) from None
    return document


def _required(output: Path | None, given: dict[str, Any]) -> Path:
    """Return where to write, if it and all else that a folder can't say was given."""
    from gate.ledger.given import MissingOptions

    needed = {"--output": output, "--host": given["host"], "--release": given["version"], "--commit": given["commit"]}
    missing = [option for option, value in needed.items() if value is None]
    if output is None or missing:
        raise MissingOptions(missing, "a folder of models")
    return output


def _found(folder: Path) -> tuple[dict[str, Path], Counter[str]]:
    """Return the GGUF files below `folder`, by name, and how much of what else is in it."""
    from gate.errors import BadFile, CallersError
    from gate.names import checked_name

    if not folder.is_dir():
        raise CallersError(f"{folder}: there is no such folder")

    def unlistable(error: OSError) -> None:
        raise BadFile(str(error.filename), "", f"it can't be listed: {error.strerror}")

    found: dict[str, Path] = {}
    left_out: Counter[str] = Counter()
    for parent, folders, names in os.walk(folder, onerror=unlistable):
        models = sorted(name for name in names if name.lower().endswith(".gguf"))
        left_out["files that are no *.gguf"] += len(names) - len(models)
        left_out["symbolic links to folders"] += sum(Path(parent, name).is_symlink() for name in folders)
        for name in models:
            path = Path(parent, name)
            if not path.is_file():
                raise BadFile(str(path), "", "it is no file, or a symbolic link to none")
            try:
                checked_name(name)
            except ValueError as error:
                raise BadFile(ascii(str(path)), "", f"its name {error}") from None
            if name in found:
                raise BadFile(str(path), "", f"{found[name]} has the same name", "Call one file by one name.")
            found[name] = path
    if not found:
        raise CallersError(f"{folder}: it holds no *.gguf file")
    return dict(sorted(found.items())), left_out


def _headers(files: dict[str, Path]) -> dict[str, Header]:
    """Read every header before anything is hashed: a broken file is named at once, with all others that are."""
    from gate.errors import BadFile, CallersError
    from gate.ledger import gguf_header

    headers, broken = {}, []
    for name, path in files.items():
        try:
            headers[name] = gguf_header.read(path, str(path))
        except BadFile as error:
            broken.append(str(error))
    if broken:
        raise CallersError(
            "\n".join([*broken, "  Nothing was written: an inventory without them would owe nothing of them."])
        )
    return headers


def _document(
    files: dict[str, Path], headers: dict[str, Header], digests: Digests, given: dict[str, Any], left_out: Counter[str]
) -> dict[str, Any]:
    with _bar(sum(path.stat().st_size for path in files.values())) as advance:
        sha256 = {name: digests.of(path, str(path), advance) for name, path in files.items()}
    digests.keep()
    gpu = {"name": given["gpu"], "compute": given["compute"], "memory_bytes": given["gpu_memory"]}
    release = {"version": given["version"], "commit": given["commit"], "binary_sha256": given["binary_sha256"]}
    census = sum((header.census for header in headers.values()), Counter[tuple[str, str]]())
    unrendered = sum(header.markers is None for header in headers.values())
    counts = {**left_out, "chat templates that can't be rendered": unrendered}
    return _known({
        "schema": "taggate/inventory-receipt/v1",
        "release": _known(release),
        "host": given["host"],
        "measured_at": _moment(given["measured_at"]),
        "producer": f"gate inventory scan, {len(files)} files",
        "left_out": {what: count for what, count in counts.items() if count} or None,
        "gpu": _known(gpu),
        "census": [{"quant": quant, "shape": shape} for quant, shape in sorted(census)],
        "models": [_model(name, path, sha256[name], headers[name]) for name, path in files.items()],
    })  # fmt: skip


def _model(name: str, path: Path, sha256: str, header: Header) -> dict[str, Any]:
    return _known({
        "file": name, "sha256": sha256, "bytes": path.stat().st_size, "arch": header.arch, "quant": header.quant,
        "context_length": header.context_length, "template_markers": header.markers,
        "weights_bytes": header.weights_bytes, "tensor_types": header.types,
    })  # fmt: skip


def _known(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _moment(given: datetime.datetime | None) -> str:
    import datetime

    moment = given or datetime.datetime.now(datetime.UTC).replace(microsecond=0)
    return moment.isoformat().replace("+00:00", "Z")


@contextlib.contextmanager
def _bar(total: int) -> Iterator[Callable[[int], None]]:
    """Yield what is told of each part that was hashed: a bar where a person watches, and nothing into a log."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("hashing", total=total)
        yield lambda size: progress.advance(task, size)
