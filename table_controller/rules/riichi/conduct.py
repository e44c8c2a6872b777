"""What the table sees being done wrongly while a deal is played (sections 6, 7, 19 and 22).

What depends on concealed tiles, and what may not be said before the end, waits for `referee`.
"""

from __future__ import annotations

from dataclasses import replace

from table_controller.rules.core.case import Evidence, Violation
from table_controller.rules.core.conduct import Conduct, Found
from table_controller.rules.core.errors import CaseError
from table_controller.rules.core.events import (
    BonusSetAside,
    Discarded,
    Drawn,
    KongDeclared,
    MeldCalled,
    ReadyDeclared,
)
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.seats import Seat, seats
from table_controller.rules.core.settlement import Payment
from table_controller.rules.core.state import DealState
from table_controller.rules.core.tiles import Tile, format_tiles
from table_controller.rules.riichi.options import RiichiOptions
from table_controller.rules.riichi.penalties import OFFENCES, Consequence, penalise
from table_controller.rules.riichi.play import (
    MOST_KONGS,
    PLAY,
    SANMA_PLAY,
    kuikae_faces,
    may_not_declare_riichi,
)
from table_controller.rules.riichi.referee import sticks_back


def _draw_barred(state: DealState, event: Drawn, options: RiichiOptions) -> Found | None:
    if event.replacement and not (state.replacement or state.after_kong):
        return "out_of_turn", "A replacement tile was taken without a kong."
    return None


def _discard_barred(state: DealState, event: Discarded, options: RiichiOptions) -> Found | None:
    holder = state.seats[event.seat]
    if holder.has_drawn or not holder.melds:
        return None
    meld = holder.melds[-1]
    if event.tile.face not in kuikae_faces(meld, options):
        return None
    return (
        "kuikae",
        f"{meld.called} was called and {event.tile} discarded, a swap call: it is taken back "
        "before the next draw, or the hand is dead.",
    )


def _call_barred(state: DealState, event: MeldCalled, options: RiichiOptions) -> Found | None:
    shown = format_tiles(event.meld.tiles)
    if event.meld.kind is MeldKind.KONG and state.kongs >= MOST_KONGS:
        return "wrong_call", f"{shown}: a fifth kong is not declared."
    return _unformed(event.meld)


def _kong_barred(state: DealState, event: KongDeclared, options: RiichiOptions) -> Found | None:
    holder = state.seats[event.seat]
    shown = format_tiles(event.meld.tiles)
    if holder.dead_hand:
        return "dead_hand", f"A dead hand has declared the kong {shown}."
    if not holder.has_drawn:
        return "wrong_kong", f"The kong {shown} was declared without an own draw before it."
    if state.kongs >= MOST_KONGS:
        return "wrong_kong", f"{shown}: a fifth kong is not declared."
    if holder.ready_at is not None and event.meld.kind is not MeldKind.CONCEALED_KONG:
        return "wrong_kong", f"After riichi {event.meld.tile} was added to a pung."
    return _unformed(event.meld)


def _unformed(meld: Meld) -> Found | None:
    try:
        meld.check()
    except CaseError as error:
        return "wrong_call", f"{error}."
    return None


def _ready_barred(state: DealState, event: ReadyDeclared, options: RiichiOptions) -> Found | None:
    reason = may_not_declare_riichi(state, event.seat, options)
    return None if reason is None else ("wrong_riichi", f"Riichi is refused: {reason}.")


def _bonus_barred(state: DealState, event: BonusSetAside, options: RiichiOptions) -> Found | None:
    laid_at_first = event.tile.is_bonus and not state.discards  # flowers that were dealt
    if laid_at_first:
        return None
    if state.turn is not event.seat or not state.seats[event.seat].has_drawn:
        return "out_of_turn", f"{event.tile} was set aside without an own draw before it."
    if state.wall_left <= 0:
        return "wrong_call", f"{event.tile} was set aside, and no tile is left to replace it."
    return None


def _penalty(
    state: DealState, code: str, seat: Seat, options: RiichiOptions
) -> tuple[Payment, ...]:
    """A call with a dead hand is a chombo: it is paid, and the sticks of the deal go back."""
    if not _is_chombo(code, options):
        return ()
    paid = penalise(code, seat, state.dealer, options, state.players).payments
    return (*paid, *sticks_back(state))


def _is_chombo(code: str, options: RiichiOptions) -> bool:
    return OFFENCES[code].consequence is Consequence.CHOMBO


CONDUCT = Conduct(
    play=PLAY,
    draw_barred=_draw_barred,
    discard_barred=_discard_barred,
    call_barred=_call_barred,
    kong_barred=_kong_barred,
    ready_barred=_ready_barred,
    bonus_barred=_bonus_barred,
    penalty=_penalty,
    # No hand is dead by itself: what is seen at once may still be put right (a meld before the
    # discard, a swap call before the next draw), and what was not is for a person to decide.
    ends_deal=_is_chombo,
)
SANMA_CONDUCT = replace(CONDUCT, play=SANMA_PLAY)


def fifth_tiles(state: DealState, options: RiichiOptions) -> list[Violation]:
    """Kinds that lie on the table more often than the set has them, with who shows them."""
    number: dict[Tile, int] = {}
    last: dict[Tile, Evidence] = {}
    for seat in seats(state.players):
        holder = state.seats[seat]
        for place, discard in enumerate(holder.pond, start=1):
            if discard.called_by is None:
                face = discard.tile.face
                number[face] = number.get(face, 0) + 1
                last[face] = Evidence(seat, place, discard.tile)
        others = [tile for meld in holder.melds for tile in meld.tiles]
        for tile in (*others, *holder.bonus, *(holder.shown or ())):
            number[tile.face] = number.get(tile.face, 0) + 1
            last.setdefault(tile.face, Evidence(seat, 0, tile))
    for tile in (*state.indicators, *state.under_indicators):
        number[tile.face] = number.get(tile.face, 0) + 1
    return [
        Violation(
            code="fifth_tile",
            seat=last[face].seat,
            text=f"{count} tiles {face} are on the table; the set has four.",
            evidence=(last[face],),
        )
        for face, count in number.items()
        if count > 4 and face in last
    ]
