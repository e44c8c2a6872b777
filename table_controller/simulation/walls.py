"""Where the walls of a simulated deal come from: shuffled in memory, or built by the machine."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from table_controller.rules.core.seats import Seat
from table_controller.rules.core.tiles import Tile
from table_controller.rules.core.wall import WallPlace, broken_side, wall_order


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

    async def clear(self) -> None:
        """The deal is over: the tiles go back."""


def places_for(stacks: Sequence[int], dealer: Seat, dice: Sequence[int]) -> tuple[WallPlace, ...]:
    """Where the tiles stand, in draw order, when these dice break the wall."""
    total = sum(dice)
    sides = [side for side, count in enumerate(stacks) if count]
    opened = sides[broken_side(dealer, total, len(sides))]
    count = total % max(stacks[opened], 1)
    return tuple(wall_order(stacks, Seat(opened), count))


class ShuffledWalls:
    """Walls without a machine: for games in which only rules and reading matter."""

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

    async def clear(self) -> None:
        """Nothing lies anywhere."""
