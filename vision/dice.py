"""Reads the dice in the dome of the centre unit from above.

    reading = read_dice(image, camera, DomeSpot(), count=2)
    reading.values, reading.confidence

The dome is straightened and enlarged, squares of a die's size are sought in it, and the pips of
each square are compared with those of all six values in every turn. A reflection on the cover
hides pips of one die only in part; when too much is hidden the confidence says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.camera import CameraModel
from vision.values import DiceReading as DiceReading
from vision.values import Die as Die
from vision.values import DomeSpot as DomeSpot

Picture = NDArray[np.uint8]
Points = NDArray[np.float64]

PX_PER_MM = 5.0
SIDE_PX = 40  # of a die's upper side when its pips are compared
TURN_STEP_DEG = 4.5


def read_dice(
    image: Picture, camera: CameraModel, dome: DomeSpot | None = None, *, count: int | None = None
) -> DiceReading:
    """The dice that lie in the dome; ``count`` is how many there should be, if that is known."""
    dome = dome or DomeSpot()
    plan = dome_plan(image, camera, dome)
    candidates = [compare(plan, square, dome) for square in find_squares(plan, dome)]
    chosen = apart(candidates, dome, count)
    dice = []
    for read in sorted(chosen, key=lambda read: read.square.centre[0]):
        quad = camera.project(to_table(read.square.corners(dome), dome))
        corners = tuple((float(x), float(y)) for x, y in quad)
        dice.append(Die(read.value, read.confidence, corners))
    return DiceReading(tuple(dice), sum(read.fit for read in chosen))


def dome_plan(image: Picture, camera: CameraModel, dome: DomeSpot) -> Picture:
    """The dome from straight above, darkest of the three colours, so that red pips are dark too."""
    side = round(2 * dome.radius_mm * PX_PER_MM)
    corners = np.array([[0, 0], [side - 1, 0], [side - 1, side - 1], [0, side - 1]], np.float64)
    seen = camera.project(to_table(corners, dome))  # the lens bends nothing within so small a part
    matrix = cv2.getPerspectiveTransform(seen.astype(np.float32), corners.astype(np.float32))
    plan = cv2.warpPerspective(image, matrix, (side, side), flags=cv2.INTER_CUBIC)
    return np.asarray(plan.min(axis=2), np.uint8)


def to_table(points: Points, dome: DomeSpot) -> Points:
    """Points of the plan as table millimetres at the height of the dice."""
    flat = (np.asarray(points, np.float64) + 0.5) / PX_PER_MM - dome.radius_mm
    x, y = flat[:, 0] + dome.centre_mm[0], dome.centre_mm[1] - flat[:, 1]
    return np.column_stack([x, y, np.full(len(flat), dome.height_mm)])


@dataclass(frozen=True, slots=True)
class Square:
    """A square of a die's size in the plan."""

    centre: tuple[float, float]
    turn_deg: float
    score: float

    def corners(self, dome: DomeSpot) -> Points:
        """Its corners in the plan, clockwise."""
        half = dome.die_mm * PX_PER_MM / 2
        spin = np.radians(self.turn_deg)
        across = np.array([np.cos(spin), np.sin(spin)]) * half
        down = np.array([-np.sin(spin), np.cos(spin)]) * half
        middle = np.array(self.centre)
        turns = ((-1, -1), (1, -1), (1, 1), (-1, 1))
        return np.array([middle + right * across + below * down for right, below in turns])


@dataclass(frozen=True, slots=True)
class ReadSquare:
    """A square with the value that its pips say; ``fit`` counts outline and pips together."""

    square: Square
    value: int
    confidence: float
    fit: float


SHRINK = 3  # squares are sought in a plan of a third of the size
LEAST_SQUARE = 0.25  # correlation with a die's outline below which nothing is looked at
MOST_SQUARES = 14
# Outline and pips of a die fit with 1.3 and more in the simulated dome; a reflection alone and a
# square between two dice stay below 1.
GOOD_FIT = 1.1


def apart(candidates: Sequence[ReadSquare], dome: DomeSpot, count: int | None) -> list[ReadSquare]:
    """The best squares that do not lie on each other."""
    chosen: list[ReadSquare] = []
    near = dome.die_mm * 0.85 * PX_PER_MM
    for one in sorted(candidates, key=lambda read: -read.fit):
        if len(chosen) == count or (count is None and one.fit < GOOD_FIT):
            break
        gaps = (np.hypot(*np.subtract(one.square.centre, other.square.centre)) for other in chosen)
        if all(gap > near for gap in gaps):
            chosen.append(one)
    return chosen


def find_squares(plan: Picture, dome: DomeSpot) -> list[Square]:
    """Places where a die may lie; they may overlap, the pips decide."""
    small = cv2.resize(plan, None, fx=1 / SHRINK, fy=1 / SHRINK, interpolation=cv2.INTER_AREA)
    rows, columns = small.shape[:2]
    field = np.full((rows, columns), -1.0, np.float32)
    turns = np.zeros((rows, columns), np.float32)
    for turn in np.arange(0, 90, TURN_STEP_DEG):
        pattern, mask = square_pattern(float(turn), dome.die_mm)
        edge = pattern.shape[0] // 2
        padded = cv2.copyMakeBorder(small, edge, edge, edge, edge, cv2.BORDER_REPLICATE)
        fits = cv2.matchTemplate(padded, pattern, cv2.TM_CCOEFF_NORMED, mask=mask)
        fits = np.nan_to_num(fits, nan=-1.0, posinf=-1.0, neginf=-1.0)[:rows, :columns]
        better = fits > field
        field[better], turns[better] = fits[better], turn
    reach_mm = dome.radius_mm - dome.die_mm * 0.4
    y, x = np.mgrid[0:rows, 0:columns]
    middle = (rows - 1) / 2
    field[np.hypot(x - middle, y - middle) > reach_mm * PX_PER_MM / SHRINK] = -1
    found: list[Square] = []
    near = dome.die_mm * 0.25 * PX_PER_MM / SHRINK
    while len(found) < MOST_SQUARES:
        row, column = divmod(int(field.argmax()), columns)
        score = float(field[row, column])
        if score < LEAST_SQUARE:
            break
        centre = ((column + 0.5) * SHRINK - 0.5, (row + 0.5) * SHRINK - 0.5)
        found.append(Square(centre, float(turns[row, column]), score))
        field[np.hypot(x - column, y - row) < near] = -1
    return found


@cache
def square_pattern(turn_deg: float, die_mm: float) -> tuple[Picture, Picture]:
    """A bright square on dark ground and the part of it that is compared: not where pips may be."""
    scale = PX_PER_MM / SHRINK
    half = die_mm * scale / 2
    side = 2 * round(half * 1.42 + 3 * scale) + 1
    middle = side // 2
    spin = np.radians(turn_deg)
    y, x = np.mgrid[0:side, 0:side].astype(np.float64) - middle
    across = np.abs(np.cos(spin) * x + np.sin(spin) * y)
    down = np.abs(-np.sin(spin) * x + np.cos(spin) * y)
    out = np.maximum(across, down)
    pattern = np.clip((half - out + 0.5) * 255, 0, 255).astype(np.uint8)
    mask = ((out < half + 2.0 * scale) & (out > 0.0)).astype(np.uint8)
    return pattern, mask


PIPS = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}


@cache
def value_patterns() -> tuple[tuple[int, ...], NDArray[np.float32]]:
    """Pips of each value, in each turn and several sizes: the values, and one row a pattern with
    mean zero and length one."""
    values, rows = [], []
    for value, pips in PIPS.items():
        turned = {pips, tuple(sorted((y, -x) for x, y in pips))}
        sizes = (0.10, 0.14, 0.18, 0.22) if value == 1 else (0.085, 0.115)
        for layout in turned:
            for size in sizes:
                face = np.zeros((SIDE_PX, SIDE_PX), np.float32)
                for x, y in layout:
                    at = (np.array([x, y]) * 0.26 + 0.5) * SIDE_PX - 0.5
                    spot = np.round(at * 16).astype(int)
                    radius = round(size * SIDE_PX * 16)
                    cv2.circle(face, (int(spot[0]), int(spot[1])), radius, 1.0, -1, cv2.LINE_AA, 4)
                face = np.asarray(cv2.GaussianBlur(face, (0, 0), 1.6), np.float32)
                values.append(value)
                rows.append(standard(face))
    return tuple(values), np.stack(rows)


def standard(face: NDArray[np.float32]) -> NDArray[np.float32]:
    """The inner part of a face as one row with mean zero and length one."""
    edge = SIDE_PX // 10
    row = face[edge:-edge, edge:-edge].ravel()
    row = row - row.mean()
    return np.asarray(row / max(float(np.sqrt(row @ row)), 1e-6), np.float32)


SHARPNESS = 22.0  # of the choice between values
# From this confidence on a throw counts. 380 throws of two and three dice in random looks, some
# under hard reflections: 5 wrong, all below 0.69; 1.5 % of the right ones lie below it too.
SURE_FROM = 0.7
FAINT = 50.0
GOOD_PIPS = 0.85  # correlation below which the pips themselves are in doubt


def compare(plan: Picture, square: Square, dome: DomeSpot) -> ReadSquare:
    """The value whose pips fit best, its probability, and the square moved to fit."""
    moved = [
        Square((square.centre[0] + right, square.centre[1] + down), square.turn_deg + turn, 1.0)
        for turn in (-3.0, 0.0, 3.0)
        for right in (-3.0, 0.0, 3.0)
        for down in (-3.0, 0.0, 3.0)
    ]
    values, patterns = value_patterns()
    fits = (
        np.stack([standard(pip_depth(upper_side(plan, one, dome))) for one in moved]) @ patterns.T
    )
    place, pattern = divmod(int(fits.argmax()), len(values))
    best = dict.fromkeys(PIPS, 0.0)
    for value, fit in zip(values, fits.max(axis=0), strict=True):
        best[value] = max(best[value], float(fit))
    chances = {value: float(np.exp(SHARPNESS * fit)) for value, fit in best.items()}
    value = values[pattern]
    confidence = chances[value] / sum(chances.values()) * min(1.0, best[value] / GOOD_PIPS)
    return ReadSquare(moved[place], value, confidence, square.score + best[value])


def upper_side(plan: Picture, square: Square, dome: DomeSpot) -> Picture:
    """The die's upper side, upright."""
    edge = np.array(
        [
            [-0.5, -0.5],
            [SIDE_PX - 0.5, -0.5],
            [SIDE_PX - 0.5, SIDE_PX - 0.5],
            [-0.5, SIDE_PX - 0.5],
        ],
        np.float32,
    )
    matrix = cv2.getPerspectiveTransform(square.corners(dome).astype(np.float32), edge)
    face = cv2.warpPerspective(plan, matrix, (SIDE_PX, SIDE_PX), flags=cv2.INTER_LINEAR)
    return np.asarray(face, np.uint8)


def pip_depth(face: Picture) -> NDArray[np.float32]:
    """How much darker each point is than the die around it, 0 to 1; half at FAINT levels.

    A pip under a reflection is faint but still darker than what surrounds it, so it counts nearly
    as much as one in plain light.
    """
    reach = round(0.5 * SIDE_PX)
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (reach, reach))
    around = cv2.morphologyEx(face, cv2.MORPH_CLOSE, kernel)
    depth = cv2.subtract(around, face).astype(np.float32)
    return np.asarray(depth / (depth + FAINT), np.float32)
