"""The shapes, as files and as a graph: the built-in ones, and the project's own, which may add and never weaken."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rdflib import BNode, Graph, URIRef
from rdflib.namespace import RDF, RDFS, SH

from gate import iris
from gate.errors import BadFile, Declined
from gate.files import InputFile, decode, read_input, walk
from gate.graph import GATE
from gate.shape_lint import (
    ANNOTATIONS,
    ANONYMOUS,
    TARGETS,
    all_shapes,
    check_all,
    list_items,
    local,
    plain_strings,
    references,
)  # fmt: skip

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rdflib.term import Node as Term

VOCABULARY = "vocabulary"
OWN = "taggate/shapes"  # how the built-in shapes are shown: the same from a checkout and from a wheel
FOLDER = "shapes"

# A typed number of so many digits that the parser, which writes it out, would not come back.
_HUGE = re.compile(r"[\"'][-+.\d]*[eE][-+]?\d{4,}[\"']\s*\^\^")


@dataclass(frozen=True, slots=True)
class Shape:
    """What a finding needs to know of the shape that it comes from. `file` is the stem of its file's name."""

    iri: str
    file: str
    path: str
    name: str
    order: float
    message: str
    because: str
    shows: tuple[str, ...]
    mentions: tuple[str, ...]
    description: str
    remedy: str


@dataclass(frozen=True, slots=True, eq=False)  # each is itself: what is derived of one is kept by it
class Shapes:
    """All shapes that judge.

    Args:
        graph: the shapes graph, without the vocabulary.
        files: the files, by stem in the order that their findings come in.
        inputs: every file that was read.
        shapes: each shape by IRI.
        targets: what each file's shapes target, as (kind of target, term) pairs.
        labels: the label of each term of the vocabulary, by local name.
        comments: what the vocabulary says of each, by local name.
        users: the stems of the user's own files.
    """

    graph: Graph
    files: tuple[str, ...]
    inputs: tuple[InputFile, ...]
    shapes: dict[str, Shape]
    targets: dict[str, tuple[tuple[str, str], ...]]
    labels: dict[str, str]
    comments: dict[str, str]
    users: frozenset[str]

    def focus_nodes(self, file: str, data: Graph) -> set[str]:
        """Return the nodes of `data` that the shapes of `file` target."""
        return {node for kind, wanted in self.targets[file] for node in self.targeted(data, kind, wanted)}

    @staticmethod
    def targeted(data: Graph, kind: str, wanted: str) -> set[str]:
        """Return the nodes of `data` that one target declaration selects (SHACL, section 2.1.3)."""
        term = URIRef(wanted)
        if kind == str(SH.targetClass):
            return set(map(str, data.subjects(RDF.type, term)))
        if kind == str(SH.targetSubjectsOf):
            return set(map(str, data.subjects(term)))
        if kind == str(SH.targetObjectsOf):
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
    own_files = tuple(read_input(p, f"{OWN}/{p.name}") for p in sorted(own_folder().glob("*.ttl")))
    try:
        own = _built_in(own_files)
    except BadFile as error:
        raise Declined(f"the gate's own shapes can't be trusted: {error}") from None
    users_files = _users_files(users_folder, {file.sha256 for file in own_files})
    users = {Path(file.path).stem: _graph(file) for file in users_files}
    _refuse_restatements(users_files, users, own.graphs, own.vocabulary)
    judging = own.judging
    if users:
        everything = _union([own.everything, *users.values()])
        check_all({file.path: users[Path(file.path).stem] for file in users_files}, everything, own.vocabulary)
        judging = _validating(everything)
    read_users = _Read.of(users)
    order = own.read.order | read_users.order
    return Shapes(
        graph=judging,
        files=tuple(sorted(order, key=lambda name: (name in users, order[name], name))),
        inputs=(*own_files, *users_files),
        shapes=own.read.shapes | read_users.shapes,
        targets=own.read.targets | read_users.targets,
        labels=_said_of(own.vocabulary, RDFS.label),
        comments=_said_of(own.vocabulary, RDFS.comment),
        users=frozenset(users),
    )


@dataclass(frozen=True, slots=True)
class _Read:
    """What is read out of files of shapes, by the stem of their names, or by the IRI of a shape."""

    shapes: dict[str, Shape]
    order: dict[str, float]
    targets: dict[str, tuple[tuple[str, str], ...]]

    @classmethod
    def of(cls, graphs: dict[str, Graph]) -> _Read:
        return cls(
            {shape.iri: shape for name, graph in graphs.items() for shape in _shapes(name, graph)},
            {name: _file_order(graph) for name, graph in graphs.items()},
            {name: tuple(_targets(graph)) for name, graph in graphs.items()},
        )


@dataclass(frozen=True, slots=True)
class _BuiltIn:
    """The built-in shapes: nothing changes these graphs, so that one process reads them once."""

    graphs: dict[str, Graph]
    vocabulary: Graph
    everything: Graph
    judging: Graph
    read: _Read


@functools.lru_cache(maxsize=2)  # `gate diff` judges two releases, and a hook as many as are pushed
def _built_in(files: tuple[InputFile, ...]) -> _BuiltIn:
    """Return the built-in shapes that these files hold.

    Raises:
        BadFile: one of them can't be taken as it stands.
    """
    graphs = {Path(file.path).stem: _graph(file) for file in files}
    vocabulary = graphs.pop(VOCABULARY)
    everything = _union(graphs.values())
    check_all({f"{OWN}/{name}.ttl": graph for name, graph in graphs.items()}, everything, vocabulary)
    return _BuiltIn(graphs, vocabulary, everything, _validating(everything), _Read.of(graphs))


def _said_of(vocabulary: Graph, annotation: URIRef) -> dict[str, str]:
    return {str(s).removeprefix(iris.NAMESPACE): str(o) for s, o in vocabulary.subject_objects(annotation)}


def _union(graphs: Iterable[Graph]) -> Graph:
    everything = Graph(bind_namespaces="none")
    for graph in graphs:
        everything += graph
    return everything


def _validating(everything: Graph) -> Graph:
    """Return the shapes without the triples that SHACL calls non-validating: engines read all of them at each node."""
    judged = Graph(bind_namespaces="none")
    for triple in everything:
        if triple[1] not in ANNOTATIONS and triple[2] != SH.PropertyShape:  # known by its path
            judged.add(triple)
    return judged


def turtle(file: InputFile) -> Graph:
    """Return the Turtle in `file`.

    Raises:
        BadFile: it is none, or no graph that could be judged with.
    """
    from rdflib.plugins.parsers.notation3 import BadSyntax

    graph = Graph(bind_namespaces="none")
    text = decode(file)
    if (huge := _HUGE.search(text)) is not None:
        line = text.count("\n", 0, huge.start()) + 1
        raise BadFile(file.path, f"line {line}", f"{huge[0]} is no number or time to compare with")
    try:
        graph.parse(data=text, format="turtle", publicID=f"file:///{file.path}")
    except BadSyntax as error:
        line = error.lines + 1
        raise BadFile(file.path, f"line {line}", f"it is not Turtle: {error._why}") from None  # noqa: SLF001
    except (RecursionError, ValueError, ArithmeticError, IndexError) as error:  # the last: it ends within a statement
        why = "it is nested too deeply" if isinstance(error, RecursionError) else f"it is not Turtle: {error}"
        raise BadFile(file.path, "", why) from None
    return graph


def _graph(file: InputFile) -> Graph:
    """Return the Turtle in `file`, its anonymous shapes named, so that a finding can say which of them rejects."""
    return _named(turtle(file), Path(file.path).stem)


def _named(graph: Graph, stem: str) -> Graph:
    """Give each anonymous shape an IRI made of its file and its place below the shape that it belongs to."""
    names: dict[Term, URIRef] = {}
    order = functools.partial(_print, graph)

    def visit(parent: Term, name: str) -> None:
        children = [c for c in references(graph, parent) if isinstance(c, BNode) and c not in names]
        for index, child in enumerate(sorted(children, key=order), start=1):
            names[child] = URIRef(f"{name}/{index}")
            visit(child, f"{name}/{index}")

    # The whole IRI of a root is one segment, quoted: two roots, or a root and another's child, never share a name.
    for root in sorted({s for s in graph.subjects() if isinstance(s, URIRef)}):
        visit(root, f"{ANONYMOUS}{iris.quote(stem)}:{iris.quote(str(root))}")
    nameless = {s for s in all_shapes(graph) if isinstance(s, BNode) and s not in names}
    for index, lone in enumerate(sorted(nameless, key=order), start=1):
        names[lone] = URIRef(f"{ANONYMOUS}{iris.quote(stem)}:/{index}")
        visit(lone, str(names[lone]))
    for s, p, o in [t for t in graph if t[0] in names or t[2] in names]:
        graph.remove((s, p, o))
        graph.add((names.get(s, s), p, names.get(o, o)))
    return plain_strings(graph)


def _print(graph: Graph, node: Term, depth: int = 6) -> str:
    """Return a text of a node's triples in which no blank node's own name appears."""
    if not isinstance(node, BNode):
        return str(node.n3())
    if depth == 0:
        return "[]"
    return str(sorted((str(p), _print(graph, o, depth - 1)) for p, o in graph.predicate_objects(node)))


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


def _refuse_restatements(
    files: list[InputFile], users: dict[str, Graph], own: dict[str, Graph], vocabulary: Graph
) -> None:
    """Refuse a user's file that speaks of a built-in shape or term: it could weaken what stands there."""
    if len(users) < len(files):
        raise BadFile(FOLDER, "", "two of its files have one name", "Findings are named by the file: rename one.")
    if not files:
        return
    taken = {s for graph in (*own.values(), vocabulary) for s in graph.subjects() if isinstance(s, URIRef)}
    defined: dict[Term, str] = {}
    for file in files:
        stem = Path(file.path).stem
        if stem in own or stem == VOCABULARY:
            raise BadFile(
                file.path, "", f"{stem} is the name of a built-in file of other content",
                "Rename the file; or, in a checkout of the gate, install the gate again.",
            )  # fmt: skip
        for subject in set(users[stem].subjects()):
            if subject in taken:
                raise BadFile(
                    file.path, str(subject), "this is the gate's own, and a project can't change what it says",
                    "Write a shape of another name that targets the same class: all shapes must hold.",
                )  # fmt: skip
            if isinstance(subject, URIRef) and defined.setdefault(subject, file.path) != file.path:
                raise BadFile(file.path, str(subject), f"{defined[subject]} says something of it too")


def _file_order(graph: Graph) -> float:
    """Return the least `sh:order` of the file's targeted shapes: a cause stands before what it breaks."""
    targeted = {s for target in TARGETS for s in graph.subjects(target)}
    return min((float(str(o)) for s in targeted for o in graph.objects(s, SH.order)), default=0.0)


def _targets(graph: Graph) -> Iterator[tuple[str, str]]:
    yield from sorted({(str(p), str(o)) for p in TARGETS for o in graph.objects(None, p)})


def _shapes(file: str, graph: Graph) -> Iterator[Shape]:
    for shape in sorted(set(all_shapes(graph)), key=str):
        path = graph.value(shape, SH.path)
        name = _text(graph, shape, SH.name) or (local(path) if isinstance(path, URIRef) else "")
        order = graph.value(shape, SH.order)
        yield Shape(
            iri=str(shape),
            file=file,
            path=local(path) if isinstance(path, URIRef) else "",
            name=str(name or local(shape)),
            order=float(str(order)) if order is not None else 0.0,
            message=_text(graph, shape, SH.message) or _text(graph, shape, SH.description),
            because=local(graph.value(shape, GATE.because) or GATE.failed),
            shows=_listed(graph, shape, GATE.shows),
            mentions=_listed(graph, shape, GATE.mentions),
            description=_text(graph, shape, SH.description),
            remedy=_text(graph, shape, GATE.remedy),
        )


def _text(graph: Graph, shape: Term, annotation: URIRef) -> str:
    """Return what a shape says of itself: the first in order where it says it in several languages."""
    return min(map(str, graph.objects(shape, annotation)), default="")


def _listed(graph: Graph, shape: Term, annotation: URIRef) -> tuple[str, ...]:
    return tuple(local(item) for head in graph.objects(shape, annotation) for item in list_items(graph, head))
