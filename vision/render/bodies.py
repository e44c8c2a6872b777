"""Tiles as boxes over the table, laid as untidily as people lay them, and where the camera sees
their corners."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.camera import CameraModel
from vision.render.look import Look
from vision.types import Facing, PlacedTile
from vision.zones import TileSize

Points = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Body:
    """A tile as a box in the world: its lower and upper four corners, and who sees what."""

    placed: PlacedTile
    low: Points
    high: Points
    low_px: Points
    mid_px: Points
    high_px: Points
    box_px: tuple[float, float, float, float]  # left, top, right, bottom
    far: float  # from the point under the camera

    @property
    def outline_px(self) -> Points:
        """The whole body's outline in the picture."""
        both = np.concatenate([self.low_px, self.high_px]).astype(np.float32)
        return cv2.convexHull(both)[:, 0].astype(np.float64)

    @property
    def seen_label(self) -> str:
        """What can be read on its upper side."""
        return self.placed.label if self.placed.facing is Facing.UP else "bk"


def lay(
    placed: Sequence[PlacedTile], camera: CameraModel, look: Look, size: TileSize, seed: int
) -> list[Body]:
    """The tiles as boxes, projected in one go."""
    if not placed:
        return []
    hands = look.hands
    chance = np.array([tidiness(tile, seed) for tile in placed])
    shifts = chance[:, :2] * hands.jitter_mm
    turns = chance[:, 2] * hands.jitter_deg
    flips = chance[:, 3] < hands.upside_down
    eye = camera.eye_mm
    low, high, mid = [], [], []
    for k, tile in enumerate(placed):
        standing = tile.facing is Facing.STANDING
        loose = 1.0 if tile.facing is Facing.UP else 0.4
        angle = tile.angle_deg + loose * turns[k]
        if flips[k] and tile.facing is Facing.UP:
            angle += 180
        depth = size.thickness_mm if standing else size.length_mm
        tall = size.length_mm if standing else size.thickness_mm
        base = tile.layer * size.thickness_mm
        spin = np.radians(angle)
        across = np.array([np.cos(spin), np.sin(spin)]) * size.width_mm / 2
        up = np.array([-np.sin(spin), np.cos(spin)]) * depth / 2
        centre = np.array(tile.centre_mm) + loose * shifts[k]
        flat = np.array(
            [
                centre - across + up,
                centre + across + up,
                centre + across - up,
                centre - across - up,
            ]
        )
        share = look.tiles.back_share
        split = tall * (share if tile.facing is Facing.UP else 1 - share)
        low.append(np.column_stack([flat, np.full(4, base)]))
        mid.append(np.column_stack([flat, np.full(4, base + split)]))
        high.append(np.column_stack([flat, np.full(4, base + tall)]))
    points = camera.project(np.concatenate([*low, *mid, *high])).reshape(3, -1, 4, 2)
    ends = np.concatenate([points[0], points[2]], axis=1)
    boxes = np.concatenate([ends.min(axis=1), ends.max(axis=1)], axis=1).tolist()
    far = np.hypot(*(np.array([tile.centre_mm for tile in placed]) - eye[:2]).T).tolist()
    return [
        Body(
            tile,
            low[k],
            high[k],
            points[0, k],
            points[1, k],
            points[2, k],
            tuple(boxes[k]),
            far[k],
        )
        for k, tile in enumerate(placed)
    ]


def tidiness(tile: PlacedTile, seed: int) -> tuple[float, float, float, float]:
    """How a tile lies off its place: two shifts and a turn about normal, and a share for luck.

    It depends on the tile alone, so that a tile lies still while others come and go.
    """
    name = f"{seed} {tile.label} {tile.centre_mm[0]:.1f} {tile.centre_mm[1]:.1f} {tile.layer}"
    dial = hashlib.blake2s(name.encode(), digest_size=16).digest()
    one, two, three, four, five, six, seven, eight = struct.unpack("<8H", dial)
    # The sum of two even chances is near enough to normal, and bounded.
    scale = 2.45 / 65535
    return (
        (one + two - 65535) * scale,
        (three + four - 65535) * scale,
        (five + six - 65535) * scale,
        (seven * 65536 + eight) / 2**32,
    )
