"""The engine that judges one node of each class of alike nodes, by pyshacl, and says the same of all the others.

What a class has in common is its signature: see `signatures`. The findings of the one that was judged are carried
over to the others where they say nothing that could be another's: about the node itself, for no value, for one that all
of them have, or for the node itself. In any other case each node of the class is judged. A shape that reads further
than can be followed is judged on the whole graph, and named.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, Any

from gate import cache
from gate.errors import Declined
from gate.iris import Iri
from gate.judging import reads
from gate.judging.class_verdicts import APART, Verdicts, of
from gate.judging.focus import Focus
from gate.judging.judge import Judgement, Result
from gate.judging.signatures import Signatures

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator

    from rdflib import Graph

    from gate.judging.focus import Plan
    from gate.judging.pyshacl_engine import Asked
    from gate.judging.reads import Root
    from gate.judging.signatures import Wanted
    from gate.nodes import Nodes
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


@functools.lru_cache(maxsize=4)
def _read(shapes: Shapes) -> reads.Read:
    """Return what the shapes read of a node."""

    def follow() -> Any:
        from gate.judging import following

        return reads.to_json(following.of(shapes.graph))

    return cache.remember("reads", [shapes.digest, *cache.libraries("rdflib")], follow, reads.of_json)


def _on_the_whole(read: reads.Read) -> reads.Read:
    """Return what is read where what a node is can't be told from the node alone."""
    why = "the data says which classes are below which"
    return read._replace(roots=tuple(root._replace(whole=root.whole or why) for root in read.roots))


class _Class:
    """Nodes that are alike to the shapes that judge them, the first of which stands for all.

    `said` is what the shapes say of the first and can be said of each; or, where they say of the first what can't, and
    the class is `apart`, what they say of each of them.
    """

    __slots__ = ("apart", "members", "plan", "said", "signature")

    def __init__(self, plan: Plan, signature: Hashable) -> None:
        self.plan, self.signature = plan, signature
        self.members, self.said, self.apart = list[str](), list[Result](), False

    @property
    def first(self) -> str:
        """The one that stands for all."""
        return self.members[0]


class _Session:
    """One judgement."""

    def __init__(self, nodes: Nodes, shapes: Shapes) -> None:
        self.nodes, self.shapes = nodes, shapes
        self.read = _read(shapes) if not nodes.has_subclasses else _on_the_whole(_read(shapes))
        self.focus = Focus(nodes, (root for root in self.read.roots if not root.whole))
        self.signatures = Signatures(nodes, self.read.mentioned)
        self.classes = self._classes()

    @cached_property
    def asked(self) -> Asked:
        """pyshacl, which isn't even loaded where it has nothing to judge."""
        from gate.judging import pyshacl_engine

        return pyshacl_engine.asked(self.shapes)

    def _classes(self) -> list[_Class]:
        found: dict[tuple[int, Hashable], _Class] = {}
        plan_of, signature_of = self.focus.plan, self.signatures.signature
        for iri, node in self.nodes.items():
            plan = plan_of(node)
            if plan is None:
                continue
            signature = signature_of(iri, plan.wanted)
            key = id(plan), signature
            one = found.get(key)
            if one is None:
                one = found[key] = _Class(plan, signature)
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
        verdicts = Verdicts(self.shapes)
        unknown = [one for one in self.classes if not self._recall(verdicts, one)]
        new = [one for one in unknown if not one.apart]
        if new:
            self._ask(new)
        for one in unknown:
            if one.apart:
                one.said = list(self._each(one))
                verdicts.keep_apart(one.plan, one.signature, self._exactly(one), one.said)
            else:
                verdicts.keep(one.plan, one.signature, one.said)
        for one in self.classes:
            yield from one.said
            if not one.apart:
                yield from (of(result, iri) for result in one.said for iri in one.members[1:])

    def _recall(self, verdicts: Verdicts, one: _Class) -> bool:
        """Take what is kept of a class, and say whether it is all that there is to say."""
        said = verdicts.recall(one.plan, one.signature, one.first)
        if said is APART:
            one.apart = True
            said = verdicts.recall_apart(one.plan, self._exactly(one))
        one.said = said or []
        return said is not None

    def _exactly(self, one: _Class) -> str:
        """Return what tells what is said of each node of a class: which nodes they are, and all that is read there.

        Two classes whose nodes lead to each other have the same read of them.
        """
        return repr((sorted(one.members), self.signatures.exactly((iri, one.plan.wanted) for iri in one.members)))

    def _ask(self, classes: list[_Class]) -> None:
        """Let pyshacl judge the first of each class, and note which say what can't be said of all."""
        of_root: dict[Root, list[_Class]] = defaultdict(list)
        for one in classes:
            for root in one.plan.roots:
                of_root[root].append(one)
        graph = self._graph((one.first, one.plan.wanted) for one in classes)
        for root, own in of_root.items():
            rejected = self._rejected(root, own, graph)
            for one in own:
                results = rejected.get(one.first, [])
                one.said += results
                one.apart |= bool(results) and (root.deep or not all(map(self._is_common, results)))

    def _rejected(self, root: Root, classes: list[_Class], graph: Graph) -> dict[str, list[Result]]:
        """Return what a root says of the first node of each class, by that node."""
        found: dict[str, list[Result]] = {}
        if root.deep:
            # A result may be about another node than the one that it was found at, so that each is asked for alone.
            for one in classes:
                said = self.asked.results(root.shape, [self.nodes.term(Iri(one.first))], graph)
                if said:
                    found[one.first] = said
            return found
        firsts = {one.first for one in classes}
        for result in self.asked.results(root.shape, [self.nodes.term(Iri(iri)) for iri in firsts], graph):
            if result.focus not in firsts:
                raise Declined(f"pyshacl judged {result.focus}, which it wasn't given: the gate can't be trusted")
            found.setdefault(result.focus, []).append(result)
        return found

    def _is_common(self, result: Result) -> bool:
        """Say whether what is said of one node of a class can be said of each in the same words."""
        value = result.value_said
        if value is None or value.kind == "literal":
            return True
        if value.text == result.focus:  # at the end of a path that leads back it would be another node's, too
            from rdflib import SH, URIRef

            return (URIRef(result.shape), SH.path, None) not in self.shapes.graph
        return value.kind == "iri" and (value.text not in self.nodes or value.text in self.read.mentioned)

    def _each(self, one: _Class) -> Iterator[Result]:
        """Yield what is said of every node of a class."""
        graph = self._graph((iri, one.plan.wanted) for iri in one.members)
        for root in one.plan.roots:
            yield from self.asked.results(root.shape, [self.nodes.term(Iri(iri)) for iri in one.members], graph)

    def _alone(self) -> Iterator[Result]:
        """Yield what is said of what is targeted and is no node: a literal, or an IRI of which nothing is said."""
        for lone in self.focus.lone():
            graph = self.nodes.graph([lone.led_from] if lone.led_from is not None else [])
            for root in lone.roots:
                yield from self.asked.results(root.shape, [self.nodes.term(lone.value)], graph)

    def _on_the_whole_graph(self, roots: Iterable[Root]) -> Iterator[Result]:
        graph = self.nodes.graph()
        for root in roots:
            yield from self.asked.results(root.shape, None, graph)

    def _graph(self, focus: Iterable[tuple[str, Wanted]]) -> Graph:
        """Return the graph of given nodes, and of all that is read from there."""
        return self.nodes.graph(self.signatures.reached(focus))

    def _focus_nodes(self, whole: list[Root]) -> dict[str, list[str]]:
        file_of = {root.shape: self.shapes.shapes[root.shape].file for root in self.read.roots}
        found: dict[str, list[str]] = {file: [] for file in self.shapes.files}
        for one in self.classes:
            for file in {file_of[root.shape] for root in one.plan.roots}:
                found[file] += one.members
        lone: dict[tuple[str, str], None] = {}  # two literals may have one text
        for one_led_to in self.focus.led_to.values():
            text = str(self.nodes.term(one_led_to.value))  # as RDF has it: true, and not True
            lone |= dict.fromkeys((file_of[root.shape], text) for root in one_led_to.roots)
        for file in {file for file, _ in lone}:  # and a literal that of a node: both are what is named so
            found[file] = list(dict.fromkeys([*found[file], *(text for own, text in lone if own == file)]))
        if whole:
            graph = self.nodes.graph()
            for file in {file_of[root.shape] for root in whole}:
                found[file] = list({*found[file], *self.shapes.focus_nodes(file, graph)})
        return found
