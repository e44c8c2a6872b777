"""A machine on the real wire, the real firmware and the simulated mechanism, in a test's hands."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from firmware_bridge.bridge import Bridge
from firmware_bridge.clock import sleep
from firmware_bridge.layout import TableLayout
from firmware_bridge.parts import Actuator
from firmware_bridge.settings import MachineSettings
from firmware_bridge.simulator import SimulatedTable, World
from table_controller.machine import Machine, MachineView, Phase, SetPlace

SMALL = TableLayout("24", (3, 3, 3, 3))
MIDDLE = TableLayout("40", (5, 5, 5, 5))
LARGER = TableLayout("32", (4, 4, 4, 4))


@dataclass
class Played:
    """A table with its machine, in a test's hands."""

    table: SimulatedTable
    bridge: Bridge
    machine: Machine
    views: list[MachineView] = field(default_factory=list)

    @property
    def world(self) -> World:
        return self.table.world

    @property
    def phases(self) -> list[Phase]:
        """The phases so far, without repetitions."""
        phases = [view.phase for view in self.views]
        return [p for n, p in enumerate(phases) if n == 0 or phases[n - 1] is not p]

    @property
    def codes(self) -> set[str]:
        return {active.fault.code for active in self.machine.faults}

    async def sleep(self, seconds: float) -> None:
        await sleep(self.table.clock, seconds)

    async def until(self, wanted, seconds: float = 120.0) -> None:
        """Wait until that holds of the machine."""
        for _ in range(int(seconds / 0.05)):
            if wanted(self.machine):
                return
            await self.sleep(0.05)
        raise TimeoutError(f"still {self.machine.view}")

    async def phase(self, phase: Phase) -> None:
        await self.until(lambda machine: machine.phase is phase)

    async def feed(self, name: str, seat: int = 0, *, without: int = 0) -> None:
        """A lift key, a set pushed in, a lift key again; some tiles may be forgotten."""
        await self.machine.press_lift(seat)
        assert self.machine.phase is Phase.FEEDING
        tiles = self.world.sets[name]
        self.world.clear_walls()
        self.world.push_into_mouth(tiles[without:])
        await self.sleep(1.0)
        await self.machine.press_lift((seat + 1) % 4)

    async def first_wall(self) -> None:
        """Set A is built and waits."""
        await self.feed("A")
        await self.phase(Phase.READY)

    async def in_play(self) -> None:
        """Set A is on the table, set B is built below."""
        await self.first_wall()
        await self.feed("B")
        await self.until(lambda m: m.sets["B"] is SetPlace.ROWS)

    def turning(self) -> set[Actuator]:
        if not self.world.power_is_on():
            return set()
        return {a for a, motor in self.world.motors.items() if motor.direction}


@asynccontextmanager
async def playing(
    layout: TableLayout = SMALL, *, confirm: bool = True, sets: str = "AB", **options
) -> AsyncIterator[Played]:
    """A machine on a simulated table; in the end every tile is somewhere and nobody was hurt."""
    labels = [f"tile {number}" for number in range(layout.tiles)]
    journal = options.pop("journal", None)
    two = labels if len(sets) > 1 else ()
    with SimulatedTable(layout, labels, two, seed=options.pop("seed", 3), **options) as table:
        async with (
            Bridge(table.port, clock=table.clock) as bridge,
            Machine(bridge, MachineSettings(layout), journal=journal, sets=sets) as machine,
        ):
            it = Played(table, bridge, machine)
            machine.watch(it.views.append)
            await bridge.wait_connected()
            await bridge.wait_for(lambda b: b.state is not None)
            if confirm:
                await machine.confirm()
            yield it
            it.world.audit()
            assert it.world.on_violation == []
            assert table.failure is None
