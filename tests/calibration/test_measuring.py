"""Camera and table calibration on the simulated camera, whose true numbers are known."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.camera import BoardCollector, CameraResult, calibrate_camera
from calibration.profile import LensPart
from calibration.quality import CalibrationError, all_good
from calibration.table import calibrate_table
from tests.calibration.boards import TRUE_CAMERA, board_pictures, tag_picture
from vision.tags import TagLayout, TagsNotSeenError

TRUE_LENS = LensPart(
    size_px=(TRUE_CAMERA.width_px, TRUE_CAMERA.height_px),
    focal_px=TRUE_CAMERA.focal_px,
    centre_px=TRUE_CAMERA.centre_px,
    distortion=TRUE_CAMERA.distortion,
)


@pytest.fixture(scope="module")
def result() -> CameraResult:
    return calibrate_camera(board_pictures())


def test_the_lens_is_measured(result):
    assert all_good(result.qualities)
    assert result.lens.focal_px == pytest.approx(TRUE_CAMERA.focal_px, rel=0.003)
    assert result.lens.centre_px == pytest.approx(TRUE_CAMERA.centre_px, abs=4)
    assert result.lens.distortion[0] == pytest.approx(TRUE_CAMERA.distortion[0], abs=0.01)


def test_lens_and_tags_together_place_every_point_of_the_felt_within_half_a_millimetre(result):
    table = calibrate_table([tag_picture()], result.lens)
    assert all_good(table.qualities)
    points = np.random.default_rng(0).uniform(-360, 360, (400, 2))
    seen = TRUE_CAMERA.project(np.column_stack([points, np.full(400, 16.0)]))
    off = np.hypot(*(table.camera.to_table(seen, 16.0) - points).T)
    assert off.max() < 0.5


def test_the_pictures_show_the_numbers_and_the_table(result):
    table = calibrate_table([tag_picture()], result.lens)
    assert result.picture.shape == table.picture.shape == (1080, 1920, 3)
    drawn = np.abs(table.picture.astype(int) - tag_picture()).max(axis=2) > 30
    assert 0.005 < drawn.mean() < 0.2


def test_boards_only_in_the_middle_are_not_good_enough():
    result = calibrate_camera([*board_pictures()[:1]] * 4)
    failed = {quality.name for quality in result.qualities if not quality.is_good}
    assert failed == {"views of the board", "picture covered", "steepest tilt"}


def test_a_wrong_picture_among_good_ones_is_left_out(result):
    pictures = list(board_pictures())
    bent = pictures[1].copy()
    y, x = np.mgrid[0:1080, 0:1920].astype(np.float32)
    wave = x + 6 * np.sin(y / 40).astype(np.float32)
    bent = cv2.remap(bent, wave, y, cv2.INTER_LINEAR)  # a board that is not flat
    again = calibrate_camera([*pictures, bent])
    assert again.qualities[0].value == len(pictures)
    assert again.lens.focal_px == pytest.approx(result.lens.focal_px, rel=1e-3)


def test_a_collector_takes_still_boards_at_new_places_until_it_has_enough():
    collector = BoardCollector()
    assert collector.offer(np.full((1080, 1920, 3), 90, np.uint8)) == "show the whole board"
    for number, picture in enumerate(board_pictures()):
        if collector.is_complete:
            break
        assert collector.offer(picture) == "hold it still"
        assert collector.offer(picture).startswith(f"taken: {number + 1}")
    assert collector.is_complete
    assert 8 <= len(collector.pictures) <= 11
    assert collector.offer(collector.pictures[-1]) == "that is enough"


def test_a_collector_says_where_to_go_next():
    collector = BoardCollector()
    middle = board_pictures()[0]
    collector.offer(middle)
    assert "upper left" in collector.offer(middle)
    assert len(collector.pictures) == 1
    assert "upper left" in collector.offer(middle)
    assert len(collector.pictures) == 1


def test_pictures_without_a_board_say_what_to_do():
    empty = np.full((540, 960, 3), 90, np.uint8)
    with pytest.raises(CalibrationError, match="0 of 3 pictures"):
        calibrate_camera([empty] * 3)


def test_pictures_of_different_sizes_are_refused():
    with pytest.raises(CalibrationError, match="one size"):
        calibrate_camera([np.zeros((40, 60, 3), np.uint8), np.zeros((60, 40, 3), np.uint8)])


def test_a_tag_that_lies_wrong_fails_the_limit_and_is_named_in_the_numbers():
    centres = dict(TagLayout().centres_mm)
    centres[41] = (centres[41][0] - 8.0, centres[41][1])
    table = calibrate_table([tag_picture()], TRUE_LENS, TagLayout(centres_mm=centres))
    worst = table.qualities[0]
    assert not worst.is_good
    assert worst.value > 1.5


def test_a_missing_tag_is_named():
    picture = tag_picture().copy()
    picture[:300, 1400:] = 90
    with pytest.raises(TagsNotSeenError, match="42"):
        calibrate_table([picture], TRUE_LENS)


def test_a_tag_hidden_in_one_picture_is_taken_from_another():
    hidden = tag_picture().copy()
    hidden[:300, 1400:] = 90
    table = calibrate_table([hidden, tag_picture()], TRUE_LENS)
    assert all_good(table.qualities)


def test_the_table_needs_the_camera_first():
    with pytest.raises(CalibrationError, match="calibrate camera"):
        calibrate_table([tag_picture()], None)


def test_a_picture_of_another_size_is_refused():
    with pytest.raises(CalibrationError, match="960 x 540"):
        calibrate_table([cv2.resize(tag_picture(), (960, 540))], TRUE_LENS)
