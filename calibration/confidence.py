"""How the reader's probabilities are to be taken, learned from confirmed readings.

    result = calibrate_confidence(confirmed)
    result.part.temperature, result.part.sure_at

Every reading that a person confirmed or corrected, and every tile whose identity the game proved,
is one `Confirmed` (`calibration.readings`). The temperature makes the stated probabilities true on
average; the threshold is the lowest confidence above which readings were as good as never wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.paint import canvas, label
from calibration.profile import ConfidencePart
from calibration.quality import CalibrationError, Quality
from calibration.readings import ENOUGH, LEAST, Confirmed
from vision.classify import LABELS
from vision.types import Guess

Picture = NDArray[np.uint8]
Numbers = NDArray[np.float64]

TEMPERATURES = np.exp(np.linspace(np.log(0.3), np.log(4.0), 120))
# How far from one a table's temperature is expected before anything is known of it, as a factor.
# Assumed, not measured: without it readings that are all right would make the reader boundlessly
# sure. 2026-11-30: of 200 right readings at 0.995 it makes 0.83 instead of 0.38; where there are
# errors, 3000 readings outweigh it (1.67 and 1.79 instead of 1.67 and 1.83 of a reader with 1.8).
USUAL_FACTOR = 1.35
UNNAMED = 1e-6  # what is left at least for labels that a reading does not name
BINS = 10


@dataclass(frozen=True, slots=True)
class ConfidenceLimits:
    """What trustworthy probabilities keep."""

    readings: int = ENOUGH
    calibration_error: float = 0.02
    silent_errors: float = 0.001  # share of readings above the threshold that may be wrong
    unsure: float = 0.05  # share of right readings that the threshold sends to a person


@dataclass(frozen=True, slots=True, eq=False)
class ConfidenceResult:
    """Temperature and threshold, how good they are, and the reliability diagram."""

    part: ConfidencePart
    qualities: tuple[Quality, ...]
    picture: Picture


def calibrate_confidence(
    confirmed: Sequence[Confirmed], limits: ConfidenceLimits | None = None, *, at: str = ""
) -> ConfidenceResult:
    """Fits temperature and threshold to what people confirmed."""
    limits = limits or ConfidenceLimits()
    if len(confirmed) < LEAST:
        raise CalibrationError(
            f"{len(confirmed)} confirmed readings are too few to learn from; {LEAST} is the least,"
            f" {limits.readings} are good"
        )
    if unknown := {name for one in confirmed for name in (one.label, one.truth)} - set(LABELS):
        raise CalibrationError(
            f"{min(unknown)!r} is no label of a tile: label and truth are written as 1m, 0p, 7z"
        )
    right = np.array([one.label == one.truth for one in confirmed])
    chances, truth = named_chances(confirmed)
    temperature = best_temperature(chances, truth)
    before = np.array([one.confidence for one in confirmed])
    after = softened(chances, temperature)[:, 0]
    sure_at = threshold(after, right, limits.silent_errors)
    sure = after >= sure_at
    qualities = (
        Quality("confirmed readings", len(confirmed), limits.readings, at_least=True),
        Quality("calibration error", calibration_error(after, right), limits.calibration_error),
        Quality("wrong above the threshold", wrong_share(right[sure]), limits.silent_errors),
        Quality("right but sent to a person", float((~sure & right).mean()), limits.unsure),
    )
    part = ConfidencePart(
        at=at,
        qualities=qualities,
        temperature=round(temperature, 4),
        sure_at=sure_at,
        readings=len(confirmed),
    )
    return ConfidenceResult(part, qualities, portrait(before, after, right, part))


def named_chances(confirmed: Sequence[Confirmed]) -> tuple[Numbers, NDArray[np.int_]]:
    """A row of probabilities for each reading, first the label that was read, last all labels that
    it does not name, and the column of the truth.

    They are what the reader would have said at temperature one.
    """
    most = 1 + max(len(one.others) for one in confirmed)
    chances = np.zeros((len(confirmed), most + 1))
    truth = np.full(len(confirmed), most)
    for row, one in enumerate(confirmed):
        guesses = (Guess(one.label, one.confidence), *one.others)
        for column, guess in enumerate(guesses):
            chances[row, column] = max(guess.confidence, 1e-9)
            if guess.label == one.truth:
                truth[row] = column
        chances[row, most] = max(UNNAMED, 1 - chances[row, :most].sum())
    said_at = np.array([[one.temperature] for one in confirmed])
    return softened(chances, 1 / said_at), truth


def softened(chances: Numbers, temperature: float | Numbers) -> Numbers:
    """The same rows at this temperature."""
    raised = chances ** (1 / temperature)
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


def best_temperature(chances: Numbers, truth: NDArray[np.int_]) -> float:
    """The temperature at which what was true was most probable; near one where little is known."""
    rows = np.arange(len(truth))
    # A truth that was not named shares its probability with some thirty other labels.
    share = np.where(truth == chances.shape[1] - 1, 1 / 30, 1.0)

    def loss(temperature: float) -> float:
        unusual = np.log(temperature) / np.log(USUAL_FACTOR)
        likely = np.log(softened(chances, temperature)[rows, truth] * share).sum()
        return float(unusual**2 / 2 - likely)

    return float(min(TEMPERATURES, key=loss))


def threshold(confidence: Numbers, right: NDArray[np.bool_], silent_errors: float) -> float:
    """The lowest confidence above which the share of wrong readings keeps the limit."""
    order = np.argsort(-confidence)
    share = np.cumsum(~right[order]) / np.arange(1, len(order) + 1)
    is_last = np.append(np.diff(confidence[order]) < 0, True)  # the equally sure count together
    fine = np.flatnonzero((share <= silent_errors) & is_last)
    if len(fine) == 0:
        return 1.0
    return max(0.5, float(confidence[order[fine[-1]]]))


def wrong_share(right: NDArray[np.bool_]) -> float:
    """How many of these are wrong, as a share; none of none."""
    return float((~right).mean()) if len(right) else 0.0


def calibration_error(confidence: Numbers, right: NDArray[np.bool_]) -> float:
    """How far stated probability and share of right readings lie apart, on average."""
    bins = np.minimum((confidence * BINS).astype(int), BINS - 1)
    return float(
        sum(
            abs(right[bins == place].mean() - confidence[bins == place].mean())
            * (bins == place).mean()
            for place in range(BINS)
            if (bins == place).any()
        )
    )


def portrait(
    before: Numbers, after: Numbers, right: NDArray[np.bool_], part: ConfidencePart
) -> Picture:
    """Stated against true probability, before (grey) and after (green), and the threshold."""
    image = canvas((900, 760))
    left, bottom, side = 120, 700, 520
    cv2.rectangle(image, (left, bottom - side), (left + side, bottom), (110, 110, 110), 1)
    cv2.line(image, (left, bottom), (left + side, bottom - side), (110, 110, 110), 1, cv2.LINE_AA)
    for values, colour in ((before, (150, 150, 150)), (after, (90, 220, 90))):
        bins = np.minimum((values * BINS).astype(int), BINS - 1)
        for place in range(BINS):
            inside = bins == place
            if inside.any():
                x = left + round(side * float(values[inside].mean()))
                y = bottom - round(side * float(right[inside].mean()))
                radius = 3 + round(12 * float(np.sqrt(inside.mean())))
                cv2.circle(image, (x, y), radius, colour, 2, cv2.LINE_AA)
    x = left + round(side * part.sure_at)
    cv2.line(image, (x, bottom), (x, bottom - side), (60, 200, 240), 2)
    cv2.putText(image, "stated", (left + side + 8, bottom), 0, 0.6, (200, 200, 200), 1)
    cv2.putText(image, "true", (left - 60, bottom - side + 10), 0, 0.6, (200, 200, 200), 1)
    named = f"temperature {part.temperature:.2f}, sure from {part.sure_at:.3f}"
    return label(image, [*map(str, part.qualities), named])
