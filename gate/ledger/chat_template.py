"""What a model's chat template does with one question, found out by rendering it in a process of its own.

A template is a program, and comes from whoever made the model. It is rendered in jinja2's sandbox, which keeps it from
everything but computing; and by a child process whose time and memory end, which keeps it from computing for ever. The
child runs this very file, which imports nothing of the gate.

The marker `enable_thinking` stands for a template that reads it. The marker `<think>` stands for a prompt that always
opens the block: the prompt of one question, as a program that chats would render it, must end with it; templates that
only mention `<think>` (to take it out of what was said before) have none.
"""

from __future__ import annotations

import contextlib
import datetime
import json
import signal
import subprocess
import sys
from typing import Any, Never

ENABLE, OPENS = "enable_thinking", "<think>"
LONGEST = 1024 * 1024  # characters of a template that is rendered at all

CPU_SECONDS = 5  # of computing: the templates of models take some thousandths of one
WALL_SECONDS = 300  # for a machine that is too busy to let the child compute
MEMORY = 1024 * 1024 * 1024  # bytes that the child may have: a template that wants more isn't rendered

_RENDERED, _NOT_RENDERED = 0, 10  # how the child ends where it isn't ended


class Endless(Exception):
    """A template did not end in time, or ended the process that rendered it. The message says which, in words."""


def markers(template: str) -> list[str] | None:
    """Return the markers of a chat template; None where it can't be rendered, so that nobody knows.

    Raises:
        Endless: it did not end within `CPU_SECONDS`, or ended its process.
    """
    if len(template) > LONGEST:
        return None
    opens = _opens(template)
    if opens is None:
        return None
    return ([ENABLE] if ENABLE in template else []) + ([OPENS] if opens else [])


def _opens(template: str) -> bool | None:
    """Ask a child process whether the prompt ends with `<think>`; None: the template can't be rendered."""
    # -P: the folder of this file, whose modules have names of their own choosing, isn't searched for what it imports.
    command = [sys.executable, "-P", __file__, str(CPU_SECONDS), str(MEMORY)]
    try:
        child = subprocess.run(  # noqa: S603 - the interpreter that runs already, and no shell
            command, input=template.encode("utf-8", "surrogatepass"), capture_output=True, timeout=WALL_SECONDS,
            check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise Endless(f"it did not end within {WALL_SECONDS} seconds") from None
    if child.returncode == _RENDERED:
        return bool(json.loads(child.stdout)["opens"])
    if child.returncode == _NOT_RENDERED:
        return None
    if child.returncode == -signal.SIGXCPU:
        raise Endless(f"it did not end within {CPU_SECONDS} seconds of computing")
    said = (child.stderr.decode("utf-8", "replace").strip().splitlines() or ["it said nothing"])[-1]
    raise Endless(f"the process that rendered it ended with {child.returncode}: {said[:200]}")


def _prompt(template: str) -> str:
    """Render the prompt of one question."""
    import jinja2
    from jinja2.ext import loopcontrols
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    def raise_exception(message: str) -> Never:
        raise jinja2.TemplateError(message)

    def strftime_now(form: str) -> str:
        # Any day: the same file, the same entry.
        return datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC).strftime(form)

    def tojson(value: Any, **_: Any) -> str:
        return json.dumps(value, ensure_ascii=False)

    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols])
    environment.globals.update(raise_exception=raise_exception, strftime_now=strftime_now)
    environment.filters["tojson"] = tojson
    return environment.from_string(template).render(
        messages=[{"role": "user", "content": "2+2?"}], add_generation_prompt=True, bos_token="", eos_token="",
    )  # fmt: skip


def _child(cpu_seconds: int, memory: int) -> int:
    """Render the template on standard input within these bounds, and write what its prompt does."""
    import resource

    import jinja2  # noqa: F401 - before the bounds: that it is there doesn't depend on the template

    resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # what runs out of time leaves nothing behind
    with contextlib.suppress(ValueError, OSError):  # not every system bounds memory
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    template = sys.stdin.buffer.read().decode("utf-8", "surrogatepass")
    try:
        prompt = _prompt(template)
    except Exception:  # noqa: BLE001 - a template is a program: whatever it raises, it wasn't rendered
        return _NOT_RENDERED
    sys.stdout.write(json.dumps({"opens": prompt.rstrip().endswith(OPENS)}))
    return _RENDERED


if __name__ == "__main__":
    sys.exit(_child(int(sys.argv[1]), int(sys.argv[2])))
