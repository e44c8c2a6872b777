"""The club's own set: one photo teaches it, another measures."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import cv2
import numpy as np
import pytest

from calibration.quality import CalibrationError
from calibration.tiles import calibrate_tiles, order_of
from vision.camera import CameraModel
from vision.classify import LABELS, Faces, crop_quads
from vision.read import detection
from vision.render import Look, render
from vision.tileset import TileSet, TileSetError
from vision.types import Detection, PlacedTile

CAMERA = CameraModel.above_table()
ORDER = order_of(
    " ".join(f"{rank}{suit}" for suit in "mps" for rank in range(1, 10))
    + " 1z 2z 3z 4z 5z 6z 7z 0m 0p 0s"
)
SET = replace(Look(), tiles=replace(Look().tiles, art="lietxia", corner_digits=True))


class Beginner:
    """A classifier that has never seen a tile: every face may be anything, but it looks well."""

    hash = "beginner"

    def read(self, crops: np.ndarray) -> Faces:
        small = np.stack(
            [cv2.resize(crop, (24, 32), interpolation=cv2.INTER_AREA) for crop in crops]
        )
        looks = small[:, 4:28, 3:21].reshape(len(crops), -1).astype(np.float32)
        looks -= looks.mean(axis=1, keepdims=True)
        looks /= np.linalg.norm(looks, axis=1, keepdims=True)
        chances = np.full((len(crops), len(LABELS)), 1 / len(LABELS), np.float32)
        turns = np.full((len(crops), 4), 0.25, np.float32)
        return Faces(chances, turns, looks, np.zeros((len(crops), 4, 2), np.float32))


@dataclass
class Pointed:
    """A reader that is shown where the tiles lie and leaves only their faces to read."""

    quads: dict[int, np.ndarray]
    classifier: Beginner = field(default_factory=Beginner)
    tile_set: TileSet | None = None

    def detect(self, image: np.ndarray) -> list[Detection]:
        quads = self.quads[int(image.sum())]
        faces = self.classifier.read(crop_quads(image, quads))
        chances = faces.probabilities
        if self.tile_set is not None:
            chances = self.tile_set.sharpen(chances, faces.embeddings)
        return [
            detection(LABELS[int(chance.argmax())], float(chance.max()), quad, (), is_covered=False)
            for chance, quad in zip(chances, quads, strict=True)
        ]


def photo(order: tuple[str, ...], seed: int, reader: Pointed) -> np.ndarray:
    """The set laid out in rows of ten on an otherwise empty table."""
    tiles = [
        PlacedTile(label, (-160.0 + 34 * (place % 10), 90.0 - 44 * (place // 10)), 0.0)
        for place, label in enumerate(order)
    ]
    look = replace(SET, light=replace(SET.light, azimuth_deg=50.0 * seed))
    rendered = render(tiles, CAMERA, look, np.random.default_rng(seed), centre=False, dice=())
    quads = np.array([truth.quad_px for truth in rendered.truth], np.float32)
    reader.quads[int(rendered.image.sum())] = quads
    return rendered.image


@pytest.fixture
def reader() -> Pointed:
    return Pointed({})


def test_a_set_is_learned_from_one_photo_and_measured_on_another(reader):
    shuffled = ORDER[::-1]
    first, second = photo(ORDER, 1, reader), photo(shuffled, 2, reader)
    result = calibrate_tiles(
        first, ORDER, reader, name="club", file="club.json", second=second, second_order=shuffled
    )
    assert set(result.tile_set.labels) == set(ORDER)
    right, apart, doubts = result.qualities
    assert right.name == "tiles right on the second photo"
    assert right.is_good
    assert apart.value > 0
    assert doubts.value == 0
    assert result.mistakes == ()
    assert result.part.file == "club.json"
    assert result.picture.shape[0] >= first.shape[0]  # enlarged, so that labels can be read
    assert reader.tile_set is None  # the reader that was lent is as it was


def test_a_wrong_order_of_the_second_photo_shows_in_the_numbers(reader):
    swapped = ("2m", "1m", *ORDER[2:])
    result = calibrate_tiles(
        photo(ORDER, 1, reader),
        ORDER,
        reader,
        name="club",
        second=photo(ORDER, 2, reader),
        second_order=swapped,
    )
    assert not result.qualities[0].is_good
    assert [text.split(" (")[0] for text in result.mistakes] == [
        "tile 1 is 2m and was read as 1m",
        "tile 2 is 1m and was read as 2m",
    ]


def test_photos_with_another_number_of_tiles_are_refused(reader):
    short = photo(ORDER[:-1], 1, reader)
    with pytest.raises(TileSetError, match="36 tiles"):
        calibrate_tiles(short, ORDER, reader, name="club")
    with pytest.raises(CalibrationError, match="36 tiles, 37"):
        calibrate_tiles(photo(ORDER, 2, reader), ORDER, reader, name="club", second=short)


def test_an_order_is_read_from_text():
    assert order_of("1m, 2m 3m f1") == ("1m", "2m", "3m", "1f")
    with pytest.raises(CalibrationError, match="8z"):
        order_of("1m 8z")
    with pytest.raises(CalibrationError, match="names no tile"):
        order_of("  ")
