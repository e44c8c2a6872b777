"""What the table sees being done wrongly while a deal is played (sections 6, 7 and 11)."""

from __future__ import annotations

from table_controller.rules.core.conduct import Conduct, Found
from table_controller.rules.core.events import KongDeclared, MeldCalled
from table_controller.rules.core.melds import MeldKind
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.settlement import Payment
from table_controller.rules.core.state import DealState
from table_controller.rules.core.tiles import JOKER, format_tiles
from table_controller.rules.malaysian_3p.options import ChowClaim, Options
from table_controller.rules.malaysian_3p.penalties import Offence, penalty_payments
from table_controller.rules.malaysian_3p.play import PLAY


def _penalty(state: DealState, code: str, seat: Seat, options: Options) -> tuple[Payment, ...]:
    if code in ("wrong_call", "joker_misuse"):
        return penalty_payments(Offence.WRONG_CLAIM, seat, options)
    return ()


def _call_barred(state: DealState, event: MeldCalled, options: Options) -> Found | None:
    shown = format_tiles(event.meld.tiles)
    if state.offer is not None and state.offer.tile == JOKER:
        return "joker_misuse", "A discarded fly may not be taken for a set."
    if JOKER in event.meld.tiles:
        allowed = options.fly_in_kong if event.meld.kind.is_kong else options.fly_in_claims
        if not allowed or event.meld.kind is MeldKind.CHOW:
            return "joker_misuse", f"{shown}: an exposed set is of real tiles."
    if event.meld.kind is MeldKind.CHOW and options.chow_claim is ChowClaim.WIN_ONLY:
        return "wrong_call", f"{shown}: a chow is claimed only to win."
    return None


def _kong_barred(state: DealState, event: KongDeclared, options: Options) -> Found | None:
    if JOKER in event.meld.tiles and not options.fly_in_kong:
        return "joker_misuse", f"{format_tiles(event.meld.tiles)}: a kong is of real tiles."
    return None


CONDUCT = Conduct(
    play=PLAY,
    call_barred=_call_barred,
    kong_barred=_kong_barred,
    penalty=_penalty,
    kept_code="bonus_tile_kept",
)
breaches = CONDUCT.breaches
