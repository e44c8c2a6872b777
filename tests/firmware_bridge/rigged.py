"""A simulated table, connected, configured, unlocked and homed, for tests of the electronics."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from firmware_bridge.bridge import Bridge
from firmware_bridge.clock import Clock, sleep
from firmware_bridge.faults import BY_NUMBER
from firmware_bridge.layout import PRESETS, TableLayout
from firmware_bridge.messages import (
    Build,
    Built,
    Home,
    Incident,
    MoveCentre,
    RaiseWalls,
    Report,
    Unlock,
    WallsRaised,
)
from firmware_bridge.parts import Actuator, CentrePlace
from firmware_bridge.settings import MachineSettings
from firmware_bridge.simulator import SimulatedTable, World

T = TypeVar("T")
LEASE = 500
SMALL = TableLayout("24", (3, 3, 3, 3))  # a few stacks: the same code, in a second


async def within(clock: Clock, timeout_s: float, work: Awaitable[T]) -> T:
    """The result of the work, or TimeoutError when it takes longer on that clock."""
    task = asyncio.ensure_future(work)
    late = False

    def give_up() -> None:
        nonlocal late
        if not task.done():
            late = True
            task.cancel()

    timer = clock.call_later(timeout_s, give_up)
    try:
        return await task
    except asyncio.CancelledError:
        if late:
            raise TimeoutError(f"not done within {timeout_s:g} s") from None
        task.cancel()
        raise
    finally:
        timer.cancel()


@dataclass
class Rigged:
    """What a test holds in its hands."""

    table: SimulatedTable
    bridge: Bridge
    layout: TableLayout
    incidents: list[Incident] = field(default_factory=list)
    build_number: int = 0

    @property
    def world(self) -> World:
        return self.table.world

    @property
    def codes(self) -> list[str]:
        """Faults reported so far."""
        return [BY_NUMBER[incident.code].code for incident in self.incidents]

    @property
    def fault(self) -> str | None:
        """The fault the board is in."""
        state = self.bridge.state
        return BY_NUMBER[state.fault].code if state is not None and state.fault else None

    def heard(self, report: Report) -> None:
        if isinstance(report, Incident):
            self.incidents.append(report)

    async def sleep(self, seconds: float) -> None:
        await sleep(self.table.clock, seconds)

    async def until(self, wanted, seconds: float = 60.0) -> None:
        """Wait until that holds on the bridge."""
        await within(self.table.clock, seconds, self.bridge.wait_for(wanted))

    async def ready(self, settings: MachineSettings) -> None:
        """Configured, unlocked, homed."""
        for command in settings.commands():
            answer = await self.bridge.execute(command)
        assert answer.config_crc == settings.crc
        await self.bridge.execute(Unlock())
        await self.bridge.execute(Home(LEASE))

    async def centre(self, place: CentrePlace) -> None:
        await self.bridge.execute(MoveCentre(place, 5000, LEASE))

    async def fill(self, name: str = "A") -> None:
        """Push one set in."""
        await self.centre(CentrePlace.UP)
        self.world.push_into_mouth(self.world.sets[name])
        await self.centre(CentrePlace.DOWN)

    def build_command(self, *, again: bool = False) -> Build:
        if not again:
            self.build_number += 1
        layout = self.layout
        return Build(self.build_number, layout.stacks, layout.hands, layout.layers, LEASE)

    async def build(self) -> Built:
        return await self.bridge.execute(self.build_command())

    async def begin(self, command) -> asyncio.Task[Report]:
        """Start a motion and go on once it moves."""
        task = asyncio.ensure_future(self.bridge.execute(command))
        await self.until(lambda b: task.done() or (b.state is not None and b.state.motion))
        return task

    async def raise_walls(self) -> WallsRaised:
        return await self.bridge.execute(
            RaiseWalls(self.build_number, self.layout.row_tiles, 5000, LEASE)
        )

    def turning(self) -> set[Actuator]:
        """Motors that get power at this moment."""
        world = self.world
        if not world.power_is_on():
            return set()
        return {a for a, motor in world.motors.items() if motor.direction}

    def safe(self) -> None:
        """What must hold at every moment of every test."""
        self.world.audit()
        assert self.world.on_violation == []


@asynccontextmanager
async def rigged(
    layout: TableLayout = SMALL, *, seed: int = 1, ready: bool = True, **options
) -> AsyncIterator[Rigged]:
    """A table that is ready for commands; what must hold is looked at in the end."""
    labels = [f"tile {number}" for number in range(layout.tiles)]
    settings = options.pop("settings", MachineSettings(layout))
    with SimulatedTable(layout, labels, labels, seed=seed, **options) as table:
        async with Bridge(table.port, clock=table.clock) as bridge:
            it = Rigged(table, bridge, layout)
            bridge.on_report(it.heard)
            await it.until(lambda b: b.connected)  # a firmware that cannot start fails here
            if ready:
                await it.ready(settings)
            yield it
            it.safe()
            assert table.failure is None


RIICHI = PRESETS["136"]
