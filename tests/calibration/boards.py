"""Pictures for calibrating the simulated camera: the board held at many places, tags on the rim."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np

from calibration.boards import BoardSpec
from vision.camera import CameraModel
from vision.render import Look, Renderer, Sheet, tag_sheets
from vision.tags import TagLayout
from vision.zones import TableGeometry

# Not the renderer's default: a lens with more distortion, hung a little askew.
TRUE_CAMERA = CameraModel.above_table(
    distortion=(-0.11, 0.04, 0.0006, -0.0004, 0.0),
    offset_mm=(12.0, -9.0),
    tilt_deg=(0.8, -0.5),
    turn_deg=0.7,
)
TABLE = TableGeometry()
# Where the board is held: x, y, height in mm; lean about x and y, turn in degrees.
HELD = (
    (0, 0, 250, 0, 0, 0),
    (-380, 150, 150, 20, 5, 10),
    (380, 150, 150, -20, 8, -12),
    (-380, -170, 200, 5, 22, 90),
    (380, -170, 200, 5, -24, 80),
    (0, 180, 100, 25, 0, 4),
    (0, -180, 120, -25, 0, 178),
    (-150, 0, 450, 8, 28, 30),
    (170, 40, 420, -18, -18, -40),
    (-470, -10, 20, 0, 10, 95),
    (470, 0, 30, 6, -8, 88),
)


def held_board(place: tuple[float, ...], spec: BoardSpec) -> Sheet:
    """The board in somebody's hands."""
    x, y, height, lean_x, lean_y, turn = place
    width, depth = spec.columns * spec.square_mm / 2, spec.rows * spec.square_mm / 2
    flat = np.array(
        [[-width, depth, 0], [width, depth, 0], [width, -depth, 0], [-width, -depth, 0]]
    )
    spin, _ = cv2.Rodrigues(np.radians([0.0, 0.0, turn]))
    lean, _ = cv2.Rodrigues(np.radians([lean_x, lean_y, 0.0]))
    return Sheet(spec.picture(), flat @ spin.T @ lean.T + [x, y, height])


@cache
def board_pictures() -> tuple[np.ndarray, ...]:
    """Pictures of the board at every place."""
    renderer = Renderer(TRUE_CAMERA, Look())
    rng, spec = np.random.default_rng(3), BoardSpec()
    return tuple(
        renderer.draw([], rng, sheets=[held_board(place, spec)], centre=False).image
        for place in HELD
    )


@cache
def tag_picture() -> np.ndarray:
    """The table with its tags and walls."""
    renderer = Renderer(TRUE_CAMERA, Look(), sheets=tag_sheets(TagLayout()))
    tiles = [pose.of("bk") for side in range(4) for pose in TABLE.wall_poses(side)]
    return renderer.draw(tiles, np.random.default_rng(5), with_truth=False).image
