"""Pictures of single tiles with what lies round them: invented ones and cuts from real photos.

Every sample is a canvas of CANVAS_W x CANVAS_H with the tile upright in the middle (TILE_BOX); the
classifier's training then looks at it from a little aside, turned, blurred, under other light.
"""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from vision.classify import LABELS, parse_label
from vision.render import ART_SETS
from vision.training import engraving

CANVAS_W, CANVAS_H = 96, 120
TILE_W, TILE_H = 60, 80
TILE_X, TILE_Y = (CANVAS_W - TILE_W) // 2, (CANVAS_H - TILE_H) // 2
BOX = np.array(  # the tile on its canvas; whole numbers are the centres of pixels
    [
        (TILE_X, TILE_Y),
        (TILE_X + TILE_W, TILE_Y),
        (TILE_X + TILE_W, TILE_Y + TILE_H),
        (TILE_X, TILE_Y + TILE_H),
    ],
    np.float32,
) - np.float32(0.5)
SHARED = Path(__file__).parents[2] / ".." / "shared" / "data"
TEST_PART = 0.15  # of the real photos, by photo

BACKS = (
    (60, 140, 230),
    (50, 200, 230),
    (190, 120, 40),
    (90, 160, 50),
    (180, 60, 200),
    (60, 60, 190),
    (200, 160, 60),
    (40, 90, 40),
    (120, 60, 30),
    (50, 50, 50),
    (160, 190, 210),
)
CLOTHS = (
    (60, 110, 20),
    (40, 80, 30),
    (120, 70, 30),
    (90, 40, 20),
    (30, 30, 30),
    (50, 40, 120),
    (90, 110, 130),
    (140, 140, 140),
    (60, 90, 140),
    (20, 60, 90),
)


@dataclass(frozen=True)
class Sample:
    """One canvas and what it shows."""

    canvas: np.ndarray
    label: str
    source: str
    style: str
    photo: str
    is_upright: bool  # the tile's top is known to be up
    is_test: bool


def is_test_photo(photo: str) -> bool:
    """Whether a photo is kept for tests; the same answer everywhere and always."""
    return int(hashlib.sha256(photo.encode()).hexdigest(), 16) % 100 < TEST_PART * 100


# --- invented tiles ---------------------------------------------------------------------------


def cloth(rng: np.random.Generator, height: int, width: int) -> np.ndarray:
    """A piece of table: felt, cloth or wood, or another color entirely."""
    base = np.array(CLOTHS[rng.integers(len(CLOTHS))], np.float32) + rng.normal(0, 18, 3)
    base *= rng.uniform(0.5, 1.5)
    coarse = cv2.resize(rng.normal(0, 1, (6, 5, 1)).astype(np.float32), (width, height))[..., None]
    fine = rng.normal(0, 1, (height, width, 1)).astype(np.float32)
    if rng.random() < 0.3:
        fine = cv2.blur(fine, (1, 7) if rng.random() < 0.5 else (7, 1))[..., None] * 2
    return np.clip(base + coarse * rng.uniform(0, 14) + fine * rng.uniform(0, 9), 0, 255).astype(
        np.uint8
    )


@dataclass(frozen=True)
class Body:
    """The material of one set's tiles."""

    color: np.ndarray
    back: np.ndarray
    inset: float
    rim: float
    engraved: float
    softness: float


def body(rng: np.random.Generator) -> Body:
    """Ivory, white, yellowed or grey tiles with backs of any color."""
    tone = rng.uniform(190, 252)
    color = np.array([tone - rng.uniform(-4, 45), tone - rng.uniform(-3, 12), tone], np.float32)
    if rng.random() < 0.05:
        color = color - rng.uniform(0, 70, 3)
    back = np.array(BACKS[rng.integers(len(BACKS))], np.float32) + rng.normal(0, 20, 3)
    return Body(
        np.clip(color, 90, 255),
        np.clip(back, 5, 250),
        rng.uniform(0.03, 0.13),
        rng.uniform(-25, 12),
        rng.uniform(0, 40),
        rng.uniform(0.3, 1.0),
    )


def tile_face(
    ink: engraving.Ink | None,
    look: Body,
    rng: np.random.Generator,
    width: int = TILE_W,
    height: int = TILE_H,
) -> np.ndarray:
    """A tile seen from above: the body, its shoulders, and the engraving if it is face up."""
    base = look.color if ink is not None else look.back
    shade = np.linspace(-1, 1, height)[:, None, None] * rng.uniform(-9, 9)
    shade = shade + np.linspace(-1, 1, width)[None, :, None] * rng.uniform(-9, 9)
    picture = np.broadcast_to(base, (height, width, 3)).astype(np.float32) + shade
    edge = np.ones((height, width), np.float32)
    cv2.rectangle(edge, (2, 2), (width - 3, height - 3), 0, -1)
    edge = cv2.GaussianBlur(edge, (5, 5), 1.2)[..., None]
    picture = picture + edge * look.rim
    if ink is not None:
        dx, dy = round(width * look.inset), round(height * look.inset)
        inner_w, inner_h = width - 2 * dx, height - 2 * dy
        cover = cv2.resize(ink.cover, (inner_w, inner_h), interpolation=cv2.INTER_AREA)
        # Color times cover, so that unpainted black never bleeds into the rim of a stroke.
        part = ink.cover.astype(np.float32)[..., None] / 255
        color = cv2.resize(ink.color * part, (inner_w, inner_h), interpolation=cv2.INTER_AREA)
        alpha = cover.astype(np.float32)[..., None] / 255
        area = picture[dy : dy + inner_h, dx : dx + inner_w]
        raised = np.roll(alpha, (1, 1), (0, 1)) - alpha
        area[:] = area * (1 - alpha) + color + raised * look.engraved * 0.5
    return np.clip(picture, 0, 255).astype(np.uint8)


def rounded(picture: np.ndarray, under: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Lay a tile on what is under it, with round corners."""
    h, w = picture.shape[:2]
    radius = int(rng.integers(1, max(2, w // 9)))
    mask = np.zeros((h, w), np.uint8)
    cv2.rectangle(mask, (radius, 0), (w - 1 - radius, h - 1), 255, -1)
    cv2.rectangle(mask, (0, radius), (w - 1, h - 1 - radius), 255, -1)
    for x in (radius, w - 1 - radius):
        for y in (radius, h - 1 - radius):
            cv2.circle(mask, (x, y), radius, 255, -1, cv2.LINE_AA)
    alpha = mask[..., None].astype(np.float32) / 255
    return (picture * alpha + under * (1 - alpha)).astype(np.uint8)


def lay(canvas: np.ndarray, picture: np.ndarray, x: int, y: int, rng: np.random.Generator) -> None:
    """Lay a tile picture on the canvas at x, y, cut off at the canvas edge."""
    h, w = picture.shape[:2]
    x0, y0, x1, y1 = max(0, x), max(0, y), min(canvas.shape[1], x + w), min(canvas.shape[0], y + h)
    if x1 <= x0 or y1 <= y0:
        return
    under = np.zeros_like(picture)
    under[y0 - y : y1 - y, x0 - x : x1 - x] = canvas[y0:y1, x0:x1]
    canvas[y0:y1, x0:x1] = rounded(picture, under, rng)[y0 - y : y1 - y, x0 - x : x1 - x]


def surrounded(
    middle: np.ndarray, others: list[np.ndarray], look: Body, rng: np.random.Generator
) -> np.ndarray:
    """The middle tile on a cloth with neighbors, its own side walls and shadows."""
    canvas = cloth(rng, CANVAS_H, CANVAS_W)
    gap = int(rng.integers(0, 4))
    spots = {
        "left": (TILE_X - TILE_W - gap, TILE_Y + int(rng.integers(-3, 4)), 0),
        "right": (TILE_X + TILE_W + gap, TILE_Y + int(rng.integers(-3, 4)), 0),
        "above": (
            TILE_X + int(rng.integers(-20, 21)),
            TILE_Y - TILE_H - gap - int(rng.integers(0, 8)),
            0,
        ),
        "below": (
            TILE_X + int(rng.integers(-20, 21)),
            TILE_Y + TILE_H + gap + int(rng.integers(0, 8)),
            0,
        ),
    }
    for number, (x, y, _) in enumerate(spots.values()):
        if rng.random() < (0.6 if number < 2 else 0.45) and others:
            other = others[rng.integers(len(others))]
            if rng.random() < 0.4:
                other = np.ascontiguousarray(other[::-1, ::-1])
            lay(canvas, other, x, y, rng)
    if rng.random() < 0.6:  # walls of the tile itself, seen because the camera is not above it
        depth = int(rng.integers(2, 12))
        dx, dy = int(rng.integers(-depth, depth + 1)), int(rng.integers(-depth, depth + 1))
        steps = max(abs(dx), abs(dy), 1)
        for step in range(steps, 0, -1):
            tint = look.back if step > steps * 0.4 else look.color * rng.uniform(0.7, 0.95)
            wall = np.broadcast_to(tint, middle.shape).astype(np.uint8)
            x, y = TILE_X + dx * step // steps, TILE_Y + dy * step // steps
            x0, y0 = max(0, x), max(0, y)
            canvas[y0 : y + TILE_H, x0 : x + TILE_W] = wall[
                : min(TILE_H, CANVAS_H - y0), : min(TILE_W, CANVAS_W - x0)
            ]
    elif rng.random() < 0.5:
        shadow = np.zeros((CANVAS_H, CANVAS_W), np.float32)
        dx, dy = rng.integers(-5, 6, 2)
        cv2.rectangle(
            shadow,
            (TILE_X + int(dx), TILE_Y + int(dy)),
            (TILE_X + TILE_W + int(dx), TILE_Y + TILE_H + int(dy)),
            1,
            -1,
        )
        dark = cv2.GaussianBlur(shadow, (7, 7), 2)[..., None] * rng.uniform(0.2, 0.6)
        canvas = (canvas * (1 - dark)).astype(np.uint8)
    lay(canvas, middle, TILE_X, TILE_Y, rng)
    return canvas


def nothing(rng: np.random.Generator, faces: list[np.ndarray], look: Body) -> np.ndarray:
    """What a locator may take for a tile: cloth, seams, sticks, dice, sleeves, standing tiles,
    engravings of nearer tiles, prints and chips."""
    canvas = cloth(rng, CANVAS_H, CANVAS_W)
    kind = rng.integers(10)
    if kind == 1 or kind == 2:  # the seam between tiles
        across = rng.random() < 0.6
        dx, dy = (TILE_W // 2, 0) if across else (0, TILE_H // 2)
        off = rng.integers(-6, 7, 2)
        for sign in (-1, 1):
            face = faces[rng.integers(len(faces))]
            lay(
                canvas,
                face,
                TILE_X + sign * dx + int(off[0]),
                TILE_Y + sign * dy + int(off[1]),
                rng,
            )
    elif kind == 3:  # a tile standing on its edge
        thick = int(rng.integers(TILE_H // 3, TILE_H * 2 // 3))
        y = TILE_Y + (TILE_H - thick) // 2
        canvas[y : y + thick, TILE_X : TILE_X + TILE_W] = np.clip(
            look.color * rng.uniform(0.8, 1.0), 0, 255
        )
        cut = int(thick * rng.uniform(0.3, 0.6))
        canvas[y : y + cut, TILE_X : TILE_X + TILE_W] = np.clip(look.back, 0, 255)
    elif kind == 4:  # a score stick or a die
        cv2.rectangle(
            canvas,
            (int(rng.integers(10, 40)), 0),
            (int(rng.integers(45, 70)), CANVAS_H),
            tuple(map(float, look.color)),
            -1,
        )
        for _ in range(int(rng.integers(1, 8))):
            spot = (int(rng.integers(20, 70)), int(rng.integers(0, CANVAS_H)))
            cv2.circle(
                canvas,
                spot,
                int(rng.integers(2, 6)),
                (30, 30, 190) if rng.random() < 0.5 else (20, 20, 20),
                -1,
            )
    elif kind == 5:  # skin or cloth over it
        tint = np.array([rng.uniform(60, 160), rng.uniform(90, 190), rng.uniform(130, 240)])
        if rng.random() < 0.5:
            tint = rng.uniform(10, 230, 3)
        points = (rng.uniform(-0.3, 1.3, (7, 2)) * (CANVAS_W, CANVAS_H)).astype(np.int32)
        cv2.fillConvexPoly(canvas, cv2.convexHull(points), tuple(map(float, tint)), cv2.LINE_AA)
    elif kind in (6, 7):  # an engraving of a tile so near that its bamboos look like tiles
        canvas = enlarged(faces[rng.integers(len(faces))], canvas, rng)
    elif kind == 8:  # printed or woven cloth
        print_on(canvas, rng)
    elif kind == 9:  # a chip
        chip(canvas, rng)
    if rng.random() < 0.3:
        canvas = cv2.GaussianBlur(canvas, (9, 9), rng.uniform(0.5, 4))
    return canvas


def enlarged(face: np.ndarray, canvas: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Part of a face, half as wide as the tile at most, laid where a tile is looked for; the bare
    canvas where no paint shows, since a part without would be a white dragon."""
    height, width = face.shape[:2]
    part_w, part_h = rng.uniform(0.2, 0.5) * width, rng.uniform(0.2, 0.5) * height
    for _ in range(8):
        x = rng.uniform(0.05 * width, 0.95 * width - part_w)
        y = rng.uniform(0.05 * height, 0.95 * height - part_h)
        part = face[round(y) : round(y + part_h), round(x) : round(x + part_w)]
        if part.std(axis=(0, 1)).max() > 15:
            break
    else:
        return canvas
    quad = np.array([(x, y), (x + part_w, y), (x + part_w, y + part_h), (x, y + part_h)])
    if rng.random() < 0.5:
        quad = np.roll(quad, 1, axis=0)
    goal = np.array([(0, 0), (TILE_W, 0), (TILE_W, TILE_H), (0, TILE_H)])
    goal += np.array([TILE_X, TILE_Y])
    lens = cv2.getPerspectiveTransform(quad.astype(np.float32), goal.astype(np.float32))
    around = tuple(float(part) for part in cloth(rng, 1, 1)[0, 0])
    size = (CANVAS_W, CANVAS_H)
    return np.asarray(cv2.warpPerspective(face, lens, size, borderValue=around), np.uint8)


def print_on(canvas: np.ndarray, rng: np.random.Generator) -> None:
    """A weave or a scattered print in a shade of the cloth."""
    shade = canvas.mean(axis=(0, 1)) + rng.uniform(-1, 1, 3) * rng.uniform(10, 70)
    tint = tuple(float(part) for part in np.clip(shade, 0, 255))
    step, wide = int(rng.integers(14, 70)), int(rng.integers(1, 9))
    kind, off = rng.integers(3), rng.integers(0, 14, 2)
    for x in range(int(off[0]), CANVAS_W, step):
        for y in range(int(off[1]), CANVAS_H, step):
            if kind == 0:  # checked
                cv2.rectangle(canvas, (x, y), (x + step // 2, y + step // 2), tint, -1)
            elif kind == 1:  # rings
                cv2.circle(canvas, (x, y), step // 3, tint, min(wide, step // 4), cv2.LINE_AA)
            else:  # flowers
                for way in np.linspace(0, 2 * np.pi, 5, endpoint=False):
                    spot = (int(x + np.cos(way) * step / 3), int(y + np.sin(way) * step / 3))
                    axes, turn = (step // 3, step // 8), float(np.degrees(way))
                    cv2.ellipse(canvas, spot, axes, turn, 0, 360, tint, wide // 4 + 1, cv2.LINE_AA)
    canvas[:] = cv2.GaussianBlur(canvas, (0, 0), rng.uniform(0.6, 4))


def chip(canvas: np.ndarray, rng: np.random.Generator) -> None:
    """A round chip: a rim of two colors and rings round its number."""
    middle = (CANVAS_W // 2 + int(rng.integers(-8, 9)), CANVAS_H // 2 + int(rng.integers(-8, 9)))
    size = int(rng.uniform(0.35, 0.8) * TILE_W)
    color, rim = (tuple(float(part) for part in rng.uniform(20, 250, 3)) for _ in range(2))
    cv2.circle(canvas, middle, size, color, -1, cv2.LINE_AA)
    turn, count = rng.uniform(0, 90), int(rng.integers(4, 9))
    for number in range(count):
        first = turn + number * 360 / count
        arc = (first, first + 180 / count)
        cv2.ellipse(canvas, middle, (size - 3, size - 3), 0, *arc, rim, 6, cv2.LINE_AA)
    for part in (0.72, 0.55):
        cv2.circle(canvas, middle, int(size * part), rim, int(rng.integers(1, 4)), cv2.LINE_AA)


def invented(
    seed: int,
    styles: int,
    art_part: float = 0.35,
    arts: tuple[str, ...] = ART_SETS,
) -> Iterator[Sample]:
    """Every face of so many imaginary sets, one canvas each; part of them show these artworks."""
    known = [label for label in LABELS if label not in ("no", "bk")]
    rng = np.random.default_rng([seed, 5])
    for number in range(styles):
        key = seed * 100_003 + number
        art = str(rng.choice(arts)) if rng.random() < art_part else None
        style = engraving.invent(key, art, arts=arts, is_varied=bool(rng.random() < 0.5))
        look = body(rng)
        faces = {label: tile_face(engraving.draw(style, label), look, rng) for label in known}
        back = tile_face(None, look, rng)
        others = [*faces.values(), back, back]
        for label, face in [*faces.items(), ("bk", back)]:
            yield Sample(
                surrounded(face, others, look, rng), label, "invented", style.name, "", True, False
            )
        for _ in range(5):
            yield Sample(nothing(rng, others, look), "no", "invented", style.name, "", True, False)


# --- real tiles -------------------------------------------------------------------------------


def repainted_red(canvas: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A real five with all its paint made red, as red fives are; no photo of one is at hand."""
    inner = (
        canvas[TILE_Y + 6 : TILE_Y + TILE_H - 6, TILE_X + 4 : TILE_X + TILE_W - 4]
        .reshape(-1, 3)
        .astype(np.float32)
    )
    light = inner.sum(axis=1)
    ground = np.median(inner[light >= np.percentile(light, 60)], axis=0)
    box = (slice(TILE_Y + 2, TILE_Y + TILE_H - 2), slice(TILE_X + 2, TILE_X + TILE_W - 2))
    area = canvas[box].astype(np.float32)
    missing = np.clip((ground - area) / np.maximum(ground, 1), 0, 1).max(axis=2, keepdims=True)
    paint = np.clip((missing - 0.12) * 1.8, 0, 1)
    red = np.array(
        engraving.jitter(engraving.REDS[rng.integers(len(engraving.REDS))], rng), np.float32
    )
    result = canvas.copy()
    result[box] = np.clip(area * (1 - paint) + red * (ground.mean() / 235) * paint, 0, 255).astype(
        np.uint8
    )
    return result


def single_tiles(seed: int = 0) -> Iterator[Sample]:
    """The tight upright crops of `tiles_real`, each laid on a cloth among others of its set."""
    folder = SHARED / "tiles_real"
    rng = np.random.default_rng([seed, 11])
    with (folder / "labels.csv").open(encoding="utf-8") as table:
        rows = [row for row in csv.DictReader(table) if row["source"] == "camerash"]
    pictures: dict[str, list[tuple[dict[str, str], np.ndarray]]] = {}
    for row in rows:
        picture = cv2.imread(str(folder / "images" / row["file"]))
        small = cv2.resize(picture, (TILE_W, TILE_H), interpolation=cv2.INTER_AREA)
        pictures.setdefault(row["style"], []).append((row, small))
    for style, members in sorted(pictures.items()):
        others = [picture for _, picture in members]
        for row, picture in members:
            yield Sample(
                surrounded(picture, others, body(rng), rng),
                parse_label(row["label"]),
                "camerash",
                style,
                row["photo"],
                True,
                False,
            )


def scene_tiles() -> Iterator[Sample]:
    """The boxed tiles of `scenes_real` that lie straight in the picture, with their surroundings.

    A sideways one is turned upright by a quarter; whether its top is then up is not known.
    """
    folder = SHARED / "scenes_real"
    with (folder / "labels.csv").open(encoding="utf-8") as table:
        rows = list(csv.DictReader(table))
    name, photo = "", np.zeros((1, 1, 3), np.uint8)
    for row in rows:
        if row["file"] != name:
            name = row["file"]
            photo = cv2.imread(str(folder / "images" / name))
        x, y, w, h = (float(row[key]) for key in "xywh")
        aspect = w / h
        if 0.58 < aspect < 0.88:
            corners = [(x, y), (x + w, y), (x, y + h)]
        elif 0.58 < 1 / aspect < 0.88:
            corners = [(x, y + h), (x, y), (x + w, y + h)]
        else:
            continue
        goal = [(TILE_X, TILE_Y), (TILE_X + TILE_W, TILE_Y), (TILE_X, TILE_Y + TILE_H)]
        lens = cv2.getAffineTransform(np.array(corners, np.float32), np.array(goal, np.float32))
        canvas = cv2.warpAffine(
            photo,
            lens,
            (CANVAS_W, CANVAS_H),
            flags=cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_REPLICATE,
        )
        yield Sample(
            canvas,
            parse_label(row["label"]),
            "scenes",
            row["style"],
            name,
            False,
            is_test_photo(name),
        )
