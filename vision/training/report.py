"""Prints how well the models do on what they were not trained on, as Markdown."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from vision.camera import CameraModel
from vision.classify import Classifier, crop_quads
from vision.read import Reader
from vision.render import ART_SETS, Look, Renderer
from vision.training import crops, evaluate, robustness, scenes
from vision.training.crops import Sample
from vision.training.evaluate import SceneTally, Tally, count_scene
from vision.training.scenes import Known, Picture
from vision.zones import TableGeometry

UNSEEN_SEED = 777_001  # no training seed draws these styles and pictures
FROM_SEATS = 8  # tables of each artwork that a player photographs
TILE_PX = 29.0  # short side of a tile for the simulated table's camera


def print_report(models: Path, *, without: Sequence[str] = ()) -> None:
    """Tiles given their boxes, then whole pictures, then the commonest confusions."""
    reader = Reader(models)
    photos = [photo for photo in scenes.photos() if photo.is_test or photo.style in without]
    tallies = evaluate.read_boxes(reader, photos)
    single = [tile for tile in crops.single_tiles() if tile.style in without]
    if single:
        tallies |= evaluate.read_tiles(reader.classifier, single)
    strange = crops.invented(UNSEEN_SEED, 40, art_part=0.0)
    invented = merged(evaluate.read_tiles(reader.classifier, list(strange)).values())
    print("Tiles, given their boxes; invented ones upright and upside down:\n")
    header("source", *Tally.columns)
    for name, tally in [*sorted(tallies.items()), ("invented styles", invented)]:
        print(f"| {name} | {tally.line()} |")
    print_scenes(reader, models, photos)
    straight = [tile for tile in crops.scene_tiles() if tile.is_test or tile.style in without]
    print_curves(reader.classifier, straight)
    print_speed(models)
    print("\nCommonest confusions in real photos, then in invented styles:\n")
    for line in [*evaluate.confusion_lines(tallies.values()), *invented_lines(invented)]:
        print(f"- {line}")


def invented_lines(tally: Tally) -> list[str]:
    """The confusions among invented styles."""
    return evaluate.confusion_lines([tally])


def print_scenes(reader: Reader, models: Path, photos: Sequence[Picture]) -> None:
    """Whole pictures: photos kept apart, hard rendered pictures, calm simulated tables."""
    print("\nWhole pictures (all but the simulated tables without a known scale):\n")
    header("source", *SceneTally.columns)
    for name, scene in sorted(evaluate.read_scenes(reader, photos).items()):
        print(f"| {name} | {scene.line()} |")
    hard = evaluate.read_scenes(reader, scenes.rendered(UNSEEN_SEED, 40))
    for name, scene in sorted(hard.items()):
        print(f"| {name}, random looks | {scene.line()} |")
    for art in ART_SETS:
        (seat,) = evaluate.read_scenes(
            reader, scenes.from_seats(UNSEEN_SEED, FROM_SEATS, art)
        ).values()
        print(f"| rendered {art}, tables from a seat | {seat.line()} |")
    for art in ART_SETS:
        print(f"| simulated table, {art} | {calm_tables(models, art, 10).line()} |")


def print_curves(classifier: Classifier, held: Sequence[Sample]) -> None:
    """What real tiles stand before they are misread."""
    print("\nOne thing made worse, on the real tiles that are read right unchanged:\n")
    header("what", "under 99 % from", "under 95 % from", "levels")
    for line in robustness.lines(robustness.measure(classifier, held[::2])):
        print(line)


def print_speed(models: Path, frames: int = 40) -> None:
    """Picture to detections with 100 tiles in view, in milliseconds, on this machine."""
    reader = Reader(models, tile_px=TILE_PX, region_px=(420, 0, 1080, 1080))
    rng = np.random.default_rng(UNSEEN_SEED)
    faces = [label for label in scenes.RIICHI if label != "bk"]
    geometry = TableGeometry()
    placed = [
        geometry.pond_place(seat, place).of(faces[rng.integers(len(faces))])
        for seat in range(4)
        for place in range(18)
    ]
    for seat in range(4):
        placed += [pose.of("1m") for pose in geometry.hand_poses(seat, 7, shown=True)]
    image = Renderer(CameraModel.above_table(), Look()).draw(placed, rng).image
    times: dict[str, list[float]] = {"locate": [], "cut": [], "read faces": [], "whole": []}
    for _ in range(frames):
        marks = [time.perf_counter()]
        found = reader.locator.find(image[:, 420:1500], tile_px=TILE_PX)
        marks.append(time.perf_counter())
        tiles = crop_quads(image[:, 420:1500], np.stack([tile.quad for tile in found]))
        marks.append(time.perf_counter())
        reader.classifier.read(tiles)
        marks.append(time.perf_counter())
        reader.detect(image)
        marks.append(time.perf_counter())
        for name, begun, done in zip(times, marks, marks[1:], strict=False):
            times[name].append((done - begun) * 1000)
    print(f"\nA 1080p frame with {len(placed)} tiles, in ms:\n")
    header("stage", "p50", "p95")
    for name, spent in times.items():
        print(f"| {name} | {np.percentile(spent, 50):.0f} | {np.percentile(spent, 95):.0f} |")


def header(*columns: str) -> None:
    """The head of a Markdown table."""
    print(f"| {' | '.join(columns)} |")
    print("|" + "---|" * len(columns))


def merged(tallies: Iterable[Tally]) -> Tally:
    """Several tallies as one."""
    total = Tally()
    for tally in tallies:
        total.right += tally.right
        total.wrong += tally.wrong
        total.confusions.update(tally.confusions)
    return total


def calm_tables(models: Path, art: str, count: int) -> SceneTally:
    """The default simulated table with its fixed camera."""
    reader = Reader(models, tile_px=TILE_PX)
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
