"""What a GGUF file says of itself, read from its header by the library `gguf`; never from what the file is called.

Architecture, quantization (`general.file_type`), context length, template markers, and the type and shape of every
tensor. What the header doesn't say is left out. The library maps the whole file, so that one which ends before its last
tensor is broken here, and not on the day that it is loaded.

The template markers are what `chat_template` finds. A template that can't be rendered was not measured, and the entry
says no markers at all; one that does not end is a fault of the file.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gate.errors import BadFile, CallersError
from gate.ledger import chat_template, ggml

if TYPE_CHECKING:
    from pathlib import Path

TEMPLATE = "tokenizer.chat_template"
_MATRIX = 2  # the dimensions of a tensor that a product runs over


@dataclass(frozen=True, slots=True)
class Header:
    """What was read. `census` counts (quant type, shape class) pairs: `<k>x<n>`, of an expert's matrix too."""

    arch: str | None
    quant: str | None
    context_length: int | None
    markers: list[str] | None
    weights_bytes: int
    types: dict[str, int]
    census: Counter[tuple[str, str]]


def read(path: Path, shown: str) -> Header:
    """Return the header of the GGUF file at `path`.

    Raises:
        BadFile: it is no GGUF file, a broken one, one that ends too early, or a part of one.
        CallersError: the library `gguf` isn't installed.
    """
    try:
        from gate.ledger.gguf_file import Broken, GgufFile
    except ImportError:
        raise CallersError(
            "gguf is not installed, and without it no GGUF file can be read\n"
            "  Install it beside the gate: pip install 'gguf>=0.17'."
        ) from None
    try:
        reader = GgufFile(path)
    except OSError as error:
        raise BadFile(shown, "", f"it can't be read: {error.strerror}") from None
    except Broken as error:
        right = "Fetch it again, and compare its size and sha256 with those of its publisher."
        raise BadFile(shown, "", str(error), right) from None
    fields = {name: _contents(field, shown) for name, field in reader.fields.items() if _is_read(name)}
    tensors = [
        (tensor.tensor_type.name, [int(size) for size in tensor.shape], int(tensor.n_bytes))
        for tensor in reader.tensors
    ]
    if not tensors:
        raise BadFile(shown, "", "it is a GGUF file without a tensor", "A vocabulary is no model: keep it elsewhere.")
    if _number(fields.get("split.count")) not in {None, 1}:
        raise BadFile(shown, "", "it is a part of a model in several files", "Merge them: llama-gguf-split --merge.")
    return _header(fields, tensors, shown)


def _is_read(field: str) -> bool:
    """Say whether a field is one that the header is made of: the tokens of a tokenizer are many, and none is."""
    return not field.startswith("tokenizer.ggml")


def _contents(field: Any, shown: str) -> Any:
    try:
        return field.contents()
    except (ValueError, IndexError, TypeError):
        raise BadFile(shown, field.name, "this field of its header can't be read") from None


def _header(fields: dict[str, Any], tensors: list[tuple[str, list[int], int]], shown: str) -> Header:
    arch = fields.get("general.architecture")
    arch = arch if isinstance(arch, str) and arch else None
    length, file_type = _number(fields.get(f"{arch}.context_length")), _number(fields.get("general.file_type"))
    return Header(
        arch=arch,
        quant=None if file_type is None else ggml.file_type_name(file_type),
        context_length=length if length else None,
        markers=_markers(fields.get(TEMPLATE), shown),
        weights_bytes=sum(size for _, _, size in tensors),
        types=dict(sorted(Counter(name for name, _, _ in tensors).items())),
        census=Counter((name, f"{shape[0]}x{shape[1]}") for name, shape, _ in tensors if len(shape) >= _MATRIX),
    )


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _markers(template: Any, shown: str) -> list[str] | None:
    """Return the markers of a chat template; None where it couldn't be rendered, none where there is no template."""
    if template is None:
        return []
    if not isinstance(template, str):
        return None
    try:
        return chat_template.markers(template)
    except chat_template.Endless as error:
        raise BadFile(shown, TEMPLATE, str(error), "Take the file out of the folder, or mend its template.") from None
