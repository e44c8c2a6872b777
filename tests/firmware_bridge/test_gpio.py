"""Seat panels on gpiozero's mock pins."""

from __future__ import annotations

import random

import pytest
from gpiozero.pins.mock import MockFactory

from firmware_bridge.errors import SettingsError
from firmware_bridge.generate import PINS as PIN_DOCUMENT
from firmware_bridge.gpio import (
    DEFAULT_PINS,
    EmergencyStop,
    KeyPressed,
    KeyReleased,
    KeyStuck,
    Lamp,
    PanelEvent,
    PanelKey,
    PanelPins,
    Panels,
    SeatPins,
)
from table_controller.config import parse_config
from tests.firmware_bridge.manual_clock import ManualClock

PINS = PanelPins(
    seats=(
        SeatPins(lift=4, win=5, ready=6, lamp=24),
        SeatPins(lift=7, win=8, ready=9),
        SeatPins(lift=10),
        SeatPins(lift=13),
    ),
    emergency_stop=22,
    buzzer=23,
)


class Fingers:
    """Presses keys and the e-stop on gpiozero's mock pins."""

    def __init__(self, panels):
        self._panels = panels

    def press(self, seat, key):
        self._pin(seat, key).drive_low()

    def release(self, seat, key):
        self._pin(seat, key).drive_high()

    def emergency_stop(self, *, stopped):
        pin = self._panels.factory.pin(self._panels.pins.emergency_stop)
        if stopped:
            pin.drive_high()
        else:
            pin.drive_low()

    def _pin(self, seat, key):
        return self._panels.factory.pin(getattr(self._panels.pins.seats[seat], key.value))


@pytest.fixture
async def table():
    """Panels on mock pins, with the e-stop loop closed; (clock, fingers, events, panels)."""
    clock = ManualClock()
    events: list[PanelEvent] = []
    factory = MockFactory()
    factory.pin(22).drive_low()
    async with Panels(PINS, events.append, factory=factory, clock=clock) as panels:
        factory.pin(22).drive_low()
        await clock.advance(0.1)
        events.clear()
        yield clock, Fingers(panels), events, panels
    factory.close()
    assert clock.pending == 0


async def test_a_key_counts_after_twenty_milliseconds(table):
    clock, fingers, events, _ = table
    fingers.press(1, PanelKey.WIN)
    await clock.advance(0.015)
    assert events == []
    await clock.advance(0.010)
    assert [(e.seat, e.key) for e in events if isinstance(e, KeyPressed)] == [(1, PanelKey.WIN)]


async def test_bouncing_is_one_press_and_one_release(table):
    clock, fingers, events, _ = table
    chance = random.Random(3)
    for _ in range(9):
        fingers.press(0, PanelKey.READY)
        await clock.advance(chance.uniform(0.0005, 0.015))
        fingers.release(0, PanelKey.READY)
        await clock.advance(chance.uniform(0.0005, 0.015))
    fingers.press(0, PanelKey.READY)
    await clock.advance(0.5)
    for _ in range(5):
        fingers.release(0, PanelKey.READY)
        await clock.advance(0.004)
        fingers.press(0, PanelKey.READY)
        await clock.advance(0.004)
    fingers.release(0, PanelKey.READY)
    await clock.advance(0.5)
    assert [type(e) for e in events] == [KeyPressed, KeyReleased]


async def test_a_spark_shorter_than_the_debounce_is_nothing(table):
    clock, fingers, events, _ = table
    fingers.press(2, PanelKey.LIFT)
    await clock.advance(0.005)
    fingers.release(2, PanelKey.LIFT)
    await clock.advance(1.0)
    assert events == []


async def test_a_stuck_key_is_said_once_and_its_late_release_is_no_event(table):
    clock, fingers, events, _ = table
    fingers.press(0, PanelKey.WIN)
    await clock.advance(30.0)
    assert [type(e) for e in events] == [KeyPressed, KeyStuck]
    fingers.release(0, PanelKey.WIN)
    await clock.advance(1.0)
    assert [type(e) for e in events] == [KeyPressed, KeyStuck]
    fingers.press(0, PanelKey.WIN)
    await clock.advance(1.0)
    assert isinstance(events[-1], KeyPressed)


async def test_the_emergency_stop_acts_at_once_and_recovers_slowly(table):
    clock, fingers, events, _ = table
    fingers.emergency_stop(stopped=True)
    await clock.settle()
    assert events == [EmergencyStop(True, clock.now())]
    fingers.emergency_stop(stopped=False)
    await clock.advance(0.005)
    assert len(events) == 1
    await clock.advance(0.050)
    assert [e.stopped for e in events if isinstance(e, EmergencyStop)] == [True, False]


async def test_a_cut_emergency_stop_wire_reads_as_stop():
    events: list[PanelEvent] = []
    clock = ManualClock()
    factory = MockFactory()  # nothing drives the pin: the pull-up reads high
    async with Panels(PINS, events.append, factory=factory, clock=clock):
        pass
    factory.close()
    assert events == [EmergencyStop(True, 0.0)]


async def test_lamps_and_buzzer(table):
    clock, _, _, panels = table
    panels.light(0, Lamp.TURN, on=True)
    assert panels.factory.pin(24).state
    panels.light(3, Lamp.TURN, on=True)  # not fitted
    panels.beep(0.2)
    assert panels.factory.pin(23).state
    await clock.advance(0.3)
    assert not panels.factory.pin(23).state


@pytest.mark.parametrize(
    ("pins", "says"),
    [
        (PanelPins((SeatPins(win=5, lift=5), *[SeatPins()] * 3)), "GPIO 5 is already used by"),
        (PanelPins((SeatPins(win=5), *[SeatPins()] * 3), emergency_stop=5), "seat 1 win"),
        (PanelPins(emergency_stop=14), "serial console"),
        (PanelPins(emergency_stop=0), "EEPROM"),
        (PanelPins(buzzer=28), "does not exist"),
    ],
)
def test_pins_that_cannot_be_right_are_refused(pins, says):
    with pytest.raises(SettingsError, match=says):
        pins.check()


def test_the_example_in_the_pin_document_is_a_valid_setting():
    """Whoever copies it into table.toml has keys, e-stop and buzzer where the tables say."""
    panels = parse_config(PIN_DOCUMENT.read_text().split("```toml\n")[1].split("```")[0]).panels
    assert panels.chip == "real"
    assert sorted(pin for _, pin in panels.pins()) == sorted(pin for _, pin in DEFAULT_PINS.used())
    assert panels.c.lift == DEFAULT_PINS.seats[2].lift
