"""From the first throw to the table points: the break, the deal, sixteen hands, seats, ranks."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from table_controller.rules.core.game import DealOutcome, DealStart, Final
from table_controller.rules.core.seats import Seat, Wind, seats
from table_controller.rules.core.wall import Break, broken_side
from table_controller.rules.mcr.counting import PLAYERS
from table_controller.rules.mcr.options import Options, SeatChange

STACKS = (18, 18, 18, 18)
DEALS_PER_ROUND = 4
TABLE_POINTS = (4, 2, 1, 0)


def break_wall(dealer: Seat, first_throw: int, second_throw: int | None) -> Break:
    """The break of two throws: the dealer's names the wall, its owner's is added to the count."""
    side = broken_side(dealer, first_throw, PLAYERS)
    return Break(side, None if second_throw is None else first_throw + second_throw)


_SEATING = {
    SeatChange.GREEN_BOOK: ((0, 1, 2, 3), (1, 0, 3, 2), (3, 2, 0, 1), (2, 3, 1, 0)),
    SeatChange.ALTERNATE: ((0, 1, 2, 3), (1, 0, 3, 2), (2, 3, 1, 0), (3, 2, 0, 1)),
    SeatChange.NONE: ((0, 1, 2, 3),) * 4,
}


def seating(game_round: int, options: Options) -> tuple[int, ...]:
    """Which player, numbered by first seat, sits at each seat in that round (from 0)."""
    return _SEATING[options.seat_change][game_round]


def moved(points: Sequence[int], last_round: int, options: Options) -> tuple[int, ...]:
    """The points by seat after the players changed seats at the end of that round."""
    before, after = seating(last_round, options), seating(last_round + 1, options)
    of_player = {player: points[seat] for seat, player in enumerate(before)}
    return tuple(of_player[player] for player in after)


def round_of(number: int) -> int:
    """The round, from 0, of the deal with that number, from 0."""
    return number // DEALS_PER_ROUND


def first_deal(options: Options) -> DealStart:
    """The first deal of a match."""
    return DealStart(
        number=0,
        dealer=Seat.A,
        round_wind=Wind.EAST,
        points=(options.initial_points,) * PLAYERS,
        seating=seating(0, options),
    )


def next_deal(last: DealStart, ended: DealOutcome, options: Options) -> DealStart | None:
    """The deal passes to the right whatever happened; seats change after each round."""
    if ended.replayed:
        return DealStart(
            number=last.number,
            dealer=last.dealer,
            round_wind=last.round_wind,
            points=ended.points,
            seating=last.seating,
        )
    number = last.number + 1
    if round_of(number) >= options.rounds:
        return None
    points = ended.points
    if round_of(number) != round_of(last.number):
        points = moved(points, round_of(last.number), options)
    return DealStart(
        number=number,
        dealer=Seat(number % DEALS_PER_ROUND),
        round_wind=tuple(Wind)[round_of(number)],
        points=points,
        seating=seating(round_of(number), options),
    )


def table_points(results: Sequence[int]) -> tuple[Fraction, ...]:
    """4, 2, 1 and 0 by rank; players with equal results share their places' points equally."""
    shared = []
    for result in results:
        above = sum(other > result for other in results)
        tied = sum(other == result for other in results)
        shared.append(Fraction(sum(TABLE_POINTS[above : above + tied]), tied))
    return tuple(shared)


def final(last: DealStart, points: tuple[int, ...], options: Options) -> Final:
    """Placements and table points, by the seat where each player began the match."""
    by_player = {
        player: points[seat] for seat, player in enumerate(seating(round_of(last.number), options))
    }
    results = [by_player[player] for player in seats(PLAYERS)]
    return Final(
        placements=tuple(1 + sum(other > result for other in results) for result in results),
        scores=tuple(float(points) for points in table_points(results)),
    )
