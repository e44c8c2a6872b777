"""The four tags that stay on the table's rim: they say where the table is, and that the camera has
not moved since it was calibrated.

    seen = find_tags(image)
    drift = camera_drift(camera, TagLayout(), seen)
    if not drift.is_small: ...
"""

from __future__ import annotations

from collections.abc import Mapping

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.camera import CameraModel
from vision.errors import VisionError
from vision.values import Drift as Drift
from vision.values import DriftLimits as DriftLimits
from vision.values import TagLayout as TagLayout

Picture = NDArray[np.uint8]
Points = NDArray[np.float64]

DICTIONARY = cv2.aruco.DICT_4X4_50
CELLS = 6  # a tag of the 4 x 4 family with its black border


class TagsNotSeenError(VisionError):
    """Too few of the table's tags are in the picture to say anything."""

    def __init__(self, missing: tuple[int, ...], least: int) -> None:
        names = ", ".join(str(number) for number in missing)
        super().__init__(
            f"of the table's four tags {names} cannot be seen and {least} are needed;"
            " uncover them, clean them, check the light"
        )
        self.missing = missing


def tag_picture(number: int, px_per_cell: int = 20) -> Picture:
    """The tag with its white quiet zone, one cell wide."""
    dictionary = cv2.aruco.getPredefinedDictionary(DICTIONARY)
    tag = cv2.aruco.generateImageMarker(dictionary, number, CELLS * px_per_cell)
    edge = px_per_cell
    framed = cv2.copyMakeBorder(tag, edge, edge, edge, edge, cv2.BORDER_CONSTANT, value=255)
    return np.asarray(framed, np.uint8)


def find_tags(image: Picture) -> dict[int, Points]:
    """The corners of every tag in the picture, clockwise from the tag's upper left."""
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    dictionary = cv2.aruco.getPredefinedDictionary(DICTIONARY)
    grey = image if image.ndim == 2 else cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    corners, numbers, _ = cv2.aruco.ArucoDetector(dictionary, parameters).detectMarkers(grey)
    if numbers is None:
        return {}
    return {
        int(number): np.asarray(quad, np.float64).reshape(4, 2)
        for number, quad in zip(numbers.ravel(), corners, strict=True)
    }


def camera_drift(
    camera: CameraModel,
    layout: TagLayout,
    seen: Mapping[int, Points],
    limits: DriftLimits | None = None,
) -> Drift:
    """How far the tags are from where the calibrated camera should see them.

    Two tags are enough, so that a cup on one or an arm over another does no harm.
    """
    missing = tuple(number for number in layout.centres_mm if number not in seen)
    if len(layout.centres_mm) - len(missing) < 2:
        raise TagsNotSeenError(missing, 2)
    wanted, found = [], []
    for number in layout.centres_mm:
        if number in seen:
            wanted.append(layout.corners_mm(number)[:, :2])
            found.append(camera.to_table(seen[number], layout.height_mm))
    to, at = np.concatenate(wanted), np.concatenate(found)
    turn, shift = rigid_motion(to, at)
    spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    rest = at - (to @ spin.T + shift)
    return Drift(
        shift_mm=(float(shift[0]), float(shift[1])),
        turn_deg=float(np.degrees(turn)),
        worst_mm=float(np.hypot(*(at - to).T).max()),
        left_mm=float(np.hypot(*rest.T).max()),
        missing=missing,
        limits=limits or DriftLimits(),
    )


def rigid_motion(of: Points, to: Points) -> tuple[float, Points]:
    """The turn about the origin, in radians, and the shift after it that best move points there."""
    middle_of, middle_to = of.mean(axis=0), to.mean(axis=0)
    one, two = of - middle_of, to - middle_to
    cross = float((one[:, 0] * two[:, 1] - one[:, 1] * two[:, 0]).sum())
    along = float((one * two).sum())
    turn = float(np.arctan2(cross, along))
    spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    return turn, np.asarray(middle_to - spin @ middle_of)
