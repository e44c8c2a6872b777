"""A headless Chromium for looking at the pages, driven through its own debugging port."""

from __future__ import annotations

import asyncio
import base64
import json
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--hide-scrollbars", "--remote-debugging-port=0",
)  # fmt: skip


def chromium() -> str | None:
    """Where Chromium is installed."""
    return next((found for name in PROGRAMS if (found := shutil.which(name))), None)


class Page:
    """One open page."""

    def __init__(self, socket: ClientConnection, target: str) -> None:
        self._socket = socket
        self._target = target
        self._sent = 0
        self.problems: list[str] = []

    async def call(self, method: str, **params: Any) -> dict[str, Any]:
        """One command of the debugging protocol."""
        self._sent += 1
        asked = {"id": self._sent, "method": method, "params": params}
        if self._target:
            asked["sessionId"] = self._target
        await self._socket.send(json.dumps(asked))
        while True:
            told = json.loads(await self._socket.recv())
            if told.get("method") == "Runtime.exceptionThrown":
                self.problems.append(told["params"]["exceptionDetails"]["exception"]["description"])
            if told.get("method") == "Log.entryAdded":
                entry = told["params"]["entry"]
                if entry["level"] == "error":
                    self.problems.append(f"{entry['text']} {entry.get('url', '')}")
            if told.get("id") == self._sent:
                if "error" in told:
                    raise RuntimeError(f"{method}: {told['error']}")
                result: dict[str, Any] = told["result"]
                return result

    async def open(self, url: str, width: int, height: int) -> None:
        """Load a page in a window of that size."""
        await self.call("Runtime.enable")
        await self.call("Log.enable")
        await self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=False,
        )  # fmt: skip
        await self.call("Page.navigate", url=url)

    async def evaluate(self, script: str) -> Any:
        """The value of an expression in the page."""
        answer = await self.call(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"]["description"])
        return answer["result"].get("value")

    async def until(self, condition: str, timeout_s: float = 60.0) -> None:
        """Wait until an expression is true in the page."""
        async with asyncio.timeout(timeout_s):
            while not await self.evaluate(f"Boolean({condition})"):
                await asyncio.sleep(0.05)

    async def screenshot(self, path: Path) -> None:
        """What the page looks like."""
        answer = await self.call("Page.captureScreenshot", format="png")
        path.write_bytes(base64.b64decode(answer["data"]))


@asynccontextmanager
async def browser() -> AsyncIterator[Page]:
    """A page in a browser of its own."""
    program = chromium()
    if program is None:
        raise FileNotFoundError("chromium is not installed")
    profile = Path(tempfile.mkdtemp(prefix="chromium-"))
    process = await asyncio.create_subprocess_exec(
        program, *FLAGS, f"--user-data-dir={profile}",
        stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    drain: asyncio.Task[None] | None = None
    try:
        assert process.stderr is not None
        async with asyncio.timeout(60):
            while b"DevTools listening on " not in (line := await process.stderr.readline()):
                if not line:
                    raise RuntimeError("chromium ended before it listened")
        drain = asyncio.create_task(_drain(process.stderr))
        address = line.split(b"listening on ")[1].strip().decode()
        async with connect(address, max_size=2**26) as socket:
            root = Page(socket, "")
            created = await root.call("Target.createTarget", url="about:blank")
            attached = await root.call(
                "Target.attachToTarget", targetId=created["targetId"], flatten=True
            )
            yield Page(socket, attached["sessionId"])
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()
        if drain is not None:
            await drain
        shutil.rmtree(profile, ignore_errors=True)


async def _drain(stream: asyncio.StreamReader) -> None:
    while await stream.readline():
        pass
