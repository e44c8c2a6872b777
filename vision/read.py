"""Reads the tiles of a picture: finds them, cuts them out upright, reads their faces.

    reader = Reader()
    for tile in reader.detect(read_image(Path("table.jpg"))):
        print(tile.label, tile.confidence, tile.box_px)

A fixed camera passes `tile_px`, the short side of a tile in its pictures; without it the picture
is looked at in several scales. It may pass `region_px` (x, y, width, height) too, the part of its
pictures where tiles can lie: a square table in a wide picture is found in half the time. Nothing
here knows where on the table a tile lies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np

from vision.classify import (
    CROP_H,
    CROP_W,
    LABELS,
    SYMMETRIC,
    Array,
    Classifier,
    Faces,
    Image,
    crop_quads,
    refit,
)
from vision.locate import Located, Locator
from vision.pictures import PictureError, as_color, read_image
from vision.tileset import TileSet
from vision.types import Detection, Facing, Guess

BACK, NOTHING = LABELS.index("bk"), LABELS.index("no")
NO_TOP = np.array([label in SYMMETRIC for label in LABELS])


@dataclass(frozen=True, slots=True)
class ReadingSettings:
    """From where on a finding counts, and how doubt is handled."""

    located_at_least: float = 0.35  # score of the locator
    # Where the scale is unknown, digits and dice are taken for tiles. 2026-11-30, 485 tiles of
    # photos kept apart: 38 such claims become 13, no tile that was read right is lost.
    photo_tile_at_least: float = 0.3  # score times confidence
    nothing_above: float = 0.5  # probability that it is no tile, above which it is left out
    cut_again_above: float = 0.15  # half tiles by which an outline may miss before it is moved
    cut_again_most: int = 2  # times; 2026-11-30, photos kept apart: 1.7 % misread, 1.3 % with two
    look_again_below: float = 0.9  # faces less certain than this are looked at from more sides
    look_again_most: int = 24  # so that a hopeless picture does not take for ever
    covered_above: float = 0.5
    guesses: int = 3
    guess_at_least: float = 0.005


class Reader:
    """Locator and classifier together: pictures in, labelled tiles out."""

    def __init__(
        self,
        model_dir: Path | None = None,
        profile: TileSet | Path | None = None,
        tile_px: float | None = None,
        *,
        region_px: tuple[int, int, int, int] | None = None,
        threads: int = 2,
        settings: ReadingSettings | None = None,
    ) -> None:
        self.locator = Locator(model_dir and model_dir / "locator.onnx", threads=threads)
        self.classifier = Classifier(model_dir and model_dir / "classifier.onnx", threads=threads)
        self.tile_set = TileSet.load(profile) if isinstance(profile, Path) else profile
        if self.tile_set is not None:
            self.tile_set.check(self.classifier)
        self.tile_px = tile_px
        self.region_px = region_px
        self.settings = settings or ReadingSettings()

    def detect(self, image: Image) -> list[Detection]:
        """Every tile that lies in the picture, backs too; standing tiles are not read."""
        image = as_color(image)
        found = self._locate(image)
        tiles = self._read(image, found)
        if self.tile_px is None:
            tiles = [
                tile
                for tile, place in zip(tiles, found, strict=True)
                if tile is not None
                and place.score * tile.confidence >= self.settings.photo_tile_at_least
            ]
        if not tiles:
            tiles = self._whole_picture(image)
        return share_orientation([tile for tile in tiles if tile is not None])

    def read_boxes(
        self, image: Image, boxes: Sequence[tuple[float, float, float, float]]
    ) -> list[Detection]:
        """Read the tiles in these straight boxes (x, y, width, height), one answer a box."""
        if not boxes:
            return []
        image = as_color(image)
        side = float(np.median([min(box[2], box[3]) for box in boxes]))
        least = self.settings.located_at_least
        found = self.locator.find(image, tile_px=side, at_least=least)
        outlines = [outline_in(box, found) for box in boxes]
        if None in outlines:
            # The box of a turned tile is wider than the tile, and not all lie equally far away.
            found += self.locator.of_any_size(image, at_least=least)
            outlines = [outline_in(box, found) for box in boxes]
        tiles = [
            outline or Located(box_quad(box), 1.0, Facing.UP, 0.0)
            for outline, box in zip(outlines, boxes, strict=True)
        ]
        return [tile for tile in self._read(image, tiles, keep_nothing=True) if tile is not None]

    def _locate(self, image: Image) -> list[Located]:
        x, y, width, height = self.region_px or (0, 0, image.shape[1], image.shape[0])
        part = image[y : y + height, x : x + width]
        least = self.settings.located_at_least
        found = self.locator.find(part, tile_px=self.tile_px, at_least=least)
        if x or y:
            found = [replace(tile, quad=tile.quad + np.array([x, y], np.float32)) for tile in found]
        return [tile for tile in found if tile.facing is not Facing.STANDING]

    def _read(
        self, image: Image, found: list[Located], *, keep_nothing: bool = False
    ) -> list[Detection | None]:
        if not found:
            return []
        quads = np.stack([tile.quad for tile in found])
        faces = self.classifier.read(crop_quads(image, quads))
        chances, turns = self._chances(faces, found), faces.rotations.copy()
        fitted = refit(quads, faces.misfits)
        off = np.abs(faces.misfits).max(axis=(1, 2))
        for _ in range(self.settings.cut_again_most):
            missed = np.nonzero(off > self.settings.cut_again_above)[0]
            if not len(missed):
                break
            again = self.classifier.read(crop_quads(image, fitted[missed]))
            chances[missed] = self._chances(again, [found[row] for row in missed])
            turns[missed] = again.rotations
            fitted[missed] = refit(fitted[missed], again.misfits)
            off[:] = 0.0
            off[missed] = np.abs(again.misfits).max(axis=(1, 2))
        self._look_again(image, fitted, found, chances, turns)
        return [
            self._detection(
                replace(tile, quad=fitted[row]), chances[row], turns[row], keep_nothing=keep_nothing
            )
            for row, tile in enumerate(found)
        ]

    def _chances(self, faces: Faces, found: Sequence[Located]) -> Array:
        """Label probabilities, with what the locator and the club's own set know mixed in."""
        chances = faces.probabilities
        if self.tile_set is not None:
            chances = self.tile_set.sharpen(chances, faces.embeddings)
        # A blank white dragon and a white back look alike cut out; the locator saw what is round.
        down = np.array([tile.facing is Facing.DOWN for tile in found])
        chances = chances.copy()
        chances[:, BACK] *= np.where(down, 5.0, 0.2)
        return np.asarray(chances / chances.sum(axis=1, keepdims=True), np.float32)

    def _look_again(
        self, image: Image, quads: Array, found: list[Located], chances: Array, turns: Array
    ) -> None:
        """Cut doubtful faces again larger, smaller and upside down, and average the answers."""
        best = chances.max(axis=1)
        doubtful = np.argsort(best, kind="stable")[: self.settings.look_again_most]
        doubtful = doubtful[best[doubtful] < self.settings.look_again_below]
        if len(doubtful) == 0:
            return
        some = quads[doubtful]
        middle = some.mean(axis=1, keepdims=True)
        views = (
            (middle + (some - middle) * 1.07, 0),
            (middle + (some - middle) * 0.93, 0),
            (np.roll(some, 2, axis=1), 2),
        )
        crops = np.concatenate([crop_quads(image, view) for view, _ in views])
        faces = self.classifier.read(crops)
        again = self._chances(faces, [found[row] for row in doubtful] * len(views))
        size = len(doubtful)
        for number, (_, turned) in enumerate(views):
            part = slice(number * size, (number + 1) * size)
            chances[doubtful] += again[part]
            turns[doubtful] += np.roll(faces.rotations[part], turned, axis=1)
        chances[doubtful] /= len(views) + 1
        turns[doubtful] /= len(views) + 1

    def _detection(
        self, tile: Located, chance: Array, turn: Array, *, keep_nothing: bool
    ) -> Detection | None:
        if keep_nothing:
            chance = chance.copy()
            chance[NOTHING] = 0
            chance /= max(float(chance.sum()), 1e-6)
        if chance[NOTHING] > self.settings.nothing_above:
            return None
        order = np.argsort(-chance)
        order = order[order != NOTHING]
        best = int(order[0])
        quarters = int(turn.argmax())
        if NO_TOP[best]:
            quarters = 0 if turn[0] + turn[2] >= turn[1] + turn[3] else 1
        quad = np.roll(tile.quad, -quarters, axis=0)
        others = tuple(
            Guess(LABELS[row], round(float(chance[row]), 4))
            for row in order[1 : 1 + self.settings.guesses]
            if chance[row] >= self.settings.guess_at_least
        )
        return detection(
            LABELS[best],
            float(chance[best]),
            quad,
            others,
            is_covered=tile.covered > self.settings.covered_above,
        )

    def _whole_picture(self, image: Image) -> list[Detection | None]:
        """A picture in which no tile was found may itself be one tile, cut tightly."""
        height, width = image.shape[:2]
        if not 0.55 < min(width, height) / max(width, height) < 0.95:
            return []
        whole = Located(box_quad((0, 0, width, height)), 1.0, Facing.UP, 0.0)
        return [
            tile
            for tile in self._read(image, [whole])
            if tile is not None and tile.confidence >= 0.5 and tile.label != "bk"
        ]


def detection(
    label: str, confidence: float, quad: Array, others: tuple[Guess, ...], *, is_covered: bool
) -> Detection:
    """A detection from the corners of the face, clockwise from the tile's own top left."""
    low, high = quad.min(axis=0), quad.max(axis=0)
    up = (quad[0] + quad[1]) - (quad[2] + quad[3])
    x, y, right, bottom = (float(value) for value in (*low, *high))
    return Detection(
        label=label,
        confidence=round(confidence, 4),
        box_px=(x, y, right - x, bottom - y),
        quad_px=tuple((float(corner[0]), float(corner[1])) for corner in quad),
        angle_deg=float(np.degrees(np.arctan2(-up[0], -up[1]))),
        others=others,
        is_covered=is_covered,
    )


def box_quad(box: tuple[float, float, float, float]) -> Array:
    """The corners of a straight box, beginning at a short side, as a locator would give them."""
    x, y, w, h = box[0] - 0.5, box[1] - 0.5, box[2], box[3]
    quad = np.array([(x, y), (x + w, y), (x + w, y + h), (x, y + h)], np.float32)
    return np.asarray(np.roll(quad, 1, axis=0) if w > h else quad, np.float32)


def outline_in(box: tuple[float, float, float, float], found: Sequence[Located]) -> Located | None:
    """The finding that fills this box."""
    low = np.array(box[:2], np.float32)
    high = low + np.array(box[2:], np.float32)
    best, most = None, 0.6
    for tile in found:
        first, last = tile.quad.min(axis=0), tile.quad.max(axis=0)
        shared = np.clip(np.minimum(high, last) - np.maximum(low, first), 0, None).prod()
        overlap = float(shared / ((high - low).prod() + (last - first).prod() - shared))
        if overlap > most and tile.facing is not Facing.STANDING:
            best, most = tile, overlap
    return best


def share_orientation(tiles: list[Detection]) -> list[Detection]:
    """Rows read as rows: a face without a readable top lies as its neighbors do."""
    centres = np.array([np.mean(tile.quad_px, axis=0) for tile in tiles])
    with_top = np.array([tile.label not in SYMMETRIC for tile in tiles], bool)
    shared = []
    for row, tile in enumerate(tiles):
        if not with_top[row] and with_top.any():
            tile = _as_neighbors(tile, row, tiles, centres, with_top)
        shared.append(tile)
    return shared


def _as_neighbors(tile: Detection, row: int, tiles: list[Detection], centres: Array,
                  with_top: np.typing.NDArray[np.bool_]) -> Detection:  # fmt: skip
    reach = 3.2 * max(tile.box_px[2], tile.box_px[3])
    away = np.hypot(*(centres - centres[row]).T)
    votes = 0.0
    for other in np.nonzero(with_top & (away < reach) & (away > 0))[0]:
        votes += np.cos(np.radians(tiles[other].angle_deg - tile.angle_deg)) / away[other]
    if votes >= 0:
        return tile
    quad = np.roll(np.array(tile.quad_px, np.float32), 2, axis=0)
    turned = detection(tile.label, tile.confidence, quad, tile.others, is_covered=tile.is_covered)
    return replace(turned, box_px=tile.box_px)


# --- the picture with the answers -------------------------------------------------------------

SURE, UNSURE, BACKS = (90, 200, 60), (40, 60, 235), (200, 160, 90)


def annotate(image: Image, detections: Sequence[Detection], *, sure: float = 0.8) -> Image:
    """A copy with every tile outlined and named; doubtful ones in red with their second guess."""
    canvas = as_color(image).copy()
    for tile in detections:
        color = BACKS if tile.label == "bk" else SURE if tile.confidence >= sure else UNSURE
        quad = np.array(tile.quad_px, np.float32)
        side = float(np.linalg.norm(quad[1] - quad[0]))
        thick = max(1, round(side / 24))
        cv2.polylines(
            canvas, [np.round(quad * 16).astype(np.int32)], True, color, thick, cv2.LINE_AA, 4
        )
        top = (quad[0] + quad[1]) / 2
        middle = quad.mean(axis=0)
        cv2.circle(
            canvas, _point(top * 0.85 + middle * 0.15), max(2, thick), color, -1, cv2.LINE_AA
        )
        text = tile.label
        if tile.confidence < sure:
            text += "?" + (tile.others[0].label if tile.others else "")
        _write(canvas, text, middle, max(0.3, side / 60), color)
    return canvas


def _point(at: Array) -> tuple[int, int]:
    return round(float(at[0])), round(float(at[1]))


def _write(
    canvas: Image, text: str, middle: Array, size: float, color: tuple[int, int, int]
) -> None:
    thick = max(1, round(size * 1.6))
    (width, height), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, size, thick)
    x, y = round(float(middle[0]) - width / 2), round(float(middle[1]) + height / 2)
    for shade, weight in (((20, 20, 20), thick + 2), (color, thick)):
        cv2.putText(
            canvas, text, (x, y), cv2.FONT_HERSHEY_SIMPLEX, size, shade, weight, cv2.LINE_AA
        )


__all__ = [
    "CROP_H",
    "CROP_W",
    "PictureError",
    "Reader",
    "ReadingSettings",
    "annotate",
    "as_color",
    "read_image",
]
