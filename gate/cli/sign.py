"""`gate sign`."""

from __future__ import annotations

from pathlib import Path

import click

from gate.cli.options import Once, emit


@click.command(epilog="""\b
Examples:
  gate sign claims.toml --key ~/.ssh/id_ed25519
  gate sign receipts/0.71.0/*-lambda.json --key ~/.ssh/lambda.pub

\b
KEY is a private key, or a public one whose private key an agent or a hardware key holds, as ssh-keygen takes it.
Who may sign what stands in [trust] of the rules; gate check verifies it.
""")  # fmt: skip
@click.argument("files", metavar="FILE...", type=click.Path(path_type=Path), nargs=-1, required=True)
@click.option("--key", cls=Once, type=click.Path(path_type=Path), required=True, metavar="KEY",
              help="The SSH key that signs.")  # fmt: skip
@click.option("--force", is_flag=True, help="Replace signatures that exist and are others.")
def command(files: tuple[Path, ...], key: Path, *, force: bool) -> int:
    """Sign decisions and receipts with an SSH key.

    Beside each FILE its signature is written to FILE.sig: all of them, or none where one can't be made. It covers the
    bytes of FILE as they are now, so that a file which changes is signed again.
    """
    from gate.errors import visible
    from gate.files import write_whole

    signed = [_signed(file, key, force=force) for file in files]
    for path, signature, _ in signed:
        write_whole(path, signature)
    emit("".join(f"{visible(str(path))}: signed with {fingerprint}\n" for path, _, fingerprint in signed), None)
    return 0


def _signed(file: Path, key: Path, *, force: bool) -> tuple[Path, bytes, str]:
    """Return where the signature of a file belongs, the signature, and the fingerprint of the key that made it."""
    from gate.errors import CallersError, visible
    from gate.files import MAX_LINES, read_input, read_signature
    from gate.ssh_keygen import SUFFIX, key_of, sign

    shown = visible(str(file))
    if file.suffix == SUFFIX:
        raise CallersError(f"{shown}: it is a signature itself; name the file that it signs")
    path = Path(f"{file}{SUFFIX}")
    earlier = read_signature(path, str(path)).content if path.is_symlink() or path.exists() else None
    content = read_input(file, str(file), limit=MAX_LINES).content
    signature = sign(content, shown, key)
    fingerprint = key_of(content, signature)
    if fingerprint is None:
        raise CallersError(f"{shown}: ssh-keygen made a signature of it that doesn't hold; sign with another key")
    if earlier not in {None, signature} and not force:
        raise CallersError(f"{shown}{SUFFIX}: it exists and is another signature; --force replaces it")
    return path, signature, fingerprint
