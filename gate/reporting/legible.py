"""Text from outside as a page shows it: on one line, nothing in it invisible, and no direction that turns the rest."""

from __future__ import annotations

import unicodedata

# Format characters that a script or an emoji needs, and that move nothing else: joiners, and marks of direction.
_NEEDED = "\u200c\u200d\u200e\u200f\u061c"
_ISOLATED = "\u2068{}\u2069"  # Unicode Bidirectional Algorithm, FSI … PDI: what is inside orders nothing outside
_MARK = "\ufffd"


def line(value: object) -> str:
    """Return `value` on one line, each character that a reader couldn't see, or that would turn text, as a mark."""
    return "".join(_MARK if _is_hidden(c) else c for c in " ".join(str(value).split()))


def legible(value: object) -> str:
    """Return `value` as `line` does; text that runs from right to left is isolated from what stands around it."""
    found = line(value)
    is_right_to_left = any(unicodedata.bidirectional(c) in {"R", "AL"} for c in found)
    return _ISOLATED.format(found) if is_right_to_left else found


def _is_hidden(character: str) -> bool:
    return character not in _NEEDED and unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"}
