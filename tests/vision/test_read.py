"""Pictures in, labelled tiles out; and pictures that cannot be read."""

import csv
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.shared_data import shared_data
from vision.camera import CameraModel
from vision.classify import LABELS, parse_label
from vision.frames import ImageFolder
from vision.pictures import read_image
from vision.read import (
    Reader,
    ReadingSettings,
    annotate,
    frequency,
    one_a_place,
    share_orientation,
)
from vision.render import Look, Renderer
from vision.scene import tile_px
from vision.types import Detection, Facing, Guess, PlacedTile
from vision.zones import MeldShape, TableGeometry


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader(tile_px=29)


@pytest.fixture(scope="module")
def any_scale() -> Reader:
    return Reader()


def test_a_doubtful_finding_counts_where_the_size_of_tiles_is_known_and_not_in_a_photo(
    reader, any_scale
):
    camera = CameraModel.above_table()
    placed = [PlacedTile("7m", (150, -30), 0), PlacedTile("2p", (210, -30), 0)]
    image = Renderer(camera, Look()).draw(placed, np.random.default_rng(2)).image
    never = ReadingSettings(photo_tile_at_least=1.1)
    x, y = camera.project(np.array([[180.0, -30, 0]]))[0].astype(int)
    part = image[y - 120 : y + 120, x - 120 : x + 120]
    assert {tile.label for tile in any_scale.detect(part)} == {"7m", "2p"}
    assert Reader(settings=never).detect(part) == []
    assert {tile.label for tile in Reader(tile_px=29, settings=never).detect(part)} == {"7m", "2p"}


def test_turned_tiles_are_read_in_the_straight_boxes_round_them(any_scale):
    faces = ("1m", "6p", "9p", "7s", "2z", "4m", "3s", "8p")
    places = [(-150 + 80 * (row % 4), 120 + 60 * (row // 4)) for row in range(len(faces))]
    placed = [
        PlacedTile(face, place, 33.0 + 90 * row + 4 * row)
        for row, (face, place) in enumerate(zip(faces, places, strict=True))
    ]
    frame = Renderer(CameraModel.above_table(), Look()).draw(placed, np.random.default_rng(4))
    boxes = []
    for tile in frame.truth:
        low, high = np.min(tile.quad_px, axis=0), np.max(tile.quad_px, axis=0)
        boxes.append((low[0], low[1], high[0] - low[0], high[1] - low[1]))
    found = any_scale.read_boxes(frame.image, boxes)
    assert [tile.label for tile in found] == [tile.label for tile in frame.truth]
    assert min(tile.confidence for tile in found) > 0.9
    assert any_scale.read_boxes(frame.image, []) == []


def test_a_box_in_which_no_tile_is_found_is_read_as_it_is(any_scale):
    cloth = np.full((200, 300, 3), 90, np.uint8)
    (only,) = any_scale.read_boxes(cloth, [(40, 50, 48, 64)])
    assert only.label != "no"
    x, y, width, height = only.box_px
    assert 40 < x + width / 2 < 88
    assert 50 < y + height / 2 < 114


# --- a whole simulated table ------------------------------------------------------------------


def whole_table(seed: int) -> list[PlacedTile]:
    """Ponds with a sideways tile, melds of every kind, flowers, walls and a shown hand."""
    rng = np.random.default_rng(seed)
    geometry = TableGeometry()
    faces = [label for label in LABELS if label[1] in "mpsz"]

    def face() -> str:
        return str(faces[rng.integers(len(faces))])

    placed = []
    for seat in range(4):
        placed += [geometry.pond_place(seat, place, {4}).of(face()) for place in range(15)]
        shapes = [MeldShape(3, sideways=0), MeldShape(4, face_down=(0, 3))]
        for poses in geometry.meld_poses(seat, shapes):
            placed += [pose.of(face()) for pose in poses]
        placed += [pose.of(face()) for pose in geometry.hand_poses(seat, 7, shown=seat == 1)]
        placed += [
            geometry.wall_place(seat, stack, layer).of(face())
            for stack in range(6)
            for layer in (0, 1)
        ]
    return placed


def placed_right(detections, truth):
    """How many of the readable tiles were read right, of how many, and what else was claimed."""
    centres = np.array([np.mean(tile.quad_px, axis=0) for tile in detections])
    readable = [tile for tile in truth if tile.facing is not Facing.STANDING and tile.visible > 0.8]
    used, right = set(), 0
    for tile in readable:
        away = np.hypot(*(centres - np.mean(tile.quad_px, axis=0)).T)
        best = int(away.argmin())
        if away[best] < 8:
            used.add(best)
            right += detections[best].label == tile.label
    return right, len(readable), len(detections) - len(used)


@pytest.mark.parametrize("art", ["fluffystuff", "lietxia", "unicode"])
def test_a_simulated_table_is_read_tile_by_tile(reader, art):
    frame = Renderer(CameraModel.above_table(), Look().with_art(art)).draw(
        whole_table(5), np.random.default_rng(1)
    )
    right, readable, claimed = placed_right(reader.detect(frame.image), frame.truth)
    assert readable > 100
    assert right >= readable - 1
    assert claimed <= 1


@pytest.mark.long
def test_a_picture_of_twelve_megapixels_comes_from_a_folder_and_is_read(tmp_path):
    camera = CameraModel.above_table(width_px=4056, height_px=3040)
    drawn = Renderer(camera, Look()).draw(whole_table(5), np.random.default_rng(1))
    cv2.imwrite(str(tmp_path / "large.jpg"), drawn.image, [cv2.IMWRITE_JPEG_QUALITY, 92])
    with ImageFolder(tmp_path) as source:
        image = source.read().image
    assert image.shape == (3040, 4056, 3)
    fixed = Reader(tile_px=tile_px(camera, TableGeometry()))
    right, readable, claimed = placed_right(fixed.detect(image), drawn.truth)
    assert right >= readable - 1
    assert claimed <= 1
    right, readable, _ = placed_right(
        Reader().detect(read_image(tmp_path / "large.jpg")), drawn.truth
    )
    assert right >= 0.95 * readable


def test_angles_and_corners_say_how_a_tile_lies(reader):
    camera = CameraModel.above_table()
    placed = [
        PlacedTile("7m", (x, y), angle)
        for x, y, angle in (
            (-150, 0, 0),
            (-90, 150, 90),
            (150, -30, 180),
            (40, -200, -90),
            (170, 170, 33),
        )
    ]
    frame = Renderer(camera, Look()).draw(placed, np.random.default_rng(2))
    found = reader.detect(frame.image)
    assert len(found) == len(placed)
    for tile in frame.truth:
        corners = np.array(tile.quad_px)
        near = min(found, key=lambda other: np.abs(np.array(other.quad_px) - corners).max())
        assert near.label == "7m"
        assert np.abs(np.array(near.quad_px) - corners).max() < 3
        turn = near.angle_deg - tile.placed.angle_deg
        assert (turn + 180) % 360 - 180 == pytest.approx(0, abs=4)


def test_backs_are_backs_and_standing_hands_are_not_read(reader):
    geometry = TableGeometry()
    placed = [
        geometry.wall_place(0, stack, layer).of("1m") for stack in range(8) for layer in (0, 1)
    ]
    placed += [pose.of("2p") for pose in geometry.hand_poses(2, 13)]
    frame = Renderer(CameraModel.above_table(), Look()).draw(placed, np.random.default_rng(3))
    found = reader.detect(frame.image)
    assert {tile.label for tile in found} == {"bk"}
    assert len(found) == 8


@pytest.mark.parametrize("scale", [0.5, 1.0, 2.0])
def test_without_a_known_scale_the_same_tiles_are_found(any_scale, scale):
    placed = [
        PlacedTile(label, (-50 + 25 * x, -200.0), 0.0)
        for x, label in enumerate(("1p", "5s", "6z", "0m", "9m"))
    ]
    frame = Renderer(CameraModel.above_table(), Look()).draw(placed, np.random.default_rng(4))
    part = frame.image[700:1000, 700:1220]
    picture = cv2.resize(part, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    found = sorted(any_scale.detect(picture), key=lambda tile: tile.box_px[0])
    assert [tile.label for tile in found] == ["1p", "5s", "6z", "0m", "9m"]


def test_guesses_compete_with_falling_probability(reader):
    frame = Renderer(CameraModel.above_table(), Look()).draw(
        whole_table(6), np.random.default_rng(1)
    )
    for tile in reader.detect(cv2.GaussianBlur(frame.image, (0, 0), 3)):
        chances = [tile.confidence, *(guess.confidence for guess in tile.others)]
        assert chances == sorted(chances, reverse=True)
        assert sum(chances) <= 1.001
        assert tile.label not in [guess.label for guess in tile.others]


# --- rows -------------------------------------------------------------------------------------


def lying(label: str, x: float, angle: float) -> Detection:
    """A tile 30 wide at x, upright or turned by half a turn."""
    quad = [(x - 15, 80), (x + 15, 80), (x + 15, 120), (x - 15, 120)]
    if angle == 180:
        quad = quad[2:] + quad[:2]
    corners = tuple((float(px), float(py)) for px, py in quad)
    return Detection(label, 0.9, (x - 15, 80, 30, 40), corners, angle)


def test_a_face_without_a_top_lies_as_its_neighbors_do():
    row = [lying("1m", 30, 180), lying("5p", 62, 0), lying("6z", 94, 180)]
    shared = share_orientation(row)
    assert shared[1].angle_deg == pytest.approx(180) or shared[1].angle_deg == pytest.approx(-180)
    assert shared[1].quad_px[0] == row[1].quad_px[2]


def test_a_face_with_a_top_keeps_its_own():
    row = [lying("1m", 30, 180), lying("7z", 62, 0), lying("6z", 94, 180)]
    assert share_orientation(row) == row


def test_labels_of_few_sets_count_less_unless_the_club_has_them():
    rare = {label for label, often in zip(LABELS, frequency(), strict=True) if often < 1}
    assert rare == {"jk", *(f"{rank}{kind}" for rank in "1234" for kind in "ac")}
    assert frequency(["jk", "1m"])[LABELS.index("jk")] == 1
    assert frequency(["jk", "1m"])[LABELS.index("2a")] < 1


# --- two outlines for one place ---------------------------------------------------------------


def claim(label: str, x: float, confidence: float, **said: object) -> tuple[Detection, float]:
    tile = replace(lying(label, x, 0), confidence=confidence, **said)
    return tile, confidence


def test_of_two_outlines_that_share_most_of_a_place_the_better_stays():
    good, half, neighbor = claim("8m", 60, 0.99), claim("0m", 70, 0.5), claim("2m", 90, 0.4)
    assert one_a_place([half, good, neighbor]) == [good[0], neighbor[0]]
    assert one_a_place([]) == []


def test_a_rival_that_is_nearly_as_good_makes_both_readings_doubtful():
    better = claim("0m", 60, 0.94, others=(Guess("8m", 0.04),))
    (both,) = one_a_place([better, claim("8m", 68, 0.9)])
    assert both.quad_px == better[0].quad_px
    assert [both.label, *(guess.label for guess in both.others)] == ["0m", "8m"]
    assert both.confidence == pytest.approx(0.48, abs=0.01)
    assert both.others[0].confidence == pytest.approx(0.46, abs=0.01)


def test_a_covered_tile_under_another_stays():
    upper, under = claim("8m", 60, 0.99), claim("0m", 70, 0.5, is_covered=True)
    assert one_a_place([upper, under]) == [upper[0], under[0]]


# --- real photos never trained on -------------------------------------------------------------


def test_real_tiles_never_trained_on_are_read(any_scale):
    shared_data("scenes_real")
    from vision.training.evaluate import SceneTally, count_scene
    from vision.training.scenes import photos

    tally = SceneTally()
    for photo in [photo for photo in photos() if photo.is_test][::6]:
        count_scene(tally, any_scale.detect(photo.image), photo)
    assert tally.tiles > 100
    assert tally.found / tally.tiles > 0.95
    assert tally.faces.accuracy > 0.95


def test_an_empty_picture_holds_no_tiles(any_scale):
    assert any_scale.detect(np.full((300, 400, 3), 90, np.uint8)) == []


def test_a_tight_picture_of_one_tile_is_that_tile_and_not_its_circles(any_scale):
    folder = shared_data("tiles_real")
    wrong = []
    with (folder / "labels.csv").open(encoding="utf-8") as table:
        rows = [row for row in csv.DictReader(table) if row["source"] == "camerash"]
    for row in rows[::25]:
        found = any_scale.detect(read_image(folder / "images" / row["file"]))
        if [tile.label for tile in found] != [parse_label(row["label"])]:
            wrong.append((row["file"], [tile.label for tile in found]))
    assert len(rows) > 500
    assert len(wrong) <= 1, wrong


def test_a_picture_of_few_large_tiles_is_not_one_tile(any_scale):
    placed = [PlacedTile(face, (x, -200), 0) for face, x in (("2p", 0), ("2p", 22), ("5s", 44))]
    frame = Renderer(CameraModel.above_table(), Look()).draw(placed, np.random.default_rng(4))
    corners = np.concatenate([tile.quad_px for tile in frame.truth])
    (left, top), (right, bottom) = corners.min(axis=0), corners.max(axis=0)
    part = frame.image[int(top) - 18 : int(bottom) + 18, int(left) - 9 : int(right) + 13]
    assert 0.55 < part.shape[0] / part.shape[1] < 0.95
    assert sorted(tile.label for tile in any_scale.detect(part)) == ["2p", "2p", "5s"]


# --- the picture with the answers -------------------------------------------------------------


def test_annotating_draws_on_a_copy():
    image = np.full((200, 200, 3), 120, np.uint8)
    far = [lying("1m", 60, 0), lying("5p", 100, 180)]
    large = [replace(tile, quad_px=tuple((2 * x, 2 * y) for x, y in tile.quad_px)) for tile in far]
    drawn = annotate(np.full((400, 400, 3), 120, np.uint8), large)
    assert drawn.shape == (400, 400, 3)
    assert (drawn[160:240, 90:230] != 120).any()
    assert (drawn[300:] == 120).all()
    assert annotate(image, []).tolist() == image.tolist()
    annotate(image, far)
    assert (image == 120).all()


def test_a_picture_of_small_tiles_is_enlarged_until_they_can_be_read():
    small = replace(lying("1m", 60, 0), quad_px=((10, 10), (38, 10), (38, 46), (10, 46)))
    assert annotate(np.full((100, 150, 3), 120, np.uint8), [small]).shape == (200, 300, 3)
    assert annotate(np.full((100, 6000, 3), 120, np.uint8), [small]).shape == (100, 6000, 3)


def test_a_doubtful_tile_is_drawn_with_both_readings_and_how_likely_they_are(monkeypatch):
    written = []
    monkeypatch.setattr(cv2, "putText", lambda canvas, text, *_: written.append(text))
    sure, torn = lying("7z", 60, 0), lying("6p", 120, 0)
    others = (Guess("9p", 0.35), Guess("5p", 0.02))
    annotate(
        np.zeros((200, 200, 3), np.uint8), [sure, replace(torn, confidence=0.62, others=others)]
    )
    assert written == ["7z", "6p 62%", "9p 35%"]


def test_model_files_are_where_the_reader_looks():
    models = Path(__file__).parents[2] / "vision" / "models"
    assert (models / "classifier.onnx").stat().st_size < 2_000_000
    assert (models / "locator.onnx").stat().st_size < 2_000_000
