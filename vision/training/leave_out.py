"""What the classifier makes of a real tile set that it never saw: every set is left out once.

One net learns from invented and rendered tiles alone. It then goes on shortly with the real styles
but for some, and reads those; then one tile a face of such a style teaches it the set, as a club's
one photo does, and it reads the rest again, and the tiles that taught it as another camera sees
them. Photos of such a style are read by the product with that net too: its reader outlines the
tiles and looks at doubtful ones in several cuts. Several styles are left out together, which is
harder than one at a time and needs fewer nets. Photos of red fives, jokers, animals and faces are
at hand nowhere, so these are not in these tables.

An artwork may be left out too. No photo shows its tiles: the product reads rendered pictures of
them, and whole riichi tables as one player's telephone sees them.
"""

from __future__ import annotations

import shutil
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch

from vision.classify import LABELS, MODELS, Array, softmax
from vision.read import Reader
from vision.render import ART_SETS
from vision.tileset import TileSet
from vision.training import classifier, crops, evaluate, looks, pipeline, scenes
from vision.training.classifier import FaceNet, Pool
from vision.training.crops import Sample
from vision.training.evaluate import SceneTally, Tally, confusion_lines
from vision.training.pipeline import Plan
from vision.training.report import UNSEEN_SEED, header

STEPS, TOP_RATE = 300, 1.5e-3  # of the short training with the other styles
DRAWN_STYLES = 60  # invented sets that go along, so that what was learned is not lost
PHOTOS_EVERY = 6  # of a style's photos, which the reader is given
FEW = 20  # tiles of other photos, under which a learned set cannot be measured
VIEWS = 8  # of each tile that taught the set
AGAIN = looks.Strength(0.5, 1.0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.0)  # how unlike the first they are
SEATS = 12  # tables photographed by a player
FOLDS = (
    ("hk-mixed",),
    ("riichi-black",),
    ("cam-A", "cam-B", "cam-D", "cam-G", "cam-I"),
    ("cam-C", "cam-F", "cam-J", "cam-L", "cam-M"),
)
MIXED = ("hk-mixed",)  # several sets under one name: no photo teaches them all


@dataclass(frozen=True)
class Answers:
    """What a net says about tiles, upright and upside down."""

    chances: tuple[Array, Array]
    embeddings: tuple[Array, Array]


@dataclass(frozen=True)
class Taught:
    """How the same tiles were read before the set was taught, and after."""

    before: Tally
    after: Tally


@dataclass(frozen=True)
class LeftOut:
    """How one style was read."""

    style: str
    drawn_only: Tally  # by the net that saw no real tile
    others_only: Tally  # after the other real styles
    rest: Taught | None  # tiles of other photos than those that taught the set
    again: Taught | None  # the tiles that taught it, seen again
    by_product: tuple[Tally, SceneTally] | None = None  # given the boxes; whole photos

    def line(self) -> str:
        """One row of the table."""
        rest = str(self.rest.after.count) if self.rest is not None else "-"
        cells = [rest]
        for taught in (self.rest, self.again):
            tallies = () if taught is None else (taught.before, taught.after)
            cells += [f"{tally.accuracy:.2%}" for tally in tallies] or ["-", "-"]
        return (
            f"| {self.style} | {self.others_only.count} | {self.drawn_only.accuracy:.2%}"
            f" | {self.others_only.accuracy:.2%} | {self.others_only.sure:.1%}"
            f" | {self.others_only.surely_wrong:.2%} | {' | '.join(cells)} |"
        )


def run(
    plan: Plan, work: Path, folds: Sequence[Sequence[str]], *, steps: int = STEPS
) -> list[LeftOut]:
    """Measure the real styles of each fold; nets lie in `work` and are used again."""
    real = [*crops.single_tiles(plan.seed), *crops.scene_tiles()]
    known = {sample.style for sample in real}
    if unknown := {style for fold in folds for style in fold} - known:
        raise ValueError(f"no real style {', '.join(sorted(unknown))}; there are {sorted(known)}")
    base, drawn = begun(plan, work)
    turned = pipeline.turned_upright(real, base)
    results = []
    for fold in folds:
        net = without(fold, base, turned, drawn, work, seed=plan.seed, steps=steps)
        for style in fold:
            held = [sample for sample in real if sample.style == style]
            result = measured(style, held, base, net)
            if any(sample.source == "scenes" for sample in held):
                result = replace(result, by_product=read_by_product(style, net))
            results.append(result)
            print(results[-1].line(), flush=True)
    return results


def begun(plan: Plan, work: Path) -> tuple[FaceNet, list[Sample]]:
    """The net that saw no real tile, and the drawn tiles with which it goes on."""
    pipeline.alone()
    work.mkdir(parents=True, exist_ok=True)
    pipeline.train_classifier(plan, work, 0)
    drawn = pipeline.drawn_tiles(replace(plan, styles=(0, DRAWN_STYLES, 0)), 1)
    return pipeline.loaded(work / "classifier-1.pt"), drawn


def read_by_product(style: str, net: FaceNet) -> tuple[Tally, SceneTally]:
    """How the reader reads photos of a style with this net, given the boxes and without them. Its
    locator is the product's, which knows no faces."""
    photos = [photo for photo in scenes.photos() if photo.style == style][::PHOTOS_EVERY]
    reader = reader_with(net)
    (boxed,) = evaluate.read_boxes(reader, photos).values()
    (whole,) = evaluate.read_scenes(reader, photos).values()
    return boxed, whole


def reader_with(net: FaceNet) -> Reader:
    """The product's reader and locator with this net for the faces."""
    with tempfile.TemporaryDirectory() as folder:
        models = Path(folder)
        classifier.export(net, models / "classifier.onnx", divisor=1.0)
        shutil.copy(MODELS / "locator.onnx", models)
        return Reader(models)


def without_art(plan: Plan, work: Path, art: str) -> dict[str, SceneTally]:
    """How pictures of an artwork are read that the net saw neither whole nor as a borrowed bird or
    flower; cloths and lights are new too."""
    plan = replace(plan, without=(art,))
    base, drawn = begun(plan, work / art)
    turned = pipeline.turned_upright(pipeline.real_tiles(plan), base)
    net = without([art], base, turned, drawn, work / art, seed=plan.seed, steps=STEPS)
    reader = reader_with(net)
    kinds = {
        "rendered": scenes.rendered(UNSEEN_SEED, 40, arts=(art,)),
        "tables from a seat": scenes.from_seats(UNSEEN_SEED, SEATS, art),
    }
    tallies = {}
    for kind, pictures in kinds.items():
        (tallies[f"{art}, {kind}"],) = evaluate.read_scenes(reader, pictures).values()
    return tallies


def without(
    styles: Sequence[str],
    base: FaceNet,
    real: Sequence[Sample],
    drawn: Sequence[Sample],
    work: Path,
    *,
    seed: int,
    steps: int,
) -> FaceNet:
    """The net after the training photos of all real styles but these."""
    done = work / f"without-{'-'.join(styles)}.pt"
    if not done.exists():
        others = [tile for tile in real if tile.style not in styles and not tile.is_test]
        samples = [*drawn, *pipeline.with_red_fives(others, seed)]
        start = FaceNet()
        start.load_state_dict(base.state_dict())
        net = classifier.train(
            Pool.of(samples, pipeline.SOURCES),
            steps=steps,
            seed=seed,
            start=start,
            top_rate=TOP_RATE,
        )
        torch.save(net.state_dict(), done)
    return pipeline.loaded(done)


def measured(style: str, held: Sequence[Sample], base: FaceNet, net: FaceNet) -> LeftOut:
    """How the two nets read tiles of a style that neither was trained on."""
    answers = ask(net, held)
    everything = range(len(held))
    rest = again = None
    if style not in MIXED:
        first = one_a_face(held)
        taught = known_set(style, first, answers)
        shown = {held[row].photo for row in first.values()}
        others = [row for row in everything if held[row].photo not in shown]
        if len(others) >= FEW:
            rest = before_and_after(held, answers, taught, others)
        views = [held[row] for row in first.values()] * VIEWS
        again = before_and_after(views, seen_again(net, views), taught, range(len(views)))
    return LeftOut(
        style,
        counted(held, ask(base, held).chances, everything),
        counted(held, answers.chances, everything),
        rest,
        again,
    )


def ask(net: FaceNet, samples: Sequence[Sample]) -> Answers:
    """What the net says about the crops that the table would cut, at temperature one."""
    return answers_to(net, [classifier.plain_crops(samples, quarter) for quarter in (0, 2)])


def seen_again(net: FaceNet, samples: Sequence[Sample]) -> Answers:
    """What the net says when it sees the tiles from aside, from afar, under other light."""
    gen = torch.Generator().manual_seed(UNSEEN_SEED)
    canvases = classifier.as_input(torch.from_numpy(np.stack([tile.canvas for tile in samples])))
    crops_of = []
    for quarter in (0, 2):
        quarters = torch.full((len(samples),), quarter)
        tiles = looks.turned(canvases, looks.Aside.drawn(quarters, gen, AGAIN))
        crops_of.append(looks.seen(tiles, gen, AGAIN))
    return answers_to(net, crops_of)


def answers_to(net: FaceNet, pictures: Sequence[torch.Tensor]) -> Answers:
    """What the net says about the upright crops and those upside down."""
    said = [classifier.predict(net, part) for part in pictures]
    upright, reversed_ = (softmax(logits.numpy()) for logits, _, _ in said)
    return Answers((upright, reversed_), (said[0][2].numpy(), said[1][2].numpy()))


def before_and_after(
    held: Sequence[Sample], answers: Answers, taught: TileSet, rows: Sequence[int]
) -> Taught:
    """How these answers count, and what they become once the set is known."""
    pairs = zip(answers.chances, answers.embeddings, strict=True)
    sharpened = [taught.sharpen(chances, embeddings) for chances, embeddings in pairs]
    return Taught(counted(held, answers.chances, rows), counted(held, sharpened, rows))


def one_a_face(held: Sequence[Sample]) -> dict[str, int]:
    """One tile of each face, of as few photos as will do: the photo with most faces first."""
    by_photo: dict[str, dict[str, int]] = defaultdict(dict)
    for row, sample in enumerate(held):
        by_photo[sample.photo].setdefault(sample.label, row)
    chosen: dict[str, int] = {}
    for rows in sorted(by_photo.values(), key=len, reverse=True):
        for label, row in rows.items():
            chosen.setdefault(label, row)
    return chosen


def known_set(style: str, first: dict[str, int], answers: Answers) -> TileSet:
    """The set as those tiles teach it, upright and upside down."""
    rows = list(first.values())
    embeddings = np.mean([part[rows] for part in answers.embeddings], axis=0)
    return TileSet.of(style, list(first), np.asarray(embeddings, np.float32), "")


def counted(held: Sequence[Sample], chances: Sequence[Array], rows: Sequence[int]) -> Tally:
    """Right and wrong over both ways up."""
    tally = Tally()
    for part in chances:
        for row in rows:
            best = int(part[row].argmax())
            tally.add(held[row].label, LABELS[best], float(part[row, best]))
    return tally


def print_left_out(plan: Plan, work: Path, names: Sequence[str]) -> None:
    """Measure these real styles together, and each of these artworks alone; print the tables."""
    arts = [name for name in names if name in ART_SETS]
    real = [name for name in names if name not in ART_SETS]
    if real:
        print_table(run(plan, work, FOLDS if real == ["all"] else [real]))
    if arts:
        print_arts(
            {key: tally for art in arts for key, tally in without_art(plan, work, art).items()}
        )


def print_table(results: Sequence[LeftOut]) -> None:
    """The table and the commonest mistakes, as Markdown."""
    print()
    header("style left out", "answers", "no real tile seen", "other styles seen", "sure",
           "surely wrong", "rest", "rest before its photo", "after",
           "seen again before", "after")  # fmt: skip
    for result in results:
        print(result.line())
    print("\nPhotos of styles left out, read by the product; given the boxes, then without them:\n")
    header("style left out", *Tally.columns, *SceneTally.columns)
    for result in results:
        if result.by_product is not None:
            boxed, whole = result.by_product
            print(f"| {result.style} | {boxed.line()} | {whole.line()} |")
    print()
    for line in confusion_lines([result.others_only for result in results], 25):
        print(f"- {line}")


def print_arts(tallies: dict[str, SceneTally]) -> None:
    """Artworks left out, as Markdown."""
    print("\nRendered pictures of artworks left out, read by the product:\n")
    header("artwork", *SceneTally.columns)
    for name, tally in tallies.items():
        print(f"| {name} | {tally.line()} |")
