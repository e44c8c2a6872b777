"""What simulated people do with tiles, and what the fault console calls things."""

from __future__ import annotations

import random
from types import SimpleNamespace

import pytest

from firmware_bridge.layout import TableLayout
from firmware_bridge.parts import SIDES, Actuator
from firmware_bridge.simulator import Place, World, WorldError
from table_controller.simulation.hands import _injected
from table_controller.simulation.walls import MachineWalls

LAYOUT = TableLayout("24", (3, 3, 3, 3))


@pytest.fixture
def world():
    return World(LAYOUT, [f"tile {number}" for number in range(LAYOUT.tiles)])


def test_players_pick_up_what_somebody_has_knocked_off_the_walls(world):
    for number, side in enumerate(world.sides):
        side.wall = list(range(6 * number, 6 * number + 6))
    world.surface.clear()
    walls = MachineWalls(SimpleNamespace(world=world, layout=LAYOUT), None, None, random.Random(1))
    walls._ids = tuple(range(24))
    walls.take([0, 1])
    world.surface.update(world.sides[1].wall)  # a row came up below that wall
    world.sides[1].wall.clear()
    walls.take([5, 6, 7])
    world.audit()
    assert world.tiles_at(Place.SURFACE) == [0, 1, 5, *range(6, 12)]
    world.floor.add(world.sides[2].wall.pop())
    with pytest.raises(WorldError, match="stands in no wall"):
        walls.take([17])


@pytest.mark.parametrize(("name", "side"), [("south", 0), ("east", 1), ("north", 2), ("west", 3)])
def test_the_fault_console_calls_the_sides_as_its_help_does(world, name, side):
    asked = f'{{"verb": "jam", "where": "conveyor.{name}"}}'.encode()
    assert _injected(world, asked) == {"done": "jam"}
    jammed = [world.motors[Actuator(Actuator.CONVEYOR_0 + n)].blocked for n in range(SIDES)]
    assert jammed == [n == side for n in range(SIDES)]


@pytest.mark.parametrize("where", ["conveyor.middle", 7, None])
def test_a_place_that_nobody_knows_is_answered(world, where):
    asked = '{"verb": "jam", "where": %s}' % ("null" if where is None else f'"{where}"')
    assert "there is no part" in _injected(world, asked.encode())["error"]
    assert "error" in _injected(world, b'{"verb": "jam", "where": 7}')
