"""Strokes and currents of lifts, centre, heads and chain, learned over ordinary runs.

    runs += [run_of(wear) for wear in await machine.exercise()]
    result = learn_strokes(runs)
    MachineSettings(layout, limits=motor_limits(result.part))

A board that knows how long a healthy stroke takes notices a tired one before it jams. Nothing
learned here may be laxer than what the board came with: a table that was stiff from the first day
must not teach its stiffness as health.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.profile import LiftsPart, StrokePart
from calibration.quality import CalibrationError, Quality
from firmware_bridge.health import WearReport
from firmware_bridge.messages import Wear
from firmware_bridge.parts import Actuator
from firmware_bridge.settings import DEFAULT_LIMITS, MotorLimits

Picture = NDArray[np.uint8]

LIFTS = (Actuator.LIFT_0, Actuator.LIFT_1, Actuator.LIFT_2, Actuator.LIFT_3)
# A blocked motor draws several times its running current at once; twice is far from both.
BLOCKED_AT = 2.0
LEAST_HEADROOM = 1.25


@dataclass(frozen=True, slots=True)
class LiftLimits:
    """What healthy, even motion keeps."""

    runs: int = 5
    spread: float = 0.12  # of a motor's stroke times, between tenth and ninetieth percentile
    unevenness: float = 0.15  # between the four lifts: walls that rise crooked jam
    load: float = 0.8  # highest current against the factory's limit


@dataclass(frozen=True, slots=True)
class StrokeRun:
    """One stroke of one motor."""

    motor: Actuator
    stroke_ms: int
    peak_ma: int


@dataclass(frozen=True, slots=True, eq=False)
class LiftsResult:
    """What was learned, how good it is, and a picture of all strokes."""

    part: LiftsPart
    qualities: tuple[Quality, ...]
    picture: Picture


def run_of(wear: Wear | WearReport) -> StrokeRun:
    """The last stroke that a wear report tells of."""
    return StrokeRun(wear.part, wear.last_ms, wear.peak_ma)


def learn_strokes(
    runs: Iterable[StrokeRun], limits: LiftLimits | None = None, *, at: str = ""
) -> LiftsResult:
    """What each motor does when all is well; motors that never ran are left as they came."""
    limits = limits or LiftLimits()
    by_motor: dict[Actuator, list[StrokeRun]] = {}
    for run in runs:
        if run.stroke_ms > 0:  # zero: it was there already
            by_motor.setdefault(run.motor, []).append(run)
    if not by_motor:
        raise CalibrationError("no motor has made a stroke yet; build and raise walls first")
    strokes = tuple(learned(motor, by_motor[motor]) for motor in sorted(by_motor))
    lift_times = [one.time_ms for one in strokes if Actuator[one.motor.upper()] in LIFTS]
    uneven = (max(lift_times) - min(lift_times)) / np.median(lift_times) if lift_times else 0.0
    load = max(
        one.current_ma / DEFAULT_LIMITS[Actuator[one.motor.upper()]].limit_ma for one in strokes
    )
    qualities = (
        Quality(
            "fewest runs of a motor", min(one.runs for one in strokes), limits.runs, at_least=True
        ),
        Quality(
            "widest spread of stroke times",
            max(one.time_spread_ms / one.time_ms for one in strokes),
            limits.spread,
        ),
        Quality("lifts against each other", float(uneven), limits.unevenness),
        Quality("highest current against its limit", load, limits.load),
    )
    part = LiftsPart(at=at, qualities=qualities, strokes=strokes)
    return LiftsResult(part, qualities, portrait(by_motor, part))


def learned(motor: Actuator, runs: Sequence[StrokeRun]) -> StrokePart:
    """One motor's healthy stroke: medians, so that a single jam teaches nothing."""
    times = np.array([run.stroke_ms for run in runs], np.float64)
    currents = np.array([run.peak_ma for run in runs], np.float64)
    low, high = np.percentile(times, (10, 90))
    usual = float(np.median(currents))
    factory = DEFAULT_LIMITS[motor]
    ceiling = min(usual * BLOCKED_AT, float(factory.limit_ma))
    return StrokePart(
        motor=motor.name.lower(),
        runs=len(runs),
        time_ms=round(float(np.median(times)), 1),
        time_spread_ms=round(float(high - low), 1),
        current_ma=round(usual, 1),
        current_limit_ma=round(max(ceiling, min(usual * LEAST_HEADROOM, factory.limit_ma)), 1),
    )


def motor_limits(part: LiftsPart | None) -> Mapping[Actuator, MotorLimits]:
    """What to tell the board: what was learned, and the factory's values for the rest."""
    limits = dict(DEFAULT_LIMITS)
    for stroke in part.strokes if part else ():
        motor = Actuator[stroke.motor.upper()]
        factory = limits[motor]
        limits[motor] = MotorLimits(
            stroke_ms=round(stroke.time_ms) if factory.stroke_ms else 0,
            running_ma=round(stroke.current_ma),
            limit_ma=round(stroke.current_limit_ma),
            warn_pct=factory.warn_pct,
            stop_pct=factory.stop_pct,
        )
    return limits


def portrait(by_motor: Mapping[Actuator, Sequence[StrokeRun]], part: LiftsPart) -> Picture:
    """Every stroke as a dot: time across, one row a motor, red where the current was high."""
    # Only who looks at the picture needs OpenCV; the daemon reads limits without it.
    import cv2

    from calibration.paint import BAD, GOOD, PLAIN, canvas, label

    height = 150 + 46 * len(by_motor)
    image = canvas((1100, height))
    longest = max(run.stroke_ms for runs in by_motor.values() for run in runs) * 1.1
    label(image, [str(quality) for quality in part.qualities])
    for row, stroke in enumerate(part.strokes):
        y = 165 + 46 * row
        motor = Actuator[stroke.motor.upper()]
        text = f"{stroke.motor}: {stroke.time_ms:.0f} ms, {stroke.current_ma:.0f} mA"
        cv2.putText(image, text, (12, y + 5), 0, 0.55, PLAIN, 1, cv2.LINE_AA)
        cv2.line(image, (380, y), (1080, y), (80, 80, 80), 1)
        for run in by_motor[motor]:
            x = 380 + round(700 * run.stroke_ms / longest)
            high = run.peak_ma > stroke.current_limit_ma
            cv2.circle(image, (x, y), 5, BAD if high else GOOD, -1, cv2.LINE_AA)
    return image
