"""Finding tiles: what the net's numbers mean, and how well they do on rendered tables."""

import numpy as np
import pytest

from vision.camera import CameraModel
from vision.locate import (
    BEST_SIDE_PX,
    KINDS,
    LARGEST_LOOK_PX,
    STRIDE,
    UNIT_PX,
    Located,
    Locator,
    alone,
    decode,
    of_one_size,
    outlines,
    scales,
    suppress,
)
from vision.render import Look, Renderer
from vision.training import scenes
from vision.types import Facing, PlacedTile


def answer(tiles, size=24):
    """What a perfect net would say about tiles given as (x, y, width, length, degrees, kind)."""
    heat = np.zeros((3, size, size), np.float32)
    shape = np.zeros((7, size, size), np.float32)
    for x, y, width, length, angle, kind in tiles:
        column, row = int(x / STRIDE), int(y / STRIDE)
        heat[KINDS.index(kind), row, column] = 0.9
        up = np.radians(angle)
        # In pixels y grows downward, so the way up of an upright tile is minus y.
        along = np.array([-np.sin(up), -np.cos(up)]) * length / 2
        across = np.array([np.cos(up), -np.sin(up)]) * width / 2
        shape[:2, row, column] = x / STRIDE - column - 0.5, y / STRIDE - row - 0.5
        for start, axis in ((2, along), (4, across)):
            angle_twice = 2 * np.arctan2(axis[1], axis[0])
            reach = np.hypot(*axis) / UNIT_PX
            shape[start : start + 2, row, column] = (
                reach * np.cos(angle_twice),
                reach * np.sin(angle_twice),
            )
    return heat, shape


@pytest.mark.parametrize("angle", [0, 17, 45, 90, 135, 179])
def test_a_tile_at_any_angle_comes_back_as_its_outline(angle):
    (found,) = decode(*answer([(50.3, 44.7, 15, 20, angle, Facing.UP)]), at_least=0.3)
    assert found.centre == pytest.approx([50.3, 44.7], abs=0.01)
    assert found.width == pytest.approx(15, abs=0.01)
    assert found.length == pytest.approx(20, abs=0.01)
    up = (found.quad[0] + found.quad[1] - found.quad[2] - found.quad[3]) / 2
    turned = np.degrees(np.arctan2(-up[0], -up[1]))
    assert (turned - angle + 90) % 180 - 90 == pytest.approx(0, abs=0.1)


@pytest.mark.parametrize("angle", range(0, 360, 15))
def test_corners_run_clockwise_on_the_screen(angle):
    way = np.radians(angle)
    along = np.array([[np.cos(way), np.sin(way)]], np.float32) * 10
    for side in (-1, 1):
        across = np.array([[-np.sin(way), np.cos(way)]], np.float32) * 7 * side
        (quad,) = outlines(np.zeros((1, 2), np.float32), along, across)
        x, y = quad[:, 0], quad[:, 1]
        area = (x * np.roll(y, -1) - np.roll(x, -1) * y).sum() / 2
        assert area == pytest.approx(280, rel=1e-4)  # positive: clockwise where y grows downward


def test_the_kind_with_the_highest_peak_is_told():
    heat, shape = answer([(40, 40, 15, 20, 0, Facing.DOWN), (80, 40, 15, 8, 0, Facing.STANDING)])
    found = decode(heat, shape, at_least=0.3)
    assert {tile.facing for tile in found} == {Facing.DOWN, Facing.STANDING}


def test_weak_peaks_are_left_out():
    heat, shape = answer([(40, 40, 15, 20, 0, Facing.UP)])
    assert decode(heat * 0.2, shape, at_least=0.3) == []


def located(x, y, side=20.0, score=0.9):
    half, tall = side / 2, side * 0.66
    quad = np.array(
        [(x - half, y - tall), (x + half, y - tall), (x + half, y + tall), (x - half, y + tall)]
    )
    return Located(quad.astype(np.float32), score, Facing.UP, 0.0)


def test_of_two_findings_of_one_tile_the_better_stays():
    kept = suppress([located(50, 50), located(52, 51)], [0.5, 0.8])
    (tile,) = kept
    assert tile.centre == pytest.approx([52, 51], abs=0.01)


def test_touching_neighbors_both_stay():
    assert (
        len(suppress([located(50, 50), located(70, 50), located(50, 76.5)], [0.9, 0.8, 0.7])) == 3
    )


def row_of_tiles():
    return [located(30 + 22 * place, 60, score=0.8) for place in range(8)]


def spots(tiles):
    return sorted(tuple(np.round(tile.centre).astype(int).tolist()) for tile in tiles)


def test_a_tile_is_found_though_its_two_halves_are_surer():
    whole = row_of_tiles()
    x, y = whole[3].centre
    halves = [located(x, y + off, side=20 * 0.7, score=0.95) for off in (-6.6, 6.6)]
    found = [*whole, *halves]
    assert spots(of_one_size(found, [tile.score for tile in found])) == spots(whole)


def test_two_tiles_taken_for_one_do_not_hide_them():
    whole = row_of_tiles()
    both = located((whole[2].centre[0] + whole[3].centre[0]) / 2, 60, side=29, score=0.95)
    found = [*whole, both]
    assert spots(of_one_size(found, [tile.score for tile in found])) == spots(whole)


def test_many_engravings_do_not_outvote_the_tiles_they_are_on():
    whole = [located(40 + 64 * place, 80, side=60, score=0.8) for place in range(4)]
    circles = [
        located(tile.centre[0] + x, 80 + y, side=14, score=0.75)
        for tile in whole
        for x in (-14, 14)
        for y in (-20, 20)
    ]
    found = [*whole, *circles]
    assert spots(of_one_size(found, [tile.score for tile in found])) == spots(whole)


def test_sizes_may_change_slowly_from_near_to_far():
    row = [located(40 + 30 * place, 60, side=34 - 0.6 * place) for place in range(16)]
    assert spots(of_one_size(row, [0.9] * 16)) == spots(row)


@pytest.mark.parametrize(
    ("width", "height"), [(40, 50), (240, 320), (640, 480), (1920, 1080), (4056, 3040)]
)
def test_some_scale_suits_tiles_of_every_size(width, height):
    found = scales(np.zeros((height, width, 3), np.uint8))
    assert max(width, height) * found[0] <= LARGEST_LOOK_PX
    for side_px in np.geomspace(BEST_SIDE_PX / found[0], max(width, height) / 4, 20):
        off = min(abs(np.log2(side_px * scale / BEST_SIDE_PX)) for scale in found)
        assert off < 0.51  # within half a step: a step halves the picture


def test_a_place_is_looked_at_once_more_only_where_no_tile_was_found():
    odd = [located(100, 100, score=0.5), located(103, 101, score=0.7), located(52, 50)]
    (spot,) = alone(odd, [located(50, 50)], tile_px=20)
    assert spot == pytest.approx([103, 101], abs=0.01)


def test_tiles_that_look_like_several_small_ones_are_found_on_a_full_table():
    rng = np.random.default_rng([777_001, 2])  # of this one three were missed
    drawn = Renderer(CameraModel.above_table(), Look()).draw(
        scenes.table_layout(rng, scenes.RIICHI), rng
    )
    found = Locator(threads=2).find(drawn.image, tile_px=29, at_least=0.35)
    centres = np.array([tile.centre for tile in found])
    for tile in drawn.truth:
        if tile.facing is Facing.UP and tile.visible > 0.8:
            middle = np.mean(tile.quad_px, axis=0)
            assert np.hypot(*(centres - middle).T).min() < 8, tile.label


def test_an_empty_table_holds_no_tiles():
    frame = Renderer(CameraModel.above_table(), Look()).draw([], np.random.default_rng(0))
    assert Locator(threads=2).find(frame.image, tile_px=29) == []


def test_a_lone_tile_is_outlined_within_a_millimetre():
    camera = CameraModel.above_table()
    placed = [PlacedTile("5p", (80.0, -120.0), 33.0)]
    frame = Renderer(camera, Look()).draw(placed, np.random.default_rng(0))
    (found,) = Locator(threads=2).find(frame.image, tile_px=29)
    truth = np.array(frame.truth[0].quad_px)
    away = min(np.abs(np.roll(found.quad, turn, axis=0) - truth).max() for turn in (0, 2))
    assert away < 1.5 * 1.46  # 1.46 pixels a millimetre
