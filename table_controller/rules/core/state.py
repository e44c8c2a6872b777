"""The state of one deal: a fold over its events, with ``None`` for tiles nobody saw.

`apply` records whatever people did, legal or not; it raises only for what cannot be true, as a
call of a tile that nobody discarded. What is legal is asked of `game`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import assert_never

from table_controller.rules.core.errors import ImpossibleEventError
from table_controller.rules.core.events import (
    Advised,
    Announced,
    BonusSetAside,
    Challenged,
    Corrected,
    DealBegan,
    DealEnded,
    DiceRolled,
    Discarded,
    Doubted,
    DrawDeclared,
    Drawn,
    DrawReturned,
    DrawSettled,
    GameBegan,
    GameEnded,
    GameEvent,
    HandDealt,
    HandShown,
    IndicatorShown,
    JokerExchanged,
    KongDeclared,
    MeldCalled,
    MeldChanged,
    MeldReturned,
    Paid,
    PassAnnounced,
    Penalised,
    ReadyAccepted,
    ReadyDeclared,
    ReadyWithdrawn,
    TilesPassed,
    Voided,
    WinClaimed,
    WinJudged,
)
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.seats import Seat, Wind, seat_wind, seats
from table_controller.rules.core.settlement import Payment, totals
from table_controller.rules.core.tiles import JOKER, Tile


class Awaiting(StrEnum):
    """What the deal waits for."""

    DEAL = "deal"  # hands are being taken
    DRAW = "draw"  # the seat on turn draws
    DISCARD = "discard"  # the seat on turn discards, declares or wins
    CLAIMS = "claims"  # a discard, or an added kong, can be claimed
    VERDICT = "verdict"  # a win or draw was declared; hands are shown and judged
    OVER = "over"


@dataclass(frozen=True, slots=True)
class PondTile:
    """A discard: where it went if somebody called it, and whether it lies sideways."""

    tile: Tile
    turned: bool = False
    as_drawn: bool | None = None
    called_by: Seat | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatState:
    """What one seat holds and has laid down. Unknown tiles of the hand are None."""

    hand: tuple[Tile | None, ...] = ()
    drawn: Tile | None = None  # the tile just drawn, also counted in ``hand``
    has_drawn: bool = False
    melds: tuple[Meld, ...] = ()
    pond: tuple[PondTile, ...] = ()
    bonus: tuple[Tile, ...] = ()
    ready_at: int | None = None  # index in the pond of the discard that declared ready
    ready_pending: bool = False  # declared, but the discard has not passed yet
    double_ready: bool = False
    one_shot: bool = False  # the first go-around after ready, uninterrupted
    dead_hand: bool = False
    offences: tuple[str, ...] = ()  # codes of its penalties in this deal, in order
    drew_at: int = 0  # how many tiles everybody had seen at the seat's last draw
    shown: tuple[Tile, ...] | None = None  # the concealed tiles laid open, less the winning tile
    winning_tile: Tile | None = None  # shown apart

    @property
    def is_ready(self) -> bool:
        """Declared ready, whether the deposit is laid or not."""
        return self.ready_at is not None or self.ready_pending

    @property
    def is_concealed(self) -> bool:
        """Nothing was called."""
        return all(meld.kind.is_concealed for meld in self.melds)

    @property
    def kongs(self) -> int:
        """How many kongs lie before the seat."""
        return sum(meld.kind.is_kong for meld in self.melds)


@dataclass(frozen=True, slots=True)
class Offer:
    """The tile that can be claimed now: a discard, or one added to a kong."""

    seat: Seat
    tile: Tile
    is_kong: bool = False
    is_concealed_kong: bool = False


@dataclass(frozen=True, slots=True)
class Offered:
    """A tile that everybody saw, in the order of the deal: what a missed win is proved with.

    ``place`` counts from 1 in the seat's pond; None for a tile of a kong, or one set aside.
    """

    seat: Seat
    tile: Tile
    place: int | None = None
    kong: MeldKind | None = None
    called_by: Seat | None = None
    meld: Meld | None = None  # what it was called for


@dataclass(frozen=True, slots=True, kw_only=True)
class DealState:
    """One deal as far as it is known."""

    players: int
    number: int
    dealer: Seat
    round_wind: Wind
    points: tuple[int, ...]
    counters: int
    deposits: int  # points of sticks on the table are the ruleset's business: this counts sticks
    goulash: int
    wall_left: int
    hand_size: int
    kongs_replaced: bool
    loose_tiles: int = 0  # how many replacement tiles are laid apart together; 0: none are
    loose: int = 0  # how many of them lie there now
    seats: tuple[SeatState, ...]
    turn: Seat
    awaiting: Awaiting = Awaiting.DEAL
    offer: Offer | None = None
    offers: tuple[Offered, ...] = ()
    replacement: bool = False  # the tile just drawn replaces a kong or a bonus tile
    after_kong: bool = False  # that replacement followed a kong
    after_bonus: bool = False  # that replacement was for a bonus tile, be it drawn after a kong
    dice: tuple[int, ...] = ()
    indicators: tuple[Tile, ...] = ()
    under_indicators: tuple[Tile, ...] = ()
    discards: int = 0
    interrupted: bool = False  # a call or kong broke the first go-around
    dead_hands_skipped: bool = False
    markers: tuple[int, ...] = ()
    claims: tuple[WinClaimed, ...] = ()
    before_claim: Awaiting = Awaiting.DEAL  # where play goes on when the claim is refused
    draw_reason: str | None = None

    @property
    def kongs(self) -> int:
        """Kongs of all seats."""
        return sum(seat.kongs for seat in self.seats)

    @property
    def can_replace(self) -> bool:
        """A replacement tile is left."""
        return self.loose > 0 if self.loose_tiles else self.wall_left > 0

    def wind_of(self, seat: Seat) -> Wind:
        """The seat's wind in this deal."""
        return seat_wind(seat, self.dealer, self.players)

    def held(self, seat: Seat) -> int:
        """How many tiles the seat has, melds included, a replaced kong counted as three."""
        holder = self.seats[seat]
        return len(holder.hand) + sum(
            3 if self.kongs_replaced and meld.kind.is_kong else len(meld.tiles)
            for meld in holder.melds
        )

    def is_first_turn(self, seat: Seat) -> bool:
        """The seat has not discarded and no call or kong broke the go-around."""
        return not self.interrupted and not self.seats[seat].pond

    def with_seat(self, seat: Seat, **changes: object) -> DealState:
        """The same deal with that seat changed."""
        states = list(self.seats)
        states[seat] = replace(states[seat], **changes)  # type: ignore[arg-type]
        return replace(self, seats=tuple(states))


def begin(event: DealBegan, players: int) -> DealState:
    """The state right after a deal began."""
    return DealState(
        players=players,
        number=event.number,
        dealer=event.dealer,
        round_wind=event.round_wind,
        points=event.points,
        counters=event.counters,
        deposits=event.deposits,
        goulash=event.goulash,
        wall_left=event.wall_left,
        hand_size=event.hand_size,
        kongs_replaced=event.kongs_replaced,
        loose_tiles=event.loose_tiles,
        loose=event.loose_tiles,
        dead_hands_skipped=event.dead_hands_skipped,
        markers=event.markers,
        seats=(SeatState(),) * players,
        turn=event.dealer,
    )


def fold(events: Iterable[GameEvent], players: int) -> DealState | None:
    """The state of the last deal that these events began; None before the first one."""
    state: DealState | None = None
    for event in events:
        if isinstance(event, DealBegan):
            state = begin(event, players)
        elif state is not None:
            state = apply(state, event)
    return state


def apply(state: DealState, event: GameEvent) -> DealState:
    """The state after one more event."""
    match event:
        case HandDealt(seat=seat, tiles=tiles):
            return _dealt(state, seat, tiles)
        case TilesPassed(seat=seat, receiver=receiver, tiles=tiles):
            return _passed(state, seat, receiver, tiles)
        case DiceRolled(dice=dice):
            return replace(state, dice=dice)
        case IndicatorShown(tile=tile, under=under):
            if under:
                return replace(state, under_indicators=(*state.under_indicators, tile))
            return replace(state, indicators=(*state.indicators, tile))
        case Drawn():
            return _drawn(state, event)
        case DrawReturned(seat=seat):
            return _draw_returned(state, seat)
        case Discarded():
            return _discarded(state, event)
        case BonusSetAside(seat=seat, tile=tile):
            return _set_aside(state, seat, tile)
        case MeldCalled(seat=seat, meld=meld):
            return _called(state, seat, meld)
        case KongDeclared():
            return _kong(state, event)
        case JokerExchanged():
            return _exchanged(state, event)
        case MeldChanged():
            return _meld_changed(state, event)
        case MeldReturned(seat=seat):
            return _meld_returned(state, seat)
        case ReadyDeclared(seat=seat):
            return state.with_seat(seat, ready_pending=True, double_ready=state.is_first_turn(seat))
        case ReadyWithdrawn(seat=seat):
            return state.with_seat(seat, ready_at=None, ready_pending=False, double_ready=False)
        case ReadyAccepted(seat=seat, deposit=deposit):
            accepted = state.with_seat(seat, ready_pending=False, one_shot=True)
            return replace(
                accepted,
                points=_add(state.points, seat, -deposit),
                deposits=state.deposits + (deposit > 0),
            )
        case WinClaimed():
            before = state.before_claim if state.claims else state.awaiting
            return replace(
                state,
                awaiting=Awaiting.VERDICT,
                claims=(*state.claims, event),
                before_claim=before,
            )
        case HandShown(seat=seat, tiles=tiles, winning_tile=winning_tile):
            return state.with_seat(seat, shown=tiles, winning_tile=winning_tile)
        case DrawDeclared(reason=reason):
            return replace(state, awaiting=Awaiting.VERDICT, draw_reason=reason)
        case WinJudged(answer=answer):
            return _paid(state, answer.payments)
        case DrawSettled(payments=payments) | Paid(payments=payments):
            return _paid(state, payments)
        case Penalised():
            return _penalised(_paid(state, event.payments), event)
        case DealEnded(points=points, deposits=deposits, goulash=goulash):
            return replace(
                state, awaiting=Awaiting.OVER, points=points, deposits=deposits, goulash=goulash
            )
        case (
            GameBegan()
            | DealBegan()
            | PassAnnounced()
            | Challenged()
            | Announced()
            | GameEnded()
            | Doubted()
            | Advised()
            | Voided()
            | Corrected()
        ):
            return state
        case _:
            assert_never(event)


def _dealt(state: DealState, seat: Seat, tiles: tuple[Tile | None, ...]) -> DealState:
    dealt = state.with_seat(seat, hand=(*state.seats[seat].hand, *tiles))
    if any(dealt.held(other) < state.hand_size for other in seats(state.players)):
        return dealt
    if dealt.held(state.dealer) > state.hand_size:
        return replace(dealt.with_seat(state.dealer, has_drawn=True), awaiting=Awaiting.DISCARD)
    return replace(dealt, awaiting=Awaiting.DRAW)


def _drawn(state: DealState, event: Drawn) -> DealState:
    if not (state.can_replace if event.replacement else state.wall_left > 0):
        raise ImpossibleEventError(f"seat {event.seat} cannot draw: the wall is empty")
    seat = state.seats[event.seat]
    drawn = state.with_seat(event.seat, hand=(*seat.hand, event.tile))
    if event.replacement and state.loose_tiles:
        drawn = _loose_taken(drawn)
    else:
        drawn = replace(drawn, wall_left=state.wall_left - 1)
    if drawn.held(event.seat) <= state.hand_size:
        return drawn  # a bonus tile of the first hand was replaced: nobody's turn changes
    if event.replacement and state.after_kong:
        drawn = replace(_broken(drawn), interrupted=True)
    return replace(
        drawn.with_seat(event.seat, drawn=event.tile, has_drawn=True, drew_at=len(state.offers)),
        turn=event.seat,
        awaiting=Awaiting.DISCARD,
        offer=None,
        replacement=event.replacement,
        after_kong=event.replacement and state.after_kong,
        after_bonus=event.replacement and state.after_bonus,
    )


def _draw_returned(state: DealState, seat: Seat) -> DealState:
    """The drawn tile is the next one of the wall again, and the last discard on offer."""
    holder = state.seats[seat]
    last = claimable_after_draw(state)
    if last is None or seat is not state.turn:
        raise ImpossibleEventError(f"seat {seat} has drawn no tile that it could put back")
    hand = list(holder.hand)
    hand.remove(holder.drawn)
    returned = state.with_seat(seat, hand=tuple(hand), drawn=None, has_drawn=False)
    return replace(
        returned,
        wall_left=state.wall_left + 1,
        awaiting=Awaiting.CLAIMS,
        offer=Offer(last.seat, last.tile),
    )


def _loose_taken(state: DealState) -> DealState:
    """One loose tile less; the last one is followed by new ones from the end of the wall, unless
    that would leave fewer than are reserved."""
    if state.loose > 1 or state.wall_left < state.loose_tiles:
        return replace(state, loose=state.loose - 1)
    return replace(state, loose=state.loose_tiles, wall_left=state.wall_left - state.loose_tiles)


def _set_aside(state: DealState, seat: Seat, tile: Tile) -> DealState:
    holder = state.seats[seat]
    after = state.with_seat(
        seat,
        hand=_without(holder.hand, (tile,), seat),
        bonus=(*holder.bonus, tile),
        **({"drawn": None, "has_drawn": False} if holder.has_drawn else {}),
    )
    after = replace(after, offers=(*after.offers, Offered(seat, tile)))
    if seat is state.turn and state.awaiting is Awaiting.DISCARD:
        return replace(after, awaiting=Awaiting.DRAW, replacement=True, after_bonus=True)
    return after


def _discarded(state: DealState, event: Discarded) -> DealState:
    seat = state.seats[event.seat]
    ready_at = seat.ready_at
    if seat.ready_pending and ready_at is None:
        ready_at = len(seat.pond)
    after = state.with_seat(
        event.seat,
        hand=_without(seat.hand, (event.tile,), event.seat),
        drawn=None,
        has_drawn=False,
        pond=(*seat.pond, PondTile(event.tile, event.turned, event.as_drawn)),
        ready_at=ready_at,
        one_shot=seat.one_shot and seat.ready_pending,
    )
    return replace(
        after,
        turn=_next_turn(state, event.seat),
        awaiting=Awaiting.CLAIMS,
        offer=Offer(event.seat, event.tile),
        offers=(*state.offers, Offered(event.seat, event.tile, len(seat.pond) + 1)),
        replacement=False,
        after_kong=False,
        after_bonus=False,
        discards=state.discards + 1,
    )


def _called(state: DealState, seat: Seat, meld: Meld) -> DealState:
    source = meld.source
    if source is None or not state.seats[source].pond:
        raise ImpossibleEventError(f"seat {seat} cannot call: nobody discarded for {meld.kind}")
    pond = state.seats[source].pond
    called = pond[-1].tile
    if called not in meld.tiles:
        raise ImpossibleEventError(
            f"seat {seat} cannot call {called} of seat {source} for a meld without it"
        )
    is_replaced = state.kongs_replaced and meld.kind is MeldKind.KONG
    marked = state.with_seat(source, pond=(*pond[:-1], replace(pond[-1], called_by=seat)))
    holder = marked.seats[seat]
    if meld.kind is MeldKind.ADDED_KONG:  # the discard was put on the seat's own pung
        laid = marked.with_seat(seat, melds=_grown(holder.melds, meld, (called,), seat))
    else:
        own = list(meld.tiles)
        own.remove(called)
        laid = marked.with_seat(
            seat,
            hand=_without(holder.hand, own, seat),
            melds=(*holder.melds, replace(meld, called=called)),
        )
    return replace(
        _broken(laid),
        offers=_taken(state.offers, source, seat, meld),
        turn=seat,
        awaiting=Awaiting.DRAW if is_replaced else Awaiting.DISCARD,
        offer=None,
        replacement=is_replaced,
        after_kong=is_replaced,
        after_bonus=False,
        interrupted=True,
    )


def _kong(state: DealState, event: KongDeclared) -> DealState:
    seat = state.seats[event.seat]
    melds = seat.melds
    used: tuple[Tile, ...] = event.meld.tiles
    if event.meld.kind is MeldKind.ADDED_KONG:
        used = (event.added,) if event.added is not None else event.meld.tiles[-1:]
        melds = _grown(melds, event.meld, used, event.seat)
    else:
        melds = (*melds, event.meld)
    laid = state.with_seat(
        event.seat,
        hand=_without(seat.hand, used, event.seat),
        melds=melds,
        drawn=None,
        has_drawn=False,
    )
    is_concealed = event.meld.kind is MeldKind.CONCEALED_KONG
    # A robbed kong still counts as uninterrupted for one-shot: the flags fall at the next draw.
    return replace(
        laid,
        turn=event.seat,
        awaiting=Awaiting.CLAIMS,
        offer=Offer(event.seat, used[-1], is_kong=True, is_concealed_kong=is_concealed),
        offers=(*state.offers, Offered(event.seat, used[-1], kong=event.meld.kind)),
        after_kong=True,
        after_bonus=False,
    )


def _taken(
    offers: tuple[Offered, ...], source: Seat, seat: Seat, meld: Meld
) -> tuple[Offered, ...]:
    """The source's last discard marked as called, though others may have discarded since."""
    for index in range(len(offers) - 1, -1, -1):
        if offers[index].seat is source and offers[index].place is not None:
            called = replace(offers[index], called_by=seat, meld=meld)
            return (*offers[:index], called, *offers[index + 1 :])
    return offers


def _grown(
    melds: tuple[Meld, ...], kong: Meld, added: tuple[Tile, ...], seat: Seat
) -> tuple[Meld, ...]:
    """The melds with the pung of the kong's face grown by the added tile."""
    before = [meld for meld in melds if meld.kind is MeldKind.PUNG and meld.tile == kong.tile]
    # With jokers a seat can have two pungs of one face: the one whose tiles the kong holds.
    grown = sorted(kong.tiles)
    same = (meld for meld in before if sorted((*meld.tiles, *added)) == grown)
    pung = next(same, before[0] if before else None)
    if pung is None:
        raise ImpossibleEventError(f"seat {seat} cannot add to a pung of {kong.tile}: it has none")
    meld = replace(kong, source=pung.source, called=pung.called)
    return tuple(meld if other is pung else other for other in melds)


def _penalised(state: DealState, event: Penalised) -> DealState:
    """A dead hand or a refusal ends a claim; with no claim left play goes on where it stood."""
    seat = event.seat
    state = state.with_seat(seat, offences=(*state.seats[seat].offences, event.code))
    if not (event.dead_hand or event.refused):
        return state
    barred = state.with_seat(seat, shown=None, winning_tile=None)  # the hand is taken up again
    if event.dead_hand:
        barred = barred.with_seat(seat, dead_hand=True)
    claims = tuple(claim for claim in state.claims if claim.seat is not seat)
    if claims:
        return replace(barred, claims=claims)
    if state.claims:
        barred = replace(barred, claims=(), awaiting=state.before_claim)
    is_out = event.dead_hand and state.dead_hands_skipped and state.turn is seat
    if is_out and barred.awaiting in (Awaiting.DRAW, Awaiting.DISCARD):
        return replace(barred, turn=_next_turn(barred, seat), awaiting=Awaiting.DRAW, offer=None)
    if is_out:  # a discard is on offer, and the dead hand would draw next
        return replace(barred, turn=_next_turn(barred, seat))
    return barred


def _next_turn(state: DealState, seat: Seat) -> Seat:
    """Whose turn follows: the next seat, or the next that still plays."""
    for steps in range(1, state.players):
        following = seat.after(steps, state.players)
        if not (state.dead_hands_skipped and state.seats[following].dead_hand):
            return following
    return seat


def _passed(
    state: DealState, seat: Seat, receiver: Seat, tiles: tuple[Tile | None, ...]
) -> DealState:
    known = [tile for tile in tiles if tile is not None]
    left = list(_without(state.seats[seat].hand, known, seat))
    for _ in range(len(tiles) - len(known)):
        left.remove(None)
    given = state.with_seat(seat, hand=tuple(left))
    return given.with_seat(receiver, hand=(*given.seats[receiver].hand, *tiles))


def _exchanged(state: DealState, event: JokerExchanged) -> DealState:
    melds = list(state.seats[event.owner].melds)
    if event.place >= len(melds) or JOKER not in melds[event.place].tiles:
        raise ImpossibleEventError(
            f"seat {event.seat} cannot exchange {event.tile}: seat {event.owner} has no joker there"
        )
    tiles = list(melds[event.place].tiles)
    tiles[tiles.index(JOKER)] = event.tile
    melds[event.place] = replace(melds[event.place], tiles=tuple(tiles))
    hand = _without(state.seats[event.seat].hand, (event.tile,), event.seat)
    given = state.with_seat(event.seat, hand=(*hand, JOKER), drawn=JOKER, has_drawn=True)
    return given.with_seat(event.owner, melds=tuple(melds))


def _meld_changed(state: DealState, event: MeldChanged) -> DealState:
    holder = state.seats[event.seat]
    if event.place >= len(holder.melds):
        raise ImpossibleEventError(f"seat {event.seat} has no meld number {event.place + 1}")
    before = Counter(holder.melds[event.place].tiles)
    after = Counter(event.meld.tiles)
    melds = (*holder.melds[: event.place], event.meld, *holder.melds[event.place + 1 :])
    hand = _without(holder.hand, (after - before).elements(), event.seat)
    return state.with_seat(event.seat, hand=(*hand, *(before - after).elements()), melds=melds)


def _meld_returned(state: DealState, seat: Seat) -> DealState:
    holder = state.seats[seat]
    if not holder.melds:
        raise ImpossibleEventError(f"seat {seat} has no meld that it could take up again")
    *kept, meld = holder.melds
    own = list(meld.tiles)
    call = fresh_call(state)
    if call is None or call.called_by is not seat:
        return state.with_seat(seat, hand=(*holder.hand, *own), melds=tuple(kept))
    own.remove(call.tile)
    pond = state.seats[call.seat].pond
    back = state.with_seat(seat, hand=(*holder.hand, *own), melds=tuple(kept))
    back = back.with_seat(call.seat, pond=(*pond[:-1], replace(pond[-1], called_by=None)))
    return replace(
        back,
        turn=_next_turn(state, call.seat),
        awaiting=Awaiting.CLAIMS,
        offer=Offer(call.seat, call.tile),
        offers=(*state.offers[:-1], replace(call, called_by=None, meld=None)),
        replacement=False,
        after_kong=False,
    )


def fresh_call(state: DealState) -> Offered | None:
    """The discard that the seat on turn has just called and laid down, and not discarded after."""
    last = state.offers[-1] if state.offers else None
    if last is None or last.place is None or last.called_by is not state.turn:
        return None
    has_gone_on = state.seats[state.turn].has_drawn
    is_its_turn = state.awaiting in (Awaiting.DRAW, Awaiting.DISCARD)
    return last if is_its_turn and not has_gone_on else None


def claimable_after_draw(state: DealState) -> Offered | None:
    """The discard that lies there uncalled though the next player has drawn, and done no more."""
    last = state.offers[-1] if state.offers else None
    if last is None or last.place is None or last.called_by is not None:
        return None
    has_only_drawn = state.awaiting is Awaiting.DISCARD and not state.replacement
    return last if has_only_drawn and state.seats[state.turn].has_drawn else None


def _broken(state: DealState) -> DealState:
    """No seat wins within one go-around of its ready declaration any more."""
    return replace(state, seats=tuple(replace(seat, one_shot=False) for seat in state.seats))


def _paid(state: DealState, payments: tuple[Payment, ...]) -> DealState:
    change = totals(payments, state.players)
    points = tuple(have + more for have, more in zip(state.points, change, strict=True))
    return replace(state, points=points)


def _add(points: tuple[int, ...], seat: Seat, change: int) -> tuple[int, ...]:
    return tuple(have + (change if index == seat else 0) for index, have in enumerate(points))


def _without(
    hand: tuple[Tile | None, ...], tiles: Iterable[Tile], seat: Seat
) -> tuple[Tile | None, ...]:
    """The hand less these tiles; unknown tiles stand for any."""
    left = list(hand)
    for tile in tiles:
        if tile in left:
            left.remove(tile)
        elif None in left:
            left.remove(None)
        else:
            raise ImpossibleEventError(f"seat {seat} does not hold {tile}")
    return tuple(left)
