"""Melds as they lie on the table."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum

from table_controller.rules.core.errors import CaseError
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.tiles import Suit, Tile, format_tiles, parse_tiles


class MeldKind(StrEnum):
    """What kind of meld, as the score case names it."""

    CHOW = "chow"
    PUNG = "pung"
    KONG = "kong"  # exposed, taken from a discard
    CONCEALED_KONG = "concealed_kong"
    ADDED_KONG = "added_kong"  # a pung that got its fourth tile
    QUINT = "quint"
    SEXTET = "sextet"

    @property
    def is_kong(self) -> bool:
        """Any of the three kinds of kong."""
        return self in (MeldKind.KONG, MeldKind.CONCEALED_KONG, MeldKind.ADDED_KONG)

    @property
    def is_concealed(self) -> bool:
        """Nothing of it came from another seat."""
        return self is MeldKind.CONCEALED_KONG

    @property
    def size(self) -> int:
        """How many tiles it holds."""
        return _SIZES[self]


_SIZES = {
    MeldKind.CHOW: 3,
    MeldKind.PUNG: 3,
    MeldKind.KONG: 4,
    MeldKind.CONCEALED_KONG: 4,
    MeldKind.ADDED_KONG: 4,
    MeldKind.QUINT: 5,
    MeldKind.SEXTET: 6,
}


@dataclass(frozen=True, slots=True)
class Meld:
    """A declared meld; ``source`` is the seat whose discard was called, None for a concealed kong.

    ``called`` is the tile that was called; None when unknown or nothing was called.
    """

    kind: MeldKind
    tiles: tuple[Tile, ...]
    source: Seat | None = None
    called: Tile | None = None

    @classmethod
    def of(cls, kind: MeldKind | str, text: str, source: Seat | None = None) -> Meld:
        """A checked meld from notation; raises CaseError when the tiles do not form it."""
        meld = cls(MeldKind(kind), tuple(sorted(parse_tiles(text))), source)
        meld.check()
        return meld

    @property
    def tile(self) -> Tile:
        """The lowest tile without red mark or jokers: names a chow, is the tile of a pung."""
        return min(tile.face for tile in self.tiles if not tile.is_joker)

    @property
    def faces(self) -> tuple[Tile, ...]:
        """The tiles without red marks."""
        return tuple(tile.face for tile in self.tiles)

    def check(self) -> None:
        """Raises CaseError when the tiles do not form this kind of meld; jokers fit anything."""
        plain = [tile.face for tile in self.tiles if not tile.is_joker]
        if len(self.tiles) != self.kind.size or not plain:
            raise CaseError(
                f"{format_tiles(self.tiles) or 'nothing'} is not a {self.kind.value}: "
                f"it takes {self.kind.size} tiles"
            )
        if self.kind is MeldKind.CHOW:
            ranks = Counter(tile.rank for tile in plain)
            is_chow = (
                len({tile.suit for tile in plain}) == 1
                and plain[0].is_numbered
                and max(ranks) - min(ranks) <= 2
                and max(ranks.values()) == 1
            )
            if not is_chow:
                raise CaseError(f"{format_tiles(self.tiles)} is not a chow: no run of one suit")
        elif len({_alike(tile) for tile in plain}) != 1:
            raise CaseError(f"{format_tiles(self.tiles)} is not a {self.kind.value}: tiles differ")


def _alike(tile: Tile) -> object:
    """What tiles of a pung share: flowers and seasons, where they are melded, are one face."""
    return "flower" if tile.suit in (Suit.FLOWERS, Suit.SEASONS) else tile
