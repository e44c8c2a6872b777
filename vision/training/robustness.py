"""How far light, blur, noise and the rest may go before faces are misread.

Each curve changes one thing about tiles never trained on and says from which level on fewer than
99 % and 95 % of those read right unchanged are still read right.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.classify import CROP_H, CROP_W, LABELS, Array, Classifier, Image, crop_quads
from vision.training.crops import BOX, Sample
from vision.training.evaluate import sample_crops

Change = Callable[[Image, float, np.random.Generator], Image]


@dataclass(frozen=True)
class Curve:
    """One way of making pictures worse, from harmless to hopeless."""

    name: str
    unit: str
    levels: tuple[float, ...]
    change: Change


def dimmed(crop: Image, level: float, _: np.random.Generator) -> Image:
    """Less or more light; what is too bright is cut off."""
    return np.clip(crop.astype(np.float32) * level, 0, 255).astype(np.uint8)


def tinted(crop: Image, level: float, rng: np.random.Generator) -> Image:
    """Light of a random color: channels stronger and weaker by this share."""
    gain = 1 + level * rng.permutation([-1.0, 0.0, 1.0])
    return np.clip(crop * gain, 0, 255).astype(np.uint8)


def blurred(crop: Image, level: float, _: np.random.Generator) -> Image:
    """Out of focus."""
    return np.asarray(cv2.GaussianBlur(crop, (0, 0), level) if level else crop, np.uint8)


def smeared(crop: Image, level: float, rng: np.random.Generator) -> Image:
    """Moved while the shutter was open."""
    size = max(1, round(level))
    line = np.zeros((size, size), np.float32)
    line[size // 2] = 1 / size
    turn = cv2.getRotationMatrix2D((size / 2 - 0.5, size / 2 - 0.5), rng.uniform(0, 180), 1)
    kernel = cv2.warpAffine(line, turn, (size, size))
    kernel /= max(float(kernel.sum()), 1e-6)
    return np.asarray(cv2.filter2D(crop, -1, kernel, borderType=cv2.BORDER_REPLICATE), np.uint8)


def far(crop: Image, level: float, _: np.random.Generator) -> Image:
    """So many pixels across the tile."""
    size = (round(level), round(level * CROP_H / CROP_W))
    small = cv2.resize(crop, size, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.resize(small, (CROP_W, CROP_H), interpolation=cv2.INTER_LINEAR), np.uint8)


def noisy(crop: Image, level: float, rng: np.random.Generator) -> Image:
    """Grain of a sensor in the dark."""
    return np.clip(crop + rng.normal(0, level, crop.shape), 0, 255).astype(np.uint8)


def glaring(crop: Image, level: float, rng: np.random.Generator) -> Image:
    """A lamp mirrored on the face."""
    ys, xs = np.mgrid[0:CROP_H, 0:CROP_W].astype(np.float32)
    x, y = rng.uniform(0.2, 0.8) * CROP_W, rng.uniform(0.2, 0.8) * CROP_H
    spot = np.exp(-((xs - x) ** 2 + (ys - y) ** 2) / (2 * 13.0**2))[..., None] * 255 * level
    return np.clip(crop + spot, 0, 255).astype(np.uint8)


def covered(crop: Image, level: float, rng: np.random.Generator) -> Image:
    """A sleeve over this share of the tile, from a random side."""
    result = crop.copy()
    tint = rng.integers(20, 220, 3)
    match rng.integers(4):
        case 0:
            result[: round(CROP_H * level)] = tint
        case 1:
            result[CROP_H - round(CROP_H * level) :] = tint
        case 2:
            result[:, : round(CROP_W * level)] = tint
        case _:
            result[:, CROP_W - round(CROP_W * level) :] = tint
    return result


CURVES = (
    Curve("less light", "times", (1.0, 0.7, 0.5, 0.35, 0.25, 0.18, 0.12, 0.08), dimmed),
    Curve("more light", "times", (1.0, 1.15, 1.3, 1.5, 1.75, 2.0, 2.5), dimmed),
    Curve("colored light", "share", (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6), tinted),
    Curve("out of focus", "px of 48", (0.0, 0.7, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0), blurred),
    Curve("motion", "px of 48", (1, 3, 5, 7, 9, 12, 15), smeared),
    Curve("pixels across the tile", "px", (48, 32, 26, 22, 18, 15, 12, 10, 8), far),
    Curve("noise", "levels", (0, 8, 16, 24, 32, 48, 64), noisy),
    Curve("glare", "strength", (0.0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.5), glaring),
    Curve("covered", "share", (0.0, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5), covered),
)
LEANS = (0, 3, 6, 9, 12, 16, 20, 25)
SHIFTS = (0.0, 0.04, 0.08, 0.12, 0.16, 0.2)


def accuracy(classifier: Classifier, crops: Image, labels: Sequence[str]) -> float:
    """Share read right."""
    best = classifier.read(crops).probabilities.argmax(axis=1)
    return float(np.mean([LABELS[said] == label for said, label in zip(best, labels, strict=True)]))


def measure(
    classifier: Classifier, samples: Sequence[Sample]
) -> dict[str, list[tuple[float, float]]]:
    """For each curve its levels and the share of tiles, of those read right plain, still right."""
    plain = sample_crops(samples)
    best = classifier.read(plain).probabilities.argmax(axis=1)
    good = [row for row, sample in enumerate(samples) if LABELS[best[row]] == sample.label]
    samples, plain = [samples[row] for row in good], plain[good]
    labels = [sample.label for sample in samples]
    results: dict[str, list[tuple[float, float]]] = {}
    for curve in CURVES:
        rng = np.random.default_rng(5)
        results[f"{curve.name} ({curve.unit})"] = [
            (
                level,
                accuracy(
                    classifier, np.stack([curve.change(crop, level, rng) for crop in plain]), labels
                ),
            )
            for level in curve.levels
        ]
    results["outline turned (degrees)"] = [
        (lean, accuracy(classifier, recut(samples, lean=lean), labels)) for lean in LEANS
    ]
    results["outline shifted (share of width)"] = [
        (shift, accuracy(classifier, recut(samples, shift=shift), labels)) for shift in SHIFTS
    ]
    return results


def recut(samples: Sequence[Sample], *, lean: float = 0.0, shift: float = 0.0) -> Image:
    """The crops as a locator would cut them that is off by an angle or to a side."""
    middle = BOX.mean(axis=0)
    angle = np.radians(lean)
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]], np.float32)
    width = float(BOX[1, 0] - BOX[0, 0])
    quad: Array = ((BOX - middle) @ turn + middle + np.array([shift * width, 0])).astype(np.float32)
    return np.concatenate([crop_quads(sample.canvas, quad[None]) for sample in samples])


def lines(results: dict[str, list[tuple[float, float]]]) -> list[str]:
    """The curves as rows of a Markdown table."""
    rows = []
    for name, points in results.items():
        limits = []
        for floor in (0.99, 0.95):
            below = [level for level, share in points if share < floor]
            limits.append(f"{below[0]:g}" if below else "-")
        curve = ", ".join(f"{level:g}: {share:.1%}" for level, share in points)
        rows.append(f"| {name} | {limits[0]} | {limits[1]} | {curve} |")
    return rows
