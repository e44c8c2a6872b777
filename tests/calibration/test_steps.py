"""The steps one after another make a profile whose camera sees what the true one sees."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.profile import Profile, ProfileError, parse_profile
from calibration.steps import (
    PRINTS,
    measure_camera,
    measure_confidence,
    measure_dome,
    measure_lifts,
    measure_table,
)
from tests.calibration.boards import TRUE_CAMERA, board_pictures, tag_picture
from tests.calibration.test_learning import HEALTHY, reader
from vision.render import Look, Renderer

NOW = "2026-11-30T12:00:00Z"


def test_a_profile_grows_step_by_step_and_survives_the_disk():
    profile = Profile(table="table 1")
    with pytest.raises(ProfileError, match="calibrate camera"):
        measure_dome(profile, [tag_picture()], at=NOW)
    lens = measure_camera(profile, board_pictures(), at=NOW)
    place = measure_table(lens.profile, [tag_picture()], at=NOW)
    rng, renderer = np.random.default_rng(0), Renderer(TRUE_CAMERA, Look())
    throws = [renderer.draw([], rng, dice=(value, 4)).image for value in (1, 2, 3, 5, 6, 4)]
    dome = measure_dome(place.profile, throws, at=NOW)
    lifts = measure_lifts(dome.profile, HEALTHY, at=NOW)
    assert all(step.is_good for step in (lens, place, dome, lifts))
    sure = measure_confidence(lifts.profile, reader(1.0, 600), at=NOW)
    again = parse_profile(sure.profile.save(), "x")
    assert again == sure.profile
    assert again.table == "table 1"
    assert again.dome.at == NOW
    points = np.random.default_rng(1).uniform(-350, 350, (200, 2))
    seen = TRUE_CAMERA.project(np.column_stack([points, np.full(200, 16.0)]))
    off = np.hypot(*(again.camera_model().to_table(seen, 16.0) - points).T)
    assert off.max() < 0.5


def test_a_new_lens_forgets_the_old_place():
    lens = measure_camera(Profile(), board_pictures(), at=NOW)
    place = measure_table(lens.profile, [tag_picture()], at=NOW)
    assert measure_camera(place.profile, board_pictures(), at=NOW).profile.place is None


def test_what_must_be_printed_can_be_printed():
    assert {name: make()[:4] for name, make in PRINTS.items()} == {
        "camera": b"%PDF",
        "table": b"%PDF",
    }
