"""The shapes, as files: the built-in ones, and the project's own, which may add and never weaken.

What they say is plain data, and kept between runs. They are parsed where they were never read as they stand, and where
something judges with their graph.
"""

from __future__ import annotations

import functools
import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from gate import cache
from gate.errors import BadFile, Declined
from gate.files import InputFile, read_input, walk
from gate.shape import VOCABULARY, Said, Shape

if TYPE_CHECKING:
    from typing import Any

    from rdflib import Graph

OWN = "taggate/shapes"  # how the built-in shapes are shown: the same from a checkout and from a wheel
FOLDER = "shapes"

_SHACL = "http://www.w3.org/ns/shacl#"


@dataclass(frozen=True, eq=False)  # each is itself: what is derived of one is kept by it
class Shapes:
    """All shapes that judge.

    Args:
        files: the files, by stem in the order that their findings come in.
        own: every built-in file that was read.
        others: every file of the user's own.
        shapes: each shape by IRI.
        targets: what each file's shapes target, as (kind of target, term) pairs.
        labels: the label of each term of the vocabulary, by local name.
        comments: what the vocabulary says of each, by local name.
        users: the stems of the user's own files.
    """

    files: tuple[str, ...]
    own: tuple[InputFile, ...]
    others: tuple[InputFile, ...]
    shapes: dict[str, Shape]
    targets: dict[str, tuple[tuple[str, str], ...]]
    labels: dict[str, str]
    comments: dict[str, str]
    users: frozenset[str]

    @property
    def inputs(self) -> tuple[InputFile, ...]:
        """Every file that was read."""
        return (*self.own, *self.others)

    @cached_property
    def digest(self) -> str:
        """A sha256, in hex, that two have in common only where they are read out of the same files.

        For the key of what is derived of the shapes alone (`cache.remember`).
        """
        return _digest(self.inputs)

    @cached_property
    def graph(self) -> Graph:
        """The shapes graph that judges, without the vocabulary. It is made when it is first asked for."""
        from gate import shape_graphs

        def parse() -> Any:
            return shape_graphs.to_json(shape_graphs.judging(self.own, self.others))

        try:
            parts = [self.digest, *cache.libraries("rdflib")]
            return cache.remember("shapes graph", parts, parse, shape_graphs.of_json)
        except shape_graphs.NotKept:
            return shape_graphs.judging(self.own, self.others)

    def focus_nodes(self, file: str, data: Graph) -> set[str]:
        """Return the nodes of `data` that the shapes of `file` target."""
        return {node for kind, wanted in self.targets[file] for node in self.targeted(data, kind, wanted)}

    @staticmethod
    def targeted(data: Graph, kind: str, wanted: str) -> set[str]:
        """Return the nodes of `data` that one target declaration selects (SHACL, section 2.1.3)."""
        from rdflib import RDF, URIRef

        term = URIRef(wanted)
        if kind == f"{_SHACL}targetClass":
            return set(map(str, data.subjects(RDF.type, term)))
        if kind == f"{_SHACL}targetSubjectsOf":
            return set(map(str, data.subjects(term)))
        if kind == f"{_SHACL}targetObjectsOf":
            return set(map(str, data.objects(None, term)))
        return {wanted} if (term, None, None) in data else set()  # a node that isn't there is no obligation

    def users_targets(self) -> list[tuple[str, tuple[str, str]]]:
        """Return each target of the user's own files, with the file's stem."""
        return [(name, target) for name in sorted(self.users) for target in self.targets[name]]


def own_folder() -> Path:
    """Return the folder of the built-in shapes: in the package where it is installed, beside it in a checkout.

    Raises:
        Declined: neither is there: the installation is broken.
    """
    package = Path(__file__).parent
    for folder in (package / FOLDER, package.parent / FOLDER):
        if (folder / f"{VOCABULARY}.ttl").is_file():
            return folder
    raise Declined("the gate's own shapes are missing from its installation: nothing can be judged; install it again")


def read(users_folder: Path) -> Shapes:
    """Read the built-in shapes, and the user's own in `users_folder` where there is one.

    Raises:
        BadFile: a file of the user's can't be taken as it stands.
        Declined: a built-in file can't: the installation can't be trusted.
    """
    own = tuple(read_input(p, f"{OWN}/{p.name}") for p in sorted(own_folder().glob("*.ttl")))
    others = tuple(_users_files(users_folder, {file.sha256 for file in own}))
    _refuse_names(others, {Path(file.path).stem for file in own})
    return _of_files(own, others)


@functools.lru_cache(maxsize=4)  # `gate diff` judges two releases, and a hook as many as are pushed
def _of_files(own: tuple[InputFile, ...], others: tuple[InputFile, ...]) -> Shapes:
    """Return what these files say: one object, so that all that is derived of it is derived once.

    What is raised: see `read`.
    """

    def parse() -> dict[str, Any]:
        from gate import shape_graphs

        return shape_graphs.read(own, others).to_json()

    # What was refused is never kept: what was kept, was found fit to judge.
    said = cache.remember("shapes", [_digest((*own, *others)), *cache.libraries("rdflib")], parse, Said.of_json)
    users = frozenset(Path(file.path).stem for file in others)
    return Shapes(
        files=tuple(sorted(said.order, key=lambda name: (name in users, said.order[name], name))),
        own=own,
        others=others,
        shapes=said.shapes,
        targets=said.targets,
        labels=said.labels,
        comments=said.comments,
        users=users,
    )


def _digest(files: tuple[InputFile, ...]) -> str:
    return hashlib.sha256(json.dumps([[file.path, file.sha256] for file in files]).encode("utf-8")).hexdigest()


def _users_files(folder: Path, own: set[str]) -> list[InputFile]:
    """Return the user's files, but those that are a built-in one byte for byte: a checkout of the gate has them.

    Raises:
        BadFile: the folder is something else, holds no shapes, or holds a file that would be passed over in silence.
    """
    if not folder.exists() and not folder.is_symlink():
        return []
    if not folder.is_dir():
        raise BadFile(FOLDER, "", "it is no folder", "The project's own shapes are a folder of *.ttl files.")
    files = []
    for path, shown in walk(folder, FOLDER):
        if path.suffix == ".ttl":
            files.append(read_input(path, shown))
        elif path.suffix != ".md" and not path.name.startswith("."):
            raise BadFile(shown, "", "it is no *.ttl file, and would not be read", "Rename it, or move it elsewhere.")
    if not files:
        raise BadFile(FOLDER, "", "the folder holds no shapes", "Put *.ttl files there, or remove the folder.")
    return [file for file in files if file.sha256 not in own]


def _refuse_names(files: tuple[InputFile, ...], own: set[str]) -> None:
    """Refuse a user's file whose name another file's findings bear."""
    for file in files:
        if Path(file.path).stem in own:
            raise BadFile(
                file.path, "", f"{Path(file.path).stem} is the name of a built-in file of other content",
                "Rename the file; or, in a checkout of the gate, install the gate again.",
            )  # fmt: skip
    if len({Path(file.path).stem for file in files}) < len(files):
        raise BadFile(FOLDER, "", "two of its files have one name", "Findings are named by the file: rename one.")
