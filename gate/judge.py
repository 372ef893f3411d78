"""The judge: SHACL over the graph. The shapes alone say what a pass is; this module only carries what they say.

`Engine` is the whole interface: a graph, the shapes, and results. Another engine takes over by having `results`.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, NamedTuple, Protocol

from gate.errors import CallersError, Declined

if TYPE_CHECKING:
    from rdflib import Graph
    from rdflib.term import Node as Term

    from gate.shape_files import Shapes

SEVERITIES = {"Violation": "violation", "Warning": "warning", "Info": "info"}


class Result(NamedTuple):
    """One rejection: which shape, by which constraint component, of which node, for which value (None: none).

    `terms` are the node and the value as RDF has them, where the engine says so: what a report hands on.
    """

    shape: str
    component: str
    focus: str
    value: str | None
    severity: str
    terms: tuple[Term | None, Term | None] = (None, None)


class Engine(Protocol):
    """What judges."""

    def results(self, graph: Graph, shapes: Shapes) -> list[Result]:
        """Return every result of validating `graph`, in any order."""


class PySHACL:
    """pyshacl over the whole graph."""

    def results(self, graph: Graph, shapes: Shapes) -> list[Result]:
        """Return every result of validating `graph` against `shapes`.

        Raises:
            CallersError: pyshacl can't load a shape of the user's.
            Declined: pyshacl contradicts itself, or reports a shape that isn't there.
        """
        import pyshacl
        from pyshacl.errors import ConstraintLoadError, ReportableRuntimeError, ShapeLoadError
        from rdflib import Graph as RdfGraph
        from rdflib.namespace import RDF, SH

        logging.getLogger("pyshacl-validate").disabled = True  # what it says there is said again in what it raises
        try:
            conforms, report, _ = pyshacl.validate(
                graph, shacl_graph=shapes.graph, inplace=True, advanced=False, meta_shacl=bool(shapes.users)
            )
        except (ShapeLoadError, ConstraintLoadError, ReportableRuntimeError) as error:
            raise (CallersError if shapes.users else Declined)(f"shapes: {_first_line(error)}") from None
        if not isinstance(report, RdfGraph):
            # What pyshacl hands back in place of a report: a failure of the validation, never a verdict.
            raise (CallersError if shapes.users else Declined)(f"shapes: pyshacl can't judge: {_first_line(report)}")
        heads = set(report.objects(None, SH.result))
        results = [
            Result(
                shape=str(report.value(head, SH.sourceShape)),
                component=str(report.value(head, SH.sourceConstraintComponent)).removeprefix(str(SH)),
                focus=str(report.value(head, SH.focusNode)),
                value=None if (value := report.value(head, SH.value)) is None else str(value),
                severity=SEVERITIES[str(report.value(head, SH.resultSeverity)).removeprefix(str(SH))],
                terms=(report.value(head, SH.focusNode), value),
            )
            for head in heads
        ]
        if conforms != (not results) or (None, RDF.type, SH.ValidationReport) not in report:
            raise Declined("pyshacl's verdict and its report disagree: the gate can't be trusted")
        return results


def _first_line(error: object) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def judge(engine: Engine, graph: Graph, shapes: Shapes) -> list[Result]:
    """Return the results of `engine`, each known to come from one of `shapes`.

    Raises:
        Declined: a result names a shape that no file holds.
    """
    results = engine.results(graph, shapes)
    for result in results:
        if result.shape not in shapes.shapes:
            raise Declined(f"the judge names the shape {result.shape}, which no file holds: the gate can't be trusted")
    return results
