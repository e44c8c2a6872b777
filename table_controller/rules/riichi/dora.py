"""Which tile an indicator makes dora."""

from __future__ import annotations

from table_controller.rules.core.tiles import Suit, Tile
from table_controller.rules.riichi.options import RiichiOptions
from table_controller.rules.riichi.sanma_options import SanmaOptions


def dora_of(indicator: Tile, options: RiichiOptions) -> Tile:
    """The next tile: nine leads to one, north to east, red to white.

    With three players one of characters leads to nine, since nothing lies between.
    """
    suit, rank = indicator.suit, indicator.rank
    if isinstance(options, SanmaOptions) and options.dora_1m and suit is Suit.CHARACTERS:
        return Tile(suit, 9 if rank == 1 else 1)
    if suit.is_numbered:
        return Tile(suit, rank % 9 + 1)
    return Tile(suit, rank % 4 + 1 if rank <= 4 else (rank - 4) % 3 + 5)
