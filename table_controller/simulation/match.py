"""Plays deals at the simulated table: people move tiles and press keys, the table must follow.

The players know every tile; the conductor gets only scenes and keys, as at a real table. `Players`
makes the moves of bots or of a recorded deal, lets the eyes look after each of them, and hands over
what the conductor logged so that both sides can be compared.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from table_controller.conductor import Conductor, Key, Look
from table_controller.layout import StandingWall, Untidiness, laid_out
from table_controller.rules.core.errors import ImpossibleEventError
from table_controller.rules.core.events import (
    DrawDeclared,
    Drawn,
    DrawReturned,
    GameEvent,
    HandDealt,
    HandShown,
    IndicatorShown,
    Penalised,
    ReadyDeclared,
    TilesPassed,
    WinClaimed,
    WinJudged,
)
from table_controller.rules.core.game import Choose, Deal, Play, play_deal
from table_controller.rules.core.passing import PassStep
from table_controller.rules.core.seats import Seat, seats
from table_controller.rules.core.state import Awaiting, begin
from table_controller.rules.core.tiles import Tile
from table_controller.rules.core.wall import WallPlace
from table_controller.simulation.eyes import Eyes
from vision.types import PlacedTile


def recorded_deal(
    events: Sequence[GameEvent], wall: Sequence[Tile], play: Play, options: object
) -> Deal:
    """A deal about to be played as recorded: its beginning, and the wall as it stood."""
    began = events[0]
    if began.kind != "deal_began":
        raise ImpossibleEventError(f"a recorded deal begins with its beginning, not {began.kind}")
    state = begin(began, len(began.points))  # type: ignore[union-attr, arg-type]
    return Deal(state, play.wall(options).wall(wall), play, options, [began])


def replayed(deal: Deal, events: Iterable[GameEvent]) -> Iterator[GameEvent]:
    """The recorded events one after the other, each applied, the wall kept in step."""
    for event in events:
        match event:
            case HandDealt(tiles=tiles):
                deal.wall.deal(len(tiles))
            case Drawn(replacement=True):
                deal.wall.replace()
            case Drawn():
                deal.wall.draw()
            case DrawReturned():
                deal.wall.put_back()
            case IndicatorShown(under=False):
                deal.wall.indicator()
        yield deal.do(event)


Press = Callable[[Seat, Key], Awaitable[None]]
"""How a key gets pressed: through the panel's pins, or straight to the conductor."""


@dataclass
class Players:
    """People at the table: what they do, they do in full knowledge of the tiles."""

    deal: Deal
    places: Sequence[WallPlace]
    conductor: Conductor
    eyes: Eyes
    untidy: Untidiness = field(default_factory=Untidiness)
    press: Press | None = None
    pause: Callable[[], Awaitable[None]] | None = None
    blinks: Callable[[], bool] = lambda: False  # whether the table misses what was just done
    taken: Callable[[Collection[int]], None] = lambda places: None  # tiles taken off the walls
    looks: int = 0
    _moves: list[TilesPassed] = field(default_factory=list)  # of the step that is being passed
    _face_down: list[PlacedTile] = field(default_factory=list)  # lies there to be passed

    async def play(self, choose: Choose) -> None:
        """Play on until the conductor has settled the deal; refused wins do not end it."""
        await self.look()  # hands are taken, the first indicator lies open
        while True:
            await self.perform(play_deal(self.deal, choose))
            if not self._goes_on():
                return

    async def perform(self, events: Iterable[GameEvent]) -> None:
        """Do what the events say: move tiles, press keys, let the table look after each move."""
        for event in events:
            if isinstance(event, TilesPassed):
                await self._hand_on(event)
                continue
            await self._passing_ends()
            match event:
                case ReadyDeclared(seat=seat):
                    await self._press(seat, Key.READY)
                case WinClaimed(seat=seat):
                    await self._press(seat, Key.WIN)
                case DrawDeclared(seat=seat):
                    await self._press(self._ender(seat), Key.DRAW_END)
                case HandDealt() | HandShown() | IndicatorShown(under=True):
                    pass  # hands are laid open together
                case Drawn() if not self._is_open:
                    pass  # nobody sees what is drawn
                case _ if not self.blinks():
                    await self.look()
        await self._passing_ends()
        if self.deal.state.awaiting is Awaiting.VERDICT:
            await self._say_not_waiting()
            await self.look()

    async def look(self) -> None:
        """Let the table look until it has understood."""
        self.taken(self.deal.wall.taken)
        standing = StandingWall(self.deal.wall, self.places)
        placed = laid_out(
            self.deal.state,
            self.conductor.geometry,
            standing,
            self.untidy,
            open_hands=self._is_open,
        )
        placed += self._face_down
        while True:
            self.looks += 1
            if self.pause is not None:
                await self.pause()
            if self.conductor.see(await self.eyes.look(placed)) is Look.TAKEN:
                return

    @property
    def _is_open(self) -> bool:
        return self.deal.play.open_hands(self.deal.options)

    # Tiles that are passed before play

    async def _hand_on(self, event: TilesPassed) -> None:
        """Gather what a step moves; the steps before it are gone through first."""
        if self._moves and self._moves[0].step != event.step:
            await self._put_down()
        due = self.conductor.pass_due
        while due is not None and event.step not in (due.rule.name, due.rule.stop):
            await self._say_done(due, {})
            due = self.conductor.pass_due
        if due is not None and event.step == due.rule.stop:
            await self._press(event.seat, Key.DRAW_END)
        elif due is not None:
            self._moves.append(event)

    async def _put_down(self) -> None:
        """Lay the tiles of the gathered step face down, say so, and take what came."""
        due = self.conductor.pass_due
        if due is not None:
            own = dict.fromkeys(seats(self.deal.state.players), 0)
            for move in self._moves:
                own[move.seat] += len(move.tiles)
            await self._say_done(due, own)
        self._moves.clear()

    async def _say_done(self, due: PassStep, own: Mapping[Seat, int]) -> None:
        geometry = self.conductor.geometry
        numbers = {
            seat: max(due.rule.least, min(due.rule.most, own.get(seat, 0)))
            for seat in seats(self.deal.state.players)
        }
        self._face_down = [
            geometry.pond_place(geometry.seats[seat], place).of("bk")
            for seat, number in numbers.items()
            for place in range(number if due.rule.turns else 0)
        ]
        if self._face_down:
            await self.look()
        for seat, number in numbers.items():
            if number == 0 and due.rule.turns and due.numbers[seat]:
                for _ in range(due.rule.most - due.rule.least):  # nothing lies there to be seen
                    await self._press(seat, Key.READY)
            await self._press(seat, Key.CALL)
        if self._face_down:
            self._face_down = []
            await self.look()

    async def _passing_ends(self) -> None:
        """Go through what is left of the passing, where nobody passes anything more."""
        if self._moves:
            await self._put_down()
        if self.deal.state.discards or self.deal.state.claims:
            due = self.conductor.pass_due
            while due is not None and not self.deal.state.claims:
                await self._say_done(due, {})
                due = self.conductor.pass_due

    def _ender(self, seat: Seat | None) -> Seat:
        """Who presses draw-end: the seat that declared it, or the one that discarded last."""
        offer = self.deal.state.offer
        if seat is not None:
            return seat
        return offer.seat if offer is not None else self.deal.state.dealer

    async def _press(self, seat: Seat, key: Key) -> None:
        if self.press is None:
            self.conductor.press(seat, key)
        else:
            await self.press(seat, key)

    async def _say_not_waiting(self) -> None:
        """Whoever could show a hand, at a draw or to pay for a win, and does not, presses
        draw-end.
        """
        state = self.deal.state
        if state.draw_reason is not None:
            asked = tuple(seats(state.players))
        else:
            asked = self.deal.play.must_show(state, self.deal.options)
        for seat in asked:
            if state.seats[seat].shown is None:
                await self._press(seat, Key.DRAW_END)

    def _goes_on(self) -> bool:
        """The conductor refused every claim and the deal is not over: tell the players."""
        if not self.conductor.is_playing:
            return False
        refusals = [
            event
            for event in self.conductor.log.history
            if isinstance(event, WinJudged | Penalised)
        ]
        told = sum(isinstance(event, WinJudged | Penalised) for event in self.deal.history)
        for event in refusals[told:]:
            self.deal.do(event)
        return self.deal.state.awaiting is not Awaiting.VERDICT
