"""Imaginary tile sets: what all faces of one set have in common, and how it writes."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.render import ART_SETS
from vision.training.ink import (
    DARKS,
    FACE_H,
    FACE_W,
    GREENS,
    REDS,
    Color,
    Ink,
    glyph,
    glyph_table,
    jitter,
)


@dataclass(frozen=True)
class Style:
    """Everything that the faces of one imaginary tile set have in common."""

    name: str
    seed: int
    art: str | None  # take faces from this artwork where it has them
    arts: tuple[str, ...]  # whose birds and flowers may be borrowed
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
    bold: int  # by how many pixels of the glyph sheet characters are cut wider
    lean: float  # of characters to one side
    hand: float  # how far from the font characters are written, as a share of their size
    hollow: str  # which characters show the tile inside their strokes: "", "honors", "all"

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
WRITTEN_FONTS = (5, 6, 7, 9, 11, 12, 13)  # of the glyph sheet: brush and regular script
STICKS = ("waist", "waist", "beam", "chain", "plain", "outline", "capsule")


def invent(
    seed: int,
    art: str | None = None,
    *,
    arts: tuple[str, ...] = ART_SETS,
    is_varied: bool = False,
) -> Style:
    """A new imaginary tile set; with `art`, that artwork's faces where it has them. A bird or a
    flower may come from any of `arts`."""
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
        arts=arts,
        font=int(rng.choice(WRITTEN_FONTS) if rng.random() < 0.55 else rng.integers(fonts)),
        dark=dark,
        red=red,
        green=green,
        blue=blue,
        wan=red if rng.random() < 0.93 else dark,
        dot=str(rng.choice(DOTS)),
        dot_size=float(rng.uniform(0.85, 1.2)),
        stick=str(rng.choice(STICKS)),
        stick_size=float(rng.uniform(0.75, 1.5)),
        corner=corner,
        corner_font=int(rng.choice([2, 3, 4, 9, 13, 14, 0, 1])),
        corner_size=float(rng.uniform(0.1, 0.2)),
        corner_opposite=bool(rng.random() < 0.12),
        white=str(rng.choice(WHITES)),
        plain_five=bool(rng.random() < 0.3),
        plain_wan=bool(rng.random() < 0.15),
        red_five=str(rng.choice(["all", "all", "dot"])),
        stroke=int(rng.choice([-1, 0, 1, 2])),
        spread=float(rng.uniform(0.86, 1.06)),
        wobble=float(rng.choice([0.0, 0.5, 1.0, 1.6])),
        is_varied=is_varied,
        bold=int(rng.choice([0, 0, 1, 1, 2])),
        lean=float(rng.choice([0.0, 0.0, rng.uniform(-0.25, 0.25)])),
        hand=float(rng.choice([0.0, 0.03, 0.05, 0.07])),
        hollow=str(rng.choice(["", "", "", "", "honors", "honors", "all"])),
    )


def stamp(
    ink: Ink,
    style: Style,
    text: str,
    box: tuple[float, float, float, float],
    color: Color,
    font: int | None = None,
    *,
    hollow: bool = False,
) -> None:
    """One character stretched into a box of face fractions (x, y, width, height)."""
    mask = glyph(style.font if font is None else font, text)
    spare = int(style.rng(text).integers(glyph_table()[1]))
    for other in (spare, 2, 3):
        mask = glyph(other, text) if mask is None else mask
    assert mask is not None
    if font is None:
        mask = written(brushed(mask, style), style, text)
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
    if hollow:
        inner = cv2.erode(whole, np.ones((3, 3), np.uint8), iterations=2)
        whole = np.where(inner > 128, whole // 4, whole).astype(np.uint8)
    ink.put(whole, color)


def brushed(mask: np.ndarray, style: Style) -> np.ndarray:
    """A character cut wider and leaning, as this set does it."""
    room = style.bold + 1
    mask = cv2.copyMakeBorder(mask, room, room, room, room, cv2.BORDER_CONSTANT)
    if style.bold:
        # A stroke that is wide already would run into the next.
        thin = mask.mean() < 60
        width = style.bold + 1 if thin else 2
        brush = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (width, width))
        mask = cv2.dilate(mask, brush)
    if style.lean:
        height, width = mask.shape
        aside = max(0.0, style.lean) * height
        slant = np.array([[1, -style.lean, aside], [0, 1, 0]], np.float32)
        mask = cv2.warpAffine(mask, slant, (width + int(abs(style.lean) * height) + 1, height))
    ys, xs = np.nonzero(mask)
    return mask[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1]


def written(mask: np.ndarray, style: Style, text: str) -> np.ndarray:
    """A character as another hand writes it: its strokes are elsewhere, longer or shorter."""
    if not style.hand:
        return mask
    height, width = mask.shape
    away = style.rng("hand" + text).normal(0, style.hand, (4, 4, 2)).astype(np.float32)
    away = cv2.resize(away, (width, height), interpolation=cv2.INTER_CUBIC)
    ys, xs = np.mgrid[0:height, 0:width].astype(np.float32)
    moved = cv2.remap(mask, xs + away[..., 0] * width, ys + away[..., 1] * height, cv2.INTER_LINEAR)
    return moved if moved.any() else mask


def corner_mark(ink: Ink, style: Style, letter: str, color: Color) -> None:
    size = style.corner_size
    x = 0.04 if style.corner == "tl" else 0.96 - size
    mask = Ink()
    stamp(mask, style, letter, (x, 0.03, size, size * 0.9), color, style.corner_font)
    if style.corner_opposite:
        turned = np.ascontiguousarray(mask.cover[::-1, ::-1])
        ink.put(turned, color)
    ink.put(mask.cover, color)


def true_red(style: Style) -> Color:
    """The paint of a red five is red even in a set that is otherwise of one color."""
    rng = style.rng("red five")
    return jitter(REDS[rng.integers(len(REDS))], rng, 12)


def clear_box(ink: Ink, box: tuple[float, float, float, float]) -> None:
    x, y, w, h = box
    ink.cover[
        int(y * FACE_H) : int((y + h) * FACE_H) + 2, int(x * FACE_W) : int((x + w) * FACE_W) + 2
    ] = 0
