"""Walls: how they stand, where they are broken, and the order in which tiles leave them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from table_controller.rules.core.errors import CaseError
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.tiles import Tile


@dataclass(frozen=True, slots=True)
class WallPlace:
    """Where a tile of the wall lies: side of the table, stack from the side's right end, layer.

    The right end is seen from the seat that sits at the side; layer 0 is the lower tile.
    """

    side: int
    stack: int
    layer: int


def wall_order(stacks: Sequence[int], opened: Seat, count: int, layers: int = 2) -> list[WallPlace]:
    """The places of the wall in the order in which tiles are drawn.

    ``stacks`` is the number of stacks a side. The wall of side ``opened`` is broken so that
    ``count`` stacks stay to the right of the gap; tiles are taken from the stack to the left of the
    gap, clockwise round the table, the upper tile of a stack first (riichi_4p.md, section 4).
    """
    ring = [
        (side, stack)
        for step in range(len(stacks))
        for side in [(opened - step) % len(stacks)]
        for stack in range(stacks[side])
    ]
    if not 0 <= count < len(ring):
        raise CaseError(f"cannot break the wall after {count} stacks: it has {len(ring)}")
    ring = ring[count:] + ring[:count]
    return [
        WallPlace(side, stack, layer) for side, stack in ring for layer in reversed(range(layers))
    ]


@dataclass(frozen=True, slots=True)
class Break:
    """Where the wall opens: after that many stacks from the right end of that side; where that is
    more than its stacks the count goes on in the next wall clockwise.

    ``stacks`` is None while only the first of two throws lies there: it names the side alone.
    """

    side: Seat
    stacks: int | None


def broken_side(dealer: Seat, dice_sum: int, sides: int) -> Seat:
    """The side whose wall is broken: counted counter-clockwise from the dealer as one."""
    return Seat((dealer + dice_sum - 1) % sides)


@dataclass(slots=True)
class Wall:
    """A wall that is being played: tiles in draw order, taken from both ends.

    ``dead`` lists the draw-order indexes of the dead wall's replacement tiles, in order; empty when
    replacements come from the back of the live wall. ``indicators`` and ``under`` list the indexes
    of the indicators in the order in which they are turned.
    """

    tiles: tuple[Tile, ...]
    reserved: int = 0  # tiles at the back that are never drawn as live tiles
    dead: tuple[int, ...] = ()
    indicators: tuple[int, ...] = ()
    under: tuple[int, ...] = ()
    front: int = 0  # tiles drawn from the front
    back: int = 0  # tiles taken from the back of the live wall
    replaced: int = 0
    shown: int = 0
    taken: set[int] = field(default_factory=set)
    loose_tiles: int = 0  # replacement tiles laid apart together, of the last ones of the wall
    refilled: int = 0  # tiles of the live wall that were laid apart later
    lower_first: bool = False  # of a stack at the back the lower tile is taken first
    kept: int = 0  # tiles turned in the live wall that stay there to the end: how many there are
    kept_at: set[int] = field(default_factory=set)  # and where, once they are turned

    @property
    def left(self) -> int:
        """Tiles that can still be drawn; a replacement from a dead wall shortens the live wall."""
        drawable = len(self.tiles) - self.reserved - self.kept
        if self.loose_tiles:
            return drawable - self.front - self.refilled
        return drawable - self.front - self.back - self.replaced

    def draw(self) -> Tile:
        """The next live tile."""
        if self.left <= 0:
            raise CaseError("the wall is empty: no tile can be drawn")
        places = range(len(self.tiles))
        index = next(i for i in places if i not in self.taken and i not in self.kept_at)
        self.taken.add(index)
        self.front += 1
        return self.tiles[index]

    def put_back(self) -> None:
        """The tile drawn last is the next one again."""
        places = range(len(self.tiles))
        following = next(i for i in places if i not in self.taken and i not in self.kept_at)
        self.taken.remove(max(i for i in self.taken if i < following))
        self.front -= 1

    def deal(self, number: int) -> tuple[Tile, ...]:
        """The next tiles, for a hand."""
        return tuple(self.draw() for _ in range(number))

    def replace(self, *, from_front: bool = False) -> Tile:
        """The next replacement tile: of the dead wall, or from the back of the live wall."""
        if from_front:
            return self.draw()
        if self.loose_tiles:
            return self._loose()
        if self.left <= 0:
            raise CaseError("the wall is empty: no replacement tile can be drawn")
        if self.dead:
            index = self.dead[self.replaced]
            self.replaced += 1
        else:
            index = next(self._from_the_back())
            self.back += 1
        self.taken.add(index)
        return self.tiles[index]

    def _loose(self) -> Tile:
        """The next loose tile; after the last one new ones are laid apart, if the wall has them."""
        if self.back == self.loose_tiles + self.refilled:
            raise CaseError("no loose tile is left: no replacement can be drawn")
        index = len(self.tiles) - 1 - self.back
        self.back += 1
        if self.back == self.loose_tiles + self.refilled and self.left >= self.loose_tiles:
            self.refilled += self.loose_tiles
        self.taken.add(index)
        return self.tiles[index]

    def _from_the_back(self) -> Iterator[int]:
        """The live tiles left, from the back, stack by stack, as a rule the upper tile first."""
        last = len(self.tiles) - self.reserved - 1
        for upper in range(last - last % 2, -1, -2):
            for index in (upper + 1, upper) if self.lower_first else (upper, upper + 1):
                if index <= last and index not in self.taken and index not in self.kept_at:
                    yield index

    @property
    def has_indicator(self) -> bool:
        """An indicator is left to turn."""
        return self.shown < len(self.indicators)

    def indicator(self) -> Tile:
        """Turns the next indicator."""
        if self.shown >= len(self.indicators):
            raise CaseError("no indicator is left to turn")
        self.shown += 1
        return self.tiles[self.indicators[self.shown - 1]]

    def under_indicators(self) -> tuple[Tile, ...]:
        """The tiles under the indicators that were turned."""
        return tuple(self.tiles[index] for index in self.under[: self.shown])

    def standing(self) -> list[int]:
        """The draw-order indexes of the tiles still in the wall."""
        return [index for index in range(len(self.tiles)) if index not in self.taken]
