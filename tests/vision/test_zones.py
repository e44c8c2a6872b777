"""The play surface: every pose lies in its zone, nothing overlaps, and rows read back in order."""

from __future__ import annotations

from itertools import combinations

import cv2
import numpy as np
import pytest

from vision.types import Facing, PlacedTile, Sighting, Zone, ZoneKind
from vision.zones import CONCEALED_KONG, MeldShape, Pose, TableGeometry, turn

TABLE = TableGeometry()
WIDE_WALLS = TableGeometry(wall_stacks=(19, 19, 19, 19))
THREE = TableGeometry(seats=(0, 1, 2), wall_stacks=(14, 14, 13, 13))
OPEN_KONG = MeldShape(4, sideways=1)
ADDED_KONG = MeldShape(4, sideways=0, added=True)
FULL_MELDS = (OPEN_KONG, CONCEALED_KONG, ADDED_KONG, MeldShape(4, sideways=2))


def crowded(table: TableGeometry) -> list[tuple[Zone, Pose]]:
    """The fullest table: long ponds with ready tiles, four kongs, flowers, walls and hands."""
    poses: list[tuple[Zone, Pose]] = []
    for seat in table.seats:
        pond = [table.pond_place(seat, index, {4, 17}) for index in range(24)]
        melds = [pose for meld in table.meld_poses(seat, FULL_MELDS) for pose in meld]
        for kind, found in (
            (ZoneKind.POND, pond),
            (ZoneKind.MELDS, melds),
            (ZoneKind.FLOWERS, table.flower_poses(seat, 8)),
            (ZoneKind.HAND, table.hand_poses(seat, 17, shown=True, drawn_apart=True)),
        ):
            poses += [(Zone(kind, seat), pose) for pose in found]
    for side in range(4):
        poses += [(Zone(ZoneKind.WALL, side), pose) for pose in table.wall_poses(side)]
    return poses


def box(pose: Pose, table: TableGeometry) -> tuple[tuple[float, float], tuple[float, float], float]:
    """The tile's outline as OpenCV's rotated rectangle, a hair smaller than the tile."""
    depth = table.tile.thickness_mm if pose.facing is Facing.STANDING else table.tile.length_mm
    return pose.centre_mm, (table.tile.width_mm - 0.01, depth - 0.01), pose.angle_deg


@pytest.mark.parametrize("table", [TABLE, WIDE_WALLS, THREE])
def test_every_pose_of_a_full_table_lies_in_its_own_zone(table):
    for zone, pose in crowded(table):
        assert table.zone_of(pose.centre_mm) == zone


@pytest.mark.parametrize("table", [TABLE, WIDE_WALLS, THREE])
def test_no_two_tiles_of_a_full_table_overlap(table):
    poses = [pose for _, pose in crowded(table)]
    for one, other in combinations(poses, 2):
        near = np.hypot(*np.subtract(one.centre_mm, other.centre_mm)) < 34
        if near and one.layer == other.layer:
            area, _ = cv2.rotatedRectangleIntersection(box(one, table), box(other, table))
            assert area == cv2.INTERSECT_NONE, (one, other)


def test_the_four_ponds_hold_thirty_six_tiles_each():
    for seat in range(4):
        for index in range(36):
            pose = TABLE.pond_place(seat, index)
            assert TABLE.zone_of(pose.centre_mm) == Zone(ZoneKind.POND, seat)


def test_everything_stays_in_the_picture():
    for _, pose in crowded(TABLE):
        assert max(map(abs, pose.centre_mm)) + TABLE.tile.width_mm / 2 <= TABLE.felt_mm / 2


def test_the_zones_of_one_seat_are_the_other_seats_zones_turned():
    rng = np.random.default_rng(4)
    for x, y in rng.uniform(-380, 380, (3000, 2)):
        zone = TABLE.zone_of((x, y))
        turned = TABLE.zone_of(turn((x, y), 90))
        assert turned.kind is zone.kind
        assert turned.seat == (None if zone.seat is None else (zone.seat + 1) % 4)


def test_a_tile_lies_upright_for_its_owner():
    for seat in range(4):
        assert TABLE.pond_place(seat, 0).angle_deg == 90 * seat
        ready = TABLE.pond_place(seat, 3, {3})
        assert TABLE.seat_angle(seat, ready.angle_deg) == pytest.approx(90)
        assert TABLE.is_sideways(seat, ready.angle_deg)
        assert not TABLE.is_sideways(seat, 90 * seat + 175)


def test_a_sideways_tile_pushes_its_row_along_and_no_other_row():
    plain = [TABLE.pond_place(0, index) for index in range(12)]
    ready = [TABLE.pond_place(0, index, {2}) for index in range(12)]
    wider = TABLE.tile.length_mm - TABLE.tile.width_mm
    assert [pose.centre_mm for pose in ready[:2]] == [pose.centre_mm for pose in plain[:2]]
    for index in range(3, 6):
        assert ready[index].centre_mm[0] - plain[index].centre_mm[0] == pytest.approx(wider)
    assert ready[6:] == plain[6:]


def test_rows_of_a_pond_grow_from_the_centre_toward_the_owner():
    for seat in range(4):
        depths = [
            -TABLE.seat_frame(seat, TABLE.pond_place(seat, index).centre_mm)[1]
            for index in (0, 6, 12, 24)
        ]
        assert depths == sorted(depths)
        assert len(set(depths)) == 4


def test_melds_begin_at_the_right_corner_and_grow_leftward():
    first, second = TABLE.meld_poses(0, [MeldShape(3, sideways=0), MeldShape(3, sideways=2)])
    assert max(pose.centre_mm[0] for pose in second) < min(pose.centre_mm[0] for pose in first)
    assert first[-1].centre_mm[0] == pytest.approx(TABLE.melds_to_mm - 10.2)


def test_an_added_tile_lies_sideways_above_the_called_one():
    (meld,) = TABLE.meld_poses(2, [ADDED_KONG])
    called, added = (TABLE.seat_frame(2, meld[place].centre_mm) for place in (0, -1))
    assert added[0] == pytest.approx(called[0])
    assert added[1] - called[1] == pytest.approx(TABLE.tile.width_mm + TABLE.gap_mm)


def test_a_concealed_kong_shows_its_middle_tiles():
    (meld,) = TABLE.meld_poses(1, [CONCEALED_KONG])
    facings = [pose.facing for pose in meld]
    assert facings == [Facing.DOWN, Facing.UP, Facing.UP, Facing.DOWN]


def sighting(tile: PlacedTile) -> Sighting:
    return Sighting(tile.label, 1.0, tile.centre_mm, tile.angle_deg, TABLE.zone_of(tile.centre_mm))


@pytest.mark.parametrize("seat", range(4))
def test_an_untidy_pond_reads_back_in_order(seat):
    rng = np.random.default_rng(seat)
    tiles = [TABLE.pond_place(seat, index, {9, 14}).of(str(index)) for index in range(22)]
    seen = [sighting(tile) for tile in tiles]
    jittered = [
        Sighting(
            found.label,
            1.0,
            (found.centre_mm[0] + rng.normal(0, 1.5), found.centre_mm[1] + rng.normal(0, 1.5)),
            found.angle_deg,
            found.zone,
        )
        for found in seen
    ]
    shuffled = [jittered[place] for place in rng.permutation(len(jittered))]
    rows = TABLE.in_order(Zone(ZoneKind.POND, seat), shuffled)
    assert [len(row) for row in rows] == [6, 6, 10]
    assert [int(found.label) for row in rows for found in row] == list(range(22))


def test_a_table_whose_parts_overlap_is_refused():
    with pytest.raises(ValueError, match="wall_from_mm"):
        TableGeometry(wall_from_mm=150)
    with pytest.raises(ValueError, match="melds_to_mm"):
        TableGeometry(hand_from_mm=320)


def test_an_empty_seat_owns_nothing_but_its_wall():
    table = TableGeometry(seats=(0, 1, 2))
    assert {zone.kind for zone in table.zones() if zone.seat == 3} == {ZoneKind.WALL}
    assert table.zone_of(TABLE.pond_place(3, 0).centre_mm).kind is ZoneKind.OUTSIDE


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: MeldShape(0), "0 tiles"),
        (lambda: MeldShape(3, sideways=3), "not among the 3"),
        (lambda: MeldShape(4, added=True), "sideways tile it is added to"),
        (lambda: TABLE.pond_place(0, -1), "count from 0"),
        (lambda: TABLE.wall_place(0, 17, 0), "stacks 0 to 16"),
        (lambda: TableGeometry(seats=(0, 4)), "seats"),
    ],
)
def test_what_cannot_lie_on_a_table_is_refused(make, says):
    with pytest.raises(ValueError, match=says):
        make()
