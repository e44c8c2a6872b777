"""Whole pictures with known tiles: rendered tables, rows, trays and heaps, and the real photos."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.camera import CameraModel
from vision.classify import LABELS, parse_label
from vision.locate import Located, Locator
from vision.render import ART_SETS, Hand, Look, Renderer
from vision.render.look import ClutterLook
from vision.training.crops import (
    BOX,
    CANVAS_H,
    CANVAS_W,
    SHARED,
    Sample,
    is_test_photo,
)
from vision.types import Facing, PlacedTile
from vision.zones import MeldShape, TableGeometry

FACES = tuple(label for label in LABELS if label not in ("bk", "no"))
RIICHI = tuple(label for label in LABELS if label[1] in "mpsz")


@dataclass(frozen=True)
class Known:
    """One tile of a picture. Without `has_axes` only the box round it is known."""

    quad: np.ndarray  # clockwise from the tile's own top left
    label: str
    facing: Facing
    visible: float
    has_axes: bool = True


@dataclass(frozen=True)
class Picture:
    """A picture and its tiles; unless `is_complete` there may be more tiles than those named."""

    name: str
    image: np.ndarray
    tiles: tuple[Known, ...]
    is_complete: bool
    source: str
    style: str
    is_test: bool


# --- what lies on the table -------------------------------------------------------------------


def table_layout(
    rng: np.random.Generator, labels: tuple[str, ...], *, discards: int | None = None
) -> list[PlacedTile]:
    """A deal somewhere between its beginning and its end, or with about so many discards each."""
    geometry = TableGeometry()

    def face() -> str:
        return labels[rng.integers(len(labels))]

    placed: list[PlacedTile] = []
    length = int(rng.integers(0, 25)) if discards is None else discards
    for seat in range(4):
        sideways = {int(rng.integers(0, 20)) for _ in range(int(rng.integers(0, 3)))}
        for index in range(int(np.clip(length + rng.integers(-2, 3), 0, 24))):
            placed.append(geometry.pond_place(seat, index, sideways).of(face()))
        shapes = []
        for _ in range(int(rng.choice([0, 0, 1, 1, 2, 3, 4]))):
            kind = rng.random()
            if kind < 0.15:
                shapes.append(MeldShape(4, face_down=(0, 3)))
            elif kind < 0.3:
                shapes.append(MeldShape(4, sideways=int(rng.integers(0, 3)), added=True))
            else:
                shapes.append(MeldShape(int(rng.integers(3, 5)), sideways=int(rng.integers(0, 3))))
        for poses in geometry.meld_poses(seat, shapes):
            placed += [pose.of(face()) for pose in poses]
        hand = 13 - 3 * len(shapes)
        if rng.random() < 0.85:
            is_shown = bool(rng.random() < 0.3)
            placed += [
                pose.of(face())
                for pose in geometry.hand_poses(
                    seat,
                    hand + int(rng.integers(0, 2)),
                    shown=is_shown,
                    drawn_apart=bool(rng.random() < 0.5),
                )
            ]
        if rng.random() < 0.3:
            placed += [
                pose.of(face()) for pose in geometry.flower_poses(seat, int(rng.integers(1, 6)))
            ]
        first, last = sorted(rng.integers(0, 18, 2))
        for stack in range(int(first), int(last)):
            if stack < geometry.wall_stacks[seat]:
                placed.append(geometry.wall_place(seat, stack, 0).of(face()))
                if rng.random() < 0.9:
                    is_up = bool(rng.random() < 0.06)
                    placed.append(geometry.wall_place(seat, stack, 1, face_up=is_up).of(face()))
    return placed


def rows_layout(rng: np.random.Generator, labels: tuple[str, ...]) -> list[PlacedTile]:
    """Rows and grids as on a rack, a tray or a seller's photo, turned by any angle."""
    turn = float(rng.choice([0.0, 0.0, 90.0, float(rng.uniform(-180, 180))]))
    gap = float(rng.choice([0.2, 0.5, 2.0, 6.0]))
    rows, columns = int(rng.integers(1, 8)), int(rng.integers(4, 15))
    row_gap = float(rng.choice([0.3, 3.0, 12.0, 30.0]))
    is_down = rng.random() < 0.12
    cosine, sine = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    placed = []
    for row in range(rows):
        for column in range(columns):
            if rng.random() < 0.05:
                continue
            x = (column - (columns - 1) / 2) * (20 + gap)
            y = (row - (rows - 1) / 2) * (26.5 + row_gap)
            spot = (float(x * cosine - y * sine), float(x * sine + y * cosine))
            facing = Facing.DOWN if is_down or rng.random() < 0.05 else Facing.UP
            flip = 180.0 if rng.random() < 0.1 else 0.0
            placed.append(PlacedTile(labels[rng.integers(len(labels))], spot, turn + flip, facing))
    return placed


def heap_layout(rng: np.random.Generator, labels: tuple[str, ...]) -> list[PlacedTile]:
    """Tiles strewn about at any angle, none on another, many touching."""
    placed: list[PlacedTile] = []
    spread = float(rng.uniform(70, 260))
    wanted = int(rng.integers(8, 90))
    spots: list[np.ndarray] = []
    base = float(rng.uniform(0, 360))
    for _ in range(wanted * 8):
        spot = rng.uniform(-spread, spread, 2)
        if spots and min(np.hypot(*(spot - other)) for other in spots) < rng.uniform(25, 34):
            continue
        spots.append(spot)
        angle = (
            base + float(rng.choice([0, 90, 180, 270])) + rng.normal(0, 6)
            if rng.random() < 0.4
            else rng.uniform(0, 360)
        )
        facing = Facing.DOWN if rng.random() < 0.2 else Facing.UP
        placed.append(
            PlacedTile(
                labels[rng.integers(len(labels))],
                (float(spot[0]), float(spot[1])),
                float(angle),
                facing,
            )
        )
        if len(placed) >= wanted:
            break
    return placed


# --- cameras ----------------------------------------------------------------------------------


def overhead(rng: np.random.Generator) -> CameraModel:
    """A camera fixed above the table, a little off and a little tilted."""
    return CameraModel.above_table(
        width_px=1920,
        height_px=1080,
        height_mm=float(rng.uniform(1000, 1400)),
        visible_mm=float(rng.uniform(700, 860)),
        offset_mm=(float(rng.normal(0, 30)), float(rng.normal(0, 30))),
        tilt_deg=(float(rng.normal(0, 2)), float(rng.normal(0, 2))),
        turn_deg=float(rng.choice([0, 0, 90, 180, 270]) + rng.normal(0, 3)),
    )


def by_hand(rng: np.random.Generator, reach_mm: float) -> CameraModel:
    """A telephone held over or before the tiles."""
    size = ((1280, 960), (960, 1280), (1280, 720))[rng.integers(3)]
    elevation, azimuth = np.radians(rng.uniform(32, 88)), rng.uniform(0, 2 * np.pi)
    distance = float(rng.uniform(1.4, 3.2) * reach_mm + 120)
    target = np.array([*rng.normal(0, reach_mm * 0.2, 2), 10.0])
    roll = rng.normal(0, 0.08)
    return looking_at(target, elevation, azimuth, distance, roll, size, rng.uniform(0.8, 1.2))


def at_seat(rng: np.random.Generator) -> CameraModel:
    """A telephone held before the eyes of a player who sits at the table, 12 megapixels."""
    target = np.array([*rng.normal(0, 25, 2), 10.0])
    elevation, azimuth = np.radians(rng.uniform(40, 62)), np.pi / 2 * (rng.integers(4) - 1)
    azimuth += rng.normal(0, 0.08)
    distance, roll = float(rng.uniform(880, 1050)), rng.normal(0, 0.04)
    return looking_at(target, elevation, azimuth, distance, roll, (4032, 3024), 0.85)


def looking_at(
    target: np.ndarray,
    elevation: float,
    azimuth: float,
    distance: float,
    roll: float,
    size: tuple[int, int],
    lens: float,
) -> CameraModel:
    """A camera turned to a point of the table from so far away (mm) and so high (radians); `lens`
    is its focal length in widths of the picture."""
    width, height = size
    way = np.array(
        [
            np.cos(azimuth) * np.cos(elevation),
            np.sin(azimuth) * np.cos(elevation),
            np.sin(elevation),
        ]
    )
    eye = target + way * distance
    forward = -way
    right = np.cross(forward, [0, 0, 1.0])
    right /= np.linalg.norm(right)
    down = np.cross(forward, right)
    right, down = (
        right * np.cos(roll) + down * np.sin(roll),
        down * np.cos(roll) - right * np.sin(roll),
    )
    matrix = np.stack([right, down, forward])
    rotation, _ = cv2.Rodrigues(matrix)
    translation = -matrix @ eye
    focal = float(lens * max(size))
    return CameraModel(
        width,
        height,
        (focal, focal),
        ((width - 1) / 2, (height - 1) / 2),
        (0.0, 0.0, 0.0, 0.0, 0.0),
        tuple(rotation.ravel().tolist()),
        tuple(translation.ravel().tolist()),
    )


# --- pictures ---------------------------------------------------------------------------------


def rendered(seed: int, count: int, *, arts: tuple[str, ...] = ART_SETS) -> Iterator[Picture]:
    """So many rendered pictures: calm tables, hard tables, rows and heaps seen by hand."""
    for number in range(count):
        rng = np.random.default_rng([seed, number, 3])
        yield render_one(rng, f"rendered-{seed}-{number}", arts=arts)


def render_one(rng: np.random.Generator, name: str, *, arts: tuple[str, ...] = ART_SETS) -> Picture:
    """One rendered picture of a random kind."""
    kind = rng.random()
    labels = RIICHI if rng.random() < 0.4 else FACES
    if kind < 0.5:
        placed, camera = table_layout(rng, labels), overhead(rng)
        is_calm = rng.random() < 0.35
    elif kind < 0.6:
        placed, camera, is_calm = table_layout(rng, labels), by_hand(rng, 280), False
    else:
        placed = rows_layout(rng, labels) if rng.random() < 0.55 else heap_layout(rng, labels)
        reach = max((max(map(abs, tile.centre_mm)) for tile in placed), default=100.0)
        camera, is_calm = by_hand(rng, reach * rng.uniform(0.6, 1.1)), False
    look = Look() if is_calm else Look.random(rng, art=arts, hardness=float(rng.uniform(0.2, 1)))
    if is_calm:
        look = look.with_art(str(rng.choice(arts)))
    if not (kind < 0.6):
        # Near the lens a stick that lies beside the tiles would fill the picture.
        clear = ClutterLook(sticks=0)
        look = replace(look, cloth=replace(look.cloth, half_mm=1500.0), clutter=clear)
    hands = []
    if rng.random() < 0.3:
        for _ in range(int(rng.integers(1, 3))):
            away = rng.uniform(0, 2 * np.pi)
            hands.append(
                Hand(
                    (float(rng.normal(0, 130)), float(rng.normal(0, 130))),
                    (float(500 * np.cos(away)), float(500 * np.sin(away))),
                    float(rng.random()),
                )
            )
    return drawn(name, camera, look, placed, rng, hands=hands, has_centre=kind < 0.6)


def drawn(
    name: str,
    camera: CameraModel,
    look: Look,
    placed: Sequence[PlacedTile],
    rng: np.random.Generator,
    *,
    hands: Sequence[Hand] = (),
    has_centre: bool = True,
) -> Picture:
    """The picture that the camera takes of this table."""
    renderer = Renderer(camera, look, seed=int(rng.integers(1 << 30)))
    frame = renderer.draw(
        placed,
        rng,
        hands=hands,
        centre=has_centre,
        dice=tuple(int(pip) for pip in rng.integers(1, 7, 2)),
    )
    tiles = tuple(
        Known(np.array(tile.quad_px, np.float32), tile.label, tile.facing, tile.visible)
        for tile in frame.truth
    )
    return Picture(name, frame.image, tiles, True, "rendered", look.tiles.art, False)


def from_seats(seed: int, count: int, art: str) -> Iterator[Picture]:
    """Whole riichi tables late in a deal, each photographed by one player."""
    for number in range(count):
        rng = np.random.default_rng([seed, number, 17])
        placed, camera = table_layout(rng, RIICHI, discards=int(rng.integers(14, 20))), at_seat(rng)
        look = Look.random(rng, art=(art,), hardness=float(rng.uniform(0.2, 0.7)))
        yield drawn(f"seat-{seed}-{number}", camera, look, placed, rng)


def photos() -> Iterator[Picture]:
    """The photos of `scenes_real`; their boxes are straight, so a turned tile has no known axes."""
    folder = SHARED / "scenes_real"
    with (folder / "labels.csv").open(encoding="utf-8") as table:
        boxes: dict[str, list[dict[str, str]]] = {}
        for row in csv.DictReader(table):
            boxes.setdefault(row["file"], []).append(row)
    with (folder / "photos.csv").open(encoding="utf-8") as table:
        rows = list(csv.DictReader(table))
    for row in rows:
        image = cv2.imread(str(folder / "images" / row["file"]))
        tiles = []
        for box in boxes.get(row["file"], []):
            x, y, w, h = (float(box[key]) for key in "xywh")
            label = parse_label(box["label"])
            quad = np.array([(x, y), (x + w, y), (x + w, y + h), (x, y + h)], np.float32)
            quad -= 0.5
            is_wide = w > h
            if is_wide:
                quad = np.roll(quad, 1, axis=0)
            aspect = min(w, h) / max(w, h)
            facing = Facing.DOWN if label == "bk" else Facing.UP
            tiles.append(Known(quad, label, facing, 1.0, 0.62 < aspect < 0.80))
        yield Picture(
            row["file"],
            image,
            tuple(tiles),
            row["complete"] == "yes",
            "scenes",
            row["style"],
            is_test_photo(row["file"]),
        )


def tiles_of(picture: Picture, *, at_least: float = 0.75) -> Iterator[Sample]:
    """The tiles of a picture as canvases, cut along their outlines, with their surroundings."""
    for tile in picture.tiles:
        if tile.visible < at_least or not tile.has_axes:
            continue
        label = tile.label if tile.facing is not Facing.STANDING else "no"
        yield sample_of(picture, tile.quad, label)


def sample_of(picture: Picture, quad: np.ndarray, label: str) -> Sample:
    """What lies in this outline, with its surroundings."""
    canvas = cv2.warpPerspective(
        picture.image,
        cv2.getPerspectiveTransform(quad, BOX),
        (CANVAS_W, CANVAS_H),
        flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    is_drawn = picture.source == "rendered"
    return Sample(
        np.asarray(canvas, np.uint8),
        label,
        picture.source,
        picture.style,
        picture.name,
        is_drawn,
        picture.is_test,
    )


def false_findings(picture: Picture, finder: Locator) -> list[Sample]:
    """What this locator takes for tiles and is none: engravings, walls of tiles, shadows, prints.

    Of a photo only engravings of boxed tiles: not everything that is a tile is boxed there.
    """
    is_drawn = picture.source == "rendered"
    return [
        replace(sample_of(picture, found.quad, "no"), source="findings")
        for found in finder.of_any_size(picture.image, at_least=0.3)
        if (
            not any(may_be(found, tile) for tile in picture.tiles)
            if is_drawn
            else any(is_part(found, tile) for tile in picture.tiles)
        )
    ]


def may_be(found: Located, tile: Known) -> bool:
    """Whether a finding lies where the tile lies and is not much smaller."""
    side = min(np.ptp(tile.quad[:, 0]), np.ptp(tile.quad[:, 1]))
    is_near = bool(np.hypot(*(found.centre - tile.quad.mean(axis=0))) < 0.42 * side)
    return is_near and cv2.contourArea(found.quad) > 0.45 * cv2.contourArea(tile.quad)


def is_part(found: Located, tile: Known) -> bool:
    """Whether a finding is a small part of the tile; the straight box of a turned tile is up to
    twice as large as the tile."""
    is_small = cv2.contourArea(found.quad) < 0.3 * cv2.contourArea(tile.quad)
    x, y = (float(part) for part in found.centre)
    return is_small and cv2.pointPolygonTest(tile.quad, (x, y), measureDist=False) > 0
