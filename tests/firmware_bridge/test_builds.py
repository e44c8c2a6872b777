"""Builds by the hundred with random faults: every tile is accounted for at every moment."""

from __future__ import annotations

import asyncio
import random
from collections import Counter

import pytest

from firmware_bridge.bridge import MotionFailedError, RefusedError
from firmware_bridge.layout import PRESETS, TableLayout
from firmware_bridge.messages import ClearFault, Home, Unlock
from firmware_bridge.parts import Actuator
from firmware_bridge.simulator import Place
from tests.firmware_bridge.rigged import LEASE, SMALL, Rigged, rigged

SIZES = ("136", "144", "152", "108", "84")
PASSING = (  # verb, where, amount, how it is mended: what a table survives with help
    ("soft_jam", "drum", 1.0),
    ("soft_jam", "conveyor.1", 1.0),
    ("slow", "conveyor.2", 1.5),
    ("slow_feed", None, 0.7),
    ("brown_out", None, 30.0),
    ("noise", None, 0.003),
)
STOPPING = (
    ("brown_out", None, 300.0),
    ("jam", "drum", 1.0),
    ("lost_tile", None, 1.0),
    ("lid", None, 1.0),
    ("estop", None, 1.0),
)


async def audited(it: Rigged, task: asyncio.Future[object]) -> None:
    """Look at every tile and every interlock while something runs."""
    while not task.done():
        it.safe()
        await it.sleep(0.25)


async def one_build(it: Rigged, chance: random.Random, seen: Counter[str]) -> None:
    """A whole round with perhaps a fault in it; the table is whole again afterwards."""
    world = it.world
    await it.fill()
    verb: tuple[str, str | None, float] | None = None
    kind = chance.randrange(4)
    if kind == 0:
        verb = chance.choice(PASSING)
    elif kind == 1:
        verb = chance.choice(STOPPING)
    task = asyncio.ensure_future(it.build())
    watch = asyncio.ensure_future(audited(it, task))
    if verb is not None:
        await it.sleep(chance.uniform(0.0, 6.0))
        world.inject(*verb)
        seen[verb[0]] += 1
    try:
        built = await task
    except MotionFailedError as error:
        await watch
        seen["stopped"] += 1
        await mend(it, error)
        built = await it.bridge.execute(it.build_command(again=True))
    await watch
    world.inject("noise", None, 0)
    for part in ("drum", "conveyor.1"):
        world.inject("soft_jam", part, 0)
    world.inject("slow", "conveyor.2", 1.0)
    world.inject("slow_feed", None, 1.0)
    assert built.verified
    assert built.stacks == it.layout.stacks
    await it.raise_walls()
    it.safe()
    standing = sorted(tile for side in world.walls() for stack in side for tile in stack)
    assert standing == sorted(world.sets["A"])
    world.clear_walls()


async def mend(it: Rigged, error: MotionFailedError) -> None:
    """What the staff does: take the cause away, confirm, home, put the lost tile back."""
    world = it.world
    world.inject("jam", "drum", 0)
    world.inject("lid", None, 0)
    world.inject("estop", None, 0)
    await it.sleep(1.0)
    state = it.bridge.state
    with pytest.raises(RefusedError):
        await it.raise_walls()  # never with counts that are not verified
    if state is not None and state.fault:
        await it.bridge.execute(ClearFault(state.fault))
    await it.bridge.execute(Unlock())
    await it.bridge.execute(Home(LEASE))
    await it.sleep(21.0)  # the drum may have to cool down
    fallen = world.tiles_at(Place.FLOOR)
    if fallen:
        from firmware_bridge.parts import CentrePlace

        await it.centre(CentrePlace.UP)
        world.push_into_mouth(fallen)
        await it.centre(CentrePlace.DOWN)


async def many_builds(layout: TableLayout, count: int, seed: int) -> Counter[str]:
    """So many builds in a row on one table."""
    chance = random.Random(seed)
    seen: Counter[str] = Counter()
    async with rigged(layout, seed=seed) as it:
        for _ in range(count):
            await one_build(it, chance, seen)
        hours = it.world.now_ms / 3_600_000
    print(f"{layout.name}: {count} builds, {hours:.1f} table hours, {dict(seen)}")
    return seen


async def test_builds_with_random_faults_account_for_every_tile():
    seen = await many_builds(SMALL, 6, 3)
    assert seen["stopped"] > 0


OFTEN = ("144", "108-three-sides", "72-two-sides", "136-hands", "136-chain")


@pytest.mark.parametrize(
    "name",
    [name if name in OFTEN else pytest.param(name, marks=pytest.mark.long) for name in PRESETS],
)
async def test_every_layout_of_the_catalogue_is_built_and_raised(name):
    async with rigged(PRESETS[name], seed=2) as it:
        await it.fill()
        built = await it.build()
        assert built.verified
        assert built.tiles == it.layout.tiles
        await it.raise_walls()
        assert tuple(len(side) for side in it.world.walls()) == it.layout.stacks
        assert tuple(len(hand) for hand in it.world.dealt_hands()) == it.layout.hands


@pytest.mark.long
@pytest.mark.parametrize("name", SIZES)
async def test_two_hundred_builds_of_each_size(name):
    await many_builds(PRESETS[name], 200, 11 + SIZES.index(name))


async def test_the_shuffle_is_seeded_and_another_seed_is_another_wall():
    walls = []
    for seed in (4, 4, 5):
        async with rigged(SMALL, seed=seed) as it:
            await it.fill()
            await it.build()
            await it.raise_walls()
            walls.append(it.world.walls())
    assert walls[0] == walls[1]
    assert walls[0] != walls[2]


async def test_a_planted_wall_comes_out_as_planted():
    async with rigged(SMALL, seed=4) as it:
        tiles = list(it.world.sets["A"])
        random.Random(9).shuffle(tiles)
        stacks = [
            [tuple(tiles[side * 6 + n * 2 : side * 6 + n * 2 + 2]) for n in range(3)]
            for side in range(4)
        ]
        it.world.plant_walls(stacks)
        it.world.plant_dice((2, 5))
        await it.fill()
        await it.build()
        await it.raise_walls()
        assert it.world.walls() == stacks
        from firmware_bridge.messages import RollDice

        await it.bridge.execute(RollDice(800, LEASE))
        assert it.world.dice() == (2, 5)


async def test_a_stop_at_any_moment_of_a_heads_turn_loses_no_tile_and_counts_none_twice():
    """One turn takes 300 ms: stopped before, while and after the cam takes and pushes its tile."""
    layout = TableLayout("8", (1, 1, 1, 1))
    for wait_ms in range(0, 340, 20):
        async with rigged(layout, seed=6) as it:
            await it.fill()
            task = await it.begin(it.build_command())
            await it.until(lambda b: b.state.forward >> Actuator.HEAD_0 & 15)
            await it.sleep(wait_ms / 1000)
            it.bridge.stop()
            with pytest.raises(MotionFailedError):
                await task
            await it.bridge.execute(Unlock())
            await it.bridge.execute(Home(LEASE))
            built = await it.bridge.execute(it.build_command(again=True))
            assert built.verified, f"stopped {wait_ms} ms after the cam began"
            assert built.tiles == layout.tiles
