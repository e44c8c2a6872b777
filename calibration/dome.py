"""The dice dome: where it is, how large the dice are, and whether throws can be read.

result = calibrate_dome(pictures, camera)   # a picture of each of six throws or more
result.part, result.qualities, result.picture
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.paint import BAD, GOOD, label, outline
from calibration.profile import DomePart
from calibration.quality import CalibrationError, Quality
from vision.camera import CameraModel
from vision.dice import SURE_FROM, DiceReading, DomeSpot, read_dice

Picture = NDArray[np.uint8]

SEARCH_MM = 70.0  # half side of the square around the table's centre in which the dome may be
PLAN_PX_PER_MM = 3.0
DIE_SIZES_MM = (10.0, 12.5, 15.0, 17.5, 20.0)
SEEN_PX = 300


@dataclass(frozen=True, slots=True)
class DomeLimits:
    """What a readable dome keeps."""

    throws: int = 6
    read_surely: float = 0.9
    edge: float = 0.35


@dataclass(frozen=True, slots=True, eq=False)
class DomeResult:
    """Where the dome is, how well its dice are read, and a picture of every throw."""

    part: DomePart
    qualities: tuple[Quality, ...]
    picture: Picture


def calibrate_dome(
    pictures: Sequence[Picture],
    camera: CameraModel,
    *,
    count: int = 2,
    height_mm: float = 8.0,
    limits: DomeLimits | None = None,
    at: str = "",
) -> DomeResult:
    """Finds the dome and its dice in pictures of several throws."""
    limits = limits or DomeLimits()
    if not pictures:
        raise CalibrationError("there is no picture of a throw")
    spot, edge = find_dome(pictures, camera, height_mm)
    spot = replace(spot, die_mm=die_size(pictures[:2], camera, spot, count))
    readings = [read_dice(picture, camera, spot, count=count) for picture in pictures]
    surely = [len(one.dice) == count and one.confidence >= SURE_FROM for one in readings]
    qualities = (
        Quality("throws", len(pictures), limits.throws, at_least=True),
        Quality("dome's edge", edge, limits.edge, at_least=True),
        Quality("throws read surely", float(np.mean(surely)), limits.read_surely, at_least=True),
    )
    part = DomePart(
        at=at,
        qualities=qualities,
        centre_mm=spot.centre_mm,
        radius_mm=spot.radius_mm,
        die_mm=spot.die_mm,
        height_mm=spot.height_mm,
        sure_from=SURE_FROM,
    )
    return DomeResult(part, qualities, portrait(pictures, camera, spot, readings, qualities))


def find_dome(
    pictures: Sequence[Picture], camera: CameraModel, height_mm: float
) -> tuple[DomeSpot, float]:
    """The roundest edge near the table's centre, in the mean of all throws, and how much of its
    circle is really an edge."""
    plan = np.mean([centre_plan(picture, camera, height_mm) for picture in pictures], axis=0)
    grey = cv2.GaussianBlur(plan.astype(np.uint8), (0, 0), 1.5)
    right, down = (cv2.Scharr(grey, cv2.CV_32F, *way) for way in ((1, 0), (0, 1)))
    steep = np.hypot(right, down)
    strong = float(np.percentile(steep, 90))
    best = (-1.0, 0.0, 0.0, 0.0)
    turns = np.linspace(0, 2 * np.pi, 90, endpoint=False)
    around = np.stack([np.cos(turns), np.sin(turns)], axis=1)
    middle = (np.array(grey.shape[::-1]) - 1) / 2
    # Coarse, then fine: every place and radius in steps of 3 mm, then of half a millimetre.
    for step_mm, reach_mm in ((3.0, 24.0), (0.5, 3.0)):
        origin = np.array(best[1:3]) if best[0] >= 0 else np.zeros(2)
        radii = (
            np.arange(24.0, 52.0, step_mm)
            if best[0] < 0
            else np.arange(best[3] - 3, best[3] + 3.1, step_mm)
        )
        offsets = np.arange(-reach_mm, reach_mm + 0.1, step_mm)
        for x in offsets + origin[0]:
            for y in offsets + origin[1]:
                centre = middle + np.array([x, -y]) * PLAN_PX_PER_MM
                for radius in radii:
                    points = np.round(centre + around * radius * PLAN_PX_PER_MM).astype(int)
                    inside = np.clip(points, 0, np.array(grey.shape[::-1]) - 1)
                    across = (
                        right[inside[:, 1], inside[:, 0]] * around[:, 0]
                        + down[inside[:, 1], inside[:, 0]] * around[:, 1]
                    )
                    score = float(np.minimum(np.abs(across) / max(strong, 1.0), 1.0).mean())
                    best = max(best, (score, float(x), float(y), float(radius)))
    score, x, y, radius = best
    return DomeSpot((x, y), radius, 15.0, height_mm), score


def centre_plan(picture: Picture, camera: CameraModel, height_mm: float) -> Picture:
    """The middle of the table from straight above, grey."""
    half = SEARCH_MM
    corners = np.array([[-half, half], [half, half], [half, -half], [-half, -half]])
    seen = camera.project(np.column_stack([corners, np.full(4, height_mm)]))
    side = round(2 * half * PLAN_PX_PER_MM)
    wanted = np.array([[0, 0], [side - 1, 0], [side - 1, side - 1], [0, side - 1]], np.float32)
    matrix = cv2.getPerspectiveTransform(seen.astype(np.float32), wanted)
    plan = cv2.warpPerspective(picture, matrix, (side, side))
    return np.asarray(cv2.cvtColor(plan, cv2.COLOR_BGR2GRAY), np.uint8)


def die_size(pictures: Sequence[Picture], camera: CameraModel, spot: DomeSpot, count: int) -> float:
    """The size at which the dice are read most surely."""

    def sureness(die_mm: float) -> float:
        sized = replace(spot, die_mm=die_mm)
        return sum(read_dice(picture, camera, sized, count=count).fit for picture in pictures)

    coarse = max(DIE_SIZES_MM, key=sureness)
    return max((coarse - 1.0, coarse, coarse + 1.0), key=sureness)


def portrait(
    pictures: Sequence[Picture],
    camera: CameraModel,
    spot: DomeSpot,
    readings: Sequence[DiceReading],
    qualities: Sequence[Quality],
) -> Picture:
    """Every throw, its dice outlined and named."""
    tiles = [
        throw_portrait(picture, camera, spot, reading)
        for picture, reading in zip(pictures, readings, strict=True)
    ]
    columns = min(4, len(tiles))
    while len(tiles) % columns:
        tiles.append(np.zeros_like(tiles[0]))
    rows = [np.hstack(tiles[at : at + columns]) for at in range(0, len(tiles), columns)]
    image = np.vstack([np.full((100, columns * SEEN_PX, 3), 40, np.uint8), *rows])
    return label(np.asarray(image, np.uint8), list(map(str, qualities)))


def throw_portrait(
    picture: Picture, camera: CameraModel, spot: DomeSpot, reading: DiceReading
) -> Picture:
    """One throw, enlarged."""
    turns = np.linspace(0, 2 * np.pi, 60)
    ring = np.column_stack(
        [
            spot.centre_mm[0] + spot.radius_mm * np.cos(turns),
            spot.centre_mm[1] + spot.radius_mm * np.sin(turns),
            np.full(60, spot.height_mm),
        ]
    )
    seen = camera.project(ring)
    low = np.maximum(seen.min(axis=0).astype(int) - 8, 0)
    high = seen.max(axis=0).astype(int) + 8
    factor = SEEN_PX / int(max(high - low))
    part = picture[low[1] : high[1], low[0] : high[0]]
    image = np.full((SEEN_PX, SEEN_PX, 3), 20, np.uint8)
    large = cv2.resize(part, None, fx=factor, fy=factor, interpolation=cv2.INTER_CUBIC)
    height, width = min(large.shape[0], SEEN_PX), min(large.shape[1], SEEN_PX)
    image[:height, :width] = large[:height, :width]
    outline(image, (seen - low) * factor, (200, 200, 200), 1)
    for die in reading.dice:
        quad = (np.array(die.quad_px) - low) * factor
        colour = GOOD if die.confidence >= SURE_FROM else BAD
        outline(image, quad, colour, 2)
        x, y = np.round(quad.mean(axis=0)).astype(int).tolist()
        text = f"{die.value}: {die.confidence:.2f}"
        cv2.putText(image, text, (x - 34, y - 44), 0, 0.6, colour, 2, cv2.LINE_AA)
    return image
