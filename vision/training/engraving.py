"""Draws tile faces in endless invented styles, so that no classifier learns one set by heart.

A style is drawn at random once and then gives every face of one imaginary tile set: the script of
the characters, how circles and bamboos are cut, the colors, the corner marks, the white dragon.
Faces come from the free artwork of ``vision/art``, from glyphs of free fonts (``glyphs.png``,
listed in ``glyphs.txt``) and from our own drawings.
"""

from __future__ import annotations

import cv2
import numpy as np

from vision.training.ink import FACE_H, FACE_W, REDS, Ink, artwork, glyph, jitter
from vision.training.pictures import animal, clown, flower, joker
from vision.training.styles import Style, corner_mark, invent
from vision.training.suits import bamboos, characters, circles, honors


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
            characters(ink, style, label)
        case "p":
            circles(ink, style, label)
        case "s":
            bamboos(ink, style, label)
        case "z":
            honors(ink, style, label)
        case "f" | "g":
            flower(ink, style, label)
        case "a":
            animal(ink, style, label)
        case "c":
            clown(ink, style, label)
        case _ if label == "jk":
            joker(ink, style, label)
    if suit in "mpsz" and style.corner and label != "5z":
        letter = "ESWNPFC"[int(rank) - 1] if suit == "z" else rank.replace("0", "5")
        reds = style.red if rank == "0" or style.rng("corner").random() < 0.5 else style.dark
        corner_mark(ink, style, letter, reds)
    return ink


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
            grown = cv2.dilate(ink.cover, kernel, iterations=style.stroke)
            known = (ink.cover > 40).astype(np.float32)
            near = cv2.blur(ink.color.astype(np.float32) * known[..., None], (7, 7))
            weight = cv2.blur(known, (7, 7))[..., None]
            spread = np.where(weight > 0.01, near / np.maximum(weight, 0.01), 0)
            ink.color[:] = np.where((known > 0)[..., None], ink.color, spread).astype(np.uint8)
            ink.cover[:] = grown
        elif style.rng("thin").random() < 0.5:
            ink.cover[:] = np.minimum(
                ink.cover, cv2.addWeighted(ink.cover, 0.4, cv2.erode(ink.cover, kernel), 0.6, 0)
            )


__all__ = ["REDS", "Ink", "Style", "draw", "glyph", "invent", "jitter"]
