"""Where the walls of a simulated deal come from: shuffled in memory, or built by the machine."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from firmware_bridge.clock import sleep
from firmware_bridge.errors import BridgeError
from firmware_bridge.simulator import Place, SimulatedTable
from table_controller.machine import Machine, Phase
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.tiles import Tile
from table_controller.rules.core.wall import WallPlace, broken_side, wall_order

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RaisedWalls:
    """Walls on the table: tiles and places in draw order, and the dice that broke them."""

    tiles: tuple[Tile, ...]
    places: tuple[WallPlace, ...]
    dice: tuple[int, ...]


class WallSource(Protocol):
    """Builds walls and takes the tiles back."""

    async def raise_walls(self, dealer: Seat, planted: Sequence[Tile] | None = None) -> RaisedWalls:
        """Walls for a deal; ``planted`` is the order in which its tiles are to be drawn."""

    def take(self, places: Collection[int]) -> None:
        """Players took the tiles at these places of the draw order."""

    async def clear(self) -> None:
        """The deal is over: the tiles go back."""


def places_for(stacks: Sequence[int], dealer: Seat, dice: Sequence[int]) -> tuple[WallPlace, ...]:
    """Where the tiles stand, in draw order, when these dice break the wall."""
    total = sum(dice)
    sides = [side for side, count in enumerate(stacks) if count]
    opened = sides[broken_side(dealer, total, len(sides))]
    count = total % max(stacks[opened], 1)
    return tuple(wall_order(stacks, Seat(opened), count))


MOVING = (Phase.BUILDING, Phase.RAISING, Phase.HOMING, Phase.CONNECTING)
RECOVERABLE = (Phase.HALTED, Phase.IDLE_EMPTY, Phase.READY, Phase.PLAYING)
BELOW = (Place.DRUM, Place.TROUGH, Place.HEAD, Place.ROW)


class NoWallsError(RuntimeError):
    """The machine stands still and does not put walls on the table; says what it reported."""


class MachineWalls:
    """Walls that the simulated machine shuffles, builds and raises, worked by its lift keys.

    Patient players wait as long as it takes until somebody has put the machine right; others raise
    NoWallsError, because nobody will.
    """

    def __init__(
        self,
        table: SimulatedTable,
        machine: Machine,
        press_lift: Callable[[Seat], Awaitable[None]],
        rng: random.Random,
        *,
        patient: bool = False,
    ) -> None:
        self._table = table
        self._machine = machine
        self._press_lift = press_lift
        self._rng = rng
        self._patient = patient
        self._ids: tuple[int, ...] = ()  # the tiles of the walls in play, in draw order
        self._off: set[int] = set()  # which of those were taken, as places in that order

    async def raise_walls(self, dealer: Seat, planted: Sequence[Tile] | None = None) -> RaisedWalls:
        """Press lift keys and push tiles in until walls stand, then throw the dice."""
        dice: tuple[int, ...] = (self._rng.randint(1, 6), self._rng.randint(1, 6))
        stacks = self._table.layout.stacks
        if planted is not None:
            self._table.world.plant_dice(dice)
            self._plant(planted, places_for(stacks, dealer, dice))
        await self._until_playing(dealer)
        try:
            throw = await self._machine.roll_dice()
        except BridgeError as error:
            logger.warning("the dice were not thrown, players use their own: %s", error)
        else:
            if not throw.stand_in:
                dice = self._table.world.dice()
        places = places_for(stacks, dealer, dice)
        walls = self._table.world.walls()
        self._ids = tuple(walls[p.side][p.stack][p.layer] for p in places)
        self._off.clear()
        tiles = tuple(Tile.parse(self._table.world.labels[tile]) for tile in self._ids)
        return RaisedWalls(tiles, places, dice)

    def take(self, places: Collection[int]) -> None:
        """Players took the tiles at these places of the draw order off the walls.

        What somebody brought up below a wall has knocked it over: its tiles lie on the table top.
        """
        new = set(places) - self._off
        self._off |= new
        lying = set(self._table.world.tiles_at(Place.SURFACE))
        standing = [tile for place in sorted(new) if (tile := self._ids[place]) not in lying]
        if standing:
            self._table.world.take(standing)

    async def clear(self) -> None:
        """The deal is over: players knock the rest of the walls over."""
        self._table.world.clear_walls()

    def _plant(self, planted: Sequence[Tile], places: Sequence[WallPlace]) -> None:
        """The next build is to come out so that these tiles are drawn in this order."""
        world = self._table.world
        free: dict[str, list[int]] = {}
        for tile in world.sets["A"]:
            free.setdefault(world.labels[tile], []).append(tile)
        at = {place: free[str(tile)].pop() for place, tile in zip(places, planted, strict=True)}
        layout = self._table.layout
        world.plant_walls(
            [
                [
                    [at[WallPlace(side, stack, layer)] for layer in range(layout.layers)]
                    for stack in range(layout.stacks[side])
                ]
                for side in range(len(layout.stacks))
            ]
        )

    async def _until_playing(self, seat: Seat) -> None:
        """What people do: a lift key, push a set in, a lift key, wait for the build."""
        presses = 0
        while True:
            phase = self._machine.phase
            if phase is Phase.PLAYING and self._walls_stand():
                return
            if self._machine.rows_are_unknown and phase in RECOVERABLE:
                await self._bring_rows_up(seat)
                continue
            if phase in MOVING:
                await sleep(self._table.clock, 0.5)
                continue
            if phase in (Phase.FEEDING, Phase.ADDING):
                self._push_in(only_missing=phase is Phase.ADDING)
            presses += 1
            if presses > 30 and not self._patient:
                faults = "; ".join(fault.text for fault in self._machine.faults)
                raise NoWallsError(f"the machine is {phase} and raises no walls: {faults or '-'}")
            await self._press_lift(seat)
            await sleep(self._table.clock, 1.0 if presses < 10 else 5.0)

    def _walls_stand(self) -> bool:
        """Whether whole walls are to be seen: those of the last deal were knocked over."""
        standing = sum(len(stack) for side in self._table.world.walls() for stack in side)
        return standing == self._table.layout.tiles

    async def _bring_rows_up(self, seat: Seat) -> None:
        """Two lift keys; then what does not belong to this table is taken away."""
        world = self._table.world
        world.clear_walls()
        other = Seat.B if seat is Seat.A else Seat.A
        await asyncio.gather(self._press_lift(seat), self._press_lift(other))
        world.clear_walls()
        world.carry_off(set(world.labels).difference(*world.sets.values()))
        await sleep(self._table.clock, 1.0)

    def _push_in(self, *, only_missing: bool) -> None:
        """Push a set into the mouth, the one that was played with before the other.

        It is whole with what fell down or stayed inside when its build was broken off.
        """
        world = self._table.world
        lying = {*world.tiles_at(Place.SURFACE), *world.tiles_at(Place.FLOOR)}
        inside = {tile for place in BELOW for tile in world.tiles_at(place)}
        for name in sorted(world.sets, key=lambda name: name != self._machine.view.playing):
            mine = set(world.sets[name])
            if mine & lying and mine <= lying | inside and (mine & inside or not only_missing):
                world.push_into_mouth(sorted(mine & lying))
                return
