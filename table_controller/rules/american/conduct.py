"""What the table sees being done wrongly in an American hand (sections 5, 6 and 10).

A hand that no line can hold any more is dead when a player challenges it, and nobody is told
before; where the table plays ``auto_dead`` it is dead at once.
"""

from __future__ import annotations

from table_controller.rules.american.card import face_of
from table_controller.rules.american.matching import Visible
from table_controller.rules.american.options import Options, WrongChallenge
from table_controller.rules.american.play import PLAY
from table_controller.rules.american.scoring import card_of
from table_controller.rules.american.table import (
    PLAYERS,
    challenge,
    dead_exposure,
    exchange_problem,
    exposure_problem,
    exposures_of,
)
from table_controller.rules.core.case import Violation
from table_controller.rules.core.conduct import Conduct, Found
from table_controller.rules.core.events import (
    Challenged,
    Discarded,
    JokerExchanged,
    KongDeclared,
    MeldCalled,
)
from table_controller.rules.core.melds import MeldKind
from table_controller.rules.core.seats import Seat, seats
from table_controller.rules.core.state import DealState
from table_controller.rules.core.tiles import format_tiles


def _call_barred(state: DealState, event: MeldCalled, options: Options) -> Found | None:
    """An exposure that is none, or after which no line of the card is left."""
    if event.meld.kind is MeldKind.CHOW:
        return None  # that no chow may be made is told already
    assert state.offer is not None
    problem = exposure_problem(event.meld.tiles, state.offer.tile, options)
    if problem is not None:
        return "wrong_call", f"{problem[0].upper()}{problem[1:]}."
    if not options.auto_dead:
        return None
    melds = (*state.seats[event.seat].melds, event.meld)
    visible = _visible_to(state, event.seat)
    dead = dead_exposure(event.seat, melds, card_of(options), options, visible)
    return None if dead is None else (dead.code, dead.text)


def _visible_to(state: DealState, seat: Seat) -> Visible:
    """The discards that lie there, and what the other players have exposed."""
    discards = [
        each.tile for holder in state.seats for each in holder.pond if each.called_by is None
    ]
    others = [
        meld for other in seats(PLAYERS) if other is not seat for meld in state.seats[other].melds
    ]
    return Visible.of(discards, exposures_of(others))


def _discard_barred(state: DealState, event: Discarded, options: Options) -> Found | None:
    """An exposure that is none and was not put right before the discard."""
    call = state.offers[-1] if state.offers else None
    melds = state.seats[event.seat].melds
    if call is None or call.called_by is not event.seat or not melds:
        return None
    problem = exposure_problem(melds[-1].tiles, call.tile, options)
    if problem is None:
        return None
    return (
        "dead_hand",
        f"{problem[0].upper()}{problem[1:]}: it was not put right, the hand is dead.",
    )


def _challenge(state: DealState, event: Challenged, options: Options) -> Violation:
    melds = state.seats[event.challenged].melds
    visible = _visible_to(state, event.challenged)
    return challenge(event.seat, event.challenged, melds, card_of(options), options, visible)


def _kills_hand(code: str, options: Options) -> bool:
    if code == "wrong_challenge":
        return options.wrong_challenge is WrongChallenge.CHALLENGER_DEAD
    return code == "dead_hand"


def _kong_barred(state: DealState, event: KongDeclared, options: Options) -> Found | None:
    shown = format_tiles(event.meld.tiles)
    return "wrong_kong", f"{shown}: only a claimed discard is exposed, no group of the own tiles."


def _exchange_barred(state: DealState, event: JokerExchanged, options: Options) -> Found | None:
    holder = state.seats[event.seat]
    if holder.dead_hand:
        return "dead_hand", "A dead hand has exchanged a joker."
    problem = exchange_problem(
        own_turn=event.seat is state.turn,
        has_drawn=holder.has_drawn,
        has_exposed=not holder.has_drawn,
        options=options,
    )
    if problem is not None and event.seat is state.turn:
        return "joker_misuse", f"{problem[0].upper()}{problem[1:]}."
    melds = state.seats[event.owner].melds
    if event.place < len(melds) and face_of(melds[event.place].tile) != face_of(event.tile):
        wanted = melds[event.place].tile
        return (
            "joker_misuse",
            f"{event.tile} was given for a joker that stands for {wanted}: it is given back before "
            "the discard, or the hand is dead.",
        )
    return None


CONDUCT = Conduct(
    play=PLAY,
    discard_barred=_discard_barred,
    call_barred=_call_barred,
    kong_barred=_kong_barred,
    exchange_barred=_exchange_barred,
    challenge=_challenge,
    kills_hand=_kills_hand,
)
