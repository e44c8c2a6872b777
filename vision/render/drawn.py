"""Faces that the free artwork lacks, drawn here: animals, faces, jokers, white dragons, digits.

Each drawing is ink on a clear ground, 120 x 160 pixels, like the artwork.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.render.look import Colour, Inks, Joker, WhiteDragon

Sprite = NDArray[np.uint8]

WIDTH_PX, HEIGHT_PX = 120, 160
OVERSAMPLE = 3
FONT = cv2.FONT_HERSHEY_DUPLEX
SHIFT = 4  # sub-pixel bits of OpenCV's drawing


class Pen:
    """Ink on a clear tile; coordinates are those of the 120 x 160 face."""

    def __init__(self) -> None:
        self._ink = np.zeros((HEIGHT_PX * OVERSAMPLE, WIDTH_PX * OVERSAMPLE, 4), np.uint8)

    def line(self, points: Sequence[tuple[float, float]], colour: Colour, width: float) -> None:
        """An open stroke through these points."""
        thick = max(1, round(width * OVERSAMPLE))
        cv2.polylines(
            self._ink, [self._scaled(points)], False, (*colour, 255), thick, cv2.LINE_AA, SHIFT
        )

    def shape(self, points: Sequence[tuple[float, float]], colour: Colour) -> None:
        """A filled polygon."""
        cv2.fillPoly(self._ink, [self._scaled(points)], (*colour, 255), cv2.LINE_AA, SHIFT)

    def oval(
        self,
        centre: tuple[float, float],
        radii: tuple[float, float],
        colour: Colour,
        *,
        width: float = 0.0,
        angle_deg: float = 0.0,
        arc_deg: tuple[float, float] = (0.0, 360.0),
    ) -> None:
        """An ellipse or a part of one, filled when it has no line width."""
        thick = max(1, round(width * OVERSAMPLE)) if width else -1
        middle = (round(centre[0] * OVERSAMPLE), round(centre[1] * OVERSAMPLE))
        axes = (round(radii[0] * OVERSAMPLE), round(radii[1] * OVERSAMPLE))
        ink = (*colour, 255)
        cv2.ellipse(self._ink, middle, axes, angle_deg, *arc_deg, ink, thick, cv2.LINE_AA)

    def text(
        self, text: str, centre: tuple[float, float], height: float, colour: Colour, width: float
    ) -> None:
        """A word in a plain script, centred."""
        thick = max(1, round(width * OVERSAMPLE))
        scale = cv2.getFontScaleFromHeight(FONT, max(4, round(height * OVERSAMPLE)), thick)
        (wide, high), _ = cv2.getTextSize(text, FONT, scale, thick)
        at = (round(centre[0] * OVERSAMPLE - wide / 2), round(centre[1] * OVERSAMPLE + high / 2))
        cv2.putText(self._ink, text, at, FONT, scale, (*colour, 255), thick, cv2.LINE_AA)

    def sprite(self) -> Sprite:
        """The drawing at its final size."""
        ink = self._ink.astype(np.float32)
        ink[..., :3] *= ink[..., 3:] / 255
        size = (WIDTH_PX, HEIGHT_PX)
        small = np.asarray(cv2.resize(ink, size, interpolation=cv2.INTER_AREA), np.float32)
        small[..., :3] /= np.maximum(small[..., 3:] / 255, 1 / 255)
        return np.clip(small, 0, 255).astype(np.uint8)

    def _scaled(self, points: Sequence[tuple[float, float]]) -> NDArray[np.int32]:
        scaled = np.array(points, np.float64) * OVERSAMPLE * (1 << SHIFT)
        return np.round(scaled).astype(np.int32)


def draw(label: str, inks: Inks, joker: Joker, white: WhiteDragon) -> Sprite | None:
    """The drawing for this label, or None when the artwork sets have it."""
    if label == "jk":
        return drawn_joker(joker, inks)
    if label == "5z":
        return white_dragon(white, inks)
    painter = PAINTERS.get(label)
    if painter is None:
        return None
    pen = Pen()
    painter(pen, inks)
    if label[1] in "ac":
        pen.text(label[0], (16, 20), 18, inks.red if label[1] == "a" else inks.blue, 2.2)
    return pen.sprite()


def cat(pen: Pen, inks: Inks) -> None:
    """A sitting cat."""
    fur = inks.black
    pen.oval((62, 112), (27, 34), fur)
    pen.oval((62, 64), (25, 22), fur)
    pen.shape([(39, 56), (36, 28), (57, 44)], fur)
    pen.shape([(85, 56), (88, 28), (67, 44)], fur)
    pen.line([(88, 132), (104, 126), (108, 106), (100, 92)], fur, 7)
    for side in (-1, 1):
        pen.oval((62 + 10 * side, 61), (5, 6), inks.green)
        for tilt in (-5, 1, 7):
            pen.line([(62 + 12 * side, 73), (62 + 40 * side, 70 + tilt)], fur, 1.4)
    pen.oval((62, 71), (4, 3), inks.red)


def mouse(pen: Pen, inks: Inks) -> None:
    """A mouse on the run."""
    fur = inks.blue
    pen.oval((60, 104), (36, 24), fur, angle_deg=-12)
    pen.shape([(76, 84), (112, 104), (84, 118)], fur)
    pen.oval((76, 78), (13, 13), fur)
    pen.oval((76, 78), (7, 7), inks.red)
    pen.oval((94, 97), (3.4, 3.4), (240, 240, 240))
    pen.oval((112, 104), (3.5, 3.5), inks.red)
    pen.line([(26, 112), (12, 100), (14, 76), (28, 62), (24, 44)], fur, 4)
    for foot in (44, 76):
        pen.oval((foot, 128), (9, 4), inks.red)


def cock(pen: Pen, inks: Inks) -> None:
    """A crowing cock."""
    for lean, colour in ((0, inks.green), (9, inks.blue), (18, inks.green)):
        pen.oval((30 + lean, 88 + lean / 2), (24, 40), colour, width=7, arc_deg=(175, 285))
    pen.oval((64, 106), (30, 23), inks.red, angle_deg=-20)
    pen.shape([(72, 104), (78, 48), (96, 52), (92, 108)], inks.red)
    pen.oval((87, 50), (13, 12), inks.red)
    for bump in (78, 87, 96):
        pen.oval((bump, 36), (5.5, 8), inks.red)
    pen.shape([(98, 46), (115, 52), (98, 58)], inks.black)
    pen.oval((89, 48), (3, 3), (240, 240, 240))
    pen.oval((54, 104), (17, 11), inks.green, angle_deg=-20)
    for leg in (58, 72):
        pen.line([(leg, 126), (leg, 144)], inks.black, 3.5)
        pen.line([(leg - 8, 147), (leg, 143), (leg + 9, 147)], inks.black, 3)


def centipede(pen: Pen, inks: Inks) -> None:
    """A centipede in three bends."""
    steps = np.linspace(0, 1, 17)
    path = [(60 + 30 * np.sin(step * 3 * np.pi), 30 + 108 * step) for step in steps]
    for place, (x, y) in enumerate(path):
        for side in (-1, 1):
            pen.line([(x, y), (x + side * 15, y - 3), (x + side * 19, y + 5)], inks.black, 2)
        pen.oval((x, y), (8, 7), inks.red if place % 2 else inks.green)
    pen.oval((60, 24), (10, 9), inks.red)
    for side in (-1, 1):
        pen.line([(60 + 4 * side, 18), (60 + 16 * side, 6)], inks.black, 2.4)


def face(hat: Callable[[Pen, Inks], None], mouth: float) -> Callable[[Pen, Inks], None]:
    """A painted face under some hat; ``mouth`` smiles above zero."""

    def paint(pen: Pen, inks: Inks) -> None:
        hat(pen, inks)
        pen.oval((60, 92), (34, 40), inks.black, width=3)
        for side in (-1, 1):
            pen.oval((60 + 14 * side, 82), (6, 4), inks.black)
            brow = [(60 + 6 * side, 72), (60 + 22 * side, 68 + 4 * mouth)]
            pen.line(brow, inks.black, 3)
            pen.oval((60 + 20 * side, 100), (6, 5), inks.red)
        pen.line([(60, 86), (56, 100), (62, 102)], inks.black, 2.4)
        curve = [(46, 112 - 4 * mouth), (60, 113 + 5 * mouth), (74, 112 - 4 * mouth)]
        pen.line(curve, inks.red, 4)

    return paint


def crown(pen: Pen, inks: Inks) -> None:
    """The first face's hat."""
    pen.shape([(26, 60), (22, 22), (44, 40), (60, 14), (76, 40), (98, 22), (94, 60)], inks.red)


def scholar(pen: Pen, inks: Inks) -> None:
    """The second face's hat."""
    pen.shape([(36, 58), (38, 24), (82, 24), (84, 58)], inks.black)
    pen.line([(6, 46), (114, 46)], inks.black, 6)


def topknot(pen: Pen, inks: Inks) -> None:
    """The third face's hair."""
    pen.oval((60, 58), (34, 18), inks.blue, arc_deg=(180, 360))
    pen.oval((60, 30), (13, 13), inks.blue)


def straw_hat(pen: Pen, inks: Inks) -> None:
    """The fourth face's hat."""
    pen.shape([(8, 60), (60, 14), (112, 60)], inks.green)


PAINTERS: dict[str, Callable[[Pen, Inks], None]] = {
    "1a": cat,
    "2a": mouse,
    "3a": cock,
    "4a": centipede,
    "1c": face(crown, 0.2),
    "2c": face(scholar, -0.8),
    "3c": face(topknot, 1.2),
    "4c": face(straw_hat, 0.8),
}


def drawn_joker(kind: Joker, inks: Inks) -> Sprite:
    """A jester, the word JOKER, or the character for fly."""
    pen = Pen()
    match kind:
        case Joker.WORD:
            for place, letter in enumerate("JOKER"):
                colour = (inks.red, inks.blue, inks.green)[place % 3]
                pen.text(letter, (60, 22 + 29 * place), 22, colour, 3.4)
        case Joker.FLY:
            pen.line([(14, 36), (74, 34), (70, 66), (78, 100), (98, 120), (104, 100)], inks.red, 9)
            pen.line([(104, 48), (76, 66)], inks.red, 8)
            pen.line([(80, 74), (102, 90)], inks.red, 8)
            pen.text("JOKER", (58, 146), 11, inks.blue, 1.5)
        case Joker.JESTER:
            pen.shape([(60, 74), (22, 66), (12, 30), (44, 42)], inks.red)
            pen.shape([(60, 74), (40, 36), (60, 10), (80, 36)], inks.green)
            pen.shape([(60, 74), (98, 66), (108, 30), (76, 42)], inks.blue)
            for bell in ((12, 30), (60, 10), (108, 30)):
                pen.oval(bell, (6, 6), inks.red)
            pen.oval((60, 88), (24, 26), inks.black, width=3)
            for side in (-1, 1):
                pen.oval((60 + 9 * side, 82), (3.5, 4.5), inks.black)
            pen.oval((60, 92), (13, 11), inks.red, width=3, arc_deg=(15, 165))
            pen.text("JOKER", (60, 138), 15, inks.blue, 2)
    return pen.sprite()


def white_dragon(kind: WhiteDragon, inks: Inks) -> Sprite:
    """Nothing, a frame, or the letter some sets print."""
    pen = Pen()
    match kind:
        case WhiteDragon.FRAMED:
            corners = [(16.0, 18.0), (104.0, 18.0), (104.0, 142.0), (16.0, 142.0)]
            inner = [(26.0, 28.0), (94.0, 28.0), (94.0, 132.0), (26.0, 132.0)]
            pen.line([*corners, corners[0]], inks.blue, 4.5)
            pen.line([*inner, inner[0]], inks.blue, 2)
            for corner, (x, y) in zip(corners, inner, strict=True):
                pen.line([corner, (x, y)], inks.blue, 3)
        case WhiteDragon.LETTER_P:
            pen.text("P", (60, 80), 74, inks.blue, 7)
        case WhiteDragon.LETTER_B:
            pen.text("B", (60, 80), 74, inks.blue, 7)
        case WhiteDragon.BLANK:
            pass
    return pen.sprite()


def corner_digit(text: str, colour: Colour) -> Sprite:
    """The small number or letter that many export sets print in the upper left corner."""
    pen = Pen()
    pen.text(text, (16, 18), 15, colour, 2)
    return pen.sprite()
