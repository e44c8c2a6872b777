"""How it is measured what the tiles of one picture say about each other."""

import numpy as np
import pytest

from vision.classify import LABELS, Faces

pytest.importorskip("torch", reason="torch (the extra `train`) is not here: NOT tested")

from vision.training import within_picture
from vision.training.crops import CANVAS_H, CANVAS_W, Sample


def tile(label: str, photo: str, style: str = "one", shade: int = 0) -> Sample:
    canvas = np.full((CANVAS_H, CANVAS_W, 3), shade, np.uint8)
    return Sample(canvas, label, "scenes", style, photo, False, False)


def test_every_third_photo_with_many_tiles_is_read():
    tiles = [tile("1m", f"photo{number}") for number in range(7) for _ in range(15)]
    tiles += [tile("1m", "few")] * 14 + [tile("2m", "other", "two")] * 15
    by_style = within_picture.photos(tiles)
    assert {style: [group[0].photo for group in groups] for style, groups in by_style.items()} == {
        "one": ["photo0", "photo3", "photo6"],
        "two": ["other"],
    }


class ShadeNet:
    """Says 1z of everything, of dark tiles surely; tiles of one shade look alike."""

    def read(self, crops: np.ndarray) -> Faces:
        dark = crops[:, 0, 0, 0] < 100
        chances = np.full((len(crops), len(LABELS)), 1e-4, np.float32)
        chances[:, LABELS.index("1z")] = np.where(dark, 0.95, 0.5)
        chances[:, LABELS.index("6z")] = np.where(dark, 0.04, 0.45)
        looks = np.stack([dark, ~dark], axis=1).astype(np.float32)
        return Faces(chances, np.zeros((len(crops), 4)), looks, np.zeros((len(crops), 4, 2)))


def test_what_another_tile_shows_decides_a_doubt():
    picture = [tile("1z", "photo"), tile("1z", "photo"), tile("6z", "photo", shade=200)]
    alone, together = within_picture.measure(ShadeNet(), [picture])
    assert (alone.accuracy, together.accuracy) == (2 / 3, 1.0)
    assert alone.count == together.count == 3
