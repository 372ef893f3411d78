"""Token parity of aprender against llama.cpp, which carries no schema: it comes in through `gate ingest`.

What is taken for a pass: nothing is decided here. For each prompt both engines' greedy tokens stand in the file; how
many match from the start is counted from them, and the shapes hold it against what the rules ask. `greedy_divergence`
says where they part too: where it contradicts the tokens, the file is refused. Its own `pass` is left out. It admits a
prompt whose outputs part where the next token was a near-tie (`tau`), which is another question than the rules ask; so
are the teacher-forced steps, and the margins. The file doesn't show that an output ended by itself and was not cut off:
the prefix that the rules ask for is owed in full.

The file names no host, version, commit, time or backend, and no sha256 of its model: the options do.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from gate import strict_json
from gate.errors import BadFile
from gate.ledger.foreign import Foreign, unread
from gate.malformed import checked

if TYPE_CHECKING:
    from gate.files import InputFile
    from gate.ledger.given import Given

FORMAT = "apr-parity"
TAKES = ("version", "commit", "host", "measured_at", "binary", "model", "sha256", "backend")

Tokens = list[Annotated[int, Field(ge=0, le=2**53)]]


class PromptParity(Foreign):
    """One prompt."""

    llama_tokens: Tokens
    greedy_tokens: Tokens
    greedy_divergence: Annotated[int, Field(ge=0, le=2**53)] | None
    teacher_forced_steps: Annotated[int, Field(ge=0, le=2**53)] = 0


class Parity(Foreign):
    """The document."""

    model: Annotated[str, Field(min_length=1)]
    pass_: Annotated[bool | None, Field(alias="pass")] = None
    prompts: Annotated[list[PromptParity], Field(min_length=1)]


def to_native(file: InputFile, given: Given) -> dict[str, Any]:
    """Return the native parity receipt that says what the file says.

    Raises:
        BadFile: it is no such file, or contradicts itself; the message names the place.
        CallersError: an option that must say what the file doesn't is missing.
    """
    parity = checked(Parity, strict_json.parse_file(file), file.path)
    given.require("version", "commit", "host", "measured_at")
    model = {"file": given.model or PurePosixPath(parity.model).name, "sha256": given.sha256}
    counts = {
        "the field pass": int(parity.pass_ is not None),
        "teacher-forced steps": sum(prompt.teacher_forced_steps for prompt in parity.prompts),
    }
    return {
        "schema": "taggate/parity-receipt/v1",
        "release": given.release(),
        "host": given.demand("host"),
        "measured_at": given.demand("measured_at"),
        "producer": "token parity of apr",
        "source": {"format": FORMAT, "sha256": file.sha256},
        "left_out": {name: count for name, count in counts.items() if count} | unread(parity, prompts=parity.prompts),
        "rows": [
            {
                "model": {key: value for key, value in model.items() if value is not None},
                "prompt": f"prompts[{index}]",
                **({"backend": given.backend} if given.backend else {}),
                "against": "llama.cpp",
                "compared": max(len(prompt.llama_tokens), len(prompt.greedy_tokens)),
                "matching_prefix": _matching(file, index, prompt),
            }
            for index, prompt in enumerate(parity.prompts)
        ],
    }


def _matching(file: InputFile, index: int, prompt: PromptParity) -> int:
    """Return how many tokens match from the start: an output that ends early parts from the other there."""
    pairs = enumerate(zip(prompt.llama_tokens, prompt.greedy_tokens, strict=False))
    shorter = min(len(prompt.llama_tokens), len(prompt.greedy_tokens))
    parted = next((at for at, (theirs, own) in pairs if theirs != own), None)
    if prompt.greedy_divergence not in {parted, shorter if parted is None else parted}:
        raise BadFile(
            file.path, f"prompts[{index}].greedy_divergence",
            f"it is {prompt.greedy_divergence}, and the tokens part at {parted}",
        )  # fmt: skip
    return shorter if parted is None else parted
