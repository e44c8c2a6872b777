"""What lies under the tiles: cloth, rim, floor, the centre unit with its dome, sticks and cups."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.camera import CameraModel
from vision.render.look import ClothLook, Colour, LightLook

Picture = NDArray[np.uint8]
Field = NDArray[np.float32]

UNIT_PX = 520  # side of the drawing of the centre unit
DIE_MM = 15.0
DOME_MM = 36.0  # radius


def cloth_picture(camera: CameraModel, cloth: ClothLook, light: Field) -> Picture:
    """The empty table as the camera sees it under this light."""
    rng = np.random.default_rng(cloth.seed)
    width, height = camera.width_px, camera.height_px
    paint = np.empty((height, width, 3), np.uint8)
    paint[:] = cloth.floor
    dark = tuple(int(v * 0.35) for v in cloth.rim)
    for half_mm, colour in (
        (cloth.half_mm + 42, cloth.rim),
        (cloth.half_mm + 3, dark),
        (cloth.half_mm, cloth.colour),
    ):
        cv2.fillPoly(paint, [square(camera, half_mm)], colour, cv2.LINE_AA, 4)
    # Tone and pattern at half the size: a quarter of the memory, and cloth is soft anyway.
    half = camera.scaled(0.5)
    size = (half.width_px, half.height_px)
    felt = np.zeros((size[1], size[0]), np.uint8)
    cv2.fillPoly(felt, [square(half, cloth.half_mm)], 1, cv2.LINE_8, 4)
    tone = 0.25 * cloud(rng, size, 5)
    surface = weave(rng, size, cloth.grain)
    surface += cloth.contrast * 0.5 * cloud(rng, size, 9)
    if cloth.pattern != "plain":
        surface += cloth.contrast * pattern(rng, half, cloth.pattern)
    cv2.copyTo(surface, felt, tone)
    tone += 1
    for channel in range(3):
        level = cv2.resize(light[..., channel], size, interpolation=cv2.INTER_CUBIC)
        cv2.multiply(level, tone, level)
        wide = cv2.resize(level, (width, height), interpolation=cv2.INTER_LINEAR)
        paint[..., channel] = cv2.multiply(paint[..., channel], wide, dtype=cv2.CV_8U)
    return paint


FAR_PX = 100_000.0  # beyond any picture, and small enough for a 32-bit number of sub-pixels


def square(camera: CameraModel, half_mm: float) -> NDArray[np.int32]:
    """The outline of a square on the felt; its sides are bent by the lens."""
    side = np.linspace(-half_mm, half_mm, 24)
    full = np.full_like(side, half_mm)
    outline = np.concatenate(
        [
            np.stack([side, -full], 1),
            np.stack([full, side], 1),
            np.stack([-side, full], 1),
            np.stack([-full, -side], 1),
        ]
    )
    return fixed(camera.project(np.column_stack([outline, np.zeros(len(outline))])))


def fixed(points: NDArray[np.float64]) -> NDArray[np.int32]:
    """Points for OpenCV's drawing with four sub-pixel bits; what lies far outside stays outside."""
    return np.round(np.clip(points, -FAR_PX, FAR_PX) * 16).astype(np.int32)


def cloud(rng: np.random.Generator, size: tuple[int, int], cells: int) -> Field:
    """Soft random blotches between about -1 and 1."""
    coarse = rng.normal(0, 0.5, (cells, round(cells * size[0] / size[1]) + 1)).astype(np.float32)
    return np.asarray(cv2.resize(coarse, size, interpolation=cv2.INTER_CUBIC), np.float32)


def weave(rng: np.random.Generator, size: tuple[int, int], grain: float) -> Field:
    """The fine grain of felt, in shares of the brightness."""
    noise = rng.integers(0, 256, (size[1], size[0]), np.uint8)
    soft = cv2.GaussianBlur(noise, (0, 0), 0.7)
    share = grain / 45 / 74  # 74: the spread of even noise from 0 to 255
    return np.asarray(soft * np.float32(share) - np.float32(127.5 * share), np.float32)


def pattern(rng: np.random.Generator, camera: CameraModel, kind: str) -> Field:
    """A printed or woven pattern between -1 and 1."""
    height, width = camera.height_px, camera.width_px
    field = np.zeros((height, width), np.float32)
    unit = height / 1080
    match kind:
        case "plain":
            return field
        case "stripes" | "checks":
            step = float(rng.uniform(14, 60)) * unit
            angle = float(rng.uniform(0, np.pi))
            y, x = np.mgrid[0:height, 0:width].astype(np.float32)
            along = np.cos(angle) * x + np.sin(angle) * y
            field = np.sin(along * 2 * np.pi / step).astype(np.float32)
            if kind == "checks":
                across = -np.sin(angle) * x + np.cos(angle) * y
                field = 0.5 * (field + np.sin(across * 2 * np.pi / step).astype(np.float32))
        case "floral":
            for _ in range(90):
                x0, y0 = rng.uniform((0, 0), (width, height))
                petals, reach = int(rng.integers(5, 8)), float(rng.uniform(8, 26)) * unit
                for petal in range(petals):
                    turn = 360 * petal / petals
                    reach_x = x0 + reach * np.cos(np.radians(turn))
                    reach_y = y0 + reach * np.sin(np.radians(turn))
                    axes = (max(1, round(reach * 0.7)), max(1, round(reach * 0.3)))
                    cv2.ellipse(
                        field, (int(reach_x), int(reach_y)), axes, turn, 0, 360, 1.0, 2, cv2.LINE_AA
                    )
        case "logo":
            printed = np.zeros((height, width), np.uint8)
            for _ in range(4):
                x0, y0 = rng.uniform((0, 0.1 * height), (width * 0.8, height)).astype(int).tolist()
                word = "".join(rng.choice(list("MAHJONGCLUB168"), 6))
                scale = float(rng.uniform(1.5, 4)) * unit
                thick = max(2, int(3 * unit))
                cv2.putText(printed, word, (x0, y0), 4, scale, 255, thick, cv2.LINE_AA)
            return np.asarray(printed / 255, np.float32)
        case _:
            return cloud(rng, (width, height), 30)
    return np.asarray(field, np.float32)


def light_field(camera: CameraModel, light: LightLook) -> Field:
    """How bright the light is everywhere, a coarse picture with one value a colour."""
    height, width = 54, 96
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    x, y = (x + 0.5) / width * 2 - 1, 1 - (y + 0.5) / height * 2
    turn = np.radians(light.azimuth_deg)
    slope = light.unevenness * (np.cos(turn) * x + np.sin(turn) * y * height / width)
    corner = light.vignette * (x * x + (y * height / width) ** 2) * 0.6
    level = (1 + slope) * (1 - corner)
    return np.asarray(level[..., None] * np.array(light.gain, np.float32), np.float32)


def centre_unit(
    camera: CameraModel,
    side_mm: float,
    dice: Sequence[int],
    rng: np.random.Generator,
    *,
    dome_glare: float,
) -> tuple[Picture, Picture, tuple[int, int]]:
    """The unit in the middle: picture, mask and where its upper left corner goes."""
    unit = draw_unit(side_mm, dice, rng, dome_glare=dome_glare)
    half = side_mm / 2
    corners = np.array([[-half, half], [half, half], [half, -half], [-half, -half]])
    return place(camera, unit, corners, 8.0)


def place(
    camera: CameraModel, sprite: Picture, corners_mm: NDArray[np.float64], height_mm: float
) -> tuple[Picture, Picture, tuple[int, int]]:
    """A flat BGRA drawing on the table at some height: colours, mask, upper left corner."""
    seen = camera.project(np.column_stack([corners_mm, np.full(4, height_mm)]))
    low = np.floor(seen.min(0)).astype(int) - 1
    size = np.ceil(seen.max(0)).astype(int) + 2 - low
    source = np.array(
        [
            [-0.5, -0.5],
            [sprite.shape[1] - 0.5, -0.5],
            [sprite.shape[1] - 0.5, sprite.shape[0] - 0.5],
            [-0.5, sprite.shape[0] - 0.5],
        ],
        np.float32,
    )
    shrink = max(1.0, sprite.shape[1] / max(np.hypot(*(seen[1] - seen[0])), 1.0) / 1.3)
    if shrink > 1.2:
        small = (max(2, round(sprite.shape[1] / shrink)), max(2, round(sprite.shape[0] / shrink)))
        source = (source + 0.5) * np.array(small) / np.array(sprite.shape[1::-1]) - 0.5
        sprite = np.asarray(cv2.resize(sprite, small, interpolation=cv2.INTER_AREA), np.uint8)
    matrix = cv2.getPerspectiveTransform(source.astype(np.float32), (seen - low).astype(np.float32))
    warped = cv2.warpPerspective(sprite, matrix, (int(size[0]), int(size[1])))
    return (
        np.asarray(warped[..., :3], np.uint8),
        np.asarray(warped[..., 3], np.uint8),
        (int(low[0]), int(low[1])),
    )


def draw_unit(
    side_mm: float, dice: Sequence[int], rng: np.random.Generator, *, dome_glare: float
) -> Picture:
    """The centre unit from above: a dark plate, four displays, keys and the dome with its dice."""
    scale = UNIT_PX / side_mm
    unit = np.zeros((UNIT_PX, UNIT_PX, 4), np.uint8)
    unit[..., :3] = (46, 42, 40)
    middle = UNIT_PX // 2
    display = np.zeros((UNIT_PX, UNIT_PX, 3), np.uint8)
    for turn in range(4):
        display = np.ascontiguousarray(np.rot90(display))
        cv2.rectangle(display, (130, UNIT_PX - 78), (UNIT_PX - 130, UNIT_PX - 24), (16, 14, 14), -1)
        points = f"{int(rng.integers(40, 600)) * 100:>6d}"
        ink = ((60, 60, 250), (90, 240, 120))[turn % 2]
        cv2.putText(
            display, points, (150, UNIT_PX - 34), cv2.FONT_HERSHEY_PLAIN, 3.1, ink, 4, cv2.LINE_AA
        )
    lit = display.any(axis=2)
    unit[..., :3][lit] = display[lit]
    for x, y in ((60, 60), (460, 60), (460, 460), (60, 460)):
        cv2.circle(unit, (x, y), 26, (70, 66, 180), -1, cv2.LINE_AA)
        cv2.circle(unit, (x, y), 26, (30, 28, 60), 3, cv2.LINE_AA)
    radius = round(DOME_MM * scale)
    cv2.circle(unit, (middle, middle), radius + 8, (24, 22, 22), -1, cv2.LINE_AA)
    cv2.circle(unit, (middle, middle), radius, (84, 92, 60), -1, cv2.LINE_AA)
    for value, at, turn_deg in thrown(dice, rng):
        draw_die(unit, value, (middle + at[0] * scale, middle + at[1] * scale), turn_deg, scale)
    if dome_glare > 0:
        add_glare(unit, middle, radius, dome_glare, rng)
    unit[..., 3] = rounded_square(UNIT_PX, 46)
    return unit


def thrown(
    dice: Sequence[int], rng: np.random.Generator
) -> list[tuple[int, tuple[float, float], float]]:
    """Where the dice came to rest in the dome: value, place in mm, turn; they do not overlap."""
    places: list[tuple[float, float]] = []
    reach = DOME_MM - DIE_MM * 0.75
    while len(places) < len(dice):
        turn, far = rng.uniform(0, 2 * np.pi), reach * np.sqrt(rng.random())
        spot = (float(far * np.cos(turn)), float(far * np.sin(turn)))
        if all(np.hypot(spot[0] - x, spot[1] - y) > DIE_MM * 1.45 for x, y in places):
            places.append(spot)
        elif rng.random() < 0.02:
            places.clear()
    return [
        (value, spot, float(rng.uniform(0, 90))) for value, spot in zip(dice, places, strict=True)
    ]


PIPS = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}


def draw_die(
    unit: Picture, value: int, at: tuple[float, float], turn_deg: float, scale: float
) -> None:
    """One die from above; the one and, on Asian dice, the four are red."""
    half = DIE_MM / 2 * scale
    spin = np.radians(turn_deg)
    across = np.array([np.cos(spin), np.sin(spin)])
    down = np.array([-np.sin(spin), np.cos(spin)])
    centre = np.array(at)
    for size, shade in ((1.0, 178), (0.86, 236)):
        corners = [
            centre + size * half * (x * across + y * down)
            for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))
        ]
        cv2.fillPoly(unit, [fixed(np.array(corners))], (shade, shade, shade, 255), cv2.LINE_AA, 4)
    red = value in (1, 4)
    ink = (40, 34, 190, 255) if red else (34, 30, 30, 255)
    pip = half * (0.30 if value == 1 else 0.19)
    for x, y in PIPS[value]:
        spot = np.round((centre + 0.52 * half * (x * across + y * down)) * 16).astype(int)
        cv2.circle(unit, (int(spot[0]), int(spot[1])), round(pip * 16), ink, -1, cv2.LINE_AA, 4)


def add_glare(
    unit: Picture, middle: int, radius: int, strength: float, rng: np.random.Generator
) -> None:
    """The lamp's reflection on the dome's cover."""
    glow = np.zeros(unit.shape[:2], np.float32)
    turn = rng.uniform(0, 2 * np.pi)
    at = (
        round(middle + 0.5 * radius * float(np.cos(turn))),
        round(middle + 0.5 * radius * float(np.sin(turn))),
    )
    cv2.ellipse(glow, at, (radius // 3, radius // 7), np.degrees(turn) + 90, 0, 360, 1.0, -1)
    cv2.circle(glow, (middle, middle), radius - 6, 0.25, 5, cv2.LINE_AA)
    glow = np.asarray(cv2.GaussianBlur(glow, (0, 0), 6), np.float32) * 255 * strength
    unit[..., :3] = np.clip(unit[..., :3] + glow[..., None], 0, 255).astype(np.uint8)


def rounded_square(side: int, radius: int) -> Picture:
    """A mask of a square with round corners."""
    mask = np.zeros((side, side), np.uint8)
    inner = side - 1 - radius
    cv2.rectangle(mask, (radius, 0), (inner, side - 1), 255, -1)
    cv2.rectangle(mask, (0, radius), (side - 1, inner), 255, -1)
    for x in (radius, inner):
        for y in (radius, inner):
            cv2.circle(mask, (x, y), radius, 255, -1, cv2.LINE_AA)
    return mask


def stick_sprite(points: int) -> Picture:
    """A score stick, the long side across: white with the dots of its worth."""
    sprite = np.zeros((28, 360, 4), np.uint8)
    sprite[:] = (226, 234, 236, 255)
    red, black = (36, 32, 180, 255), (40, 36, 36, 255)
    spots: dict[int, list[tuple[int, tuple[int, int, int, int]]]] = {
        100: [(180 + 12 * k, black) for k in range(-4, 4)],
        1000: [(180, red)],
        5000: [(180 + 26 * k, red) for k in range(-2, 3)],
        10000: [(180 + 26 * k, red if k else black) for k in range(-3, 4)],
    }
    for x, ink in spots[points]:
        cv2.circle(sprite, (x, 14), 9 if points == 1000 else 5, ink, -1, cv2.LINE_AA)
    sprite[[0, -1]] = (150, 156, 158, 255)
    return sprite


def cup_sprite(rng: np.random.Generator) -> Picture:
    """A cup of tea or coffee from above, on its saucer."""
    sprite = np.zeros((240, 240, 4), np.uint8)
    china = tuple(int(v) for v in rng.integers(150, 250, 3))
    drink: Colour = ((20, 40, 70), (30, 110, 160), (24, 24, 30))[int(rng.integers(3))]
    for radius, colour in (
        (118, tuple(int(v * 0.85) for v in china)),
        (84, china),
        (76, tuple(int(v * 0.7) for v in china)),
        (70, drink),
    ):
        cv2.circle(sprite, (120, 120), radius, (*colour, 255), -1, cv2.LINE_AA)
    cv2.ellipse(sprite, (96, 96), (26, 10), -45, 0, 360, (200, 206, 210, 255), -1, cv2.LINE_AA)
    return sprite


def chip_sprite(rng: np.random.Generator) -> Picture:
    """A gaming chip."""
    sprite = np.zeros((120, 120, 4), np.uint8)
    colour = tuple(int(v) for v in rng.integers(30, 220, 3))
    cv2.circle(sprite, (60, 60), 58, (*colour, 255), -1, cv2.LINE_AA)
    for start in range(0, 360, 60):
        cv2.ellipse(sprite, (60, 60), (54, 54), 0, start, start + 24, (236, 238, 240, 255), 9)
    cv2.circle(sprite, (60, 60), 34, (226, 230, 232, 255), 3, cv2.LINE_AA)
    return sprite


def card_sprite(rng: np.random.Generator) -> Picture:
    """A printed card, light like a tile but much larger."""
    sprite = np.full((180, 280, 4), 255, np.uint8)
    sprite[..., :3] = rng.integers(200, 250, 3).astype(np.uint8)
    for line in range(6):
        y = 26 + 24 * line
        length = int(rng.integers(90, 240))
        cv2.line(sprite, (20, y), (20 + length, y), (70, 64, 60, 255), 5, cv2.LINE_AA)
    return sprite
