"""Walls, deals, and instant payments (sections 4, 5, 10.2 and 10.3)."""

from __future__ import annotations

from table_controller.rules.core.events import BonusSetAside, GameEvent, KongDeclared, MeldCalled
from table_controller.rules.core.game import DealOutcome, DealStart, Final, WallPlan
from table_controller.rules.core.melds import MeldKind
from table_controller.rules.core.seats import Seat, Wind, seats
from table_controller.rules.core.settlement import Payment
from table_controller.rules.core.state import DealState
from table_controller.rules.malaysian_3p.hand import PLAYERS
from table_controller.rules.malaysian_3p.options import (
    BonusSetCounts,
    BonusSetInitialWindow,
    DealerAfterDrawnHand,
    InstantPaymentScope,
    Options,
    PlayLength,
    tile_set,
)

CONCEALED_KONG, EXPOSED_KONG = 100, 50
INITIAL_SET, LATER_SET = 100, 50


def wall_plan(options: Options) -> WallPlan:
    """Three walls as even as they come; nothing is reserved unless the house says so."""
    each, over = divmod(len(tile_set(options)) // 2, PLAYERS)
    return WallPlan(
        stacks=tuple(each + (side < over) for side in range(PLAYERS)),
        reserved=options.dead_wall_tiles,
    )


def first_deal(options: Options) -> DealStart:
    """The first deal of a game; the wind of the round is always east."""
    return DealStart(number=0, dealer=Seat.A, round_wind=Wind.EAST, points=(0,) * PLAYERS)


def next_deal(start: DealStart, ended: DealOutcome, options: Options) -> DealStart | None:
    """The winner deals next; after a drawn deal the dealer stays, or by option the deal passes."""
    number = start.number + 1
    if options.play_length is PlayLength.DEALS and number >= options.play_length_deals:
        return None
    dealer = start.dealer
    if ended.winners:
        dealer = ended.winners[0]
    elif not ended.replayed and (
        options.dealer_after_drawn_hand is DealerAfterDrawnHand.PASSES_RIGHT
    ):
        dealer = dealer.after(1, PLAYERS)
    return DealStart(number=number, dealer=dealer, round_wind=Wind.EAST, points=ended.points)


def final(start: DealStart, points: tuple[int, ...], options: Options) -> Final:
    """Placements by points; equal points share a placement."""
    return Final(
        placements=tuple(1 + sum(other > own for other in points) for own in points),
        scores=tuple(float(own) for own in points),
    )


def instant_payments(state: DealState, event: GameEvent, options: Options) -> tuple[Payment, ...]:
    """What a kong or a complete set of bonus tiles brings at once."""
    match event:
        case KongDeclared(seat=seat, meld=meld):
            is_concealed = meld.kind is MeldKind.CONCEALED_KONG
            reason = "concealed kong" if is_concealed else "promoted kong"
            points = CONCEALED_KONG if is_concealed else EXPOSED_KONG
            return _from_each(seat, points, reason, options)
        case MeldCalled(seat=seat, meld=meld) if meld.kind is MeldKind.KONG:
            points = EXPOSED_KONG * (PLAYERS - 1)
            if options.instant_payment_scope is InstantPaymentScope.TOTAL:
                points = EXPOSED_KONG
            return (Payment(meld.source, seat, points, "open kong, paid for both"),)
        case BonusSetAside(seat=seat, tile=tile):
            have = sum(other.suit is tile.suit for other in state.seats[seat].bonus)
            if have < 4 or options.bonus_set_counts is BonusSetCounts.FAN_ONLY:
                return ()
            if is_initial(state, seat, options):
                return _from_each(seat, INITIAL_SET, "bonus set in the initial hand", options)
            return _from_each(seat, LATER_SET, "bonus set", options)
    return ()


def is_initial(state: DealState, seat: Seat, options: Options) -> bool:
    """Nobody has discarded or declared a kong; by option no replacement was drawn yet either."""
    if state.discards or state.kongs:
        return False
    if options.bonus_set_initial_window is BonusSetInitialWindow.INITIAL_REPLACEMENT:
        return True
    dealt = state.hand_size + (seat is state.dealer)
    return state.held(seat) + len(state.seats[seat].bonus) == dealt


def _from_each(seat: Seat, points: int, reason: str, options: Options) -> tuple[Payment, ...]:
    if options.instant_payment_scope is InstantPaymentScope.TOTAL:
        points //= PLAYERS - 1
    return tuple(
        Payment(payer, seat, points, reason) for payer in seats(PLAYERS) if payer is not seat
    )
