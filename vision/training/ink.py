"""Paint on a tile face, and the shapes it is stamped with: glyphs of free fonts, free artwork."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import cv2
import numpy as np

FACE_W, FACE_H = 96, 128
ART = Path(__file__).parents[1] / "art"
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
ORCHID, ORCHID_SHORT = "蘭", "兰芸"  # some makers cut fewer strokes
OTHER_NAMES = "百搭飛財東南中發老白"  # on the flowers of sets that some house has had made


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
