"""Draws what the camera above the table would see, and says what is where in the picture.

    renderer = Renderer(CameraModel.above_table(), Look())
    rendered = renderer.draw(placed, np.random.default_rng(7))
    rendered.image  # BGR, as a camera gives it
    rendered.truth  # one entry a tile: readable label, quad, visible share

``render`` does the same for a single picture. A renderer keeps what does not change between
pictures: cloth, light, faces, noise, and the last picture before the sensor saw it, of which only
the parts are painted again that have changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.camera import CameraModel
from vision.render import table
from vision.render.bodies import Body, lay
from vision.render.clutter import Clutter
from vision.render.hands import Hand, draw_hand
from vision.render.look import Look
from vision.render.painter import Painter
from vision.render.sensor import Sensor
from vision.render.sheets import Sheet
from vision.types import Facing, PlacedTile
from vision.zones import TileSize

Picture = NDArray[np.uint8]
Points = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TruthTile:
    """A tile in the picture. ``label`` is what can be read there: backs read ``bk``.

    The quad holds the corners of the upper side, clockwise from the tile's own top left; a
    standing tile's upper side is its narrow edge. ``outline_px`` is the whole body.
    """

    placed: PlacedTile
    label: str
    facing: Facing
    quad_px: tuple[tuple[float, float], ...]
    outline_px: tuple[tuple[float, float], ...]
    visible: float  # share of the upper side that nothing covers and that is in the picture


@dataclass(frozen=True, slots=True)
class Rendered:
    """A picture and what is in it."""

    image: Picture
    truth: tuple[TruthTile, ...]
    dice: tuple[int, ...] = ()


Cut = tuple[Picture, Picture, tuple[int, int]]  # colours, mask, upper left corner


@dataclass(frozen=True, slots=True)
class Region:
    """A part of the picture; it begins and ends at even pixels."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def rows(self) -> slice:
        """Its rows."""
        return slice(self.top, self.bottom)

    @property
    def columns(self) -> slice:
        """Its columns."""
        return slice(self.left, self.right)

    @property
    def area(self) -> int:
        """Its size in pixels."""
        return (self.right - self.left) * (self.bottom - self.top)

    def meets(self, other: Region) -> bool:
        """Whether they overlap."""
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )

    def with_other(self, other: Region) -> Region:
        """The region around both."""
        return Region(
            min(self.left, other.left),
            min(self.top, other.top),
            max(self.right, other.right),
            max(self.bottom, other.bottom),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Painted:
    """A picture before hands and sensor, and what it was painted from."""

    image: Picture
    bodies: dict[PlacedTile, Body]
    resting: tuple[tuple[int | None, ...], tuple[int, ...] | None]  # places of things, dice
    flat: Sequence[tuple[Cut, float]]  # the things and the centre unit as they are seen


def render(
    placed: Sequence[PlacedTile],
    camera: CameraModel,
    look: Look,
    rng: np.random.Generator,
    *,
    hands: Sequence[Hand] = (),
    dice: Sequence[int] = (2, 5),
    centre: bool = True,
) -> Rendered:
    """One picture of these tiles."""
    renderer = Renderer(camera, look, seed=int(rng.integers(1 << 31)))
    return renderer.draw(placed, rng, hands=hands, dice=dice, centre=centre)


class Renderer:
    """Draws many pictures of one table with one look."""

    def __init__(
        self,
        camera: CameraModel,
        look: Look,
        *,
        size: TileSize | None = None,
        centre_mm: float = 130.0,
        seed: int = 0,
        sheets: Sequence[Sheet] = (),
    ) -> None:
        self._camera, self._look, self._centre_mm, self._seed = camera, look, centre_mm, seed
        self._size = size or TileSize()
        self._painter = Painter(camera, look, self._size)
        self._sensor = Sensor(look.sensor, camera.width_px, glare=look.light.glare)
        self._clutter = Clutter(look.clutter, seed)
        self._cloth = table.cloth_picture(camera, look.cloth, self._painter.light)
        self._painter.lay_sheets(self._cloth, sheets)
        self._whole = Region(0, 0, camera.width_px, camera.height_px)
        self._last: Painted | None = None

    def draw(
        self,
        placed: Sequence[PlacedTile],
        rng: np.random.Generator,
        *,
        hands: Sequence[Hand] = (),
        dice: Sequence[int] = (2, 5),
        centre: bool = True,
        with_truth: bool = True,
        sheets: Sequence[Sheet] = (),
    ) -> Rendered:
        """One picture. The tiles, dice and sticks lie as before; only the noise is new."""
        bodies = lay(placed, self._camera, self._look, self._size, self._seed)
        order = sorted(range(len(bodies)), key=lambda k: (bodies[k].placed.layer, -bodies[k].far))
        self._last = self._painted([bodies[k] for k in order], tuple(dice) if centre else None)
        image = self._last.image
        if hands or sheets:
            image = image.copy()
            self._painter.lay_sheets(image, sheets)
        hidden = None
        for hand in hands:
            arm = draw_hand(image, self._camera, hand, self._look.hands)
            hidden = arm if hidden is None else np.maximum(hidden, arm)
        size_px = (self._camera.width_px, self._camera.height_px)
        truth = truth_of(bodies, order, size_px, hidden) if with_truth else ()
        return Rendered(self._sensor.expose(image, rng), truth, tuple(dice))

    def _painted(self, bodies: Sequence[Body], dice: tuple[int, ...] | None) -> Painted:
        """The picture of these tiles, ordered from far to near; what is as before is kept."""
        by_tile = {body.placed: body for body in bodies}
        resting = (self._clutter.rest(bodies), dice)
        last = self._last
        if last is None or last.resting != resting or len(by_tile) < len(bodies):
            changed = [self._whole]
            image = np.empty_like(self._cloth) if last is None else last.image
            flat: Sequence[tuple[Cut, float]] = self._flat_things(*resting)
        else:
            changed = self._changed(last.bodies, by_tile)
            image, flat = last.image, last.flat
        lower = {(body.placed.centre_mm, body.placed.layer - 1) for body in bodies}
        for region in changed:
            self._paint_region(image, region, bodies, lower, flat)
        return Painted(image, by_tile, resting, flat)

    def _flat_things(
        self, places: Sequence[int | None], dice: tuple[int, ...] | None
    ) -> list[tuple[Cut, float]]:
        """Centre unit, sticks and cups, each with the darkness of its own small shadow."""
        flat: list[tuple[Cut, float]] = []
        if dice is not None:
            rng = np.random.default_rng([self._seed, 1, *dice])
            glare = self._look.light.gloss * 2
            side_mm = self._centre_mm
            unit = table.centre_unit(self._camera, side_mm, dice, rng, dome_glare=glare)
            flat.append((unit, 0.0))
        flat += [(cut, 0.33) for cut in self._clutter.seen(self._camera, places)]
        return flat

    def _changed(
        self, before: dict[PlacedTile, Body], after: dict[PlacedTile, Body]
    ) -> list[Region]:
        """The parts of the picture where tiles came or went, with their shadows."""
        reach = self._painter.shadow_reach_px
        left: list[Region] = []
        for tile in before.keys() ^ after.keys():
            left.append(self._region((before.get(tile) or after[tile]).box_px, reach))
        regions: list[Region] = []
        while left:
            region = left.pop()
            near = next((other for other in left if region.meets(other)), None)
            if near is None:
                regions.append(region)
            else:
                left.remove(near)
                left.append(region.with_other(near))
        if sum(region.area for region in regions) > 0.6 * self._whole.area:
            return [self._whole]
        return [region for region in regions if region.area]

    def _region(self, box_px: tuple[float, float, float, float], more: int) -> Region:
        """The region this far around a box, cut off at the picture's border."""
        width, height = self._whole.right, self._whole.bottom
        left = min(max(0, int(box_px[0] - more) // 2 * 2), width)
        top = min(max(0, int(box_px[1] - more) // 2 * 2), height)
        right = min(max(left, int(box_px[2] + more + 3) // 2 * 2), width)
        bottom = min(max(top, int(box_px[3] + more + 3) // 2 * 2), height)
        return Region(left, top, right, bottom)

    def _paint_region(
        self,
        image: Picture,
        region: Region,
        bodies: Sequence[Body],
        lower: set[tuple[tuple[float, float], int]],
        flat: Sequence[tuple[Cut, float]],
    ) -> None:
        """Paints one part of the picture anew. Whatever reaches beyond it is painted on a spare
        picture, of which only the part is kept."""
        spare = image if region == self._whole else np.empty_like(image)
        rows, columns = region.rows, region.columns
        spare[rows, columns] = self._cloth[rows, columns]
        for (colours, mask, (x, y)), shadow in flat:
            if not region.meets(Region(x, y, x + colours.shape[1] + 2, y + colours.shape[0] + 2)):
                continue
            if shadow:
                dark = cv2.convertScaleAbs(mask, alpha=shadow)
                under = np.zeros_like(colours)
                self._painter.blend(spare, under, np.asarray(dark, np.uint8), (x + 2, y + 2))
            self._painter.blend(spare, colours, mask, (x, y))
        self._painter.shade(spare, bodies, rows, columns)
        for body in bodies:
            if region.meets(self._region(body.box_px, 2)):
                tile = body.placed
                carries = (tile.centre_mm, tile.layer) in lower
                self._painter.paint(spare, body, carries=carries)
        if spare is not image:
            image[rows, columns] = spare[rows, columns]


def truth_of(
    bodies: Sequence[Body],
    order: Sequence[int],
    size_px: tuple[int, int],
    hidden: Picture | None,
) -> tuple[TruthTile, ...]:
    """What is where, with the share of each upper side that is left to see."""
    half = (size_px[0] // 2, size_px[1] // 2)
    owner = np.zeros((half[1], half[0]), np.uint16)
    outlines = [body.outline_px for body in bodies]
    areas = np.zeros(len(bodies))
    for k in order:
        cv2.fillConvexPoly(owner, table.fixed(outlines[k] / 2), 0, cv2.LINE_8, 4)
        cv2.fillConvexPoly(owner, table.fixed(bodies[k].high_px / 2), k + 1, cv2.LINE_8, 4)
        areas[k] = painted_area(bodies[k].high_px / 2)
    if hidden is not None:
        owner[cv2.resize(hidden, half, interpolation=cv2.INTER_AREA) > 127] = 0
    counts = np.bincount(owner.ravel(), minlength=len(bodies) + 1)[1:]
    return tuple(
        TruthTile(
            placed=body.placed,
            label=body.seen_label,
            facing=body.placed.facing,
            quad_px=_pairs(body.high_px),
            outline_px=_pairs(outlines[k]),
            visible=min(1.0, float(counts[k] / max(areas[k], 1.0))),
        )
        for k, body in enumerate(bodies)
    )


def painted_area(quad: Points) -> float:
    """How many pixels OpenCV fills for this quad, its border included."""
    around = float(np.hypot(*(quad - np.roll(quad, 1, axis=0)).T).sum())
    return float(cv2.contourArea(quad.astype(np.float32))) + around / 2 + 1


def _pairs(points: Points) -> tuple[tuple[float, float], ...]:
    return tuple((float(x), float(y)) for x, y in points)
