"""The floor: the same counts with no RDF at all. DuckDB reads the same files, joins, and counts.

`python -m benchmarks.floor FOLDER` prints them. It knows the rules of a pass that the shapes state for a cell, and
nothing else: it refuses no file, names no finding, and trusts what it reads. No gate can be this cheap; it is what the
cost of all the rest is measured by.
"""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from benchmarks.ledger import COMMIT, VERSION, Counts

if TYPE_CHECKING:
    from collections.abc import Iterable

_RUN = {
    "model": "STRUCT(file VARCHAR, sha256 VARCHAR)",
    "verb": "VARCHAR",
    "context": "VARCHAR",
    "thinking": "VARCHAR",
    "verdict": "VARCHAR",
    "backend": "STRUCT(ran VARCHAR, fell_back BOOLEAN)",
    "exit_code": "BIGINT",
    "prompt_tokens": "BIGINT",
    "answer_chars": "BIGINT",
    "think_closed": "BOOLEAN",
}
_HEADER = {"schema": "VARCHAR", "release": 'STRUCT("version" VARCHAR, "commit" VARCHAR)', "host": "VARCHAR"}
_HELD = "STRUCT(file VARCHAR, sha256 VARCHAR, context_length BIGINT, template_markers VARCHAR[])[]"
_LARGEST = 256 * 2**20  # bytes of one JSON document

# What is owed: hosts x models x verbs x modes x contexts, but those that are larger than the model can read.
_CELLS = """
create table cells as
with held as (select host, unnest(models, max_depth := 2) from inventories),
     lengths as (select sha256, max(context_length) as longest from held group by sha256),
     models as (select distinct host, sha256, longest, mode from held join lengths using (sha256), unnest(
         case when list_contains(template_markers, 'enable_thinking') then ['off', 'on']
              when list_contains(template_markers, '<think>') then ['on'] else ['off'] end) as modes(mode))
select host, sha256, verb, mode, context, coalesce(tokens, longest) as tokens, longest
from models, unnest($verbs::VARCHAR[]) as verbs(verb), contexts
where coalesce(tokens, longest) <= longest
"""

_COUNTS = """
with joined as (
    select host, sha256, cells.verb, mode, cells.context, count(runs.verb) as rows, bool_and(coalesce(
        verdict = 'pass' and release.version = $version and release."commit" = $commit and backend.ran = $backend
        and backend.fell_back = false and exit_code = 0 and prompt_tokens >= tokens and prompt_tokens <= longest
        and answer_chars > 0 and think_closed is distinct from false
        and (host, sha256, model.file) in (select host, sha256, file from names), false)) as passes
    from cells left join runs
      on runs.run_host = host and runs.model.sha256 = cells.sha256 and runs.verb = cells.verb
     and runs.thinking = mode and runs.context = cells.context
    group by all)
select count(*), count(*) filter (rows = 1 and passes), count(*) filter (rows = 0) from joined
"""


def count(folder: Path) -> Counts:
    """Return what the project in `folder` owes, and what came of it."""
    project = tomllib.loads((folder / "gate.toml").read_text())
    contexts = json.loads((folder / project["project"]["contexts"]).read_text())["contexts"]
    with duckdb.connect() as base:
        base.execute("create table contexts (context VARCHAR, tokens BIGINT)")
        base.executemany("insert into contexts values (?, ?)", [(c["name"], c["tokens"]) for c in contexts])
        base.execute("insert into contexts values ('declared', null)")
        _read(base, folder / "receipts" / VERSION)
        base.execute("create table names as select host, unnest(models, max_depth := 2) from inventories")
        base.execute(_CELLS, {"verbs": project["cells"]["verbs"]})
        asked = {"version": VERSION, "commit": COMMIT, "backend": project["cells"]["backend"]}
        owed, passed, missing = base.execute(_COUNTS, asked).fetchall()[0]
    return Counts(owed, passed, missing, owed - passed - missing)


def _read(base: duckdb.DuckDBPyConnection, release: Path) -> None:
    """Make the tables `inventories` and `runs` of a release's receipts."""
    _table(base, "inventories", release.glob("inventory-*.json"), _HEADER | {"models": _HELD})
    lines, documents = list(release.glob("*.jsonl")), list(release.glob("*/*.json"))
    if lines:
        # A line is the header of its file or a row of it: what the one has, the other lacks.
        _table(base, "lines", lines, _HEADER | _RUN)
        base.execute("""
            create view runs as
            select headers.host as run_host, headers.release as release, lines.* exclude (schema, release, host)
            from lines join (select filename, release, host from lines where schema is not null) as headers
            using (filename) where lines.schema is null
        """)
    else:
        fields = ", ".join(f"{name} {kind}" for name, kind in _RUN.items())
        _table(base, "documents", documents, _HEADER | {"runs": f"STRUCT({fields})[]"})
        base.execute(
            "create view runs as select host as run_host, release, unnest(runs, max_depth := 2) from documents"
        )


def _table(base: duckdb.DuckDBPyConnection, name: str, files: Iterable[Path], columns: dict[str, str]) -> None:
    read = base.read_json(
        sorted(map(str, files)), columns=columns, filename=True, maximum_object_size=_LARGEST,
    )  # fmt: skip
    read.create(name)


if __name__ == "__main__":
    print(count(Path(sys.argv[1])))
