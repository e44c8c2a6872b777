"""Scenes: right place, right zone, only of still tables, and doubt is kept."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.vision.fakes import PLAIN, BackReader, back
from vision.camera import CameraModel
from vision.frames import Frame, Picture
from vision.render import Hand, Renderer
from vision.scene import SceneSettings, Stillness, Watcher, agreed, to_sightings
from vision.types import Detection, Guess, PlacedTile, Sighting, Zone, ZoneKind
from vision.zones import MeldShape, TableGeometry

CAMERA = CameraModel.above_table()
TABLE = TableGeometry()
RENDERER = Renderer(CAMERA, PLAIN)
NOISE = np.random.default_rng(0)
POND = Zone(ZoneKind.POND, 0)


def placed(*spots: tuple[int, int]) -> list[PlacedTile]:
    """Face-down tiles on pond places that do not touch each other."""
    return [replace(TABLE.pond_place(seat, index), facing="down").of("bk") for seat, index in spots]


SPREAD = placed((0, 0), (0, 14), (1, 2), (2, 5), (2, 12), (3, 16))


class Film:
    """Feeds a watcher one picture every tenth of a second."""

    def __init__(self, settings: SceneSettings | None = None) -> None:
        self.reader = BackReader()
        self.watcher = Watcher(CAMERA, TABLE, self.reader, settings)
        self.time_s = 0.0

    def feed(self, tiles: list[PlacedTile], *hands: Hand, times: int = 1):
        scenes = []
        for _ in range(times):
            image = RENDERER.draw(tiles, NOISE, hands=hands, with_truth=False).image
            scenes.append(self.watcher.feed(Frame(image, self.time_s)))
            self.time_s += 0.1
        return scenes


def test_tiles_are_found_within_a_millimetre_of_where_they_lie():
    _, scene = Film().feed(SPREAD, times=2)
    assert len(scene.sightings) == len(SPREAD)
    for tile in SPREAD:
        found = min(
            scene.sightings,
            key=lambda seen: np.hypot(*np.subtract(seen.centre_mm, tile.centre_mm)),
        )
        assert np.hypot(*np.subtract(found.centre_mm, tile.centre_mm)) < 1.0
        assert found.zone == TABLE.zone_of(tile.centre_mm)
        turned = (found.angle_deg - tile.angle_deg + 90) % 180 - 90  # a back has no top
        assert abs(turned) < 3


def test_the_upper_layer_of_a_wall_is_not_pushed_outward():
    for side in range(4):
        tile = TABLE.wall_place(side, 0, 1)
        (truth,) = RENDERER.draw([tile.of("bk")], NOISE).truth
        (seen,) = to_sightings([back(np.array(truth.quad_px))], CAMERA, TABLE)
        assert np.hypot(*np.subtract(seen.centre_mm, tile.centre_mm)) < 0.2
        assert seen.zone == Zone(ZoneKind.WALL, side)


def test_one_still_frame_is_not_enough():
    first, second = Film().feed(SPREAD, times=2)
    assert first is None
    assert second.frames == 2


def test_a_moving_hand_is_waited_for():
    film = Film()
    film.feed(SPREAD, times=2)
    for step in range(5):
        hand = Hand((-120 + 40 * step, -60), (-150, -420))
        assert film.feed(SPREAD, hand) == [None]
        assert film.watcher.state is Stillness.MOVING
    assert film.feed(SPREAD) == [None]  # the hand has just gone
    assert film.feed(SPREAD, times=2)[0] is None


def test_a_new_tile_makes_a_new_scene_and_an_unchanged_table_makes_none():
    film = Film()
    assert film.feed(SPREAD, times=2)[-1] is not None
    calls = film.reader.calls
    assert film.feed(SPREAD, times=10) == [None] * 10
    assert film.reader.calls == calls
    more = [*SPREAD, *placed((1, 15))]
    *_, scene = film.feed(more, times=3)
    assert len(scene.sightings) == len(more)


def test_only_what_has_changed_is_read_again():
    film = Film()
    film.feed(SPREAD, times=2)
    before = film.reader.pixels
    more = [*SPREAD, *placed((1, 15))]
    *_, scene = film.feed(more, times=3)
    assert len(scene.sightings) == len(more)
    assert film.reader.pixels - before < 0.2 * 2 * 1920 * 1080
    fewer = more[1:]
    *_, scene = film.feed(fewer, times=3)
    assert len(scene.sightings) == len(fewer)
    assert film.reader.pixels - before < 0.4 * 2 * 1920 * 1080


class Shortsighted(BackReader):
    """Reads large pictures well; in smaller ones it overlooks tiles and is unsure of the others."""

    def __init__(self, *, width_px: int = 1000, loses: int = 1, sure: float = 0.9) -> None:
        super().__init__()
        self.width_px, self.loses, self.sure = width_px, loses, sure

    def detect(self, image: Picture) -> list[Detection]:
        found = super().detect(image)
        if image.shape[1] >= self.width_px:
            return found
        return [replace(tile, confidence=self.sure) for tile in found[self.loses :]]


def film_with(reader: BackReader) -> Film:
    film = Film()
    film.reader = reader
    film.watcher = Watcher(CAMERA, TABLE, reader)
    return film


def beside(tile: PlacedTile, away_mm: float) -> PlacedTile:
    """A tile to the left of another, so near that both are read when one of them comes."""
    x, y = tile.centre_mm
    return replace(tile, centre_mm=(x - away_mm, y))


def test_a_tile_that_looks_as_before_is_there_though_a_part_of_the_picture_does_not_show_it():
    (new,) = placed((0, 14))
    near = beside(new, 28)
    film = film_with(Shortsighted())
    film.feed([near], times=2)
    before = film.reader.pixels
    *_, scene = film.feed([near, new], times=3)
    assert film.reader.pixels - before < 0.2 * 2 * 1920 * 1080
    assert len(scene.sightings) == 2


def test_an_unsure_tile_is_looked_at_in_several_cuts_of_the_picture():
    (new,) = placed((2, 15))
    film = film_with(Shortsighted(width_px=330, sure=0.7))
    film.feed(SPREAD, times=2)
    *_, scene = film.feed([*SPREAD, new, beside(new, 24)], times=3)
    assert len(scene.sightings) == len(SPREAD) + 2
    assert {seen.confidence for seen in scene.sightings} == {0.9}


def test_a_tile_that_is_gone_is_looked_for_more_closely():
    (moved,) = placed((2, 15))
    film = film_with(Shortsighted(width_px=330))
    film.feed([*SPREAD, moved], times=2)
    shoved = beside(moved, 10)  # all of it has changed, and the part that is read overlooks it
    *_, scene = film.feed([*SPREAD, shoved], times=3)
    assert len(scene.sightings) == len(SPREAD) + 1
    *_, scene = film.feed(SPREAD, times=3)
    assert len(scene.sightings) == len(SPREAD)


def test_another_look_at_an_unchanged_table_reads_all_of_it_cut_otherwise():
    film = Film()
    film.feed(SPREAD, times=2)
    widths = []
    detect = film.reader.detect
    film.reader.detect = lambda image: widths.append(image.shape[1]) or detect(image)
    image = RENDERER.draw(SPREAD, NOISE).image
    for _ in range(4):
        again = film.watcher.feed(Frame(image, film.time_s), always=True)
    assert again is not None
    assert len(widths) == 4
    assert min(widths) ** 2 > film.watcher.felt_px
    assert len(set(widths)) == 2


def test_a_table_that_has_changed_everywhere_is_read_whole():
    film = Film()
    film.feed([], times=2)
    before = film.reader.pixels
    full = [
        pose.of("bk")
        for seat in range(4)
        for pose in (
            *(TABLE.pond_place(seat, index) for index in range(18)),
            *TABLE.wall_poses(seat),
            *TABLE.hand_poses(seat, 14),
        )
    ]
    assert film.feed(full, times=3)[-1] is not None
    assert film.reader.pixels - before >= 2 * film.watcher.felt_px


def test_reading_by_parts_ends_where_reading_at_once_does():
    rng = np.random.default_rng(6)
    spots = [(seat, index) for seat in range(4) for index in (0, 2, 4, 12, 14, 16, 18)]
    film, lying = Film(), []
    for _ in range(14):
        if lying and rng.random() < 0.3:
            lying.pop(int(rng.integers(len(lying))))
        lying.append(spots.pop(int(rng.integers(len(spots)))))
        tiles = placed(*lying)
        scene = next(scene for scene in film.feed(tiles, times=3)[::-1] if scene is not None)
        assert len(scene.sightings) == len(tiles)
        for tile in tiles:
            off = [
                np.hypot(*np.subtract(seen.centre_mm, tile.centre_mm)) for seen in scene.sightings
            ]
            assert sum(gap < 1.0 for gap in off) == 1


def test_an_unchanged_table_is_read_again_now_and_then():
    film = Film(SceneSettings(reread_s=1.0))
    film.feed(SPREAD, times=2)
    later = [scene for scene in film.feed(SPREAD, times=14) if scene is not None]
    assert len(later) == 1


def test_tiles_under_a_resting_arm_are_covered_and_not_gone():
    film = Film(SceneSettings(patience_s=0.5))
    film.feed(SPREAD, times=2)
    arm = Hand((-40, -70), (-60, -420))
    scenes = film.feed(SPREAD, arm, times=12)
    assert film.watcher.state is Stillness.STILL
    first = next(number for number, scene in enumerate(scenes) if scene is not None)
    assert first >= 5  # half a second of patience
    scene = scenes[first]
    hidden = [seen for seen in scene.sightings if seen.is_covered]
    assert len(scene.sightings) == len(SPREAD)
    assert hidden
    assert all(seen.zone == POND for seen in hidden)
    *_, after = [scene for scene in film.feed(SPREAD, times=4) if scene is not None]
    assert not any(seen.is_covered for seen in after.sightings)


def test_a_resting_arm_is_waited_for_before_patience_ends():
    film = Film(SceneSettings(patience_s=60))
    film.feed(SPREAD, times=2)
    assert film.feed(SPREAD, Hand((-40, -70), (-60, -420)), times=8) == [None] * 8
    assert film.watcher.state is Stillness.ARM_OVER_TABLE


def test_a_new_deal_is_no_arm():
    film = Film(SceneSettings(patience_s=60))
    melds = [
        pose.of("bk")
        for seat in range(4)
        for meld in TABLE.meld_poses(seat, [MeldShape(3), MeldShape(3), MeldShape(3)])
        for pose in meld
    ]
    film.feed([*melds, *(pose.of("bk") for pose in TABLE.flower_poses(0, 8))], times=2)
    scenes = film.feed(
        [pose.of("bk") for side in range(4) for pose in TABLE.wall_poses(side)], times=3
    )
    assert scenes[-1] is not None


def test_a_flickering_lamp_is_no_motion():
    film = Film()
    image = RENDERER.draw(SPREAD, NOISE).image
    film.watcher.feed(Frame(image, 0.0))
    dimmed = cv2.subtract(image, np.full_like(image, 9))
    assert film.watcher.feed(Frame(dimmed, 0.1)) is not None


def seen(
    label: str, confidence: float, x: float, *others: Guess, covered: bool = False
) -> Sighting:
    return Sighting(label, confidence, (x, -80.0), 0.0, POND, others, is_covered=covered)


def test_frames_that_disagree_keep_both_labels():
    readings = [
        [seen("6p", 0.9, 0, Guess("9p", 0.1))],
        [seen("9p", 0.6, 1, Guess("6p", 0.4))],
        [seen("6p", 0.7, 0.5, Guess("9p", 0.2))],
    ]
    (found,) = agreed(readings, SceneSettings())
    assert found.label == "6p"
    assert found.confidence == pytest.approx((0.9 + 0.4 + 0.7) / 3)
    (other,) = found.others
    assert other.label == "9p"
    assert other.confidence == pytest.approx(0.3)
    assert found.centre_mm[0] == pytest.approx(0.5)


def test_every_frames_second_guess_can_be_the_likeliest_of_all():
    readings = [
        [seen("6p", 0.5, 0, Guess("8p", 0.45))],
        [seen("9p", 0.5, 0, Guess("8p", 0.45))],
    ]
    (found,) = agreed(readings, SceneSettings())
    assert (found.label, found.confidence) == ("8p", pytest.approx(0.45))
    assert {other.label for other in found.others} == {"6p", "9p"}


def test_what_only_one_of_three_frames_saw_is_left_out():
    readings = [
        [seen("1m", 0.9, 0)],
        [seen("1m", 0.9, 0), seen("5z", 0.5, 40)],
        [seen("1m", 0.9, 0)],
    ]
    assert [found.label for found in agreed(readings, SceneSettings())] == ["1m"]


def test_neighbours_do_not_merge():
    row = [seen("1m", 0.9, 0), seen("2m", 0.9, 20)]
    assert [found.label for found in agreed([row, row[::-1]], SceneSettings())] == ["1m", "2m"]


def test_angles_near_zero_average_to_zero():
    one, two = seen("1m", 0.9, 0), seen("1m", 0.9, 0)
    readings = [[replace(one, angle_deg=358.0)], [replace(two, angle_deg=2.0)]]
    (found,) = agreed(readings, SceneSettings())
    assert (found.angle_deg + 180) % 360 == pytest.approx(180, abs=1e-6)


def test_no_detections_make_an_empty_scene():
    class Blind:
        def detect(self, image: Picture) -> list[Detection]:
            return []

    watcher = Watcher(CAMERA, TABLE, Blind(), SceneSettings(agree=1))
    scene = watcher.feed(Frame(np.zeros((1080, 1920, 3), np.uint8), 0.0))
    assert scene is not None
    assert scene.sightings == ()
