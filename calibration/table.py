"""The table under the camera: where it lies, from the four tags on its rim.

    result = calibrate_table(pictures, profile.lens)
    result.place, result.qualities, result.picture

The picture shows the zones as they will be read; look at it: the ponds must lie beside the centre
unit and the walls where walls rise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.paint import BAD, GOOD, label, outline
from calibration.profile import LensPart, PlacePart
from calibration.quality import CalibrationError, Quality
from vision.camera import CameraModel
from vision.tags import TagLayout, TagsNotSeenError, find_tags
from vision.types import ZoneKind
from vision.zones import TableGeometry

Picture = NDArray[np.uint8]
Points = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TableLimits:
    """What a good table calibration keeps."""

    error_mm: float = 1.5  # at the worst tag; a tile is 20 mm wide
    least_height_mm: float = 700.0
    tile_px: float = 24.0  # short side; below it faces cannot be read


@dataclass(frozen=True, slots=True, eq=False)
class TableResult:
    """Where the camera hangs, how good that is, and a picture that shows it."""

    place: PlacePart
    camera: CameraModel
    qualities: tuple[Quality, ...]
    picture: Picture


def calibrate_table(
    pictures: Sequence[Picture],
    lens: LensPart | None,
    layout: TagLayout | None = None,
    table: TableGeometry | None = None,
    limits: TableLimits | None = None,
    *,
    at: str = "",
) -> TableResult:
    """Measures where the camera hangs from one or more pictures of the table with its tags."""
    layout, table, limits = layout or TagLayout(), table or TableGeometry(), limits or TableLimits()
    if lens is None:
        raise CalibrationError("calibrate the camera first: mahjong-table calibrate camera")
    if not pictures:
        raise CalibrationError("there is no picture of the table")
    if pictures[0].shape[1::-1] != lens.size_px:
        seen, known = pictures[0].shape[1::-1], lens.size_px
        raise CalibrationError(
            f"the picture has {seen[0]} x {seen[1]} pixels, the camera was calibrated at"
            f" {known[0]} x {known[1]}"
        )
    corners = typical_corners(pictures, layout)
    camera = hang(lens, layout, corners)
    errors = {
        number: float(
            np.hypot(
                *(camera.to_table(quad, layout.height_mm) - layout.corners_mm(number)[:, :2]).T
            ).max()
        )
        for number, quad in corners.items()
    }
    height_mm = float(camera.eye_mm[2])
    tile_px = camera.focal_px[0] * table.tile.width_mm / (height_mm - table.tile.thickness_mm)
    qualities = (
        Quality("worst tag", max(errors.values()), limits.error_mm, "mm"),
        Quality("camera height", height_mm, limits.least_height_mm, "mm", at_least=True),
        Quality("tile width", tile_px, limits.tile_px, "px", at_least=True),
    )
    place = PlacePart(
        at=at,
        qualities=qualities,
        rotation=camera.rotation,
        translation_mm=camera.translation_mm,
        tag_size_mm=layout.size_mm,
        tag_height_mm=layout.height_mm,
        tag_centres_mm=dict(layout.centres_mm),
    )
    picture = portrait(pictures[-1], camera, table, corners, errors, limits, qualities)
    return TableResult(place, camera, qualities, picture)


def typical_corners(pictures: Sequence[Picture], layout: TagLayout) -> dict[int, Points]:
    """Each tag's corners, the median over the pictures; all four tags must have been seen."""
    seen = [find_tags(picture) for picture in pictures]
    missing = tuple(
        number for number in layout.centres_mm if not any(number in tags for tags in seen)
    )
    if missing:
        raise TagsNotSeenError(missing, len(layout.centres_mm))
    return {
        number: np.median([tags[number] for tags in seen if number in tags], axis=0)
        for number in layout.centres_mm
    }


def hang(lens: LensPart, layout: TagLayout, corners: dict[int, Points]) -> CameraModel:
    """The camera over the table that sees the tags where they were seen."""
    world = np.concatenate([layout.corners_mm(number) for number in corners])
    seen = np.concatenate(list(corners.values()))
    matrix = np.array(
        [
            [lens.focal_px[0], 0, lens.centre_px[0]],
            [0, lens.focal_px[1], lens.centre_px[1]],
            [0, 0, 1],
        ]
    )
    distortion = np.array(lens.distortion)
    found, turn, shift = cv2.solvePnP(world, seen, matrix, distortion, flags=cv2.SOLVEPNP_SQPNP)
    if not found:
        raise CalibrationError("the tags fit no place of the camera; do they lie as printed?")
    turn, shift = cv2.solvePnPRefineLM(world, seen, matrix, distortion, turn, shift)
    return CameraModel(
        width_px=lens.size_px[0],
        height_px=lens.size_px[1],
        focal_px=lens.focal_px,
        centre_px=lens.centre_px,
        distortion=lens.distortion,
        rotation=_three(turn),
        translation_mm=_three(shift),
    )


ZONE_COLOURS = {
    ZoneKind.CENTRE: (200, 200, 200),
    ZoneKind.POND: (90, 220, 90),
    ZoneKind.WALL: (60, 160, 250),
    ZoneKind.FLOWERS: (220, 120, 240),
    ZoneKind.HAND: (240, 200, 70),
    ZoneKind.MELDS: (90, 230, 240),
}


def portrait(
    picture: Picture,
    camera: CameraModel,
    table: TableGeometry,
    corners: dict[int, Points],
    errors: dict[int, float],
    limits: TableLimits,
    qualities: Sequence[Quality],
) -> Picture:
    """The table with its zones and tags drawn where they were measured."""
    image = picture.copy()
    draw_zones(image, camera, table)
    for number, quad in corners.items():
        good = errors[number] <= limits.error_mm
        outline(image, quad, GOOD if good else BAD, 3)
        x, y = np.round(quad.mean(axis=0)).astype(int).tolist()
        text = f"{number}: {errors[number]:.1f} mm"
        colour = GOOD if good else BAD
        cv2.putText(image, text, (x - 60, y - 30), 0, 0.6, colour, 2, cv2.LINE_AA)
    return label(image, list(map(str, qualities)))


def draw_zones(image: Picture, camera: CameraModel, table: TableGeometry) -> None:
    """Each zone of the table as a tint over the picture, with its border."""
    step_mm = 6.0
    half = table.felt_mm / 2 + 12
    across = np.arange(-half, half, step_mm) + step_mm / 2
    x, y = np.meshgrid(across, across)
    points = np.column_stack([x.ravel(), y.ravel()])
    zones = [table.zone_of((float(right), float(up))) for right, up in points]
    numbers = {zone: place for place, zone in enumerate(table.zones(), 1)}
    map_of = np.array([numbers.get(zone, 0) for zone in zones], np.uint8).reshape(x.shape)
    for zone, number in numbers.items():
        shape = (map_of == number).astype(np.uint8)
        edges, _ = cv2.findContours(shape, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        for edge in edges:
            flat = edge[:, 0].astype(np.float64) * step_mm - half + step_mm / 2
            seen = camera.project(np.column_stack([flat, np.zeros(len(flat))]))
            outline(image, seen, ZONE_COLOURS[zone.kind], 1)


def _three(values: cv2.typing.MatLike) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in np.asarray(values).ravel())
    return x, y, z
