"""Straightens pictures into a plan of the table: seat 0 at the bottom, true angles and lengths."""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.camera import CameraModel, Points


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
