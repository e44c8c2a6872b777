"""Fu: what sets, pair, wait and the way of winning are worth."""

from __future__ import annotations

from table_controller.rules.core.melds import MeldKind
from table_controller.rules.core.tiles import Tile
from table_controller.rules.core.win import Wait

BASE_FU = 20
SEVEN_PAIRS_FU = 25
CONCEALED_RON_FU = 10
SELF_DRAW_FU = 2
WAIT_FU = 2
PAIR_FU = 2

NARROW_WAITS = frozenset({Wait.CLOSED, Wait.EDGE, Wait.PAIR})
"""The waits that are worth fu: the winning tile could complete its group in one way only."""


def set_fu(tile: Tile, kind: MeldKind, *, is_concealed: bool) -> int:
    """Fu of one set: double for terminals and honours, double concealed, fourfold for a kong."""
    if kind is MeldKind.CHOW:
        return 0
    fu = 2
    if tile.is_terminal_or_honour:
        fu *= 2
    if is_concealed:
        fu *= 2
    if kind.is_kong:
        fu *= 4
    return fu


def round_up(fu: int) -> int:
    """To the next ten."""
    return -(-fu // 10) * 10
