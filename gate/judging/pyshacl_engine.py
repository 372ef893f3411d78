"""pyshacl: over the whole graph, or one shape of it over given nodes."""

from __future__ import annotations

import contextlib
import functools
import logging
import re
from typing import TYPE_CHECKING

from rdflib import Graph, URIRef
from rdflib.namespace import RDF, SH

from gate import cache
from gate.errors import CallersError, Declined
from gate.judging.judge import Judgement, Result, Said

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyshacl.shape import Shape
    from rdflib.term import IdentifiedNode, Literal
    from rdflib.term import Node as Term

    from gate.nodes import Nodes
    from gate.shape_files import Shapes

SEVERITIES = {"Violation": "violation", "Warning": "warning", "Info": "info"}
NAME = "pyshacl"
_LOGGER = "pyshacl-validate"


class PySHACL:
    """pyshacl over the whole graph."""

    def judge(self, nodes: Nodes, shapes: Shapes) -> Judgement:
        """Return what validating the graph of `nodes` against `shapes` says.

        Raises:
            CallersError: pyshacl can't load a shape of the user's.
            Declined: pyshacl contradicts itself, or reports a shape that isn't there.
        """
        graph = nodes.graph()
        results = self.results(graph, shapes)
        return Judgement(NAME, results, {file: list(shapes.focus_nodes(file, graph)) for file in shapes.files})

    def results(self, graph: Graph, shapes: Shapes) -> list[Result]:
        """Return every result of validating `graph` against `shapes`; what is raised: see `judge`."""
        import pyshacl

        with _failures_named(shapes):
            _refuse_malformed(shapes)
            conforms, report, _ = pyshacl.validate(graph, shacl_graph=shapes.graph, inplace=True, advanced=False)
        if not isinstance(report, Graph):
            # What pyshacl hands back in place of a report: a failure of the validation, never a verdict.
            raise (CallersError if shapes.users else Declined)(f"shapes: pyshacl can't judge: {_first_line(report)}")
        return _read(report, conforms=conforms)


class Asked:
    """pyshacl, asked of one shape and given nodes at a time.

    pyshacl's own `focus_nodes` also filters inside nested shapes, and its `use_shapes` skips some of them. Here each
    shape is given its nodes as it is given those of its targets, and all shapes are there to be led to.
    """

    def __init__(self, shapes: Shapes) -> None:
        """Load the shapes.

        Raises:
            CallersError: pyshacl can't load a shape of the user's.
            Declined: it can't load one of the gate's own.
        """
        from pyshacl.graph_abstraction import DataGraph
        from pyshacl.monkey import apply_patches
        from pyshacl.validator import Validator

        self._shapes, self._of = shapes, DataGraph.from_rdflib
        with _failures_named(shapes):
            apply_patches()  # type: ignore[no-untyped-call]  # what pyshacl.validate does first
            _refuse_malformed(shapes)
            logger = logging.getLogger(_LOGGER)
            self._validator = Validator(self._of(Graph()), shacl_graph=shapes.graph, options={"logger": logger})
            self._loaded: dict[str, Shape] = {str(one.node): one for one in self._validator.shacl_graph.shapes}

    def results(self, shape: str, focus: Iterable[IdentifiedNode | Literal] | None, graph: Graph) -> list[Result]:
        """Return every result of judging nodes by a shape.

        Args:
            shape: its IRI.
            focus: the nodes; None: those that it targets.
            graph: what is said of them, and of the nodes that they lead to.

        Raises:
            CallersError: a shape of the user's can't be judged by.
            Declined: pyshacl contradicts itself, or doesn't have the shape.
        """
        if shape not in self._loaded:
            raise Declined(f"pyshacl has no shape {shape}: the gate can't be trusted")
        given = None if focus is None else list(focus)
        with _failures_named(self._shapes):
            conforms, found = self._loaded[shape].validate(
                self._validator.make_executor(), self._of(graph), focus=given
            )
            report, _ = self._validator.create_validation_report(self._validator.shacl_graph, conforms, found)
        return _read(report, conforms=conforms)


@functools.lru_cache(maxsize=2)  # a release and its canaries are judged by the same shapes
def asked(shapes: Shapes) -> Asked:
    """Return pyshacl with `shapes` loaded; what is raised: see `Asked`."""
    return Asked(shapes)


@contextlib.contextmanager
def _failures_named(shapes: Shapes) -> Iterator[None]:
    """Turn what pyshacl raises over a shape into an error of the user's, or of the gate's where no shape is theirs."""
    from pyshacl.errors import ConstraintLoadError, ReportableRuntimeError, ShapeLoadError

    logging.getLogger(_LOGGER).disabled = True  # what it says there is said again in what it raises
    try:
        yield
    except (ShapeLoadError, ConstraintLoadError, ReportableRuntimeError) as error:
        raise (CallersError if shapes.users else Declined)(f"shapes: {_first_line(error)}") from None


@functools.lru_cache(maxsize=4)
def _refuse_malformed(shapes: Shapes) -> None:
    """Let pyshacl hold the user's shapes against SHACL's own: over no data, so that all it says is about the shapes.

    That takes longer than to judge. So it is done once for the same shapes.
    """
    if not shapes.users:
        return

    def validate() -> bool:
        import pyshacl
        from pyshacl.errors import ReportableRuntimeError

        from gate import shape_graphs

        own = shape_graphs.own_of(shapes.others)
        try:
            pyshacl.validate(Graph(), shacl_graph=own, inplace=True, advanced=False, meta_shacl=True)
        except ReportableRuntimeError as error:
            found = [re.search(rf"{said}: (.+)", str(error)) for said in ("Focus Node", "Result Path")]
            place = ", ".join(one[1] for one in found if one is not None)
            raise CallersError(f"shapes: {place}: SHACL doesn't allow what stands there") from None
        return True

    cache.remember("well-formed", [shapes.digest, *cache.libraries("pyshacl", "rdflib")], validate, bool)


def _read(report: Graph, *, conforms: bool) -> list[Result]:
    """Return the results that a report holds.

    Raises:
        Declined: the report and the verdict disagree.
    """
    results = [_result(report, head) for head in set(report.objects(None, SH.result))]
    if conforms != (not results) or (None, RDF.type, SH.ValidationReport) not in report:
        raise Declined("pyshacl's verdict and its report disagree: the gate can't be trusted")
    return results


def _result(report: Graph, head: Term) -> Result:
    focus, value = report.value(head, SH.focusNode), report.value(head, SH.value)
    return Result(
        shape=str(report.value(head, SH.sourceShape)),
        component=str(report.value(head, SH.sourceConstraintComponent)).removeprefix(str(SH)),
        focus=str(focus),
        value=None if value is None else str(value),
        severity=SEVERITIES[str(report.value(head, SH.resultSeverity)).removeprefix(str(SH))],
        focus_said=None if focus is None or isinstance(focus, URIRef) else Said.of(focus),
        value_said=None if value is None else Said.of(value),
    )


def _first_line(error: object) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
