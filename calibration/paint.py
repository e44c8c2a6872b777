"""Small helpers for the pictures that show how good a calibration is."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
Points = NDArray[np.float64]
Colour = tuple[int, int, int]

GOOD: Colour = (90, 220, 90)
BAD: Colour = (70, 70, 245)
PLAIN: Colour = (230, 230, 230)


def canvas(size_px: tuple[int, int]) -> Picture:
    """A dark empty picture."""
    return np.full((size_px[1], size_px[0], 3), 40, np.uint8)


def fixed(points: Points) -> NDArray[np.int32]:
    """Points with four sub-pixel bits."""
    return np.round(np.asarray(points) * 16).astype(np.int32)


def arrow(image: Picture, begin: Points, end: Points, colour: Colour) -> None:
    """A dot with a line to where its error points."""
    one, two = fixed(begin).tolist(), fixed(end).tolist()
    cv2.line(image, one, two, colour, 1, cv2.LINE_AA, 4)
    cv2.circle(image, one, 3 * 16, colour, -1, cv2.LINE_AA, 4)


def outline(image: Picture, points: Points, colour: Colour, width: int = 2) -> None:
    """A closed line through the points."""
    cv2.polylines(image, [fixed(points)], True, colour, width, cv2.LINE_AA, 4)


def label(image: Picture, lines: Sequence[str]) -> Picture:
    """The numbers in the upper left corner, on a dark ground."""
    scale = max(0.5, image.shape[1] / 1920)
    step = round(34 * scale)
    wide = max(
        cv2.getTextSize(line, cv2.FONT_HERSHEY_SIMPLEX, 0.8 * scale, 2)[0][0] for line in lines
    )
    box = image[: step * len(lines) + 16, : wide + 24]
    box[:] = box // 4
    for place, line in enumerate(lines):
        colour = BAD if "NOT GOOD" in line else GOOD if line.endswith("good") else PLAIN
        at = (12, step * (place + 1))
        cv2.putText(image, line, at, cv2.FONT_HERSHEY_SIMPLEX, 0.8 * scale, colour, 2, cv2.LINE_AA)
    return image
