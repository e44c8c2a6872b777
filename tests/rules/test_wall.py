"""Walls: the order of drawing, the dead wall, and replacement tiles from the back."""

from __future__ import annotations

import random

import pytest

from table_controller.conductor import Conductor
from table_controller.rules import find_ruleset
from table_controller.rules.core.errors import CaseError
from table_controller.rules.core.events import Discarded
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.tiles import STANDARD_144, Tile
from table_controller.rules.core.wall import Wall, WallPlace, broken_side, wall_order
from table_controller.store import Store
from table_controller.table import Table
from table_controller.web.views import Sight, deal_view
from vision.zones import TableGeometry


@pytest.mark.parametrize(
    ("dice", "side"), [(5, 0), (9, 0), (2, 1), (6, 1), (10, 1), (3, 2), (7, 2), (4, 3), (12, 3)]
)
def test_the_dice_name_the_wall(dice, side):
    assert broken_side(Seat.A, dice, 4) == side


def test_the_wall_is_taken_clockwise_from_the_gap_upper_tile_first():
    order = wall_order((17, 17, 17, 17), Seat.A, 7)
    assert len(set(order)) == 136
    assert order[:3] == [WallPlace(0, 7, 1), WallPlace(0, 7, 0), WallPlace(0, 8, 1)]
    assert order[20] == WallPlace(3, 0, 1)  # ten stacks on, the wall to the left
    assert order[-1] == WallPlace(0, 6, 0)


@pytest.mark.parametrize("seed", range(20))
def test_front_and_back_meet_and_every_live_tile_is_taken_once(seed):
    rng = random.Random(seed)
    tiles = list(range(144))
    wall = Wall(tuple(tiles), reserved=rng.choice([0, 1, 14]))
    taken = []
    while wall.left:
        taken.append(wall.draw() if rng.random() < 0.8 else wall.replace())
    assert sorted(taken) == tiles[: 144 - wall.reserved]
    with pytest.raises(CaseError):
        wall.draw()
    with pytest.raises(CaseError):
        wall.replace()


def test_a_dead_wall_gives_replacements_and_indicators_by_stack():
    wall = Wall(
        tuple(STANDARD_144.tiles()[:136]),
        reserved=14,
        dead=(134, 135, 132, 133),
        indicators=(130, 128),
        under=(131, 129),
    )
    left = wall.left
    assert wall.replace() == wall.tiles[134]
    assert wall.left == left - 1
    assert wall.indicator() == wall.tiles[130]
    assert wall.under_indicators() == (wall.tiles[131],)
    assert 134 not in wall.standing()


@pytest.mark.parametrize(("dice", "side"), [((4, 5), 0), ((1, 1), 1), ((3, 4), 2), ((6, 6), 3)])
def test_the_screen_says_where_the_dice_break_the_wall_of_riichi(dice, side):
    table = Table.open(Store(":memory:"), find_ruleset("riichi_4p"))
    Conductor(table.ruleset, table.options, table, TableGeometry()).begin_deal(dice)
    assert deal_view(table, Sight())["break"] == {"seat": side, "stacks": sum(dice)}
    table.append(Discarded(seat=Seat.A, tile=Tile.parse("1z")))
    assert deal_view(table, Sight())["break"] is None
