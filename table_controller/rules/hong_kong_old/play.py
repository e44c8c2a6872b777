"""How Hong Kong Old Style is played: walls, claims, who deals next, and the referee's part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from table_controller.rules.core.case import Answer, Case, Flag
from table_controller.rules.core.conduct import Fine
from table_controller.rules.core.events import GameEvent, Penalised, WinClaimed
from table_controller.rules.core.game import (
    DealOutcome,
    DealStart,
    DrawVerdict,
    Final,
    Play,
    WallPlan,
    case_from_state,
    case_in_hand,
    is_complete_in_hand,
    refused_by_count,
)
from table_controller.rules.core.seats import Seat, seats
from table_controller.rules.core.state import DealState, Offer
from table_controller.rules.core.wall import Break, broken_side
from table_controller.rules.hong_kong_old.options import (
    DrawDealer,
    MultiWin,
    Options,
    RobConcealedKong,
    WrongCount,
)
from table_controller.rules.hong_kong_old.scoring import (
    NAME,
    PLAYERS,
    Worth,
    best_worth,
    false_win,
    has_great_flowers,
    may_rob_concealed,
    settle_win,
)

# --- The wall and the match --------------------------------------------------------------------


def break_wall(dealer: Seat, dice_sum: int) -> Break:
    """The break of three dice, or of those the table has: their sum names the wall and is counted
    on it."""
    return Break(broken_side(dealer, dice_sum, PLAYERS), dice_sum)


def wall(options: Options) -> WallPlan:
    """Eighteen stacks a side, seventeen without bonus tiles."""
    stacks = 18 if options.bonus_tiles else 17
    return WallPlan(stacks=(stacks,) * PLAYERS, reserved=options.dead_wall)


def first_deal(options: Options) -> DealStart:
    """The first deal of a match."""
    return DealStart.first(PLAYERS)


def dealer_stays(last: DealStart, ended: DealOutcome, options: Options) -> bool:
    """The dealer deals again: after a win of its own, or a drawn hand as the table plays it."""
    if ended.replayed:
        return True
    if options.dealer_streak_limit and last.counters + 1 >= options.dealer_streak_limit:
        return False
    if ended.winners:
        return last.dealer in ended.winners
    return options.draw_dealer is DrawDealer.STAYS or (
        options.draw_dealer is DrawDealer.KONG_PASSES and ended.kongs == 0
    )


def next_deal(last: DealStart, ended: DealOutcome, options: Options) -> DealStart | None:
    """An extra hand, or the next dealer; the round changes when everybody has dealt."""
    following = replace(
        last, number=last.number + 1, points=ended.points, goulash=ended.goulash, counters=0
    )
    if dealer_stays(last, ended, options):
        return replace(following, counters=last.counters + 1)
    return following.passed_on(options.rounds)


def final(last: DealStart, points: tuple[int, ...], options: Options) -> Final:
    """Places by points; equal points share the better place."""
    return Final.by_points(points)


# --- Claims ------------------------------------------------------------------------------------


def can_win(state: DealState, seat: Seat, offer: Offer | None, options: Options) -> bool:
    """The seat's hand is complete with the tile and has fan enough."""
    if not is_complete_in_hand(state, seat, offer):
        return False
    return _enough(best_worth(_told(case_in_hand(state, seat, offer), state), options), options)


def _enough(worth: Worth | None, options: Options) -> bool:
    return worth is not None and (bool(worth.limits) or worth.minimum_fan >= options.min_fan)


def robs_concealed(state: DealState, seat: Seat, options: Options) -> bool:
    """The seat may win on the tile of a concealed kong."""
    if options.rob_concealed_kong is not RobConcealedKong.ORPHANS_ONLY:
        return options.rob_concealed_kong is RobConcealedKong.ANY
    worth = best_worth(case_in_hand(state, seat, state.offer), options)
    return worth is not None and may_rob_concealed(worth, options)


def great_flowers(state: DealState, options: Options) -> Seat | None:
    """The seat that has set aside all eight bonus tiles."""
    if not (options.great_flowers and options.bonus_tiles):
        return None
    return next(
        (
            seat
            for seat in seats(PLAYERS)
            if len(state.seats[seat].bonus) == 8 and not state.seats[seat].dead_hand
        ),
        None,
    )


def winners(
    state: DealState, claims: tuple[WinClaimed, ...], options: Options
) -> tuple[WinClaimed, ...]:
    """The nearest in turn, or the dearest hand."""
    if options.multi_win is MultiWin.NEAREST or len(claims) == 1:
        return claims[:1]
    return (_dearest({claim: _case(state, claim, options) for claim in claims}, options),)


def _case(state: DealState, claim: WinClaimed, options: Options) -> Case:
    """The case of a claim: of the hand that was shown, else of the one that is known."""
    if state.seats[claim.seat].shown is not None:
        return case_of(state, claim, options)
    return _told(case_in_hand(state, claim.seat, state.offer), state)


def _told(case: Case, state: DealState) -> Case:
    """The case with what only the state knows: a discard is the dealer's first one, be it after a
    kong or a call."""
    if case.source is state.dealer and state.discards == 1:
        return replace(case, flags=case.flags | {Flag.FIRST_TURN})
    return case


def _dearest(cases: dict[WinClaimed, Case], options: Options) -> WinClaimed:
    """The claim worth most; ``cases`` is in turn order, so that equals go to the nearest."""

    def order(claim: WinClaimed) -> tuple[int, int, int]:
        worth = best_worth(cases[claim], options)
        return (-1, 0, 0) if worth is None else worth.order

    return max(cases, key=order)


# --- The referee -------------------------------------------------------------------------------


def case_of(state: DealState, claim: WinClaimed, options: Options) -> Case:
    """The score case of a claimed win from the public record and the shown hand."""
    case = _told(case_from_state(state, claim), state)
    extra: dict[str, object] = {}
    if state.seats[claim.seat].dead_hand and options.wrong_count is WrongCount.NO_WIN:
        extra["dead_hand"] = True
    if claim.source is not None and state.offer is not None and state.offer.is_concealed_kong:
        extra["concealed_kong_robbed"] = True
    return replace(case, extra=extra) if extra else case


def judge(
    state: DealState, history: Sequence[GameEvent], claim: WinClaimed, options: Options
) -> Answer:
    """The verdict on a claimed win."""
    case = case_of(state, claim, options)
    if _was_false(history, claim.seat):
        case = replace(case, extra={**case.extra, "dead_hand": True})
    refused = refused_by_count(NAME, state, claim)
    if refused is not None and not has_great_flowers(case, options):
        return refused
    return settle_win(case, options)


def _was_false(history: Sequence[GameEvent], seat: Seat) -> bool:
    """Something else than a wrong number of tiles killed the hand: it may never win."""
    return any(
        isinstance(event, Penalised)
        and event.seat is seat
        and event.dead_hand
        and event.code not in ("wrong_tile_count", "flower_kept")
        for event in history
    )


def settle_draw(
    state: DealState, history: Sequence[GameEvent], reason: str, options: Options
) -> DrawVerdict:
    """Nobody pays; where tiles are exchanged after a drawn hand, the next one is a goulash."""
    return DrawVerdict(goulash=int(options.goulash_exchange))


def fines(state: DealState, seat: Seat, options: Options) -> tuple[Fine, ...]:
    """Section 4: what a false win and a wrong number of tiles cost."""
    paid, _ = false_win(seat, options)
    counted = options.wrong_count is WrongCount.NO_WIN
    return (
        Fine("false_win", max((p.points for p in paid), default=0), to_each=True, dead_hand=True),
        Fine("wrong_tile_count", dead_hand=counted),
        Fine("flower_kept", dead_hand=counted),
    )


PLAY = Play(
    wall=wall,
    break_wall=lambda dealer, dice, options: break_wall(dealer, sum(dice)),
    first_deal=first_deal,
    next_deal=next_deal,
    final=final,
    case_of=case_of,
    judge=judge,
    can_win=can_win,
    winners=winners,
    settle_draw=settle_draw,
    automatic_win=great_flowers,
    robs_concealed=robs_concealed,
    refusal_ends_deal=lambda state, claim, answer, options: False,
    dealer_extra=False,
    calls_on_last_discard=False,
    dead_hands_call=lambda options: True,  # "continues, may not win": sections 4 and 11
)
