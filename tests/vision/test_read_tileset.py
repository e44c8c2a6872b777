"""A club's own tile set, learned from one photo."""

import json

import numpy as np
import pytest

from vision.camera import CameraModel
from vision.classify import LABELS, Classifier
from vision.read import Reader
from vision.render import Look, Renderer
from vision.tileset import TileSet, TileSetError, learn, reading_order, told_apart
from vision.types import Detection, PlacedTile

ORDER = [f"{rank}{suit}" for suit in "mps" for rank in range(1, 10)] + [
    f"{rank}z" for rank in range(1, 8)
]


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader(tile_px=29)


def laid_out(order: list[str], turn_deg: float = 0.0) -> list[PlacedTile]:
    """The tiles in rows of nine."""
    spots = [(-140 + place % 9 * 35.0, 200.0 - place // 9 * 60) for place in range(len(order))]
    turn = np.radians(turn_deg)
    return [
        PlacedTile(
            label,
            (
                float(x * np.cos(turn) - y * np.sin(turn)),
                float(x * np.sin(turn) + y * np.cos(turn)),
            ),
            turn_deg,
        )
        for label, (x, y) in zip(order, spots, strict=True)
    ]


def photo(order: list[str], look: Look, turn_deg: float = 0.0):
    renderer = Renderer(CameraModel.above_table(), look)
    return renderer.draw(laid_out(order, turn_deg), np.random.default_rng(4), centre=False).image


@pytest.mark.parametrize("turn_deg", [0.0, 6.0, -8.0])
def test_a_photo_is_read_in_rows_though_it_is_a_little_turned(reader, turn_deg):
    found = reading_order(reader.detect(photo(ORDER, Look(), turn_deg)))
    assert [tile.label for tile in found] == ORDER


def test_a_set_is_learned_and_kept(reader, tmp_path):
    image = photo(ORDER, Look())
    learned = learn(image, reader.detect(image), ORDER, reader.classifier, name="club")
    assert learned.agreement == 1.0
    assert learned.doubts == ()
    assert learned.separation > 0.05
    learned.tile_set.save(tmp_path / "club.json")
    loaded = TileSet.load(tmp_path / "club.json")
    assert loaded.labels == learned.tile_set.labels
    assert np.allclose(loaded.prototypes, learned.tile_set.prototypes, atol=1e-4)


def test_a_wrong_order_is_doubted_tile_by_tile(reader):
    image = photo(ORDER, Look())
    swapped = [*ORDER]
    swapped[0], swapped[20] = swapped[20], swapped[0]
    learned = learn(image, reader.detect(image), swapped, reader.classifier, name="club")
    assert {(doubt.place, doubt.expected, doubt.seen) for doubt in learned.doubts} == {
        (0, ORDER[20], ORDER[0]),
        (20, ORDER[0], ORDER[20]),
    }


def test_a_missing_tile_is_told_by_number(reader):
    image = photo(ORDER[:-1], Look())
    with pytest.raises(TileSetError, match="shows 33 tiles but the order names 34"):
        learn(image, reader.detect(image), ORDER, reader.classifier, name="club")


def some_set(size: int = 3) -> TileSet:
    return TileSet.of("s", ["1m", "2m", "3m"][:size], np.eye(size, 8, dtype=np.float32), "h")


def chances(**known: float) -> np.ndarray:
    row = np.full((1, len(LABELS)), 1e-4, np.float32)
    for label, value in known.items():
        row[0, LABELS.index(label[::-1])] = value
    return row / row.sum()


def test_the_likeness_to_the_sets_own_face_decides_between_two():
    seen = np.zeros((1, 8), np.float32)
    seen[0, 1] = 1
    sharp = some_set().sharpen(chances(m1=0.5, m2=0.4), seen)
    assert LABELS[int(sharp.argmax())] == "2m"
    assert sharp.sum() == pytest.approx(1, abs=1e-5)


def test_faces_that_the_set_lacks_keep_their_probability():
    seen = np.zeros((1, 8), np.float32)
    seen[0, 0] = 1
    before = chances(z7=0.9, m1=0.05)
    after = some_set().sharpen(before, seen)
    column = LABELS.index("7z")
    assert after[0, column] == pytest.approx(before[0, column], abs=1e-5)


def looking(*directions: tuple[float, float]) -> np.ndarray:
    """Embeddings of tiles that look alike where they point the same way."""
    marks = np.array(directions, np.float32)
    return marks / np.linalg.norm(marks, axis=1, keepdims=True)


def said(row: np.ndarray) -> str:
    return LABELS[int(row.argmax())]


def test_a_tile_that_looks_otherwise_is_hardly_what_another_surely_is():
    doubtful = chances(z1=0.5, z6=0.4)
    pair = np.concatenate([chances(z1=0.95, z6=0.02), doubtful])
    sure, other = told_apart(pair, looking((1, 0), (0, 1)))
    assert (said(sure), said(other)) == ("1z", "6z")
    assert sure.max() > 0.9
    assert other.sum() == pytest.approx(1, abs=1e-5)


def test_copies_of_a_face_do_not_argue_however_many_there_are():
    four = np.concatenate([chances(z1=0.9, z6=0.05)] * 4)
    told = told_apart(four, looking((1, 0), (1, 0.05), (1, 0.1), (1, 0)))
    assert told == pytest.approx(four, abs=0.02)


def test_two_that_look_different_and_both_claim_a_face_are_both_doubted():
    pair = np.concatenate([chances(z1=0.9, z6=0.08)] * 2)
    told = told_apart(pair, looking((1, 0), (0, 1)))
    assert told.max() < 0.8
    assert [said(row) for row in told] == ["1z", "1z"]


def test_backs_and_no_tiles_may_look_as_they_like():
    pair = np.concatenate([chances(kb=0.95, z5=0.04)] * 2)
    assert told_apart(pair, looking((1, 0), (0, 1))).argmax() == LABELS.index("bk")
    assert told_apart(pair[:0], looking((1, 0))[:0]).shape == (0, len(LABELS))


def test_several_of_a_face_are_averaged():
    tiles = np.array([[1, 0], [0, 1]], np.float32)
    (prototype,) = TileSet.of("s", ["1m", "1m"], tiles, "h").prototypes
    assert prototype == pytest.approx([0.7071, 0.7071], abs=1e-3)


def test_a_profile_of_another_model_is_refused():
    with pytest.raises(TileSetError, match="another classifier"):
        some_set().check(Classifier(threads=1))


def test_prototypes_of_another_length_are_refused():
    classifier = Classifier(threads=1)
    short = TileSet.of("s", ["1m"], np.ones((1, 3), np.float32), classifier.hash)
    with pytest.raises(TileSetError, match="no embeddings"):
        short.check(classifier)


def test_what_is_no_profile_is_told(tmp_path):
    path = tmp_path / "club.json"
    with pytest.raises(TileSetError, match="cannot be opened"):
        TileSet.load(path)
    some_set().save(path)
    content = json.loads(path.read_text(encoding="utf-8"))
    for change, says in (
        ({"version": 9}, "version 9"),
        ({"labels": ["1m", "xx", "3m"]}, "xx"),
        ({"labels": None}, "not a tile set"),
        ({"labels": ["1m", "1m", "3m"]}, "do not fit"),
        ({"prototypes": [[float("nan"), 1.0]] * 3}, "do not fit"),
    ):
        path.write_text(json.dumps({**content, **change}), encoding="utf-8")
        with pytest.raises(TileSetError, match=says):
            TileSet.load(path)
    path.write_text("tiles", encoding="utf-8")
    with pytest.raises(TileSetError, match="not a tile set"):
        TileSet.load(path)


def test_no_detections_have_no_order():
    assert reading_order([]) == []
    corner = ((0.0, 0.0), (3.0, 0.0), (3.0, 4.0), (0.0, 4.0))
    one = Detection("1m", 1.0, (0, 0, 3, 4), corner, 0.0)
    assert reading_order([one]) == [one]
