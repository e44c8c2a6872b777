"""Walls, seats, rounds and the match (sections 4, 5 and 18)."""

from __future__ import annotations

from table_controller.rules.core.errors import OptionError
from table_controller.rules.core.game import DealOutcome, DealStart, Final, WallPlan
from table_controller.rules.core.seats import Seat, Wind
from table_controller.rules.korean_japanese_3p.hand import PLAYERS
from table_controller.rules.korean_japanese_3p.options import (
    DoraRule,
    GoulashCarryOver,
    Options,
    TurnDirection,
    WallShape,
    WallStacks,
    tile_set,
)

ROUND_WINDS = (Wind.EAST, Wind.SOUTH, Wind.WEST)
DEALS_IN_MATCH = PLAYERS * len(ROUND_WINDS)
SIDES = {WallShape.SQUARE: 4, WallShape.TRIANGLE: 3}
SUMMARY_STACKS = {  # the summary's own figures; they fit these numbers of stacks only
    (WallShape.SQUARE, 50): (13, 12, 12, 13),
    (WallShape.TRIANGLE, 55): (19, 18, 18),
}
LEFT_OVER_SIDES = {WallShape.SQUARE: (0, 2, 1, 3), WallShape.TRIANGLE: (0, 1, 2)}


def wall_stacks(options: Options) -> tuple[int, ...]:
    """Stacks a side, of east, south, west and the empty side: as even as they come, what is left
    over to east, west, south and the empty side (three walls: to east, then south).
    """
    stacks = len(tile_set(options)) // 2
    if options.wall_stacks is WallStacks.SUMMARY:
        printed = SUMMARY_STACKS.get((options.wall_shape, stacks))
        if printed is not None:
            return printed
    each, over = divmod(stacks, SIDES[options.wall_shape])
    more = LEFT_OVER_SIDES[options.wall_shape][:over]
    return tuple(each + (side in more) for side in range(SIDES[options.wall_shape]))


def wall_plan(options: Options) -> WallPlan:
    """The wall as built, the tiles at its end that are not drawn, and the turned one."""
    turned = {DoraRule.NONE: (), DoraRule.DEAD_WALL: (13,), DoraRule.REVEALED: (1,)}
    indicators = turned[options.dora_rule]
    return WallPlan(
        stacks=wall_stacks(options),
        reserved=options.reserved_tiles,
        indicators=indicators,
        shown_at_start=len(indicators),
    )


def first_deal(options: Options) -> DealStart:
    """The first deal of a game; OptionError where the table could not follow it."""
    if options.turn_direction is TurnDirection.CLOCKWISE:
        raise OptionError(
            "turn_direction clockwise: its hands can be scored, but the table deals, reads and "
            "shows anticlockwise only: play anticlockwise"
        )
    return DealStart(number=0, dealer=Seat.A, round_wind=Wind.EAST, points=(0,) * PLAYERS)


def next_deal(start: DealStart, ended: DealOutcome, options: Options) -> DealStart | None:
    """The deal that follows; None after the last one.

    The deal passes to the right after every deal, whatever its result; three deals are a round.
    """
    number = start.number + 1
    if number >= DEALS_IN_MATCH * options.match_count:
        return None
    goulash = start.goulash if ended.replayed else ended.goulash
    if number % DEALS_IN_MATCH == 0 and options.goulash_carry_over_match is GoulashCarryOver.NEVER:
        goulash = 0
    return DealStart(
        number=number,
        dealer=Seat(number % PLAYERS),
        round_wind=ROUND_WINDS[number // PLAYERS % len(ROUND_WINDS)],
        points=ended.points,
        goulash=goulash,
    )


def final(start: DealStart, points: tuple[int, ...], options: Options) -> Final:
    """Placements by points; equal points share a placement."""
    return Final(
        placements=tuple(1 + sum(other > own for other in points) for own in points),
        scores=tuple(float(own) for own in points),
    )
