"""`gate init`."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gate.cli.answers import COMMIT, NAME, TAG, TEXT, VERSION, ContextType, HostType
from gate.cli.options import Once, emit

if TYPE_CHECKING:
    from gate.scaffold import Host, Project

# What has no answer that is safe to assume, by its option: without one, a release would owe something else, or less.
NEEDED = {
    "name": "--name", "version": "--release", "commit": "--commit", "hosts": "--host", "verbs": "--verb",
    "backend": "--backend", "thinking": "--thinking or --no-thinking", "contexts": "--context", "pipeline": "--ci",
}  # fmt: skip


@click.command(epilog="""\b
Examples:
  gate init
  gate init --name demo --release 0.1.0 --host "bench:NVIDIA GeForce RTX 4090:8.9" \\
    --verb run --verb chat --backend cuda --thinking --context 4k --ci github

On a terminal, what is needed and not given is asked. Elsewhere its absence ends with 3, and nothing is written. Nothing
that exists is ever written over.
""")  # fmt: skip
@click.argument("folder", required=False, default=".", type=click.Path(path_type=Path))
@click.option("--name", cls=Once, type=TEXT, metavar="NAME", help="The project's name.")
@click.option("--repository", cls=Once, type=TEXT, metavar="URL", help="Where tickets are: URL/issues/7.")
@click.option("--tag-format", cls=Once, type=TAG, metavar="FORMAT", help="How a tag is spelled. [default: v{version}]")
@click.option("--release", "version", cls=Once, type=VERSION, metavar="VERSION", help="The first release to judge.")
@click.option("--commit", cls=Once, type=COMMIT, metavar="SHA",
              help="The full commit that it is measured at. [default: the one that git has checked out]")  # fmt: skip
@click.option("--host", "hosts", multiple=True, type=HostType(), metavar="HOST",
              help="A machine that measures: ID, ID:GPU or ID:GPU:COMPUTE, its GPU as nvidia-smi names it. "
              "Once for each.")  # fmt: skip
@click.option("--verb", "verbs", multiple=True, type=NAME, metavar="NAME", help="A mode of use. Once for each.")
@click.option("--backend", cls=Once, type=NAME, metavar="NAME", help="Where a pass must have run: cuda.")
@click.option("--thinking", is_flag=True, help="Each mode of thinking is owed that a model has.")
@click.option("--no-thinking", is_flag=True, help="Thinking is no axis of what is owed.")
@click.option("--context", "contexts", multiple=True, type=ContextType(), metavar="CONTEXT",
              help="A size of prompt: NAME, NAME=TOKENS or NAME=TOKENS:SOURCE, what it was derived from. "
              "Once for each.")  # fmt: skip
@click.option("--owed", multiple=True, type=TEXT, metavar="GLOB",
              help="Which model files are owed. Once for each. [default: all that a host holds]")  # fmt: skip
@click.option(
    "--suite", "suites", multiple=True, type=NAME, metavar="NAME", help="A suite that must say GO. Once for each."
)
@click.option("--ci", "pipeline", cls=Once, type=click.Choice(["github", "gitlab", "none"]),
              metavar="CI", help="Whose pipeline is written: github, gitlab or none.")  # fmt: skip
@click.option("--models", cls=Once, type=click.Path(path_type=Path), metavar="DIR",
              help="The first host's GGUF files, on this machine: its inventory is written too. "
              "Needs the package gguf.")  # fmt: skip
def command(folder: Path, *, thinking: bool, no_thinking: bool, **said: Any) -> int:
    """Begin: write the rules, the decisions, the first release and the pipeline into FOLDER.

    gate.toml, claims.toml, receipts/VERSION/release.toml, the contexts where they have sizes, and the file of the CI;
    each says in comments what it is for. With --models also what the first host holds, so that the first check refuses
    and names each cell to measure.
    """
    from gate import scaffold
    from gate.files import refuse_existing, write_new

    if thinking and no_thinking:
        raise click.UsageError("--thinking and --no-thinking contradict each other; give one of them")
    said["thinking"] = thinking if thinking or no_thinking else None
    said["commit"] = said["commit"] or _checked_out(folder)
    said = _complete(said, folder)
    project = _project(said)
    _refuse_idle_pipeline(folder, said["pipeline"])
    models = said["models"]
    inventories = [project.inventory(project.hosts[0])] if models else []
    refuse_existing(folder, [*scaffold.paths(project), *inventories])  # before a folder is hashed for minutes
    made = scaffold.render(project)
    if models:
        made[inventories[0]] = _inventory(models, project)
    write_new(folder, made)
    emit(_report(folder, project, list(made), scanned=bool(models)), None)
    return 0


def _checked_out(folder: Path) -> str | None:
    from gate import git

    return git.head(_nearest(folder))


def _nearest(folder: Path) -> Path:
    """Return `folder`, or the nearest one above it that exists."""
    return next((one for one in (folder, *folder.absolute().parents) if one.is_dir()), Path("/"))


def _complete(said: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Return what was said, and what is answered on a terminal.

    Raises:
        CallersError: something needed is missing, and nobody can be asked.
        Declined: who was asked went away.
    """
    from gate.errors import CallersError, Declined
    from gate.files import refuse_existing
    from gate.scaffold import DECISIONS, PIPELINES, RULES

    missing = [option for name, option in NEEDED.items() if said[name] in (None, ())]
    if not missing:
        return said
    no_commit = "--commit: git has no commit checked out there; git init and git commit make one, or name it yourself"
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        why = f"\n  {no_commit}." if "--commit" in missing else ""
        raise CallersError(f"nothing was written: there is no terminal to ask for {', '.join(missing)}{why}")
    if "--commit" in missing:  # nobody knows forty digits by heart: said before the questions, and not after
        raise CallersError(no_commit)
    from gate.cli import questions

    def may_write(pipeline: str | None) -> None:
        _refuse_idle_pipeline(folder, pipeline)
        refuse_existing(folder, PIPELINES.get(pipeline or "", {}).values())

    refuse_existing(folder, [RULES, DECISIONS])  # before anyone answers a question in vain
    may_write(said["pipeline"])
    try:
        return questions.ask(said, folder, may_write)
    except click.Abort:
        raise Declined("interrupted; nothing was written") from None


def _project(said: dict[str, Any]) -> Project:
    from gate.scaffold import Project

    sizes = {context.tokens is not None for context in said["contexts"]}
    if len(sizes) > 1:
        raise click.UsageError("--context: some have sizes and some have none; give all of them one, or none")
    return Project(
        name=said["name"], tag=said["tag_format"] or "v{version}", version=said["version"], commit=said["commit"],
        hosts=tuple(said["hosts"]), verbs=tuple(said["verbs"]), backend=said["backend"], thinking=said["thinking"],
        contexts=tuple(said["contexts"]), repository=said["repository"], owed=tuple(said["owed"]),
        suites=tuple(said["suites"]), pipeline=None if said["pipeline"] == "none" else said["pipeline"],
    )  # fmt: skip


def _refuse_idle_pipeline(folder: Path, pipeline: str | None) -> None:
    """Refuse a pipeline that no CI would find: it is looked for at the root of the repository alone."""
    from gate import git
    from gate.errors import CallersError
    from gate.scaffold import PIPELINES

    root = git.top(_nearest(folder)) if pipeline in PIPELINES else None
    if root is not None and Path(root).resolve() != folder.resolve():
        raise CallersError(
            f"--ci {pipeline}: it is looked for at the repository's root, {root}, and not in {folder}\n"
            "  Begin there, or with --ci none."
        )


def _inventory(models: Path, project: Project) -> bytes:
    from gate.cli.inventory import measured

    host = project.hosts[0]
    given = {
        "host": host.id, "version": project.version, "commit": project.commit, "gpu": host.gpu,
        "compute": host.compute, "gpu_memory": None, "binary_sha256": None, "measured_at": None,
    }  # fmt: skip
    return (json.dumps(measured(models, given), indent=1, ensure_ascii=False) + "\n").encode("utf-8")


def _report(folder: Path, project: Project, made: list[str], *, scanned: bool) -> str:
    """Say what was written, and what to do until the first check refuses for a reason."""
    from rich.text import Text

    from gate.errors import visible
    from gate.reporting.terminal import page, printed
    from gate.versions import tag_of_version

    console = page()
    here = folder == Path()
    tag = shlex.quote(tag_of_version(project.version, project.tag))
    scans = [_scan(project, host) for host in project.hosts[1 if scanned else 0 :]]
    commands = [] if here else [f"cd {shlex.quote(str(folder))}"]
    commands += [*scans, f"gate check --tag {tag}", f"gate plan --tag {tag}"]
    for title, lines in ((f"Written, in {folder}:" if not here else "Written:", made), ("Next:", commands)):
        console.print(Text(visible(title)), overflow="fold")
        for line in lines:  # whole, so that it can be copied
            console.print(Text(f"  {visible(line)}"), soft_wrap=True)
        console.print()
    if scans:
        console.print(Text("MODELS is the folder of that machine's GGUF files; the scan needs the package gguf."))
    console.print(Text("The check will refuse, and name each cell to measure; the plan says in which order."))
    if project.pipeline:
        console.print(Text("The pipeline says where the gate is installed from, ./tools/taggate: set it."))
    return printed(console)


def _scan(project: Project, host: Host) -> str:
    options = {"--host": host.id, "--release": project.version, "--commit": project.commit, "--gpu": host.gpu,
               "--compute": host.compute, "--output": project.inventory(host)}  # fmt: skip
    words = [f"{option} {shlex.quote(value)}" for option, value in options.items() if value is not None]
    return f"gate inventory scan MODELS {' '.join(words)}"
