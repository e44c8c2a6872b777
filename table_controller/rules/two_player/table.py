"""The table of the game for two around a round: the break, who begins next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from table_controller.rules.core.errors import CaseError
from table_controller.rules.core.seats import Seat
from table_controller.rules.two_player.options import (
    BreakMethod,
    DrawFirst,
    NextFirst,
    Options,
)


@dataclass(frozen=True, slots=True)
class Break:
    """Where the wall is split: after that many stacks, clockwise along a side from its start.

    ``side`` is the number 1 to 4 of the seat in front of which the wall stands.
    """

    side: int
    after_stack: int


def stacks_per_side(options: Options) -> int:
    """18 stacks with bonus tiles, 17 without, two high."""
    return 18 if options.bonus_tiles else 17


def break_by_dice(
    side_dice: Sequence[int], place_dice: Sequence[int], first: Seat, options: Options
) -> Break | None:
    """The break that a throw gives; None when the throw must be repeated.

    ``d4_d20``: one die of four, one of twenty. ``d6``: one die for the side (5 and 6 are thrown
    again) or two whose sum is counted around, and `place_dice` dice for the place. Sides count
    clockwise from the first player's side as 1; a place beyond the side is thrown again.
    """
    place = sum(place_dice)
    if place > stacks_per_side(options):
        return None
    if options.break_method is BreakMethod.D4_D20:
        _expect_dice(side_dice, 1, 4)
        _expect_dice(place_dice, 1, 20)
        counted = side_dice[0]
    elif options.break_method is BreakMethod.D6:
        if len(side_dice) not in (1, 2):
            raise CaseError(f"one or two dice give the side, not {len(side_dice)}")
        _expect_dice(side_dice, len(side_dice), 6)
        _expect_dice(place_dice, options.place_dice, 6)
        if len(side_dice) == 1 and side_dice[0] > 4:
            return None
        counted = sum(side_dice)
    else:
        raise CaseError("with break_method = choose the players name side and place, not dice")
    side = (options.number_of(first) - 1 + counted - 1) % 4 + 1
    return Break(side, place)


def _expect_dice(dice: Sequence[int], number: int, faces: int) -> None:
    if len(dice) != number or not all(1 <= die <= faces for die in dice):
        raise CaseError(f"expected {number} dice of {faces} faces, not {list(dice)}")


def next_first(first: Seat, winner: Seat | None, options: Options) -> Seat:
    """Who begins the next round; ``winner`` is None after an exhausted wall."""
    if winner is None:
        return first if options.draw_first is DrawFirst.SAME else first.after(1, options.players)
    from_seat = winner if options.next_first is NextFirst.LEFT_OF_WINNER else first
    return from_seat.after(1, options.players)


def game_ends(rounds_played: int, options: Options) -> bool:
    """The agreed number of rounds has been played."""
    return rounds_played >= options.rounds
