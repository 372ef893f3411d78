"""Names that come from outside: hosts, model files, verbs, contexts. What may be one, and which two look alike."""

from __future__ import annotations

import fnmatch
import unicodedata
from typing import TYPE_CHECKING, Annotated

from pydantic import AfterValidator, StringConstraints

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

MAX_NAME = 255
_DIRECTIONS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"  # they turn text around in a report


def checked_name(name: str) -> str:
    """Return `name` if it can stand in a report, a label and a file system.

    Raises:
        ValueError: it is blank at an end, too long, or holds a control character, a line break, a lone surrogate or
            a slash (a label separates its parts by slashes).
    """
    if not name or name != name.strip():
        raise ValueError("is empty or begins or ends with white space")
    if len(name) > MAX_NAME:
        raise ValueError(f"is {len(name)} characters long; a name has at most {MAX_NAME}")
    for character in name:
        if unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"} or character in _DIRECTIONS:
            raise ValueError(f"holds the control character U+{ord(character):04X}")
        if character in "/\\":
            raise ValueError(f"holds {character!r}: give a file's name, not its path")
    return name


Name = Annotated[str, StringConstraints(strict=True), AfterValidator(checked_name)]


def likeness(name: str) -> str:
    """Return what a reader sees of `name`: compatibility form, case folded, invisible characters dropped."""
    visible = "".join(c for c in unicodedata.normalize("NFKC", name) if unicodedata.category(c) != "Cf")
    return unicodedata.normalize("NFKC", visible.casefold())


def latin_likeness(name: str) -> str:
    """Return the `likeness` of a name in Latin letters: each of another script as the one that it is confusable with.

    The table is Unicode's (UTS 39). Accents are dropped, as an eye in a hurry does.
    """
    from confusable_homoglyphs.confusables import confusables_data  # a megabyte, which no check needs

    def seen(character: str) -> str:
        if character.isascii():
            return character
        alike = [one["c"] for form in (character, character.casefold()) for one in confusables_data.get(form, ())]
        return next((one for one in alike if one.isascii()), character)

    apart = unicodedata.normalize("NFKD", name)
    return likeness("".join(seen(c) for c in apart if unicodedata.category(c) not in {"Mn", "Cf"}))


def phrase_likeness(phrase: str) -> str:
    """Return what a reader sees of a phrase of several words: its `likeness`, however its blanks are set."""
    return "".join(likeness(phrase).split())


def look_alikes(names: Iterable[str], seen_as: Callable[[str], str] = likeness) -> list[tuple[str, str]]:
    """Return the pairs of different names that a reader sees as one, sorted.

    Args:
        names: the names.
        seen_as: what a reader sees of each: `likeness` where case and Unicode form tell none apart, `phrase_likeness`
            where blanks don't either.
    """
    seen: dict[str, str] = {}
    pairs = []
    for name in sorted(set(names)):
        first = seen.setdefault(seen_as(name), name)
        if first != name:
            pairs.append((first, name))
    return pairs


def is_glob(pattern: str) -> bool:
    """Say whether a pattern is written as a glob: only `*` and `?` are, since names of models hold brackets."""
    return "*" in pattern or "?" in pattern


def glob_matches(pattern: str, name: str) -> bool:
    """Say whether `name` is what `pattern` says: `*` is any text, `?` any character, all else itself."""
    return fnmatch.fnmatchcase(name, pattern.replace("[", "[[]"))
