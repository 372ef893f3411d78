"""A real browser: Chromium without a window, told what to do over a pipe in its own protocol (Chrome DevTools, CDP)."""

from __future__ import annotations

import base64
import fcntl
import itertools
import json
import os
import select
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHROMIUM = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
)
PATIENCE = 30  # seconds for one answer


class Browser:
    """One page of a browser, and every address that it asked for."""

    def __init__(self, reader: int, writer: int) -> None:
        self._reader, self._writer, self._rest = reader, writer, b""
        self._ids = itertools.count(1)
        self._session: str | None = None
        self._events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Log", "Runtime"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Call a method of the protocol, and return its result."""
        number = next(self._ids)
        message = {"id": number, "method": method, "params": params} | (
            {"sessionId": self._session} if self._session else {}
        )
        os.write(self._writer, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == number:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result
            self._events.append(answer)

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._reader], [], [], PATIENCE)
            assert ready, "the browser doesn't answer"
            piece = os.read(self._reader, 1 << 20)
            assert piece, "the browser is gone"
            self._rest += piece
        message, self._rest = self._rest.split(b"\0", 1)
        answer: dict[str, Any] = json.loads(message)
        return answer

    def open(self, address: str, width: int, *, dark: bool = False, height: int = 800) -> None:
        """Show a page in a window of this width, in CSS pixels, and wait until all of it is there."""
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self._events.clear()
        self.call("Page.navigate", url=address)
        until = time.monotonic() + PATIENCE
        while not any(event.get("method") == "Page.loadEventFired" for event in self._events):
            assert time.monotonic() < until, "the page doesn't come"
            self._events.append(self._next())

    def asked_for(self) -> list[str]:
        """Return the address of every request since the page was opened, its own included, that no policy stopped."""
        self.evaluate("new Promise(done => setTimeout(done, 50))")
        stopped = {
            e["params"]["requestId"] for e in self._named("Network.loadingFailed") if e["params"].get("blockedReason")
        }
        asked = [e["params"] for e in self._named("Network.requestWillBeSent")]
        return [request["request"]["url"] for request in asked if request["requestId"] not in stopped]

    def complaints(self) -> list[str]:
        """Return what the browser logged: what the page's own policy refused, and every other error."""
        return [e["params"]["entry"]["text"] for e in self._named("Log.entryAdded")]

    def _named(self, method: str) -> list[dict[str, Any]]:
        return [event for event in self._events if event.get("method") == method]

    def evaluate(self, expression: str) -> Any:
        """Return what an expression comes to in the page."""
        done = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in done, done
        return done["result"].get("value")

    def picture(self, file: Path, *, whole: bool = True) -> None:
        """Write a picture of the page: of all of it, or of what a window shows."""
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        file.write_bytes(base64.b64decode(shot["data"]))

    def print(self, file: Path) -> None:
        """Write the page as it is printed, as a PDF."""
        file.write_bytes(base64.b64decode(self.call("Page.printToPDF", preferCSSPageSize=True)["data"]))


@contextmanager
def browser(folder: Path) -> Iterator[Browser]:
    """Start a browser whose profile is in `folder`, and end it."""
    assert CHROMIUM is not None
    (to_us, from_browser), (to_browser, from_us) = _pipe(), _pipe()
    command = [
        CHROMIUM, "--headless", "--no-sandbox", "--remote-debugging-pipe", "--disable-gpu", "--disable-dev-shm-usage",
        "--no-first-run", "--hide-scrollbars", "--disable-background-networking", "--disable-component-update",
        f"--user-data-dir={folder / 'profile'}",
    ]  # fmt: skip
    nowhere = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in range(3)]
    protocol = [(os.POSIX_SPAWN_DUP2, to_browser, 3), (os.POSIX_SPAWN_DUP2, from_browser, 4)]
    pid = os.posix_spawn(CHROMIUM, command, os.environ | {"HOME": str(folder)}, file_actions=[*nowhere, *protocol])
    os.close(to_browser)
    os.close(from_browser)
    try:
        yield Browser(to_us, from_us)
    finally:
        os.close(from_us)  # which ends it
        until = time.monotonic() + PATIENCE
        while os.waitpid(pid, os.WNOHANG) == (0, 0):
            if time.monotonic() > until:
                os.kill(pid, signal.SIGKILL)
            time.sleep(0.02)
        os.close(to_us)


def _pipe() -> tuple[int, int]:
    """Return the two ends of a pipe, neither of them a number that the browser has its own use for."""
    ends = os.pipe()
    high = tuple(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends)
    for end in ends:
        os.close(end)
    return high[0], high[1]
