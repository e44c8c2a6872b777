"""Walls, deals and rounds, and drawn deals (sections 3 to 5.1, 13 and 14)."""

from __future__ import annotations

from collections.abc import Iterable

from table_controller.rules.core.game import DealOutcome, DealStart, Final, WallPlan
from table_controller.rules.core.seats import Seat, Wind, seats
from table_controller.rules.core.settlement import Payment
from table_controller.rules.japanese_3p.hand import PLAYERS
from table_controller.rules.japanese_3p.options import (
    DeadWallExtension,
    DealerStaysOn,
    Flowers,
    Options,
    Rounds,
    WallShape,
    tile_set,
)

STACKS = {WallShape.SQUARE: 4, WallShape.TRIANGLE: 3}
REPLACEMENT_STACKS = 4
MOST_INDICATORS = 6
DEAD_STACKS = 7


def wall_plan(options: Options) -> WallPlan:
    """The wall, its dead wall of seven stacks counted from the end, and the indicators.

    Stacks 1 to 4 replace kongs and norths, the upper tile of stack 5 is the first indicator and the
    lower one its uradora; further indicators follow on stacks 6, 7 and, where tiles move over from
    the live wall, 8 to 10. Flowers in play bring two more stacks of replacements. A dead wall that
    stays as it is leaves the live wall alone: its replacements lie apart.
    """
    stacks = len(tile_set(options)) // 2
    each, over = divmod(stacks, STACKS[options.wall_shape])
    more = (0, 2, 1, 3)[:over] if options.wall_shape is WallShape.SQUARE else (0, 1, 2)[:over]
    spare = REPLACEMENT_STACKS + (2 if options.flowers is Flowers.NUKIDORA else 0)
    dead = DEAD_STACKS + spare - REPLACEMENT_STACKS
    moves = options.dead_wall_extension is DeadWallExtension.MOVED_TILES
    shown = range(spare + 1, (spare + MOST_INDICATORS if moves else dead) + 1)
    replacements = tuple(
        place for stack in range(1, spare + 1) for place in (2 * stack, 2 * stack - 1)
    )
    return WallPlan(
        stacks=tuple(each + (side in more) for side in range(STACKS[options.wall_shape])),
        reserved=2 * dead,
        dead=replacements if moves else (),
        loose_tiles=0 if moves else len(replacements) + 1,  # one more than there are: no refill
        indicators=tuple(2 * stack for stack in shown),
        under=tuple(2 * stack - 1 for stack in shown),
        shown_at_start=1,
    )


def first_deal(options: Options) -> DealStart:
    """The first deal of a match."""
    return DealStart(
        number=0,
        dealer=Seat.A,
        round_wind=Wind.EAST,
        points=(options.starting_points,) * PLAYERS,
        markers=(0,) * PLAYERS,
    )


def next_deal(start: DealStart, ended: DealOutcome, options: Options) -> DealStart | None:
    """The deal that follows; None after the last one.

    ``markers`` counts for the dealer's seat how often in a row it has dealt again.
    """
    if ended.replayed:
        return _again(start, ended, counters=start.counters, retained=_retained(start))
    stays = start.dealer in ended.winners or (
        ended.draw_reason is not None
        and options.dealer_stays_on is DealerStaysOn.WIN_OR_TENPAI
        and start.dealer in ended.waiting
    )
    if stays:
        return _again(start, ended, counters=start.counters + 1, retained=_retained(start) + 1)
    dealer = start.dealer.after(1, PLAYERS)
    round_wind = start.round_wind
    if dealer is Seat.A:
        if round_wind is Wind.SOUTH or options.rounds is Rounds.E:
            return None
        round_wind = round_wind.next
    return DealStart(
        number=start.number + 1,
        dealer=dealer,
        round_wind=round_wind,
        points=ended.points,
        counters=start.counters + 1 if ended.draw_reason is not None else 0,
        deposits=ended.deposits,
        markers=(0,) * PLAYERS,
    )


def _retained(start: DealStart) -> int:
    return start.markers[start.dealer] if start.markers else 0


def _again(start: DealStart, ended: DealOutcome, *, counters: int, retained: int) -> DealStart:
    return DealStart(
        number=start.number + 1,
        dealer=start.dealer,
        round_wind=start.round_wind,
        points=ended.points,
        counters=counters,
        deposits=ended.deposits,
        markers=tuple(retained if seat is start.dealer else 0 for seat in seats(PLAYERS)),
    )


def final(start: DealStart, points: tuple[int, ...], options: Options) -> Final:
    """Placements by points; equal points go to the seat that dealt first. Sticks left over go to
    the first.
    """
    order = sorted(seats(PLAYERS), key=lambda seat: (-points[seat], seat))
    left = start.deposits * options.riichi_deposit
    return Final(
        placements=tuple(order.index(seat) + 1 for seat in seats(PLAYERS)),
        scores=tuple(
            float(points[seat] + (left if seat is order[0] else 0)) for seat in seats(PLAYERS)
        ),
    )


def noten_payments(tenpai: Iterable[Seat], options: Options) -> tuple[Payment, ...]:
    """After a drawn deal every hand that is not ready pays every ready one."""
    ready = tuple(tenpai)
    return tuple(
        Payment(payer, receiver, options.noten_payment, "noten")
        for payer in seats(PLAYERS)
        if payer not in ready
        for receiver in ready
        if options.noten_payment
    )
