"""Fingers of the simulated players on the panels' mock pins, and the fault console's socket."""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from firmware_bridge.clock import Clock, sleep
from firmware_bridge.gpio import Panels
from firmware_bridge.simulator import World, WorldError
from table_controller.conductor import Key
from table_controller.desk import Desk
from table_controller.rules.core.seats import Seat
from table_controller.table import Table

logger = logging.getLogger(__name__)

PRESS_S = 0.2  # how long a finger stays on a key; a key counts after 0.02 s, a busy host looks late


class Fingers:
    """Press keys where they are fitted, else on the screen."""

    def __init__(self, panels: Panels, desk: Desk, table: Table, clock: Clock) -> None:
        self._panels = panels
        self._desk = desk
        self._table = table
        self._clock = clock

    async def press(self, seat: Seat, key: Key) -> None:
        """Press and let go; returns when the press was acted on."""
        number = getattr(self._panels.pins.seats[self._desk.side_of(seat)], key.value)
        if number is None:
            await self._desk.press(seat, key)
            return
        pin = self._panels.factory.pin(number)
        pin.drive_low()  # keys close to ground
        await sleep(self._clock, PRESS_S)
        pin.drive_high()
        await sleep(self._clock, PRESS_S)
        await self._table.inbox.join()


def console_path(port: int) -> Path:
    """The socket of this user's simulated table whose screens are at that port."""
    base = os.environ.get("XDG_RUNTIME_DIR") or f"/tmp/mahjong-table-{os.getuid()}"
    return Path(base) / f"mahjong-table-sim-{port}.sock"


@asynccontextmanager
async def fault_console(world: World, path: Path) -> AsyncIterator[None]:
    """Listens for fault verbs: one JSON object a line, one answer a line."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while line := await reader.readline():
                writer.write(json.dumps(_injected(world, line)).encode() + b"\n")
                await writer.drain()
        finally:
            writer.close()

    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    try:
        server = await asyncio.start_unix_server(serve, path)
    except OSError as error:
        logger.warning("no fault console at %s: %s", path, error)
        yield
        return
    path.chmod(0o600)
    try:
        yield
    finally:
        server.close()
        path.unlink(missing_ok=True)


def _injected(world: World, line: bytes) -> dict[str, str]:
    try:
        asked = json.loads(line)
        world.inject(str(asked["verb"]), asked.get("where"), float(asked.get("amount", 1)))
    except (WorldError, ValueError, KeyError, TypeError, AttributeError) as error:
        return {"error": str(error)}
    return {"done": str(asked["verb"])}
