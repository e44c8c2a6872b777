"""Pictures in, labelled tiles out; and pictures that cannot be read."""

import struct
import zlib
from base64 import b64decode
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.shared_data import shared_data
from vision.camera import CameraModel
from vision.classify import LABELS
from vision.frames import ImageFolder
from vision.read import (
    PictureError,
    Reader,
    ReadingSettings,
    annotate,
    as_color,
    declared_size,
    read_image,
    share_orientation,
)
from vision.render import Look, Renderer
from vision.scene import tile_px
from vision.types import Detection, Facing, PlacedTile
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


# --- pictures that are none -------------------------------------------------------------------


def test_what_is_no_picture_is_told_with_its_name(tmp_path):
    cases = {
        "empty.jpg": (b"", "empty"),
        "text.png": (b"tiles, tiles, tiles", "damaged"),
        "cut.jpg": (b"\xff\xd8\xff\xe0\x00\x10JFIF", "damaged"),
    }
    for name, (content, says) in cases.items():
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(PictureError, match=f"{name}.*{says}"):
            read_image(path)


def test_a_missing_file_and_a_folder_are_told(tmp_path):
    with pytest.raises(PictureError, match="cannot be opened"):
        read_image(tmp_path / "none.jpg")
    with pytest.raises(PictureError, match="cannot be opened"):
        read_image(tmp_path)


def test_a_tiny_picture_is_refused(tmp_path):
    cv2.imwrite(str(tmp_path / "dot.png"), np.zeros((4, 5, 3), np.uint8))
    with pytest.raises(PictureError, match=r"dot\.png.*too small"):
        read_image(tmp_path / "dot.png")


def test_a_huge_picture_is_refused_before_it_is_unpacked(tmp_path):
    path = tmp_path / "huge.png"
    head = struct.pack(">IIBBBBB", 60_000, 50_000, 8, 2, 0, 0, 0)
    chunk = b"IHDR" + head
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + chunk + struct.pack(">I", zlib.crc32(chunk))
    )
    with pytest.raises(PictureError, match="60000 x 50000"):
        read_image(path)


def test_a_bitmap_of_absurd_size_is_refused(tmp_path):
    head = struct.pack("<2sIHHI", b"BM", 54, 0, 0, 54)
    info = struct.pack("<IiiHHIIiiII", 40, 60_000, 50_000, 1, 24, 0, 0, 0, 0, 0, 0)
    (tmp_path / "huge.bmp").write_bytes(head + info + b"\0" * 100)
    with pytest.raises(PictureError, match=r"huge\.bmp: cannot be unpacked"):
        read_image(tmp_path / "huge.bmp")


def test_half_a_photo_is_refused(tmp_path):
    noise = np.random.default_rng(1).integers(0, 255, (200, 300, 3), np.uint8)
    content = cv2.imencode(".jpg", noise)[1].tobytes()
    (tmp_path / "half.jpg").write_bytes(content[: len(content) // 2])
    with pytest.raises(PictureError, match=r"half\.jpg: not a readable picture"):
        read_image(tmp_path / "half.jpg")


def test_half_a_drawing_is_refused_in_one_line(tmp_path, capfd):
    noise = np.random.default_rng(1).integers(0, 255, (200, 300, 3), np.uint8)
    content = cv2.imencode(".png", noise)[1].tobytes()
    (tmp_path / "half.png").write_bytes(content[: len(content) // 2])
    with pytest.raises(PictureError, match=r"half\.png: the picture breaks off"):
        read_image(tmp_path / "half.png")
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("kind", [".jpg", ".png"])
def test_the_size_is_known_before_unpacking(kind):
    done, content = cv2.imencode(kind, np.zeros((70, 90, 3), np.uint8))
    assert done
    assert declared_size(content.tobytes()) == (90, 70)


def test_grey_deep_and_transparent_pictures_become_color(tmp_path):
    ramp = np.tile(np.arange(64, dtype=np.uint8) * 4, (48, 1))
    cv2.imwrite(str(tmp_path / "grey.png"), ramp)
    cv2.imwrite(str(tmp_path / "deep.png"), ramp.astype(np.uint16) * 257)
    for name in ("grey.png", "deep.png"):
        image = read_image(tmp_path / name)
        assert image.shape == (48, 64, 3)
        assert image.dtype == np.uint8
        assert np.abs(image[..., 1].astype(int) - ramp).max() <= 1
    clear = np.zeros((20, 20, 4), np.uint8)
    assert as_color(clear)[0, 0].tolist() == [128, 128, 128]


# Left half (230, 30, 20), right half (20, 60, 220) in red, green, blue, saved by Pillow as CMYK.
CMYK = b64decode(
    "/9j/7gAOQWRvYmUAZAAAAAAA/9sAQwANCQoLCggNCwoLDg4NDxMgFRMSEhMnHB4XIC4pMTAuKS0sMzpKPjM2Rjcs"
    "LUBXQUZMTlJTUjI+WmFaUGBKUVJP/8AAFAgAHgAoBEMRAE0RAFkRAEsRAP/EAB8AAAEFAQEBAQEBAAAAAAAAAAAB"
    "AgMEBQYHCAkKC//EALUQAAIBAwMCBAMFBQQEAAABfQECAwAEEQUSITFBBhNRYQcicRQygZGhCCNCscEVUtHwJDNi"
    "coIJChYXGBkaJSYnKCkqNDU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVmZ2hpanN0dXZ3eHl6g4SFhoeIiYqSk5SV"
    "lpeYmZqio6Slpqeoqaqys7S1tre4ubrCw8TFxsfIycrS09TV1tfY2drh4uPk5ebn6Onq8fLz9PX29/j5+v/aAA4E"
    "QwBNAFkASwAAPwDv64OvPa9Ooooorz74q/8AMK/7bf8AslWbP+P8K734Xf8AMU/7Zf8As9Fef1ZrvqKKKKK+gaza"
    "8Eooooorz74q/wDMK/7bf+yVZs/4/wAK734Xf8xT/tl/7PRXn9Wa76iiiiivoGs2vBKKKKKK8++Kv/MK/wC23/sl"
    "WbP+P8K734Xf8xT/ALZf+z0V5/Vmu+ooooor6BrNrwSiiiiivPvir/zCv+23/slWbP8Aj/Cu9+F3/MU/7Zf+z0V5"
    "/Vmu+ooooor/2Q=="
)


def test_a_photo_in_printing_colors_keeps_its_colors(tmp_path):
    (tmp_path / "print.jpg").write_bytes(CMYK)
    image = read_image(tmp_path / "print.jpg").astype(int)
    assert image.shape == (30, 40, 3)
    assert np.abs(image[15, 8] - (20, 30, 230)).max() < 8
    assert np.abs(image[15, 32] - (220, 60, 20)).max() < 8


@pytest.mark.parametrize("kind", [".tiff", ".webp", ".bmp"])
def test_other_kinds_of_files_are_read(tmp_path, kind):
    image = np.full((30, 40, 3), (20, 30, 230), np.uint8)
    cv2.imwrite(str(tmp_path / f"one{kind}"), image)
    assert np.abs(read_image(tmp_path / f"one{kind}").astype(int) - image).max() < 8


def test_arrays_that_are_no_pictures_are_told():
    for array in (
        np.zeros((0, 5, 3), np.uint8),
        np.zeros(7, np.uint8),
        np.zeros((50, 50, 2), np.uint8),
    ):
        with pytest.raises(PictureError):
            as_color(array)
    with pytest.raises(PictureError, match="float"):
        as_color(np.zeros((50, 50, 3), np.float64))


def test_a_photo_turned_by_exif_is_read_as_it_is_shown(tmp_path):
    image = np.zeros((40, 80, 3), np.uint8)
    image[:, :40] = (0, 0, 255)
    _, content = cv2.imencode(".jpg", image)
    # EXIF says: turn by a quarter clockwise (orientation 6) to show it.
    entry = struct.pack("<HHIHH", 0x0112, 3, 1, 6, 0)
    tiff = b"II*\x00\x08\x00\x00\x00" + struct.pack("<H", 1) + entry + b"\x00" * 4
    exif = b"Exif\x00\x00" + tiff
    segment = b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif
    path = tmp_path / "turned.jpg"
    path.write_bytes(content.tobytes()[:2] + segment + content.tobytes()[2:])
    shown = read_image(path)
    assert shown.shape[:2] == (80, 40)
    assert shown[10, 20, 2] > 200
    assert shown[70, 20, 2] < 60


def test_an_empty_picture_holds_no_tiles(any_scale):
    assert any_scale.detect(np.full((300, 400, 3), 90, np.uint8)) == []


# --- the picture with the answers -------------------------------------------------------------


def test_annotating_draws_on_a_copy():
    image = np.full((200, 200, 3), 120, np.uint8)
    drawn = annotate(image, [lying("1m", 60, 0), lying("5p", 100, 180)])
    assert (image == 120).all()
    assert drawn.shape == image.shape
    assert (drawn[80:120, 45:115] != 120).any()
    assert (drawn[150:] == 120).all()


def test_model_files_are_where_the_reader_looks():
    models = Path(__file__).parents[2] / "vision" / "models"
    assert (models / "classifier.onnx").stat().st_size < 2_000_000
    assert (models / "locator.onnx").stat().st_size < 2_000_000
