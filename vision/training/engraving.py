"""Draws tile faces in endless invented styles, so that no classifier learns one set by heart.

A style is drawn at random once and then gives every face of one imaginary tile set: the script of
the characters, how circles and bamboos are cut, the colors, the corner marks, the white dragon.
Faces come from the free artwork of ``vision/art``, from glyphs of free fonts (``glyphs.png``,
listed in ``glyphs.txt``) and from our own drawings.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import cv2
import numpy as np

FACE_W, FACE_H = 96, 128
ART = Path(__file__).parents[1] / "art"
ART_SETS = ("fluffystuff", "lietxia", "unicode")
GLYPHS = Path(__file__).with_name("glyphs.png")
GLYPH_PX = 48

Color = tuple[int, int, int]
DARKS: tuple[Color, ...] = (
    (20, 18, 18),
    (120, 50, 20),
    (150, 40, 30),
    (90, 30, 40),
    (60, 60, 20),
    (190, 80, 20),
    (35, 45, 25),
    (90, 70, 30),
    (40, 35, 60),
)
REDS: tuple[Color, ...] = (
    (30, 30, 190),
    (50, 50, 220),
    (35, 25, 140),
    (70, 60, 200),
    (40, 70, 220),
    (60, 30, 170),
    (90, 90, 220),
    (30, 40, 120),
)
GREENS: tuple[Color, ...] = (
    (40, 110, 20),
    (60, 90, 30),
    (90, 140, 40),
    (50, 70, 15),
    (110, 120, 20),
    (60, 160, 80),
    (30, 60, 40),
)

NUMERALS = "一二三四伍六七八九"
WINDS = "東南西北"
FLOWERS = "梅蘭菊竹"
SEASONS = "春夏秋冬"


@dataclass
class Ink:
    """Paint on a transparent face: color and coverage per pixel."""

    color: np.ndarray = field(default_factory=lambda: np.zeros((FACE_H, FACE_W, 3), np.uint8))
    cover: np.ndarray = field(default_factory=lambda: np.zeros((FACE_H, FACE_W), np.uint8))

    def put(self, mask: np.ndarray, color: Color) -> None:
        """Lay one color over the face where the mask is set."""
        part = (mask.astype(np.float32) / 255)[..., None]
        self.color[:] = (self.color * (1 - part) + np.array(color, np.float32) * part).astype(
            np.uint8
        )
        np.maximum(self.cover, mask, out=self.cover)

    def clear(self, mask: np.ndarray) -> None:
        """Take the paint away where the mask is set."""
        self.cover[:] = (self.cover * (1 - mask.astype(np.float32) / 255)).astype(np.uint8)


@cache
def glyph_table() -> tuple[dict[str, int], int]:
    """Column of each character in the glyph sheet, and the number of fonts."""
    lines = GLYPHS.with_suffix(".txt").read_text(encoding="utf-8").splitlines()
    return {character: column for column, character in enumerate(lines[0])}, len(lines) - 1


@cache
def glyph(font: int, character: str) -> np.ndarray | None:
    """The ink of one character, cut to its bounds; nothing when the font lacks it."""
    sheet = _glyph_sheet()
    column = glyph_table()[0][character]
    cell = sheet[
        font * GLYPH_PX : (font + 1) * GLYPH_PX, column * GLYPH_PX : (column + 1) * GLYPH_PX
    ]
    ys, xs = np.nonzero(cell)
    if len(ys) == 0:
        return None
    return cell[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1]


@cache
def _glyph_sheet() -> np.ndarray:
    sheet = cv2.imread(str(GLYPHS), cv2.IMREAD_GRAYSCALE)
    if sheet is None:
        raise FileNotFoundError(f"no glyph sheet at {GLYPHS}")
    return sheet


@cache
def artwork(name: str, label: str) -> np.ndarray | None:
    """A face of the free artwork as BGRA, or nothing when the set has none of that label."""
    path = ART / name / f"{label}.png"
    if not path.exists():
        path = ART / name / f"{label[::-1]}.png"
    if not path.exists():
        return None
    picture = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    return cv2.resize(picture, (FACE_W, FACE_H), interpolation=cv2.INTER_AREA)


def jitter(color: Color, rng: np.random.Generator, by: int = 18) -> Color:
    """A color close to the given one."""
    blue, green, red = (int(np.clip(part + rng.integers(-by, by + 1), 0, 255)) for part in color)
    return blue, green, red


@dataclass(frozen=True)
class Style:
    """Everything that the faces of one imaginary tile set have in common."""

    name: str
    seed: int
    art: str | None  # take faces from this artwork where it has them
    font: int
    dark: Color
    red: Color
    green: Color
    blue: Color
    wan: Color
    dot: str
    dot_size: float
    stick: str
    stick_size: float
    corner: str  # "", "tl", "tr": where the digit or letter stands
    corner_font: int
    corner_size: float
    corner_opposite: bool
    white: str
    plain_five: bool  # 五 instead of 伍
    plain_wan: bool  # 万 instead of 萬
    red_five: str  # "all" painted red, "dot" marked by a red dot
    stroke: int
    spread: float
    wobble: float
    is_varied: bool  # the artwork's faces are painted anew and bent

    def rng(self, label: str) -> np.random.Generator:
        """The same face is drawn the same way every time."""
        return np.random.default_rng([self.seed, *label.encode()])


WHITES = (
    "blank",
    "blank",
    "frame",
    "frame",
    "double",
    "ornate",
    "letter",
    "framed letter",
    "character",
)
DOTS = ("rings", "rings", "flower", "cross", "solid", "target", "wheel")
STICKS = ("waist", "waist", "beam", "chain", "plain", "outline", "capsule")


def invent(seed: int, art: str | None = None, *, is_varied: bool = False) -> Style:
    """A new imaginary tile set; with `art`, that artwork's faces where it has them."""
    rng = np.random.default_rng([seed, 77])
    dark = jitter(DARKS[rng.integers(len(DARKS))], rng)
    fonts = glyph_table()[1]
    corner = "" if art else str(rng.choice(["", "tl", "tr", "tl", "tr"]))
    mono = rng.random() < 0.06
    red = dark if mono else jitter(REDS[rng.integers(len(REDS))], rng)
    green = dark if rng.random() < 0.2 else jitter(GREENS[rng.integers(len(GREENS))], rng)
    blue = dark if rng.random() < 0.6 else jitter(DARKS[rng.integers(len(DARKS))], rng)
    return Style(
        name=art or f"invented-{seed}",
        seed=seed,
        art=art,
        font=int(rng.integers(fonts)),
        dark=dark,
        red=red,
        green=green,
        blue=blue,
        wan=red if rng.random() < 0.93 else dark,
        dot=str(rng.choice(DOTS)),
        dot_size=float(rng.uniform(0.85, 1.2)),
        stick=str(rng.choice(STICKS)),
        stick_size=float(rng.uniform(0.75, 1.15)),
        corner=corner,
        corner_font=int(rng.choice([2, 3, 4, 9, 13, 14, 0, 1])),
        corner_size=float(rng.uniform(0.1, 0.2)),
        corner_opposite=bool(rng.random() < 0.12),
        white=str(rng.choice(WHITES)),
        plain_five=bool(rng.random() < 0.3),
        plain_wan=bool(rng.random() < 0.15),
        red_five=str(rng.choice(["all", "all", "dot"])),
        stroke=int(rng.integers(-1, 2)),
        spread=float(rng.uniform(0.86, 1.06)),
        wobble=float(rng.choice([0.0, 0.5, 1.0, 1.6])),
        is_varied=is_varied,
    )


def draw(style: Style, label: str) -> Ink:
    """The ink of one face in the given style."""
    ink = _from_art(style, label) if style.art else None
    if ink is None:
        ink = _from_hand(style, label)
    if style.art is None or style.is_varied:
        _vary_stroke(ink, style)
    return ink


def _from_art(style: Style, label: str) -> Ink | None:
    assert style.art is not None
    picture = artwork(style.art, label)
    if picture is None:
        return None
    ink = Ink(picture[..., :3].copy(), picture[..., 3].copy())
    if label == "bk":
        return ink
    if style.is_varied and label[0] != "0":
        _repaint(ink, style)
    return ink


def _repaint(ink: Ink, style: Style) -> None:
    """Exchange the artwork's dark, red and green for the style's own."""
    hsv = cv2.cvtColor(ink.color, cv2.COLOR_BGR2HSV)
    hue, vivid = hsv[..., 0], hsv[..., 1] > 80
    light = (hsv[..., 1] < 60) & (hsv[..., 2] > 150)
    red = vivid & ((hue < 15) | (hue > 165))
    green = vivid & (hue > 35) & (hue < 95)
    target = np.where(
        red[..., None], style.red, np.where(green[..., None], style.green, style.dark)
    )
    ink.color[:] = np.where(light[..., None], ink.color, target).astype(np.uint8)


def _from_hand(style: Style, label: str) -> Ink:
    rank, suit = label[0], label[1]
    ink = Ink()
    match suit:
        case "m":
            _character(ink, style, label)
        case "p":
            _circles(ink, style, label)
        case "s":
            _bamboos(ink, style, label)
        case "z":
            _honor(ink, style, label)
        case "f" | "g":
            _flower(ink, style, label)
        case "a":
            _animal(ink, style, label)
        case "c":
            _clown(ink, style, label)
        case _ if label == "jk":
            _joker(ink, style, label)
    if suit in "mpsz" and style.corner and label != "5z":
        letter = "ESWNPFC"[int(rank) - 1] if suit == "z" else rank.replace("0", "5")
        reds = style.red if rank == "0" or style.rng("corner").random() < 0.5 else style.dark
        _corner(ink, style, letter, reds)
    return ink


def _stamp(
    ink: Ink,
    style: Style,
    text: str,
    box: tuple[float, float, float, float],
    color: Color,
    font: int | None = None,
) -> None:
    """One character stretched into a box of face fractions (x, y, width, height)."""
    mask = glyph(style.font if font is None else font, text)
    spare = int(style.rng(text).integers(glyph_table()[1]))
    for other in (spare, 2, 3):
        mask = glyph(other, text) if mask is None else mask
    assert mask is not None
    x, y, w, h = box
    width, height = max(4, round(w * FACE_W)), max(4, round(h * FACE_H))
    # Flat characters (one, two) stay flat: keep the glyph's own proportions within the box.
    shrink = min(1.0, 1.6 * mask.shape[0] / mask.shape[1] * width / height)
    squeeze = min(1.0, 1.6 * mask.shape[1] / mask.shape[0] * height / width)
    drawn = cv2.resize(
        mask,
        (max(3, round(width * squeeze)), max(3, round(height * shrink))),
        interpolation=cv2.INTER_AREA,
    )
    whole = np.zeros((FACE_H, FACE_W), np.uint8)
    top = int(np.clip(round((y + h / 2) * FACE_H - drawn.shape[0] / 2), 0, FACE_H - drawn.shape[0]))
    left = int(
        np.clip(round((x + w / 2) * FACE_W - drawn.shape[1] / 2), 0, FACE_W - drawn.shape[1])
    )
    whole[top : top + drawn.shape[0], left : left + drawn.shape[1]] = drawn
    ink.put(whole, color)


def _corner(ink: Ink, style: Style, letter: str, color: Color) -> None:
    size = style.corner_size
    x = 0.04 if style.corner == "tl" else 0.96 - size
    mask = Ink()
    _stamp(mask, style, letter, (x, 0.03, size, size * 0.9), color, style.corner_font)
    if style.corner_opposite:
        turned = np.ascontiguousarray(mask.cover[::-1, ::-1])
        ink.put(turned, color)
    ink.put(mask.cover, color)


def _character(ink: Ink, style: Style, label: str) -> None:
    rng = style.rng("m")
    rank = int(label[0]) or 5
    is_red = label[0] == "0"
    numeral = "五" if rank == 5 and style.plain_five else NUMERALS[rank - 1]
    width, height = rng.uniform(0.45, 0.82), rng.uniform(0.28, 0.42)
    middle = rng.uniform(-0.03, 0.03) + (0.06 if style.corner == "tl" else 0.0)
    top = rng.uniform(0.04, 0.12)
    dark = style.dark if style.dark != style.red else (20, 18, 18)
    all_red = is_red and style.red_five == "all"
    red = _true_red(style) if all_red else style.wan
    _stamp(
        ink,
        style,
        numeral,
        (0.5 + middle - width / 2, top, width, height),
        red if all_red else dark,
    )
    wan_top, wan_width = top + height + rng.uniform(0.0, 0.08), rng.uniform(0.45, 0.82)
    _stamp(
        ink,
        style,
        "万" if style.plain_wan else "萬",
        (0.5 - wan_width / 2, wan_top, wan_width, 0.97 - wan_top),
        red,
    )
    if is_red and not all_red:
        _red_mark(ink, style)


def _true_red(style: Style) -> Color:
    """The paint of a red five is red even in a set that is otherwise of one color."""
    rng = style.rng("red five")
    return jitter(REDS[rng.integers(len(REDS))], rng, 12)


def _red_mark(ink: Ink, style: Style) -> None:
    rng = style.rng("mark")
    spots = [(0.12, 0.12), (0.88, 0.12), (0.5, 0.93), (0.14, 0.5), (0.88, 0.5), (0.12, 0.9)]
    x, y = spots[rng.integers(len(spots))]
    mask = np.zeros((FACE_H, FACE_W), np.uint8)
    cv2.circle(
        mask, (int(x * FACE_W), int(y * FACE_H)), int(rng.integers(5, 9)), 255, -1, cv2.LINE_AA
    )
    ink.put(mask, _true_red(style))


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


def _circles(ink: Ink, style: Style, label: str) -> None:
    rng = style.rng("p")
    rank = int(label[0]) or 5
    is_red = label[0] == "0"
    all_red = is_red and style.red_five == "all"
    swap = rng.random() < 0.3  # some makers exchange green and blue
    squeeze = rng.uniform(0.8, 1.05)
    for x, y, letter in _DOTS_AT[rank]:
        letter = {"g": "b", "b": "g"}.get(letter, letter) if swap else letter
        color = _true_red(style) if all_red else _paint(style, letter)
        if rank == 5 and not all_red and letter != "r" and _is_reddish(color):
            color = (110, 60, 20)
        at = (0.5 + (x - 0.5) * style.spread, 0.5 + (y - 0.5) * style.spread * squeeze)
        radius = _RADIUS[rank] * style.dot_size * (rng.uniform(0.75, 1.1) if rank == 1 else 1.0)
        second = _true_red(style) if all_red else style.red
        _dot(ink, style, at, radius * FACE_W * style.spread, color, second, big=rank == 1)
    if is_red and not all_red:
        _red_mark(ink, style)


def _is_reddish(color: Color) -> bool:
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
        style.dot if not big else str(rng.choice(["rings", "flower", "wheel", "petals", "cross"]))
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


def _bamboos(ink: Ink, style: Style, label: str) -> None:
    rng = style.rng("s")
    rank = int(label[0]) or 5
    is_red = label[0] == "0"
    all_red = is_red and style.red_five == "all"
    if rank == 1:
        _bird(ink, style)
        return
    one_green = rng.random() < 0.7
    length = _LENGTH[rank] * style.spread * rng.uniform(0.85, 1.03) * FACE_H
    width = style.stick_size * 0.15 * FACE_W
    if rank == 8:
        _eight_bamboos(ink, style, length, width)
    else:
        for x, y, letter in _STICKS_AT[rank]:
            letter = "g" if one_green and letter == "b" else letter
            color = _true_red(style) if all_red else _paint(style, letter)
            if rank == 5 and not all_red and letter != "r" and _is_reddish(color):
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


def _bird(ink: Ink, style: Style) -> None:
    """A bird of one of the artworks, bent and painted anew."""
    rng = style.rng("1s")
    source = artwork(str(rng.choice(ART_SETS)), "1s")
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
        mask = np.zeros((FACE_H, FACE_W), np.uint8)
        x, y = around[0] + rng.normal(0, 0.12), around[1] + rng.normal(0, 0.1)
        start = np.array([x * FACE_W, y * FACE_H])
        bend = start + rng.normal(0, 14, 2)
        end = start + np.array([rng.normal(0, 22), rng.normal(-18, 16)])
        t = np.linspace(0, 1, 9)[:, None]
        curve = (1 - t) ** 2 * start + 2 * t * (1 - t) * bend + t**2 * end
        cv2.polylines(
            mask, [curve.astype(np.int32)], False, 255, int(rng.integers(1, 4)), cv2.LINE_AA
        )
        if rng.random() < 0.6:
            axes = (int(rng.integers(3, 10)), int(rng.integers(2, 5)))
            middle = (int(end[0]), int(end[1]))
            cv2.ellipse(
                mask,
                middle,
                axes,
                float(rng.uniform(0, 180)),
                0,
                360,
                255,
                -1 if rng.random() < 0.5 else 1,
                cv2.LINE_AA,
            )
        ink.put(mask, color)


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


def _honor(ink: Ink, style: Style, label: str) -> None:
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
    _stamp(ink, style, text, box, color)


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
        _stamp(ink, style, "白", (0.2, 0.15, 0.6, 0.7), style.dark)
    elif "letter" in kind:
        size = rng.uniform(0.2, 0.45)
        _stamp(
            ink,
            style,
            str(rng.choice(["P", "B"])),
            (0.5 - size / 2, 0.5 - size / 2, size, size),
            (style.red, style.blue, style.dark)[rng.integers(3)],
            style.corner_font,
        )
    elif kind != "blank" and style.corner and rng.random() < 0.6:
        _corner(ink, style, str(rng.choice(["P", "B"])), color)


def _flower(ink: Ink, style: Style, label: str) -> None:
    """A plant of no certain kind, the number and the character, which are what tells."""
    rng = style.rng(label)
    layout = style.rng("fg" + label[1])
    rank = int(label[0])
    if rng.random() < 0.45:
        source = artwork(str(rng.choice(["lietxia", "unicode"])), label)
        if source is not None:
            ink.color[:], ink.cover[:] = source[..., :3], source[..., 3]
    else:
        for _ in range(int(rng.integers(1, 4))):
            _scribble(
                ink,
                rng,
                style.green if rng.random() < 0.8 else style.dark,
                int(rng.integers(2, 6)),
                (0.5, 0.7),
            )
        for _ in range(int(rng.integers(1, 4))):
            _blossom(ink, rng, (rng.uniform(0.25, 0.75), rng.uniform(0.4, 0.85)), style.red)
        side = layout.random() < 0.5
        size = layout.uniform(0.24, 0.36)
        places = ((0.06, 0.05), (0.94 - size, 0.05))
        character = (FLOWERS if label[1] == "f" else SEASONS)[rank - 1]
        tint = (style.red, style.dark, style.blue)[layout.integers(3)]
        x, y = places[int(side)]
        _clear_box(ink, (x, y, size, size * 0.8))
        _stamp(ink, style, character, (x, y, size, size * 0.8), tint)
        if layout.random() < 0.85:
            x, y = places[int(not side)]
            small = size * layout.uniform(0.6, 0.9)
            _clear_box(ink, (x, y, size, size * 0.8))
            mark = NUMERALS[rank - 1] if layout.random() < 0.15 else str(rank)
            other = (style.red, style.dark, style.blue)[layout.integers(3)]
            _stamp(
                ink,
                style,
                mark,
                (x, y, small, small * 0.8),
                other,
                None if mark in NUMERALS else style.corner_font,
            )


def _clear_box(ink: Ink, box: tuple[float, float, float, float]) -> None:
    x, y, w, h = box
    ink.cover[
        int(y * FACE_H) : int((y + h) * FACE_H) + 2, int(x * FACE_W) : int((x + w) * FACE_W) + 2
    ] = 0


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


def _animal(ink: Ink, style: Style, label: str) -> None:
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
        _stamp(ink, style, "貓鼠雞蜈"[rank - 1], (0.62, 0.04, 0.32, 0.26), style.dark)
    if rng.random() < 0.6:
        _stamp(ink, style, str(rank), (0.06, 0.05, 0.16, 0.14), style.red, style.corner_font)


def _clown(ink: Ink, style: Style, label: str) -> None:
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
    _clear_box(ink, (x, 0.04, size, size * 0.8))
    _stamp(
        ink,
        style,
        str(rank),
        (x, 0.04, size, size * 0.8),
        (style.red, style.dark)[layout.integers(2)],
        style.corner_font,
    )


def _joker(ink: Ink, style: Style, label: str) -> None:
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
                _stamp(
                    ink,
                    style,
                    letter,
                    (x, 0.05 + index * 0.18, 0.26, 0.16),
                    color,
                    style.corner_font,
                )
        case "across":
            y = rng.uniform(0.04, 0.2)
            _clear_box(ink, (0.0, y, 1.0, 0.2))
            for index, letter in enumerate("JOKER"):
                _stamp(
                    ink,
                    style,
                    letter,
                    (0.04 + index * 0.185, y, 0.16, 0.17),
                    color,
                    style.corner_font,
                )
        case "百搭":
            _clear_box(ink, (0.1, 0.05, 0.8, 0.9))
            _stamp(ink, style, "百", (0.15, 0.05, 0.7, 0.42), color)
            _stamp(ink, style, "搭", (0.15, 0.52, 0.7, 0.42), color)
        case "飛" | "財":
            _stamp(ink, style, str(kind), (0.15, 0.12, 0.7, 0.7), color)
        case _:
            _clear_box(ink, (0.0, 0.0, 0.45, 0.4))
            _stamp(ink, style, "J", (0.08, 0.05, 0.3, 0.3), color, style.corner_font)


def _vary_stroke(ink: Ink, style: Style) -> None:
    """Thicker or thinner strokes and a slight bend, the same for the whole set."""
    if style.wobble:
        rng = style.rng("wobble")
        bend = cv2.resize(
            rng.normal(0, style.wobble, (4, 3, 2)).astype(np.float32),
            (FACE_W, FACE_H),
            interpolation=cv2.INTER_CUBIC,
        )
        ys, xs = np.mgrid[0:FACE_H, 0:FACE_W].astype(np.float32)
        ink.color[:] = cv2.remap(
            ink.color,
            xs + bend[..., 0],
            ys + bend[..., 1],
            cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_REPLICATE,
        )
        ink.cover[:] = cv2.remap(ink.cover, xs + bend[..., 0], ys + bend[..., 1], cv2.INTER_LINEAR)
    if style.stroke:
        kernel = cv2.getStructuringElement(cv2.MORPH_CROSS, (3, 3))
        if style.stroke > 0:
            # Spread the color with the stroke, or its rim would be black.
            grown = cv2.dilate(ink.cover, kernel)
            known = (ink.cover > 40).astype(np.float32)
            near = cv2.blur(ink.color.astype(np.float32) * known[..., None], (5, 5))
            weight = cv2.blur(known, (5, 5))[..., None]
            spread = np.where(weight > 0.01, near / np.maximum(weight, 0.01), 0)
            ink.color[:] = np.where((known > 0)[..., None], ink.color, spread).astype(np.uint8)
            ink.cover[:] = grown
        elif style.rng("thin").random() < 0.5:
            ink.cover[:] = np.minimum(
                ink.cover, cv2.addWeighted(ink.cover, 0.4, cv2.erode(ink.cover, kernel), 0.6, 0)
            )
