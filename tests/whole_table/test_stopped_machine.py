"""Players whose machine stands still: with a fault console they wait, else they say so."""

from __future__ import annotations

import asyncio

import pytest

from table_controller.machine import Phase
from table_controller.rules import find_ruleset
from table_controller.rules.core.seats import Seat
from table_controller.simulation.run import Simulation, running
from table_controller.simulation.walls import NoWallsError


def simulation(**given):
    ruleset = find_ruleset("korean_japanese_3p")
    return Simulation(ruleset, ruleset.options, pixels=False, **given)


async def test_without_a_fault_console_nobody_puts_the_machine_right():
    async with running(simulation()) as table:
        table.hardware.world.inject("estop", None, 1.0)
        with pytest.raises(NoWallsError, match="raises no walls"):
            await table.session.walls.raise_walls(Seat.A)


async def test_players_wait_until_the_machine_is_put_right(tmp_path):
    async with running(simulation(console=tmp_path / "console")) as table:
        table.hardware.world.inject("estop", None, 1.0)
        walls = asyncio.create_task(table.session.walls.raise_walls(Seat.A))
        until = table.hardware.clock.now() + 120
        while table.hardware.clock.now() < until:
            await asyncio.sleep(0.01)
        assert not walls.done()
        assert table.machine.phase is Phase.ESTOP
        table.hardware.world.inject("estop", None, 0.0)
        raised = await walls
    assert len(raised.tiles) == table.hardware.layout.tiles


@pytest.mark.parametrize(
    ("verb", "where", "code"),
    [("double_push", "head.1", "H03"), ("extra_tile", None, "T03"), ("lost_tile", None, "T02")],
)
async def test_players_do_what_the_screen_says_and_the_deal_goes_on(verb, where, code):
    """Rows that are not sure come up and go in again, without what does not belong."""
    async with running(simulation(sets=("A",))) as table:
        walls = asyncio.create_task(table.session.walls.raise_walls(Seat.A))
        while not sum(table.bridge.state.tiles if table.bridge.state else ()):
            await asyncio.sleep(0.01)
        table.hardware.world.inject(verb, where)
        raised = await walls
        assert code in table.machine.book.counts
        assert len(raised.tiles) == table.hardware.layout.tiles
        assert table.hardware.world.on_violation == []


async def test_players_throw_their_own_dice_where_the_dome_does_not(tmp_path):
    async with running(simulation()) as table:
        table.hardware.world.inject("jam", "dice", 1.0)
        raised = await table.session.walls.raise_walls(Seat.A)
    assert all(1 <= die <= 6 for die in raised.dice)
