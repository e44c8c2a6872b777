"""A bad cable: no command is lost, done twice or altered, whatever happens to the bytes."""

from __future__ import annotations

import random
import time

import pytest

from firmware_bridge.bridge import Bridge
from firmware_bridge.layout import TableLayout
from firmware_bridge.messages import Echo, Echoed
from firmware_bridge.simulator import SimulatedTable
from tests.firmware_bridge.rigged import SMALL, rigged

LEVELS = (0.0005, 0.002, 0.005, 0.01)


async def talk(rate: float, count: int, seed: int) -> Bridge:
    """Send so many commands over a line of that quality; every answer must be its own."""
    async with rigged(SMALL, seed=seed, ready=False) as it:
        it.world.inject("noise", None, rate)
        tokens = random.Random(seed)
        for number in range(count):
            token = tokens.randrange(1 << 32)
            assert await it.bridge.execute(Echo(token)) == Echoed(token), number
        it.world.inject("noise", None, 0)
        seen = it.bridge.state
        await it.until(lambda b: b.state is not None and b.state is not seen)
        assert it.bridge.state.served == count, "the board did one twice, or one of nobody's"
        damaged = it.table.rig.to_board.damaged + it.table.rig.to_host.damaged
        statistics = it.bridge.statistics
        assert damaged > 0
        assert statistics.connects == 1, "the link broke although the cable was in"
        print(
            f"{rate:.2%} damaged: {count} commands, {damaged} bytes hit,"
            f" {statistics.repeats_sent} repeats, {statistics.bad_frames} bad frames here and"
            f" {statistics.board_bad_frames} there,"
            f" p50 {statistics.round_trip(0.5):.1f} ms, p99 {statistics.round_trip(0.99):.1f} ms"
        )
        return it.bridge


@pytest.mark.parametrize("rate", LEVELS)
async def test_no_command_is_lost_or_altered(rate):
    await talk(rate, 300, 7)


@pytest.mark.long
@pytest.mark.parametrize("rate", LEVELS)
async def test_no_command_is_lost_or_altered_in_twenty_thousand(rate):
    await talk(rate, 20_000, 8)


@pytest.mark.parametrize("rate", [0.002, 0.01])
async def test_a_whole_build_over_a_bad_cable_is_the_same_build(rate):
    """Each motion is done once: the walls are those of the clean line."""
    walls = []
    for noise in (0.0, rate):
        async with rigged(TableLayout("24", (3, 3, 3, 3)), seed=5) as it:
            it.world.inject("noise", None, noise)
            await it.fill()
            built = await it.build()
            assert built.verified
            assert built.tiles == 24
            await it.raise_walls()
            it.world.inject("noise", None, 0)
            assert [len(side) for side in it.world.walls()] == [3, 3, 3, 3]
            walls.append(sorted(tile for side in it.world.walls() for s in side for tile in s))
            assert it.codes == []
    assert walls[0] == walls[1]


async def test_round_trips_on_a_clean_wire_are_measured():
    """In the time of the wall: program, kernel, firmware and back."""
    labels = [str(n) for n in range(SMALL.tiles)]
    with SimulatedTable(SMALL, labels, seed=1, speed=1.0) as table:
        async with Bridge(table.port) as bridge:  # the event loop's own clock
            await bridge.wait_connected()
            taken = []
            for number in range(200):
                began = time.perf_counter()
                await bridge.execute(Echo(number))
                taken.append((time.perf_counter() - began) * 1000)
            taken.sort()
            print(f"clean wire: p50 {taken[100]:.2f} ms, p99 {taken[198]:.2f} ms")
            assert bridge.statistics.repeats_sent < 200
