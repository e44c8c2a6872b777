"""The board's pins when the table is simulated: a pipe to the world that owns time and physics.

Every `wait` sends what the pins shall do and gets the time, the sensors and the received bytes.
The layout is fixed by firmware_bridge/simulator/cosim.py.
"""

import struct
import sys

ACTUATORS = 17
ASK = "<IIBBHH"  # forward, reverse, ENABLE and SLOW, fed, wait_ms, wire bytes that follow
TELL = "<IIHHBBII17HH"  # time, inputs, tacho, supply, cause, spare, boot, board, mA, wire bytes
ENABLE = 1
SLOW = 2


class Hal:
    """The same calls as hal_rp2.Hal."""

    def __init__(self):
        self.pipe_in = sys.stdin.buffer
        self.pipe_out = sys.stdout.buffer
        self.ask = bytearray(struct.calcsize(ASK) + 512)
        self.ask_view = memoryview(self.ask)
        self.head = struct.calcsize(ASK)
        self.tell = bytearray(struct.calcsize(TELL))
        self.wire = bytearray(512)
        self.wire_view = memoryview(self.wire)
        self.wire_len = 0
        self.out_len = 0
        self.current = [0] * ACTUATORS
        self.inputs = 0
        self.tacho = 0
        self.supply = 0
        self.now = 0
        self.reset_cause = 0
        self.boot_id = 0
        self.board_id = 0
        self.forward = 0
        self.reverse = 0
        self.power = 0
        self.fed = 0
        self.wait(0)

    def wait(self, ms):
        """Let time pass until an input changes, bytes come or `ms` are over; read everything."""
        struct.pack_into(
            ASK, self.ask, 0, self.forward, self.reverse, self.power, self.fed, ms, self.out_len
        )
        self.fed = 0
        self.pipe_out.write(self.ask_view[: self.head + self.out_len])
        self.out_len = 0
        if not self.pipe_in.readinto(self.tell):
            raise SystemExit(0)  # the world has ended
        told = struct.unpack(TELL, self.tell)
        self.now = told[0]
        self.inputs = told[1]
        self.tacho = told[2]
        self.supply = told[3]
        self.reset_cause = told[4]
        self.boot_id = told[6]
        self.board_id = told[7]
        for i in range(ACTUATORS):
            self.current[i] = told[8 + i]
        self.wire_len = told[8 + ACTUATORS]
        if self.wire_len:
            self.pipe_in.readinto(self.wire_view[: self.wire_len])

    def write(self, data, size):
        """Send bytes to the host; what does not fit the line's buffer is lost, as on a real UART."""
        room = 512 - self.out_len
        if size > room:
            size = room
        at = self.head + self.out_len
        for i in range(size):
            self.ask[at + i] = data[i]
        self.out_len += size

    def drive(self, forward, reverse):
        """Set every motor at once."""
        self.forward = forward
        self.reverse = reverse

    def enable(self, on):
        """The contactor of the motor supply."""
        self.power = self.power | ENABLE if on else self.power & ~ENABLE

    def slow(self, on):
        """Part of the working speed, for a person who jogs."""
        self.power = self.power | SLOW if on else self.power & ~SLOW

    def feed(self):
        """The loop is healthy."""
        self.fed = 1
