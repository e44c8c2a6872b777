"""The table's tags: found under play, and a knock against the camera shows."""

from __future__ import annotations

import numpy as np
import pytest

from vision.camera import CameraModel
from vision.render import Hand, Look, Renderer, tag_sheets
from vision.tags import TagLayout, TagsNotSeenError, camera_drift, find_tags, rigid_motion
from vision.zones import TableGeometry

CAMERA = CameraModel.above_table()
LAYOUT = TagLayout()
TABLE = TableGeometry()
TILES = [
    pose.of("bk")
    for side in range(4)
    for pose in (*TABLE.wall_poses(side), *TABLE.hand_poses(side, 13))
]


def seen_by(camera: CameraModel, look: Look | None = None, hands=()) -> dict:
    renderer = Renderer(camera, look or Look(), sheets=tag_sheets(LAYOUT))
    image = renderer.draw(TILES, np.random.default_rng(1), hands=hands, with_truth=False).image
    return find_tags(image)


def test_a_camera_that_has_not_moved_is_left_in_peace():
    drift = camera_drift(CAMERA, LAYOUT, seen_by(CAMERA))
    assert drift.is_small
    assert drift.worst_mm < 0.6
    assert drift.missing == ()


@pytest.mark.parametrize("seed", range(8))
def test_the_tags_are_found_in_any_light(seed):
    look = Look.random(np.random.default_rng(seed))
    drift = camera_drift(CAMERA, LAYOUT, seen_by(CAMERA, look))
    assert drift.is_small, str(drift)


@pytest.mark.parametrize(
    ("shift_mm", "turn_deg"),
    [((3, 0, 0), 0), ((0, -3, 0), 0), ((0, 0, 0), 1), ((0, 0, 0), -1), ((1.5, 1.5, 0), 0)],
)
def test_a_knock_is_noticed_and_measured(shift_mm, turn_deg):
    moved = CAMERA.moved(shift_mm=shift_mm, turn_deg=turn_deg)
    drift = camera_drift(CAMERA, LAYOUT, seen_by(moved))
    assert not drift.is_small
    # The table seems to move against the camera.
    assert drift.shift_mm == pytest.approx((-shift_mm[0], -shift_mm[1]), abs=0.3)
    assert drift.turn_deg == pytest.approx(turn_deg, abs=0.05)


def test_a_covered_tag_is_done_without():
    arm = Hand((-407.0, -250.0), (-407.0, -460.0))
    seen = seen_by(CAMERA, hands=[arm])
    assert 40 not in seen
    drift = camera_drift(CAMERA, LAYOUT, seen)
    assert drift.missing == (40,)
    assert drift.is_small


def test_too_few_tags_say_which_are_missing():
    seen = seen_by(CAMERA)
    with pytest.raises(TagsNotSeenError, match="40, 41, 42"):
        camera_drift(CAMERA, LAYOUT, {43: seen[43]})


def test_a_motion_is_found_again():
    rng = np.random.default_rng(2)
    points = rng.uniform(-400, 400, (16, 2))
    spin = np.array([[np.cos(0.02), -np.sin(0.02)], [np.sin(0.02), np.cos(0.02)]])
    turn, shift = rigid_motion(points, points @ spin.T + [4.0, -7.0])
    assert turn == pytest.approx(0.02)
    assert shift == pytest.approx([4, -7])
