"""`gate hook`."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate.cli.options import Once, emit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from gate.pushed import Repository, Update

_SCRIPT = """#!/bin/sh
# Judges each release tag that is pushed, from what is pushed. Written by: gate hook install
exec {program} hook {hook} --rules-path {rules} "$@"
"""
_MARK = "Written by: gate hook install"


@click.group(epilog="""\b
Examples:
  gate hook install                          in a clone: judge release tags before they are pushed
  gate hook install --hook pre-receive       in a bare repository: judge them before they are taken
""")  # fmt: skip
def command() -> None:
    """The gate as a git hook: a release tag is pushed, or taken, only where its release conforms.

    What is judged is what was pushed: the rules, the decisions and the receipts of the tag's own commit.
    """


def _rules_path(function: Callable[..., Any]) -> Callable[..., Any]:
    return click.option(
        "--rules-path", "rules_file", cls=Once, default="gate.toml", show_default=True, metavar="PATH",
        help="Where the rules lie in a commit, from its root.",
    )(function)  # fmt: skip


@command.command()
@_rules_path
@click.option("--hook", type=click.Choice(["pre-push", "pre-receive"]), default="pre-push", show_default=True,
              help="Of a clone that is pushed from, or of the repository that is pushed to.")  # fmt: skip
@click.option("--force", is_flag=True, help="Replace another hook of this name.")
def install(rules_file: str, hook: str, *, force: bool) -> int:
    """Write the hook into this repository (core.hooksPath is heeded)."""
    import shlex

    from gate.errors import CallersError
    from gate.files import write_whole
    from gate.pushed import Repository

    folder = Repository(Path.cwd()).hooks()
    path = folder / hook
    if path.exists() and not force and _MARK not in path.read_text(encoding="utf-8", errors="replace"):
        raise CallersError(f"{path}: another hook stands there\n  Call gate hook {hook} from it, or give --force.")
    folder.mkdir(parents=True, exist_ok=True)
    # -P: nothing in the folder that is pushed from has a say in what Python runs.
    program = f"{shlex.quote(sys.executable)} -P -m gate"
    script = _SCRIPT.format(program=program, hook=hook, rules=shlex.quote(rules_file))
    write_whole(path, script.encode("utf-8"))
    path.chmod(0o755)
    emit(f"{path}: judges each release tag that is pushed\n", None)
    return 0


@command.command(name="pre-receive")
@_rules_path
def pre_receive(rules_file: str) -> int:
    """Judge the tags that were pushed, as git's pre-receive hook is asked to: lines on standard input."""
    from gate.pushed import Repository, Update

    lines = [line.split(" ", 2) for line in sys.stdin.read().splitlines() if line]
    return _judge(Repository(Path.cwd()), [Update(*line) for line in lines], rules_file)


@command.command(name="pre-push")
@_rules_path
@click.argument("remote", nargs=-1)
def pre_push(rules_file: str, remote: tuple[str, ...]) -> int:  # noqa: ARG001 - git names the remote; all are alike
    """Judge the tags that are about to be pushed, as git's pre-push hook is asked to: lines on standard input."""
    from gate.pushed import Repository, Update

    # What is pushed may be named by an expression with blanks in it; the three names behind it hold none.
    lines = [line.rsplit(" ", 3) for line in sys.stdin.read().splitlines() if line]
    return _judge(Repository(Path.cwd()), [Update(old, new, ref) for _, new, ref, old in lines], rules_file)


def _judge(repository: Repository, updates: Iterable[Update], rules_file: str) -> int:
    """Judge every tag of a push, and return the worst of their endings: one that can't be cut holds back the push."""
    worst, tags = 0, [update for update in updates if update.is_tag]
    for update in tags:
        others = {other.ref: other.after for other in tags if other.creates and other is not update}
        code, said = _ending(repository, update, rules_file, others)
        worst = max(worst, code)
        if said:
            with contextlib.suppress(OSError):  # nobody hears it, and the code says it
                click.echo(said, err=True)
    return worst


def _ending(repository: Repository, update: Update, rules_file: str, others: dict[str, str]) -> tuple[int, str]:
    """Return the exit code of one tag, and what its pusher is told. `others` are pushed with it, by their refs."""
    from gate.errors import GateError

    try:
        return _one(repository, update, rules_file, others)
    except GateError as error:
        return error.exit_code, f"gate: {update.name}: {error}"


def _one(repository: Repository, update: Update, rules_file: str, others: dict[str, str]) -> tuple[int, str]:
    from gate import pushed
    from gate.check import Request, check
    from gate.reporting import text

    shown = repository.commit_of_head()
    known = [shown] if shown is not None else []
    if update.deletes:
        formats = pushed.tag_formats(repository, known, rules_file)
        if pushed.judged(update, formats) is None:
            return 0, ""
        return 1, f"gate: {update.name} is a release, and stays: delete it in the repository itself, if it must go"
    commit = repository.commit_of(update.after)
    formats = pushed.tag_formats(repository, [commit, *known] if commit is not None else known, rules_file)
    version = pushed.judged(update, formats)
    if version is None:
        like = pushed.resembled(update, formats)
        if like is None:
            return 0, ""
        return 1, f"gate: {update.name} looks like the release {like}, and isn't spelled like it: nobody would judge it"
    if not update.creates:
        return 1, f"gate: {update.name} exists, and a release isn't moved: cut the next one"
    if commit is None:
        return 1, f"gate: {update.name} leads to no commit; a release is one"
    if repository.kind(update.after) != "tag":
        return 1, f"gate: {update.name} is a lightweight tag; a release is cut by an annotated one: gate tag {version}"
    if repository.inner_name(update.after) != update.name:
        return 1, f"gate: {update.name} calls itself {repository.inner_name(update.after)}: it was cut as another tag"
    with repository.project(commit, rules_file, others) as rules:
        verdict = check(Request(rules, version, commit))
    return verdict.exit_code, text.render(verdict, color=False)
