"""One table: its game in the log, the state folded from it, and everybody who watches.

`append` is the only way anything comes to be true: the event is checked against the state, written,
folded, and told to every subscriber. A disk that fails stops no game: that is a fault on the
screen, and what it did not take is written as soon as it can be. What the machine does besides
(phases, faults, the link) is told the same way but never logged: it is measured again, not
remembered.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from firmware_bridge.faults import BY_CODE
from table_controller.conductor import Key
from table_controller.option_text import changed_options
from table_controller.rejudge import rejudge
from table_controller.rules.core.errors import ImpossibleEventError
from table_controller.rules.core.events import (
    Announced,
    Corrected,
    DealBegan,
    Discarded,
    Doubted,
    GameBegan,
    GameEnded,
    GameEvent,
    HandShown,
    IndicatorShown,
    Penalised,
    Voided,
)
from table_controller.rules.core.ruleset import Ruleset
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.settlement import Payment
from table_controller.rules.core.state import Awaiting, DealState, apply, fold
from table_controller.rules.core.tiles import Tile
from table_controller.store import Recorded, Store, StoreUnusableError, effective

logger = logging.getLogger(__name__)

UNTOLD = "none"  # in place of the tile, when a question was closed that nobody could answer
WAITING_UPDATES = 256  # a screen that falls further behind is given the whole state again


class CorrectionError(ValueError):
    """A void or correction that cannot stand: says which event would then be impossible."""


@dataclass(frozen=True, slots=True)
class KeyPress:
    """A seat pressed a key."""

    seat: Seat
    key: Key
    at: float


@dataclass(frozen=True, slots=True)
class DoubtAnswered:
    """A person answered a doubt: which one, and with which tile; None: none of the candidates."""

    doubt: Recorded
    tile: Tile | None


@dataclass(frozen=True, slots=True)
class HistoryChanged:
    """The staff voided or corrected something, or began another game: what was remembered of the
    game is out of date."""


@dataclass(frozen=True, slots=True)
class HandChallenged:
    """A player calls another hand dead."""

    seat: Seat
    challenged: Seat


Said = KeyPress | DoubtAnswered | HistoryChanged | HandChallenged
"""What people tell the conductor."""


@dataclass(frozen=True, slots=True)
class FaultNotice:
    """A fault that a person must know of; text and hint are message ids of the catalogues."""

    code: str
    text: str
    hint: str
    side: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineStatus:
    """What the machine is doing, as the screens show it."""

    phase: str = "idle"
    progress: float | None = None  # 0..1; None: nothing is under way
    seconds_left: float | None = None
    link: str = "up"  # up, connecting, down
    camera: str = "up"  # starting, up, dark, covered, moved, down
    faults: tuple[FaultNotice, ...] = ()
    halted: FaultNotice | None = None  # why a build waits, and what to do
    refused: FaultNotice | None = None  # a key that did nothing: which, why, what to do next


@dataclass(frozen=True, slots=True)
class EventUpdate:
    """An event was written; ``told_at`` is when, by the clock that measures delays."""

    recorded: Recorded
    told_at: float = 0.0


@dataclass(frozen=True, slots=True)
class StatusUpdate:
    """The machine's status, the pause, or who calls for the staff changed."""


@dataclass(frozen=True, slots=True)
class Behind:
    """Updates were dropped, or another game began: look at the whole state again."""


Update = EventUpdate | StatusUpdate | Behind


@dataclass(frozen=True, slots=True)
class Folded:
    """What a log means, up to its last event."""

    records: tuple[Recorded, ...]  # the effective ones of the game
    state: DealState | None
    deal_from: int  # place in ``records`` where the last deal began

    @property
    def history(self) -> tuple[GameEvent, ...]:
        """The effective events of the last deal, from the beginning of the deal on."""
        if self.state is None:
            return ()
        return tuple(record.event for record in self.records[self.deal_from :])

    def then(self, record: Recorded, players: int) -> Folded:
        """After one more ordinary event; raises ImpossibleEventError."""
        records = (*self.records, record)
        if isinstance(record.event, DealBegan):
            return Folded(records, fold((record.event,), players), len(self.records))
        if self.state is None:
            return replace(self, records=records)
        return replace(self, records=records, state=apply(self.state, record.event))


def fold_records(records: Iterable[Recorded], players: int) -> Folded:
    """What these records mean; raises ImpossibleEventError naming the number of the event."""
    folded = Folded((), None, 0)
    kept: list[Recorded] = []
    state: DealState | None = None
    begins = 0
    for record in effective(records):
        try:
            if isinstance(record.event, DealBegan):
                begins, state = len(kept), fold((record.event,), players)
            elif state is not None:
                state = apply(state, record.event)
        except ImpossibleEventError as error:
            raise ImpossibleEventError(
                f"event {record.number} ({record.event.kind}): {error}"
            ) from error
        kept.append(record)
    return replace(folded, records=tuple(kept), state=state, deal_from=begins)


class Subscription:
    """Updates for one watcher, who is told once that it fell behind when it did."""

    def __init__(self, watchers: set[asyncio.Queue[Update]]) -> None:
        self._watchers = watchers
        self._waiting: asyncio.Queue[Update] = asyncio.Queue(WAITING_UPDATES)
        watchers.add(self._waiting)

    def __enter__(self) -> Subscription:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop watching."""
        self._watchers.discard(self._waiting)

    def __aiter__(self) -> AsyncIterator[Update]:
        return self

    async def __anext__(self) -> Update:
        return await self._waiting.get()


@dataclass(eq=False)
class Table:
    """A table in play. Make one with `Table.open`; use it from one event loop."""

    store: Store
    ruleset: Ruleset[Any]
    options: Any
    game: int
    clock: Callable[[], float]
    resumed: bool = False
    stopwatch: Callable[[], float] = time.perf_counter  # measures delays, in simulation too
    inbox: asyncio.Queue[Said] = field(default_factory=asyncio.Queue)
    _log: list[Recorded] = field(default_factory=list)
    _unwritten: list[Recorded] = field(default_factory=list)
    _log_problem: str | None = None
    _folded: Folded = field(default_factory=lambda: Folded((), None, 0))
    _machine: MachineStatus = field(default_factory=MachineStatus)
    _running: asyncio.Event = field(default_factory=asyncio.Event)
    _pause_reason: str = ""
    _calling: frozenset[Seat] = frozenset()
    _watchers: set[asyncio.Queue[Update]] = field(default_factory=set)

    @classmethod
    def open(
        cls,
        store: Store,
        ruleset: Ruleset[Any],
        options: Any = None,
        *,
        preset: str | None = None,
        names: Sequence[str] = (),
        clock: Callable[[], float] = time.time,
    ) -> Table:
        """Go on with the last game where it is unfinished and by the same rules, or begin one."""
        chosen = ruleset.choose(preset) if options is None else options
        began = GameBegan(
            ruleset=ruleset.name,
            preset=preset,
            options=changed_options(ruleset, preset, chosen),
            names=tuple(names),
        )
        table = cls(store, ruleset, chosen, 0, clock)
        table._running.set()
        if not table._resume(began):
            table._begin(began)
        return table

    def _resume(self, began: GameBegan) -> bool:
        games = self.store.games()
        if not games:
            return False
        log = self.store.events(games[-1].game)
        meant = effective(log)
        before = meant[0].event if meant else None
        if not isinstance(before, GameBegan) or _over(meant):
            return False
        if replace(before, names=()) != replace(began, names=()):
            logger.warning(
                "game %s was left unfinished: it is played by %s, the table now plays %s",
                games[-1].game, before.ruleset, began.ruleset,
            )  # fmt: skip
            return False
        folded = fold_records(log, self.players)
        self.game, self._log, self._folded, self.resumed = games[-1].game, log, folded, True
        logger.info("game %s goes on after event %s", self.game, log[-1].number)
        return True

    def _begin(self, began: GameBegan) -> None:
        self.game = self.store.new_game()
        self._log, self._folded, self.resumed = [], Folded((), None, 0), False
        self.append(began)

    def new_game(self, names: Sequence[str] | None = None) -> None:
        """Begin another game by the same rules, whether the last one was finished or not."""
        began = self.began
        self._begin(began if names is None else replace(began, names=tuple(names)))
        self.inbox.put_nowait(HistoryChanged())
        self._tell(Behind())

    # --- what is true ------------------------------------------------------------------------

    @property
    def players(self) -> int:
        """How many play."""
        return self.ruleset.players_with(self.options)

    @property
    def began(self) -> GameBegan:
        """How the game began."""
        first = self._folded.records[0].event
        assert isinstance(first, GameBegan)
        return first

    @property
    def log(self) -> Sequence[Recorded]:
        """Every event of the game as written, voids and corrections among them."""
        return self._log

    @property
    def records(self) -> tuple[Recorded, ...]:
        """The game's events after voids and corrections."""
        return self._folded.records

    @property
    def state(self) -> DealState | None:
        """The deal in play, or the last one; None before the first."""
        return self._folded.state

    @property
    def history(self) -> tuple[GameEvent, ...]:
        """The effective events of that deal, its beginning first."""
        return self._folded.history

    @property
    def records_of_deal(self) -> tuple[Recorded, ...]:
        """The same, with their numbers in the log."""
        return self._folded.records[self._folded.deal_from :] if self.state is not None else ()

    @property
    def points(self) -> tuple[int, ...]:
        """The seats' points now."""
        if self.state is not None:
            return self.state.points
        if self.ruleset.play is None:
            return (0,) * self.players
        return self.ruleset.play.first_deal(self.options).points

    @property
    def seating(self) -> tuple[int, ...]:
        """Which player, numbered by first seat, sits at each seat now."""
        began = self.records_of_deal[0].event if self.state is not None else None
        if isinstance(began, DealBegan) and began.seating:
            return began.seating
        return tuple(range(self.players))

    @property
    def names(self) -> tuple[str, ...]:
        """Who sits at each seat now; empty where nobody gave a name."""
        names = self.began.names
        return tuple(names[p] if p < len(names) else "" for p in self.seating) if names else ()

    @property
    def is_over(self) -> bool:
        """The game has ended."""
        return _over(self._folded.records)

    @property
    def doubts(self) -> tuple[Recorded, ...]:
        """The questions of this deal that nobody has answered yet."""
        return tuple(r for r in self.records_of_deal if isinstance(r.event, Doubted))

    @property
    def untold(self) -> tuple[Doubted, ...]:
        """The questions of this deal about a tile that were closed and nobody could answer."""
        deal = self.records_of_deal
        since = self._log[deal[0].number :] if deal else []
        closed = {
            record.event.index
            for record in since
            if isinstance(record.event, Voided) and record.event.reason.endswith(f" {UNTOLD}")
        }
        return tuple(
            record.event
            for record in since
            if isinstance(record.event, Doubted)
            and record.event.candidates
            and record.number in closed
        )

    # --- what happens ------------------------------------------------------------------------

    def append(self, event: GameEvent) -> Recorded:
        """Write one event and tell everybody; raises ImpossibleEventError before writing it."""
        if isinstance(event, Voided | Corrected):
            return self._append_all((event,))[-1]
        recorded = Recorded(len(self._log), self.clock(), event)
        folded = self._folded.then(recorded, self.players)
        self._keep([recorded], folded)
        return recorded

    def _append_all(self, events: Sequence[GameEvent]) -> list[Recorded]:
        """Write events that change what came before, all or none, and fold the game anew."""
        at = self.clock()
        records = [Recorded(len(self._log) + i, at, event) for i, event in enumerate(events)]
        self._keep(records, fold_records([*self._log, *records], self.players))
        return records

    def _keep(self, records: list[Recorded], folded: Folded) -> None:
        """Write, remember and tell. What the disk does not take is written with the next event."""
        self._unwritten.extend(records)
        problem = None
        try:
            self.store.write(self.game, self._unwritten)
        except StoreUnusableError as error:
            problem = str(error)
            if self._log_problem is None:
                logger.error("the game goes on without its log: %s", problem)
        else:
            self._unwritten.clear()
        has_changed = (problem is None) != (self._log_problem is None)
        self._log_problem = problem
        self._log.extend(records)
        self._folded = folded
        for recorded in records:
            logger.info("event %s: %s", recorded.number, recorded.event)
            self._tell(EventUpdate(recorded, self.stopwatch()))
        if has_changed:
            self._tell(StatusUpdate())

    @property
    def faults(self) -> tuple[FaultNotice, ...]:
        """What a person must know of: the machine's faults, and a log that cannot be written."""
        if self._log_problem is None:
            return self.machine.faults
        fault = BY_CODE["L05"]
        return (*self.machine.faults, FaultNotice(fault.code, fault.cause, fault.hint))

    # --- what the staff does -----------------------------------------------------------------

    def void(self, number: int, reason: str, *, and_after: bool = False) -> list[Recorded]:
        """Take back an event, with everything after it in its deal if so asked.

        Verdicts and payments that rested on it are judged again. Raises CorrectionError.
        """
        self._known(number)
        numbers = [number]
        if and_after:
            numbers += [record.number for record in self._later_in_deal(number)]
        return self._change([Voided(index=each, reason=reason) for each in numbers], number)

    def correct(self, number: int, event: GameEvent, reason: str) -> list[Recorded]:
        """Put another event in the place of one that was wrong; what follows is judged again.

        Raises CorrectionError.
        """
        self._known(number)
        if isinstance(event, Voided | Corrected | GameBegan):
            raise CorrectionError(f"a {event.kind} cannot stand in for event {number}")
        return self._change([Corrected(index=number, event=event, reason=reason)], number)

    def penalise(
        self,
        seat: Seat,
        code: str,
        payments: Sequence[Payment] = (),
        *,
        dead_hand: bool = False,
        text: str = "",
    ) -> Recorded:
        """A seat pays for a breach, or is barred from winning this deal."""
        if self.state is None:
            raise CorrectionError("nobody can be penalised before the first deal")
        return self.append(
            Penalised(
                seat=seat, code=code, payments=tuple(payments), dead_hand=dead_hand, text=text
            )
        )

    def challenge(self, seat: Seat, challenged: Seat) -> None:
        """A player calls another hand dead; the conductor says who was right."""
        conduct, state = self.ruleset.conduct, self.state
        if conduct is None or conduct.challenge is None:
            raise CorrectionError("in this game no hand is challenged")
        if state is None or state.awaiting in (Awaiting.VERDICT, Awaiting.OVER):
            raise CorrectionError("a hand is challenged while a deal is played")
        if seat is challenged or state.seats[seat].dead_hand or state.seats[challenged].dead_hand:
            raise CorrectionError("two players with live hands: one who challenges, another hand")
        self.inbox.put_nowait(HandChallenged(seat, challenged))

    def announce(self, seat: Seat, what: str) -> Recorded:
        """A player said aloud what counts only when it is said."""
        play, state = self.ruleset.play, self.state
        known = () if play is None else play.announcements(self.options)
        if what not in known:
            raise CorrectionError(f"by these rules nobody announces {what!r}")
        if state is None or state.awaiting is Awaiting.OVER:
            raise CorrectionError("it counts only before the hand is judged")
        return self.append(Announced(seat=seat, what=what))

    def answer(self, number: int, tile: Tile | None, *, by: str = "a person") -> None:
        """Answer an open doubt with the tile it is, or with None: nobody can tell.

        A reading that was taken for another tile is corrected, the question is closed, and the
        inbox tells the conductor.
        """
        doubt = next((each for each in self.doubts if each.number == number), None)
        if doubt is None or not isinstance(doubt.event, Doubted):
            raise CorrectionError(f"event {number} is not an open question")
        read = self._read_in_doubt(doubt.event)
        if tile is not None and read is not None:
            reread = _reread(read.event, doubt.event, tile)
            if reread != read.event:
                self.correct(read.number, reread, f"{by} read it")
        self.append(Voided(index=number, reason=f"{by} answered {tile or UNTOLD}"))
        self.inbox.put_nowait(DoubtAnswered(doubt, tile))

    def settle(self, doubt: Doubted, tile: Tile | None = None) -> None:
        """A later look answered a question of this deal: with this tile, or with nothing."""
        for record in self.doubts:
            if record.event != doubt:
                continue
            try:
                self.answer(record.number, tile, by="a later look")
            except CorrectionError:
                logger.exception("a later look does not answer question %d", record.number)

    def take_back(self, events: Sequence[GameEvent], reason: str) -> None:
        """These events of this deal do not count, the last of those that happened twice."""
        latest = self.records_of_deal[::-1]
        found = [next(each.number for each in latest if each.event == event) for event in events]
        self._append_all([Voided(index=number, reason=reason) for number in found])

    def _read_in_doubt(self, doubt: Doubted) -> Recorded | None:
        """The event of this deal that holds the tile the question is about."""
        deal = self.records_of_deal
        if doubt.seat is not None and doubt.place is not None:
            discards = [
                record
                for record in deal
                if isinstance(record.event, Discarded) and record.event.seat is doubt.seat
            ]
            if doubt.place <= len(discards):
                return discards[doubt.place - 1]
            return None
        for record in reversed(deal):
            match record.event:
                case HandShown(seat=seat, tiles=tiles) if seat is doubt.seat:
                    return record if set(doubt.candidates[:1]) & set(tiles) else None
                case IndicatorShown(tile=tile) if doubt.seat is None:
                    return record if tile in doubt.candidates[:1] else None
        return None

    def press(self, seat: Seat, key: Key) -> None:
        """A key was pressed at a seat, on its panel or by the staff for it.

        The staff key calls the staff, and takes the call back when pressed again.
        """
        if seat >= self.players:
            raise CorrectionError(f"nobody sits at seat {int(seat)}")
        if key is Key.STAFF:
            self._calling ^= {seat}
            self._tell(StatusUpdate())
        self.inbox.put_nowait(KeyPress(seat, key, self.clock()))

    def pause(self, reason: str = "") -> None:
        """Hold the table: nothing moves and nothing is read until `resume`."""
        self._running.clear()
        self._pause_reason = reason
        self._tell(StatusUpdate())

    def resume(self) -> None:
        """Go on after a pause."""
        self._running.set()
        self._pause_reason = ""
        self._tell(StatusUpdate())

    @property
    def paused(self) -> str | None:
        """Why the table is held; None while it runs."""
        return None if self._running.is_set() else self._pause_reason

    @property
    def calling(self) -> frozenset[Seat]:
        """The seats that call for the staff."""
        return self._calling

    def attend(self, seat: Seat) -> None:
        """The staff is with the seat that called."""
        self._calling -= {seat}
        self._tell(StatusUpdate())

    async def until_running(self) -> None:
        """Wait while the table is paused."""
        await self._running.wait()

    def _known(self, number: int) -> Recorded:
        for record in self._folded.records:
            if record.number == number and not isinstance(record.event, GameBegan):
                return record
        raise CorrectionError(
            f"event {number} cannot be changed: it is the game's first, was voided, or is none"
        )

    def _later_in_deal(self, number: int) -> list[Recorded]:
        later = [record for record in self._folded.records if record.number > number]
        end = next((i for i, r in enumerate(later) if isinstance(r.event, DealBegan)), len(later))
        return later[:end]

    def _change(self, changes: list[GameEvent], number: int) -> list[Recorded]:
        play = self.ruleset.play
        try:
            if play is not None:
                changes += rejudge(
                    self._log,
                    changes,
                    number,
                    play,
                    self.options,
                    at=self.clock(),
                    conduct=self.ruleset.conduct,
                )
            written = self._append_all(changes)
        except ImpossibleEventError as error:
            raise CorrectionError(f"then the log would not add up: {error}") from error
        self.inbox.put_nowait(HistoryChanged())
        return written

    # --- who watches -------------------------------------------------------------------------

    @property
    def machine(self) -> MachineStatus:
        """What the machine is doing."""
        return self._machine

    @machine.setter
    def machine(self, status: MachineStatus) -> None:
        if status != self._machine:
            self._machine = status
            self._tell(StatusUpdate())

    def subscribe(self) -> Subscription:
        """Every update from now on: ``with table.subscribe() as updates: async for ...``."""
        return Subscription(self._watchers)

    @property
    def watchers(self) -> int:
        """How many screens and clients are watching."""
        return len(self._watchers)

    def _tell(self, update: Update) -> None:
        for waiting in self._watchers:
            if waiting.full():
                while not waiting.empty():
                    waiting.get_nowait()
                waiting.put_nowait(Behind())
            else:
                waiting.put_nowait(update)


def _reread(event: GameEvent, doubt: Doubted, tile: Tile) -> GameEvent:
    """The event with the doubtful tile read as ``tile``."""
    match event:
        case Discarded() | IndicatorShown():
            return replace(event, tile=tile)
        case HandShown(tiles=tiles):
            tiles_now = list(tiles)
            tiles_now[tiles_now.index(doubt.candidates[0])] = tile
            return replace(event, tiles=tuple(tiles_now))
        case _:
            raise CorrectionError(f"a {event.kind} holds no tile that can be read otherwise")


def _over(records: Sequence[Recorded]) -> bool:
    return bool(records) and isinstance(records[-1].event, GameEnded)
