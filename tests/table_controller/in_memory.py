"""A log, walls and eyes without a file, a machine or a camera, for games in which only rules and
reading matter."""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from dataclasses import replace

from table_controller.rules.core.events import Discarded, Doubted, GameEvent
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.state import DealState, apply, begin, fold
from table_controller.rules.core.tiles import Tile
from table_controller.simulation.eyes import PerfectEyes
from table_controller.simulation.walls import RaisedWalls, places_for


class MemoryLog:
    """A log that keeps its events in memory."""

    def __init__(self, players: int) -> None:
        self.players = players
        self.events: list[GameEvent] = []
        self.state: DealState | None = None
        self.history: list[GameEvent] = []

    def append(self, event: GameEvent) -> None:
        self.events.append(event)
        if event.kind == "deal_began":
            self.state = begin(event, self.players)
            self.history = [event]
        else:
            self.history.append(event)
            if self.state is not None:
                self.state = apply(self.state, event)

    def settle(self, doubt: Doubted, tile: Tile | None = None) -> None:
        self.history.remove(doubt)
        if tile is not None:
            place = [
                place
                for place, event in enumerate(self.history)
                if isinstance(event, Discarded) and event.seat is doubt.seat
            ][doubt.place - 1]
            self.history[place] = replace(self.history[place], tile=tile)
            self.state = fold(self.history, self.players)

    def take_back(self, events: Sequence[GameEvent], reason: str) -> None:
        for event in events:
            latest = max(place for place, each in enumerate(self.history) if each == event)
            del self.history[latest]
        self.state = fold(self.history, self.players)


class ShuffledWalls:
    """Walls that no machine builds."""

    def __init__(self, stacks: Sequence[int], tiles: Sequence[Tile], rng: random.Random) -> None:
        self.stacks = tuple(stacks)
        self._tiles = list(tiles)
        self._rng = rng

    async def raise_walls(self, dealer: Seat, planted: Sequence[Tile] | None = None) -> RaisedWalls:
        """A fair shuffle, or the planted order."""
        dice = (self._rng.randint(1, 6), self._rng.randint(1, 6))
        if planted is None:
            self._rng.shuffle(self._tiles)
            planted = self._tiles
        return RaisedWalls(tuple(planted), places_for(self.stacks, dealer, dice), dice)

    def take(self, places: Collection[int]) -> None:
        """Nobody keeps account."""

    async def clear(self) -> None:
        """Nothing lies anywhere."""


class Doubtful(PerfectEyes):
    """Reads each tile as the test says."""

    def __init__(self, geometry, reads):
        super().__init__(geometry)
        self.reads = reads

    async def look(self, placed):
        scene = await super().look(placed)
        return replace(scene, sightings=tuple(map(self.reads, scene.sightings)))
