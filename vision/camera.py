"""The camera as geometry: table millimetres to pixels of the picture and back.

    camera = CameraModel.above_table()
    pixels = camera.project(np.array([[0.0, 0.0, 16.0]]))
    felt = camera.to_table(pixels, height_mm=16.0)

The model is a pinhole with radial and tangential distortion. Calibration measures its numbers;
``above_table`` gives those of the simulated table.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import cv2
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
        matrix, _ = cv2.Rodrigues(np.array(self.rotation, np.float64))
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
        tilt, _ = cv2.Rodrigues(np.radians([tilt_deg[0], tilt_deg[1], turn_deg]))
        matrix = tilt @ down
        eye = np.array([offset_mm[0], offset_mm[1], height_mm])
        rotation, _ = cv2.Rodrigues(matrix)
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
    def intrinsics(self) -> NDArray[np.float64]:
        """The 3 x 3 camera matrix."""
        return np.array(
            [
                [self.focal_px[0], 0, self.centre_px[0]],
                [0, self.focal_px[1], self.centre_px[1]],
                [0, 0, 1],
            ]
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
        wanted = np.asarray(pixels, np.float64).reshape(-1, 1, 2)
        if len(wanted) == 0:
            return np.zeros((0, 2))
        straight = cv2.undistortPoints(wanted, self.intrinsics, np.array(self.distortion))
        rays = np.concatenate([straight[:, 0], np.ones((len(straight), 1))], axis=1) @ self._matrix
        eye = self.eye_mm
        reach = (np.asarray(height_mm, np.float64) - eye[2]) / rays[:, 2]
        return np.asarray(eye[:2] + rays[:, :2] * reach[:, None])

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
        turned, _ = cv2.Rodrigues(np.radians([0.0, 0.0, turn_deg]))
        matrix = self._matrix @ turned
        eye = self.eye_mm + np.array(shift_mm)
        rotation, _ = cv2.Rodrigues(matrix)
        translation = -matrix @ eye
        return replace(self, rotation=_three(rotation), translation_mm=_three(translation))


@dataclass(frozen=True, slots=True)
class Rectifier:
    """Straightens pictures into a plan of the table at one height, a fixed scale everywhere."""

    camera: CameraModel
    px_per_mm: float = 1.5
    half_side_mm: float = 370.0
    height_mm: float = 16.0
    _maps: tuple[NDArray[np.int16], NDArray[np.uint16]] = field(
        init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        side = self.side_px
        across = (np.arange(side) + 0.5) / self.px_per_mm - self.half_side_mm
        x, y = np.meshgrid(across, -across)
        points = np.stack([x, y, np.full_like(x, self.height_mm)], axis=-1)
        pixels = self.camera.project(points).reshape(side, side, 2).astype(np.float32)
        maps = cv2.convertMaps(pixels[..., 0], pixels[..., 1], cv2.CV_16SC2)
        object.__setattr__(self, "_maps", maps)

    @property
    def side_px(self) -> int:
        """The plan is square; this is its side."""
        return round(2 * self.half_side_mm * self.px_per_mm)

    def plan(self, image: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The picture as a plan: seat 0 at the bottom, true angles and lengths."""
        return np.asarray(cv2.remap(image, *self._maps, cv2.INTER_LINEAR), np.uint8)

    def plan_to_table(self, pixels: Points) -> Points:
        """Table millimetres of points of the plan."""
        points = (np.asarray(pixels, np.float64) + 0.5) / self.px_per_mm - self.half_side_mm
        return np.asarray(points * np.array([1.0, -1.0]), np.float64)

    def table_to_plan(self, points_mm: Points) -> Points:
        """Points of the plan for table millimetres."""
        points = np.asarray(points_mm, np.float64) * np.array([1.0, -1.0])
        return np.asarray((points + self.half_side_mm) * self.px_per_mm - 0.5, np.float64)


def _three(values: cv2.typing.MatLike) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in values.ravel())
    return x, y, z
