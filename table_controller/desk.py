"""Between people and the conductor: keys, lamps, answers, and what the machine shows on screens."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Sequence
from dataclasses import replace

from firmware_bridge.bridge import LinkState
from firmware_bridge.clock import Timer
from firmware_bridge.errors import BridgeError
from firmware_bridge.gpio import (
    EmergencyStop,
    KeyPressed,
    KeyReleased,
    KeyStuck,
    Lamp,
    PanelEvent,
    Panels,
)
from firmware_bridge.health import Concern
from table_controller.conductor import Conductor, Key
from table_controller.machine import LINK_HINT, Machine, MachineView, NotNowError
from table_controller.rules.core.errors import RulesError
from table_controller.rules.core.seats import Seat, seats
from table_controller.rules.core.state import Awaiting
from table_controller.table import (
    DoubtAnswered,
    FaultNotice,
    HandChallenged,
    HistoryChanged,
    KeyPress,
    MachineStatus,
    Said,
    Table,
)

logger = logging.getLogger(__name__)


_LINKS = {LinkState.UP: "up", LinkState.NO_PORT: "down", LinkState.WRONG_BOARD: "down"}
REFUSED_S = 12.0  # as long as it takes to read two sentences in a second language


class Desk:
    """Takes what people say from the table's inbox, one after the other, and acts on it."""

    def __init__(self, table: Table, conductor: Conductor, machine: Machine) -> None:
        self._table = table
        self._conductor = conductor
        self._machine = machine
        self._camera = "up"
        self._refused: FaultNotice | None = None
        self._refused_until: Timer | None = None
        machine.deal_is_on = lambda: conductor.is_playing
        machine.watch(self._show)
        self._show(machine.view)

    async def run(self) -> None:
        """Act on keys and answers until cancelled."""
        async with asyncio.TaskGroup() as lifts:
            while True:
                said = await self._table.inbox.get()
                if isinstance(said, KeyPress) and said.key is Key.LIFT:
                    lifts.create_task(self._lift(said.seat))  # takes seconds; others go on
                else:
                    self._take(said)

    def _take(self, said: Said) -> None:
        try:
            match said:
                case KeyPress(seat=seat, key=key):
                    self._conductor.press(seat, key)
                case DoubtAnswered(doubt=doubt, tile=tile):
                    logger.info("doubt %d was answered: %s", doubt.number, tile)
                case HandChallenged(seat=seat, challenged=challenged):
                    self._conductor.challenge(seat, challenged)
                case HistoryChanged():
                    self._follow_history()
        except RulesError:
            logger.exception("nothing could be made of %s", said)
        finally:
            self._table.inbox.task_done()

    def _follow_history(self) -> None:
        """What follows the last deal is worked out anew from the edited game."""
        conductor = self._conductor
        conductor.start = conductor.play.first_deal(conductor.options)
        conductor.resume([record.event for record in self._table.records])

    async def press(self, seat: Seat, key: Key) -> None:
        """Press a key of the screen and wait until it was acted on."""
        self._table.press(seat, key)
        await self._table.inbox.join()

    def camera(self, state: str) -> None:
        """Show how the camera is: starting, up, dark, covered, moved, down."""
        if state in ("up", "moved"):
            self._machine.dismiss("L06")
        elif state != "starting" and self._camera != state:
            self._machine.raise_fault("L06")
        self._camera = state
        self._show(self._machine.view)

    def pictures(self, problems: Sequence[str]) -> None:
        """Show what is wrong with the camera's pictures; nothing, when they are well."""
        if problems:
            dark = any(problem.startswith("dark") for problem in problems)
            self.camera("dark" if dark else "covered")
        elif self._camera != "moved":
            self.camera("up")

    def moved(self, is_off: bool) -> None:
        """The camera hangs where it was calibrated, or does not any more."""
        self.camera("moved" if is_off else "up")

    def seen(self, concerns: Iterable[Concern]) -> None:
        """The camera saw something on the fresh table."""
        for concern in concerns:
            self._machine.raise_fault(concern.code, side=concern.side)

    @property
    def _sides(self) -> tuple[int, ...]:
        return self._conductor.geometry.seats

    def side_of(self, seat: Seat) -> int:
        """The side of the table, and so the panel, at which the seat sits."""
        return self._sides[seat]

    def heard(self, event: PanelEvent) -> None:
        """Something happened at a seat panel."""
        match event:
            case KeyPressed(seat=side, key=key) if side in self._sides:
                self._table.press(Seat(self._sides.index(side)), Key(key))
            case KeyPressed(seat=seat, key="lift"):
                self._table.press(Seat.A, Key.LIFT)  # nobody sits there: the key still lifts
            case KeyStuck(seat=seat):
                self._machine.key_stuck(seat)
            case KeyReleased(seat=seat):
                self._machine.key_freed(seat)
            case EmergencyStop(stopped=True):
                self._machine.stop()
            case _:
                pass

    async def light(self, panels: Panels) -> None:
        """Keep the lamps in step with the game until cancelled."""
        asking = self._asking()
        with self._table.subscribe() as updates:
            self._light(panels)
            async for _ in updates:
                self._light(panels)
                before, asking = asking, self._asking()
                if asking - before:
                    panels.beep()

    def _asking(self) -> set[object]:
        """What a person should come for: faults, questions, calls for the staff."""
        doubts = {record.number for record in self._table.doubts}
        return {*self._table.faults, *doubts, *(f"seat {seat}" for seat in self._table.calling)}

    def _light(self, panels: Panels) -> None:
        state = self._table.state
        for seat in seats(self._table.players):
            playing = state is not None and state.awaiting is not Awaiting.OVER
            on_turn = playing and state is not None and state.turn is seat
            deals = state is not None and state.dealer is seat
            panels.light(self.side_of(seat), Lamp.TURN, on=on_turn)
            panels.light(self.side_of(seat), Lamp.DEALER, on=deals)

    async def _lift(self, seat: Seat) -> None:
        self._refuse(None)
        try:
            if self._table.paused is not None:
                raise NotNowError("The staff holds the table.", "It goes on when they say so.")
            await self._machine.press_lift(seat)
        except NotNowError as error:
            logger.warning("the lift key of seat %d does nothing: %s", seat, error)
            if not error.code:  # else the fault itself is on the screen
                self._refuse(FaultNotice("lift", error.why, error.hint, self.side_of(seat)))
        except BridgeError as error:  # a fault of the catalogue, or the link: both are shown
            logger.warning("the lift key of seat %d did not do its work: %s", seat, error)
        finally:
            self._table.inbox.task_done()

    def _refuse(self, notice: FaultNotice | None) -> None:
        """Show for a while why a key does nothing."""
        if self._refused_until is not None:
            self._refused_until.cancel()
            self._refused_until = None
        if notice is not None:
            self._refused_until = self._machine.clock.call_later(
                REFUSED_S, lambda: self._refuse(None)
            )
        if notice != self._refused:
            self._refused = notice
            self._show(self._machine.view)

    def _show(self, view: MachineView) -> None:
        status = status_of(view)
        self._table.machine = replace(status, camera=self._camera, refused=self._refused)


def status_of(view: MachineView) -> MachineStatus:
    """The machine's view as the screens know it."""
    faults = tuple(
        FaultNotice(active.fault.code, active.fault.cause, active.fault.hint, active.side)
        for active in view.faults
    )
    if view.problem and view.link is not LinkState.UP:
        faults = (*faults, FaultNotice("LINK", view.problem, LINK_HINT))
    return MachineStatus(
        phase=view.phase,
        progress=view.progress,
        seconds_left=view.seconds_left,
        link=_LINKS.get(view.link, "connecting"),
        faults=faults,
        halted=FaultNotice("halted", view.halted.why, view.halted.hint) if view.halted else None,
    )
