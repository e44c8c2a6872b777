"""What the motor board has to be told about its table, and the checksum both sides make of it."""

from __future__ import annotations

import binascii
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from firmware_bridge.layout import TableLayout
from firmware_bridge.messages import Configured, Request, SetLimits, SetMachine
from firmware_bridge.parts import SIDES, Actuator

GUESSED_PCT = 255  # the most that the wire carries: no warning before the board stops the motor


@dataclass(frozen=True, slots=True)
class MotorLimits:
    """What one motor's stroke looks like when it is healthy; measured by calibration."""

    stroke_ms: int
    running_ma: int
    limit_ma: int
    warn_pct: int = 125
    stop_pct: int = 200

    @property
    def is_measured(self) -> bool:
        """Whether the stroke's time is that of this table, or a guess with room around it."""
        return self.warn_pct < GUESSED_PCT


def _default_limits() -> dict[Actuator, MotorLimits]:
    """Starting values; a calibrated table brings its own."""
    limits = {
        Actuator.DRUM: MotorLimits(0, 450, 1400),
        Actuator.RING: MotorLimits(0, 250, 900),
        Actuator.CENTRE: MotorLimits(1200, 600, 1500),
        Actuator.DICE: MotorLimits(0, 120, 500),
        Actuator.CHAIN: MotorLimits(1500, 400, 1200),
    }
    for side in range(SIDES):
        limits[Actuator(Actuator.LIFT_0 + side)] = MotorLimits(2000, 500, 1300)
        limits[Actuator(Actuator.CONVEYOR_0 + side)] = MotorLimits(0, 180, 600)
        limits[Actuator(Actuator.HEAD_0 + side)] = MotorLimits(300, 350, 1100)
    return limits


DEFAULT_LIMITS: Mapping[Actuator, MotorLimits] = _default_limits()


def unmeasured() -> Mapping[Actuator, MotorLimits]:
    """For a table that nobody has measured: the same currents, and room for the strokes.

    Another maker's centre may take twice or half as long; it must run to be measured at all.
    """
    return {
        part: replace(limit, warn_pct=GUESSED_PCT, stop_pct=400)
        for part, limit in DEFAULT_LIMITS.items()
    }


@dataclass(frozen=True, slots=True)
class MachineSettings:
    """One table's motor board, complete."""

    layout: TableLayout
    limits: Mapping[Actuator, MotorLimits] = field(default_factory=lambda: DEFAULT_LIMITS)
    build_warn_s: int = 60
    build_stop_s: int = 120
    stall_s: int = 20
    supply_low_mv: int = 18_000

    @property
    def machine(self) -> SetMachine:
        """The command that describes the table as a whole."""
        return SetMachine(
            self.layout.family,
            self.layout.side_mask,
            self.layout.lifts,
            self.build_warn_s,
            self.build_stop_s,
            self.stall_s,
            self.supply_low_mv,
        )

    def commands(self) -> Iterator[Request[Configured]]:
        """Everything to send; the last answer must carry `crc`."""
        for actuator in Actuator:
            limit = self.limits[actuator]
            yield SetLimits(
                actuator,
                limit.stroke_ms,
                limit.warn_pct,
                limit.stop_pct,
                limit.running_ma,
                limit.limit_ma,
            )
        yield self.machine

    @property
    def crc(self) -> int:
        """CRC-32 over the machine and every motor in order, as the board makes it."""
        crc = binascii.crc32(self.machine.pack())
        for command in self.commands():
            if isinstance(command, SetLimits):
                crc = binascii.crc32(command.pack(), crc)
        return crc
