"""Findings: what the judge rejected, in words. Which node, by which constraint, why, and what to do about it."""

from __future__ import annotations

import functools
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gate.iris import NAMESPACE, Iri

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gate.judging.judge import Result
    from gate.obligations.node import About, Node
    from gate.shape import Shape
    from gate.shape_files import Shapes

_RECORDED = ("reason", "note", "name")  # facts in a producer's own words: why, what was noted, what a check is called
_LONGEST = 240  # of a recorded value in a message: a log pasted into a receipt stays in the receipt


@dataclass(frozen=True, slots=True)
class Finding:
    """One property that fails. `severity` is `violation`, `warning` or `info`; only a violation refuses the tag."""

    shape: str
    focus: str
    severity: str
    reason: str
    property: str
    message: str
    about: About
    says: str  # the message without this node's own facts: what a group of findings is called
    remedy: str
    order: float  # of the constraint among those of its shape
    owner: str  # the IRI of the obligation that it stands against
    recorded: tuple[str, ...]  # what the message shows of the words that a run recorded
    result: Result  # what the judge said

    def brief(self) -> str:
        """Return what rejects, in the words that a report shows in brackets: `cell: verdict, failed`."""
        return f"{self.shape}: {self.property}, {self.reason}"

    def to_json(self) -> dict[str, Any]:
        """Return the finding as the verdict's JSON has it."""
        about = self.about
        found: dict[str, Any] = {
            "shape": self.shape, "focus": self.focus, "severity": self.severity, "reason": self.reason,
            "property": self.property, "message": self.message, "host": about.host, "model": about.model,
            "verb": about.verb, "thinking": about.thinking, "context": about.context, "issue": about.issue,
            "receipt": about.receipt,
        }  # fmt: skip
        return found | {k: v for k in ("kernel", "quant") if (v := getattr(about, k)) is not None}


@functools.lru_cache(maxsize=4096)  # of a hundred thousand findings most say the same
def plain(text: str, longest: int = _LONGEST) -> str:
    """Return `text` on one line, with nothing in it that a terminal or a log would obey, cut to a readable length."""
    line = " ".join(text.split())
    safe = "".join("\ufffd" if unicodedata.category(c) in {"Cc", "Cf", "Cs"} and c != "\u200d" else c for c in line)
    return safe if len(safe) <= longest else f"{safe[:longest]}…"


def find(results: Iterable[Result], nodes: Mapping[str, Node], shapes: Shapes) -> tuple[Finding, ...]:
    """Return the findings that `results` amount to: by shape, then by obligation, then by constraint.

    Args:
        results: what the judge rejected.
        nodes: every node of the graph by IRI, in the order that findings come in.
        shapes: the shapes that judged.
    """
    results = list(results)
    ranked = {result.focus for result in results}
    ranked |= {owner(focus, nodes) for focus in ranked}
    ranks = {iri: rank for rank, iri in enumerate(nodes) if iri in ranked}
    ordered = sorted(results, key=lambda result: _rank(result, nodes, ranks, shapes))
    return tuple(_finding(result, nodes, shapes) for result in ordered)


def owner(focus: str, nodes: Mapping[str, Node]) -> str:
    """Return the IRI of the obligation that the node `focus` is judged under: its own where it is one."""
    node = nodes.get(focus)
    return node.owner if node is not None and node.owner is not None else focus


def _rank(
    result: Result, nodes: Mapping[str, Node], ranks: Mapping[str, int], shapes: Shapes
) -> tuple[int, int, int, str, float, str, str, str]:
    """Return what orders a finding: its shape's file, its obligation, the node, the constraint, the value."""
    shape, last = shapes.shapes[result.shape], len(nodes)
    return (
        shapes.files.index(shape.file),
        ranks.get(owner(result.focus, nodes), last),
        ranks.get(result.focus, last),
        result.focus,
        shape.order,
        result.shape,
        result.component,
        result.value or "",
    )


def _finding(result: Result, nodes: Mapping[str, Node], shapes: Shapes) -> Finding:
    from gate.obligations.node import About

    shape, node = shapes.shapes[result.shape], nodes.get(result.focus)
    shown = _facts(shape, node, shapes.labels)
    return Finding(
        shape=shape.file,
        focus=node.label if node else plain(result.focus),
        severity=result.severity,
        reason=shape.because,
        property=shape.name,
        message=_message(shape, result, shown, shapes.labels),
        about=node.about if node else About(),
        says=_says(shape, result),
        remedy=shape.remedy,
        order=shape.order,
        owner=owner(result.focus, nodes),
        recorded=tuple(value for name in _RECORDED for value in shown.get(name, ())),
        result=result,
    )


def _says(shape: Shape, result: Result) -> str:
    return plain(shape.message or f"{shape.name} fails sh:{result.component.removesuffix('ConstraintComponent')}")


def _facts(shape: Shape, node: Node | None, labels: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the facts of a node that a shape asks to be shown, by name, in the order that it asks for them."""
    facts: dict[str, list[str]] = {}
    for name, value in node.facts if node else ():
        facts.setdefault(name, []).append(_shown(value, labels))
    return {name: facts[name] for name in (*shape.shows, *shape.mentions) if name in facts}


def _message(shape: Shape, result: Result, facts: Mapping[str, list[str]], labels: Mapping[str, str]) -> str:
    """Return what the shape says, and the facts that it asks to be shown."""
    said = _says(shape, result)
    parts = [
        f"{labels.get(name, name)}: {', '.join(facts[name]) if name in facts else 'not recorded'}"
        for name in (*shape.shows, *shape.mentions)
        if name in facts or name in shape.shows
    ]
    return said + (f" ({'; '.join(parts)})" if parts else "")


def _shown(value: object, labels: Mapping[str, str]) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Iri):
        local = value.removeprefix(NAMESPACE)
        return labels.get(local, local.removeprefix("backend-").rpartition("/")[2])
    return plain(str(value))
