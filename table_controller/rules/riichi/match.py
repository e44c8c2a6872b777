"""From deal to deal, and the end of the game: who deals next, ranks, placement bonus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from table_controller.rules.core.game import DealOutcome, DealStart, Final
from table_controller.rules.core.seats import Seat, Wind
from table_controller.rules.riichi.options import (
    AbortiveDraw,
    Bust,
    ChomboMode,
    FinalRounding,
    FinalSticks,
    GameLength,
    Renchan,
    RiichiOptions,
    TieBreak,
)

ABORTIONS = frozenset(one.value for one in AbortiveDraw)
ROUNDS = tuple(Wind)


def first_deal(options: RiichiOptions) -> DealStart:
    """East 1: the first dealer sits at seat A."""
    players = len(options.uma)
    return DealStart(
        number=0, dealer=Seat.A, round_wind=Wind.EAST, points=(options.start_points,) * players
    )


def dealer_stays(start: DealStart, ended: DealOutcome, options: RiichiOptions) -> bool:
    """The dealer won, waits at a draw, or the deal was aborted."""
    if ended.replayed or ended.draw_reason in ABORTIONS:
        return True
    if ended.draw_reason is not None:
        return options.renchan is Renchan.TENPAI and start.dealer in ended.waiting
    return start.dealer in ended.winners


def next_deal(start: DealStart, ended: DealOutcome, options: RiichiOptions) -> DealStart | None:
    """The deal that follows, or None when the game is over."""
    players = len(start.points)
    following = replace(
        start,
        number=start.number + 1,
        points=ended.points,
        deposits=ended.deposits,
        markers=_chombo_counted(start, ended, options),
    )
    is_last = _is_last_deal(start, players, options)
    if ended.replayed:
        return None if is_last and options.chombo_ends_game else following
    if _is_bust(ended.points, options):
        return None
    stays = dealer_stays(start, ended, options)
    counters = start.counters + 1 if stays or ended.draw_reason is not None else 0
    following = replace(following, counters=counters)
    is_extra = ROUNDS.index(start.round_wind) > _last_round(options)
    if is_extra and max(ended.points) >= options.goal_points:
        return None
    if stays:
        if is_last and _dealer_ends(start, ended, options):
            return None
        return following
    if start.dealer < players - 1:
        return replace(following, dealer=start.dealer.after(1, players))
    if is_last:
        goes_on = options.west_round and max(ended.points) < options.goal_points
        if not goes_on:
            return None
    elif is_extra:
        return None
    return replace(following, dealer=Seat.A, round_wind=start.round_wind.next)


def _chombo_counted(
    start: DealStart, ended: DealOutcome, options: RiichiOptions
) -> tuple[int, ...]:
    """How many chombo each seat answers for at the end, where no points move at once.

    A reading with a fifth tile proves nothing against anybody.
    """
    offenders = {seat for seat, code in ended.offences if code != "fifth_tile"}
    if options.chombo_mode is ChomboMode.MANGAN_PAYMENT or not offenders:
        return start.markers
    have = start.markers or (0,) * len(start.points)
    return tuple(number + (seat in offenders) for seat, number in enumerate(have))


def _last_round(options: RiichiOptions) -> int:
    return 0 if options.game_length is GameLength.TONPUUSEN else 1


def _is_last_deal(start: DealStart, players: int, options: RiichiOptions) -> bool:
    """The dealership would pass from the last dealer of the last round."""
    return ROUNDS.index(start.round_wind) == _last_round(options) and start.dealer == players - 1


def _dealer_ends(start: DealStart, ended: DealOutcome, options: RiichiOptions) -> bool:
    """The dealer won or waits, leads with at least the goal points, and stops."""
    if ended.draw_reason in ABORTIONS:
        return False
    allowed = options.tenpai_yame if ended.draw_reason is not None else options.agari_yame
    leads = ranking(ended.points)[0] == start.dealer
    return allowed and leads and ended.points[start.dealer] >= options.goal_points


def _is_bust(points: Sequence[int], options: RiichiOptions) -> bool:
    if options.tobi is Bust.BELOW_ZERO:
        return min(points) < 0
    return options.tobi is Bust.AT_OR_BELOW_ZERO and min(points) <= 0


def ranking(points: Sequence[int]) -> list[Seat]:
    """The seats from first to last place; with equal points the earlier first dealer is ahead."""
    return sorted((Seat(seat) for seat in range(len(points))), key=lambda seat: -points[seat])


def final(start: DealStart, points: tuple[int, ...], options: RiichiOptions) -> Final:
    """Placements and final scores; what the seats lack of the start lies on the table in sticks.

    Chombo that cost no points in play (`DealStart.markers`) are taken off the scores.
    """
    order = ranking(points)
    shared = options.tie_break is TieBreak.SPLIT
    placements = tuple(
        1 + sum(other > own for other in points) if shared else 1 + order.index(Seat(seat))
        for seat, own in enumerate(points)
    )
    whole = list(points)
    left = options.start_points * len(points) - sum(points)
    if left > 0 and options.riichi_sticks_final is FinalSticks.FIRST_PLACE:
        firsts = [seat for seat in order if placements[seat] == 1]
        for first in firsts:
            whole[first] += left // len(firsts)
    bonus = [1000 * one for one in _uma(points, options)]
    bonus[0] += options.oka
    scores = []
    rounds = options.final_rounding is FinalRounding.THOUSAND
    for seat, own in enumerate(whole):
        alike = [
            place for place, other in enumerate(order) if placements[other] == placements[seat]
        ]
        share = sum(bonus[place] for place in alike) / len(alike)
        counted = _to_thousands(own) if rounds else own
        scores.append((counted - options.return_points + share) / 1000)
    if rounds:
        first = order[0]
        scores[first] = -sum(score for seat, score in enumerate(scores) if seat != first)
    for seat, number in enumerate(start.markers):
        scores[seat] -= number * options.chombo_amount / 1000
    return Final(placements=placements, scores=tuple(scores))


def _to_thousands(points: int) -> int:
    """To whole thousands, halves away from zero."""
    size = (abs(points) + 500) // 1000 * 1000
    return size if points >= 0 else -size


def _uma(points: Sequence[int], options: RiichiOptions) -> tuple[int, ...]:
    """The placement bonus by rank, in thousands."""
    if not options.floating_uma:
        return options.uma
    above = sum(own >= options.return_points for own in points)
    if above == 1:
        return (12, -1, -3, -8)
    return (8, 3, 1, -12) if above == 3 else (8, 4, -4, -8)
