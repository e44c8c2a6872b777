"""The RP2040's pins, on a stand-in for MicroPython's `machine`: bits go where wiring.md says."""

from __future__ import annotations

import importlib
import sys
import types

import pytest

from firmware_bridge.generate import FIRMWARE_TABLE
from firmware_bridge.parts import Actuator, Sensor

FIRMWARE = FIRMWARE_TABLE.parent
MODULES = ("machine", "micropython", "hal_rp2", "config_rp2", "bringup", "table_messages")


class Pin:
    OUT, IN, PULL_UP, IRQ_FALLING = 1, 0, 2, 4
    made: dict[int, Pin] = {}  # noqa: RUF012
    log: list[tuple[int, int]] = []  # noqa: RUF012

    def __init__(self, number, mode=None, pull=None, value=None):
        self.number = number
        self.level = value or 0
        self.first = value
        self.handler = None
        Pin.made.setdefault(number, self)
        if value is not None:
            Pin.log.append((number, value))

    def value(self, level=None):
        if level is None:
            return self.level
        self.level = level
        Pin.log.append((self.number, level))
        return None

    def irq(self, handler, trigger):
        self.handler = handler


class SPI:
    sensors = 0
    witness = 1 << 30  # chip 4: G to 3.3 V, H to ground
    shifted = b""

    def __init__(self, *args, **kwargs):
        pass

    def write(self, data):
        SPI.shifted = bytes(data)

    def write_readinto(self, out, into):
        into[:] = (SPI.sensors | SPI.witness).to_bytes(4, "little")


class ADC:
    levels: dict[int, int] = {}  # noqa: RUF012

    def __init__(self, pin):
        self.pin = pin

    def read_u16(self):
        if self.pin == 26:
            channel = sum(Pin.made[10 + bit].level << bit for bit in range(4))
            return ADC.levels.get(channel, 0)
        return ADC.levels.get(self.pin, 0)


class PWM:
    """Drives a pin high for a part of the time, of 65536."""

    def __init__(self, pin, freq, duty_u16):
        self.pin = pin
        self.duty_u16(duty_u16)

    def duty_u16(self, duty):
        Pin.log.append((self.pin.number, duty))


class WDT:
    fed = 0
    timeout = 0

    def __init__(self, timeout):
        WDT.timeout = timeout

    def feed(self):
        WDT.fed += 1


@pytest.fixture
def pico(monkeypatch):
    """The firmware's hal on a pretended RP2040."""
    Pin.made.clear()
    Pin.log.clear()
    machine = types.ModuleType("machine")
    machine.__dict__.update(
        Pin=Pin, SPI=SPI, ADC=ADC, PWM=PWM, WDT=WDT, UART=object, WDT_RESET=3,
        reset_cause=lambda: 3, unique_id=lambda: b"12345678",
    )  # fmt: skip
    micropython = types.ModuleType("micropython")
    micropython.kbd_intr = lambda byte: None
    for name in MODULES:
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "machine", machine)
    monkeypatch.setitem(sys.modules, "micropython", micropython)
    monkeypatch.syspath_prepend(str(FIRMWARE))
    import time

    monkeypatch.setattr(time, "ticks_ms", lambda: 1234, raising=False)
    monkeypatch.setattr(time, "ticks_diff", lambda a, b: 10**6, raising=False)
    monkeypatch.setattr(time, "sleep_us", lambda us: None, raising=False)
    hal_rp2 = importlib.import_module("hal_rp2")
    monkeypatch.setattr(hal_rp2, "UsbPort", FakePort)
    yield hal_rp2
    for name in MODULES:
        sys.modules.pop(name, None)


class FakePort:
    def read(self, into, room):
        return 0

    def write(self, data, size):
        pass


def test_the_first_thing_a_starting_board_does_is_to_switch_the_outputs_off(pico):
    pico.Hal()
    config = importlib.import_module("config_rp2")
    assert Pin.log[0] == (config.OUTPUT_OFF, 1)
    assert Pin.log[1] == (config.CONTACTOR, 0)
    on_again = Pin.log.index((config.OUTPUT_OFF, 0))
    assert (config.OUTPUT_LATCH, 1) in Pin.log[:on_again]  # zeros were latched before
    assert SPI.shifted == bytes(5)


def test_a_jogged_motor_gets_half_of_the_current_and_all_others_their_whole(pico):
    hal = pico.Hal()
    config = importlib.import_module("config_rp2")
    Pin.log.clear()
    for on in (False, True, True, False):
        hal.slow(on)
    assert Pin.log == [(config.OUTPUT_OFF, 0x8000), (config.OUTPUT_OFF, 0)]


@pytest.mark.parametrize("actuator", list(Actuator))
def test_each_motor_has_two_lines_of_its_own(pico, actuator):
    hal = pico.Hal()
    lines = []
    for forward, reverse in ((1 << actuator, 0), (0, 1 << actuator)):
        hal.drive(forward, reverse)
        lines.append(int.from_bytes(SPI.shifted, "big"))
    assert lines == [1 << 2 * actuator, 1 << 2 * actuator + 1]
    hal.drive(1 << actuator, 1 << actuator)
    assert int.from_bytes(SPI.shifted, "big").bit_count() == 1  # never both lines of a bridge


@pytest.mark.parametrize("witness", [0, 1 << 31, 3 << 30])
def test_a_chain_of_inputs_that_cannot_be_read_counts_as_the_emergency_stop(
    pico, monkeypatch, witness
):
    """A loose cable reads as all ones or all zeros: every sensor would lie."""
    hal = pico.Hal()
    monkeypatch.setattr(SPI, "sensors", (1 << len(Sensor)) - 1)
    hal.wait(0)
    assert hal.inputs >> Sensor.ESTOP_OK & 1
    monkeypatch.setattr(SPI, "witness", witness)
    hal.wait(0)
    assert hal.inputs == 0


@pytest.mark.parametrize("sensor", list(Sensor))
def test_each_sensor_has_its_bit(pico, sensor):
    hal = pico.Hal()
    SPI.sensors = 1 << sensor
    hal.wait(0)
    assert hal.inputs == 1 << sensor
    SPI.sensors = 0


def test_currents_and_supply_are_scaled(pico):
    ADC.levels = {int(Actuator.CENTRE): 65535, 27: 32768, 28: 43330}
    hal = pico.Hal()
    hal.wait(0)
    assert hal.current[Actuator.CENTRE] == pytest.approx(6600, rel=0.001)
    assert hal.current[Actuator.CHAIN] == pytest.approx(3300, rel=0.001)
    assert hal.supply == pytest.approx(24_000, rel=0.001)
    ADC.levels = {}


def test_the_drum_counts_by_interrupt_and_wraps(pico):
    hal = pico.Hal()
    hal.pulses = 0xFFFE
    for _ in range(3):
        Pin.made[9].handler(None)
    hal.wait(0)
    assert hal.tacho == 1


def test_the_watchdog_is_set_to_400_ms(pico):
    hal = pico.Hal()
    assert WDT.timeout == 400
    before = WDT.fed
    hal.feed()
    assert WDT.fed == before + 1
    assert hal.reset_cause == 1


def test_the_bench_pulses_one_motor_and_always_ends_with_everything_off(pico):
    bringup = importlib.import_module("bringup")
    said = []
    hal = pico.Hal(watchdog=False)
    bench = bringup.Bench(hal, ask=lambda text: "y", say=said.append, sleep_ms=lambda ms: None)
    assert bench.motors == [actuator.name for actuator in Actuator]
    assert bench.inputs == [sensor.name for sensor in Sensor]
    ADC.levels = {int(Actuator.HEAD_1): 6554}
    assert bench.pulse("HEAD_1") == pytest.approx(660, abs=2)
    assert SPI.shifted == bytes(5)
    assert Pin.made[8].level == 0
    with pytest.raises(ValueError, match="never turned back"):
        bench.pulse("HEAD_1", back=True)
    with pytest.raises(ValueError, match="at most"):
        bench.pulse("DRUM", ms=5000)

    def broken(ms):
        raise KeyboardInterrupt

    bench.sleep_ms = broken
    with pytest.raises(KeyboardInterrupt):
        bench.pulse("DRUM")
    assert SPI.shifted == bytes(5)
    assert Pin.made[8].level == 0
    bench.sleep_ms = lambda ms: None
    bench.all_motors()
    assert sum("peak" in line for line in said) >= 17
    bench.supply()
    bench.sensors()
    ADC.levels = {}
