"""Breaches that the public record proves at once, event by event.

Each check needs only what everybody saw: whose turn it was, what was taken from whom, who had
declared ready, how many tiles are left. What depends on concealed tiles waits until hands are
shown. A ruleset gives what its own book forbids and what an offence costs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from table_controller.rules.core.case import Evidence, Violation
from table_controller.rules.core.events import (
    BonusSetAside,
    Challenged,
    Discarded,
    Drawn,
    GameEvent,
    JokerExchanged,
    KongDeclared,
    MeldCalled,
    ReadyDeclared,
    WinClaimed,
)
from table_controller.rules.core.game import Play
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.settlement import Payment
from table_controller.rules.core.state import Awaiting, DealState, apply
from table_controller.rules.core.tiles import JOKER, format_tiles

Found = tuple[str, str]
"""A code and what was wrong."""


@dataclass(frozen=True, slots=True)
class Fine:
    """What the book asks for an offence that people see: the staff's list offers it filled in."""

    code: str
    points: int = 0
    to_each: bool = False  # of the other seats; else nobody receives them
    dead_hand: bool = False


def _nothing(state: DealState, event: Any, options: Any) -> Found | None:
    return None


def _free(state: DealState, code: str, seat: Seat, options: Any) -> tuple[Payment, ...]:
    return ()


def the_tile(state: DealState, event: GameEvent, code: str, options: Any) -> tuple[Evidence, ...]:
    """The discard that the event made or took."""
    match event:
        case Discarded(seat=seat, tile=tile):
            return (Evidence(seat, len(state.seats[seat].pond) + 1, tile),)
        case MeldCalled(meld=meld) if meld.source is not None and state.seats[meld.source].pond:
            pond = state.seats[meld.source].pond
            return (Evidence(meld.source, len(pond), pond[-1].tile),)
        case WinClaimed(source=source, tile=tile) if source is not None and tile is not None:
            return (Evidence(source, len(state.seats[source].pond), tile),)
        case _:
            return ()


@dataclass(frozen=True, kw_only=True)
class Conduct:
    """What may be done in one ruleset, as far as everybody can see it."""

    play: Play
    draw_barred: Callable[[DealState, Drawn, Any], Found | None] = _nothing
    discard_barred: Callable[[DealState, Discarded, Any], Found | None] = _nothing
    call_barred: Callable[[DealState, MeldCalled, Any], Found | None] = _nothing
    kong_barred: Callable[[DealState, KongDeclared, Any], Found | None] = _nothing
    exchange_barred: Callable[[DealState, JokerExchanged, Any], Found | None] = _nothing
    ready_barred: Callable[[DealState, ReadyDeclared, Any], Found | None] = _nothing
    bonus_barred: Callable[[DealState, BonusSetAside, Any], Found | None] = _nothing
    challenge: Callable[[DealState, Challenged, Any], Violation] | None = None  # whose fault it is
    ready_between_turns: Callable[[DealState, Seat, Any], bool] = lambda state, seat, options: False
    until_covered: bool = False  # who has drawn puts the tile back for a claim, not for a chow
    penalty: Callable[[DealState, str, Seat, Any], tuple[Payment, ...]] = _free
    fines: Callable[[DealState, Seat, Any], tuple[Fine, ...]] = lambda state, seat, options: ()
    kills_hand: Callable[[str, Any], bool] = lambda code, options: False  # may not win any more
    ends_deal: Callable[[str, Any], bool] = lambda code, options: False  # it is played again
    evidence: Callable[[DealState, GameEvent, str, Any], tuple[Evidence, ...]] = the_tile
    kept_code: str = "flower_kept"  # of a tile that is discarded and not set aside

    def breaches(self, state: DealState, event: GameEvent, options: Any) -> list[Violation]:
        """What is wrong with an event in the state before it; nothing when it may be."""
        match event:
            case Drawn():
                found = self._draw(state, event, options)
            case Discarded():
                found = self._discard(state, event, options)
            case MeldCalled():
                found = self._call(state, event, options)
            case KongDeclared():
                found = self._kong(state, event, options)
            case JokerExchanged():
                found = self._exchange(state, event, options)
            case ReadyDeclared():
                found = self._ready(state, event, options)
            case BonusSetAside():
                found = self._set_aside(state, event, options)
            case Challenged() if self.challenge is not None:
                return [self.challenge(state, event, options)]
            case WinClaimed():
                found = self._claim(state, event)
            case _:
                return []
        return [
            Violation(
                code=code,
                seat=event.seat,
                text=text,
                evidence=self.evidence(state, event, code, options),
                penalty=self.penalty(state, code, event.seat, options),
            )
            for code, text in found
        ]

    def any_of(self, state: DealState, events: Iterable[GameEvent], options: Any) -> bool:
        """Whether one of these events, which follow on the state, is a breach."""
        for event in events:
            if self.breaches(state, event, options):
                return True
            state = apply(state, event)
        return False

    def _draw(self, state: DealState, event: Drawn, options: Any) -> Iterator[Found]:
        replaces_dealt = not state.discards and state.held(event.seat) < state.hand_size
        if replaces_dealt or state.awaiting is Awaiting.DEAL:
            return
        may_draw = state.awaiting in (Awaiting.DRAW, Awaiting.CLAIMS)
        if not may_draw or event.seat is not state.turn:
            yield "out_of_turn", "A tile was drawn out of turn."
        barred = self.draw_barred(state, event, options)
        if barred is not None:
            yield barred

    def _discard(self, state: DealState, event: Discarded, options: Any) -> Iterator[Found]:
        holder = state.seats[event.seat]
        is_due = state.awaiting is Awaiting.DISCARD or self.play.goes_on_unreplaced(state, options)
        if event.seat is not state.turn or not is_due:
            yield "out_of_turn", f"{event.tile} was discarded out of turn."
        if self.play.must_set_aside(event.tile, options):
            yield self.kept_code, f"{event.tile} was discarded: it is set aside and replaced."
        keeps = holder.ready_at is not None and self.play.discards_own_draw_when_ready
        if keeps and event.as_drawn is False:
            yield (
                "ready_hand_changed",
                f"After ready {event.tile} came from the hand, not the wall.",
            )
        barred = self.discard_barred(state, event, options)
        if barred is not None:
            yield barred

    def _call(self, state: DealState, event: MeldCalled, options: Any) -> Iterator[Found]:
        offer, holder, meld = state.offer, state.seats[event.seat], event.meld
        shown = format_tiles(meld.tiles)
        if holder.dead_hand and not self.play.dead_hands_call(options):
            yield "dead_hand", f"A dead hand has taken {shown}."
        if holder.is_ready and not self.play.calls_when_ready:
            yield "ready_hand_changed", f"After ready {shown} was taken: the hand may not change."
        if offer is None or offer.is_kong or state.awaiting is not Awaiting.CLAIMS:
            yield "late_claim", f"{shown} was taken after the next player had drawn."
            return
        if meld.source is not offer.seat and meld.source is not None:
            yield "late_claim", f"{shown} was taken after the next player had discarded."
            return
        if offer.tile not in meld.tiles:
            yield "wrong_call", f"{shown} was taken, but the last discard is {offer.tile}."
            return
        if meld.kind is MeldKind.CHOW:
            is_next = offer.seat.after(1, state.players) is event.seat
            if not self.play.chows:
                yield "wrong_call", f"{shown}: a chow may not be made from a discard."
            elif not is_next and not self.play.chows_from_any:
                yield "wrong_call", f"{shown}: a chow is taken from the player before only."
        elif _grows_pung(meld, holder.melds):
            yield "wrong_call", f"{offer.tile}: a discard may not be added to an exposed pung."
        if state.wall_left <= 0 and not self.play.calls_on_last_discard:
            yield "wrong_call", f"{shown} was called with the last discard of the deal."
        if meld.kind is MeldKind.KONG and self.play.kongs_replaced and not state.can_replace:
            yield "wrong_call", f"{shown}: no tile is left to replace the fourth of a kong."
        barred = self.call_barred(state, event, options)
        if barred is not None:
            yield barred

    def _kong(self, state: DealState, event: KongDeclared, options: Any) -> Iterator[Found]:
        shown = format_tiles(event.meld.tiles)
        if event.seat is not state.turn or state.awaiting is not Awaiting.DISCARD:
            yield "out_of_turn", f"The kong {shown} was declared out of turn."
        if not state.can_replace:
            yield "wrong_kong", f"{shown}: no tile is left to replace the fourth of a kong."
        barred = self.kong_barred(state, event, options)
        if barred is not None:
            yield barred

    def _exchange(self, state: DealState, event: JokerExchanged, options: Any) -> Iterator[Found]:
        if event.seat is not state.turn or state.awaiting is not Awaiting.DISCARD:
            yield "out_of_turn", f"A joker was exchanged for {event.tile} out of turn."
        barred = self.exchange_barred(state, event, options)
        if barred is not None:
            yield barred

    def _ready(self, state: DealState, event: ReadyDeclared, options: Any) -> Iterator[Found]:
        own_turn = event.seat is state.turn and state.awaiting is Awaiting.DISCARD
        if not own_turn and not self.ready_between_turns(state, event.seat, options):
            yield "out_of_turn", "Ready is declared with the own discard."
        barred = self.ready_barred(state, event, options)
        if barred is not None:
            yield barred

    def _set_aside(self, state: DealState, event: BonusSetAside, options: Any) -> Iterator[Found]:
        if not self.play.is_bonus(event.tile, options):
            yield "wrong_call", f"{event.tile} is not set aside in this game."
        barred = self.bonus_barred(state, event, options)
        if barred is not None:
            yield barred

    def _claim(self, state: DealState, event: WinClaimed) -> Iterator[Found]:
        if state.seats[event.seat].dead_hand:
            yield "dead_hand", "A dead hand may not win."
        if event.source is None:
            return
        seen = state.offers[-1] if state.offers else None
        is_open = state.awaiting in (Awaiting.CLAIMS, Awaiting.VERDICT) or (
            seen is not None and seen.place is None and state.awaiting is Awaiting.DRAW
        )
        if seen is None or seen.seat is not event.source or not is_open:
            yield "late_claim", "The tile was claimed for a win after the next player had drawn."


def _grows_pung(meld: Meld, own: Sequence[Meld]) -> bool:
    """The discard was added to a pung; with jokers or eight flowers two melds are of one face."""
    if meld.kind is MeldKind.ADDED_KONG:
        return True
    if meld.tile.is_bonus or JOKER in meld.tiles:
        return False
    return any(pung.kind is MeldKind.PUNG and pung.tile == meld.tile for pung in own)
