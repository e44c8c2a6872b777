"""Detectors that need no model: they find the bright orange backs of a plain rendered table."""

from __future__ import annotations

import os
import time

import cv2
import numpy as np

from vision.frames import Picture
from vision.render import Look
from vision.render.look import ClothLook, ClutterLook, HandsLook, LightLook, SensorLook
from vision.types import Detection, Guess
from vision.worker import EyesSettings

# No jitter, even light: what is placed is exactly what the picture shows.
PLAIN = Look(
    cloth=ClothLook(pattern="plain", contrast=0),
    light=LightLook(unevenness=0, vignette=0, gloss=0, shadow=0),
    sensor=SensorLook(noise=1, blur_px=0.4, sharpen=0),
    clutter=ClutterLook(sticks=0),
    hands=HandsLook(jitter_mm=0, jitter_deg=0),
)


class BackReader:
    """Finds single backs by their colour."""

    def __init__(self) -> None:
        self.calls = 0
        self.pixels = 0  # of all pictures that were looked at

    def detect(self, image: Picture) -> list[Detection]:
        self.calls += 1
        self.pixels += image.shape[0] * image.shape[1]
        blue, _, red = cv2.split(image)
        mask = ((cv2.subtract(red, blue) > 120) & (red > 160)).astype(np.uint8)
        count, parts, stats, _ = cv2.connectedComponentsWithStats(mask)
        found = []
        for part in range(1, count):
            if stats[part, cv2.CC_STAT_AREA] < 400:
                continue
            points = np.argwhere(parts == part)[:, ::-1].astype(np.float32)
            corners = cv2.boxPoints(cv2.minAreaRect(points))
            found.append(back(corners))
        return found


def back(corners: np.ndarray, label: str = "bk", confidence: float = 0.9) -> Detection:
    """A detection with these corners, its short side first."""
    if np.hypot(*(corners[1] - corners[0])) > np.hypot(*(corners[2] - corners[1])):
        corners = np.roll(corners, 1, axis=0)
    if corners[0][1] + corners[1][1] > corners[2][1] + corners[3][1]:
        corners = np.roll(corners, 2, axis=0)
    low, high = corners.min(axis=0), corners.max(axis=0)
    return Detection(
        label=label,
        confidence=confidence,
        box_px=(*map(float, low), *map(float, high - low)),
        quad_px=tuple((float(x), float(y)) for x, y in corners),
        angle_deg=0.0,
        others=(Guess("6p", 0.05),),
    )


def back_reader(settings: EyesSettings) -> BackReader:
    """For EyesSettings.detector."""
    return BackReader()


class SickReader(BackReader):
    """Fails in some way at its second picture, as long as a file says so; each life leaves one."""

    def __init__(self, settings: EyesSettings) -> None:
        super().__init__()
        self.lives = settings.models
        assert self.lives is not None
        (self.lives / f"life{len(list(self.lives.glob('life*')))}").touch()

    def detect(self, image: Picture) -> list[Detection]:
        assert self.lives is not None
        if self.calls == 1 and (self.lives / "hang").exists():
            (self.lives / "hang").unlink()
            time.sleep(3600)  # killed by the test's subject
        if (self.lives / "die").exists():
            os._exit(3)
        return super().detect(image)


def sick_reader(settings: EyesSettings) -> SickReader:
    """For EyesSettings.detector."""
    return SickReader(settings)


def no_reader(settings: EyesSettings) -> BackReader:
    """A detector that cannot be made."""
    raise FileNotFoundError("no model at nowhere.onnx")
