"""Measures the committed models on pictures they were never trained on, as the table runs them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from vision.classify import (
    LABELS,
    Classifier,
    Image,
    crop_quads,
)
from vision.read import Reader
from vision.training.crops import BOX, Sample
from vision.training.scenes import Known, Picture
from vision.types import Detection, Facing

SURE = 0.8


@dataclass
class Tally:
    """Right and wrong answers with their confidence."""

    columns: ClassVar[tuple[str, ...]] = (
        "answers",
        "right",
        "sure",
        "surely wrong",
        "calibration error",
    )
    right: list[float] = field(default_factory=list)
    wrong: list[float] = field(default_factory=list)
    confusions: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, truth: str, said: str, confidence: float) -> None:
        """Count one answer."""
        if truth == said:
            self.right.append(confidence)
        else:
            self.wrong.append(confidence)
            self.confusions[truth, said] += 1

    @property
    def count(self) -> int:
        """All answers."""
        return len(self.right) + len(self.wrong)

    @property
    def accuracy(self) -> float:
        """Share of right answers."""
        return len(self.right) / max(1, self.count)

    @property
    def surely_wrong(self) -> float:
        """Share of all answers that were wrong and said with confidence."""
        return sum(value >= SURE for value in self.wrong) / max(1, self.count)

    @property
    def sure(self) -> float:
        """Share of all answers said with confidence."""
        return sum(value >= SURE for value in (*self.right, *self.wrong)) / max(1, self.count)

    def calibration_error(self, bins: int = 10) -> float:
        """How far confidence and truth are apart, averaged over ten bins by their size."""
        values = np.array([*self.right, *self.wrong])
        hits = np.array([1.0] * len(self.right) + [0.0] * len(self.wrong))
        slots = np.minimum((values * bins).astype(int), bins - 1)
        parts = [
            abs(hits[slots == slot].mean() - values[slots == slot].mean()) * (slots == slot).mean()
            for slot in set(slots.tolist())
        ]
        return float(sum(parts))

    def line(self) -> str:
        """The figures in one row of a Markdown table, in the order of `columns`."""
        return (
            f"{self.count} | {self.accuracy:.2%} | {self.sure:.1%} | {self.surely_wrong:.2%}"
            f" | {self.calibration_error():.3f}"
        )


def sample_crops(samples: Sequence[Sample]) -> Image:
    """The crops that the table would cut out of these canvases."""
    return np.concatenate([crop_quads(sample.canvas, BOX[None]) for sample in samples])


def upside_down(crops: Image) -> Image:
    """The same crops turned by half a turn."""
    return np.ascontiguousarray(crops[:, ::-1, ::-1])


def read_tiles(classifier: Classifier, samples: Sequence[Sample]) -> dict[str, Tally]:
    """Accuracy by style, given the boxes, over upright and upside-down crops."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    crops = sample_crops(samples)
    for turned in (crops, upside_down(crops)):
        chances = classifier.read(turned).probabilities
        for sample, chance in zip(samples, chances, strict=True):
            best = int(chance.argmax())
            tallies[f"{sample.source} {sample.style}"].add(
                sample.label, LABELS[best], float(chance[best])
            )
    return dict(tallies)


def read_boxes(reader: Reader, pictures: Iterable[Picture]) -> dict[str, Tally]:
    """Accuracy by style of photos, given the straight boxes round their tiles."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    for picture in pictures:
        boxes = [straight_box(tile) for tile in picture.tiles]
        for tile, said in zip(picture.tiles, reader.read_boxes(picture.image, boxes), strict=True):
            tallies[f"{picture.source} {picture.style}"].add(
                tile.label, said.label, said.confidence
            )
    return dict(tallies)


def straight_box(tile: Known) -> tuple[float, float, float, float]:
    """The box round a tile, in pixels of the picture."""
    low, high = tile.quad.min(axis=0) + 0.5, tile.quad.max(axis=0) + 0.5
    return float(low[0]), float(low[1]), float(high[0] - low[0]), float(high[1] - low[1])


@dataclass
class SceneTally:
    """What was found of what lies there, and how it was read."""

    columns: ClassVar[tuple[str, ...]] = (
        "pictures", "tiles", "found", "precision", "faces right", "found and right",
        "surely wrong", "calibration error", "pictures all right",
    )  # fmt: skip
    tiles: int = 0
    found: int = 0
    false: int = 0
    said: int = 0  # detections in pictures of which every tile is known
    faces: Tally = field(default_factory=Tally)
    exact: int = 0
    pictures: int = 0

    def line(self) -> str:
        """The figures in one row of a Markdown table, in the order of `columns`."""
        recall = self.found / max(1, self.tiles)
        precision = f"{1 - self.false / self.said:.2%}" if self.said else "-"
        right = len(self.faces.right) / max(1, self.tiles)
        wrong = sum(value >= SURE for value in self.faces.wrong) / max(1, self.tiles)
        faces = f"{self.faces.accuracy:.2%} | {right:.2%} | {wrong:.2%}"
        honest = f"{self.faces.calibration_error():.3f} | {self.exact}"
        return f"{self.pictures} | {self.tiles} | {recall:.2%} | {precision} | {faces} | {honest}"


def match(
    detections: Sequence[Detection], tiles: Sequence[Known]
) -> tuple[list[int | None], set[int]]:
    """For each known tile the detection whose centre lies in it, and the detections left over."""
    centres = np.array([np.mean(tile.quad_px, axis=0) for tile in detections]).reshape(-1, 2)
    taken: set[int] = set()
    matches: list[int | None] = []
    for tile in tiles:
        middle = tile.quad.mean(axis=0)
        side = min(np.ptp(tile.quad[:, 0]), np.ptp(tile.quad[:, 1]))
        away = np.hypot(*(centres - middle).T) if len(centres) else np.zeros(0)
        away[list(taken)] = np.inf
        if len(away) and away.min() < 0.42 * side:
            matches.append(int(away.argmin()))
            taken.add(int(away.argmin()))
        else:
            matches.append(None)
    return matches, set(range(len(detections))) - taken


def read_scenes(reader: Reader, pictures: Iterable[Picture]) -> dict[str, SceneTally]:
    """Find and read whole pictures, by style."""
    tallies: dict[str, SceneTally] = defaultdict(SceneTally)
    for picture in pictures:
        tally = tallies[f"{picture.source} {picture.style}"]
        count_scene(tally, reader.detect(picture.image), picture)
    return dict(tallies)


def count_scene(tally: SceneTally, detections: Sequence[Detection], picture: Picture) -> None:
    """Add one picture to a tally. Tiles that hardly show need not be found, but may be."""
    plain = [
        tile for tile in picture.tiles if tile.facing is not Facing.STANDING and tile.visible >= 0.8
    ]
    partly = [
        tile for tile in picture.tiles if tile.visible < 0.8 or tile.facing is Facing.STANDING
    ]
    matches, left = match(detections, plain)
    if partly:
        rest = sorted(left)
        _, spare = match([detections[row] for row in rest], partly)
        left = {rest[row] for row in spare}
    tally.pictures += 1
    tally.tiles += len(plain)
    all_right = True
    for tile, row in zip(plain, matches, strict=True):
        if row is None:
            all_right = False
            continue
        tally.found += 1
        tally.faces.add(tile.label, detections[row].label, detections[row].confidence)
        all_right &= detections[row].label == tile.label
    if picture.is_complete:
        # In photos only face-up tiles are boxed: a back found there is no mistake.
        wrong = [
            row for row in left if picture.source == "rendered" or detections[row].label != "bk"
        ]
        tally.false += len(wrong)
        tally.said += len(wrong) + tally_found(matches)
        all_right &= not wrong
    tally.exact += all_right


def tally_found(matches: Sequence[int | None]) -> int:
    """How many known tiles were found."""
    return sum(row is not None for row in matches)


def confusion_lines(tallies: Iterable[Tally], count: int = 20) -> list[str]:
    """The commonest confusions, one a line."""
    confusions: Counter[tuple[str, str]] = Counter()
    for tally in tallies:
        confusions.update(tally.confusions)
    return [
        f"{truth} read as {said}: {times}" for (truth, said), times in confusions.most_common(count)
    ]
