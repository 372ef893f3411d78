"""Why each thing is owed, in one sentence and the facts that it rests on: the rules, an inventory, a decision."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from gate.findings import plain
from gate.states import DECLAIMED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from gate.obligations.node import Node
    from gate.verdict import Verdict


def because(verdict: Verdict, node: Node) -> Iterator[str]:
    """Yield why `node` is owed or judged: a sentence, then what it comes to, a line each."""
    found = _WHY.get(node.types[0])
    if found is not None:
        yield from found(verdict, node)


def values(node: Node, name: str) -> list[str]:
    """Return the values of a fact as text; none where nobody recorded it."""
    return [plain(str(value)) for key, value in node.facts if key == name]


def listed(names: list[str], most: int = 4) -> str:
    """Return the names in one line, the first of them where they are many."""
    rest = len(names) - most
    return ", ".join(names) if rest <= 1 else f"{', '.join(names[:most])} and {rest} more"


def _all(names: list[str]) -> str:
    """Return the names as a sentence has them."""
    return listed(names) if len(names) != 2 else f"{names[0]} and {names[1]}"


def _counted(states: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {'de-claimed' if state == DECLAIMED else state}" for state, count in states.items())


def _first(node: Node, name: str) -> str | None:
    return next(iter(values(node, name)), None)


def _labels(verdict: Verdict, node: Node, name: str) -> list[str]:
    """Return the labels of the nodes that a fact leads to, each once."""
    return list(dict.fromkeys(verdict.nodes[iri].label for iri in values(node, name) if iri in verdict.nodes))


def _cell(verdict: Verdict, node: Node) -> Iterator[str]:
    about, facts = node.about, dict(node.facts)
    claimed = "Claimed" if node.types[0].startswith("Declaimed") else "Owed"
    pinned = f"the rules pin {about.model} on {about.host}"
    yield f"{claimed}, because {pinned if facts.get('pinned') else f'{about.host} holds {about.model}'}"
    if "contextTokens" in facts:
        yield f"at the context {about.context}: a prompt of at least {facts['contextTokens']} tokens"
    yield f"by one run of version {verdict.version} at this very commit"
    if node.types[0] == "RefusalCell":
        needed, total = facts["neededBytes"], facts["gpuMemoryBytes"]
        yield f"as a refusal: it needs {needed:,} bytes, and the GPU has {total:,} in all"


def _kernel(verdict: Verdict, node: Node) -> Iterator[str]:
    wanted = (node.about.kernel, node.about.quant)
    runs = [
        other.label
        for other in verdict.nodes.values()
        if other.types[0] == "DispatchingModel"
        and any(
            (verdict.nodes[iri].about.kernel, verdict.nodes[iri].about.quant) == wanted
            for iri in values(other, "dispatches")
            if iri in verdict.nodes
        )
    ]
    claimed = "Claimed" if node.types[0].startswith("Declaimed") else "Owed"
    models = _all(runs) if runs else "a model that is withdrawn on its host"
    yield f"{claimed}, because {models} {'run' if len(runs) > 1 else 'runs'} it: each required host owes it"
    yield f"by a row of {node.about.host} itself, of version {verdict.version} at this very commit"


def _kernel_host(_: Verdict, node: Node) -> Iterator[str]:
    yield f"Owes a kernel receipt, because {node.about.host} is required, and require.kernels is set"
    yield "each host measures its own kernels"


def _dispatching(_: Verdict, node: Node) -> Iterator[str]:
    yield f"Owes a dispatch list, because require.kernels is set, and {node.about.host} holds and claims the model"


def _conformance(verdict: Verdict, node: Node) -> Iterator[str]:
    hosts = [other for other in verdict.nodes.values() if other.types[0] == "ConformanceHost"]
    says = [path for host in hosts if host.about.host == node.about.host for path in values(host, "census")]
    claimed = "Claimed" if node.types[0].startswith("Declaimed") else "Owed"
    shape = _first(node, "tensorShape")
    held = f"{node.about.host} holds {node.about.quant} tensors of {shape}"
    yield f"{claimed}, because {held}, as a census says: {_all(says)}"
    yield f"by one row of {node.about.host} itself, of version {verdict.version} at this very commit"


def _conformance_host(_: Verdict, node: Node) -> Iterator[str]:
    yield f"Owes a census and a conformance receipt, because {node.about.host} is required"
    yield "and require.conformance is set"


def _tokenizer(verdict: Verdict, node: Node) -> Iterator[str]:
    sha256 = _first(node, "sha256")
    model = next((n for n in verdict.nodes.values() if n.types[0] == "Model" and _first(n, "sha256") == sha256), None)
    holders = _all(_labels(verdict, model, "heldBy")) if model else ""
    yield f"Owed, because require.tokenizer is set, and the model is owed{f' on {holders}' if holders else ''}"
    yield f"by one comparison with a pinned comparator, of version {verdict.version} at this very commit"


def _parity(verdict: Verdict, node: Node) -> Iterator[str]:
    reference, prefix = _first(node, "reference"), _first(node, "prefixAsked")
    yield f"Owed, because require.parity asks that the output on {node.about.host} is {reference}'s"
    yield f"for its first {prefix} tokens, at one prompt or more, of version {verdict.version} at this very commit"


def _performance(_: Verdict, node: Node) -> Iterator[str]:
    yield f"Owed, because claims.performance says it of {node.about.model}"
    yield f"{_first(node, 'metric')} at {_first(node, 'configuration')}: {threshold(node)}"


def threshold(node: Node) -> str:
    """Return what a performance claim says: how much, of what, in how many runs."""
    comparator, least = _first(node, "comparator"), _first(node, "atLeast")
    owed = int(_first(node, "runsOwed") or 0)
    compared = f" of {comparator}'s" if comparator else ""
    if least is None:
        what = f"the own figure beside {comparator}'s" if comparator else "the own figure"
        return f"{what}, in {owed} {'run' if owed == 1 else 'runs'}"
    reach = owed - int(_first(node, "runsMayMiss") or 0)
    return f"at least {float(least):g}{compared} in {reach} of {owed} {'run' if owed == 1 else 'runs'}"


def _suite(verdict: Verdict, _: Node) -> Iterator[str]:
    yield "Owed, because require.suites names it"
    yield f"by one run that says GO, of version {verdict.version} at this very commit"


def _unrequired(_: Verdict, node: Node) -> Iterator[str]:
    yield f"Not owed: require.suites does not name {plain(node.label)}"


def _row_of_suite(verdict: Verdict, node: Node) -> Iterator[str]:
    yield f"Owed, because require.rows names {_first(node, 'name')}"
    yield f"by one result that passed, of version {verdict.version} at this very commit"


def _host(verdict: Verdict, node: Node) -> Iterator[str]:
    yield "Owes an inventory, and every cell of each owed model that it holds, because the rules require it"
    states = next((host.states for host in verdict.hosts if host.id == node.label), {})
    yield f"its cells: {_counted(states)}" if states else "it owes no cell: it holds no owed model that is known"


def _model(verdict: Verdict, node: Node) -> Iterator[str]:
    holders = _labels(verdict, node, "heldBy")
    yield (
        f"Owed, because {_all(holders)} {'hold' if len(holders) > 1 else 'holds'} it"
        if holders
        else ("Owed, because the rules pin it; no required host holds it")
    )
    own = f"/{_first(node, 'sha256')}/"
    states = Counter(cell.state for cell in verdict.cells if own in cell.node.iri)
    yield f"its cells: {_counted(states)}" if states else "it owes no cell"


def _context(verdict: Verdict, node: Node) -> Iterator[str]:
    cells = sum(cell.node.about.context == node.label for cell in verdict.cells)
    yield f"Owed, because the contexts file names it: {cells} cells are at it, those withdrawn included"


def _coverage(_: Verdict, node: Node) -> Iterator[str]:
    yield f"Owed, because {node.about.model} owes the context {node.about.context}"
    yield "as a pass on one required host at least"


def _long(_: Verdict, node: Node) -> Iterator[str]:
    yield f"Owed, because cells.long gives the long contexts of {node.label} to one file, or to none"


def _declaim(verdict: Verdict, node: Node) -> Iterator[str]:
    covered = len(values(node, "covers"))
    obligations = "obligation" if covered == 1 else "obligations"
    yield f"Decided in claims.toml: it covers {covered} {obligations} of {verdict.tag}"


def _receipt(verdict: Verdict, node: Node) -> Iterator[str]:
    own = [other for other in verdict.nodes.values() if other.about.receipt == node.label]
    rows = [row for row in own if any(key == "place" for key, _ in row.facts)]
    lost = sum(any(key == "orphanedBy" for key, _ in row.facts) for row in rows)
    yield "Judged, because it lies in the release's folder"
    if rows:
        keyed = f"{lost} of them key onto nothing" if lost else "each keys onto something"
        yield f"it gives {len(rows)} {'row' if len(rows) == 1 else 'rows'} that {verdict.tag} asks for; {keyed}"


def _release(verdict: Verdict, _: Node) -> Iterator[str]:
    judged = [shape for shape in verdict.shapes if shape.focus_nodes]
    red = sum(shape.violations for shape in judged)
    yield f"Judged, because {verdict.tag} asks to be cut"
    yield f"{sum(shape.focus_nodes for shape in judged)} things of {len(judged)} kinds were judged, and {red} are red"


def _row(_: Verdict, node: Node) -> Iterator[str]:
    yield f"Owed by nothing: {_first(node, 'orphanedBy') or 'it keys onto no obligation'}"


_WHY: dict[str, Callable[[Verdict, Node], Iterator[str]]] = {
    "Cell": _cell, "RefusalCell": _cell, "DeclaimedCell": _cell, "KnownCell": _cell, "OutsideCell": _cell,
    "Kernel": _kernel, "DeclaimedKernel": _kernel, "KnownKernel": _kernel, "KnownConformance": _conformance,
    "KnownSuite": _suite, "KnownSuiteRow": _row_of_suite,
    "KernelHost": _kernel_host, "DispatchingModel": _dispatching, "Conformance": _conformance,
    "DeclaimedConformance": _conformance, "ConformanceHost": _conformance_host, "TokenizerCell": _tokenizer,
    "ParityCell": _parity, "PerformanceClaim": _performance, "Suite": _suite, "UnrequiredSuiteRun": _unrequired,
    "ExpectedRow": _row_of_suite, "Host": _host, "Model": _model, "Context": _context, "Coverage": _coverage,
    "LongArchitecture": _long, "Declaim": _declaim, "Receipt": _receipt, "Release": _release, "Row": _row,
}  # fmt: skip
