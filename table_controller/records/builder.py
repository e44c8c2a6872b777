"""Puts the events of one recorded deal together, whatever format they came in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from table_controller.records.game import RecordedDeal, RecordedDraw, RecordedWin, RecordError
from table_controller.records.walls import rebuild_wall
from table_controller.rules.core.errors import RulesError
from table_controller.rules.core.events import (
    BonusSetAside,
    DealBegan,
    DiceRolled,
    Discarded,
    DrawDeclared,
    Drawn,
    GameEvent,
    HandDealt,
    HandShown,
    IndicatorShown,
    KongDeclared,
    MeldCalled,
    ReadyAccepted,
    ReadyDeclared,
    WinClaimed,
)
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.seats import Seat, Wind, seats
from table_controller.rules.core.state import DealState, apply, begin
from table_controller.rules.core.tiles import Tile
from table_controller.rules.riichi.payments import STICK

LIVE_TILES = {4: 70, 3: 55}  # that can be drawn once every seat holds 13


class DealBuilder:
    """Collects what happened; the state is kept along, so that what cannot be is noticed."""

    def __init__(
        self,
        *,
        number: int,
        dealer: int,
        round_wind: int,
        points: Sequence[int],
        counters: int,
        sticks: int,
        place: str,
    ) -> None:
        self.players = len(points)
        self.place = place
        self.began = DealBegan(
            number=number,
            dealer=Seat(dealer),
            round_wind=tuple(Wind)[round_wind],
            points=tuple(int(one) for one in points),
            wall_left=LIVE_TILES[self.players],
            counters=int(counters),
            deposits=int(sticks),
        )
        self.events: list[GameEvent] = [self.began]
        self.state: DealState = begin(self.began, self.players)
        self.wins: list[RecordedWin] = []
        self.recorded_draw: RecordedDraw | None = None
        self.points_after: tuple[int, ...] | None = None
        self.north_pending = False

    def add(self, event: GameEvent) -> None:
        """One event more; raises RecordError when it cannot be true."""
        try:
            self.state = apply(self.state, event)
        except (RulesError, IndexError) as error:
            raise RecordError(f"{self.place}, step {len(self.events)}: {error}") from None
        self.events.append(event)

    def dice(self, dice: Iterable[int]) -> None:
        """The dice that broke the wall."""
        self.add(DiceRolled(dice=tuple(dice)))

    def deal(self, hands: Sequence[Sequence[Tile | None]]) -> None:
        """Everybody's first thirteen tiles."""
        for step in range(self.players):
            seat = self.began.dealer.after(step, self.players)
            if len(hands[seat]) != 13:
                raise RecordError(
                    f"{self.place}: seat {seat.value} is dealt {len(hands[seat])} tiles, not 13"
                )
            self.add(HandDealt(seat=seat, tiles=tuple(hands[seat])))

    def indicator(self, tile: Tile) -> None:
        """A dora indicator is turned."""
        self.add(IndicatorShown(tile=tile))

    def draw(self, seat: int, tile: Tile | None) -> None:
        """A draw; whether it replaces a kong's or a north's tile follows from the state."""
        replacement = self.state.replacement or self.state.after_kong or self.north_pending
        self.north_pending = False
        self.add(Drawn(seat=Seat(seat), tile=tile, replacement=replacement))

    def discard(self, seat: int, tile: Tile, *, as_drawn: bool | None) -> None:
        """A discard; turned sideways when riichi was declared."""
        turned = self.state.seats[seat].ready_pending
        self.add(Discarded(seat=Seat(seat), tile=tile, as_drawn=as_drawn, turned=turned))

    def riichi(self, seat: int) -> None:
        """Riichi is declared."""
        self.add(ReadyDeclared(seat=Seat(seat)))

    def riichi_stands(self, seat: int) -> None:
        """The stick is laid."""
        self.add(ReadyAccepted(seat=Seat(seat), deposit=STICK))

    def settle_riichi(self) -> None:
        """Lays the stick of a pending riichi: its discard was not won."""
        for seat in seats(self.players):
            if self.state.seats[seat].ready_pending and self.state.seats[seat].ready_at is not None:
                self.riichi_stands(seat)

    def call(self, seat: int, kind: MeldKind, own: Iterable[Tile], called: Tile) -> None:
        """A chow, pung or exposed kong of the last discard."""
        offer = self.state.offer
        if offer is None:
            raise RecordError(f"{self.place}, step {len(self.events)}: nothing to call")
        meld = Meld(kind, (*sorted(own), called), offer.seat, called)
        self.add(MeldCalled(seat=Seat(seat), meld=meld))

    def concealed_kong(self, seat: int, tiles: Iterable[Tile]) -> None:
        """Four tiles of the hand are laid down."""
        meld = Meld(MeldKind.CONCEALED_KONG, tuple(sorted(tiles)))
        self.add(KongDeclared(seat=Seat(seat), meld=meld))

    def added_kong(self, seat: int, added: Tile) -> None:
        """The fourth tile joins a pung."""
        pung = next(
            (
                meld
                for meld in self.state.seats[seat].melds
                if meld.kind is MeldKind.PUNG and meld.tile == added.face
            ),
            None,
        )
        if pung is None:
            raise RecordError(
                f"{self.place}, step {len(self.events)}: seat {seat} has no pung of {added}"
            )
        grown = Meld(MeldKind.ADDED_KONG, (*pung.tiles, added), pung.source, pung.called)
        self.add(KongDeclared(seat=Seat(seat), meld=grown, added=added))

    def set_aside(self, seat: int, tile: Tile) -> None:
        """A north is set aside."""
        self.add(BonusSetAside(seat=Seat(seat), tile=tile))
        self.north_pending = True

    def hand(self, seat: int) -> tuple[Tile | None, ...]:
        """The concealed tiles of a seat as far as known."""
        return self.state.seats[seat].hand

    def drawn(self, seat: int) -> Tile | None:
        """The tile that the seat drew last."""
        return self.state.seats[seat].drawn

    def win(self, win: RecordedWin) -> None:
        """A win as the source settled it; `close` adds the claims and shown hands."""
        self.wins.append(win)

    def no_win(self, draw: RecordedDraw, seat: Seat | None = None) -> None:
        """The deal ended without a winner."""
        self.recorded_draw = draw
        reason = "exhaustive" if draw.reason == "nagashi_mangan" else draw.reason
        self.add(DrawDeclared(reason=reason, seat=seat))
        hands = dict(draw.shown)
        if seat is not None and None not in self.hand(seat):  # who aborts a deal proves it
            hands.setdefault(seat, tuple(sorted(tile for tile in self.hand(seat) if tile)))
        for shown, tiles in sorted(hands.items()):
            self.add(HandShown(seat=shown, tiles=tiles))

    def close(self) -> RecordedDeal:
        """The finished deal."""
        for win in self.wins:
            self.add(WinClaimed(seat=win.winner, tile=win.winning_tile, source=win.source))
        for win in self.wins:
            shown = HandShown(seat=win.winner, tiles=win.hand, winning_tile=win.winning_tile)
            self.add(shown)
        ura = next((win.ura for win in self.wins if win.ura), ())
        for tile in ura:
            self.add(IndicatorShown(tile=tile, under=True))
        return RecordedDeal(
            began=self.began,
            events=tuple(self.events),
            wins=tuple(self.wins),
            draw=self.recorded_draw,
            points_after=self.points_after,
            wall=rebuild_wall(self.events, self.players),
            place=self.place,
        )
