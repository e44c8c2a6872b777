"""What lens, sensor and compression do to a picture."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.render.look import SensorLook

Picture = NDArray[np.uint8]

STRIPE_PX = 120
STRIPE_EDGE_PX = 8  # what blur and smear reach beyond a stripe
GRAIN_MARGIN = 64


class Sensor:
    """One camera's glass and sensor."""

    def __init__(self, look: SensorLook, width_px: int, *, glare: float = 0.0) -> None:
        self._look, self._glare = look, glare
        self._grain = noise_bank(look.noise, width_px)
        self._curve = tone_curve(look.gamma)

    def expose(self, image: Picture, rng: np.random.Generator) -> Picture:
        """Glare, blur, noise, tone and compression."""
        sensor = self._look
        if self._glare > 0:
            image = dazzled(image, self._glare, rng)
        smear = float(rng.uniform(0, np.pi))
        exposed = np.empty_like(image)
        # Stripe by stripe: a tenth of the memory, and it stays in the processor's cache.
        for top in range(0, image.shape[0], STRIPE_PX):
            above = min(top, STRIPE_EDGE_PX)
            part = self._sensed(image[top - above : top + STRIPE_PX + STRIPE_EDGE_PX], smear, rng)
            rows = min(STRIPE_PX, image.shape[0] - top)
            exposed[top : top + rows] = part[above : above + rows]
        if sensor.jpeg_quality:
            quality = [cv2.IMWRITE_JPEG_QUALITY, sensor.jpeg_quality]
            _, packed = cv2.imencode(".jpg", exposed, quality)
            exposed = np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)
        return exposed

    def _sensed(self, part: Picture, smear: float, rng: np.random.Generator) -> Picture:
        """A stripe of the picture as the sensor gives it."""
        sensor = self._look
        if sensor.blur_px > 0.2:
            part = np.asarray(cv2.GaussianBlur(part, (0, 0), sensor.blur_px), np.uint8)
        if sensor.motion_px > 0.5:
            part = smeared(part, sensor.motion_px, smear)
        if sensor.sharpen > 0:
            soft = cv2.GaussianBlur(part, (3, 3), 0)
            share = sensor.sharpen
            part = np.asarray(cv2.addWeighted(part, 1 + share, soft, -share, 0), np.uint8)
        if sensor.noise > 0:
            x, y = rng.integers(0, GRAIN_MARGIN, 2)
            grain = self._grain[y : y + part.shape[0], x : x + part.shape[1]]
            part = np.asarray(cv2.add(part, grain, dtype=cv2.CV_8U), np.uint8)
        if sensor.gamma != 1:
            part = np.asarray(cv2.LUT(part, self._curve), np.uint8)
        return part


MIRRORS = np.clip(0.3 + (np.arange(256) - 60) / 160, 0.3, 1.0).astype(np.float32)


def dazzled(image: Picture, strength: float, rng: np.random.Generator) -> Picture:
    """A lamp mirrored somewhere on the table."""
    height, width = image.shape[:2]
    glow = np.zeros((height // 8, width // 8), np.float32)
    for _ in range(int(rng.integers(1, 4))):
        x, y = rng.uniform((0.2, 0.1), (0.8, 0.9)) * np.array(glow.shape[::-1])
        axes = rng.uniform(3, 16, 2).astype(int).tolist()
        cv2.ellipse(glow, (int(x), int(y)), axes, float(rng.uniform(0, 180)), 0, 360, 1.0, -1)
    glow = np.asarray(cv2.GaussianBlur(glow, (0, 0), 4), np.float32) * (230 * strength)
    wide = cv2.resize(glow, (width, height))
    # Cloth is dull: what mirrors the lamp is tiles, which are bright in all three colours.
    blue, green, red = cv2.split(image)
    dull = cv2.LUT(cv2.min(cv2.min(blue, green), red), MIRRORS)
    wide = cv2.multiply(wide, dull, dtype=cv2.CV_8U)
    return np.asarray(cv2.add(image, cv2.merge([wide, wide, wide])), np.uint8)


def noise_bank(sigma: float, width: int) -> NDArray[np.int8]:
    """Sensor noise for a stripe with a margin, so that every stripe cuts its own part."""
    if sigma <= 0:
        return np.zeros((0, 0, 3), np.int8)
    rng = np.random.default_rng(11)
    shape = (STRIPE_PX + 2 * STRIPE_EDGE_PX + GRAIN_MARGIN, width + GRAIN_MARGIN, 3)
    noise = rng.standard_normal(shape, np.float32) * sigma
    return np.asarray(np.round(np.clip(noise, -120, 120)), np.int8)


def tone_curve(gamma: float) -> Picture:
    """The sensor's tone curve as a table."""
    return np.asarray(np.clip((np.arange(256) / 255) ** gamma * 255, 0, 255), np.uint8)


def smeared(image: Picture, length_px: float, angle: float) -> Picture:
    """The picture moved during exposure."""
    side = 2 * int(np.ceil(length_px)) + 3
    kernel = np.zeros((side, side), np.float32)
    half = side / 2 - 0.5
    reach = np.array([np.cos(angle), np.sin(angle)]) * length_px / 2
    one, two = np.round((half - reach) * 16).astype(int), np.round((half + reach) * 16).astype(int)
    cv2.line(kernel, one.tolist(), two.tolist(), 1.0, 1, cv2.LINE_AA, 4)
    return np.asarray(cv2.filter2D(image, -1, kernel / kernel.sum()), np.uint8)
