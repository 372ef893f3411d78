"""`gate tag`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate.cli.options import Moment, Once, emit, offer_tags, progress, refuse_input, verbose

if TYPE_CHECKING:
    import datetime


@click.command(epilog="""\b
Examples:
  gate tag 0.71.0
  gate tag 0.71.0 --output verdict.json && git push origin v0.71.0

A refused release gets no tag. What is judged is what the commit holds, --commit or the current one: nothing in the work
tree has a say. git signs the tag where it is set up to (tag.gpgSign).
""")  # fmt: skip
@click.argument("tag", shell_complete=offer_tags)
@click.option("--commit", cls=Once, metavar="SHA", help="The full commit that is judged, and tagged.")
@click.option("--rules", cls=Once, type=click.Path(path_type=Path), default=Path("gate.toml"), show_default=True,
              metavar="FILE", help="The rules; all other paths are relative to their folder.")  # fmt: skip
@click.option("--now", cls=Once, type=Moment(), metavar="TIME", help="Judge as of this time, with its zone.")
@click.option("--output", cls=Once, type=click.Path(path_type=Path), metavar="FILE",
              help="Keep the verdict as JSON in FILE: the tag names its sha256.")  # fmt: skip
@verbose
def command(tag: str, commit: str | None, rules: Path, now: datetime.datetime | None, output: Path | None) -> int:
    """Check a release, and cut its tag where it conforms.

    The tag is annotated, stands on the commit that was judged, and says what the verdict said: the counts, what is
    withdrawn, and the sha256 of the verdict as JSON.
    """
    from gate import cutting, pushed, versions
    from gate import rules as rules_file
    from gate.check import Request, check
    from gate.errors import CallersError, Declined
    from gate.reporting import document, text

    pattern = rules_file.read(rules).document.project.tag
    try:
        version = versions.version_of_tag(tag, pattern)
    except ValueError as error:
        raise CallersError(f"the tag: {error}") from None
    name = versions.tag_of_version(version, pattern)
    repository = pushed.Repository(rules.parent)
    if repository.commit_of(f"{pushed.TAGS}{name}") is not None:
        raise CallersError(
            f"the tag {name} exists already; a release is cut once\n  gate check --tag {name} judges it."
        )  # fmt: skip
    judged = repository.commit_of(commit or "HEAD")
    if judged is None or (commit is not None and commit != judged):
        raise Declined(f"{rules.parent}: there is no commit {commit or 'here'} that a tag could be put on")
    with progress() as stage, repository.project(judged, repository.place_of(rules)) as own:
        verdict = check(Request(own, tag, judged, now, given="--commit" if commit else "HEAD"), stage=stage)
    refuse_input(output, verdict.ledger, verdict.read, Request(rules, tag))
    if output is not None:
        emit(document.render(verdict), output)
    emit(text.render(verdict), None)
    if verdict.conforms:
        cutting.cut(rules.parent, verdict)
        emit(f"\n{name} is cut, on commit {verdict.commit}.\n  git push origin {name}\n", None)
    return verdict.exit_code
