"""Small values that go between the table and the vision process.

Nothing here needs OpenCV, so that the daemon, which only passes them on, stays small.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from vision.camera import CameraModel
from vision.zones import TableGeometry

if TYPE_CHECKING:
    from vision.render import Look

SYNTHETIC = "sim://"


class Stillness(StrEnum):
    """What the last picture was good for."""

    MOVING = "moving"
    ARM_OVER_TABLE = "arm over the table"
    STILL = "still"


@dataclass(frozen=True, slots=True)
class SceneSettings:
    """How patient a watcher is."""

    agree: int = 2  # frames that are read before anything is said
    match_mm: float = 8.0  # how near two readings of one tile lie
    changed_levels: float = 14.0  # grey levels that count as a change
    moving_px: int = 6  # changed pixels of the small picture that count as motion
    arm_mm2: float = 3200.0  # an arm over the edge is at least this large: six tiles
    patience_s: float = 3.0  # after this long an arm that rests on the table is read around
    absorb_s: float = 60.0  # after this long it is a thing that belongs there
    reread_s: float = 5.0  # how often an unchanged table is read all the same
    part_levels: float = 8.0  # grey levels from which on a part of the picture is read again
    part_share: float = 0.4  # of the picture; when more has changed, all of it is read
    closer_below: float = 0.9  # a face read with less is looked at in several cuts of the picture
    # How far these cuts reach beyond it, in tiles. 2026-11-30: two touching 9p that a whole picture
    # overlooked were found in two of three such cuts.
    closer_edges: tuple[float, ...] = (1.0, 2.7, 4.4)
    closer_most: int = 6  # so that a hopeless picture does not take for ever
    others_from: float = 0.02  # competing labels that are worth telling

    def __post_init__(self) -> None:
        if self.agree < 1:
            raise ValueError(f"at least one frame must be read, not {self.agree}")


@dataclass(frozen=True, slots=True)
class FrameLimits:
    """When a picture is not good enough to be read."""

    age_s: float = 1.0
    # Grey levels; the calm simulated table has a median of 66.
    dark: float = 18.0
    # Share of pixels at the top of the scale; white tiles under a strong lamp reach 0.1.
    bright: float = 0.25
    # See focus(). On the simulated table 0.67 is sharp, a blur of 1 px gives 0.6, 2 px 0.46 and
    # 3 px 0.37, whatever the noise.
    focus: float = 0.42


@dataclass(frozen=True, slots=True)
class TagLayout:
    """Where the tags' centres lie, in table millimetres, by tag number; all lie upright for seat 0.

    By default they lie on the left and right rim, beyond the corners of the felt, where no tile
    comes and the camera of 16:9 still sees.
    """

    size_mm: float = 30.0
    height_mm: float = 0.0  # of the rim above the felt
    centres_mm: Mapping[int, tuple[float, float]] = field(
        default_factory=lambda: {
            40: (-407.0, -320.0),
            41: (407.0, -320.0),
            42: (407.0, 320.0),
            43: (-407.0, 320.0),
        }
    )

    def corners_mm(self, number: int) -> NDArray[np.float64]:
        """The tag's corners, clockwise from its upper left, with their height."""
        x, y = self.centres_mm[number]
        half = self.size_mm / 2
        flat = (
            (x - half, y + half),
            (x + half, y + half),
            (x + half, y - half),
            (x - half, y - half),
        )
        return np.array([(*corner, self.height_mm) for corner in flat])


@dataclass(frozen=True, slots=True)
class DriftLimits:
    """How far the camera may have moved before it must be calibrated again."""

    # A tile is 20 mm wide and zones leave 5 mm; a third of that keeps every tile in its zone.
    shift_mm: float = 1.5
    turn_deg: float = 0.25


@dataclass(frozen=True, slots=True)
class Drift:
    """How far the table seems to have moved since calibration, seen through the fixed camera.

    ``shift_mm`` is at the table's centre, ``worst_mm`` at the worst tag; ``left_mm`` is what a
    shift and a turn cannot explain: a loose tag or a bent arm.
    """

    shift_mm: tuple[float, float]
    turn_deg: float
    worst_mm: float
    left_mm: float
    missing: tuple[int, ...]
    limits: DriftLimits = DriftLimits()

    @property
    def is_small(self) -> bool:
        """Whether readings still land where they should."""
        far = math.hypot(*self.shift_mm)
        return (
            far <= self.limits.shift_mm
            and abs(self.turn_deg) <= self.limits.turn_deg
            and self.worst_mm <= 2 * self.limits.shift_mm
        )

    def __str__(self) -> str:
        far = math.hypot(*self.shift_mm)
        verdict = "the camera has not moved" if self.is_small else "the camera has moved"
        return (
            f"{verdict}: {far:.1f} mm (limit {self.limits.shift_mm:g}), {self.turn_deg:.2f}"
            f" degrees (limit {self.limits.turn_deg:g}), {self.worst_mm:.1f} mm at the worst tag"
        )


@dataclass(frozen=True, slots=True)
class DomeSpot:
    """Where the dome is and what lies in it; calibration measures it."""

    centre_mm: tuple[float, float] = (0.0, 0.0)
    radius_mm: float = 36.0
    die_mm: float = 15.0
    height_mm: float = 8.0  # of the dice's upper sides above the felt


@dataclass(frozen=True, slots=True)
class Die:
    """One die: its value, how sure, and its upper side in pixels of the picture."""

    value: int
    confidence: float
    quad_px: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class DiceReading:
    """All dice that were found, from left to right; ``fit`` says how well outlines and pips fit."""

    dice: tuple[Die, ...]
    fit: float = 0.0

    @property
    def values(self) -> tuple[int, ...]:
        """The numbers, ascending."""
        return tuple(sorted(die.value for die in self.dice))

    @property
    def confidence(self) -> float:
        """How sure all of them together are; none found is not sure at all."""
        return float(np.prod([die.confidence for die in self.dice])) if self.dice else 0.0


@dataclass(frozen=True, slots=True)
class EyesSettings:
    """What to watch and how patient to be with the process that does it."""

    source: str = SYNTHETIC
    camera: CameraModel = field(default_factory=CameraModel.above_table)
    table: TableGeometry = field(default_factory=TableGeometry)
    scene: SceneSettings = field(default_factory=SceneSettings)
    limits: FrameLimits = field(default_factory=FrameLimits)
    tags: TagLayout = field(default_factory=TagLayout)
    dome: DomeSpot = field(default_factory=DomeSpot)
    look: Look | None = None  # of the simulated table; None is the calm one
    seed: int = 0
    fps: float = 10.0
    models: Path | None = None
    tile_set: Path | None = None  # the club's own set, as calibration saved it
    threads: int = 2
    temperature: float = 1.0  # of the reader's probabilities on this table, as calibration found
    detector: str = "vision.child:open_reader"  # module:function that makes the detector
    start_within_s: float = 60.0
    answer_within_s: float = 20.0
    restarts: int = 4
    restart_window_s: float = 120.0
    restart_pause_s: float = 0.5
