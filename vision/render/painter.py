"""Paints tiles, their shadows and flat things into a picture, in the light of the table."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.camera import CameraModel
from vision.render import table
from vision.render.bodies import Body
from vision.render.faces import Faces
from vision.render.look import Look
from vision.render.sheets import Sheet, seen_sheet
from vision.types import Facing
from vision.zones import TileSize

Picture = NDArray[np.uint8]
Points = NDArray[np.float64]

STRIPE_PX = 120


class Painter:
    """One maker's tiles under one lamp, seen by one camera."""

    def __init__(self, camera: CameraModel, look: Look, size: TileSize) -> None:
        self._camera, self._look = camera, look
        eye = camera.eye_mm
        self._eye = eye[:2]
        self._px_per_mm = camera.focal_px[0] / float(eye[2] - size.thickness_mm)
        self._faces = Faces(look.tiles, size, self._px_per_mm)
        turn, rise = np.radians(look.light.azimuth_deg), np.radians(look.light.elevation_deg)
        towards = np.array([np.cos(turn), np.sin(turn)])
        self._towards_light = towards * np.cos(rise)
        self._shadow_mm = -towards / np.tan(rise)  # for each millimetre of height
        self._shadow_blur = max(0.6, look.light.shadow_blur_mm * self._px_per_mm / 4)
        self.light = table.light_field(camera, look.light)

    @property
    def shadow_reach_px(self) -> int:
        """How far from a tile its shadow may darken the picture: two layers high, and blurred."""
        far_mm = float(np.hypot(*self._shadow_mm)) * 34
        return round(far_mm * self._px_per_mm + 8 * self._shadow_blur) + 4

    def shade(self, image: Picture, bodies: Sequence[Body], rows: slice, columns: slice) -> None:
        """Cast shadows, in one part of the picture that begins at even rows and columns."""
        strength, away = self._look.light.shadow, self._shadow_mm
        if strength <= 0 or not bodies:
            return
        points = []
        for body in bodies:
            flat = np.concatenate(
                [body.low[:, :2] + away * body.low[0, 2], body.low[:, :2] + away * body.high[0, 2]]
            )
            points.append(np.column_stack([flat, np.zeros(8)]))
        seen = self._camera.project(np.concatenate(points)).reshape(-1, 8, 2) / 2
        edge = round(4 * self._shadow_blur) + 2
        origin = np.array([columns.start // 2 - edge, rows.start // 2 - edge])
        size = np.array([columns.stop - columns.start, rows.stop - rows.start]) // 2 + 2 * edge + 1
        half = np.zeros((int(size[1]), int(size[0])), np.uint8)
        seen -= origin
        near = (seen.max(axis=1) > 0).all(axis=1) & (seen.min(axis=1) < size).all(axis=1)
        for hull in seen[near]:
            outline = cv2.convexHull(hull.astype(np.float32))
            cv2.fillConvexPoly(half, table.fixed(outline.astype(np.float64)), 255, cv2.LINE_AA, 4)
        half = np.asarray(cv2.GaussianBlur(half, (0, 0), self._shadow_blur), np.uint8)
        dark = cv2.convertScaleAbs(half, alpha=-strength, beta=255)
        for top in range(rows.start, rows.stop, STRIPE_PX):
            bottom = min(top + STRIPE_PX, rows.stop)
            # Two more rows and columns all round, so that stripes and parts meet without a seam.
            first, last = top // 2 - origin[1] - 2, (bottom + 1) // 2 - origin[1] + 2
            left, right = edge - 2, edge + (columns.stop - columns.start + 1) // 2 + 2
            small = dark[first:last, left:right]
            wide = cv2.resize(small, None, fx=2, fy=2, interpolation=cv2.INTER_LINEAR)
            wide = wide[4 : 4 + bottom - top, 4 : 4 + columns.stop - columns.start]
            part = image[top:bottom, columns]
            image[top:bottom, columns] = cv2.multiply(part, cv2.merge([wide] * 3), scale=1 / 255)

    def paint(self, image: Picture, body: Body, *, carries: bool) -> None:
        """One tile: the sides that the camera sees, then its upper side if nothing lies on it."""
        look, facing = self._look.tiles, body.placed.facing
        level = self._level(body.high_px)
        if level is None:
            return
        white = np.array(look.body, np.float32) * level
        back = np.array(look.back, np.float32) * level
        if facing is Facing.STANDING:
            self._paint_standing(image, body, white, back)
            return
        lower, upper = (back, white) if facing is Facing.UP else (white, back)
        for side in range(4):
            shade = self._side_shade(body, side)
            if shade is None:
                continue
            ends = [side, (side + 1) % 4]
            self._quad(image, body.low_px[ends], body.mid_px[ends], lower * shade)
            self._quad(image, body.mid_px[ends], body.high_px[ends], upper * shade)
        if carries:
            return
        self._stamp(image, self._faces.face(body.seen_label), body, level)

    def _paint_standing(
        self, image: Picture, body: Body, white: NDArray[np.float32], back: NDArray[np.float32]
    ) -> None:
        """A tile on its edge: its face looks at its owner, its back at the table."""
        share = self._look.tiles.back_share

        def between(points: Points, ends: tuple[int, int]) -> Points:
            return np.asarray(points[ends[0]] * (1 - share) + points[ends[1]] * share)

        for side in range(4):
            shade = self._side_shade(body, side)
            if shade is None:
                continue
            low, high = body.low_px, body.high_px
            ends = [side, (side + 1) % 4]
            if side == 0:  # the back
                self._quad(image, low[ends], high[ends], back * shade)
            elif side == 2:  # the face, seen at a graze
                self._quad(image, low[ends], high[ends], white * shade)
            else:
                cut = (1, 2) if side == 1 else (0, 3)
                seam = np.array([between(low, cut), between(high, cut)])
                rear = np.array([low[cut[0]], high[cut[0]]])
                front = np.array([low[cut[1]], high[cut[1]]])
                self._quad(image, rear, seam, back * shade)
                self._quad(image, seam, front, white * shade)
        top = body.high_px
        seam = np.array([between(top, (0, 3)), between(top, (1, 2))])
        self._quad(image, top[[0, 1]], seam, back)
        self._quad(image, seam, top[[3, 2]], white)

    def _quad(
        self, image: Picture, one: Points, other: Points, colour: NDArray[np.float32]
    ) -> None:
        """A four-sided patch between two edges that run in the same direction."""
        outline = table.fixed(np.array([one[0], one[1], other[1], other[0]]))
        blue, green, red = np.clip(colour, 0, 255).tolist()
        cv2.fillConvexPoly(image, outline, (blue, green, red), cv2.LINE_AA, 4)

    def _side_shade(self, body: Body, side: int) -> float | None:
        """How bright this side is, or None when the camera does not see it."""
        one, two = body.low[side, :2], body.low[(side + 1) % 4, :2]
        along = two - one
        outward = np.array([-along[1], along[0]]) / max(float(np.hypot(*along)), 1e-6)
        middle = (one + two) / 2
        if float(outward @ (self._eye - middle)) <= 0:
            return None
        return 0.62 + 0.5 * max(0.0, float(outward @ self._towards_light))

    def _stamp(
        self, image: Picture, sprite: Picture, body: Body, level: NDArray[np.float32]
    ) -> None:
        """The upper side, turned and placed with soft edges."""
        quad = body.high_px
        low = np.maximum(np.floor(quad.min(0)).astype(int) - 1, 0)
        high = np.minimum(np.ceil(quad.max(0)).astype(int) + 2, image.shape[1::-1])
        if (high <= low).any():
            return
        height, width = sprite.shape[:2]
        source = np.array(
            [[-0.5, -0.5], [width - 0.5, -0.5], [width - 0.5, height - 0.5], [-0.5, height - 0.5]],
            np.float32,
        )
        matrix = cv2.getPerspectiveTransform(source, (quad - low).astype(np.float32))
        size = (int(high[0] - low[0]), int(high[1] - low[1]))
        warped = cv2.warpPerspective(sprite, matrix, size, flags=cv2.INTER_LINEAR)
        cover = warped[..., 3:].astype(np.float32) * (1 / 255)
        under = image[low[1] : high[1], low[0] : high[0]]
        lit = warped[..., :3] * level
        if self._look.light.gloss:
            lit += self._sheen(low, high)
        under[:] = np.clip(under * (1 - cover) + lit * cover, 0, 255)

    def _sheen(self, low: NDArray[np.int_], high: NDArray[np.int_]) -> float:
        """The lamp's mirror image makes tiles near it brighter."""
        camera, light = self._camera, self._look.light
        turn = np.radians(light.azimuth_deg)
        spot = np.array([camera.width_px / 2, camera.height_px / 2])
        spot = spot + camera.height_px * 0.33 * np.array([np.cos(turn), -np.sin(turn)])
        far = float(np.hypot(*((low + high) / 2 - spot))) / (camera.height_px * 0.28)
        return float(255 * light.gloss * np.exp(-far * far))

    def _level(self, quad: Points) -> NDArray[np.float32] | None:
        """The light where this tile lies; None when it is out of the picture."""
        x, y = quad.mean(0)
        width, height = self._camera.width_px, self._camera.height_px
        if not (-60 < x < width + 60 and -60 < y < height + 60):
            return None
        rows, columns = self.light.shape[:2]
        column = int(np.clip(x * columns / width, 0, columns - 1))
        row = int(np.clip(y * rows / height, 0, rows - 1))
        return np.asarray(self.light[row, column], np.float32)

    def lay_sheets(self, image: Picture, sheets: Sequence[Sheet]) -> None:
        """Prints, bent by the lens point by point as a straight edge is in a picture."""
        for sheet in sheets:
            low, colours, mask = seen_sheet(self._camera, sheet)
            self.blend(image, colours, mask, low)

    def blend(
        self, image: Picture, colours: Picture, mask: Picture, corner: tuple[int, int]
    ) -> None:
        """A lit patch over the picture, cut off at its border."""
        left, top = max(corner[0], 0), max(corner[1], 0)
        right = min(corner[0] + colours.shape[1], image.shape[1])
        bottom = min(corner[1] + colours.shape[0], image.shape[0])
        if right <= left or bottom <= top:
            return
        part = (
            slice(top - corner[1], bottom - corner[1]),
            slice(left - corner[0], right - corner[0]),
        )
        cover = mask[part].astype(np.float32)[..., None] / 255
        under = image[top:bottom, left:right]
        level = self._level(np.array([[left, top], [right, bottom]], np.float64))
        lit = colours[part] * (1.0 if level is None else level)
        under[:] = np.clip(under * (1 - cover) + lit * cover, 0, 255)
