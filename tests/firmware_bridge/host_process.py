"""A host as a process of its own: connects to the port it is given and starts one motion."""

from __future__ import annotations

import asyncio
import sys

from firmware_bridge.bridge import Bridge
from firmware_bridge.messages import Home, MoveCentre, Unlock
from firmware_bridge.parts import CentrePlace
from firmware_bridge.settings import MachineSettings
from tests.firmware_bridge.rigged import SMALL


async def main(port: str) -> None:
    async with Bridge(port) as bridge:
        await bridge.wait_connected()
        for command in MachineSettings(SMALL).commands():
            await bridge.execute(command)
        await bridge.execute(Unlock())
        await bridge.execute(Home(500))
        while True:
            for place in (CentrePlace.UP, CentrePlace.DOWN):
                await bridge.execute(MoveCentre(place, 8000, 500))


asyncio.run(main(sys.argv[1]))
