"""One obligation, told: what it is, why it is owed, what was recorded, which constraints hold, and what to do."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from gate.constraints import by_class
from gate.findings import plain
from gate.iris import NAMESPACE, Iri
from gate.reporting import owed
from gate.states import DECLAIMED, FAILED, KNOWN, MISSING, PASSED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console, RenderableType

    from gate.constraints import Constraint
    from gate.findings import Finding
    from gate.obligations.node import Node
    from gate.verdict import Verdict
    from gate.withdrawn import Ruled, Told

_SAYS = {
    PASSED: "what is owed was recorded, and every constraint on it holds.",
    MISSING: "it is owed, and nothing that was recorded keys onto it.",
    FAILED: "what was recorded is not what is owed.",
    KNOWN: "it is red, as a decision says that it would be.",
    "outside": "the scope of the release leaves it out.",
    DECLAIMED: "a decision takes it out of what is owed.",
    "rejected": "a constraint on it fails.",
    "named": "it refuses nothing, and should not be overlooked.",
    "holds": "every constraint on it itself holds.",
    "pending": "it begins with a later release, and covers nothing yet.",
    "refused": "something that it owes is red; gate check says what.",
}
_WORD = {DECLAIMED: "DE-CLAIMED", KNOWN: "KNOWN FAILURE", "outside": "OUTSIDE THE SCOPE"}
_COLOR = {PASSED: "green", "holds": "green"} | dict.fromkeys(
    (DECLAIMED, KNOWN, "outside", "named", "pending"), "yellow"
)
_MARKS = {"violation": ("✗", "bold red"), "warning": ("!", "yellow"), "info": ("i", "cyan")}

# What an obligation that a decision sets aside, and its rows, would be judged by: shown, and asked of none.
_ASKED = {
    "Cell": ("Cell", "CellRow"), "Kernel": ("Kernel", "OwedKernelRow"),
    "Conformance": ("Conformance", "OwedConformanceRow"), "Suite": ("Suite", "SuiteRun"),
    "SuiteRow": ("ExpectedRow", "ExpectedRowResult"),
}  # fmt: skip
_ASIDE = {f"{why}{what}": asked for why in ("Declaimed", "Known", "Outside") for what, asked in _ASKED.items()}
_UNJUDGED = {"PendingDeclaim": "declaim", "PendingKnownFailure": "known_failure", "Outside": "scope"}
_HOLDS_WITHOUT = {"maxCount"}  # a constraint that holds where there is no value; any other then asks nothing

_NAME_WIDTH = 16
_MOST_VALUES = 4
_MOST_IN_FULL = 6
_MOST_RED = 20


def kind_of(verdict: Verdict, node: Node) -> str:
    """Return the file of shapes that judges a node; that of its claim where a decision withdrew it."""
    for name in node.types:
        judged = by_class(verdict.judging).get(_ASIDE.get(name, (name,))[0])
        if judged:
            return judged[0].shape.file
    return _UNJUDGED.get(node.types[0], "")


def title(verdict: Verdict, node: Node) -> str:
    """Return what the vocabulary calls a thing of this class."""
    return verdict.labels.get(node.types[0], node.types[0])


def _findings(verdict: Verdict, node: Node) -> list[Finding]:
    """Return the findings of an obligation and of everything that is judged under it."""
    own = {node.iri} | {other.iri for other in verdict.nodes.values() if other.owner == node.iri}
    return [finding for finding in verdict.findings if finding.result.focus in own]


def state(verdict: Verdict, node: Node) -> str:
    """Return how a thing stands, in one word."""
    if node.types[0] == "Release" and not verdict.conforms:
        return "refused"
    if node.types[0].startswith("Pending"):
        return "pending"
    if node.types[0].startswith("Outside"):
        return "outside"
    counted = next((one.state for one in verdict.counted if one.node.iri == node.iri), None)
    if counted is not None:
        return counted
    severities = {finding.severity for finding in _findings(verdict, node)}
    return "rejected" if "violation" in severities else "named" if severities else "holds"


def word(state: str) -> Text:
    """Return how a thing stands, as a reader sees it."""
    return Text(_WORD.get(state, state.upper()), _COLOR.get(state, "bold red"))


class Explained:
    """One obligation, told; `label` is what was asked for: it, or a part of it."""

    def __init__(self, verdict: Verdict, node: Node, label: str) -> None:
        self.verdict, self.node, self.label = verdict, node, label
        self.told: set[str] = set()
        self.state = state(verdict, node)
        self.found = _findings(verdict, node)
        self.red = {(finding.result.focus, finding.result.shape): finding.severity for finding in self.found}
        self.withdrawn = _ASIDE.get(node.types[0])

    def print(self, console: Console) -> None:
        """Say what it is, why it is owed, what was recorded and asked, what decides it, and what rejects it."""
        self._header(console)
        self._owed(console)
        kinds = (self.withdrawn[0],) if self.withdrawn else self.node.types
        asked = [c for kind in kinds for c in by_class(self.verdict.judging).get(kind, ())]
        console.print()
        console.print(Text("Asked of it", "bold"))
        self._node(console, self.node, asked, 0)
        for declaim in self.verdict.declaimed:
            if any(covered.node.iri == self.node.iri for covered in declaim.covered):
                _decision(console, declaim.told, declaim.ruling)
        for known in self.verdict.known_failures:
            if any(rejected.label == self.node.label for rejected in known.rejected):
                _decision(console, known.told, None)
        self._rejected(console)

    def _header(self, console: Console) -> None:
        verdict, node = self.verdict, self.node
        console.print(Text(node.label, "bold"), soft_wrap=True)
        _indented(console, word(self.state).append(f": {_SAYS[self.state]}", "default"))
        _indented(console, Text(f"{title(verdict, node)}: {verdict.comments.get(node.types[0], '')}"))
        if self.label != node.label:
            _indented(console, Text(f"{plain(self.label)} is a part of it"))
        _indented(console, Text(f"judged for {verdict.tag} at commit {verdict.commit}", "dim"))

    def _owed(self, console: Console) -> None:
        lines = list(owed.because(self.verdict, self.node))
        if lines:
            console.print()
            console.print(Text(plain(lines[0])), overflow="fold")
            for line in lines[1:]:
                _indented(console, Text(plain(line)))

    def _node(self, console: Console, node: Node, asked: list[Constraint], depth: int) -> None:
        """Show what is asked of one node with what it says of it, then what else it says, then what belongs to it."""
        # What a row of this very obligation keys onto need not be asked again.
        keyed = {name for name, value in node.facts if value == self.node.iri}
        own = {c.shape.iri: c for c in sorted(asked, key=_rank) if not c.via and c.shape.path not in keyed}
        children = self._children(node)
        told = {name for c in own.values() for name in (*c.shape.shows, *c.shape.mentions, c.shape.path)}
        table = _grid()
        for constraint in own.values():
            for cells in self._constraint(node, constraint):
                table.add_row(*cells)
        for name, found in _grouped(node).items():
            if name not in told | set(children) | {"place", "cell"}:
                table.add_row("", Text(self._label(name), "dim"), Text(self._values(found)))
        if table.row_count:
            console.print(Padding(table, (0, 0, 0, 2 + 2 * max(depth - 1, 0))))
        for name, members in children.items():
            further = [beyond for c in asked if (beyond := c.beyond(name)) is not None]
            self._members(console, members, further, depth + 1)

    def _children(self, node: Node) -> dict[str, list[Node]]:
        """Return the nodes that belong to this one, by the property that leads to them; each is told of once."""
        found: dict[str, list[Node]] = {}
        for name, value in node.facts:
            child = self.verdict.nodes.get(str(value)) if isinstance(value, Iri) else None
            if child is not None and child.owner == self.node.iri and child.iri not in self.told:
                self.told.add(child.iri)
                found.setdefault(name, []).append(child)
        return found

    def _members(self, console: Console, members: list[Node], further: list[Constraint], depth: int) -> None:
        """Show the members that were asked for by name; else all where they are few, and those in the red otherwise."""
        rejected = {iri for iri, _ in self.red}
        red = [member for member in members if member.iri in rejected]
        named = [member for member in members if member.label == self.label != self.node.label]
        shown = named or (members if len(members) <= _MOST_IN_FULL else red[:_MOST_RED])
        for member in shown:
            console.print()
            console.print(Padding(Text(self._heading(member), "bold"), (0, 0, 0, 2 * (depth - 1))))
            asked = [c for kind in self._kinds(member) for c in by_class(self.verdict.judging).get(kind, ())]
            self._node(console, member, [*asked, *further], depth)
        left_red = len([member for member in red if member not in shown])
        left = len(members) - len(shown) - left_red
        if left or left_red:
            words = [f"{left} more that nothing rejects"] if left else []
            words += [f"{left_red} more that are rejected"] if left_red else []
            console.print()
            text = Text(f"{title(self.verdict, members[0])}: {', '.join(words)}", "dim")
            console.print(Padding(text, (0, 0, 0, 2 * (depth - 1))))

    def _kinds(self, member: Node) -> tuple[str, ...]:
        aside = self.withdrawn is not None and not {"Row", "SetAside"}.isdisjoint(member.types)
        return (self.withdrawn[1],) if self.withdrawn and aside else member.types

    def _heading(self, member: Node) -> str:
        facts = {name: plain(str(value)) for name, value in reversed(member.facts)}
        about = member.about
        if "place" in facts:
            return f"Receipt: {about.receipt}, {facts['place']}"
        name = facts.get("name") or facts.get("file") or facts.get("path") or (
            member.label if member.label != self.node.label else about.receipt
        )  # fmt: skip
        called = title(self.verdict, member)
        return f"{called[:1].upper()}{called[1:]}: {name}"

    def _constraint(self, node: Node, constraint: Constraint) -> Iterator[tuple[RenderableType, ...]]:
        """Yield one constraint: ✗ rejects, ! and i name, ✓ holds, · asks nothing of this node; below a ✗, its rule."""
        shape, facts = constraint.shape, _grouped(node)
        severity = self.red.get((node.iri, shape.iri))
        asks = not self.withdrawn and (shape.path in facts or not _HOLDS_WITHOUT.isdisjoint(constraint.parameters))
        mark, style = _MARKS[severity] if severity else ("✓", "green") if asks else ("·", "dim")
        names = list(dict.fromkeys((*shape.shows, *shape.mentions)))
        if mark == "✓" and shape.path not in names and self._tells(facts.get(shape.path, [])):
            names.insert(0, shape.path)
        shown = "; ".join(
            self._fact(name, facts.get(name), shape.name if index == 0 else "")
            for index, name in enumerate(names)
            if name in facts or (index == 0 and mark != "✓")
        )
        bare = f"{self._counted(facts.get(shape.path, []), red=severity is not None)}. {shape.description}"
        yield Text(mark, style), Text(shape.name), Text(shown or bare)
        if severity and shown:
            yield "", "", Text(f"rule: {shape.description}", "italic")

    def _tells(self, found: list[object]) -> bool:
        """Say whether the value that satisfies a constraint tells more than its words do: it is no yes, and no part."""
        return bool(found) and not any(isinstance(value, bool) or self._is_part(value) for value in found)

    def _counted(self, found: list[object], *, red: bool) -> str:
        """Return what is recorded of a constraint whose facts are told elsewhere, or say nothing to a reader."""
        if any(self._is_part(value) for value in found):
            return f"{len(found)} recorded"
        return self._values(found) if found else "none recorded" if red else "none"

    def _is_part(self, value: object) -> bool:
        node = self.verdict.nodes.get(str(value)) if isinstance(value, Iri) else None
        return node is not None and node.owner == self.node.iri

    def _fact(self, name: str, found: list[object] | None, before: str = "") -> str:
        """Return a fact with what it is called, without what stands `before` it already."""
        label, value = self._label(name), "not recorded" if found is None else self._values(found)
        if before and _letters(label).startswith(_letters(before)):
            if _letters(label) == _letters(before):
                return value
            label = label[len(before) :].strip() if label.startswith(f"{before} ") else label
        return f"{label}: {value}"

    def _label(self, name: str) -> str:
        return self.verdict.labels.get(name, name)

    def _values(self, found: list[object]) -> str:
        shown = [self._value(value) for value in found]
        counted = Counter(shown)
        names = [name if count == 1 else f"{name} ({count} times)" for name, count in counted.items()]
        return owed.listed(names, _MOST_VALUES)

    def _value(self, value: object) -> str:
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, Iri):
            node, local = self.verdict.nodes.get(str(value)), value.removeprefix(NAMESPACE)
            if node is not None:
                return node.label
            return self.verdict.labels.get(local, local.removeprefix("backend-").rpartition("/")[2])
        return plain(str(value))

    def _rejected(self, console: Console) -> None:
        for title, severities in (("Rejected by", {"violation"}), ("Named by", {"warning", "info"})):
            found = [finding for finding in self.found if finding.severity in severities]
            if not found:
                continue
            console.print()
            console.print(Text(title, "bold"))
            said = Counter((f"shapes/{f.shape}.ttl, {f.property} ({f.reason}): {f.says}") for f in found)
            for words, count in said.items():
                _indented(console, Text(words if count == 1 else f"{words} ({count} times)"))
            remedies = Table.grid(padding=(0, 1))
            for remedy in dict.fromkeys(finding.remedy for finding in found if finding.remedy):
                remedies.add_row("→", Text(remedy))
            console.print(Padding(remedies, (0, 0, 0, 2)))


def _decision(console: Console, told: Told, ruling: Ruled | None) -> None:
    console.print()
    console.print(Text(f"Decision: {told.id}", "bold"), soft_wrap=True)
    by = " ".join(filter(None, (ruling.by, f"on {ruling.on}" if ruling.on else None))) if ruling else None
    table = _grid()
    for name, value in (
        ("ticket", f"#{told.issue}" if told.issue else None), ("since", told.since), ("until", told.until),
        ("expires", told.expires), ("why", told.why), ("ruling", by), ("words", ruling.words if ruling else None),
    ):  # fmt: skip
        if value:
            table.add_row("", Text(name, "dim"), Text(plain(value)))
    console.print(Padding(table, (0, 0, 0, 2)))


def _grid() -> Table:
    """Return a table of a mark, a name and what is said, which alone is broken where the line ends."""
    table = Table.grid(padding=(0, 1))
    table.add_column(width=1, no_wrap=True)
    table.add_column(min_width=_NAME_WIDTH, no_wrap=True)
    table.add_column(overflow="fold", ratio=1)
    return table


def _indented(console: Console, text: Text, depth: int = 0) -> None:
    text.overflow = "fold"
    console.print(Padding(Group(text), (0, 0, 0, 2 + 2 * depth)))


def _grouped(node: Node) -> dict[str, list[object]]:
    facts: dict[str, list[object]] = {}
    for name, value in node.facts:
        if value != "":
            facts.setdefault(name, []).append(value)
    return facts


def _rank(constraint: Constraint) -> tuple[str, float, str]:
    shape = constraint.shape
    return shape.file, shape.order, shape.iri


def _letters(text: str) -> str:
    """Return a name as one word: `comparator's pin` and `comparatorPin` are one."""
    return re.sub(r"'s\b|\W", "", text).casefold()
