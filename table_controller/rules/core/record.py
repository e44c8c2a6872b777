"""The public record of a deal as score cases need it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from table_controller.rules.core.case import ShownHand
from table_controller.rules.core.errors import ImpossibleEventError
from table_controller.rules.core.events import WinClaimed
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.seats import Seat, seats
from table_controller.rules.core.state import DealState
from table_controller.rules.core.tiles import Tile


def claimed_hand(state: DealState, claim: WinClaimed) -> tuple[tuple[Tile, ...], Tile]:
    """The concealed tiles of a claimed win without the winning tile, and the winning tile.

    The hand that was laid open, or the one that is known; raises ImpossibleEventError where it is
    neither.
    """
    seat = state.seats[claim.seat]
    if seat.shown is not None:
        winning = claim.tile or seat.winning_tile
        if winning is not None:
            return seat.shown, winning
    held = [tile for tile in seat.hand if tile is not None]
    if seat.shown is not None or len(held) < len(seat.hand):
        raise ImpossibleEventError(
            f"seat {claim.seat} claims a win but has not shown its whole hand: ask it to lay it "
            "open, the winning tile apart"
        )
    winning = claim.tile or seat.drawn or held[-1]
    if claim.source is None:
        held.remove(winning)
    return tuple(held), winning


def pond(state: DealState, seat: Seat) -> tuple[Tile, ...]:
    """What the seat discarded, in order, called tiles included."""
    return tuple(discard.tile for discard in state.seats[seat].pond)


def discards_in_order(state: DealState) -> tuple[tuple[Seat, Tile], ...]:
    """All discards of the deal in their order."""
    return tuple(
        (offered.seat, offered.tile) for offered in state.offers if offered.place is not None
    )


def robbed_seat(state: DealState, claim: WinClaimed) -> Seat | None:
    """The seat whose kong this claim robs."""
    is_robbing = claim.source is not None and state.offer is not None and state.offer.is_kong
    return claim.source if is_robbing else None


def melds_of(state: DealState, seat: Seat, robbed: Seat | None = None) -> tuple[Meld, ...]:
    """The seat's melds; a kong whose added tile is robbed is the pung it was."""
    melds = state.seats[seat].melds
    if seat is not robbed or state.offer is None:
        return melds
    added = state.offer.tile
    return tuple(
        _pung_again(meld, added)
        if meld.kind is MeldKind.ADDED_KONG and added in meld.tiles
        else meld
        for meld in melds
    )


def _pung_again(meld: Meld, added: Tile) -> Meld:
    tiles = list(meld.tiles)
    tiles.remove(added)
    return replace(meld, kind=MeldKind.PUNG, tiles=tuple(tiles))


def shown_hands(state: DealState, claim: WinClaimed) -> Mapping[Seat, ShownHand]:
    """What every other seat has laid open: its hand where it was shown, its melds, its bonus."""
    robbed = robbed_seat(state, claim)
    return {
        seat: ShownHand(
            hand=state.seats[seat].shown,
            melds=melds_of(state, seat, robbed),
            bonus=state.seats[seat].bonus,
        )
        for seat in seats(state.players)
        if seat is not claim.seat
    }
