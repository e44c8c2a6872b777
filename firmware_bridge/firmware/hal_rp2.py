"""The board's pins on an RP2040 (Raspberry Pi Pico), as hardware_docs/wiring.md draws them.

Inputs come through four 74HC165, motors go through five 74HC595 whose output enable is pulled up on
the board: while the RP2040 is in reset its pins float and every motor is off. Currents come through
a 16-channel multiplexer, the drum's Hall sensor counts by interrupt.
"""

import binascii
import os
import sys
import time

import machine
import micropython

import config_rp2 as config

ACTUATORS = 17
INPUT_BYTES = 4
OUTPUT_BYTES = 5
WATCHDOG_MS = 400
SLOW_HZ = 370  # 2.7 ms: currents that are read every 10 ms meet on and off in turn
SLOW_OFF = 0x8000  # of 65536: half of the time a jogged motor gets no current
WITNESS = 0b01  # the chain's last two inputs, G to 3.3 V and H to ground: is it read at all?
TICKS_MASK = 0x3FFFFFFF


class UsbPort:
    """The USB serial port, byte by byte: reading more would block until they are there."""

    def __init__(self):
        import select

        micropython.kbd_intr(-1)  # 0x03 is data here
        self.poll = select.poll()
        self.poll.register(sys.stdin, select.POLLIN)
        self.byte = bytearray(1)

    def read(self, into, room):
        n = 0
        while n < room and self.poll.poll(0):
            if not sys.stdin.buffer.readinto(self.byte, 1):
                break
            into[n] = self.byte[0]
            n += 1
        return n

    def write(self, data, size):
        sys.stdout.buffer.write(memoryview(data)[:size])


class UartPort:
    """A UART with its own adapter."""

    def __init__(self):
        self.uart = machine.UART(
            config.UART, 115200, tx=machine.Pin(config.UART_TX), rx=machine.Pin(config.UART_RX),
            txbuf=512, rxbuf=512,
        )  # fmt: skip
        self.byte = bytearray(1)

    def read(self, into, room):
        n = 0
        while n < room and self.uart.any():
            self.uart.readinto(self.byte, 1)
            into[n] = self.byte[0]
            n += 1
        return n

    def write(self, data, size):
        self.uart.write(memoryview(data)[:size])


class Hal:
    """The same calls as hal_sim.Hal."""

    def __init__(self, watchdog=True):
        pin = machine.Pin
        self.output_off = pin(config.OUTPUT_OFF, pin.OUT, value=1)  # first of all: motors off
        self.contactor = pin(config.CONTACTOR, pin.OUT, value=0)
        self.load = pin(config.INPUT_LOAD, pin.OUT, value=1)
        self.latch = pin(config.OUTPUT_LATCH, pin.OUT, value=0)
        self.spi = machine.SPI(
            0, baudrate=1_000_000, polarity=0, phase=0, sck=pin(config.SPI_CLOCK),
            mosi=pin(config.SPI_OUT), miso=pin(config.SPI_IN),
        )  # fmt: skip
        self.select = [pin(number, pin.OUT, value=0) for number in config.MUX_SELECT]
        self.mux = machine.ADC(config.ADC_MUX)
        self.last_channel = machine.ADC(config.ADC_LAST)
        self.supply_adc = machine.ADC(config.ADC_SUPPLY)
        self.hall = pin(config.DRUM_HALL, pin.IN, pin.PULL_UP)
        self.pulses = 0
        self.hall.irq(self.pulsed, pin.IRQ_FALLING)
        self.port = UartPort() if config.UART is not None else UsbPort()
        self.in_bytes = bytearray(INPUT_BYTES)
        self.none = bytearray(INPUT_BYTES)
        self.out_bytes = bytearray(OUTPUT_BYTES)
        self.wire = bytearray(512)
        self.wire_len = 0
        self.current = [0] * ACTUATORS
        self.inputs = 0
        self.tacho = 0
        self.supply = 0
        self.now = time.ticks_ms() & TICKS_MASK
        self.board_id = binascii.crc32(machine.unique_id())
        self.boot_id = int.from_bytes(os.urandom(4), "little")
        self.reset_cause = 1 if machine.reset_cause() == machine.WDT_RESET else 0
        self.drive(0, 0)
        self.read_sensors()
        # From here on the outputs are on. Slow, they are off for part of the time, all of them.
        self.output_off = machine.PWM(self.output_off, freq=SLOW_HZ, duty_u16=0)
        self.is_slow = False
        self.watchdog = machine.WDT(timeout=WATCHDOG_MS) if watchdog else None

    def pulsed(self, pin):
        """A slot of the drum's disc passed."""
        self.pulses = (self.pulses + 1) & 0xFFFF

    def wait(self, ms):
        """Let time pass until an input changes, bytes come or `ms` are over; read everything."""
        began = time.ticks_ms()
        before = self.inputs
        while True:
            self.wire_len = self.port.read(self.wire, 512)
            self.read_inputs()
            if self.wire_len or self.inputs != before:
                break
            if time.ticks_diff(time.ticks_ms(), began) >= ms:
                break
            time.sleep_ms(1)
        self.read_sensors()

    def read_sensors(self):
        """Everything that is not a byte of the host."""
        self.read_inputs()
        self.tacho = self.pulses
        for channel in range(ACTUATORS - 1):
            for bit in range(4):
                self.select[bit].value((channel >> bit) & 1)
            time.sleep_us(5)  # the multiplexer settles
            self.current[channel] = (self.mux.read_u16() >> 4) * config.FULL_SCALE_MA >> 12
        last = self.last_channel.read_u16() >> 4
        self.current[ACTUATORS - 1] = last * config.FULL_SCALE_MA >> 12
        self.supply = (self.supply_adc.read_u16() >> 4) * config.FULL_SCALE_MV >> 12
        self.now = time.ticks_ms() & TICKS_MASK

    def read_inputs(self):
        """Latch and shift in; `INVERTED` makes every sensor read 1 when it sees something."""
        self.load.value(0)
        self.load.value(1)
        self.spi.write_readinto(self.none, self.in_bytes)
        b = self.in_bytes
        if b[3] >> 6 == WITNESS:
            word = (
                b[0] | b[1] << 8 | b[2] << 16 | (b[3] & 0x07) << 24
            )  # 27 sensors: a small integer
            self.inputs = word ^ config.INVERTED
        else:
            self.inputs = 0  # a cable is loose or a chip dead: the e-stop loop counts as open

    def write(self, data, size):
        """Send bytes to the host."""
        self.port.write(data, size)

    def drive(self, forward, reverse):
        """Two lines a motor: forward and back. Shifted out last chip first."""
        out = self.out_bytes
        for n in range(OUTPUT_BYTES):
            out[n] = 0
        for actuator in range(ACTUATORS):
            line = actuator * 2
            if (forward >> actuator) & 1:
                out[OUTPUT_BYTES - 1 - (line >> 3)] |= 1 << (line & 7)
            elif (reverse >> actuator) & 1:
                out[OUTPUT_BYTES - 1 - ((line + 1) >> 3)] |= 1 << ((line + 1) & 7)
        self.spi.write(out)
        self.latch.value(1)
        self.latch.value(0)

    def enable(self, on):
        """The contactor of the motor supply; the e-stop button opens it without us."""
        self.contactor.value(1 if on else 0)

    def slow(self, on):
        """Part of the working speed, for a person who jogs."""
        if on != self.is_slow:
            self.is_slow = on
            self.output_off.duty_u16(SLOW_OFF if on else 0)

    def feed(self):
        """The loop is healthy."""
        if self.watchdog is not None:
            self.watchdog.feed()
