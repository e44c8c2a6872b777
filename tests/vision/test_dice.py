"""Dice in the dome: read from above, through the cover's reflections, and in doubt when hidden."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from vision.camera import CameraModel
from vision.dice import SURE_FROM, DomeSpot, read_dice
from vision.render import Look, Renderer

CAMERA = CameraModel.above_table()


@pytest.fixture(scope="module")
def calm() -> Renderer:
    return Renderer(CAMERA, Look())


@pytest.mark.parametrize("value", range(1, 7))
def test_every_value_is_read_in_good_light(calm, value):
    for other in (1, 4, 6):
        image = calm.draw([], np.random.default_rng(0), dice=(value, other)).image
        reading = read_dice(image, CAMERA)
        assert reading.values == tuple(sorted((value, other)))
        assert reading.confidence > SURE_FROM


def test_no_throw_in_any_light_is_read_wrongly_without_doubt():
    sure = 0
    for seed in range(10):
        rng = np.random.default_rng(1000 + seed)
        renderer = Renderer(CAMERA, Look.random(rng), seed=seed)
        for count in (2, 3):
            dice = tuple(int(value) for value in rng.integers(1, 7, count))
            image = renderer.draw([], rng, dice=dice, with_truth=False).image
            reading = read_dice(image, CAMERA, count=count)
            if reading.confidence >= SURE_FROM:
                assert reading.values == tuple(sorted(dice))
                sure += 1
    assert sure >= 18


def test_an_empty_dome_holds_no_dice(calm):
    reading = read_dice(calm.draw([], np.random.default_rng(0), dice=()).image, CAMERA)
    assert reading.dice == ()
    assert reading.confidence == 0


def test_the_dice_are_where_they_are_said_to_be(calm):
    rng = np.random.default_rng(0)
    image, empty = (calm.draw([], rng, dice=dice).image.astype(int) for dice in ((2, 3), ()))
    changed = np.abs(image - empty).max(axis=2) > 60
    found = read_dice(image.astype(np.uint8), CAMERA).dice
    for die in found:
        x, y = np.round(np.mean(die.quad_px, axis=0)).astype(int)
        assert changed[y - 6 : y + 7, x - 6 : x + 7].mean() > 0.7
    assert all(one.quad_px[0][0] <= other.quad_px[1][0] for one, other in pairwise(found))


def test_a_dome_elsewhere_is_looked_for_there(calm):
    image = calm.draw([], np.random.default_rng(0), dice=(5, 6)).image
    aside = DomeSpot(centre_mm=(200.0, 0.0))
    assert read_dice(image, CAMERA, aside).dice == ()
