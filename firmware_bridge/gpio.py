"""Seat keys, lamps, buzzer and the e-stop's status contact, on the Pi's own pins.

gpiozero reads the pins; what an edge means is decided here, on the event loop: a level counts
after it has been stable for 20 ms, a key that stays down for 10 s is stuck and ignored until it is
let go. The e-stop's stop edge is not debounced, only its recovery. A cut wire reads as "stop".
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from enum import StrEnum
from types import TracebackType
from typing import Any, Self

from gpiozero import DigitalInputDevice, DigitalOutputDevice
from gpiozero.exc import GPIOZeroError
from gpiozero.pins.mock import MockFactory

from firmware_bridge.clock import Clock, LoopClock, Timer
from firmware_bridge.errors import SettingsError

logger = logging.getLogger(__name__)

STABLE_S = 0.020
STUCK_S = 10.0
RESERVED = {
    0: "the HAT's identification EEPROM",
    1: "the HAT's identification EEPROM",
    14: "the serial console",
    15: "the serial console",
}


class PanelKey(StrEnum):
    """The keys of a seat panel."""

    READY = "ready"
    WIN = "win"
    CALL = "call"
    DRAW_END = "draw_end"
    STAFF = "staff"
    LIFT = "lift"


class Lamp(StrEnum):
    """The lamps of a seat panel."""

    TURN = "lamp"
    DEALER = "dealer_lamp"


@dataclass(frozen=True, slots=True)
class SeatPins:
    """The GPIO numbers of one seat; None: not fitted."""

    ready: int | None = None
    win: int | None = None
    call: int | None = None
    draw_end: int | None = None
    staff: int | None = None
    lift: int | None = None
    lamp: int | None = None
    dealer_lamp: int | None = None


@dataclass(frozen=True, slots=True)
class PanelPins:
    """Every GPIO number of the table."""

    seats: tuple[SeatPins, SeatPins, SeatPins, SeatPins] = (
        SeatPins(),
        SeatPins(),
        SeatPins(),
        SeatPins(),
    )
    emergency_stop: int | None = None
    buzzer: int | None = None

    def used(self) -> Iterator[tuple[str, int]]:
        """Each pin with the name of what is connected to it."""
        for seat, pins in enumerate(self.seats):
            for part in fields(pins):
                pin = getattr(pins, part.name)
                if pin is not None:
                    yield f"seat {seat + 1} {part.name}", pin
        if self.emergency_stop is not None:
            yield "emergency_stop", self.emergency_stop
        if self.buzzer is not None:
            yield "buzzer", self.buzzer

    def check(self) -> None:
        """SettingsError when a pin is used twice, is the system's, or does not exist."""
        owner: dict[int, str] = {}
        for name, pin in self.used():
            if not 0 <= pin <= 27:
                raise SettingsError(f"{name}: GPIO {pin} does not exist; the header has 0 to 27")
            if pin in RESERVED:
                raise SettingsError(f"{name}: GPIO {pin} belongs to {RESERVED[pin]}; use another")
            if pin in owner:
                raise SettingsError(f"{name}: GPIO {pin} is already used by {owner[pin]}")
            owner[pin] = name


DEFAULT_PINS = PanelPins(
    seats=(
        SeatPins(lift=4, win=5, ready=6),
        SeatPins(lift=7, win=8, ready=9),
        SeatPins(lift=10, win=11, ready=12),
        SeatPins(lift=13, win=16, ready=17),
    ),
    emergency_stop=22,
    buzzer=23,
)
"""A full set of keys takes 27 pins; with fewer, the screen has the others."""


@dataclass(frozen=True, slots=True)
class KeyPressed:
    """A key went down and stayed so."""

    seat: int
    key: PanelKey
    at_s: float


@dataclass(frozen=True, slots=True)
class KeyReleased:
    """A key came up again."""

    seat: int
    key: PanelKey
    at_s: float


@dataclass(frozen=True, slots=True)
class KeyStuck:
    """A key is down for too long (K01): it is ignored until it comes up."""

    seat: int
    key: PanelKey
    at_s: float


@dataclass(frozen=True, slots=True)
class EmergencyStop:
    """The e-stop loop opened (`stopped`) or was closed again."""

    stopped: bool
    at_s: float


PanelEvent = KeyPressed | KeyReleased | KeyStuck | EmergencyStop


class Contact:
    """One switch: raw edges in, settled levels out."""

    def __init__(
        self,
        clock: Clock,
        settled: Callable[[bool], None],
        stuck: Callable[[], None] | None = None,
        *,
        closed: bool = False,
        stable_s: float = STABLE_S,
        stuck_s: float = STUCK_S,
        open_at_once: bool = False,
    ) -> None:
        self._clock = clock
        self._settled = settled
        self._stuck = stuck
        self._stable_s = stable_s
        self._stuck_s = stuck_s
        self._open_at_once = open_at_once
        self._raw = closed
        self.closed = closed
        self.is_stuck = False
        self.bounces = 0
        self._timer: Timer | None = None
        self._stuck_timer: Timer | None = None
        if closed and stuck is not None:
            self._watch_stuck()

    def edge(self, closed: bool) -> None:
        """The pin changed."""
        self._raw = closed
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
            self.bounces += 1
        if closed == self.closed:
            return
        if not closed and self._open_at_once:
            self._settle()
        else:
            self._timer = self._clock.call_later(self._stable_s, self._settle)

    def _settle(self) -> None:
        self._timer = None
        if self._raw == self.closed:
            return
        self.closed = self._raw
        if self._stuck_timer is not None:
            self._stuck_timer.cancel()
            self._stuck_timer = None
        was_stuck, self.is_stuck = self.is_stuck, False
        if self.closed and self._stuck is not None:
            self._watch_stuck()
        if not was_stuck or self.closed:
            self._settled(self.closed)

    def _watch_stuck(self) -> None:
        self._stuck_timer = self._clock.call_later(self._stuck_s, self._stays_closed)

    def _stays_closed(self) -> None:
        self._stuck_timer = None
        self.is_stuck = True
        if self._stuck is not None:
            self._stuck()

    def close(self) -> None:
        """Forget all timers."""
        for timer in (self._timer, self._stuck_timer):
            if timer is not None:
                timer.cancel()
        self._timer = self._stuck_timer = None


def real_factory() -> Any:
    """The pins of a Raspberry Pi, through lgpio and nothing else.

    Left to itself gpiozero falls back to libraries that die on a Pi 5.
    """
    try:
        from gpiozero.pins.lgpio import LGPIOFactory

        return LGPIOFactory()
    except Exception as error:
        raise SettingsError(
            f"the GPIO pins cannot be used: {error}; install python3-lgpio, add the user to group"
            " gpio, and start in a writable directory"
        ) from error


class Panels:
    """All panels of one table; `async with` opens the pins."""

    def __init__(
        self,
        pins: PanelPins,
        heard: Callable[[PanelEvent], None],
        *,
        factory: Any = None,
        clock: Clock | None = None,
        stable_s: float = STABLE_S,
    ) -> None:
        pins.check()
        self.pins = pins
        self.factory = factory if factory is not None else MockFactory()
        self._heard = heard
        self._clock: Clock = clock or LoopClock()
        self._stable_s = stable_s
        self._contacts: dict[tuple[int, PanelKey], Contact] = {}
        self._stop_contact: Contact | None = None
        self._inputs: list[Any] = []
        self._lamps: dict[tuple[int, Lamp], Any] = {}
        self._buzzer: Any = None
        self._buzzer_timer: Timer | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def __aenter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        try:
            self._open()
        except GPIOZeroError as error:
            self._close()
            raise SettingsError(f"a GPIO pin cannot be used: {error}") from error
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._close()

    # ---- what is shown

    def light(self, seat: int, lamp: Lamp, *, on: bool) -> None:
        """Switch a lamp; where none is fitted nothing happens."""
        device = self._lamps.get((seat, lamp))
        if device is not None:
            device.value = int(on)

    def beep(self, length_s: float = 0.2) -> None:
        """Sound the buzzer once."""
        if self._buzzer is None:
            return
        if self._buzzer_timer is not None:
            self._buzzer_timer.cancel()
        self._buzzer.on()
        self._buzzer_timer = self._clock.call_later(length_s, self._quiet)

    def _quiet(self) -> None:
        self._buzzer_timer = None
        if self._buzzer is not None:
            self._buzzer.off()

    # ---- pins

    def _open(self) -> None:
        for seat, pins in enumerate(self.pins.seats):
            for key in PanelKey:
                pin = getattr(pins, key.value)
                if pin is not None:
                    self._open_key(seat, key, pin)
            for lamp in Lamp:
                pin = getattr(pins, lamp.value)
                if pin is not None:
                    self._lamps[seat, lamp] = DigitalOutputDevice(pin, pin_factory=self.factory)
        if self.pins.buzzer is not None:
            self._buzzer = DigitalOutputDevice(self.pins.buzzer, pin_factory=self.factory)
        if self.pins.emergency_stop is not None:
            self._open_stop(self.pins.emergency_stop)

    def _open_key(self, seat: int, key: PanelKey, pin: int) -> None:
        def settled(closed: bool) -> None:
            event = KeyPressed if closed else KeyReleased
            self._heard(event(seat, key, self._clock.now()))

        def stuck() -> None:
            logger.warning("key %s of seat %d is stuck", key.value, seat + 1)
            self._heard(KeyStuck(seat, key, self._clock.now()))

        device = self._device(pin)
        contact = Contact(
            self._clock,
            settled,
            stuck,
            closed=bool(device.is_active),
            stable_s=self._stable_s,
        )
        self._contacts[seat, key] = contact
        self._follow(device, contact)

    def _open_stop(self, pin: int) -> None:
        def settled(closed: bool) -> None:
            self._heard(EmergencyStop(not closed, self._clock.now()))

        device = self._device(pin)
        self._stop_contact = Contact(
            self._clock,
            settled,
            closed=bool(device.is_active),
            stable_s=self._stable_s,
            open_at_once=True,
        )
        self._follow(device, self._stop_contact)
        if not self._stop_contact.closed:
            self._heard(EmergencyStop(True, self._clock.now()))

    def _device(self, pin: int) -> Any:
        # Switch to ground with pull-up: active means closed. gpiozero's bounce_time loses real
        # edges on hardware and does nothing on mock pins, so it is not used.
        device = DigitalInputDevice(pin, pull_up=True, pin_factory=self.factory)
        self._inputs.append(device)
        return device

    def _follow(self, device: Any, contact: Contact) -> None:
        """Edges come from another thread; they are dealt with on the event loop."""
        loop = self._loop
        assert loop is not None

        def tell(closed: bool) -> None:
            with contextlib.suppress(RuntimeError):  # the loop has closed
                loop.call_soon_threadsafe(contact.edge, closed)

        device.when_activated = lambda: tell(True)
        device.when_deactivated = lambda: tell(False)

    def _close(self) -> None:
        for contact in (*self._contacts.values(), self._stop_contact):
            if contact is not None:
                contact.close()
        if self._buzzer_timer is not None:
            self._buzzer_timer.cancel()
        devices = [*self._inputs, *self._lamps.values()]
        if self._buzzer is not None:
            devices.append(self._buzzer)
        for device in devices:
            device.close()
        self._inputs.clear()
        self._lamps.clear()
        self._buzzer = None
