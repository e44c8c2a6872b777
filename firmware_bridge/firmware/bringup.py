"""First tests of a wired board, from the REPL, before main.py is installed.

>>> import bringup
>>> b = bringup.Bench()
>>> b.sensors()          # every sensor's level; press and cover them one after another
>>> b.watch(20)          # says each change for 20 seconds
>>> b.supply()           # contactor on, voltage, contactor off
>>> b.pulse("HEAD_1")    # 150 ms forward, says current and sensors that changed
>>> b.pulse("CENTRE", ms=100, back=True)
>>> b.all_motors()       # each motor a short pulse, asking before every one

No interlock is active here: hands off, lid open, one person at the table, e-stop within reach.
"""

import time

import table_messages as m

PULSE_MS = 150
LONGEST_MS = 500


def names(prefix):
    """Names of the table's numbers with that prefix, in order."""
    found = [(value, name[2:]) for name, value in m.__dict__.items() if name.startswith(prefix)]
    return [name for value, name in sorted(found)]


class Bench:
    """The pins, without the board's program and without its watchdog."""

    def __init__(self, hal=None, ask=input, say=print, sleep_ms=None):
        if hal is None:
            from hal_rp2 import Hal

            hal = Hal(watchdog=False)
        self.hal = hal
        self.ask = ask
        self.say = say
        self.sleep_ms = sleep_ms or time.sleep_ms
        self.motors = names("A_")
        self.inputs = names("S_")

    def sensors(self):
        """Level of every sensor."""
        self.hal.wait(0)
        for bit in range(len(self.inputs)):
            self.say("%-14s %d" % (self.inputs[bit], (self.hal.inputs >> bit) & 1))

    def watch(self, seconds):
        """Say every change of a sensor."""
        before = self.hal.inputs
        for _ in range(seconds * 100):
            self.hal.wait(10)
            self.changes(before)
            before = self.hal.inputs

    def changes(self, before):
        """Which sensors differ from before."""
        changed = before ^ self.hal.inputs
        for bit in range(len(self.inputs)):
            if (changed >> bit) & 1:
                self.say("%s -> %d" % (self.inputs[bit], (self.hal.inputs >> bit) & 1))

    def supply(self):
        """Contactor on and off, with the voltage behind it."""
        self.hal.wait(0)
        off = self.hal.supply
        self.hal.enable(True)
        self.sleep_ms(300)
        self.hal.wait(0)
        self.say("supply: off %d mV, on %d mV" % (off, self.hal.supply))
        self.hal.enable(False)

    def pulse(self, name, ms=PULSE_MS, back=False):
        """One motor, briefly; always off again, whatever happens. Returns the highest current."""
        motor = self.motors.index(name)
        if back and name.startswith("HEAD"):
            raise ValueError("a cam is never turned back")
        if not 0 < ms <= LONGEST_MS:
            raise ValueError("a pulse is at most %d ms" % LONGEST_MS)
        self.hal.wait(0)
        before = self.hal.inputs
        peak = 0
        self.hal.enable(True)
        try:
            self.hal.drive(0 if back else 1 << motor, 1 << motor if back else 0)
            for _ in range(ms // 10):
                self.sleep_ms(10)
                self.hal.wait(0)
                if self.hal.current[motor] > peak:
                    peak = self.hal.current[motor]
        finally:
            self.hal.drive(0, 0)
            self.hal.enable(False)
        self.say("%s %s %d ms: peak %d mA" % (name, "back" if back else "forward", ms, peak))
        self.changes(before)
        return peak

    def all_motors(self):
        """Every motor a pulse, each after a yes."""
        for name in self.motors:
            if self.ask("pulse %s? (y) " % name) == "y":
                self.pulse(name)
