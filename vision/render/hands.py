"""Players' arms over the table, drawn from sleeve to fingertips."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.camera import CameraModel
from vision.render.look import Colour, HandsLook
from vision.render.table import fixed

HAND_HEIGHT_MM = 55.0
# Points of the hand and a height to pixels of the picture.
Seen = Callable[[list[tuple[float, float]], float], NDArray[np.float64]]

# The outline of a right hand that points up, its palm around the origin, in millimetres.
FINGERS = (  # root, tip, radius
    ((-26.0, 26.0), (-38.0, 82.0), 9.0),
    ((-9.0, 34.0), (-12.0, 100.0), 9.5),
    ((9.0, 34.0), (12.0, 102.0), 9.5),
    ((26.0, 28.0), (36.0, 88.0), 8.5),
    ((-30.0, -14.0), (-66.0, 26.0), 11.0),
)


@dataclass(frozen=True, slots=True)
class Hand:
    """An arm that reaches from a side of the table to a point, ``spread`` of the fingers 0 to 1."""

    target_mm: tuple[float, float]
    from_mm: tuple[float, float]
    spread: float = 0.6
    sleeve_to_mm: float = 110.0  # how far behind the fingertips the sleeve ends


def draw_hand(
    image: NDArray[np.uint8], camera: CameraModel, hand: Hand, look: HandsLook
) -> NDArray[np.uint8]:
    """Paints the arm with its shadow and returns the mask of what it hides."""
    target, start = np.array(hand.target_mm), np.array(hand.from_mm)
    length = max(float(np.hypot(*(target - start))), 1.0)
    ahead = (target - start) / length
    aside = np.array([ahead[1], -ahead[0]])
    palm = target - 78 * ahead

    def seen(points: list[tuple[float, float]], height: float) -> NDArray[np.float64]:
        flat = np.array([palm + x * aside + y * ahead for x, y in points])
        return camera.project(np.column_stack([flat, np.full(len(flat), height)]))

    scale = camera.focal_px[0] / (camera.eye_mm[2] - HAND_HEIGHT_MM)
    mask = np.zeros(image.shape[:2], np.uint8)
    skin = np.zeros_like(mask)
    paint_palm(skin, seen, hand.spread, scale)
    sleeve = np.zeros_like(mask)
    back = -(hand.sleeve_to_mm - 78)
    end = -(length - 78) - 120
    cuff = [(-44.0, back), (44.0, back), (62.0, end), (-62.0, end)]
    wrist = [(-27.0, 10.0), (27.0, 10.0), (30.0, back - 20), (-30.0, back - 20)]
    cv2.fillPoly(skin, [fixed(seen(wrist, HAND_HEIGHT_MM))], 255, cv2.LINE_AA, 4)
    cv2.fillPoly(sleeve, [fixed(seen(cuff, HAND_HEIGHT_MM + 5))], 255, cv2.LINE_AA, 4)
    np.maximum(skin, sleeve, out=mask)
    cast_shadow(image, mask, scale)
    fill(image, skin, look.skin, scale)
    fill(image, sleeve, look.sleeve, scale)
    return mask


def paint_palm(skin: NDArray[np.uint8], seen: Seen, spread: float, scale: float) -> None:
    """Palm and fingers into the mask."""
    outline = [
        (-30.0, -26.0),
        (-34.0, 10.0),
        (-26.0, 36.0),
        (28.0, 36.0),
        (34.0, 8.0),
        (28.0, -30.0),
    ]
    cv2.fillPoly(skin, [fixed(seen(outline, HAND_HEIGHT_MM))], 255, cv2.LINE_AA, 4)
    for root, tip, radius in FINGERS:
        x = root[0] + (tip[0] - root[0]) * (0.4 + 0.6 * spread)
        ends = seen([root, (x, tip[1])], HAND_HEIGHT_MM - 10)
        one, two = (tuple(int(v) for v in np.round(end)) for end in ends)
        cv2.line(skin, one, two, 255, max(1, round(2 * radius * scale)), cv2.LINE_AA)


def cast_shadow(image: NDArray[np.uint8], mask: NDArray[np.uint8], scale: float) -> None:
    """Darkens what lies under the arm, a little aside."""
    small = cv2.resize(mask, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)
    soft = cv2.GaussianBlur(small, (0, 0), 3.5 * scale)
    shift = np.array([[1, 0, 5 * scale], [0, 1, 4 * scale]], np.float32)
    soft = cv2.warpAffine(soft, shift, (small.shape[1], small.shape[0]))
    dark = 255 - cv2.resize(soft, (mask.shape[1], mask.shape[0])) // 3
    cv2.multiply(image, cv2.merge([dark, dark, dark]), image, 1 / 255)


def fill(image: NDArray[np.uint8], mask: NDArray[np.uint8], colour: Colour, scale: float) -> None:
    """Paints a rounded body into the mask: bright on top, dark where it curves down."""
    box = cv2.boundingRect(mask)
    x, y, width, height = box
    if width == 0 or height == 0:
        return
    part = mask[y : y + height, x : x + width]
    depth = cv2.distanceTransform((part > 127).astype(np.uint8), cv2.DIST_L2, 3)
    round_px = 16 * scale
    shade = 0.62 + 0.42 * np.sqrt(np.clip(depth / round_px, 0, 1))
    shade = cv2.GaussianBlur(shade.astype(np.float32), (0, 0), 1.5 * scale)
    cover = (part.astype(np.float32) / 255)[..., None]
    body = np.array(colour, np.float32) * shade[..., None]
    under = image[y : y + height, x : x + width]
    under[:] = np.clip(under * (1 - cover) + body * cover, 0, 255).astype(np.uint8)
