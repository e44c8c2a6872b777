"""The table of the game for two around a round: its walls, who begins next."""

from __future__ import annotations

from table_controller.rules.core.seats import Seat
from table_controller.rules.two_player.options import (
    DrawFirst,
    NextFirst,
    Options,
)


def stacks_per_side(options: Options) -> int:
    """18 stacks with bonus tiles, 17 without, two high."""
    return 18 if options.bonus_tiles else 17


def next_first(first: Seat, winner: Seat | None, options: Options) -> Seat:
    """Who begins the next round; ``winner`` is None after an exhausted wall."""
    if winner is None:
        return first if options.draw_first is DrawFirst.SAME else first.after(1, options.players)
    from_seat = winner if options.next_first is NextFirst.LEFT_OF_WINNER else first
    return from_seat.after(1, options.players)


def game_ends(rounds_played: int, options: Options) -> bool:
    """The agreed number of rounds has been played."""
    return rounds_played >= options.rounds
