"""The shapes, as files and as a graph, and everything that would make one of them pass without having judged.

A shapes graph that says nothing conforms to everything. So each of these ends the check before it begins: a file that
isn't Turtle, an empty one, a shape that is deactivated, that nothing reaches or that constrains nothing, a reference
that leads nowhere, a misspelt term, a path that the graph can't hold, a built-in shape that the user's file restates.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rdflib import BNode, Graph, URIRef
from rdflib.collection import Collection
from rdflib.namespace import OWL, RDF, RDFS, SH

from gate import iris
from gate.errors import BadFile, Declined
from gate.files import InputFile, decode, read_input, walk
from gate.graph import GATE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rdflib.term import Node as Term

VOCABULARY = "vocabulary"
OWN = "taggate/shapes"  # how the built-in shapes are shown: the same from a checkout and from a wheel
FOLDER = "shapes"

_SEVERITIES = {SH.Violation, SH.Warning, SH.Info}
_REFERENCES = (SH.node, SH.property, SH["not"], SH.qualifiedValueShape)
_LISTS = (SH["and"], SH["or"], SH.xone)
_TARGETS = (SH.targetClass, SH.targetNode, SH.targetSubjectsOf, SH.targetObjectsOf)
_PATHS = ("path", "inversePath", "alternativePath", "zeroOrMorePath", "oneOrMorePath", "zeroOrOnePath")
_PATH_TERMS = {SH[name] for name in _PATHS}

# The parameters of SHACL Core's constraint components (W3C Recommendation, 20 July 2017, section 4) ...
_CONSTRAINTS = {SH[name] for name in (
    "class", "datatype", "nodeKind", "minCount", "maxCount", "minExclusive", "minInclusive", "maxExclusive",
    "maxInclusive", "minLength", "maxLength", "pattern", "languageIn", "uniqueLang", "equals", "disjoint", "lessThan",
    "lessThanOrEquals", "not", "and", "or", "xone", "node", "property", "qualifiedValueShape", "closed", "hasValue",
    "in",
)}  # fmt: skip
# ... and everything else that Core gives a meaning to (sections 2 and 3).
_CORE = _CONSTRAINTS | _PATH_TERMS | set(_TARGETS) | _SEVERITIES | {SH[name] for name in (
    "NodeShape", "PropertyShape", "flags", "ignoredProperties", "qualifiedMinCount", "qualifiedMaxCount",
    "qualifiedValueShapesDisjoint", "severity", "message", "deactivated", "name", "description", "order", "group",
    "PropertyGroup", "defaultValue", "BlankNode", "IRI", "Literal", "BlankNodeOrIRI", "BlankNodeOrLiteral",
    "IRIOrLiteral",
)}  # fmt: skip
_ANNOTATIONS = {SH.name, SH.description, SH.order, SH.group, SH.message, GATE.because, GATE.shows, GATE.mentions,
    GATE.remedy}  # fmt: skip
_HELD = {RDF.type, RDFS.label}  # what the graph holds beside the vocabulary's own properties


@dataclass(frozen=True, slots=True)
class Shape:
    """What a finding needs to know of the shape that it comes from. `file` is the stem of its file's name."""

    iri: str
    file: str
    name: str
    order: float
    message: str
    because: str
    shows: tuple[str, ...]
    mentions: tuple[str, ...]
    description: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Shapes:
    """All shapes that judge.

    Args:
        graph: the shapes graph, without the vocabulary.
        files: the files, by stem in the order that their findings come in.
        inputs: every file that was read.
        shapes: each shape by IRI.
        targets: what each file's shapes target, as (kind of target, term) pairs.
        labels: the label of each term of the vocabulary, by local name.
        users: the stems of the user's own files.
    """

    graph: Graph
    files: tuple[str, ...]
    inputs: tuple[InputFile, ...]
    shapes: dict[str, Shape]
    targets: dict[str, tuple[tuple[str, str], ...]]
    labels: dict[str, str]
    users: frozenset[str]

    def targeting(self, kind: str) -> tuple[Shape, ...]:
        """Return the shapes that target the vocabulary's class `kind`, in their order."""
        heads = {str(shape) for shape in self.graph.subjects(SH.targetClass, URIRef(iris.term(kind)))}
        return tuple(sorted((self.shapes[head] for head in heads), key=lambda shape: (shape.order, shape.iri)))

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
    own_files = [read_input(p, f"{OWN}/{p.name}") for p in sorted(own_folder().glob("*.ttl"))]
    try:
        own = {Path(file.path).stem: _graph(file) for file in own_files}
        vocabulary = own.pop(VOCABULARY)
        _check_all({f"{OWN}/{name}.ttl": graph for name, graph in own.items()}, _union(own.values()), vocabulary)
    except BadFile as error:
        raise Declined(f"the gate's own shapes can't be trusted: {error}") from None
    users_files = _users_files(users_folder, {file.sha256 for file in own_files})
    users = {Path(file.path).stem: _graph(file) for file in users_files}
    _refuse_restatements(users_files, users, own, vocabulary)
    everything = _union([*own.values(), *users.values()])
    _check_all({file.path: users[Path(file.path).stem] for file in users_files}, everything, vocabulary)
    shapes = {s.iri: s for name, graph in (own | users).items() for s in _shapes(name, graph)}
    order = {name: _file_order(graph) for name, graph in (own | users).items()}
    labels = {str(s).removeprefix(iris.NAMESPACE): str(o) for s, o in vocabulary.subject_objects(RDFS.label)}
    return Shapes(
        graph=_validating(everything),
        files=tuple(sorted(order, key=lambda name: (name in users, order[name], name))),
        inputs=(*own_files, *users_files),
        shapes=shapes,
        targets={name: tuple(_targets(graph)) for name, graph in (own | users).items()},
        labels=labels,
        users=frozenset(users),
    )


def _union(graphs: Iterable[Graph]) -> Graph:
    everything = Graph(bind_namespaces="none")
    for graph in graphs:
        everything += graph
    return everything


def _validating(everything: Graph) -> Graph:
    """Return the shapes without the triples that SHACL calls non-validating: engines read all of them at each node."""
    judged = Graph(bind_namespaces="none")
    for triple in everything:
        if triple[1] not in _ANNOTATIONS and triple[2] != SH.PropertyShape:  # known by its path
            judged.add(triple)
    return judged


def _graph(file: InputFile) -> Graph:
    """Return the Turtle in `file`, its anonymous shapes named, so that a finding can say which of them rejects."""
    from rdflib.plugins.parsers.notation3 import BadSyntax

    graph = Graph(bind_namespaces="none")
    text = decode(file)
    try:
        graph.parse(data=text, format="turtle", publicID=f"file:///{file.path}")
    except BadSyntax as error:
        line = error.lines + 1
        raise BadFile(file.path, f"line {line}", f"it is not Turtle: {error._why}") from None  # noqa: SLF001
    except RecursionError:
        raise BadFile(file.path, "", "it is nested too deeply") from None
    return _named(graph, Path(file.path).stem)


def _named(graph: Graph, stem: str) -> Graph:
    """Give each anonymous shape an IRI made of its file and its place below the shape that it belongs to."""
    names: dict[Term, URIRef] = {}

    def visit(parent: Term, name: str) -> None:
        children = [c for c in _references(graph, parent) if isinstance(c, BNode) and c not in names]
        for index, child in enumerate(sorted(children, key=functools.partial(_print, graph))):
            names[child] = iris_of(f"{name}.{index + 1}")
            visit(child, f"{name}.{index + 1}")

    def iris_of(name: str) -> URIRef:
        return URIRef(f"urn:taggate:shape:{iris.quote(stem)}:{iris.quote(name)}")

    roots = {s for s in graph.subjects() if isinstance(s, URIRef)}
    for root in sorted(roots):
        visit(root, str(root).rpartition("#")[2].rpartition("/")[2])
    if not names:
        return graph
    renamed = Graph(bind_namespaces="none")
    for s, p, o in graph:
        renamed.add((names.get(s, s), p, names.get(o, o)))
    return renamed


def _print(graph: Graph, node: Term, depth: int = 6) -> str:
    """Return a text of a node's triples in which no blank node's own name appears."""
    if not isinstance(node, BNode):
        return str(node.n3())
    if depth == 0:
        return "[]"
    return str(sorted((str(p), _print(graph, o, depth - 1)) for p, o in graph.predicate_objects(node)))


def _users_files(folder: Path, own: set[str]) -> list[InputFile]:
    """Return the user's files, but those that are a built-in one byte for byte: a checkout of the gate has them."""
    if not folder.is_dir():
        return []
    files = [read_input(path, shown) for path, shown in walk(folder, FOLDER) if path.suffix == ".ttl"]
    if not files:
        raise BadFile(FOLDER, "", "the folder holds no shapes", "Put *.ttl files there, or remove the folder.")
    return [file for file in files if file.sha256 not in own]


def _refuse_restatements(
    files: list[InputFile], users: dict[str, Graph], own: dict[str, Graph], vocabulary: Graph
) -> None:
    """Refuse a user's file that speaks of a built-in shape or term: it could weaken what stands there."""
    if len(users) < len(files):
        raise BadFile(FOLDER, "", "two of its files have one name", "Findings are named by the file: rename one.")
    taken = {s for graph in (*own.values(), vocabulary) for s in graph.subjects() if isinstance(s, URIRef)}
    defined: dict[Term, str] = {}
    for file in files:
        stem = Path(file.path).stem
        if stem in own or stem == VOCABULARY:
            raise BadFile(file.path, "", f"{stem} is the name of a built-in file of other content", "Rename the file.")
        for subject in set(users[stem].subjects()):
            if subject in taken:
                raise BadFile(
                    file.path, str(subject), "this is the gate's own, and a project can't change what it says",
                    "Write a shape of another name that targets the same class: all shapes must hold.",
                )  # fmt: skip
            if isinstance(subject, URIRef) and defined.setdefault(subject, file.path) != file.path:
                raise BadFile(file.path, str(subject), f"{defined[subject]} says something of it too")


def _check_all(graphs: dict[str, Graph], everything: Graph, vocabulary: Graph) -> None:
    referenced = {o for s in set(everything.subjects()) for o in _references(everything, s)}
    for path, graph in graphs.items():
        _check(path, graph, everything, vocabulary, referenced)


def _check(path: str, graph: Graph, everything: Graph, vocabulary: Graph, referenced: set[Term]) -> None:
    """Refuse everything in `graph` that would make a shape pass without having judged."""
    if (None, OWL.imports, None) in graph:
        raise BadFile(path, "owl:imports", "nothing is imported", "Put the shapes into a file of this folder.")
    _check_terms(path, graph, everything, vocabulary)
    _check_paths(path, graph, vocabulary)
    _check_values(path, graph)
    shapes = set(_all_shapes(graph))
    if not any((shape, target, None) in graph for shape in shapes for target in _TARGETS):
        raise BadFile(path, "", "it holds no shape with a target, and would judge nothing")
    for shape in sorted(shapes, key=str):
        if not any((shape, constraint, None) in graph for constraint in _CONSTRAINTS):
            raise BadFile(path, _short(shape), "the shape constrains nothing, and so passes always")
        if shape not in referenced and not any((shape, target, None) in graph for target in _TARGETS):
            raise BadFile(path, _short(shape), "no target and no other shape leads to this shape")
        for child in _references(graph, shape):
            if (child, None, None) not in everything:
                raise BadFile(path, _short(shape), f"it refers to {_short(child)}, which is no shape")


def _check_terms(path: str, graph: Graph, everything: Graph, vocabulary: Graph) -> None:
    for s, p, o in graph:
        for term in (s, p, o):
            if isinstance(term, URIRef) and str(term).startswith(str(SH)) and term not in _CORE:
                raise BadFile(
                    path, f"sh:{str(term).removeprefix(str(SH))}", "SHACL Core has no such term", "Only Core is judged."
                )
            own = isinstance(term, URIRef) and str(term).startswith(iris.NAMESPACE)
            if own and (term, None, None) not in vocabulary and (term, None, None) not in everything:
                raise BadFile(path, _short(term), "the vocabulary has no such term, and no shape has this name")
        if p == SH.deactivated and str(o).lower() not in {"false", "0"}:
            raise BadFile(
                path, _short(s), "the shape is deactivated", "Remove the shape, or the line that deactivates it."
            )
        if p == SH.severity and o not in _SEVERITIES:
            raise BadFile(path, _short(s), f"{_short(o)} is no severity", "Use sh:Violation, sh:Warning or sh:Info.")


def _check_paths(path: str, graph: Graph, vocabulary: Graph) -> None:
    """Refuse a path through a property that the graph never holds: it would find nothing, and nothing is conformant."""
    pending = [o for term in _PATH_TERMS for o in graph.objects(None, term)]
    while pending:
        step = pending.pop()
        if isinstance(step, BNode):
            pending += [o for p, o in graph.predicate_objects(step) if p in {RDF.first, RDF.rest}]
        elif step not in _HELD and step != RDF.nil and (step, RDF.type, RDF.Property) not in vocabulary:
            raise BadFile(
                path, _short(step), "the graph has no such property", "shapes/vocabulary.ttl lists all of them."
            )


def _check_values(path: str, graph: Graph) -> None:
    for shape, pattern in graph.subject_objects(SH.pattern):
        try:
            re.compile(str(pattern))
        except re.error as error:
            raise BadFile(path, _short(shape), f"{str(pattern)!r} is no regular expression: {error}") from None
    for name in ("minCount", "maxCount", "qualifiedMinCount", "qualifiedMaxCount", "minLength", "maxLength"):
        for shape, count in graph.subject_objects(SH[name]):
            if type(getattr(count, "value", None)) is not int:
                raise BadFile(path, _short(shape), f"sh:{name} is {count}, which is no whole number")


def _all_shapes(graph: Graph) -> Iterator[Term]:
    yield from graph.subjects(RDF.type, SH.NodeShape)
    yield from graph.subjects(RDF.type, SH.PropertyShape)
    for target in _TARGETS:
        yield from graph.subjects(target)
    yield from graph.subjects(SH.path)
    for reference in _REFERENCES:
        yield from (o for o in graph.objects(None, reference) if (o, None, None) in graph)


def _references(graph: Graph, shape: Term) -> list[Term]:
    """Return the shapes that `shape` leads to."""
    found = [o for reference in _REFERENCES for o in graph.objects(shape, reference)]
    for term in _LISTS:
        found += [item for head in graph.objects(shape, term) for item in Collection(graph, head)]
    return found


def _file_order(graph: Graph) -> float:
    """Return the least `sh:order` of the file's targeted shapes: a cause stands before what it breaks."""
    targeted = {s for target in _TARGETS for s in graph.subjects(target)}
    return min((float(str(o)) for s in targeted for o in graph.objects(s, SH.order)), default=0.0)


def _targets(graph: Graph) -> Iterator[tuple[str, str]]:
    yield from sorted({(str(p), str(o)) for p in _TARGETS for o in graph.objects(None, p)})


def _shapes(file: str, graph: Graph) -> Iterator[Shape]:
    for shape in sorted(set(_all_shapes(graph)), key=str):
        path = graph.value(shape, SH.path)
        name = graph.value(shape, SH.name) or (_local(path) if isinstance(path, URIRef) else None)
        order = graph.value(shape, SH.order)
        yield Shape(
            iri=str(shape),
            file=file,
            name=str(name or _local(shape)),
            order=float(str(order)) if order is not None else 0.0,
            message=str(graph.value(shape, SH.message) or graph.value(shape, SH.description) or ""),
            because=_local(graph.value(shape, GATE.because) or GATE.failed),
            shows=_listed(graph, shape, GATE.shows),
            mentions=_listed(graph, shape, GATE.mentions),
            description=str(graph.value(shape, SH.description) or ""),
            remedy=str(graph.value(shape, GATE.remedy) or ""),
        )


def _listed(graph: Graph, shape: Term, annotation: URIRef) -> tuple[str, ...]:
    return tuple(_local(item) for head in graph.objects(shape, annotation) for item in Collection(graph, head))


def _local(term: Term) -> str:
    return str(term).rpartition("#")[2].rpartition("/")[2]


def _short(term: Term) -> str:
    """Return a term as its writer spelled it, as far as it can be known."""
    for prefix, namespace in (("gate", iris.NAMESPACE), ("sh", str(SH))):
        if str(term).startswith(namespace):
            return f"{prefix}:{str(term).removeprefix(namespace)}"
    return "a shape without a name" if isinstance(term, BNode) else str(term)
