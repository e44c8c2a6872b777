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
from numpy.typing import NDArray

from vision.classify import (
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
from vision.pictures import as_color
from vision.tileset import TileSet, told_apart
from vision.types import Detection, Facing, Guess, mixed

BACK, NOTHING = LABELS.index("bk"), LABELS.index("no")
NO_TOP = np.array([label in SYMMETRIC for label in LABELS])
# 2026-11-30, photos kept apart: of neighbors both found rightly none share 0.3 of an outline. Of 29
# overlaps of more than 0.4 the weightier is right where it leads by 1.5; leading by less than 1.3
# it is the wrong half of a tile in every third one.
SHARED_AT_MOST, RIVAL_FROM = 0.4, 0.7
LARGE_PART = 0.15  # of a picture's short side: tiles that are larger are few, and may be engraving


@dataclass(frozen=True, slots=True)
class ReadingSettings:
    """From where on a finding counts, and how doubt is handled."""

    located_at_least: float = 0.35  # score of the locator
    # Where the scale is unknown, digits and dice are taken for tiles. 2026-11-30, with a net that
    # never saw the sets, 1524 tiles of 79 photos: from 0.3 on 96.0 % are found and nothing else,
    # from 0.25 on 97.1 % and nothing else, from 0.2 on 98.2 % and two things that are no tiles.
    photo_tile_at_least: float = 0.25  # score times confidence
    nothing_above: float = 0.5  # probability that it is no tile, above which it is left out
    cut_again_above: float = 0.15  # half tiles by which an outline may miss before it is moved
    cut_again_most: int = 2  # times; 2026-11-30, photos kept apart: 1.7 % misread, 1.3 % with two
    # Faces less certain than this are looked at from more sides. 2026-11-30, 1960 tiles of invented
    # sets never seen: 1.17 % surely misread with none, 0.66 % with those below 0.9, 0.46 % so.
    look_again_below: float = 0.97
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
        claims = [
            (tile, place.score * tile.confidence)
            for tile, place in zip(self._read(image, found), found, strict=True)
            if tile is not None
        ]
        return share_orientation(self._only_tile(image, claims) or one_a_place(claims))

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
        return [tile for tile in self._read(image, tiles, are_tiles=True) if tile is not None]

    def _locate(self, image: Image) -> list[Located]:
        x, y, width, height = self.region_px or (0, 0, image.shape[1], image.shape[0])
        part = image[y : y + height, x : x + width]
        least = self.settings.located_at_least
        found = self.locator.find(part, tile_px=self.tile_px, at_least=least)
        if x or y:
            found = [replace(tile, quad=tile.quad + np.array([x, y], np.float32)) for tile in found]
        return [tile for tile in found if tile.facing is not Facing.STANDING]

    def _read(
        self, image: Image, found: list[Located], *, are_tiles: bool = False
    ) -> list[Detection | None]:
        """What each finding shows; none for what is no tile, unless all are known to be tiles."""
        if not found:
            return []
        quads = np.stack([tile.quad for tile in found])
        faces = self.classifier.read(crop_quads(image, quads))
        chances, turns = self._chances(faces, found), faces.rotations.copy()
        embeddings = faces.embeddings.copy()
        fitted = refit(quads, faces.misfits)
        off = np.abs(faces.misfits).max(axis=(1, 2))
        for _ in range(self.settings.cut_again_most):
            missed = np.nonzero(off > self.settings.cut_again_above)[0]
            if not len(missed):
                break
            again = self.classifier.read(crop_quads(image, fitted[missed]))
            chances[missed] = self._chances(again, [found[row] for row in missed])
            turns[missed], embeddings[missed] = again.rotations, again.embeddings
            fitted[missed] = refit(fitted[missed], again.misfits)
            off[:] = 0.0
            off[missed] = np.abs(again.misfits).max(axis=(1, 2))
        self._look_again(image, fitted, found, chances, turns)
        if are_tiles:
            chances[:, NOTHING] = 0
        is_tile = np.ones(len(found), bool) if are_tiles else self._is_tile(found, chances)
        chances[is_tile] = told_apart(chances[is_tile], embeddings[is_tile])
        return [
            self._detection(replace(tile, quad=fitted[row]), chances[row], turns[row])
            if is_tile[row]
            else None
            for row, tile in enumerate(found)
        ]

    def _is_tile(self, found: Sequence[Located], chances: Array) -> NDArray[np.bool_]:
        """Which findings are tiles: the face says so and, in a photo, is not too doubtful."""
        least = self.settings.photo_tile_at_least if self.tile_px is None else 0.0
        scores = np.array([tile.score for tile in found])
        best = np.delete(chances, NOTHING, axis=1).max(axis=1)
        is_seen = chances[:, NOTHING] <= self.settings.nothing_above
        return np.asarray(is_seen & (scores * best >= least))

    def _chances(self, faces: Faces, found: Sequence[Located]) -> Array:
        """Label probabilities, with what the locator and the club's own set know mixed in."""
        if self.tile_set is None:
            chances = faces.probabilities * frequency()
        else:
            chances = faces.probabilities * frequency(self.tile_set.labels)
            chances = self.tile_set.sharpen(chances, faces.embeddings)
        # A blank white dragon and a white back look alike cut out; the locator saw what is round.
        down = np.array([tile.facing is Facing.DOWN for tile in found])
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

    def _detection(self, tile: Located, chance: Array, turn: Array) -> Detection:
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

    def _only_tile(
        self, image: Image, claims: Sequence[tuple[Detection, float]]
    ) -> list[Detection]:
        """A picture may itself be one tile, cut tightly; what was found in it is then engraving."""
        height, width = image.shape[:2]
        largest = max((min(tile.box_px[2:]) for tile, _ in claims), default=width)
        is_small = largest < LARGE_PART * min(width, height)
        if self.tile_px or is_small or not 0.55 < min(width, height) / max(width, height) < 0.95:
            return []
        best = max((weight for _, weight in claims), default=0.0)
        whole = Located(box_quad((0, 0, width, height)), 1.0, Facing.UP, 0.0)
        return [
            tile
            for tile in self._read(image, [whole])
            if tile is not None and tile.confidence >= max(0.5, best) and tile.label != "bk"
        ]


def frequency(known: Sequence[str] = ()) -> Array:
    """How often each label lies on tables, against the training, which shows all alike: animals,
    faces and jokers are in few sets, most of them once, others four times; not those known to be in
    the club's set.

    2026-11-30, sets the net never saw: 88.1 % of `hk-mixed` become 88.4 %, 97.4 % of `riichi-black`
    stay and 87.7 % surely read become 89.8 %, 96.4 % of invented sets, which have some of these,
    become 96.5 %; none of them is surely misread more often.
    """
    seldom = [label not in known and (label == "jk" or label[1] in "ac") for label in LABELS]
    return np.where(seldom, np.float32(0.25), np.float32(1.0))


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


def one_a_place(claims: Sequence[tuple[Detection, float]]) -> list[Detection]:
    """Tiles do not lie in one another: of outlines that share most of their area, the one with the
    most weight stays. A rival of nearly its weight may be right, so that both readings count.
    """
    kept: list[tuple[Detection, float]] = []
    for tile, weight in sorted(claims, key=lambda claim: -claim[1]):
        for place, (other, more) in enumerate(kept):
            if shared_area(tile, other) > SHARED_AT_MOST:
                if weight > RIVAL_FROM * more:
                    kept[place] = (contested(other, tile, weight / (weight + more)), more)
                break
        else:
            kept.append((tile, weight))
    return [tile for tile, _ in kept]


def shared_area(one: Detection, other: Detection) -> float:
    """The area that lies in both outlines, as a share of the smaller; none where tiles may lie on
    one another, since one is covered."""
    (x, y, width, height), (x2, y2, width2, height2) = one.box_px, other.box_px
    if x2 >= x + width or x >= x2 + width2 or y2 >= y + height or y >= y2 + height2:
        return 0.0
    if one.is_covered or other.is_covered:
        return 0.0
    first, second = (np.array(tile.quad_px, np.float32) for tile in (one, other))
    area, _ = cv2.intersectConvexConvex(first, second)
    return float(area / max(1.0, min(cv2.contourArea(first), cv2.contourArea(second))))


def contested(tile: Detection, rival: Detection, share: float) -> Detection:
    """The tile with both readings of its place, of which the rival has this share."""
    both = mixed([(tile, 1 - share), (rival, share)])[:4]
    best, *rest = (Guess(guess.label, round(guess.confidence, 4)) for guess in both)
    return replace(tile, label=best.label, confidence=best.confidence, others=tuple(rest))


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

SURE, UNSURE, BACKS = (80, 190, 60), (60, 60, 235), (190, 150, 80)
READABLE_PX = 56.0  # short side of a tile on which a label can be read
LARGEST_SIDE_PX = 2600  # of an enlarged picture


def annotate(image: Image, detections: Sequence[Detection], *, sure: float = 0.8) -> Image:
    """A copy with every tile outlined, a dot at its top, and its label below the face; doubtful
    ones in red with the two likeliest readings. It is enlarged where tiles are too small for that.
    """
    canvas = as_color(image).copy()
    quads = [np.array(tile.quad_px, np.float32) for tile in detections]
    wanted = READABLE_PX / float(np.median([_short_side(quad) for quad in quads] or [READABLE_PX]))
    factor = max(1.0, min(3.0, wanted, LARGEST_SIDE_PX / max(canvas.shape[:2])))
    if factor > 1:
        canvas = np.asarray(
            cv2.resize(canvas, None, fx=factor, fy=factor, interpolation=cv2.INTER_CUBIC), np.uint8
        )
    for tile, quad in zip(detections, quads, strict=True):
        _outline(canvas, (quad + 0.5) * factor - 0.5, _color(tile, sure))
    for tile, quad in zip(detections, quads, strict=True):
        lines = [tile.label]
        if tile.confidence < sure:
            both = (Guess(tile.label, tile.confidence), *tile.others[:1])
            lines = [f"{guess.label} {guess.confidence:.0%}" for guess in both]
        _write(canvas, lines, (quad + 0.5) * factor - 0.5, _color(tile, sure))
    return canvas


def _color(tile: Detection, sure: float) -> tuple[int, int, int]:
    if tile.confidence < sure:
        return UNSURE
    return BACKS if tile.label == "bk" else SURE


def _short_side(quad: Array) -> float:
    return float(min(np.linalg.norm(quad[1] - quad[0]), np.linalg.norm(quad[2] - quad[1])))


def _outline(canvas: Image, quad: Array, color: tuple[int, int, int]) -> None:
    thick = max(1, round(_short_side(quad) / 24))
    cv2.polylines(
        canvas, [np.round(quad * 16).astype(np.int32)], True, color, thick, cv2.LINE_AA, 4
    )
    top = (quad[0] + quad[1]) / 2 * 0.88 + quad.mean(axis=0) * 0.12
    x, y = (round(float(value)) for value in top)
    cv2.circle(canvas, (x, y), thick + 1, color, -1, cv2.LINE_AA)


def _write(canvas: Image, lines: list[str], quad: Array, color: tuple[int, int, int]) -> None:
    """The lines on a plate over the lower end of the tile, narrower than the tile."""
    font, side = cv2.FONT_HERSHEY_DUPLEX, _short_side(quad)
    widest = max(cv2.getTextSize(line, font, 1.0, 1)[0][0] for line in lines) + 8
    size = min(side / 80, 0.95 * side / widest)
    step, edge = round(size * 29), round(size * 4)
    x, y = (float(value) for value in quad.mean(axis=0))
    left, top = round(x - size * widest / 2), round(min(float(quad[:, 1].max()), y + side / 2))
    top -= step * len(lines)
    corner = (round(x + size * widest / 2), top + step * len(lines))
    cv2.rectangle(canvas, (left, top), corner, color, -1, cv2.LINE_AA)
    for number, line in enumerate(lines):
        spot = (left + edge, top + step * (number + 1) - edge)
        cv2.putText(canvas, line, spot, font, size, (255, 255, 255), 1, cv2.LINE_AA)
