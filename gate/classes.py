"""The engine that judges one node of each class of alike nodes, by pyshacl, and says the same of all the others.

What a class has in common is its signature: see `gate.signatures`. The findings of the one that was judged are carried
over to the others where they say nothing that could be another's: about the node itself, for no value, for one that all
of them have, or for the node itself. In any other case each node of the class is judged. A shape that reads further
than can be followed is judged on the whole graph, and named.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from rdflib import Literal, URIRef
from rdflib.namespace import SH

from gate import reads
from gate.errors import Declined
from gate.iris import Iri
from gate.judge import Judgement, Result
from gate.pyshacl_engine import Asked
from gate.signatures import Plan, Signatures

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator

    from rdflib import Graph

    from gate.nodes import Nodes
    from gate.reads import Root
    from gate.shape_files import Shapes


NAME = "classes"


class Classes:
    """pyshacl over one node of each class."""

    def judge(self, nodes: Nodes, shapes: Shapes) -> Judgement:
        """Return what validating the graph of `nodes` against `shapes` says, without building all of it.

        Raises:
            CallersError: pyshacl can't load a shape of the user's, or judge by it.
            Declined: pyshacl contradicts itself.
        """
        return _Session(nodes, shapes).judgement()


class _Class:
    """Nodes that are alike to the shapes that judge them, the first of which stands for all."""

    __slots__ = ("members", "plan")

    def __init__(self, plan: Plan) -> None:
        self.plan, self.members = plan, list[str]()


class _Session:
    """One judgement."""

    def __init__(self, nodes: Nodes, shapes: Shapes) -> None:
        self.nodes, self.shapes = nodes, shapes
        self.read = reads.read(shapes)
        self.signatures = Signatures(nodes, self.read)
        self.asked = Asked(shapes)
        self.classes = self._classes()

    def _classes(self) -> list[_Class]:
        found: dict[tuple[int, Hashable], _Class] = {}
        for iri, node in self.nodes.items():
            plan = self.signatures.plan(node)
            if plan is None:
                continue
            key = id(plan), self.signatures.signature(iri, plan.wanted)
            one = found.get(key)
            if one is None:
                one = found[key] = _Class(plan)
            one.members.append(iri)
        return list(found.values())

    def judgement(self) -> Judgement:
        """Return what the shapes say."""
        whole = [root for root in self.read.roots if root.whole]
        results = list(self._on_the_whole_graph(whole)) if whole else []
        results += self._by_classes()
        results += self._alone()
        return Judgement(NAME, results, self._focus_nodes(whole), tuple((root.shape, root.whole) for root in whole))

    def _by_classes(self) -> Iterator[Result]:
        of_root: dict[Root, list[_Class]] = defaultdict(list)
        for one in self.classes:
            for root in one.plan.roots:
                of_root[root].append(one)
        first = self._graph((one.members[0], one.plan) for one in self.classes)
        unlike: list[tuple[Root, list[_Class]]] = []
        for root, classes in of_root.items():
            rejected = self._rejected(root, classes, first)
            apart = [one for one in classes if not self._carries(root, rejected.get(one.members[0], []))]
            if apart:
                unlike.append((root, apart))
            for one in classes:
                if one.members[0] in rejected and one not in apart:
                    yield from self._carried(rejected[one.members[0]], one.members)
        yield from self._each(unlike)

    def _rejected(self, root: Root, classes: list[_Class], graph: Graph) -> dict[str, list[Result]]:
        """Return what a root says of the first node of each class, by that node."""
        found: dict[str, list[Result]] = {}
        if root.deep:
            # A result may be about another node than the one that it was found at, so that each is asked for alone.
            for one in classes:
                said = self.asked.results(root.shape, [self.nodes.term(Iri(one.members[0]))], graph)
                if said:
                    found[one.members[0]] = said
            return found
        firsts = {one.members[0] for one in classes}
        for result in self.asked.results(root.shape, [self.nodes.term(Iri(iri)) for iri in firsts], graph):
            if result.focus not in firsts:
                raise Declined(f"pyshacl judged {result.focus}, which it wasn't given: the gate can't be trusted")
            found.setdefault(result.focus, []).append(result)
        return found

    def _carries(self, root: Root, results: list[Result]) -> bool:
        """Say whether what is said of one node of a class can be said of each in the same words."""
        return not results or (not root.deep and all(self._is_common(result) for result in results))

    def _is_common(self, result: Result) -> bool:
        focus, value = result.terms
        if value is None or isinstance(value, Literal):
            return True
        if value == focus:  # at the end of a path that leads back it would be another node's, too
            return (URIRef(result.shape), SH.path, None) not in self.shapes.graph
        return isinstance(value, URIRef) and (str(value) not in self.nodes or str(value) in self.read.mentioned)

    def _each(self, unlike: list[tuple[Root, list[_Class]]]) -> Iterator[Result]:
        """Yield what is said of every node of the classes whose findings can't be carried over."""
        if not unlike:
            return
        graph = self._graph((iri, one.plan) for _, classes in unlike for one in classes for iri in one.members)
        for root, classes in unlike:
            focus = [self.nodes.term(Iri(iri)) for one in classes for iri in one.members]
            yield from self.asked.results(root.shape, focus, graph)

    def _alone(self) -> Iterator[Result]:
        """Yield what is said of what is targeted and is no node: a literal, or an IRI of which nothing is said."""
        for lone in self.signatures.lone():
            graph = self.nodes.graph([lone.led_from] if lone.led_from is not None else [])
            for root in lone.roots:
                yield from self.asked.results(root.shape, [self.nodes.term(lone.value)], graph)

    def _on_the_whole_graph(self, roots: Iterable[Root]) -> Iterator[Result]:
        graph = self.nodes.graph()
        for root in roots:
            yield from self.asked.results(root.shape, None, graph)

    def _graph(self, focus: Iterable[tuple[str, Plan]]) -> Graph:
        """Return the graph of given nodes, and of all that is read from there."""
        return self.nodes.graph(self.signatures.reached(focus))

    def _focus_nodes(self, whole: list[Root]) -> dict[str, list[str]]:
        file_of = {root.shape: self.shapes.shapes[root.shape].file for root in self.read.roots}
        found: dict[str, list[str]] = {file: [] for file in self.shapes.files}
        for one in self.classes:
            for file in {file_of[root.shape] for root in one.plan.roots}:
                found[file] += one.members
        for lone in self.signatures.led_to.values():
            for file in {file_of[root.shape] for root in lone.roots}:
                found[file].append(str(lone.value))
        if whole:
            graph = self.nodes.graph()
            for file in {file_of[root.shape] for root in whole}:
                found[file] = list({*found[file], *self.shapes.focus_nodes(file, graph)})
        return found

    def _carried(self, results: list[Result], members: list[str]) -> Iterator[Result]:
        """Yield the results of the first of some alike nodes, as the results of each."""
        yield from results
        for iri in members[1:]:
            term = self.nodes.term(Iri(iri))
            for result in results:
                own = result.terms[1] is not None and result.terms[1] == result.terms[0]
                value = (iri, term) if own else (result.value, result.terms[1])
                yield result._replace(focus=iri, value=value[0], terms=(term, value[1]))
