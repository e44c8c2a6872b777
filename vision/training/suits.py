"""Characters, circles, bamboos, winds and dragons, cut the way a style cuts them."""

from __future__ import annotations

import cv2
import numpy as np

from vision.training.ink import FACE_H, FACE_W, NUMERALS, WINDS, Color, Ink
from vision.training.pictures import bird
from vision.training.styles import Style, corner_mark, stamp, true_red


def characters(ink: Ink, style: Style, label: str) -> None:
    rng = style.rng("m")
    rank = int(label[0]) or 5
    is_red = label[0] == "0"
    numeral = "五" if rank == 5 and style.plain_five else NUMERALS[rank - 1]
    width, height = rng.uniform(0.38, 0.82), rng.uniform(0.22, 0.42)
    middle = rng.uniform(-0.03, 0.03) + (0.06 if style.corner == "tl" else 0.0)
    top = rng.uniform(0.04, 0.2)
    dark = style.dark if style.dark != style.red else (20, 18, 18)
    all_red = is_red and style.red_five == "all"
    red = true_red(style) if all_red else style.wan
    stamp(
        ink,
        style,
        numeral,
        (0.5 + middle - width / 2, top, width, height),
        red if all_red else dark,
        hollow=style.hollow == "all",
    )
    wan_top, wan_width = top + height + rng.uniform(0.0, 0.08), rng.uniform(0.45, 0.82)
    stamp(
        ink,
        style,
        "万" if style.plain_wan else "萬",
        (0.5 - wan_width / 2, wan_top, wan_width, rng.uniform(0.88, 0.98) - wan_top),
        red,
        hollow=style.hollow == "all",
    )
    if is_red and not all_red:
        _red_mark(ink, style)


def _red_mark(ink: Ink, style: Style) -> None:
    rng = style.rng("mark")
    spots = [(0.12, 0.12), (0.88, 0.12), (0.5, 0.93), (0.14, 0.5), (0.88, 0.5), (0.12, 0.9)]
    x, y = spots[rng.integers(len(spots))]
    mask = np.zeros((FACE_H, FACE_W), np.uint8)
    cv2.circle(
        mask, (int(x * FACE_W), int(y * FACE_H)), int(rng.integers(5, 9)), 255, -1, cv2.LINE_AA
    )
    ink.put(mask, true_red(style))


_DOTS_AT: dict[int, tuple[tuple[float, float, str], ...]] = {
    1: ((0.5, 0.5, "d"),),
    2: ((0.5, 0.27, "g"), (0.5, 0.73, "b")),
    3: ((0.24, 0.2, "g"), (0.5, 0.5, "r"), (0.76, 0.8, "b")),
    4: ((0.28, 0.25, "g"), (0.72, 0.25, "b"), (0.28, 0.75, "b"), (0.72, 0.75, "g")),
    5: (
        (0.25, 0.22, "g"),
        (0.75, 0.22, "b"),
        (0.5, 0.5, "r"),
        (0.25, 0.78, "b"),
        (0.75, 0.78, "g"),
    ),
    6: (
        (0.3, 0.18, "g"),
        (0.7, 0.18, "g"),
        (0.3, 0.54, "r"),
        (0.7, 0.54, "r"),
        (0.3, 0.83, "r"),
        (0.7, 0.83, "r"),
    ),
    7: (
        (0.2, 0.13, "g"),
        (0.5, 0.24, "g"),
        (0.8, 0.35, "g"),
        (0.32, 0.6, "r"),
        (0.68, 0.6, "r"),
        (0.32, 0.86, "r"),
        (0.68, 0.86, "r"),
    ),
    8: tuple((x, y, "b") for y in (0.14, 0.38, 0.62, 0.86) for x in (0.3, 0.7)),
    9: tuple((x, y, c) for y, c in ((0.18, "g"), (0.5, "r"), (0.82, "b")) for x in (0.2, 0.5, 0.8)),
}
_RADIUS = {1: 0.4, 2: 0.21, 3: 0.165, 4: 0.17, 5: 0.15, 6: 0.145, 7: 0.13, 8: 0.125, 9: 0.135}


def _paint(style: Style, letter: str) -> Color:
    return {"d": style.dark, "g": style.green, "b": style.blue, "r": style.red}[letter]


def circles(ink: Ink, style: Style, label: str) -> None:
    rng = style.rng("p")
    rank = int(label[0]) or 5
    is_red = label[0] == "0"
    all_red = is_red and style.red_five == "all"
    swap = rng.random() < 0.3  # some makers exchange green and blue
    squeeze = rng.uniform(0.8, 1.05)
    for x, y, letter in _DOTS_AT[rank]:
        letter = {"g": "b", "b": "g"}.get(letter, letter) if swap else letter
        color = true_red(style) if all_red else _paint(style, letter)
        if rank == 5 and not all_red and letter != "r" and is_reddish(color):
            color = (110, 60, 20)
        at = (0.5 + (x - 0.5) * style.spread, 0.5 + (y - 0.5) * style.spread * squeeze)
        radius = _RADIUS[rank] * style.dot_size * (rng.uniform(0.75, 1.1) if rank == 1 else 1.0)
        second = true_red(style) if all_red else style.red
        _dot(ink, style, at, radius * FACE_W * style.spread, color, second, big=rank == 1)
    if is_red and not all_red:
        _red_mark(ink, style)


def is_reddish(color: Color) -> bool:
    return color[2] > 1.4 * max(color[0], color[1])


def _dot(
    ink: Ink,
    style: Style,
    at: tuple[float, float],
    radius: float,
    color: Color,
    second: Color,
    *,
    big: bool,
) -> None:
    rng = style.rng("big dot" if big else "dot")
    centre = (int(at[0] * FACE_W * 16), int(at[1] * FACE_H * 16))

    def disc(r: float, thickness: float = -1) -> np.ndarray:
        mask = np.zeros((FACE_H, FACE_W), np.uint8)
        width = -1 if thickness < 0 else max(1, round(thickness))
        cv2.circle(mask, centre, max(16, int(r * 16)), 255, width, cv2.LINE_AA, 4)
        return mask

    def spokes(count: int, inner: float, outer: float, width: int, turn: float = 0.0) -> np.ndarray:
        mask = np.zeros((FACE_H, FACE_W), np.uint8)
        for step in range(count):
            angle = turn + 2 * np.pi * step / count
            way = np.array([np.cos(angle), np.sin(angle)]) * 16
            ends = [
                tuple(int(c + w * r) for c, w in zip(centre, way, strict=True))
                for r in (inner, outer)
            ]
            cv2.line(mask, ends[0], ends[1], 255, width, cv2.LINE_AA, 4)
        return mask

    hole = second if rng.random() < 0.35 else color
    match (
        style.dot
        if not big
        else str(rng.choice(["rings", "flower", "wheel", "petals", "cross", "rosette", "rosette"]))
    ):
        case "rings":
            rings = int(rng.integers(2, 4)) + big
            for ring in range(rings):
                r = radius * (1 - ring / rings) - 0.5
                paint = second if big and ring % 2 else color
                ink.put(disc(r, max(1.0, radius / rings * rng.uniform(0.35, 0.6))), paint)
            ink.put(disc(radius * 0.15), hole)
        case "flower":
            ink.put(disc(radius), color)
            count = int(rng.integers(5, 9)) + 4 * big
            ink.clear(spokes(count, radius * 0.35, radius * 0.8, max(1, round(radius * 0.12))))
            ink.clear(disc(radius * 0.3, 1))
        case "cross":
            ink.put(disc(radius), color)
            ink.clear(
                spokes(4, radius * 0.15, radius * 0.7, max(1, round(radius * 0.25)), np.pi / 4)
            )
        case "solid":
            ink.put(disc(radius), color)
            ink.clear(disc(radius * rng.uniform(0.2, 0.5)))
        case "target":
            ink.put(disc(radius - 1, max(1, radius * 0.2)), color)
            ink.put(disc(radius * 0.5), hole)
        case "wheel":
            ink.put(disc(radius - 1, max(1, radius * 0.15)), color)
            ink.put(spokes(int(rng.integers(6, 11)), radius * 0.3, radius, 1), color)
            ink.put(disc(radius * 0.35), hole)
        case "petals":
            count = int(rng.integers(8, 17))
            for step in range(count):
                angle = 2 * np.pi * step / count
                spot = (
                    at[0] + np.cos(angle) * radius * 0.8 / FACE_W,
                    at[1] + np.sin(angle) * radius * 0.8 / FACE_H,
                )
                mask = np.zeros((FACE_H, FACE_W), np.uint8)
                cv2.circle(
                    mask,
                    (int(spot[0] * FACE_W), int(spot[1] * FACE_H)),
                    max(2, int(radius * 0.17)),
                    255,
                    1,
                    cv2.LINE_AA,
                )
                ink.put(mask, color)
            ink.put(disc(radius * 0.5, 2), second)
            ink.put(spokes(4, 0, radius * 0.4, 2), second)
        case "rosette":  # rings of petals, beads and lines round a flower, in two colors
            edge = radius
            for number in range(int(rng.integers(2, 5))):
                paint = second if rng.random() < 0.4 else color
                inner = edge * rng.uniform(0.55, 0.85)
                match rng.integers(4):
                    case 0:
                        ink.put(disc((edge + inner) / 2, max(1, (edge - inner) * 0.6)), paint)
                    case 1:
                        turn = float(rng.uniform(0, 1))
                        ink.put(disc(edge, 1), paint)
                        ink.put(spokes(int(rng.integers(8, 25)), inner, edge, 1, turn), paint)
                    case 2:
                        ink.put(disc((edge + inner) / 2, edge - inner), paint)
                        cuts = spokes(int(rng.integers(6, 17)), inner, edge, 2, number * 0.2)
                        ink.clear(cuts)
                    case _:
                        ink.put(disc(edge, 1), paint)
                edge = inner
            ink.put(disc(edge * 0.7), second)
            ink.clear(spokes(int(rng.integers(3, 9)), edge * 0.2, edge * 0.6, 1))


_STICKS_AT: dict[int, tuple[tuple[float, float, str], ...]] = {
    2: ((0.5, 0.27, "g"), (0.5, 0.73, "b")),
    3: ((0.5, 0.27, "g"), (0.28, 0.73, "g"), (0.72, 0.73, "g")),
    4: ((0.3, 0.27, "g"), (0.7, 0.27, "b"), (0.3, 0.73, "b"), (0.7, 0.73, "g")),
    5: ((0.2, 0.27, "g"), (0.8, 0.27, "b"), (0.5, 0.5, "r"), (0.2, 0.73, "b"), (0.8, 0.73, "g")),
    6: tuple((x, y, "g" if y < 0.5 else "b") for y in (0.27, 0.73) for x in (0.2, 0.5, 0.8)),
    7: (
        (0.5, 0.16, "r"),
        *((x, y, "b" if x == 0.5 else "g") for y in (0.5, 0.81) for x in (0.2, 0.5, 0.8)),
    ),
    9: tuple((x, y, "r" if x == 0.5 else "g") for y in (0.18, 0.5, 0.82) for x in (0.2, 0.5, 0.8)),
}
_LENGTH = {2: 0.38, 3: 0.38, 4: 0.38, 5: 0.36, 6: 0.38, 7: 0.26, 8: 0.36, 9: 0.27}


def bamboos(ink: Ink, style: Style, label: str) -> None:
    rng = style.rng("s")
    rank = int(label[0]) or 5
    is_red = label[0] == "0"
    all_red = is_red and style.red_five == "all"
    if rank == 1:
        bird(ink, style)
        return
    one_green = rng.random() < 0.7
    length = _LENGTH[rank] * style.spread * rng.uniform(0.85, 1.2) * FACE_H
    width = style.stick_size * 0.15 * FACE_W
    if rank == 8:
        _eight_bamboos(ink, style, length, width)
    else:
        for x, y, letter in _STICKS_AT[rank]:
            letter = "g" if one_green and letter == "b" else letter
            color = true_red(style) if all_red else _paint(style, letter)
            if rank == 5 and not all_red and letter != "r" and is_reddish(color):
                color = (40, 110, 20)
            at = (0.5 + (x - 0.5) * style.spread, 0.5 + (y - 0.5) * style.spread)
            _stick(ink, style, at, length, width, color)
    if is_red and not all_red:
        _red_mark(ink, style)


def _eight_bamboos(ink: Ink, style: Style, length: float, width: float) -> None:
    rng = style.rng("8s")
    outward = rng.random() < 0.5
    lean = float(rng.uniform(28, 48))
    for y, sign in ((0.28, 1), (0.72, -1)):
        at = 0.5 + (y - 0.5) * style.spread
        for x in (0.14, 0.86):
            _stick(
                ink, style, (0.5 + (x - 0.5) * style.spread, at), length, width * 0.85, style.green
            )
        for x, side in ((0.36, 1), (0.64, -1)):
            turn = lean * side * sign * (1 if outward else -1)
            _stick(ink, style, (x, at), length * 0.85, width * 0.8, style.green, turn)


def _stick(
    ink: Ink,
    style: Style,
    at: tuple[float, float],
    length: float,
    width: float,
    color: Color,
    turn: float = 0.0,
) -> None:
    """One bamboo as a mask drawn upright, turned and laid down."""
    rng = style.rng("stick")
    h, w = max(8, round(length)), max(4, round(width))
    big = np.zeros((h * 2, w * 2), np.uint8)
    line = max(1, round(w * 0.35))
    cx, x0, x1, y0, y1, cy = w, 2, w * 2 - 3, 2, h * 2 - 3, h
    match style.stick:
        case "waist":
            cv2.ellipse(big, (cx, h // 2 + 1), (w - 2, h // 2), 0, 0, 360, 255, -1, cv2.LINE_AA)
            cv2.ellipse(big, (cx, h * 3 // 2 - 1), (w - 2, h // 2), 0, 0, 360, 255, -1, cv2.LINE_AA)
            if rng.random() < 0.7:
                cv2.ellipse(
                    big, (cx, h // 2 + 1), (max(1, w // 3), h // 3), 0, 0, 360, 0, -1, cv2.LINE_AA
                )
                cv2.ellipse(
                    big, (cx, h * 3 // 2), (max(1, w // 3), h // 3), 0, 0, 360, 0, -1, cv2.LINE_AA
                )
        case "beam":
            for y in (y0 + line, cy, y1 - line):
                cv2.rectangle(big, (x0, y - line), (x1, y + line), 255, -1)
            cv2.rectangle(big, (cx - w // 2, y0), (cx + w // 2, y1), 255, max(1, line // 2 + 1))
        case "chain":
            count = int(rng.integers(3, 5))
            for step in range(count):
                y = int((step + 0.5) * 2 * h / count)
                cv2.ellipse(big, (cx, y), (w - 2, h // count), 0, 0, 360, 255, line, cv2.LINE_AA)
        case "plain":
            cv2.rectangle(big, (cx - w // 2, y0), (cx + w // 2, y1), 255, -1)
            cv2.line(big, (x0, cy), (x1, cy), 255, line)
        case "outline":
            cv2.rectangle(big, (cx - w * 2 // 3, y0), (cx + w * 2 // 3, y1), 255, line)
            cv2.line(big, (cx - w * 2 // 3, cy), (cx + w * 2 // 3, cy), 255, line)
        case _:
            cv2.line(big, (cx, y0 + w // 2), (cx, y1 - w // 2), 255, w, cv2.LINE_AA)
            cv2.line(big, (cx - w // 2, cy), (cx + w // 2, cy), 0, 2)
            cv2.line(big, (cx, y0 + w), (cx, y1 - w), 0, max(1, w // 4))
    turning = cv2.getRotationMatrix2D((w - 0.5, h - 0.5), turn, 0.5)
    turning[:, 2] += (at[0] * FACE_W - w + 0.5, at[1] * FACE_H - h + 0.5)
    ink.put(cv2.warpAffine(big, turning, (FACE_W, FACE_H), flags=cv2.INTER_AREA), color)


def honors(ink: Ink, style: Style, label: str) -> None:
    rng = style.rng("z")
    rank = int(label[0])
    if rank == 5:
        _white_dragon(ink, style)
        return
    width, height = rng.uniform(0.55, 0.85), rng.uniform(0.5, 0.85)
    shift = 0.04 if style.corner else 0.0
    box = (
        0.5 - width / 2,
        0.5 + shift - height / 2,
        width,
        min(height, 0.94 - 0.5 - shift + height / 2),
    )
    green = "発" if rng.random() < 0.1 else "發"
    text = (WINDS + "?" + green + "中")[rank - 1]
    color = {6: style.green, 7: style.red}.get(
        rank, style.dark if rng.random() < 0.7 else style.blue
    )
    stamp(ink, style, text, box, color, hollow=style.hollow != "")


def _white_dragon(ink: Ink, style: Style) -> None:
    rng = style.rng("5z")
    color = (style.dark, style.blue, style.green)[rng.integers(3)]
    kind = style.white
    mask = np.zeros((FACE_H, FACE_W), np.uint8)
    inset = rng.uniform(0.06, 0.2)
    x0, y0 = int(inset * FACE_W), int(inset * FACE_H * rng.uniform(0.6, 1.0))
    x1, y1 = FACE_W - x0, FACE_H - y0
    thick = int(rng.integers(1, 5))
    if kind in ("frame", "double", "ornate", "framed letter"):
        cv2.rectangle(mask, (x0, y0), (x1, y1), 255, thick, cv2.LINE_AA)
    gap = int(rng.integers(4, 11))
    if kind in ("double", "ornate") and rng.random() < 0.3:  # the inner frame of another color
        ink.put(mask, color)
        mask[:] = 0
        color = style.red
    if kind in ("double", "ornate"):
        cv2.rectangle(
            mask, (x0 + gap, y0 + gap), (x1 - gap, y1 - gap), 255, max(1, thick // 2), cv2.LINE_AA
        )
    if kind == "ornate":
        for step in np.linspace(0, 1, int(rng.integers(3, 8))):
            for x in (x0, x1 - gap):
                cv2.rectangle(
                    mask,
                    (x, int(y0 + step * (y1 - y0 - gap))),
                    (x + gap, int(y0 + step * (y1 - y0 - gap)) + gap // 2),
                    255,
                    1,
                )
            for y in (y0, y1 - gap):
                cv2.rectangle(
                    mask,
                    (int(x0 + step * (x1 - x0 - gap)), y),
                    (int(x0 + step * (x1 - x0 - gap)) + gap // 2, y + gap),
                    255,
                    1,
                )
    elif kind in ("frame", "double") and rng.random() < 0.6:
        cut = int(rng.integers(5, 16))
        for x, y, dx, dy in ((x0, y0, 1, 1), (x1, y0, -1, 1), (x0, y1, 1, -1), (x1, y1, -1, -1)):
            cv2.line(mask, (x + dx * cut, y), (x, y + dy * cut), 255, thick, cv2.LINE_AA)
    ink.put(mask, color)
    if kind == "character":
        stamp(ink, style, "白", (0.2, 0.15, 0.6, 0.7), style.dark)
    elif "letter" in kind:
        size = rng.uniform(0.2, 0.45)
        stamp(
            ink,
            style,
            str(rng.choice(["P", "B"])),
            (0.5 - size / 2, 0.5 - size / 2, size, size),
            (style.red, style.blue, style.dark)[rng.integers(3)],
            style.corner_font,
        )
    elif kind != "blank" and style.corner and rng.random() < 0.6:
        corner_mark(ink, style, str(rng.choice(["P", "B"])), color)
