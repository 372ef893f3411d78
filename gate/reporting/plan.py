"""The plan as text, as JSON, and as a shell script that a runner can execute."""

from __future__ import annotations

import json
import shlex
from itertools import groupby
from typing import TYPE_CHECKING

from rich.padding import Padding
from rich.text import Text

from gate.findings import plain
from gate.reporting.terminal import NARROW, columns, page, printed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console

    from gate.plan import Plan, Step

MOST_OTHERS = 12


def as_json(plan: Plan) -> str:
    """Return the plan as a JSON document that ends in a line break."""
    return json.dumps(plan.to_json(), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def as_text(plan: Plan) -> str:
    """Return the plan for a person: by host and model, with what it is expected to take."""
    console = page()
    if not plan.steps:
        console.print(Text(f"{plan.tag}: every owed cell has a run of this release.", "bold"))
    for host, found in groupby(plan.steps, key=lambda step: step.host):
        steps = list(found)
        console.print(Text(f"{host}: {_cells(steps)}, {_expected(steps)}", "bold"))
        _models(console, steps)
        console.print()
    if plan.failed:
        console.print(Text(f"Not planned: {plan.failed} cells that failed, and would again. --failed adds them."))
    _others(console, plan)
    for version, why in plan.unread:
        console.print(Text(f"Not timed: {version}: {plain(why)}"))
    if plan.steps:
        console.print(Text(f"Measure at commit {plan.commit}; --format sh is the same as a script.", "dim"))
    return printed(console)


def _models(console: Console, steps: list[Step]) -> None:
    """Show a line a model, or where that leaves no room for their names, a paragraph."""
    table = columns(4)
    for model, found in groupby(steps, key=lambda step: step.model):
        own = list(found)
        if console.width < NARROW:
            console.print(Padding(Text(plain(model), overflow="fold"), (0, 0, 0, 2)))
            console.print(Padding(Text(f"{_cells(own)}, {_expected(own)}: {_axes(own)}"), (0, 0, 0, 4)))
        else:
            table.add_row(*map(Text, (plain(model), _cells(own), _expected(own), _axes(own))))
    console.print(Padding(table, (0, 0, 0, 2)))


def _axes(steps: list[Step]) -> str:
    modes = {step.thinking for step in steps if step.thinking}
    parts = [list(dict.fromkeys(s.verb for s in steps)), list(dict.fromkeys(s.context for s in steps))]
    thinking = [f"thinking {' and '.join(sorted(modes))}"] if modes else []
    return "; ".join([", ".join(parts[0]), *thinking, f"at {', '.join(parts[1])}"])


def _cells(steps: list[Step]) -> str:
    return f"{len(steps)} {'cell' if len(steps) == 1 else 'cells'}"


def _expected(steps: Iterable[Step]) -> str:
    """Say how long steps are expected to take, and of how many nobody knows."""
    times = [step.seconds for step in steps]
    known = [seconds for seconds in times if seconds is not None]
    if not known:
        return "never timed"
    minutes, seconds = divmod(round(sum(known)), 60)
    hours, minutes = divmod(minutes, 60)
    spelled = f"{hours} h {minutes:02} min" if hours else f"{minutes} min {seconds:02} s" if minutes else f"{seconds} s"
    return f"about {spelled}" + (f" and {len(times) - len(known)} never timed" if len(known) < len(times) else "")


def _others(console: Console, plan: Plan) -> None:
    if not plan.others:
        return
    console.print(Text("Missing beside cells", "bold"))
    for shape, focus in plan.others[:MOST_OTHERS]:
        console.print(Text(f"  {shape}: {plain(focus)}"), overflow="fold")
    if len(plan.others) > MOST_OTHERS:
        console.print(Text(f"  and {len(plan.others) - MOST_OTHERS} more"))
    console.print()


def as_script(plan: Plan) -> str:
    """Return a POSIX shell script that calls `$MEASURE` once a step, a model at a time, and counts what failed.

    A name holds no line break and no tab, so that a step is one line of fields which no name can leave.
    """
    lines = ["\t".join(_fields(step)) for step in plan.steps]
    return "\n".join([
        "#!/bin/sh",
        f"# What to measure next for {plan.tag} at commit {plan.commit}: {len(plan.steps)} cells.",
        "# MEASURE is called once a cell, with host, model file, sha256, verb, thinking mode, context and its tokens;",
        "# - stands for what a cell doesn't have. A model's cells stand together, so that it need be loaded once.",
        "set -u",
        ': "${MEASURE:?set MEASURE to the command that measures one cell}"',
        "failed=0",
        "tab=$(printf '\\t')",
        'while IFS="$tab" read -r host model sha256 verb thinking context tokens; do',
        '  $MEASURE "$host" "$model" "$sha256" "$verb" "$thinking" "$context" "$tokens" </dev/null ||',
        "    failed=$((failed + 1))",
        f"done <<{shlex.quote(_END)}",
        *lines,
        _END,
        'echo "$failed of ' + str(len(plan.steps)) + ' cells could not be measured" >&2',
        '[ "$failed" -eq 0 ]',
        "",
    ])  # fmt: skip


_END = "END OF THE PLAN"


def _fields(step: Step) -> list[str]:
    fields = (step.host, step.model, step.sha256, step.verb, step.thinking, step.context, step.tokens)
    return ["-" if field is None else str(field) for field in fields]
