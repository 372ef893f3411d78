"""Markdown pages from the templates in `reports/`. Every value is escaped as it is written: none can become markup."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from gate.errors import Declined
from gate.findings import plain
from gate.iris import NAMESPACE
from gate.reporting import signers
from gate.reporting.groups import by_cause
from gate.reporting.performance import claims
from gate.states import DECLAIMED, FAILED, MISSING, PASSED
from gate.verdict import instant

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.states import CellState
    from gate.verdict import Verdict
    from gate.withdrawn import Declaimed, Told

FOLDER = "reports"

_KINDS = {
    "kernels": "kernels", "conformance": "tensor shapes", "tokenizers": "tokenizers", "parity": "output parity",
    "suites": "suites", "suite_rows": "rows of suites", "claims": "claims of speed",
}  # fmt: skip

_SPECIAL = re.compile(r"([\\`*_\[\]|~$@])")  # what has a meaning inside a line
_BLOCK = re.compile(r"^([-+#=]|\d{1,9}[.)](?=\s|$))")  # what begins a list, a heading or a rule at the start of one
_BREAKS = re.compile(r"\s+")


def folder() -> Path:
    """Return the folder of the templates: in the package where it is installed, beside it in a checkout.

    Raises:
        Declined: neither is there: the installation is broken.
    """
    package = Path(__file__).parent.parent
    for candidate in (package / FOLDER, package.parent / FOLDER):
        if (candidate / "notes.md.j2").is_file():
            return candidate
    raise Declined("the gate's report templates are missing from its installation; install it again")


def text(value: object) -> Markup:
    """Return `value` as running text: one line, HTML escaped, and nothing in it that Markdown would obey."""
    if isinstance(value, Markup):
        return value
    line = _BREAKS.sub(" ", str(value)).strip()
    escaped = _SPECIAL.sub(r"\\\1", str(escape(line)))
    return Markup(_BLOCK.sub(_escaped_block, escaped))  # noqa: S704 - escaped on the lines above


def _escaped_block(match: re.Match[str]) -> str:
    return f"{match[1][:-1]}\\{match[1][-1]}"


def code(value: object) -> Markup:
    """Return `value` as a code span that nothing in it can leave."""
    line = plain(str(value))
    if re.search(r"[`|<>&\\]", line):
        return Markup("<code>") + text(line) + Markup("</code>")
    return Markup(f"`{line}`")  # noqa: S704 - no backtick, pipe or angle bracket is left in it


def figure(value: float | None) -> str:
    """Return a measured figure as a reader needs it, or that there is none."""
    return "not measured" if value is None else f"{value:.6g}"


def obligations(verdict: Verdict) -> list[tuple[str, dict[str, int]]]:
    """Return how the obligations beside cells stand, counted, by what a reader calls their kind."""
    none = dict.fromkeys((PASSED, MISSING, FAILED, DECLAIMED), 0)
    everything = (verdict.kernels | verdict.others).items()
    return [(_KINDS[kind], none | Counter(one.state for one in found)) for kind, found in everything]


def render(template: str, verdict: Verdict) -> str:
    """Return the page that `template` makes of `verdict`, ending in one line break."""
    environment = Environment(
        loader=FileSystemLoader(folder()), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        keep_trailing_newline=True, autoescape=False, finalize=text,  # noqa: S701 - `finalize` escapes for Markdown
    )  # fmt: skip
    environment.filters |= {"code": code, "instant": instant, "figure": figure}
    page = environment.get_template(template).render(**facts(verdict))
    return re.sub(r"\n{3,}", "\n\n", page).strip("\n") + "\n"


def facts(verdict: Verdict) -> dict[str, Any]:
    """Return what a template may say: the verdict, and its findings and cells in the groups that pages need."""
    groups = by_cause(verdict.findings)
    return {
        "verdict": verdict,
        "states": verdict.states,
        "refused": [group for group in groups if group.severity == "violation"],
        "notices": [group for group in groups if group.severity != "violation"],
        "missing": _by_model(cell for cell in verdict.cells if cell.state == MISSING),
        "declaims": [(declaim, _by_model(declaim.cells)) for declaim in verdict.declaimed],
        "earlier": list(_earlier(verdict)),
        "obligations": obligations(verdict),
        "speed": claims(verdict),
        "axes": axes,
        "signers": signers,
        "recorded": lambda declaim: _recorded(verdict, declaim),
        "ticket": lambda told: _ticket(verdict, told),
    }


def _by_model(cells: Any) -> list[tuple[str, str, list[CellState]]]:
    """Return the cells by host and model, in their order."""
    found: dict[tuple[str, str], list[CellState]] = {}
    for cell in cells:
        about = cell.node.about
        found.setdefault((about.host, about.model), []).append(cell)
    return [(host, model, members) for (host, model), members in found.items()]


def axes(cells: list[CellState]) -> str:
    """Return what the cells of one model and host span: their verbs, thinking modes and contexts."""
    spans = []
    for axis, label in (("verb", "{}"), ("thinking", "thinking {}"), ("context", "at {}")):
        values = dict.fromkeys(getattr(cell.node.about, axis) for cell in cells)
        names = [value for value in values if value is not None]
        if names:
            spans.append(label.format(", ".join(names)))
    return "; ".join(spans)


def _recorded(verdict: Verdict, declaim: Declaimed) -> str:
    """Return what the rows of withdrawn cells say of themselves, counted: nothing asks them to pass."""
    said: Counter[str] = Counter()
    for cell in declaim.cells:
        rows = [verdict.nodes[str(value)] for name, value in cell.node.facts if name == "receipt"]
        words = [str(value).removeprefix(NAMESPACE) for row in rows for name, value in row.facts if name == "verdict"]
        said.update(words or ["not run"])
    return ", ".join(f"{count} {word}" for word, count in sorted(said.items(), key=lambda item: (-item[1], item[0])))


def _earlier(verdict: Verdict) -> Iterator[tuple[str, str, list[str]]]:
    """Yield each receipt that measured an earlier commit and stands, that commit, and the ignored paths that differ."""
    for node in verdict.nodes.values():
        commit = next((str(value) for name, value in node.facts if name == "earlierCommit"), None)
        if commit is not None:
            yield node.label, commit, [str(value) for name, value in node.facts if name == "ignoredDifference"]


def _ticket(verdict: Verdict, told: Told) -> Markup:
    """Return the ticket of a decision, as a link where the rules name a repository that a browser can open."""
    if told.issue is None:
        return Markup("no ticket")
    name = Markup(f"#{int(told.issue)}")  # noqa: S704 - a number
    repository = (verdict.repository or "").rstrip("/")
    if not re.fullmatch(r"https?://[^\s()<>\[\]\\`|\"']+", repository):
        return name
    return Markup(f"[{name}]({escape(repository)}/issues/{int(told.issue)})")  # noqa: S704 - matched and escaped
