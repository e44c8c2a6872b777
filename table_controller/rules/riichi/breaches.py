"""Breaches that the public record proves at once, one event at a time.

Each check needs only what everybody saw: whose turn it was, what was called from whom, how many
tiles are left. What depends on concealed tiles waits for `referee`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from table_controller.rules.core.case import Evidence, Violation
from table_controller.rules.core.events import (
    BonusSetAside,
    Discarded,
    Drawn,
    GameEvent,
    KongDeclared,
    MeldCalled,
    ReadyDeclared,
    WinClaimed,
)
from table_controller.rules.core.melds import MeldKind
from table_controller.rules.core.seats import Seat, seats
from table_controller.rules.core.state import Awaiting, DealState, apply, begin
from table_controller.rules.core.tiles import Tile
from table_controller.rules.riichi.options import RiichiOptions
from table_controller.rules.riichi.play import is_bonus, kuikae_faces, may_not_declare_riichi


def breaches(state: DealState, event: GameEvent, options: RiichiOptions) -> list[Violation]:
    """What is wrong with an event in the state before it; nothing when it is legal."""
    match event:
        case Drawn():
            return list(_draw(state, event))
        case Discarded():
            return list(_discard(state, event, options))
        case MeldCalled():
            return list(_call(state, event))
        case KongDeclared():
            return list(_kong(state, event))
        case ReadyDeclared(seat=seat):
            reason = may_not_declare_riichi(state, seat, options)
            out_of_turn = state.turn is not seat or state.awaiting is not Awaiting.DISCARD
            if out_of_turn or not state.seats[seat].has_drawn:
                return [_breach("out_of_turn", seat, "riichi is declared after the own draw")]
            return [] if reason is None else [_breach("wrong_riichi", seat, reason)]
        case BonusSetAside():
            return list(_set_aside(state, event, options))
        case WinClaimed(seat=seat):
            if state.seats[seat].dead_hand:
                return [_breach("dead_hand", seat, "a dead hand cannot win")]
            return []
        case _:
            return []


def record_breaches(
    events: Iterable[GameEvent], players: int, options: RiichiOptions
) -> Iterator[Violation]:
    """All breaches of a deal's record, from `DealBegan` on."""
    state: DealState | None = None
    for event in events:
        if state is None:
            state = begin(event, players)  # type: ignore[arg-type]
            continue
        yield from breaches(state, event, options)
        state = apply(state, event)


def _breach(code: str, seat: Seat, text: str, *evidence: Evidence) -> Violation:
    said = f"Seat {seat.value}: {text}."
    return Violation(code=code, seat=seat, text=said, evidence=evidence)


def _draw(state: DealState, event: Drawn) -> Iterator[Violation]:
    seat = event.seat
    may_draw = state.awaiting in (Awaiting.DRAW, Awaiting.CLAIMS) and state.turn is seat
    if not may_draw:
        yield _breach("out_of_turn", seat, f"drew while it was the turn of seat {state.turn.value}")
    if event.replacement and not (state.replacement or state.after_kong):
        yield _breach("wrong_draw", seat, "took a replacement tile without a kong")


def _discard(state: DealState, event: Discarded, options: RiichiOptions) -> Iterator[Violation]:
    seat = event.seat
    holder = state.seats[seat]
    here = Evidence(seat, len(holder.pond) + 1, event.tile)
    if state.turn is not seat or state.awaiting is not Awaiting.DISCARD:
        yield _breach("out_of_turn", seat, f"discarded {event.tile} without a draw or call", here)
        return
    if not holder.has_drawn and holder.melds:
        meld = holder.melds[-1]
        if event.tile.face in kuikae_faces(meld, options):
            text = f"called {meld.called} and discarded {event.tile}: swap calling"
            yield _breach("kuikae", seat, text, here)
    if holder.ready_at is not None and event.as_drawn is False:
        text = f"discarded {event.tile} from the hand in riichi"
        yield _breach("riichi_discard_swap", seat, text, here)


def _call(state: DealState, event: MeldCalled) -> Iterator[Violation]:
    seat, meld = event.seat, event.meld
    holder = state.seats[seat]
    offer = state.offer
    called: tuple[Any, ...] = ()
    if offer is not None and not offer.is_kong:
        called = (Evidence(offer.seat, len(state.seats[offer.seat].pond), offer.tile),)
    problem = None
    if offer is None or offer.is_kong or state.awaiting is not Awaiting.CLAIMS:
        problem = "called when no discard could be claimed"
    elif meld.source is not offer.seat or offer.seat is seat:
        problem = f"called from seat {meld.source}, the last discard is of seat {offer.seat.value}"
    elif offer.tile not in meld.tiles:
        problem = f"called {offer.tile} for a meld without it"
    elif state.wall_left <= 0:
        problem = "called the last discard of the deal"
    elif holder.is_ready:
        problem = "called in riichi"
    elif meld.kind is MeldKind.CHOW and offer.seat.after(1, state.players) is not seat:
        problem = "called a chow from a seat that is not at its left"
    elif meld.kind is MeldKind.CHOW and state.players == 3:
        problem = "called a chow: there are none with three players"
    elif meld.kind is MeldKind.KONG and state.kongs >= 4:
        problem = "declared a fifth kong"
    elif not _is_formed(meld.tiles, meld.kind):
        problem = "called for a meld that its tiles do not form"
    if problem is not None:
        yield _breach("wrong_call", seat, problem, *called)


def _is_formed(tiles: tuple[Tile, ...], kind: MeldKind) -> bool:
    faces = sorted(tile.face for tile in tiles)
    if kind is MeldKind.CHOW:
        first = faces[0]
        return (
            len(faces) == 3
            and first.is_numbered
            and all(
                face.suit is first.suit and face.rank == first.rank + step
                for step, face in enumerate(faces)
            )
        )
    return len(faces) == kind.size and len(set(faces)) == 1


def _set_aside(
    state: DealState, event: BonusSetAside, options: RiichiOptions
) -> Iterator[Violation]:
    seat, tile = event.seat, event.tile
    if not is_bonus(tile, options):
        yield _breach("wrong_call", seat, f"{tile} is not set aside in this game")
    elif state.turn is not seat or not state.seats[seat].has_drawn:
        yield _breach("out_of_turn", seat, f"set {tile} aside without an own draw before it")
    elif state.wall_left <= 0:
        yield _breach("wrong_call", seat, f"set {tile} aside with the last tile of the wall")


def _kong(state: DealState, event: KongDeclared) -> Iterator[Violation]:
    seat, meld = event.seat, event.meld
    holder = state.seats[seat]
    problem = None
    if state.turn is not seat or not holder.has_drawn:
        problem = f"declared a kong of {meld.tile} without an own draw before it"
    elif state.wall_left <= 0:
        problem = f"declared a kong of {meld.tile} with the last tile of the wall"
    elif state.kongs >= 4:
        problem = "declared a fifth kong"
    elif not _is_formed(meld.tiles, meld.kind):
        problem = "declared a kong of unequal tiles"
    elif holder.ready_at is not None and meld.kind is not MeldKind.CONCEALED_KONG:
        problem = f"added {meld.tile} to a pung in riichi"
    if problem is not None:
        yield _breach("wrong_call", seat, problem)


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
