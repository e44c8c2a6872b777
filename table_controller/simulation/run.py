"""The simulated table as a whole: firmware, wire, mechanism, camera, rules and screens together."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from gpiozero.pins.mock import MockFactory

from firmware_bridge.bridge import Bridge
from firmware_bridge.clock import sleep
from firmware_bridge.gpio import DEFAULT_PINS, Panels
from firmware_bridge.settings import MachineSettings
from firmware_bridge.simulator import SimulatedTable
from table_controller.conductor import Conductor, Key
from table_controller.config import MachineType
from table_controller.desk import Desk
from table_controller.layout import Untidiness, geometry_for, machine_layout
from table_controller.machine import Machine
from table_controller.rules.core.ruleset import Ruleset
from table_controller.rules.core.seats import Seat
from table_controller.simulation.eyes import PerfectEyes, PixelEyes
from table_controller.simulation.hands import Fingers, fault_console
from table_controller.simulation.session import Session
from table_controller.simulation.walls import MachineWalls
from table_controller.store import Store
from table_controller.table import Table
from vision.render.look import Look, TileLook
from vision.worker import EyesSettings, open_eyes

logger = logging.getLogger(__name__)

MOVE_S = 1.6  # simulated seconds between two moves of the players
VERDICT_S = 9.0  # how long a verdict stays on the screen
CONNECT_S = 10.0
# The set that lies on the simulated table: it has flowers, and the model reads it best of the three
# free ones (tests/RESULTS.md).
TABLE_LOOK = Look(tiles=TileLook(art="lietxia"))


@dataclass(frozen=True, slots=True)
class Simulation:
    """What to simulate."""

    ruleset: Ruleset[Any]
    options: Any
    preset: str | None = None
    seed: int = 0
    speed: float | Literal["max"] = "max"
    log: Path | None = None  # None: in memory
    pixels: bool = True  # else tiles are read without pictures
    machine: MachineType = field(default_factory=MachineType)
    sets: Sequence[str] = ("A", "B")
    names: Sequence[str] = ()
    console: Path | None = None  # socket of the fault console


@dataclass
class Running:
    """A simulated table that is up: play with the session, watch the table."""

    simulation: Simulation
    session: Session
    conductor: Conductor
    table: Table
    machine: Machine
    bridge: Bridge
    hardware: SimulatedTable
    rng: random.Random

    async def rest(self) -> None:
        """Leave the verdict on the screen for a while."""
        if self.simulation.speed != "max":
            await sleep(self.hardware.clock, VERDICT_S)

    def new_game(self) -> None:
        """Begin another match by the same rules."""
        self.table.new_game()
        self.conductor.start = self.conductor.play.first_deal(self.conductor.options)


@asynccontextmanager
async def running(simulation: Simulation) -> AsyncIterator[Running]:
    """Start everything, and end it again."""
    ruleset, options = simulation.ruleset, simulation.options
    rng = random.Random(simulation.seed)
    geometry = geometry_for(ruleset, options)
    labels = [str(tile) for tile in ruleset.tile_set(options).tiles()]
    layout = machine_layout(ruleset, options, simulation.machine)
    async with AsyncExitStack() as stack:
        store = stack.enter_context(Store(simulation.log or ":memory:"))
        table = Table.open(
            store, ruleset, options, preset=simulation.preset, names=simulation.names
        )
        if table.resumed:
            table.new_game()  # the simulated tiles of the old one are gone
        conductor = Conductor(ruleset, options, table, geometry)
        hardware = stack.enter_context(
            SimulatedTable(
                layout,
                labels,
                labels if len(simulation.sets) > 1 else (),
                seed=simulation.seed,
                speed=simulation.speed,
            )
        )
        bridge = await stack.enter_async_context(Bridge(hardware.port, clock=hardware.clock))
        machine = await stack.enter_async_context(
            Machine(
                bridge,
                MachineSettings(layout),
                clock=hardware.clock,
                sets=simulation.sets,
                numbers=rng,
            )
        )
        await _connected(bridge)
        desk = Desk(table, conductor, machine)
        panels = await stack.enter_async_context(
            Panels(DEFAULT_PINS, desk.heard, factory=MockFactory(), clock=hardware.clock)
        )
        for work in (desk.run(), desk.light(panels)):
            stack.push_async_callback(_cancel, asyncio.create_task(work))
        if simulation.console is not None:
            await stack.enter_async_context(fault_console(hardware.world, simulation.console))
        fingers = Fingers(panels, desk, table, hardware.clock)

        async def press_lift(seat: Seat) -> None:
            await fingers.press(seat, Key.LIFT)

        async def pause() -> None:
            await table.until_running()
            await sleep(hardware.clock, MOVE_S)

        if simulation.pixels:
            settings = EyesSettings(table=geometry, look=TABLE_LOOK, seed=simulation.seed)
            process = await stack.enter_async_context(open_eyes(settings))
            eyes: PixelEyes | PerfectEyes = PixelEyes(process, hardware.hold)
        else:
            eyes = PerfectEyes(geometry)
        session = Session(
            conductor,
            MachineWalls(
                hardware, machine, press_lift, rng, patient=simulation.console is not None
            ),
            eyes,
            Untidiness(seed=simulation.seed),
            press=fingers.press,
            pause=pause,
        )
        yield Running(simulation, session, conductor, table, machine, bridge, hardware, rng)


async def _connected(bridge: Bridge) -> None:
    """Wait, in real time, until the firmware has answered."""
    until = time.monotonic() + CONNECT_S
    while not bridge.connected:
        if time.monotonic() > until:
            raise TimeoutError(f"the simulated motor board does not answer: {bridge.problem}")
        await sleep(bridge.clock, 0.1)


async def _cancel(task: asyncio.Task[None]) -> None:
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
