"""Why anything stands as it does: whatever a finding names is found by its label, and told."""

from __future__ import annotations

import difflib
from shlex import quote
from typing import TYPE_CHECKING

from rich.text import Text

from gate.errors import CallersError
from gate.findings import plain
from gate.reporting.obligation import Explained, kind_of, state, title, word
from gate.reporting.terminal import columns, page, printed

if TYPE_CHECKING:
    from rich.console import Console

    from gate.obligations.node import Node
    from gate.verdict import Verdict

_NEAR = 5


def render(verdict: Verdict, label: str, shape: str | None = None, *, color: bool | None = None) -> str:
    """Return what the verdict knows of everything called `label`; where those are of several kinds, a list of them.

    Args:
        verdict: what to explain from.
        label: what a finding or a report calls it.
        shape: the file of shapes that judges it, where several judge something of that label.
        color: whether to style it; None: where it is wanted (`terminal.page`).

    Raises:
        CallersError: the release has nothing of this label; the message names what is near.
    """
    found = _found(verdict, label)
    files = [count.id for count in verdict.shapes]
    found.sort(key=lambda node: files.index(kind_of(verdict, node)))
    kinds = {kind_of(verdict, node) for node in found}
    wanted = [node for node in found if shape is None or kind_of(verdict, node) == shape]
    if not wanted:
        raise CallersError(_nothing(verdict, label, kinds))
    console = page(color=color)
    if shape is None and len(kinds) > 1:
        _list(console, verdict, label, wanted)
    else:
        for index, node in enumerate(wanted):
            if index:
                console.print()
            Explained(verdict, node, verdict.version if label == verdict.tag else label).print(console)
    return printed(console)


def _found(verdict: Verdict, label: str) -> list[Node]:
    """Return what is called `label`, each part of something by what it is a part of. A tag is its release."""
    name = verdict.version if label == verdict.tag else label
    named = [node for node in verdict.nodes.values() if node.label == name]
    whole = {owner.iri: owner for node in named if (owner := verdict.nodes.get(node.owner or node.iri)) is not None}
    return list(whole.values())


def _nothing(verdict: Verdict, label: str, kinds: set[str]) -> str:
    if kinds:
        return (
            f"--shape: {plain(label)} of {verdict.tag} is judged by {' and '.join(sorted(kinds))}, and by no other file"
        )
    labels = list(dict.fromkeys(node.label for node in verdict.nodes.values()))
    text = label.casefold()
    within = sorted((name for name in labels if text in name.casefold()), key=lambda name: (len(name), name))
    near = list(dict.fromkeys([*difflib.get_close_matches(label, labels, n=_NEAR, cutoff=0.5), *within]))[:_NEAR]
    said = [f"{verdict.tag} has nothing called {plain(label)!r}"]
    if near:
        said += ["  These are near:", *(f"  {name}" for name in near)]
    else:
        said.append("  Names stand in every finding: gate check --format json has all of them.")
    if label.count("/") > 1:
        said.append(
            "  A model owes no context beyond its own length, and no thinking mode that its template doesn't have."
        )
    return "\n".join(said)


def _list(console: Console, verdict: Verdict, label: str, found: list[Node]) -> None:
    console.print(Text.assemble((label, "bold"), f" names {len(found)} things in {verdict.tag}:"), soft_wrap=True)
    console.print()
    table = columns(3)
    for node in found:
        table.add_row("", Text(title(verdict, node)), word(state(verdict, node)))
    console.print(table)
    console.print()
    for kind in dict.fromkeys(kind_of(verdict, node) for node in found):
        words = f"  gate explain {quote(label)} --shape {kind} --tag {verdict.tag}"
        console.print(Text(words), soft_wrap=True)
