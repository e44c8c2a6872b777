"""What the table sees being done wrongly while a deal is played (sections 7, 9 and 20)."""

from __future__ import annotations

from table_controller.rules.core.case import Evidence
from table_controller.rules.core.conduct import Conduct, Found, the_tile
from table_controller.rules.core.events import (
    GameEvent,
    KongDeclared,
    MeldCalled,
    ReadyDeclared,
)
from table_controller.rules.core.record import pond
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.settlement import Payment
from table_controller.rules.core.state import DealState
from table_controller.rules.core.tiles import format_tiles
from table_controller.rules.korean_japanese_3p.options import Effect, Options, ReadyMoment
from table_controller.rules.korean_japanese_3p.penalties import (
    Offence,
    penalty_effect,
    penalty_payments,
)
from table_controller.rules.korean_japanese_3p.play import PLAY
from table_controller.rules.korean_japanese_3p.sacred import bars_call

OFFENCES = {
    "wrong_call": Offence.WRONG_CLAIM,
    "late_claim": Offence.LATE_CLAIM,
    "out_of_turn": Offence.DRAW_OUT_OF_TURN,
    "flower_kept": Offence.FLOWER_KEPT,
    "false_ready": Offence.FALSE_READY,
    "ready_hand_changed": Offence.READY_HAND_CHANGED,
}


def _penalty(state: DealState, code: str, seat: Seat, options: Options) -> tuple[Payment, ...]:
    offence = OFFENCES.get(code)
    return () if offence is None else penalty_payments(offence, seat, options)


def _kills_hand(code: str, options: Options) -> bool:
    offence = OFFENCES.get(code)
    return offence is not None and penalty_effect(offence, options) is Effect.DEAD_HAND


def _call_barred(state: DealState, event: MeldCalled, options: Options) -> Found | None:
    if bars_call(pond(state, event.seat), event.meld.tile, options):
        shown = format_tiles(event.meld.tiles)
        return "sacred_discard", f"{shown} was taken. {options.sacred_discard.sentence}"
    return None


def _kong_barred(state: DealState, event: KongDeclared, options: Options) -> Found | None:
    if state.seats[event.seat].is_ready:
        shown = format_tiles(event.meld.tiles)
        return "ready_hand_changed", f"After ready the kong {shown} was declared."
    return None


def _ready_barred(state: DealState, event: ReadyDeclared, options: Options) -> Found | None:
    if not state.seats[event.seat].is_concealed:
        return "false_ready", "Ready was declared with an exposed set on the table."
    return None


def _evidence(
    state: DealState, event: GameEvent, code: str, options: Options
) -> tuple[Evidence, ...]:
    """A sacred discard is shown in the own pond; else it is the tile in question."""
    if code == "sacred_discard" and isinstance(event, MeldCalled):
        return tuple(
            Evidence(event.seat, place, tile)
            for place, tile in enumerate(pond(state, event.seat), start=1)
            if tile.face == event.meld.tile
        )
    return the_tile(state, event, code, options)


CONDUCT = Conduct(
    play=PLAY,
    call_barred=_call_barred,
    kong_barred=_kong_barred,
    ready_barred=_ready_barred,
    ready_between_turns=lambda state, seat, options: (
        options.ready_moment is ReadyMoment.BETWEEN_TURNS
    ),
    penalty=_penalty,
    kills_hand=_kills_hand,
    evidence=_evidence,
)
breaches = CONDUCT.breaches
