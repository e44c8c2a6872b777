"""How the game for two is played: claims, refusals without penalty, rounds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from table_controller.rules.core.case import Answer
from table_controller.rules.core.events import Advised, GameEvent, KongDeclared, WinClaimed
from table_controller.rules.core.game import (
    DealOutcome,
    DealStart,
    Final,
    Play,
    WallPlan,
    case_from_state,
    case_in_hand,
    is_complete_in_hand,
    refused_by_count,
    usual_calls,
)
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.seats import Seat, Wind, seats
from table_controller.rules.core.state import DealState, Offer
from table_controller.rules.two_player.options import ChowSource, Options, ScoredHands
from table_controller.rules.two_player.scoring import NAME, judge_case, settle_win
from table_controller.rules.two_player.table import game_ends, next_first, stacks_per_side


def wall(options: Options) -> WallPlan:
    """All four walls stand, however many play; the whole wall is used."""
    return WallPlan(stacks=(stacks_per_side(options),) * 4)


def sides(options: Options) -> tuple[int, ...]:
    """The seat numbers go round clockwise, the sides of a table the other way: 1 and 3 sit
    opposite each other."""
    return tuple((1 - number) % 4 for number in options.seats)


def pond_row(options: Options) -> int:
    """Two players discard up to 59 tiles each: as many in a row as there is room between them."""
    return 18 if options.players == 2 else 6


def first_deal(options: Options) -> DealStart:
    """The first round: the first seat begins."""
    return DealStart.first(options.players)


def next_deal(last: DealStart, ended: DealOutcome, options: Options) -> DealStart | None:
    """The next round, until the agreed number was played; drawn rounds count."""
    if game_ends(last.number + 1, options):
        return None
    winner = ended.winners[0] if ended.winners else None
    return DealStart(
        number=last.number + 1,
        dealer=next_first(last.dealer, winner, options),
        round_wind=Wind.EAST,
        points=ended.points,
    )


def final(last: DealStart, points: tuple[int, ...], options: Options) -> Final:
    """The higher total wins, equal totals tie."""
    return Final.by_points(points)


def judge(
    state: DealState, history: Sequence[GameEvent], claim: WinClaimed, options: Options
) -> Answer:
    """The verdict on a claimed win."""
    refused = refused_by_count(NAME, state, claim)
    if refused is not None:
        return refused
    return settle_win(case_from_state(state, claim), options)


def can_win(state: DealState, seat: Seat, offer: Offer | None, options: Options) -> bool:
    """The hand is complete with the tile, and may be completed by it. A kong is not robbed."""
    if (offer is not None and offer.is_kong) or not is_complete_in_hand(state, seat, offer):
        return False
    return judge_case(case_in_hand(state, seat, offer), options)[0] is None


def may_call(state: DealState, seat: Seat, meld: Meld, options: Options) -> bool:
    """A chow of any seat's discard, or only of the one before."""
    return (
        meld.kind is not MeldKind.CHOW
        or options.chow_source is ChowSource.ANY
        or meld.source is seat.after(-1, state.players)
    )


def may_declare_kong(state: DealState, seat: Seat, kong: KongDeclared, options: Options) -> bool:
    """A concealed kong, or a drawn tile added to a claimed pung where the table plays that."""
    return kong.added is None or options.extend_pung


def must_show(state: DealState, options: Options) -> tuple[Seat, ...]:
    """After a win every hand is laid open where all hands are scored."""
    if state.draw_reason is None and options.scored_hands is ScoredHands.ALL:
        return seats(state.players)
    return ()


def advice(state: DealState, options: Options) -> Iterator[Advised]:
    """What the table points out when every hand lies open: errors, and what may be missed."""
    for seat in seats(state.players):
        hand = [tile for tile in state.seats[seat].hand if tile is not None]
        kept = tuple(tile for tile in hand if tile.is_bonus)
        held = state.held(seat)
        has_drawn = held == state.hand_size + 1 and seat is state.turn
        if kept:
            if options.teaching_mode:
                yield Advised(seat=seat, code="flower_kept", tiles=kept)
        elif held != state.hand_size and not has_drawn:
            is_owed = held < state.hand_size and (seat is state.turn or not state.seats[seat].pond)
            if options.teaching_mode and not is_owed:  # else a replacement is about to be drawn
                yield Advised(seat=seat, code="wrong_tile_count")
        elif options.hints:
            yield from _chances(state, seat, options, has_drawn=has_drawn)


def _chances(
    state: DealState, seat: Seat, options: Options, *, has_drawn: bool
) -> Iterator[Advised]:
    """A win or a combination that the seat may make now."""
    offer = state.offer
    if has_drawn:
        if can_win(state, seat, None, options):
            yield Advised(seat=seat, code="win_possible")
    elif offer is not None and offer.seat is not seat and not offer.is_kong:
        if can_win(state, seat, offer, options):
            yield Advised(seat=seat, code="win_possible", tiles=(offer.tile,))
        for meld in usual_calls(PLAY)(state, seat, options):
            if may_call(state, seat, meld, options):
                yield Advised(seat=seat, code="call_possible", tiles=meld.tiles)


PLAY = Play(
    wall=wall,
    sides=sides,
    open_hands=lambda options: options.open_hands,
    advice=advice,
    pond_row=pond_row,
    first_deal=first_deal,
    next_deal=next_deal,
    final=final,
    case_of=lambda state, claim, options: case_from_state(state, claim),
    judge=judge,
    can_win=can_win,
    must_show=must_show,
    may_call=may_call,
    may_declare_kong=may_declare_kong,
    dealer_extra=False,
    chows_from_any=True,
    refusal_ends_deal=lambda state, claim, answer, options: False,
    refusal_bars_hand=False,
)
