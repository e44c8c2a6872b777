"""What the tiles of one picture say about each other, on sets that a net never saw:
python -m vision.training.within_picture NET.pt

The net is one that saw no real tile, as training leaves it in its work folder (classifier-1.pt).
Photos with many boxed tiles are read tile by tile, and once more with `told_apart`; then two photos
of different sets are read as if they were one picture.
"""

from __future__ import annotations

import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import cycle
from pathlib import Path

import numpy as np

from vision.classify import LABELS, Array, Classifier
from vision.tileset import told_apart
from vision.training import classifier, crops, pipeline
from vision.training.crops import Sample
from vision.training.evaluate import Tally, sample_crops, upside_down
from vision.training.report import header

MANY = 15  # tiles, from which on a photo says something about its set
EVERY = 3  # which of the photos are read


def photos(samples: Iterable[Sample]) -> dict[str, list[list[Sample]]]:
    """The boxed tiles of every third photo that shows many, by style."""
    by_photo: dict[str, list[Sample]] = defaultdict(list)
    for sample in samples:
        by_photo[sample.photo].append(sample)
    by_style: dict[str, list[list[Sample]]] = defaultdict(list)
    for tiles in by_photo.values():
        if len(tiles) >= MANY:
            by_style[tiles[0].style].append(tiles)
    return {style: pictures[::EVERY] for style, pictures in by_style.items()}


def ask(net: Classifier, tiles: Sequence[Sample]) -> tuple[Array, Array]:
    """Label probabilities and embeddings, the former over both ways up."""
    cut = sample_crops(tiles)
    upright, turned = net.read(cut), net.read(upside_down(cut))
    mean = (upright.probabilities + turned.probabilities) / 2
    return np.asarray(mean, np.float32), upright.embeddings


def measure(net: Classifier, pictures: Iterable[Sequence[Sample]]) -> tuple[Tally, Tally]:
    """How the tiles of these pictures are read one by one, and together."""
    alone, together = Tally(), Tally()
    for tiles in pictures:
        chances, embeddings = ask(net, tiles)
        for tally, said in ((alone, chances), (together, told_apart(chances, embeddings))):
            for tile, row in zip(tiles, said, strict=True):
                tally.add(tile.label, LABELS[int(row.argmax())], float(row.max()))
    return alone, together


def main() -> int:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "classifier.onnx"
        classifier.export(pipeline.loaded(Path(sys.argv[1])), path, divisor=1.0)
        net = Classifier(path, threads=1)
    by_style = photos(crops.scene_tiles())
    first, second = by_style.values()
    mixed = [[*one, *other] for one, other in zip(first, cycle(second), strict=False)]
    header("pictures of", "read", *Tally.columns)
    for name, pictures in (*by_style.items(), ("two sets", mixed)):
        for how, tally in zip(("alone", "together"), measure(net, pictures), strict=True):
            print(f"| {name} | {how} | {tally.line()} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
