"""Printed sheets over the table: calibration boards and tags, bent by the lens as in life."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.camera import CameraModel
from vision.tags import CELLS, TagLayout, tag_picture

Picture = NDArray[np.uint8]
Points = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """Something printed that lies or is held over the table: a board, a tag.

    The corners are given clockwise from the print's upper left, with their heights.
    """

    picture: Picture  # grey
    corners_mm: Points  # 4 x 3


def tag_sheets(layout: TagLayout) -> list[Sheet]:
    """The table's tags with their white edges, where the layout says."""
    sheets = []
    for number in layout.centres_mm:
        corners = layout.corners_mm(number)
        middle = corners.mean(axis=0)
        with_edge = middle + (corners - middle) * (CELLS + 2) / CELLS
        sheets.append(Sheet(tag_picture(number), with_edge))
    return sheets


def seen_sheet(camera: CameraModel, sheet: Sheet) -> tuple[tuple[int, int], Picture, Picture]:
    """The print as the camera sees it: upper left corner, colours and mask."""
    corners = sheet.corners_mm
    share = np.linspace(0, 1, 20)[:, None]
    edge = np.concatenate(
        [corners[k] * (1 - share) + corners[(k + 1) % 4] * share for k in range(4)]
    )
    outline = camera.project(edge)
    size = (camera.width_px, camera.height_px)
    low = np.clip(np.floor(outline.min(0)).astype(int) - 2, 0, size)
    high = np.clip(np.ceil(outline.max(0)).astype(int) + 3, 0, size)
    width, height = (int(value) for value in np.maximum(high - low, 1))
    fine = 2  # samples a pixel each way, so that edges are soft
    x = (np.arange(width * fine) + 0.5) / fine - 0.5 + low[0]
    y = (np.arange(height * fine) + 0.5) / fine - 0.5 + low[1]
    grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    # The sheet's plane cuts the ray of each pixel: eye + t * ray = corner + u * right + v * down.
    near, far = camera.to_table(grid, 0.0), camera.eye_mm
    rays = np.column_stack([near, np.zeros(len(near))]) - far
    right, down = corners[1] - corners[0], corners[3] - corners[0]
    normal = np.cross(right, down)
    reach = ((corners[0] - far) @ normal) / (rays @ normal)
    hit = far + rays * reach[:, None] - corners[0]
    u = hit @ right / (right @ right)
    v = hit @ down / (down @ down)
    rows, columns = sheet.picture.shape[:2]
    shape = (height * fine, width * fine)
    map_x = (u * columns - 0.5).reshape(shape).astype(np.float32)
    map_y = (v * rows - 0.5).reshape(shape).astype(np.float32)
    seen = cv2.remap(sheet.picture, map_x, map_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    inside = ((u >= 0) & (u <= 1) & (v >= 0) & (v <= 1)).reshape(shape).astype(np.uint8) * 255
    seen, inside = (
        cv2.resize(part, (width, height), interpolation=cv2.INTER_AREA) for part in (seen, inside)
    )
    paper = cv2.convertScaleAbs(seen, alpha=0.80, beta=24)  # ink is not black, paper not white
    return (int(low[0]), int(low[1])), np.asarray(cv2.merge([paper] * 3)), np.asarray(inside)
