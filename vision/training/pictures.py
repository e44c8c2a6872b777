"""Faces that are pictures: birds, flowers, seasons, animals, faces and jokers."""

from __future__ import annotations

from itertools import pairwise

import cv2
import numpy as np

from vision.training.birds import drawn_bird
from vision.training.ink import (
    FACE_H,
    FACE_W,
    FLOWERS,
    NUMERALS,
    ORCHID,
    ORCHID_SHORT,
    OTHER_NAMES,
    SEASONS,
    Color,
    Ink,
    artwork,
)
from vision.training.styles import Style, clear_box, stamp


def bird(ink: Ink, style: Style) -> None:
    """A drawn bird, or one of the artworks', bent and painted anew."""
    rng = style.rng("1s")
    if rng.random() < 0.6:
        drawn_bird(ink, rng, (style.green, style.red, style.blue))
        return
    source = artwork(str(rng.choice(style.arts)), "1s")
    if source is None:
        source = np.zeros((FACE_H, FACE_W, 4), np.uint8)
    size = rng.uniform(0.7, 1.0)
    shape = cv2.getRotationMatrix2D((FACE_W / 2, FACE_H / 2), rng.uniform(-15, 15), size)
    shape[0, 1] += rng.uniform(-0.15, 0.15)
    source = cv2.warpAffine(source, shape, (FACE_W, FACE_H))
    hue = cv2.cvtColor(np.ascontiguousarray(source[..., :3]), cv2.COLOR_BGR2HSV)
    reddish = ((hue[..., 0] < 15) | (hue[..., 0] > 165)) & (hue[..., 1] > 90)
    main, other = (style.green, style.red) if rng.random() < 0.6 else (style.red, style.dark)
    painted = np.where(reddish[..., None], np.array(other), np.array(main)).astype(np.float32)
    shade = 0.6 + source[..., :3].mean(axis=2, keepdims=True) / 255 * 0.6
    keep = rng.uniform(0, 0.6)
    mixed = painted * shade * (1 - keep) + source[..., :3] * keep
    ink.color[:] = np.clip(mixed, 0, 255).astype(np.uint8)
    cover = source[..., 3].astype(np.float32)
    # Light parts of a drawing are the tile showing through.
    bright = source[..., :3].min(axis=2) > 200
    ink.cover[:] = np.where(bright, 0, cover).astype(np.uint8)
    if rng.random() < 0.4:
        _scribble(ink, rng, style.green, leaves=2, around=(0.5, 0.8))


def _scribble(
    ink: Ink, rng: np.random.Generator, color: Color, leaves: int, around: tuple[float, float]
) -> None:
    """Stems and leaves: what flowers, birds and pictures have in common at this size."""
    for _ in range(leaves):
        x, y = around[0] + rng.normal(0, 0.12), around[1] + rng.normal(0, 0.1)
        start = np.array([x * FACE_W, y * FACE_H])
        bend = start + rng.normal(0, 14, 2)
        end = start + np.array([rng.normal(0, 22), rng.normal(-18, 16)])
        _curve(ink, start, bend, end, color, int(rng.integers(1, 4)))
        if rng.random() < 0.6:
            _leaf(ink, rng, (end[0] / FACE_W, end[1] / FACE_H), rng.uniform(0, 180), color)


def _blossom(ink: Ink, rng: np.random.Generator, at: tuple[float, float], color: Color) -> None:
    petals = int(rng.integers(4, 9))
    size = rng.uniform(5, 11)
    filled = -1 if rng.random() < 0.4 else int(rng.integers(1, 3))
    mask = np.zeros((FACE_H, FACE_W), np.uint8)
    for step in range(petals):
        angle = 2 * np.pi * step / petals
        spot = (
            int(at[0] * FACE_W + np.cos(angle) * size),
            int(at[1] * FACE_H + np.sin(angle) * size),
        )
        cv2.circle(mask, spot, max(2, int(size * 0.55)), 255, filled, cv2.LINE_AA)
    ink.put(mask, color)


def flower(ink: Ink, style: Style, label: str) -> None:
    """A plant, the number and the character. Only the number tells: every maker has other plants,
    and some write other characters or none."""
    rng = style.rng(label)
    with_flowers = [name for name in style.arts if artwork(name, label) is not None]
    if rng.random() < 0.2 and with_flowers:
        source = artwork(str(rng.choice(with_flowers)), label)
        assert source is not None
        ink.color[:], ink.cover[:] = source[..., :3], source[..., 3]
        return
    own = {"2f": "blades", "4f": "canes"}.get(label, "branch")
    match own if rng.random() < 0.6 else rng.choice(["blades", "canes", "branch", "scribble"]):
        case "blades":
            _blades(ink, rng, style)
        case "canes":
            _canes(ink, rng, style)
        case "branch":
            _branch(ink, rng, style)
        case _:
            for _ in range(int(rng.integers(1, 4))):
                _scribble(ink, rng, style.green, int(rng.integers(2, 6)), (0.5, 0.7))
            for _ in range(int(rng.integers(1, 4))):
                _blossom(ink, rng, (rng.uniform(0.25, 0.75), rng.uniform(0.4, 0.85)), style.red)
    _names(ink, style, label)


def _names(ink: Ink, style: Style, label: str) -> None:
    """The number and the character in the upper corners: mostly the number of a flower stands on
    the right and that of a season on the left."""
    rank, is_flower = int(label[0]), label[1] == "f"
    layout, alike = style.rng("fg" + label[1]), style.rng("fg")
    has_character, is_named = alike.random() < 0.85, alike.random() < 0.9
    right = not is_flower if layout.random() < 0.75 else bool(layout.random() < 0.5)
    size, small = layout.uniform(0.26, 0.46), layout.uniform(0.17, 0.34)
    tints = (style.blue, style.dark, style.red) if is_flower else (style.red, style.red, style.dark)
    if has_character:
        names = (
            (FLOWERS if is_flower else SEASONS) if is_named else layout.permutation([*OTHER_NAMES])
        )
        text = str(names[rank - 1])
        if text == ORCHID:
            text = str(layout.choice([ORCHID, *ORCHID_SHORT]))
        box = _corner(size, layout.uniform(0.02, 0.12), right=right)
        clear_box(ink, box)
        stamp(ink, style, text, box, tints[layout.integers(3)])
    if has_character and is_named and layout.random() < 0.08:
        return
    chinese = 0.2 if has_character else 0.1 if is_flower else 0.6
    mark = NUMERALS[rank - 1] if layout.random() < chinese else str(rank)
    box = _corner(small, layout.uniform(0.02, 0.12), right=not right)
    clear_box(ink, box)
    font = None if mark in NUMERALS else style.corner_font
    stamp(ink, style, mark, box, tints[layout.integers(3)], font)


def _blades(ink: Ink, rng: np.random.Generator, style: Style) -> None:
    """Long leaves that bend outward from one root, as an orchid's."""
    root = np.array([rng.uniform(0.4, 0.6) * FACE_W, rng.uniform(0.85, 0.95) * FACE_H])
    wide = int(rng.integers(2, 5))
    for _ in range(int(rng.integers(4, 9))):
        tip = np.array([rng.uniform(0.12, 0.88) * FACE_W, rng.uniform(0.22, 0.7) * FACE_H])
        bend = np.array([(root[0] * 2 + tip[0]) / 3, tip[1] - rng.uniform(0, 0.15) * FACE_H])
        _curve(ink, root, bend, tip, style.green, wide)
    for _ in range(int(rng.integers(0, 4))):
        _blossom(ink, rng, (rng.uniform(0.3, 0.7), rng.uniform(0.4, 0.8)), style.red)


def _canes(ink: Ink, rng: np.random.Generator, style: Style) -> None:
    """Upright jointed stems with pointed leaves, as bamboo's."""
    stem = style.green if rng.random() < 0.6 else style.blue
    wide = int(rng.integers(2, 5))
    for _ in range(int(rng.integers(1, 4))):
        x, lean = rng.uniform(0.3, 0.7), rng.normal(0, 0.1)
        joints = np.sort(rng.uniform(0.3, 0.92, 4))
        for top, bottom in pairwise(joints):
            ends = [((x + lean * (0.9 - y)) * FACE_W, y * FACE_H) for y in (top + 0.02, bottom)]
            _curve(ink, np.array(ends[0]), np.mean(ends, axis=0), np.array(ends[1]), stem, wide)
        for _ in range(int(rng.integers(3, 8))):
            way = rng.choice([-1, 1]) * rng.uniform(10, 80) + 90
            _leaf(ink, rng, (x + rng.normal(0, 0.14), rng.uniform(0.32, 0.88)), way, style.green)
    for _ in range(int(rng.integers(0, 3))):
        _blossom(ink, rng, (rng.uniform(0.2, 0.8), rng.uniform(0.45, 0.85)), style.red)


def _branch(ink: Ink, rng: np.random.Generator, style: Style) -> None:
    """A bent stem with leaves on both sides and blossoms, as a plum's, a peony's or any other's."""
    root = np.array([rng.uniform(0.3, 0.7) * FACE_W, rng.uniform(0.84, 0.95) * FACE_H])
    tip = np.array([rng.uniform(0.2, 0.8) * FACE_W, rng.uniform(0.28, 0.5) * FACE_H])
    bend = (root + tip) / 2 + rng.normal(0, 14, 2)
    along = _curve(ink, root, bend, tip, style.green, int(rng.integers(2, 5)))
    for place in rng.choice(along[1:], int(rng.integers(3, 9))):
        at = (place / (FACE_W, FACE_H)) + rng.normal(0, 0.07, 2)
        _leaf(ink, rng, (float(at[0]), float(at[1])), rng.uniform(0, 360), style.green)
    for place in rng.choice(along, int(rng.integers(1, 4))):
        at = place / (FACE_W, FACE_H)
        _blossom(ink, rng, (float(at[0]), float(max(0.42, at[1]))), style.red)


def _leaf(
    ink: Ink, rng: np.random.Generator, at: tuple[float, float], turn: float, color: Color
) -> None:
    mask = np.zeros((FACE_H, FACE_W), np.uint8)
    axes = (int(rng.integers(5, 14)), int(rng.integers(2, 6)))
    line = -1 if rng.random() < 0.5 else int(rng.integers(1, 3))
    middle = (round(at[0] * FACE_W), round(at[1] * FACE_H))
    cv2.ellipse(mask, middle, axes, turn, 0, 360, 255, line, cv2.LINE_AA)
    ink.put(mask, color)


def _curve(
    ink: Ink, start: np.ndarray, bend: np.ndarray, end: np.ndarray, color: Color, wide: int
) -> np.ndarray:
    """A bent line; returns nine points along it."""
    t = np.linspace(0, 1, 9)[:, None]
    points = (1 - t) ** 2 * start + 2 * t * (1 - t) * bend + t**2 * end
    mask = np.zeros((FACE_H, FACE_W), np.uint8)
    cv2.polylines(mask, [points.astype(np.int32)], False, 255, wide, cv2.LINE_AA)
    ink.put(mask, color)
    return points


def _corner(size: float, top: float, *, right: bool) -> tuple[float, float, float, float]:
    """A box in an upper corner of the face."""
    return (0.95 - size if right else 0.05, top, size, size * 0.8)


def _polygon(ink: Ink, points: list[tuple[float, float]], color: Color, *, filled: bool) -> None:
    mask = np.zeros((FACE_H, FACE_W), np.uint8)
    corners = np.array([[x * FACE_W, y * FACE_H] for x, y in points], np.int32)
    if filled:
        cv2.fillPoly(mask, [corners], 255, cv2.LINE_AA)
    else:
        cv2.polylines(mask, [corners], True, 255, 2, cv2.LINE_AA)
    ink.put(mask, color)


_ANIMALS: dict[str, list[list[tuple[float, float]]]] = {
    "1a": [  # cat: ears, round head, long tail
        [
            (0.3, 0.42),
            (0.33, 0.25),
            (0.42, 0.34),
            (0.55, 0.34),
            (0.64, 0.25),
            (0.68, 0.42),
            (0.6, 0.54),
            (0.38, 0.54),
        ],
        [(0.36, 0.54), (0.62, 0.54), (0.72, 0.85), (0.28, 0.85)],
        [(0.7, 0.82), (0.84, 0.7), (0.8, 0.5), (0.86, 0.48), (0.9, 0.72), (0.72, 0.88)],
    ],
    "2a": [  # mouse: low body, pointed snout, thin tail
        [(0.12, 0.66), (0.3, 0.5), (0.55, 0.46), (0.74, 0.56), (0.76, 0.74), (0.3, 0.76)],
        [(0.3, 0.5), (0.3, 0.38), (0.4, 0.4), (0.42, 0.48)],
        [(0.74, 0.7), (0.9, 0.62), (0.94, 0.44), (0.97, 0.45), (0.93, 0.66), (0.76, 0.76)],
    ],
    "3a": [  # cock: comb, breast, tail feathers, legs
        [
            (0.24, 0.34),
            (0.28, 0.2),
            (0.34, 0.27),
            (0.38, 0.18),
            (0.44, 0.3),
            (0.44, 0.48),
            (0.62, 0.56),
            (0.86, 0.3),
            (0.9, 0.5),
            (0.76, 0.72),
            (0.4, 0.74),
            (0.28, 0.56),
        ],
        [(0.42, 0.74), (0.46, 0.74), (0.46, 0.9), (0.38, 0.9)],
        [(0.58, 0.74), (0.62, 0.74), (0.64, 0.9), (0.56, 0.9)],
    ],
    "4a": [],  # centipede: drawn from segments
}


def animal(ink: Ink, style: Style, label: str) -> None:
    """Cat, mouse, cock or centipede as a bent silhouette, with number or character beside it."""
    rng = style.rng(label)
    rank = int(label[0])
    shapes = _ANIMALS[label]
    filled = bool(style.rng("a").random() < 0.5)
    color = (style.red, style.dark, style.green)[style.rng("a").integers(3)]
    if rank == 4:
        x = 0.5
        for y in np.linspace(0.2, 0.88, 10):
            x += rng.normal(0, 0.04)
            mask = np.zeros((FACE_H, FACE_W), np.uint8)
            spot = (int(x * FACE_W), int(y * FACE_H))
            cv2.ellipse(mask, spot, (9, 4), 0, 0, 360, 255, -1 if filled else 1, cv2.LINE_AA)
            cv2.line(
                mask, (spot[0] - 22, spot[1] + 4), (spot[0] + 22, spot[1] + 4), 255, 1, cv2.LINE_AA
            )
            ink.put(mask, color)
    side = -1 if rng.random() < 0.5 else 1
    tall, wide = rng.uniform(0.8, 1.05), rng.uniform(0.8, 1.1)
    for shape in shapes:
        bent = [
            (
                0.5 + side * (x - 0.5) * wide + rng.normal(0, 0.012),
                0.55 + (y - 0.55) * tall + rng.normal(0, 0.012),
            )
            for x, y in shape
        ]
        _polygon(ink, bent, color, filled=filled)
    if rng.random() < 0.5:
        stamp(ink, style, "貓鼠雞蜈"[rank - 1], (0.62, 0.04, 0.32, 0.26), style.dark)
    if rng.random() < 0.6:
        stamp(ink, style, str(rank), (0.06, 0.05, 0.16, 0.14), style.red, style.corner_font)


def clown(ink: Ink, style: Style, label: str) -> None:
    """A face: head, eyes, mouth, hair or hat; the number tells which of the four."""
    rng = style.rng(label)
    layout = style.rng("c")
    rank = int(label[0])
    mask = np.zeros((FACE_H, FACE_W), np.uint8)
    cx, cy = FACE_W // 2 + int(rng.integers(-4, 5)), 74 + int(rng.integers(-4, 5))
    rx, ry = int(layout.integers(20, 34)), int(layout.integers(24, 36))
    cv2.ellipse(mask, (cx, cy), (rx, ry), 0, 0, 360, 255, 2, cv2.LINE_AA)
    for side in (-1, 1):
        cv2.circle(
            mask,
            (cx + side * rx // 2, cy - ry // 4),
            int(layout.integers(2, 5)),
            255,
            -1,
            cv2.LINE_AA,
        )
    ink.put(mask, style.dark)
    mouth = np.zeros((FACE_H, FACE_W), np.uint8)
    cv2.ellipse(mouth, (cx, cy + ry // 4), (rx // 2, ry // 3), 0, 10, 170, 255, 2, cv2.LINE_AA)
    cv2.circle(mouth, (cx, cy + 2), 4, 255, -1, cv2.LINE_AA)
    ink.put(mouth, style.red)
    for _ in range(int(layout.integers(4, 12))):
        _scribble(ink, rng, (style.green, style.red, style.dark)[layout.integers(3)], 1, (0.5, 0.4))
    size = layout.uniform(0.16, 0.3)
    x = 0.05 if layout.random() < 0.5 else 0.95 - size
    clear_box(ink, (x, 0.04, size, size * 0.8))
    stamp(
        ink,
        style,
        str(rank),
        (x, 0.04, size, size * 0.8),
        (style.red, style.dark)[layout.integers(2)],
        style.corner_font,
    )


def joker(ink: Ink, style: Style, label: str) -> None:
    """JOKER written across or down, 百搭, 飛 or 財, with or without a picture."""
    rng = style.rng(label)
    kind = rng.choice(["down", "across", "百搭", "飛", "財", "J"])
    color = (style.red, style.dark, style.green, style.blue)[rng.integers(4)]
    if rng.random() < 0.6 and kind in ("across", "J", "百搭"):
        for _ in range(4):
            _scribble(
                ink, rng, (style.red, style.green, style.dark)[rng.integers(3)], 3, (0.5, 0.7)
            )
        _blossom(ink, rng, (0.5, 0.6), style.red)
    match kind:
        case "down":
            x = rng.uniform(0.1, 0.6)
            for index, letter in enumerate("JOKER"):
                stamp(
                    ink,
                    style,
                    letter,
                    (x, 0.05 + index * 0.18, 0.26, 0.16),
                    color,
                    style.corner_font,
                )
        case "across":
            y = rng.uniform(0.04, 0.2)
            clear_box(ink, (0.0, y, 1.0, 0.2))
            for index, letter in enumerate("JOKER"):
                stamp(
                    ink,
                    style,
                    letter,
                    (0.04 + index * 0.185, y, 0.16, 0.17),
                    color,
                    style.corner_font,
                )
        case "百搭":
            clear_box(ink, (0.1, 0.05, 0.8, 0.9))
            stamp(ink, style, "百", (0.15, 0.05, 0.7, 0.42), color)
            stamp(ink, style, "搭", (0.15, 0.52, 0.7, 0.42), color)
        case "飛" | "財":
            stamp(ink, style, str(kind), (0.15, 0.12, 0.7, 0.7), color)
        case _:
            clear_box(ink, (0.0, 0.0, 0.45, 0.4))
            stamp(ink, style, "J", (0.08, 0.05, 0.3, 0.3), color, style.corner_font)
