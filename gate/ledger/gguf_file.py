"""A GGUF file, read by the library `gguf` and never beyond its end.

The library takes what a damaged file says for granted: where an array is said to be longer than the file, it reads on
in nothing, for ever. Here each read is held against the end of the file, and the values of a header are counted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gguf
import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

MAGIC = b"GGUF"

# A tokenizer of 262,144 tokens comes to about two million: their texts, scores and types, and the merges.
MOST_VALUES = 8_000_000


class Broken(Exception):
    """The file isn't what its header says. The message says what is wrong, in words."""


class GgufFile(gguf.GGUFReader):
    """The header of a GGUF file, with its tensors mapped.

    Raises:
        Broken: it is no GGUF file, ends too early, or its header is damaged.
        OSError: it can't be read.
    """

    def __init__(self, path: Path) -> None:
        self._values = 0
        with path.open("rb") as stream:
            magic = stream.read(len(MAGIC))
        if magic != MAGIC:
            raise Broken(f"it is no GGUF file: {f'it begins with {magic!r}' if magic else 'it is empty'}")
        try:
            super().__init__(path)
        except (ValueError, IndexError, KeyError, TypeError, OverflowError, MemoryError, AttributeError):
            raise Broken(self._damaged()) from None

    def _get(self, offset: int, dtype: Any, count: int = 1, *order: Any, **named: Any) -> Any:
        """Return `count` values at `offset`, as the library does, if the file holds so many."""
        self._values += 1
        if self._values > MOST_VALUES:
            raise Broken(f"its header holds more than {MOST_VALUES:,} values: that of no model does")
        if int(count) < 0 or int(offset) + np.dtype(dtype).itemsize * int(count) > len(self.data):
            raise Broken(self._ended())
        return super()._get(offset, dtype, count, *order, **named)

    def _ended(self) -> str:
        if hasattr(self, "data_offset"):
            return "it ends before its last tensor does"
        return f"it ends in the middle of its header{self._after()}"

    def _damaged(self) -> str:
        if hasattr(self, "data_offset"):
            return "a tensor is described wrongly"
        return (
            f"its header is damaged{self._after()}"
            if self._after()
            else "it is of a version of GGUF that can't be read"
        )

    def _after(self) -> str:
        fields = list(getattr(self, "fields", ()))
        return f", after the field {fields[-1][:80]}" if fields else ""
