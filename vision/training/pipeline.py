"""From pictures to models: what is trained on what, in which order.

The locator learns from rendered pictures and the boxed photos, then outlines the turned tiles of
the photos itself, and goes on with those outlines. The classifier learns from invented and rendered
tiles alone, then says which way up the real ones lie, and goes on with those and with more invented
styles; last it learns what the finished locator takes for tiles and is none. Labels are never taken
from a net, only outlines and turns.

The two run side by side but for that last training, each in a process of its own with one thread:
on two cores this is the fastest way, and with one thread each the same seed gives the same nets.
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import chain
from multiprocessing import get_context
from pathlib import Path

import cv2
import numpy as np
import torch

from vision.classify import SYMMETRIC
from vision.locate import Located, Locator
from vision.render import ART_SETS
from vision.training import classifier, crops, locator, looks, scenes
from vision.training.crops import Sample
from vision.training.scenes import Known, Picture
from vision.types import Facing

SOURCES = {"invented": 1.0, "rendered": 0.6, "camerash": 0.5, "scenes": 0.7, "findings": 2.0}


@dataclass(frozen=True)
class Plan:
    """How much of everything for each of three trainings, and what is left out."""

    styles: tuple[int, int, int]  # invented, for each of the classifier's trainings
    pictures: int  # rendered, for each training
    locator_steps: tuple[int, int, int]
    classifier_steps: tuple[int, int, int]
    seed: int = 11
    without: tuple[str, ...] = ()  # real styles and artworks left out of training entirely
    how: looks.Strength = field(default_factory=looks.Strength)

    @property
    def arts(self) -> tuple[str, ...]:
        """The artworks trained on."""
        return tuple(art for art in ART_SETS if art not in self.without)


FULL = Plan(
    styles=(160, 300, 320),
    pictures=220,
    locator_steps=(800, 1000, 4000),
    classifier_steps=(1500, 2800, 2000),
)
QUICK = Plan(styles=(2, 2, 2), pictures=4, locator_steps=(6, 4, 4), classifier_steps=(8, 4, 4))


def run(plan: Plan, out: Path, work: Path | None = None) -> None:
    """Train both models and write them to a folder; a kept `work` folder lets a later run go on
    where an earlier one was stopped."""
    if work is None:
        with tempfile.TemporaryDirectory() as folder:
            run(plan, out, Path(folder))
        return
    work.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn"), initializer=alone) as pool:
        for job in [pool.submit(task, plan, work) for task in (make_locator, teach_classifier)]:
            job.result()
        pool.submit(finish_classifier, plan, work).result()
    out.mkdir(parents=True, exist_ok=True)
    for name in ("locator.onnx", "classifier.onnx"):
        (out / name).write_bytes((work / name).read_bytes())


def alone() -> None:
    """One thread for everything: two trainings share the machine."""
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    torch.use_deterministic_algorithms(True, warn_only=True)
    warnings.filterwarnings("ignore", message=".*deterministic.*")


def make_locator(plan: Plan, work: Path) -> None:
    """The locator's whole training."""
    for part in range(3):
        train_locator(plan, work, part)
    (work / "locator.onnx").write_bytes((work / "locator-3.onnx").read_bytes())


def teach_classifier(plan: Plan, work: Path) -> None:
    """The classifier's first two trainings."""
    for part in range(2):
        train_classifier(plan, work, part)


def finish_classifier(plan: Plan, work: Path) -> None:
    """The classifier's last training, with the errors of the finished locator, and its export."""
    train_classifier(plan, work, 2)
    net = loaded(work / "classifier-3.pt")
    classifier.export(net, work / "classifier.onnx", divisor=honest_divisor(net, plan))


# --- the locator ------------------------------------------------------------------------------


def training_photos(plan: Plan) -> list[Picture]:
    """The real photos, without those kept for tests and the styles left out."""
    return [
        photo for photo in scenes.photos() if not photo.is_test and photo.style not in plan.without
    ]


def picture_weights(pictures: Sequence[Picture]) -> list[float]:
    """How often each picture is looked at: photos that name only some of their tiles say less."""
    return [
        1.0 if picture.source == "rendered" else 0.5 if picture.is_complete else 0.2
        for picture in pictures
    ]


LOCATOR_RATES = (2.5e-3, 2.0e-3, 2.0e-3)


def train_locator(plan: Plan, work: Path, part: int) -> None:
    """One of three trainings, each with other rendered pictures: from nothing, onward, and onward
    with the outlines found in the photos."""
    done = work / f"locator-{part + 1}.pt"
    if done.exists():
        return
    start = None
    if part:
        start = locator.LocatorNet()
        start.load_state_dict(torch.load(work / f"locator-{part}.pt"))
    photos = training_photos(plan)
    if part == 2:
        photos = outlined_photos(work, photos)
    pictures = [*scenes.rendered(plan.seed + part, plan.pictures, arts=plan.arts), *photos]
    net = locator.train(
        pictures,
        picture_weights(pictures),
        steps=plan.locator_steps[part],
        seed=plan.seed + part,
        start=start,
        top_rate=LOCATOR_RATES[part],
    )
    locator.export(net, done.with_suffix(".onnx"))
    torch.save(net.state_dict(), done)


# --- the classifier ---------------------------------------------------------------------------


def real_tiles(plan: Plan) -> list[Sample]:
    """Single real tiles and those that lie straight in the photos, without what is kept apart."""
    return [
        tile
        for tile in (*crops.single_tiles(plan.seed), *crops.scene_tiles())
        if not tile.is_test and tile.style not in plan.without
    ]


def rendered_tiles(pictures: Sequence[Picture], seed: int) -> list[Sample]:
    """Tiles of rendered pictures as the camera sees them; few of the many backs."""
    rng = np.random.default_rng([seed, 31])
    return [
        sample
        for picture in pictures
        for sample in scenes.tiles_of(picture)
        if rng.random() < (0.08 if sample.label in ("bk", "no") else 0.6)
    ]


def drawn_tiles(plan: Plan, part: int) -> list[Sample]:
    """The tiles of one training that no camera took: of rendered pictures and of invented sets."""
    pictures = scenes.rendered(plan.seed + 6 + part, plan.pictures, arts=plan.arts)
    samples = rendered_tiles(pictures, plan.seed + part)
    return [*samples, *crops.invented(plan.seed + part, plan.styles[part], arts=plan.arts)]


def with_red_fives(real: list[Sample], seed: int) -> list[Sample]:
    """Real tiles, and their fives painted red."""
    return [*real, *classifier.red_fives(real, seed)]


NO_TILES_MOST = 12  # of one picture, so that one printed cloth does not outweigh the others
NO_TILES_PHOTOS = 3  # one photo of so many: most of them show the same engravings


def no_tiles(plan: Plan, finder: Locator) -> list[Sample]:
    """What the locator takes for tiles and is none, in rendered pictures and in the photos."""
    rng = np.random.default_rng([plan.seed, 41])
    pictures = chain(
        scenes.rendered(plan.seed + 9, plan.pictures, arts=plan.arts),
        *(scenes.from_seats(plan.seed + 9, plan.pictures // 50, art) for art in plan.arts),
        training_photos(plan)[::NO_TILES_PHOTOS],
    )
    samples: list[Sample] = []
    for picture in pictures:
        found = scenes.false_findings(picture, finder)
        samples += [found[place] for place in rng.permutation(len(found))[:NO_TILES_MOST]]
    return samples


CLASSIFIER_RATES = (3e-3, 2.5e-3, 2e-3)


def train_classifier(plan: Plan, work: Path, part: int) -> None:
    """One of three trainings, each with other invented styles: from nothing and without any real
    tile, which leaves a net that every real set can be measured on; onward with the real ones,
    turned as that net sees them; the same again, with what the locator takes for tiles."""
    done = work / f"classifier-{part + 1}.pt"
    if done.exists():
        return
    start = loaded(work / f"classifier-{part}.pt") if part else None
    samples = drawn_tiles(plan, part)
    if start is not None:
        samples += with_red_fives(turned_upright(real_tiles(plan), start), plan.seed)
        if part == 2:
            samples += no_tiles(plan, Locator(work / "locator.onnx", threads=1))
    net = classifier.train(
        classifier.Pool.of(samples, SOURCES),
        steps=plan.classifier_steps[part],
        seed=plan.seed + part,
        start=start,
        top_rate=CLASSIFIER_RATES[part],
        how=plan.how,
    )
    torch.save(net.state_dict(), done)


def loaded(path: Path) -> classifier.FaceNet:
    """A classifier that was trained so far."""
    net = classifier.FaceNet()
    net.load_state_dict(torch.load(path))
    return net.eval()


def honest_divisor(net: classifier.FaceNet, plan: Plan) -> float:
    """The temperature that fits tiles of styles not trained on, seen well and badly."""
    strange = [*crops.invented(plan.seed + 99, 12, arts=plan.arts), *crops.scene_tiles()]
    held = [sample for sample in strange if sample.source == "invented" or sample.is_test]
    gen = torch.Generator().manual_seed(plan.seed)
    picks = torch.randperm(len(held), generator=gen)
    pool = classifier.Pool.of(held, {})
    how = looks.Strength(0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8)
    pictures, _ = classifier.look_at(pool, picks, gen, how)
    return classifier.temperature(classifier.predict(net, pictures)[0], pool.labels[picks])


# --- outlines for the photos ------------------------------------------------------------------


def outlined_photos(work: Path, photos: Sequence[Picture]) -> list[Picture]:
    """The photos with the outlines that the locator so far finds for their boxed tiles."""
    finder = Locator(work / "locator-2.onnx", threads=1)
    return [outlined(photo, finder) for photo in photos]


def outlined(photo: Picture, finder: Locator) -> Picture:
    """The photo with outlines for its tiles, where locator and box agree."""
    found = finder.find(photo.image)
    return replace(photo, tiles=tuple(agreed(tile, found) for tile in photo.tiles))


def agreed(tile: Known, found: Sequence[Located]) -> Known:
    """The tile with the outline of a finding whose straight box is about the boxed one."""
    low, high = tile.quad.min(axis=0), tile.quad.max(axis=0)
    for other in found:
        if other.facing is Facing.STANDING:
            continue
        low_other, high_other = other.quad.min(axis=0), other.quad.max(axis=0)
        shared = np.clip(np.minimum(high, high_other) - np.maximum(low, low_other), 0, None).prod()
        union = (high - low).prod() + (high_other - low_other).prod() - shared
        if shared / union > 0.78:
            return replace(tile, quad=other.quad, has_axes=True)
    return tile


def turned_upright(samples: Sequence[Sample], net: classifier.FaceNet) -> list[Sample]:
    """Samples of unknown turn, turned upright where the net is sure of it."""
    _, turns, _ = classifier.predict(net, classifier.plain_crops(samples))
    result = []
    for sample, chance in zip(samples, torch.softmax(turns, dim=1), strict=True):
        if not sample.is_upright and sample.label not in SYMMETRIC:
            if chance[0] > 0.9:
                sample = replace(sample, is_upright=True)
            elif chance[2] > 0.9:
                canvas = np.ascontiguousarray(sample.canvas[::-1, ::-1])
                sample = replace(sample, canvas=canvas, is_upright=True)
        result.append(sample)
    return result
