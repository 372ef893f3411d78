"""What a GGUF file says of itself, read from its header by the library `gguf`; never from what the file is called.

Architecture, quantization (`general.file_type`), context length, template markers, and the type and shape of every
tensor. What the header doesn't say is left out. The library maps the whole file, so that one which ends before its last
tensor is broken here, and not on the day that it is loaded.

The marker `enable_thinking` stands for a chat template that reads it. The marker `<think>` stands for a prompt that
always opens the block: the template is rendered for one question, as a program that chats would, and must end with it;
templates that only mention `<think>` (to take it out of what was said before) have none. A template that can't be
rendered was not measured, and the entry says no markers at all.
"""

from __future__ import annotations

import datetime
import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Never

from gate.errors import BadFile, CallersError
from gate.files import MEBIBYTE
from gate.ledger import ggml

if TYPE_CHECKING:
    from pathlib import Path

ENABLE, OPENS = "enable_thinking", "<think>"
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
        import gguf
    except ImportError:
        raise CallersError(
            "gguf is not installed, and without it no GGUF file can be read\n  Install it: pip install 'taggate[scan]'."
        ) from None
    try:
        reader = gguf.GGUFReader(path)
        fields = {
            name: field.contents() for name, field in reader.fields.items() if not name.startswith("tokenizer.ggml")
        }
        tensors = [
            (tensor.tensor_type.name, [int(size) for size in tensor.shape], int(tensor.n_bytes))
            for tensor in reader.tensors
        ]
    except OSError as error:
        raise BadFile(shown, "", f"it can't be read: {error.strerror}") from None
    except (ValueError, IndexError, KeyError, TypeError, OverflowError, MemoryError, AttributeError) as error:
        said = (str(error).splitlines() or [""])[0][:200]
        raise BadFile(shown, "", f"it is a broken or truncated GGUF file: {type(error).__name__}: {said}") from None
    if not tensors:
        raise BadFile(shown, "", "it is a GGUF file without a tensor", "A vocabulary is no model: keep it elsewhere.")
    if _number(fields.get("split.count")) not in {None, 1}:
        raise BadFile(shown, "", "it is a part of a model in several files", "Merge them: llama-gguf-split --merge.")
    return _header(fields, tensors)


def _header(fields: dict[str, Any], tensors: list[tuple[str, list[int], int]]) -> Header:
    arch = fields.get("general.architecture")
    arch = arch if isinstance(arch, str) and arch else None
    length, file_type = _number(fields.get(f"{arch}.context_length")), _number(fields.get("general.file_type"))
    return Header(
        arch=arch,
        quant=None if file_type is None else ggml.file_type_name(file_type),
        context_length=length if length else None,
        markers=_markers(fields.get("tokenizer.chat_template")),
        weights_bytes=sum(size for _, _, size in tensors),
        types=dict(sorted(Counter(name for name, _, _ in tensors).items())),
        census=Counter((name, f"{shape[0]}x{shape[1]}") for name, shape, _ in tensors if len(shape) >= _MATRIX),
    )


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _markers(template: Any) -> list[str] | None:
    """Return the markers of a chat template; None where it couldn't be rendered, none where there is no template."""
    if template is None:
        return []
    if not isinstance(template, str):
        return None
    prompt = _prompt(template)
    if prompt is None:
        return None
    return ([ENABLE] if ENABLE in template else []) + ([OPENS] if prompt.rstrip().endswith(OPENS) else [])


def _prompt(template: str) -> str | None:
    """Render the prompt of one question, in a sandbox: a template comes from whoever made the model."""
    import jinja2
    from jinja2.ext import loopcontrols
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    def raise_exception(message: str) -> Never:
        raise jinja2.TemplateError(message)

    def strftime_now(form: str) -> str:
        return datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC).strftime(
            form
        )  # any day: the same file, the same entry

    def tojson(value: Any, **_: Any) -> str:
        return json.dumps(value, ensure_ascii=False)

    if len(template) > MEBIBYTE:
        return None
    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols])
    environment.globals.update(raise_exception=raise_exception, strftime_now=strftime_now)
    environment.filters["tojson"] = tojson
    try:
        return environment.from_string(template).render(
            messages=[{"role": "user", "content": "2+2?"}], add_generation_prompt=True, bos_token="", eos_token="",
        )  # fmt: skip
    except Exception:  # noqa: BLE001 - a template is a program: whatever it raises, it wasn't rendered
        return None
