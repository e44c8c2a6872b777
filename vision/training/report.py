"""Prints how well the models do on what they were not trained on, as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from vision.camera import CameraModel
from vision.classify import Classifier
from vision.read import Reader
from vision.render import Look, Renderer
from vision.training import crops, evaluate, scenes
from vision.training.evaluate import SceneTally, Tally, count_scene
from vision.training.scenes import Known, Picture

UNSEEN_SEED = 777_001  # no training seed draws these styles and pictures


def print_report(models: Path, *, without: Sequence[str] = ()) -> None:
    """Tiles given their boxes, then whole pictures, then calibration and confusions."""
    classifier = Classifier(models / "classifier.onnx")
    reader = Reader(models)
    held = [tile for tile in crops.scene_tiles() if tile.is_test or tile.style in without]
    held += [tile for tile in crops.single_tiles() if tile.style in without]
    strange = list(crops.invented(UNSEEN_SEED, 40, art_part=0.0))
    tallies = evaluate.read_tiles(classifier, held)
    print("Tiles, given their boxes, upright and upside down:\n")
    print(
        "| source | answers | right | sure | surely wrong | calibration error |\n|---|---|---|---|---|---|"
    )
    for name, tally in sorted(tallies.items()):
        print(f"| {name} | {tally.line()} |")
    invented = merged(evaluate.read_tiles(classifier, strange).values())
    print(f"| invented styles | {invented.line()} |")
    print("\nWhole pictures, scale unknown:\n")
    print(
        "| source | pictures | tiles | found | precision | faces right | found and right | surely wrong | calibration error |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    photos = [photo for photo in scenes.photos() if photo.is_test or photo.style in without]
    for name, scene in sorted(evaluate.read_scenes(reader, photos).items()):
        print(f"| {name} | {scene.line()} |")
    hard = evaluate.read_scenes(reader, scenes.rendered(UNSEEN_SEED, 40))
    for name, scene in sorted(hard.items()):
        print(f"| {name}, random looks | {scene.line()} |")
    for art in ("fluffystuff", "lietxia", "unicode"):
        scene = calm_tables(models, art, 10)
        print(f"| simulated table, {art} | {scene.line()} |")
    print("\nCommonest confusions:\n")
    for line in evaluate.label_table(tallies):
        print(f"- {line}")


def merged(tallies: Sequence[Tally] | object) -> Tally:
    """Several tallies as one."""
    total = Tally()
    for tally in tallies:  # type: ignore[attr-defined]
        total.right += tally.right
        total.wrong += tally.wrong
        total.confusions.update(tally.confusions)
    return total


def calm_tables(models: Path, art: str, count: int) -> SceneTally:
    """The default simulated table with its fixed camera."""
    reader = Reader(models, tile_px=29)
    renderer = Renderer(CameraModel.above_table(), Look().with_art(art))
    tally = SceneTally()
    for number in range(count):
        rng = np.random.default_rng([UNSEEN_SEED, number])
        frame = renderer.draw(scenes.table_layout(rng, scenes.RIICHI), rng)
        tiles = tuple(
            Known(np.array(tile.quad_px, np.float32), tile.label, tile.facing, tile.visible)
            for tile in frame.truth
        )
        picture = Picture("calm", frame.image, tiles, True, "rendered", art, True)
        count_scene(tally, reader.detect(frame.image), picture)
    return tally
