"""The material the models learn from. Nothing here trains; a minute of that would prove little."""

import cv2
import numpy as np
import pytest

from vision.classify import LABELS, SYMMETRIC
from vision.locate import Located
from vision.training import crops, engraving, evaluate, scenes
from vision.types import Facing

FACES = [label for label in LABELS if label not in ("bk", "no")]


@pytest.mark.parametrize("label", FACES)
def test_every_face_can_be_drawn_in_an_invented_style(label):
    for seed in (1, 2, 3):
        ink = engraving.draw(engraving.invent(seed), label)
        assert label == "5z" or ink.cover.mean() > 1.5


def test_a_style_draws_the_same_face_every_time():
    style = engraving.invent(9)
    one, two = engraving.draw(style, "7p"), engraving.draw(style, "7p")
    assert (one.cover == two.cover).all()
    assert (one.color == two.color).all()


def test_styles_differ():
    one, two = (engraving.draw(engraving.invent(seed), "3m").cover.astype(int) for seed in (1, 2))
    assert np.abs(one - two).mean() > 3


@pytest.mark.parametrize("label", ["0m", "0p", "0s"])
def test_red_fives_carry_red_paint(label):
    for seed in range(6):
        style = engraving.invent(seed)
        ink = engraving.draw(style, label)
        painted = ink.color[ink.cover > 200].astype(int)
        reddish = painted[:, 2] > 1.25 * np.maximum(painted[:, 0], painted[:, 1])
        assert reddish.mean() > (0.7 if style.red_five == "all" else 0.02)


def test_characters_are_never_mirrored():
    glyphs = [engraving.glyph(2, character) for character in "七九"]
    for mask in glyphs:
        assert mask is not None
        assert np.abs(mask.astype(int) - mask[:, ::-1]).mean() > 20


def test_invented_samples_cover_every_label():
    samples = list(crops.invented(4, 2))
    assert {sample.label for sample in samples} == set(LABELS)
    assert all(sample.canvas.shape == (crops.CANVAS_H, crops.CANVAS_W, 3) for sample in samples)


def test_photos_are_split_by_name_and_stay_so():
    names = [f"photo{number}.jpg" for number in range(2000)]
    kept = [crops.is_test_photo(name) for name in names]
    assert 0.12 < sum(kept) / len(kept) < 0.18
    assert kept == [crops.is_test_photo(name) for name in names]


def test_painting_a_five_red_reddens_its_paint_only():
    canvas = np.full((crops.CANVAS_H, crops.CANVAS_W, 3), 230, np.uint8)
    canvas[50:60, 40:56] = (120, 40, 20)
    red = crops.repainted_red(canvas, np.random.default_rng(0))
    blue, green, strong = red[55, 48].astype(int)
    assert strong > 1.4 * max(blue, green)
    assert np.abs(red[80, 48].astype(int) - 230).max() < 12


def test_rendered_pictures_know_their_tiles():
    picture = scenes.render_one(np.random.default_rng(8), "one")
    assert picture.is_complete
    assert picture.tiles
    shown = [tile for tile in picture.tiles if tile.facing is Facing.UP]
    assert all(tile.label in LABELS for tile in shown)


def test_every_layout_lays_tiles():
    for layout in (scenes.table_layout, scenes.rows_layout, scenes.heap_layout):
        assert len(layout(np.random.default_rng(2), scenes.RIICHI)) > 3


def known(x: float, y: float, label: str = "1m") -> scenes.Known:
    quad = np.array(
        [(x - 10, y - 13), (x + 10, y - 13), (x + 10, y + 13), (x - 10, y + 13)], np.float32
    )
    return scenes.Known(quad, label, Facing.UP, 1.0)


def found(x: float, y: float, label: str, confidence: float = 0.9) -> evaluate.Detection:
    corners = tuple((float(px), float(py)) for px, py in known(x, y).quad)
    return evaluate.Detection(label, confidence, (x - 10, y - 13, 20, 26), corners, 0.0)


def picture_of(*tiles: scenes.Known) -> scenes.Picture:
    return scenes.Picture("p", np.zeros((9, 9, 3), np.uint8), tiles, True, "rendered", "s", True)


def test_a_scene_is_counted_tile_by_tile():
    tally = evaluate.SceneTally()
    picture = picture_of(known(20, 20), known(50, 20, "2m"), known(80, 20, "3m"))
    detections = [found(21, 20, "1m"), found(50, 21, "3m", 0.95), found(150, 20, "9p")]
    evaluate.count_scene(tally, detections, picture)
    assert (tally.tiles, tally.found, tally.false, tally.exact) == (3, 2, 1, 0)
    assert tally.faces.accuracy == 0.5
    assert tally.faces.surely_wrong == 0.5
    assert tally.faces.confusions == {("2m", "3m"): 1}


class FakeFinder:
    """Finds the tile at 40, 40, an engraving on it, and something on the bare cloth."""

    def of_any_size(self, image, *, at_least):
        quads = [known(40, 40).quad, 0.3 * (known(45, 44).quad - (45, 44)) + (45, 44)]
        quads.append(known(80, 70).quad)
        return [Located(np.float32(quad), 0.9, Facing.UP, 0.0) for quad in quads]


@pytest.mark.parametrize(
    ("source", "where"), [("rendered", [(45, 44), (80, 70)]), ("scenes", [(45, 44)])]
)
def test_what_is_no_tile_is_learned_and_in_photos_only_what_lies_on_a_tile(
    source, where, monkeypatch
):
    cut = []
    sample_of = scenes.sample_of

    def seen(picture, quad, label):
        cut.append(tuple(quad.mean(axis=0).round().astype(int).tolist()))
        return sample_of(picture, quad, label)

    monkeypatch.setattr(scenes, "sample_of", seen)
    image = np.zeros((99, 120, 3), np.uint8)
    picture = scenes.Picture("p", image, (known(40, 40),), True, source, "s", False)
    samples = scenes.false_findings(picture, FakeFinder())
    assert cut == where
    assert {(sample.label, sample.source) for sample in samples} == {("no", "findings")}


def test_a_player_sees_the_whole_table():
    for seed in range(8):
        camera = scenes.at_seat(np.random.default_rng(seed))
        corners = camera.project(np.array([(x, y, 0.0) for x in (-250, 250) for y in (-250, 250)]))
        assert (corners > 0).all()
        assert (corners < (camera.width_px, camera.height_px)).all()


def test_one_finding_is_not_counted_for_two_tiles():
    tally = evaluate.SceneTally()
    evaluate.count_scene(tally, [found(20, 20, "1m")], picture_of(known(20, 20), known(22, 20)))
    assert tally.found == 1


def test_honest_confidence_has_no_calibration_error():
    tally = evaluate.Tally([0.75] * 3, [0.75])
    assert tally.calibration_error() == pytest.approx(0)
    assert evaluate.Tally([], [0.95] * 4).calibration_error() == pytest.approx(0.95)


def test_faces_without_a_top_are_those_that_look_the_same_upside_down():
    style = engraving.invent(3, "unicode")
    for label in FACES:
        cover = cv2.GaussianBlur(engraving.draw(style, label).cover.astype(float), (0, 0), 3)
        turned = cover[::-1, ::-1]
        likeness = (cover * turned).sum() / max(1.0, (cover**2).sum())
        if label in ("1p", "2p", "4p", "5p", "8p", "9p", "2s", "4s", "5s", "6s", "9s"):
            assert label in SYMMETRIC
            assert likeness > 0.6
        if label in ("1m", "7p", "7s", "1z", "7m", "1s"):
            assert label not in SYMMETRIC
