"""What the table sees being done wrongly while a deal is played (sections 5, 6 and 16)."""

from __future__ import annotations

from table_controller.rules.core.conduct import Conduct, Found
from table_controller.rules.core.events import (
    BonusSetAside,
    KongDeclared,
    MeldCalled,
    ReadyDeclared,
)
from table_controller.rules.core.melds import MeldKind
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.settlement import Payment
from table_controller.rules.core.state import DealState
from table_controller.rules.core.tiles import format_tiles
from table_controller.rules.japanese_3p.hand import NORTH
from table_controller.rules.japanese_3p.options import Options
from table_controller.rules.japanese_3p.play import PLAY, sticks_back
from table_controller.rules.japanese_3p.scoring import chombo_payments


def _call_barred(state: DealState, event: MeldCalled, options: Options) -> Found | None:
    if event.meld.tile == NORTH:
        return "wrong_call", "A discarded north is safe: it is not called for a pung or kong."
    return None


def _kong_barred(state: DealState, event: KongDeclared, options: Options) -> Found | None:
    """Whether the waits stay the same is seen only when the hand is shown."""
    if not state.seats[event.seat].is_ready:
        return None
    is_concealed = event.meld.kind is MeldKind.CONCEALED_KONG
    if is_concealed and options.concealed_kong_after_riichi:
        return None
    shown = format_tiles(event.meld.tiles)
    return "riichi_kong", f"After riichi the kong {shown} was declared: a chombo."


def _ready_barred(state: DealState, event: ReadyDeclared, options: Options) -> Found | None:
    if not state.seats[event.seat].is_concealed:
        return "wrong_riichi", "Riichi was declared with an open hand."
    if state.points[event.seat] < options.riichi_deposit:
        return "wrong_riichi", "Riichi was declared without the points for its stick."
    return None


def _bonus_barred(state: DealState, event: BonusSetAside, options: Options) -> Found | None:
    if event.tile == NORTH and state.seats[event.seat].is_ready and not options.north_after_riichi:
        return "ready_hand_changed", "After riichi a north was set aside."
    return None


def _penalty(state: DealState, code: str, seat: Seat, options: Options) -> tuple[Payment, ...]:
    """An illegal kong after riichi is a chombo; the deal is then played again (section 15)."""
    if code != "riichi_kong":
        return ()
    return (*chombo_payments(seat, state.dealer), *sticks_back(state, options))


CONDUCT = Conduct(
    play=PLAY,
    call_barred=_call_barred,
    kong_barred=_kong_barred,
    ready_barred=_ready_barred,
    bonus_barred=_bonus_barred,
    penalty=_penalty,
    kills_hand=lambda code, options: code in ("wrong_call", "late_claim"),
    ends_deal=lambda code, options: code == "riichi_kong",
)
breaches = CONDUCT.breaches
