"""Between people and the conductor: keys, answers, and what the machine shows on the screens."""

from __future__ import annotations

import logging

from firmware_bridge.bridge import LinkState
from firmware_bridge.errors import BridgeError
from table_controller.conductor import Conductor, Key
from table_controller.machine import Machine, MachineView
from table_controller.rules.core.seats import Seat
from table_controller.table import DoubtAnswered, FaultNotice, KeyPress, MachineStatus, Table

logger = logging.getLogger(__name__)

_LINKS = {LinkState.UP: "up", LinkState.NO_PORT: "down", LinkState.WRONG_BOARD: "down"}


class Desk:
    """Takes what people say from the table's inbox, one after the other, and acts on it."""

    def __init__(self, table: Table, conductor: Conductor, machine: Machine | None) -> None:
        self._table = table
        self._conductor = conductor
        self._machine = machine
        if machine is not None:
            machine.watch(self._show)
            self._show(machine.view)

    async def run(self) -> None:
        """Work until cancelled."""
        while True:
            said = await self._table.inbox.get()
            try:
                match said:
                    case KeyPress(seat=seat, key=Key.LIFT):
                        await self._lift(seat)
                    case KeyPress(seat=seat, key=key):
                        self._conductor.press(seat, key)
                    case DoubtAnswered():
                        logger.info("doubt %d was answered", said.doubt.number)
            finally:
                self._table.inbox.task_done()

    async def press(self, seat: Seat, key: Key) -> None:
        """Press a key and wait until it was acted on."""
        self._table.press(seat, key)
        await self._table.inbox.join()

    async def _lift(self, seat: Seat) -> None:
        if self._machine is None:
            return
        try:
            await self._machine.press_lift(seat)
        except BridgeError as error:
            logger.warning("the lift key of seat %d does nothing: %s", seat, error)

    def _show(self, view: MachineView) -> None:
        self._table.machine = status_of(view)


def status_of(view: MachineView) -> MachineStatus:
    """The machine's view as the screens know it."""
    link = _LINKS.get(view.link, "connecting")
    faults = tuple(
        FaultNotice(active.fault.code, active.fault.cause, active.fault.hint)
        for active in view.faults
    )
    if view.problem and view.link is not LinkState.UP:
        hint = "Check the cable and the board; nothing moves until it answers."
        faults = (*faults, FaultNotice("LINK", view.problem, hint))
    return MachineStatus(
        phase=view.phase,
        progress=view.progress,
        seconds_left=view.seconds_left,
        link=link,
        faults=faults,
    )
