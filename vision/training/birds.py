"""The bird of the first bamboo, which every maker draws otherwise: sparrows, parrots, cranes and
peacocks put together from bodies, wings, tails and crests."""

from __future__ import annotations

import cv2
import numpy as np

from vision.training.ink import FACE_H, FACE_W, Color, Ink

Point = np.ndarray
DOWN = np.array([0.0, 1.0])


def drawn_bird(ink: Ink, rng: np.random.Generator, colors: tuple[Color, Color, Color]) -> None:
    """One bird: seen from the side along a slope, or with its tail spread behind it."""
    order = rng.permutation(3)
    plumage, wing, mark = (colors[place] for place in order)
    if rng.random() < 0.3:
        _peacock(ink, rng, plumage, wing, mark)
    else:
        _side_bird(ink, rng, plumage, wing, mark)
    _fill(ink, rng.uniform(0.6, 0.95), rng.uniform(0.65, 0.92))


def _fill(ink: Ink, width: float, height: float) -> None:
    """Stretch what is drawn to this part of the face, by no more than half."""
    ys, xs = np.nonzero(ink.cover)
    low, high = np.array([xs.min(), ys.min()]), np.array([xs.max(), ys.max()])
    room = np.array([FACE_W * width, FACE_H * height])
    factor = np.clip(room / (high - low + 1), 0.7, 1.5)
    shift = np.array([FACE_W, FACE_H]) / 2 - (low + high) / 2 * factor
    lens = np.array([[factor[0], 0, shift[0]], [0, factor[1], shift[1]]], np.float32)
    ink.color[:] = cv2.warpAffine(
        ink.color, lens, (FACE_W, FACE_H), borderMode=cv2.BORDER_REPLICATE
    )
    ink.cover[:] = cv2.warpAffine(ink.cover, lens, (FACE_W, FACE_H))


def _side_bird(
    ink: Ink, rng: np.random.Generator, plumage: Color, wing: Color, mark: Color
) -> None:
    side = 1.0 if rng.random() < 0.5 else -1.0
    slope = np.radians(rng.uniform(15, 80))
    ahead = np.array([side * np.cos(slope), -np.sin(slope)])  # from tail to head
    across = np.array([-ahead[1], ahead[0]])
    middle = np.array([FACE_W * rng.uniform(0.42, 0.58), FACE_H * rng.uniform(0.4, 0.52)])
    long = FACE_H * rng.uniform(0.13, 0.22)
    wide = long * rng.uniform(0.4, 0.7)
    filled = bool(rng.random() < 0.55)
    line = int(rng.integers(1, 4))
    _tail(ink, rng, middle - ahead * long * 0.8, -ahead, (wing, mark, plumage), line)
    _legs(ink, rng, middle + DOWN * wide * 0.7, mark, line)
    _ellipse(ink, middle, (long, wide), ahead, plumage, filled=filled, line=line)
    neck = middle + ahead * long * rng.uniform(0.9, 1.3) - DOWN * rng.uniform(0, 8)
    _line(ink, [middle + ahead * long * 0.6, neck], plumage, max(3, int(wide * 0.7)))
    _head(ink, rng, neck, side, plumage, mark, filled=filled)
    if filled:
        _feathers(ink, rng, middle, ahead, across, (long, wide), None, line)
    if rng.random() < 0.8:
        _feathers(ink, rng, middle, ahead, across, (long, wide), wing, line)
    if rng.random() < 0.35:  # a raised wing
        root = middle - DOWN * wide * 0.3
        for number in range(int(rng.integers(3, 7))):
            turn = np.radians(-100 * side + side * number * rng.uniform(8, 18))
            way = np.array([np.cos(turn) * side, -abs(np.sin(turn))])
            _line(ink, [root, root + way * long * rng.uniform(1.0, 1.8)], wing, line + 1)


def _peacock(ink: Ink, rng: np.random.Generator, plumage: Color, wing: Color, mark: Color) -> None:
    middle = np.array([FACE_W * rng.uniform(0.45, 0.55), FACE_H * rng.uniform(0.55, 0.68)])
    reach, rows = FACE_H * rng.uniform(0.3, 0.46), int(rng.integers(1, 4))
    spread, count = np.radians(rng.uniform(50, 110)), int(rng.integers(5, 12))
    spot = int(rng.integers(3, 7))
    for row in range(rows):
        far = reach * (1 - row / (rows + 0.7))
        for turn in np.linspace(-spread, spread, max(4, count - 2 * row)):
            tip = middle + np.array([np.sin(turn) * 0.85, -np.cos(turn)]) * far
            if row == 0 and rng.random() < 0.7:
                _line(ink, [middle, tip], wing, 1)
            _ellipse(ink, tip, (spot, spot), DOWN, plumage, filled=bool(rng.random() < 0.5), line=2)
            if rng.random() < 0.6:
                _ellipse(ink, tip, (spot * 0.4, spot * 0.4), DOWN, mark, filled=True, line=1)
    for number in range(int(rng.integers(2, 6))):  # the lower feathers, like leaves
        turn = np.radians(rng.uniform(60, 120)) * (1 if number % 2 else -1)
        tip = middle + np.array([np.sin(turn), abs(np.cos(turn)) + 0.4]) * reach * 0.5
        way = (tip - middle) / max(1e-6, np.hypot(*(tip - middle)))
        _ellipse(ink, (tip + middle) / 2, (reach * 0.28, 5), way, wing, filled=True, line=1)
    body = (FACE_H * rng.uniform(0.08, 0.13), FACE_W * rng.uniform(0.07, 0.11))
    _ellipse(ink, middle, body, DOWN, mark, filled=True, line=1)
    _head(ink, rng, middle - DOWN * body[0] * 1.4, 1.0 if rng.random() < 0.5 else -1.0,
          plumage, mark, filled=True)  # fmt: skip
    _legs(ink, rng, middle + DOWN * body[0], mark, 2)


def _tail(
    ink: Ink,
    rng: np.random.Generator,
    root: Point,
    way: Point,
    colors: tuple[Color, Color, Color],
    line: int,
) -> None:
    """Long feathers, straight or bent, some with an eye at their end."""
    count, length = int(rng.integers(2, 7)), FACE_H * rng.uniform(0.2, 0.42)
    spread, bend = np.radians(rng.uniform(5, 35)), rng.uniform(-0.35, 0.35)
    eyes = rng.random() < 0.3
    for number, turn in enumerate(np.linspace(-spread, spread, count)):
        cos, sin = np.cos(turn), np.sin(turn)
        out = np.array([way[0] * cos - way[1] * sin, way[0] * sin + way[1] * cos])
        aside = np.array([-out[1], out[0]])
        t = np.linspace(0, 1, 8)[:, None]
        far = length * rng.uniform(0.8, 1.05)
        curve = root + out * t * far + aside * (t**2) * bend * far
        color = colors[number % 3] if rng.random() < 0.7 else colors[0]
        _line(ink, list(curve), color, line + int(rng.integers(0, 3)))
        if eyes:
            _ellipse(ink, curve[-1], (5, 4), out, color, filled=False, line=2)


def _head(
    ink: Ink,
    rng: np.random.Generator,
    at: Point,
    side: float,
    color: Color,
    mark: Color,
    *,
    filled: bool,
) -> None:
    size = FACE_W * rng.uniform(0.06, 0.11)
    beak = at + np.array([side * size * rng.uniform(1.6, 2.6), size * rng.uniform(-0.3, 0.7)])
    base = np.array([0.0, size * 0.5])
    mask = np.zeros((FACE_H, FACE_W), np.uint8)
    corners = np.array([at - base, beak, at + base])
    cv2.fillPoly(mask, [np.round(corners).astype(np.int32)], 255, cv2.LINE_AA)
    ink.put(mask, mark)
    _ellipse(ink, at, (size, size), DOWN, color, filled=filled, line=2)
    eye = np.zeros((FACE_H, FACE_W), np.uint8)
    cv2.circle(eye, _pixel(at + np.array([side * 1.5, -1.5])), max(1, int(size * 0.25)), 255, -1)
    if filled:
        ink.clear(eye)
    else:
        ink.put(eye, color)
    for _ in range(int(rng.integers(0, 4))):  # the crest
        tip = at + np.array([-side * rng.uniform(-4, 10), -size - rng.uniform(4, 12)])
        _line(ink, [at - DOWN * size * 0.6, tip], mark, int(rng.integers(1, 3)))


def _legs(ink: Ink, rng: np.random.Generator, hip: Point, color: Color, line: int) -> None:
    if rng.random() < 0.25:
        return
    length = FACE_H * rng.uniform(0.06, 0.16)
    for offset in (-4.0, 5.0):
        start = hip + np.array([offset, 0.0])
        foot = start + np.array([rng.uniform(-5, 5), length])
        _line(ink, [start, foot], color, max(1, line - 1))
        toes = np.array([4.0, 0.0])
        _line(ink, [foot - toes, foot + toes], color, max(1, line - 1))
    if rng.random() < 0.3:  # a branch
        y = hip[1] + length
        _line(ink, [np.array([14.0, y + rng.uniform(-6, 6)]), np.array([82.0, y])], color, line)


def _feathers(
    ink: Ink,
    rng: np.random.Generator,
    middle: Point,
    ahead: Point,
    across: Point,
    size: tuple[float, float],
    color: Color | None,
    line: int,
) -> None:
    """Short strokes over the body; without a color they are cut out of it."""
    long, wide = size
    for place in np.linspace(-0.7, 0.5, int(rng.integers(2, 7))):
        start = middle + ahead * long * place + across * wide * rng.uniform(-0.6, 0.1)
        way = -ahead * long * 0.35 + across * wide * rng.uniform(0.2, 0.9)
        mask = _stroke([start, start + way], line)
        if color is None:
            ink.clear(mask)
        else:
            ink.put(mask, color)


def _pixel(at: Point) -> tuple[int, int]:
    return round(float(at[0])), round(float(at[1]))


def _stroke(points: list[Point], width: int) -> np.ndarray:
    mask = np.zeros((FACE_H, FACE_W), np.uint8)
    corners = np.round(np.array(points) * 16).astype(np.int32)
    cv2.polylines(mask, [corners], False, 255, max(1, width), cv2.LINE_AA, 4)
    return mask


def _line(ink: Ink, points: list[Point], color: Color, width: int) -> None:
    ink.put(_stroke(points, width), color)


def _ellipse(
    ink: Ink,
    at: Point,
    size: tuple[float, float],
    along: Point,
    color: Color,
    *,
    filled: bool,
    line: int,
) -> None:
    mask = np.zeros((FACE_H, FACE_W), np.uint8)
    turn = float(np.degrees(np.arctan2(along[1], along[0])))
    axes = (max(1, round(size[0])), max(1, round(size[1])))
    cv2.ellipse(mask, _pixel(at), axes, turn, 0, 360, 255, -1 if filled else line, cv2.LINE_AA)
    ink.put(mask, color)
