"""A ledger of any size, of which is known what its verdict must count: hosts x models x verbs x modes x contexts.

It is written as it is made, so that a million cells take no memory, and the same arguments give the same bytes. What is
measured differs from row to row, as it does in life: times, lengths of answers, tokens of prompts.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from dataclasses import asdict, dataclass
from itertools import chain, count, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

VERSION = "1.0.0"
COMMIT = "c0ffee" + "0" * 34
HOSTS = ("host-0", "host-1")
VERBS = ("run", "chat", "serve", "code")
MODES = ("off", "on")
SIZED = {"4k": 4096, "8k": 8192, "32k": 32768}
LINES, DOCUMENTS = "lines", "documents"  # JSON Lines, one file a host; JSON, one file a ROWS_OF_A_DOCUMENT rows
ROWS_OF_A_DOCUMENT = 500

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Share:
    """Of the cells of a host, every how many is missing, and every how many fails; 0: none."""

    missing: int = 0
    failing: int = 0


SHARES = {
    "all passing": Share(),
    "1% missing": Share(missing=100),
    "all missing": Share(missing=1),
    "1% failing": Share(failing=100),
}


@dataclass(slots=True)
class Counts:
    """What a verdict on the ledger must count of cells."""

    owed: int = 0
    passed: int = 0
    missing: int = 0
    failed: int = 0

    def __str__(self) -> str:
        """Return it as the text of a verdict begins to say it."""
        return f"{self.owed} cells owed: {self.passed} passed, {self.missing} missing, {self.failed} failed"

    def __add__(self, other: Counts) -> Counts:
        """Return the counts of both."""
        return Counts(*(a + b for a, b in zip(asdict(self).values(), asdict(other).values(), strict=True)))


@dataclass(frozen=True, slots=True)
class Model:
    """A model that every host holds, with the longest context that it reads, in tokens."""

    file: str
    sha256: str
    length: int

    @classmethod
    def of(cls, index: int) -> Model:
        """Return the model of this number. Of eight, one is too short for a context and one long enough for all."""
        length = {3: 40960, 7: 6144}.get(index % 8, 20480)
        return cls(f"model-{index:06}.gguf", hashlib.sha256(str(index).encode()).hexdigest(), length)

    @property
    def contexts(self) -> dict[str, int]:
        """The contexts that it can read, and its own longest."""
        return {name: size for name, size in SIZED.items() if size <= self.length} | {"declared": self.length}


def write(folder: Path, cells: int, share: Share, layout: str = LINES) -> dict[str, Counts]:
    """Write a project to `folder`, which is made, and return what its verdict must count, by host.

    Args:
        folder: where nothing is yet.
        cells: the least number of cells; there are at most a model's cells more.
        share: what of them is missing, and what fails.
        layout: `LINES` or `DOCUMENTS`.
    """
    ledger = folder / "receipts" / VERSION
    ledger.mkdir(parents=True)
    tables = "".join(f'[[hosts]]\nid = "{name}"\n\n' for name in HOSTS)
    (folder / "gate.toml").write_text(
        f'[project]\nname = "benchmark"\ncontexts = "receipts/contexts.json"\n\n{tables}'
        f'[cells]\nverbs = {json.dumps(VERBS)}\nbackend = "cuda"\nthinking = true\n'
    )
    contexts = [{"name": name, "tokens": tokens, "source": ["benchmark"]} for name, tokens in SIZED.items()]
    document = {"schema": "taggate/contexts/v1", "contexts": contexts}
    (folder / "receipts" / "contexts.json").write_text(json.dumps(document))
    for host in HOSTS:
        _write_inventory(ledger / f"inventory-{host}.json", host, cells)
    return {host: write_runs(folder, host, cells, share, layout) for host in HOSTS}


def write_runs(folder: Path, host: str, cells: int, share: Share, layout: str = LINES, changes: int = 0) -> Counts:
    """Write the run receipts of one host over those that are there, and return what a verdict must count of it.

    Args:
        folder: where `write` wrote.
        host: one of `HOSTS`.
        cells: as `write` was told.
        share: what is missing, and what fails.
        layout: `LINES` or `DOCUMENTS`.
        changes: how often the host was measured again. Each time its every row differs, and one cell more is missing.
    """
    ledger, counts = folder / "receipts" / VERSION, Counts()
    header = _header("run", host, minute=changes)
    rows = _rows(cells, share, changes, counts)
    if layout == LINES:
        with (ledger / f"{host}.jsonl").open("w", encoding="utf-8") as stream:
            stream.writelines(f"{json.dumps(line)}\n" for line in chain([header], rows))
        return counts
    (ledger / host).mkdir(exist_ok=True)
    for number in count():
        runs = list(islice(rows, ROWS_OF_A_DOCUMENT))
        if number and not runs:  # a host that ran nothing has a receipt that says so
            return counts
        (ledger / host / f"{number:05}.json").write_text(json.dumps(header | {"runs": runs}))
    return counts


def _header(kind: str, host: str, minute: int = 0) -> Row:
    return {
        "schema": f"taggate/{kind}-receipt/v1",
        "release": {"version": VERSION, "commit": COMMIT},
        "measured_at": f"2025-01-01T09:{minute:02}:00Z",
        "producer": "benchmark",
        "host": host,
    }


def _models(cells: int) -> Iterator[Model]:
    """Yield as many models as owe so many cells, or just more, on all hosts together."""
    owed = 0
    for index in count():
        if owed >= cells:
            return
        model = Model.of(index)
        owed += len(HOSTS) * len(VERBS) * len(MODES) * len(model.contexts)
        yield model


def _write_inventory(file: Path, host: str, cells: int) -> None:
    with file.open("w", encoding="utf-8") as stream:
        stream.write(json.dumps(_header("inventory", host) | {"models": []}).removesuffix("]}"))
        for number, model in enumerate(_models(cells)):
            held = {"file": model.file, "sha256": model.sha256, "arch": "qwen3", "context_length": model.length}
            stream.write((",\n" if number else "\n") + json.dumps(held | {"template_markers": ["enable_thinking"]}))
        stream.write("]}\n")


def _rows(cells: int, share: Share, changes: int, counts: Counts) -> Iterator[Row]:
    """Yield the rows of a host, and count its cells meanwhile."""
    for model in _models(cells):
        for verb in VERBS:
            for mode in MODES:
                for context, tokens in model.contexts.items():
                    counts.owed += 1
                    if _every(share.missing, counts.owed) or counts.owed <= changes:
                        counts.missing += 1
                        continue
                    row = _row(model, verb, mode, context, tokens, seed=counts.owed + changes)
                    if _every(share.failing, counts.owed):
                        counts.failed += 1
                        yield from FAULTS[counts.failed % len(FAULTS)](row)
                    else:
                        counts.passed += 1
                        yield row


def _every(number: int, index: int) -> bool:
    return number > 0 and index % number == 0


def _row(model: Model, verb: str, mode: str, context: str, tokens: int, seed: int) -> Row:
    """Return a row that passes. `seed` makes what it measured."""
    return {
        "model": {"file": model.file, "sha256": model.sha256},
        "verb": verb,
        "context": context,
        "thinking": mode,
        "verdict": "pass",
        "backend": {"requested": "cuda", "ran": "cuda", "fell_back": False},
        "exit_code": 0,
        "prompt_tokens": min(tokens + seed % 7, model.length),
        "answer_chars": 1 + seed % 997,
        "seconds": round(1 + seed * 7919 % 10007 / 100, 2),
        "think_closed": True if mode == "on" else None,
    }


def _but(**different: object) -> Callable[[Row], list[Row]]:
    return lambda row: [row | different]


# Each way in which the rows of a cell are no pass.
FAULTS: tuple[Callable[[Row], list[Row]], ...] = (
    _but(verdict="fail"), _but(verdict="error"), _but(verdict="skip"), _but(verdict=None),
    _but(backend={"requested": "cuda", "ran": "cpu", "fell_back": True}),
    _but(backend={"requested": "cuda", "ran": "cpu", "fell_back": False}),
    _but(backend={"requested": "cuda", "ran": "cuda"}), _but(backend={"requested": "cuda", "fell_back": False}),
    _but(exit_code=1), _but(exit_code=None), _but(prompt_tokens=1), _but(prompt_tokens=None),
    _but(prompt_tokens=2**20), _but(answer_chars=0), _but(answer_chars=None), _but(think_closed=False),
    lambda row: [row | {"model": row["model"] | {"file": "another.gguf"}}],
    lambda row: [row, row],
)  # fmt: skip


def main() -> None:
    """Write what the command line asks for, and print what it must count."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("cells", type=int)
    parser.add_argument("--share", choices=SHARES, default="1% missing")
    parser.add_argument("--layout", choices=(LINES, DOCUMENTS), default=LINES)
    options = parser.parse_args()
    planted = write(options.folder, options.cells, SHARES[options.share], options.layout)
    print(sum(planted.values(), Counts()))


if __name__ == "__main__":
    main()
