"""One maker's faces: engraving from the free artwork or drawn, inked as the look asks."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.render.drawn import HEIGHT_PX, WIDTH_PX, Sprite, corner_digit, draw
from vision.render.look import ART_SETS, Colour, Inks, TileLook, WhiteDragon
from vision.zones import TileSize

ART = Path(__file__).parent.parent / "art"

LABELS = (
    *(f"{rank}{suit}" for suit in "mps" for rank in (*range(1, 10), 0)),
    *(f"{rank}z" for rank in range(1, 8)),
    *(f"{rank}{kind}" for kind in "fgac" for rank in range(1, 5)),
    "jk",
    "bk",
)
WIND_LETTERS = {"1z": "E", "2z": "S", "3z": "W", "4z": "N", "6z": "F", "7z": "C"}


class UnknownFaceError(KeyError):
    """No face is known by this label."""

    def __init__(self, label: str) -> None:
        super().__init__(f"no tile face has the label {label!r}; known are {' '.join(LABELS)}")
        self.label = label


class Faces:
    """Body and engraving of every tile of one set, as BGRA pictures seen from straight above."""

    def __init__(self, look: TileLook, size: TileSize, px_per_mm: float) -> None:
        if look.art not in ART_SETS:
            raise ValueError(
                f"artwork set {look.art!r} is unknown; known are {', '.join(ART_SETS)}"
            )
        self._look = look
        # A little finer than the picture, so that turning it costs no detail.
        scale = min(px_per_mm * 1.35, WIDTH_PX / size.width_mm)
        self._round = look.round_mm / size.width_mm
        self.size_px = (round(size.width_mm * scale), round(size.length_mm * scale))
        self._seen: dict[str, Sprite] = {}

    def face(self, label: str) -> Sprite:
        """The tile's upper side when it lies face up; ``bk`` is its back."""
        if label not in self._seen:
            self._seen[label] = self._make(label)
        return self._seen[label]

    def _make(self, label: str) -> Sprite:
        if label not in LABELS:
            raise UnknownFaceError(label)
        big = np.empty((HEIGHT_PX, WIDTH_PX, 3), np.float32)
        big[:] = self._look.back if label == "bk" else self._look.body
        if label != "bk":
            self._engrave(big, label)
        self._bevel(big)
        mask = rounded((WIDTH_PX, HEIGHT_PX), self._round * WIDTH_PX)
        sprite = np.dstack([np.clip(big, 0, 255), mask]).astype(np.uint8)
        return np.asarray(cv2.resize(sprite, self.size_px, interpolation=cv2.INTER_AREA), np.uint8)

    def _engrave(self, big: NDArray[np.float32], label: str) -> None:
        """Paints the engraving on the body."""
        look = self._look
        sprite = engraving(label, look)
        alpha = sprite[..., 3].astype(np.float32) / 255
        ink = sprite[..., :3].astype(np.float32)
        matrix = cv2.getRotationMatrix2D((WIDTH_PX / 2, HEIGHT_PX / 2), 0, look.scale)
        matrix[0] *= look.stretch
        matrix[0, 2] += (1 - look.stretch) * WIDTH_PX / 2 + look.shift_mm[0] * WIDTH_PX / 20
        matrix[1, 2] += look.shift_mm[1] * WIDTH_PX / 20
        flat = np.dstack([ink * alpha[..., None], alpha])
        size = (WIDTH_PX, HEIGHT_PX)
        both = np.asarray(cv2.warpAffine(flat, matrix, size, flags=cv2.INTER_LINEAR), np.float32)
        if look.stroke:
            both = thicker(both, look.stroke)
        if look.wear:
            rng = np.random.default_rng([len(label), *label.encode()])
            both *= worn(rng, look.wear)[..., None]
        big *= 1 - both[..., 3:]
        big += both[..., :3]

    def _bevel(self, big: NDArray[np.float32]) -> None:
        """Darkens the rounded edge, where the tile curves away from the light."""
        inner = rounded((WIDTH_PX, HEIGHT_PX), self._round * WIDTH_PX, inset=0.028)
        shade = cv2.GaussianBlur(inner, (0, 0), 2.2).astype(np.float32) / 255
        big *= (0.80 + 0.20 * shade)[..., None]


def engraving(label: str, look: TileLook) -> Sprite:
    """The ink of a face on clear ground."""
    inks = look.inks or Inks()
    sprite = draw(label, inks, look.joker, look.white_dragon)
    if label == "5z" and look.white_dragon is WhiteDragon.FRAMED and look.art == "unicode":
        sprite = artwork("unicode", "5z")
    if sprite is None:
        sprite = printed(label, look)
        if look.inks is not None:
            sprite = reinked(sprite, inks)
        if label[0] == "0":
            sprite = red_five(label, look, sprite, inks)
    mark = corner_mark(label, look)
    return sprite if mark is None else over(corner_digit(mark, inks.black), sprite)


def printed(label: str, look: TileLook) -> Sprite:
    """The artwork's face; sets without red fives or flowers borrow them."""
    borrowed = artwork(look.art, label)
    if borrowed is not None:
        return borrowed
    if label[0] == "0":
        five = artwork(look.art, f"5{label[1]}")
        if five is not None:
            return five
    for other in ("lietxia", "unicode"):
        borrowed = artwork(other, label)
        if borrowed is not None:
            return borrowed
    raise UnknownFaceError(label)


def red_five(label: str, look: TileLook, sprite: Sprite, inks: Inks) -> Sprite:
    """A five all in red, with or without the dot that some makers add."""
    five = artwork(look.art, f"5{label[1]}")
    if look.red_five_dot and artwork(look.art, label) is not None:
        source = sprite  # these artworks draw the dot themselves
    else:
        source = sprite if five is None else five
        if look.red_five_dot:
            pen_dot = np.zeros_like(source)
            cv2.circle(pen_dot, (WIDTH_PX - 16, 18), 7, (*inks.red, 255), -1, cv2.LINE_AA)
            source = over(pen_dot, source)
    red = source.copy()
    shade = source[..., :3].max(axis=2, keepdims=True).astype(np.float32) / 255
    # Dark ink becomes full red; white parts inside the drawing stay light.
    light = np.clip(
        (source[..., :3].min(axis=2, keepdims=True).astype(np.float32) - 120) / 100, 0, 1
    )
    painted = np.array(inks.red, np.float32) * (0.85 + 0.3 * shade)
    red[..., :3] = np.clip(painted * (1 - light) + source[..., :3] * light, 0, 255)
    return red


def reinked(sprite: Sprite, inks: Inks) -> Sprite:
    """The same drawing painted with this maker's colours."""
    colour = sprite[..., :3].astype(np.float32)
    high, low = colour.max(axis=2), colour.min(axis=2)
    strong = (high - low > 60) & (high > 50)
    hue = cv2.cvtColor(sprite[..., :3], cv2.COLOR_BGR2HSV)[..., 0]
    families: tuple[tuple[Colour, NDArray[np.bool_]], ...] = (
        (inks.red, strong & ((hue < 20) | (hue > 160))),
        (inks.green, strong & (hue >= 35) & (hue < 90)),
        (inks.blue, strong & (hue >= 90) & (hue <= 160)),
        (inks.black, (high < 110) & ~strong),
    )
    for ink, where in families:
        colour[where] = ink
    return np.dstack([colour.astype(np.uint8), sprite[..., 3]])


def corner_mark(label: str, look: TileLook) -> str | None:
    """What a set with Arabic digits or letters prints in the corner of this tile."""
    if look.corner_digits and label[1] in "mpsfg":
        return "5" if label[0] == "0" else label[0]
    return WIND_LETTERS.get(label) if look.letters else None


def over(upper: Sprite, lower: Sprite) -> Sprite:
    """One drawing over another."""
    top, bottom = upper.astype(np.float32), lower.astype(np.float32)
    cover = top[..., 3:] / 255
    alpha = cover + bottom[..., 3:] / 255 * (1 - cover)
    colour = top[..., :3] * cover + bottom[..., :3] * bottom[..., 3:] / 255 * (1 - cover)
    colour /= np.maximum(alpha, 1e-3)
    return np.clip(np.dstack([colour, alpha * 255]), 0, 255).astype(np.uint8)


def thicker(ink: NDArray[np.float32], by: float) -> NDArray[np.float32]:
    """Strokes spread or eaten by up to about a pixel of the face."""
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (3, 3))
    changed = cv2.dilate(ink, kernel) if by > 0 else cv2.erode(ink, kernel)
    share = min(abs(by), 1.0)
    return np.asarray(ink * (1 - share) + changed * share, np.float32)


def worn(rng: np.random.Generator, wear: float) -> NDArray[np.float32]:
    """How much ink is left where."""
    left = np.full((HEIGHT_PX, WIDTH_PX), 1 - 0.25 * wear, np.float32)
    cloud = rng.random((8, 6), np.float32)
    left -= wear * 0.35 * cv2.resize(cloud, (WIDTH_PX, HEIGHT_PX), interpolation=cv2.INTER_CUBIC)
    for _ in range(round(9 * wear)):
        x0, y0, x1, y1 = rng.integers(0, (WIDTH_PX, HEIGHT_PX, WIDTH_PX, HEIGHT_PX)).tolist()
        cv2.line(left, (x0, y0), (x1, y1), 0.25, 1, cv2.LINE_AA)
    return np.clip(left, 0, 1)


def rounded(size_px: tuple[int, int], radius: float, inset: float = 0.0) -> NDArray[np.uint8]:
    """A mask of a rectangle with round corners; ``inset`` is a share of the width."""
    width, height = size_px
    edge = inset * width
    x = np.abs(np.arange(width) + 0.5 - width / 2) - (width / 2 - edge - radius)
    y = np.abs(np.arange(height) + 0.5 - height / 2) - (height / 2 - edge - radius)
    outside = np.hypot(np.maximum(x[None, :], 0), np.maximum(y[:, None], 0)) - radius
    return np.asarray(np.clip(0.5 - outside, 0, 1) * 255, np.uint8)


@cache
def artwork(art: str, label: str) -> Sprite | None:
    """A face of the artwork as it ships, or None when the set lacks it."""
    path = ART / art / f"{label}.png"
    if not path.is_file():
        return None
    sprite = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    if sprite is None or sprite.shape != (HEIGHT_PX, WIDTH_PX, 4):
        raise OSError(f"{path} is not a tile face of {WIDTH_PX} x {HEIGHT_PX} pixels with alpha")
    return np.asarray(sprite, np.uint8)
