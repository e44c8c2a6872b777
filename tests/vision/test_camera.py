"""The camera's geometry: what it projects it finds again, and a knock shows."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.camera import CameraModel, turn_of, turned_by

CAMERAS = {
    "straight": CameraModel.above_table(),
    "tilted": CameraModel.above_table(
        offset_mm=(30, -55), tilt_deg=(3, -2), turn_deg=1.5, distortion=(-0.2, 0.05, 0.001, 0, 0)
    ),
    "12 megapixels": CameraModel.above_table().scaled(2.1),
}


@pytest.fixture(params=CAMERAS)
def camera(request) -> CameraModel:
    return CAMERAS[request.param]


def test_projection_agrees_with_opencv(camera):
    points = np.random.default_rng(1).uniform((-360, -360, 0), (360, 360, 40), (200, 3))
    matrix = np.diag([*camera.focal_px, 1.0])
    matrix[:2, 2] = camera.centre_px
    theirs, _ = cv2.projectPoints(
        points,
        np.array(camera.rotation),
        np.array(camera.translation_mm),
        matrix,
        np.array(camera.distortion),
    )
    assert np.abs(camera.project(points) - theirs[:, 0]).max() < 1e-6


@pytest.mark.parametrize("height_mm", [0.0, 16.0, 32.0])
def test_a_projected_point_is_found_again_at_its_height(camera, height_mm):
    points = np.random.default_rng(2).uniform(-360, 360, (300, 2))
    pixels = camera.project(np.column_stack([points, np.full(300, height_mm)]))
    assert np.abs(camera.to_table(pixels, height_mm) - points).max() < 1e-3


def test_a_wrong_height_shifts_a_point_outward_as_parallax_says():
    camera = CameraModel.above_table(distortion=(0, 0, 0, 0, 0))
    pixel = camera.project(np.array([[300.0, 0.0, 32.0]]))
    seen = camera.to_table(pixel, 16.0)[0]
    assert seen[0] == pytest.approx(300 * (1200 - 16) / (1200 - 32), abs=1e-6)


def test_the_felt_fills_the_height_and_a_tile_is_big_enough_to_read():
    camera = CameraModel.above_table()
    edges = camera.project(np.array([[0, 360.0, 0], [0, -360.0, 0], [-360, 0, 0], [360, 0, 0]]))
    assert 0 <= edges[0, 1] < 25
    assert 1055 < edges[1, 1] <= 1079
    tile = camera.project(np.array([[340.0, 340, 16], [360, 340, 16], [340, 313.5, 16]]))
    assert np.hypot(*(tile[1] - tile[0])) > 27
    assert np.hypot(*(tile[2] - tile[0])) > 37


def test_seat_zero_is_at_the_bottom_and_seat_one_at_the_right():
    bottom, right = CameraModel.above_table().project(np.array([[0, -200.0, 0], [200.0, 0, 0]]))
    assert bottom[1] > 539.5
    assert right[0] > 959.5


def test_a_knock_moves_every_point():
    camera = CameraModel.above_table()
    knocked = camera.moved(shift_mm=(3, 0, 0), turn_deg=1)
    points = np.array([[0.0, 0, 0], [300, 300, 0]])
    moved = np.hypot(*(knocked.project(points) - camera.project(points)).T)
    assert moved[0] == pytest.approx(3 * 1080 / 740, rel=0.02)
    assert moved[1] > 8
    assert np.allclose(knocked.eye_mm, camera.eye_mm + np.array([3.0, 0, 0]))


@pytest.mark.parametrize("angle", [0.0, 1e-6, 0.3, 2.0, np.pi - 1e-7, np.pi])
def test_turns_and_matrices_undo_each_other_as_in_opencv(angle):
    rng = np.random.default_rng(3)
    for axis in (*np.eye(3), *rng.normal(0, 1, (6, 3))):
        turn = axis / np.linalg.norm(axis) * angle
        matrix = turned_by(turn)
        assert np.abs(matrix - cv2.Rodrigues(turn)[0]).max() < 1e-12
        assert np.abs(turned_by(turn_of(matrix)) - matrix).max() < 1e-7
