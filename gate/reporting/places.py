"""Where a finding lies: the receipt, decision or rule that caused it, and the line where that is truly known.

A row of JSON Lines knows its line, and TOML is parsed for positions. One JSON object keeps none: its file is named, and
no line. What was never recorded lies where it is asked for, in the rules.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gate import iris, strict_toml

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gate.decisions import Decision
    from gate.files import InputFile
    from gate.findings import Finding
    from gate.obligations.node import Node
    from gate.rules import RulesDocument
    from gate.verdict import Verdict

Key = tuple[str | int, ...]

_LINE = re.compile(r"line ([1-9][0-9]*)")  # how a reader of JSON Lines places a row
_RECORDS = {"receipt", "inventory", "figure"}  # the facts that lead from an obligation to what was recorded of it

# Where in a decision a constraint looks; a key that the decision lacks lies at the decision itself.
_KEYS: dict[str, Key] = {
    "id": ("id",), "issue": ("issue",), "until": ("until",), "why": ("why",), "check": ("check",),
    "rulingBy": ("ruling", "by"), "rulingOn": ("ruling", "on"), "rulingPast": ("ruling", "on"),
    "rulingWords": ("ruling", "words"), "matched": ("models",),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Place:
    """A file, by its path relative to the rules' folder, and the line (from 1); None: the file as a whole."""

    path: str
    line: int | None = None


class Places:
    """Where the findings of one verdict lie."""

    def __init__(self, verdict: Verdict) -> None:
        self._verdict = verdict
        self._nodes = verdict.nodes
        self._rules = verdict.ground.rules
        self._decisions = verdict.ground.decisions

    def of(self, finding: Finding) -> tuple[Place, ...]:
        """Return the places of what caused a finding, the foremost first. There is always one."""
        node = self._nodes.get(finding.result.focus)
        owner = self._nodes.get(finding.owner, node)
        if node is None or owner is None:
            return (Place(self._rules.file.path),)
        found = self._decided(owner, finding) or tuple(self._recorded(node, finding)) or self._asked(owner, finding)
        return tuple(dict.fromkeys(found))

    def _file(self, path: str | None) -> Place | None:
        """Return a file that is there: what a ticket is said to be shown by need not be."""
        there = path is not None and (self._rules.folder / path).is_file()
        return Place(path) if path is not None and there else None

    def _line(self, file: InputFile, key: Key) -> int | None:
        return self._lines(file.path, key)

    @functools.cached_property
    def _lines(self) -> Callable[[str, Key], int | None]:
        files = [file for file in (self._rules.file, self._decisions.file) if file is not None]
        by_path = {file.path: file for file in files}
        return functools.cache(lambda path, key: strict_toml.line_of(by_path[path], key))

    # ------------------------------------------------------------ decisions

    def _decided(self, node: Node, finding: Finding) -> tuple[Place, ...]:
        """Return where a decision stands, for a finding against one."""
        file, key = self._decisions.file, self._keys_of_decisions.get(node.iri)
        if file is None or key is None:
            return ()
        if finding.property == "inForce":
            table = self._decisions.document.declaim if key[0] == "declaim" else self._decisions.document.known_failure
            # Of two ends, which one has passed, the message says.
            within: Key = ("until",) if table[int(key[1])].expires is None else ()
        else:
            within = _KEYS.get(finding.property, ())
        return (Place(file.path, self._line(file, (*key, *within))),)

    @functools.cached_property
    def _keys_of_decisions(self) -> dict[str, Key]:
        """The key in the decisions' file of each decision, by IRI."""
        document, version = self._decisions.document, self._verdict.version

        def decided(table: str, kind: str, found: Sequence[Decision]) -> Iterator[tuple[str, Key]]:
            for index, one in enumerate(found):
                segments = (kind, one.id) if one.id is not None else (f"unnamed-{kind}", str(index))
                yield iris.node(version, *segments), (table, index)

        scopes = [(index, scope) for index, scope in enumerate(document.scope) if scope.release == version]
        return {
            **dict(decided("declaim", "declaim", document.declaim)),
            **dict(decided("known_failure", "known-failure", document.known_failure)),
            **{
                iris.node(version, "scope", scope.name, *([] if len(scopes) == 1 else [str(index)])): ("scope", index)
                for index, scope in scopes
            },
        }

    # ------------------------------------------------------------ what was recorded

    def _recorded(self, node: Node, finding: Finding) -> Iterator[Place]:
        """Yield where what a finding rejects was recorded; nothing where nothing was."""
        shape = self._verdict.judging.shapes[finding.result.shape]
        if shape.path == "unreadFile":
            yield from (Place(str(value)) for name, value in node.facts if name == "unreadFile")
            return
        own = _row(node)
        if own is not None:
            yield own
            return
        # What a host holds in all its runs no inventory says.
        leads = _RECORDS if node.types[0] != "Host" or shape.path == "inventory" else ()
        records = [self._nodes.get(str(value)) for name, value in node.facts if name in leads]
        for record in records:
            found = record and (_row(record) or self._file(record.about.receipt))
            if found:
                yield found
        if records:
            return
        if (file := self._file(node.about.receipt)) is not None:
            yield file
        elif node.types[0] == "Model":
            yield from self._inventories.get(str(dict(node.facts).get("sha256")), [])
        elif node.types[0] == "Coverage" and self._verdict.ground.contexts.file is not None:
            yield Place(self._verdict.ground.contexts.file.path)

    @functools.cached_property
    def _inventories(self) -> dict[str, list[Place]]:
        """The inventories that list each model, by its sha256."""
        found: dict[str, list[Place]] = {}
        for held in self._nodes.values():
            if held.types == ("HeldModel",) and held.about.receipt is not None:
                found.setdefault(str(dict(held.facts).get("sha256")), []).append(Place(held.about.receipt))
        return found

    # ------------------------------------------------------------ what is asked for

    def _asked(self, node: Node, finding: Finding) -> tuple[Place, ...]:
        """Return where the rules ask for an obligation; the rules as a whole where no one key does."""
        file = self._rules.file
        shape = self._verdict.judging.shapes[finding.result.shape]
        if shape.path == "idleGlob":
            owed = self._rules.document.models.owed or []
            globs = [str(value) for name, value in node.facts if name == "idleGlob"]
            return tuple(Place(file.path, self._line(file, ("models", "owed", owed.index(glob)))) for glob in globs)
        if node.types[0] == "WarnedCell" and self._decisions.file is not None:
            key = self._keys_of_declaims.get(str(dict(node.facts).get("declaim")))
            return (Place(self._decisions.file.path, self._line(self._decisions.file, key) if key else None),)
        key = _key(self._rules.document, node)
        return (Place(file.path, self._line(file, key) if key else None),)

    @functools.cached_property
    def _keys_of_declaims(self) -> dict[str, Key]:
        """The key of each de-claim by what findings call it."""
        return {
            node.label: key for iri, key in self._keys_of_decisions.items()
            if key[0] == "declaim" and (node := self._nodes.get(iri)) is not None
        }  # fmt: skip


def _row(node: Node) -> Place | None:
    """Return where a row stands; None for a node that is none."""
    place = dict(node.facts).get("place")
    if place is None or node.about.receipt is None:
        return None
    line = _LINE.fullmatch(str(place))
    return Place(node.about.receipt, int(line[1]) if line else None)


def _key(document: RulesDocument, node: Node) -> Key | None:
    """Return the key of the rules that asks for an obligation."""
    kind = node.types[0]
    if kind in _ASKED:
        return _ASKED[kind]
    if kind in {"Cell", "RefusalCell"}:
        return _cell(document, node)
    if kind in {"LongArchitecture", "RepresentedArchitecture"}:
        return ("cells", "long", "representatives", node.label)
    if kind == "Suite":
        return _named(("require", "suites"), document.require.suites, node.label)
    if kind == "ExpectedRow":
        rows = {
            f"{e.suite}/{row}": (i, "rows", j)
            for i, e in enumerate(document.require.rows)
            for j, row in enumerate(e.rows)
        }
        return ("require", "rows", *rows.get(node.label, ()))
    if kind == "PerformanceClaim":
        return _named(("claims", "performance"), [claim.id for claim in document.claims.performance], node.label)
    if node.about.host is not None:
        return _named(("hosts",), [host.id for host in document.hosts], node.about.host)
    return None


def _named(key: Key, names: Sequence[str], name: str | None) -> Key:
    """Return the key of the item called `name` in a list, or that of the list."""
    return (*key, names.index(name)) if name in names else key


_ASKED: dict[str, Key] = {
    "Kernel": ("require", "kernels"), "KernelHost": ("require", "kernels"), "DispatchingModel": ("require", "kernels"),
    "Conformance": ("require", "conformance"), "ConformanceHost": ("require", "conformance"),
    "TokenizerCell": ("require", "tokenizer"), "ParityCell": ("require", "parity"), "Coverage": ("cells", "contexts"),
}  # fmt: skip


def _cell(document: RulesDocument, node: Node) -> Key | None:
    """Return what owes a cell: the pin of its model, or else its verb."""
    about = node.about
    if dict(node.facts).get("pinned"):
        for index, pin in enumerate(document.models.pinned):
            if pin.file == about.model and (pin.hosts is None or about.host in pin.hosts):
                return ("models", "pinned", index)
    return _named(("cells", "verbs"), document.cells.verbs, about.verb)
