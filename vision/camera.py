"""The camera as geometry: table millimetres to pixels of the picture and back.

    camera = CameraModel.above_table()
    pixels = camera.project(np.array([[0.0, 0.0, 16.0]]))
    felt = camera.to_table(pixels, height_mm=16.0)

The model is a pinhole with radial and tangential distortion. Calibration measures its numbers;
``above_table`` gives those of the simulated table.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class CameraModel:
    """One camera over one table. Lengths are pixels and millimetres; the rotation is a vector."""

    width_px: int
    height_px: int
    focal_px: tuple[float, float]
    centre_px: tuple[float, float]
    distortion: tuple[float, float, float, float, float]  # k1 k2 p1 p2 k3, as OpenCV orders them
    rotation: tuple[float, float, float]  # table to camera, Rodrigues
    translation_mm: tuple[float, float, float]
    _matrix: NDArray[np.float64] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        matrix = turned_by(np.array(self.rotation, np.float64))
        object.__setattr__(self, "_matrix", matrix)

    @classmethod
    def above_table(
        cls,
        *,
        width_px: int = 1920,
        height_px: int = 1080,
        height_mm: float = 1200.0,
        visible_mm: float = 740.0,
        offset_mm: tuple[float, float] = (0.0, 0.0),
        tilt_deg: tuple[float, float] = (0.0, 0.0),
        turn_deg: float = 0.0,
        distortion: tuple[float, float, float, float, float] = (-0.06, 0.02, 0.0003, -0.0002, 0.0),
    ) -> CameraModel:
        """A camera that looks down from ``height_mm`` and sees ``visible_mm`` in its height."""
        focal = height_px / visible_mm * height_mm
        down = np.diag([1.0, -1.0, -1.0])  # picture x is table x, picture y is table -y
        matrix = turned_by(np.radians([tilt_deg[0], tilt_deg[1], turn_deg])) @ down
        eye = np.array([offset_mm[0], offset_mm[1], height_mm])
        rotation = turn_of(matrix)
        translation = -matrix @ eye
        return cls(
            width_px=width_px,
            height_px=height_px,
            focal_px=(focal, focal),
            centre_px=((width_px - 1) / 2, (height_px - 1) / 2),
            distortion=distortion,
            rotation=_three(rotation),
            translation_mm=_three(translation),
        )

    @property
    def eye_mm(self) -> Points:
        """Where the camera is, in table millimetres."""
        return np.asarray(-self._matrix.T @ np.array(self.translation_mm))

    def project(self, points_mm: Points) -> Points:
        """Pixels of table points given as rows of (x, y, height)."""
        points = np.asarray(points_mm, np.float64).reshape(-1, 3)
        seen = points @ self._matrix.T + np.array(self.translation_mm)
        x, y = seen[:, 0] / seen[:, 2], seen[:, 1] / seen[:, 2]
        k1, k2, p1, p2, k3 = self.distortion
        square = x * x + y * y
        radial = 1 + square * (k1 + square * (k2 + square * k3))
        bent_x = x * radial + 2 * p1 * x * y + p2 * (square + 2 * x * x)
        bent_y = y * radial + p1 * (square + 2 * y * y) + 2 * p2 * x * y
        return np.stack(
            [
                bent_x * self.focal_px[0] + self.centre_px[0],
                bent_y * self.focal_px[1] + self.centre_px[1],
            ],
            axis=1,
        )

    def to_table(self, pixels: Points, height_mm: float | NDArray[np.float64] = 0.0) -> Points:
        """Table (x, y) of the points that are seen at these pixels at that height."""
        straight = self._straightened(np.asarray(pixels, np.float64).reshape(-1, 2))
        rays = np.column_stack([straight, np.ones(len(straight))]) @ self._matrix
        eye = self.eye_mm
        reach = (np.asarray(height_mm, np.float64) - eye[2]) / rays[:, 2]
        return np.asarray(eye[:2] + rays[:, :2] * reach[:, None])

    def _straightened(self, pixels: Points) -> Points:
        """Where the pixels would lie at focal length one without distortion, by repeating the
        bend until it fits; it settles to a hundred-thousandth of a pixel for any usable lens."""
        seen = (pixels - np.array(self.centre_px)) / np.array(self.focal_px)
        k1, k2, p1, p2, k3 = self.distortion
        x, y = seen[:, 0], seen[:, 1]
        for _ in range(20):
            square = x * x + y * y
            radial = 1 + square * (k1 + square * (k2 + square * k3))
            bent_x = 2 * p1 * x * y + p2 * (square + 2 * x * x)
            bent_y = p1 * (square + 2 * y * y) + 2 * p2 * x * y
            x, y = (seen[:, 0] - bent_x) / radial, (seen[:, 1] - bent_y) / radial
        return np.stack([x, y], axis=1)

    def scaled(self, factor: float) -> CameraModel:
        """The same camera with its picture scaled, for small previews and 12-megapixel stills."""
        return replace(
            self,
            width_px=round(self.width_px * factor),
            height_px=round(self.height_px * factor),
            focal_px=(self.focal_px[0] * factor, self.focal_px[1] * factor),
            centre_px=(
                (self.centre_px[0] + 0.5) * factor - 0.5,
                (self.centre_px[1] + 0.5) * factor - 0.5,
            ),
        )

    def moved(self, *, shift_mm: tuple[float, float, float], turn_deg: float) -> CameraModel:
        """The same camera after a knock: shifted on its arm and turned about the vertical."""
        matrix = self._matrix @ turned_by(np.radians([0.0, 0.0, turn_deg]))
        eye = self.eye_mm + np.array(shift_mm)
        rotation = turn_of(matrix)
        translation = -matrix @ eye
        return replace(self, rotation=_three(rotation), translation_mm=_three(translation))


def turned_by(turn: Points) -> Points:
    """The rotation matrix of a turn given as axis times angle in radians."""
    angle = float(np.sqrt(turn @ turn))
    if angle < 1e-12:
        return np.eye(3)
    x, y, z = turn / angle
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    sine, versine = np.sin(angle), 1 - np.cos(angle)
    return np.asarray(np.eye(3) + sine * cross + versine * cross @ cross)


def turn_of(matrix: Points) -> Points:
    """The turn, axis times angle, of a rotation matrix."""
    # From the largest part of the quaternion, which stays exact at half a turn: a camera that
    # looks straight down is one.
    trace = float(np.trace(matrix))
    lean = np.diag(matrix)
    place = int(np.argmax([trace, *lean]))
    if place == 0:
        real = np.sqrt(max(0.0, 1 + trace)) / 2
        rest = [
            matrix[2, 1] - matrix[1, 2],
            matrix[0, 2] - matrix[2, 0],
            matrix[1, 0] - matrix[0, 1],
        ]
        axis = np.array(rest) / (4 * real)
    else:
        i = place - 1
        j, k = (i + 1) % 3, (i + 2) % 3
        axis = np.empty(3)
        axis[i] = np.sqrt(max(0.0, 1 + lean[i] - lean[j] - lean[k])) / 2
        axis[j] = (matrix[j, i] + matrix[i, j]) / (4 * axis[i])
        axis[k] = (matrix[k, i] + matrix[i, k]) / (4 * axis[i])
        real = (matrix[k, j] - matrix[j, k]) / (4 * axis[i])
    size = float(np.sqrt(axis @ axis))
    if size < 1e-12:
        return np.zeros(3)
    return np.asarray(axis / size * 2 * np.arctan2(size, real))


def _three(values: Points) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in values.ravel())
    return x, y, z
