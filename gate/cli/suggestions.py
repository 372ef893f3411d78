"""What a shell offers for `--tag` and `--host`. Read in haste: only a check says what is wrong with it."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path


def tags(rules: Path, begun: str) -> list[str]:
    """Return the releases that the ledger or git knows, the newest first: tags, or where none is `begun` so, bare."""
    from gate import versions

    project = _table(_read(rules).get("project"))
    pattern, ledger = project.get("tag", "v{version}"), project.get("ledger", "receipts")
    if not isinstance(pattern, str) or not isinstance(ledger, str) or pattern.count(versions.TAG_FIELD) != 1:
        return []
    found = set()
    for name in [*_folders(rules.parent / ledger), *_git_tags(rules.parent)]:
        try:
            found.add(versions.version_of_tag(name, pattern))
        except ValueError:
            continue
    newest = sorted(found, key=versions.parse, reverse=True)
    spelled = _begun((versions.tag_of_version(version, pattern) for version in newest), begun)
    return spelled or _begun(newest, begun)


def hosts(rules: Path, begun: str) -> list[str]:
    """Return the hosts that the rules know, each with its aliases."""
    listed = _read(rules).get("hosts")
    tables = [_table(host) for host in listed] if isinstance(listed, list) else []
    names = [[host.get("id"), *aliases] for host in tables if isinstance(aliases := host.get("aliases", []), list)]
    return _begun((name for known in names for name in known if isinstance(name, str)), begun)


# By the name of the option: what it takes is the same for every command.
OF: Mapping[str, Callable[[Path, str], list[str]]] = {"tag": tags, "host": hosts}


def _begun(names: Iterable[str], begun: str) -> list[str]:
    return [name for name in names if name.startswith(begun)]


def _read(rules: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(rules.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}


def _table(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _folders(ledger: Path) -> Iterator[str]:
    try:
        yield from sorted(path.name for path in ledger.iterdir() if path.is_dir())
    except (OSError, ValueError):
        return


def _git_tags(folder: Path) -> list[str]:
    from gate import git
    from gate.errors import GateError

    try:
        return git.tags(folder)
    except GateError:
        return []
