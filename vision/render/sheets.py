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
    u, v = sheet_shares(camera, sheet, low - 4, (width + 8, height + 8))
    fine = 2  # samples a pixel each way, so that edges are soft
    x = ((np.arange(width * fine) + 0.5) / fine - 0.5 + 4) / COARSE_PX
    y = ((np.arange(height * fine) + 0.5) / fine - 0.5 + 4) / COARSE_PX
    map_x, map_y = (grid.astype(np.float32) for grid in np.meshgrid(x, y))
    u, v = (
        np.asarray(cv2.remap(share, map_x, map_y, cv2.INTER_LINEAR), np.float32) for share in (u, v)
    )
    rows, columns = sheet.picture.shape[:2]
    map_x, map_y = u * columns - 0.5, v * rows - 0.5
    seen = cv2.remap(sheet.picture, map_x, map_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    inside = ((u >= 0) & (u <= 1) & (v >= 0) & (v <= 1)).astype(np.uint8) * 255
    small, mask = (
        cv2.resize(part, (width, height), interpolation=cv2.INTER_AREA) for part in (seen, inside)
    )
    paper = cv2.convertScaleAbs(small, alpha=0.80, beta=24)  # ink is not black, paper not white
    return (int(low[0]), int(low[1])), np.asarray(cv2.merge([paper] * 3)), np.asarray(mask)


COARSE_PX = 4  # between exact points of the map; in between it is straight to a thousandth


def sheet_shares(
    camera: CameraModel, sheet: Sheet, low: NDArray[np.int_], size_px: tuple[int, int]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Which point of the sheet each fourth pixel sees: shares of its width and height."""
    x = np.arange(size_px[0] // COARSE_PX + 2) * COARSE_PX + low[0]
    y = np.arange(size_px[1] // COARSE_PX + 2) * COARSE_PX + low[1]
    grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2).astype(np.float64)
    # The sheet's plane cuts the ray of each pixel: eye + t * ray = corner + u * right + v * down.
    near, eye = camera.to_table(grid, 0.0), camera.eye_mm
    rays = np.column_stack([near, np.zeros(len(near))]) - eye
    corners = sheet.corners_mm
    right, down = corners[1] - corners[0], corners[3] - corners[0]
    normal = np.cross(right, down)
    reach = ((corners[0] - eye) @ normal) / (rays @ normal)
    hit = eye + rays * reach[:, None] - corners[0]
    u, v = hit @ right / (right @ right), hit @ down / (down @ down)
    shape = (len(y), len(x))
    return u.reshape(shape).astype(np.float32), v.reshape(shape).astype(np.float32)
