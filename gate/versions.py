"""Versions and tags: semantic versions only (semver.org 2.0.0), compared by precedence, never as text."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, StringConstraints
from semver import Version

TAG_FIELD = "{version}"
MAX_VERSION = 100  # characters: it names a folder


def parse(text: str) -> Version:
    """Return the semantic version that `text` spells.

    Raises:
        ValueError: it is none; the message says what one looks like.
    """
    if len(text) > MAX_VERSION:
        raise ValueError(f"{text[:20] + '…'!r} has {len(text)} characters; a version has at most {MAX_VERSION}")
    try:
        return Version.parse(text)
    except (ValueError, TypeError):
        raise ValueError(f"{text!r} is not a semantic version such as 0.71.0 or 0.71.0-rc.1") from None


def checked_version(text: str) -> str:
    """Return `text` if it is a semantic version.

    Raises:
        ValueError: it is none.
    """
    try:
        parse(text)
    except ValueError:
        raise ValueError("is not a semantic version such as 0.71.0 or 0.71.0-rc.1") from None
    return text


VersionText = Annotated[str, StringConstraints(strict=True), AfterValidator(checked_version)]


def version_of_tag(tag: str, pattern: str) -> str:
    """Return the version that `tag` names under `pattern` (`v{version}`); a bare version is its own tag.

    Raises:
        ValueError: the tag fits neither.
    """
    before, _, after = pattern.partition(TAG_FIELD)
    inner = tag[len(before) : len(tag) - len(after)] if tag.startswith(before) and tag.endswith(after) else ""
    for candidate in (inner, tag):
        try:
            return str(parse(candidate))
        except ValueError:
            continue
    raise ValueError(f"{tag!r} is no tag of this project: {pattern.replace(TAG_FIELD, '0.71.0')} or a bare 0.71.0 is")


def tag_of_version(version: str, pattern: str) -> str:
    """Return the tag that names `version` under `pattern`."""
    return pattern.replace(TAG_FIELD, version)
