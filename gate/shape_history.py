"""What became of a project's own shapes between two releases: those that are gone, and those that ask for less."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.files import read_input
from gate.shape_files import FOLDER, own_folder

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from gate.files import InputFile
    from gate.obligations.ground import LostConstraint


def files(rules_folder: Path) -> tuple[InputFile, ...]:
    """Return the project's own files of shapes, by path; those that are the gate's, byte for byte, are none.

    Raises:
        BadFile: one can't be read.
    """
    folder = rules_folder / FOLDER
    if not folder.is_dir():
        return ()
    found = [read_input(path, path.relative_to(rules_folder).as_posix()) for path in sorted(folder.rglob("*.ttl"))]
    if not found:
        return ()
    own = {read_input(path, path.name).sha256 for path in own_folder().glob("*.ttl")}
    return tuple(file for file in found if file.sha256 not in own)


def lost(before: Iterable[InputFile], now: Iterable[InputFile]) -> tuple[LostConstraint, ...]:
    """Return what `before` asked and `now` doesn't, one for a file that is gone whole, and else one a shape.

    Raises:
        BadFile: one of them is no Turtle.
    """
    later = tuple(now)
    kept = {file.sha256 for file in later}
    changed = [file for file in before if file.sha256 not in kept]
    if not changed:
        return ()
    from gate import shape_strictness  # it reads Turtle, and most releases change no shape

    return shape_strictness.lost(changed, later)
