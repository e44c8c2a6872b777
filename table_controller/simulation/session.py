"""A whole simulated match: walls are built, people play, the table follows and settles."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from table_controller.conductor import Conductor, Key
from table_controller.layout import Untidiness
from table_controller.records import RecordedDeal
from table_controller.rules.core.events import GameEvent
from table_controller.rules.core.game import Choose, Deal, DealStart, open_deal
from table_controller.rules.core.seats import Seat
from table_controller.simulation.eyes import Eyes
from table_controller.simulation.match import Players, Press, recorded_deal, replayed
from table_controller.simulation.scripting import Script
from table_controller.simulation.walls import RaisedWalls, WallSource
from vision.values import Drift


class CameraMovedError(RuntimeError):
    """The camera hangs elsewhere than it was calibrated, so no deal begins."""

    def __init__(self, drift: Drift) -> None:
        super().__init__(f"{drift}: push it back or calibrate it, then begin the deal")
        self.drift = drift


async def at_once() -> None:
    """No pause between moves."""


@dataclass
class Session:
    """The parts of one simulated match. ``pause`` is awaited between moves."""

    conductor: Conductor
    walls: WallSource
    eyes: Eyes
    untidy: Untidiness = field(default_factory=Untidiness)
    press: Press | None = None
    pause: Callable[[], Awaitable[None]] = at_once
    looks: int = 0

    async def play(self, choose: Choose) -> Deal:
        """One deal of players who choose their moves."""
        start = await self._start()
        raised = await self.walls.raise_walls(start.dealer)
        self.conductor.begin_deal(raised.dice)
        deal = open_deal(start, raised.tiles, self.conductor.play, self.conductor.options)
        players = self._players(deal, raised)
        await players.play(choose)
        await self._end(players)
        return deal

    async def perform(self, script: Script) -> Deal:
        """One scripted deal."""
        start = await self._start()
        raised = await self.walls.raise_walls(start.dealer, script.wall)
        self.conductor.begin_deal(raised.dice)
        deal = script.open()
        await self._follow(deal, raised, script.moves)
        return deal

    async def replay(self, recorded: RecordedDeal) -> Deal:
        """One recorded deal, tile by tile. It starts with the record's points and dealer."""
        began = recorded.began
        if recorded.wall is None:
            raise ValueError(f"{recorded.place}: the record does not know every tile")
        self.conductor.start = DealStart.of(began)
        await self._start()
        raised = await self.walls.raise_walls(began.dealer, recorded.wall)
        self.conductor.begin_deal(raised.dice)
        deal = recorded_deal(
            recorded.events, recorded.wall, self.conductor.play, self.conductor.options
        )
        opening = _opening(recorded.events)
        for _ in replayed(deal, recorded.events[1:opening]):
            pass
        await self._follow(deal, raised, recorded.events[opening:])
        return deal

    async def _follow(self, deal: Deal, raised: RaisedWalls, moves: Sequence[GameEvent]) -> None:
        players = self._players(deal, raised)
        await players.look()
        await players.perform(replayed(deal, moves))
        await self._end(players)

    def _players(self, deal: Deal, raised: RaisedWalls) -> Players:
        return Players(
            deal,
            raised.places,
            self.conductor,
            self.eyes,
            self.untidy,
            press=self.press or self._press,
            pause=self.pause,
            taken=self.walls.take,
        )

    async def _press(self, seat: Seat, key: Key) -> None:
        self.conductor.press(seat, key)

    async def _end(self, players: Players) -> None:
        self.looks += players.looks
        await self.walls.clear()

    async def _start(self) -> DealStart:
        if self.conductor.start is None:
            raise ValueError("the match is over")
        drift = await self.eyes.camera_drift()
        if drift is not None and not drift.is_small:
            raise CameraMovedError(drift)
        return self.conductor.start


def _opening(events: Sequence[GameEvent]) -> int:
    """How many events come before the first move: the beginning, hands, the first indicator."""
    kinds = {"deal_began", "dice_rolled", "hand_dealt", "indicator_shown"}
    return next((i for i, event in enumerate(events) if event.kind not in kinds), len(events))
