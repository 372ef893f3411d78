"""The contexts that cells are owed at: names alone, or names with token counts and what each was derived from."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from gate import strict_json
from gate.errors import BadFile
from gate.files import InputFile, read_input
from gate.malformed import Table, checked
from gate.names import Name, likeness, look_alikes
from gate.rules import Text

if TYPE_CHECKING:
    from gate.rules import Rules

CONSUMER_MAX = "consumer-max"
DECLARED = "declared"

Tokens = Annotated[int, Field(gt=0, le=2**53)]


@dataclass(frozen=True, slots=True)
class Consumer:
    """Software that reads the model's answers, and the longest prompt (in tokens) that it sends; None: unknown."""

    name: str
    tokens: int | None


@dataclass(frozen=True, slots=True)
class Context:
    """A size of prompt. `tokens` is None where no size is known; `long`: owed only by whom `[cells.long]` names."""

    name: str
    tokens: int | None
    long: bool
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Contexts:
    """Every context of a release; `sized` where a contexts file gives token counts."""

    sized: bool
    contexts: tuple[Context, ...]
    consumers: tuple[Consumer, ...]
    file: InputFile | None


class ConsumerRecord(Table):
    """A consumer of the native contexts file."""

    consumer: Name
    max_prompt_tokens: Tokens | None = None
    basis: str | None = None
    source: str | None = None
    quote: str | None = None


class ContextRecord(Table):
    """A context of the native contexts file; `consumer-max` carries no tokens: they are computed."""

    name: Name
    tokens: Tokens | None = None
    source: list[Text] = []
    long: bool = False


class ContextsFile(Table):
    """`taggate/contexts/v1`: the sizes that a release owes, and what each was derived from."""

    schema_: Literal["taggate/contexts/v1"] = Field(alias="schema")
    consumers: list[ConsumerRecord] = []
    contexts: Annotated[list[ContextRecord], Field(min_length=1)]


class _Foreign(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True, frozen=True, defer_build=True)


class AprConsumer(_Foreign):
    """A consumer of `apr-release-context-rungs/v1`."""

    consumer: Name
    max_prompt_tokens: Tokens | None = None


class AprRung(_Foreign):
    """A rung of `apr-release-context-rungs/v1`."""

    id: Name
    tokens: Tokens | None = None
    long: bool = False
    derived_from: list[Text] = []


class AprContextRungs(_Foreign):
    """`apr-release-context-rungs/v1`, as the aprender project writes it."""

    consumers: list[AprConsumer] = []
    rungs: Annotated[list[AprRung], Field(min_length=1)]


def read(rules: Rules) -> Contexts:
    """Return the contexts that `rules` name.

    Raises:
        BadFile: the contexts file is missing, malformed or of an unknown schema, names one context twice, or sizes
            `consumer-max` or `declared`, which are computed.
    """
    shown = rules.document.project.contexts
    if shown is None:
        names = rules.document.cells.contexts or []
        unsized = tuple(Context(name, None, long=False, sources=()) for name in names)
        return Contexts(sized=False, contexts=unsized, consumers=(), file=None)
    file = read_input(rules.folder / shown, shown)
    consumers, contexts = _records(file, strict_json.parse_file(file))
    _refuse_wrong_names(file, contexts, consumers)
    return Contexts(sized=True, contexts=_computed(contexts, consumers), consumers=consumers, file=file)


def _records(file: InputFile, document: Any) -> tuple[tuple[Consumer, ...], tuple[Context, ...]]:
    schema = document.get("schema") if isinstance(document, dict) else None
    if schema == "taggate/contexts/v1":
        native = checked(ContextsFile, document, file.path)
        return (
            tuple(Consumer(c.consumer, c.max_prompt_tokens) for c in native.consumers),
            tuple(Context(c.name, c.tokens, c.long, tuple(c.source)) for c in native.contexts),
        )
    if schema == "apr-release-context-rungs/v1":
        foreign = checked(AprContextRungs, document, file.path)
        return (
            tuple(Consumer(c.consumer, c.max_prompt_tokens) for c in foreign.consumers),
            tuple(Context(r.id, r.tokens, r.long, tuple(r.derived_from)) for r in foreign.rungs),
        )
    raise BadFile(
        file.path,
        "schema",
        f"{schema!r} is no schema of a contexts file",
        "Known are taggate/contexts/v1 and apr-release-context-rungs/v1.",
    )


def _refuse_wrong_names(file: InputFile, contexts: tuple[Context, ...], consumers: tuple[Consumer, ...]) -> None:
    for place, names in (("contexts", [c.name for c in contexts]), ("consumers", [c.name for c in consumers])):
        twice = next((name for name, count in Counter(names).items() if count > 1), None)
        if twice is not None:
            raise BadFile(file.path, place, f"{twice!r} stands twice")
        for first, second in look_alikes(names):
            raise BadFile(file.path, place, f"{first!r} and {second!r} differ only by case or Unicode form")
    for context in contexts:
        for computed in (DECLARED, CONSUMER_MAX):
            if context.name != computed and likeness(context.name) == computed:
                raise BadFile(
                    file.path, "contexts", f"{context.name!r} only looks like {computed}", f"Write {computed}."
                )
        if context.name == DECLARED:
            raise BadFile(file.path, DECLARED, "this context is each model's own length, and is never listed")
        if context.name == CONSUMER_MAX and context.tokens is not None:
            raise BadFile(file.path, CONSUMER_MAX, "its tokens are computed over the consumers, and never written here")


def _computed(contexts: tuple[Context, ...], consumers: tuple[Consumer, ...]) -> tuple[Context, ...]:
    """Size `consumer-max` as the most tokens that a consumer sends, and add `declared`, sized for each model."""
    most = max((c.tokens for c in consumers if c.tokens is not None), default=None)
    sources = tuple(f"consumer {c.name}" for c in consumers if c.tokens == most and most is not None)
    sized = [Context(c.name, most, c.long, c.sources + sources) if c.name == CONSUMER_MAX else c for c in contexts]
    return (*sized, Context(DECLARED, None, long=True, sources=("each model's own context length",)))
