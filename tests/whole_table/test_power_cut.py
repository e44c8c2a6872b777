"""The table is killed in mid-deal, for real, and goes on with the same deal."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from table_controller.codec import event_to_json
from table_controller.conductor import Conductor
from table_controller.layout import Untidiness, geometry_for, stacks_of
from table_controller.rules.core.events import DealEnded
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.wall import wall_order
from table_controller.simulation.eyes import PerfectEyes
from table_controller.simulation.match import Players, replayed
from table_controller.simulation.scripts import find_script
from table_controller.store import Store
from table_controller.table import Table

ROOT = Path(__file__).resolve().parents[2]

# The child plays the first half of the scripted deal, says so, and waits to be killed.
CHILD = """
import asyncio, sys, time
from tests.whole_table.test_power_cut import half_way
asyncio.run(half_way(sys.argv[1]))
print("half way", flush=True)
time.sleep(60)
"""


def open_table(path: str) -> tuple[Table, Conductor]:
    script = find_script("furiten_win")
    table = Table.open(Store(path), script.ruleset, script.options)
    geometry = geometry_for(script.ruleset, script.options)
    conductor = Conductor(script.ruleset, script.options, table, geometry)
    if table.resumed:
        conductor.resume([record.event for record in table.records])
    return table, conductor


def at_the_table(conductor: Conductor) -> Players:
    script = find_script("furiten_win")
    stacks = stacks_of(script.ruleset, script.options)
    deal = script.open()
    eyes = PerfectEyes(conductor.geometry)
    return Players(deal, wall_order(stacks, Seat.A, 5), conductor, eyes, Untidiness(seed=4))


async def half_way(path: str) -> None:
    """Play the first six moves: three discards are on the table."""
    _, conductor = open_table(path)
    conductor.begin_deal((2, 3))
    players = at_the_table(conductor)
    await players.look()
    await players.perform(replayed(players.deal, find_script("furiten_win").moves[:6]))


async def test_after_kill_9_the_same_deal_goes_on(tmp_path):
    path = str(tmp_path / "table.sqlite")
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, path],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert child.stdout is not None
    with child.stdout:
        assert child.stdout.readline() == b"half way\n"
        os.kill(child.pid, signal.SIGKILL)
        child.wait()

    table, conductor = open_table(path)
    assert table.resumed
    assert conductor.is_playing
    moves = find_script("furiten_win").moves
    players = at_the_table(conductor)
    for _ in replayed(players.deal, moves[:6]):
        pass  # the tiles lie as they lay: nothing on the table knows of the power cut
    before = table.state
    await players.look()
    assert table.state == before  # everything that lies there was in the log
    await players.perform(replayed(players.deal, moves[6:]))
    assert any(isinstance(event, DealEnded) for event in table.history)
    resumed = [event_to_json(event) for event in table.history]
    table.store.close()

    whole, conductor = open_table(":memory:")
    conductor.begin_deal((2, 3))
    players = at_the_table(conductor)
    await players.look()
    await players.perform(replayed(players.deal, moves))
    assert [event_to_json(event) for event in whole.history] == resumed
    whole.store.close()


async def test_a_restart_after_every_single_event_changes_nothing(tmp_path):
    """The log is opened anew after each event of a deal: the state is the same every time."""
    script = find_script("furiten_win")
    whole, conductor = open_table(":memory:")
    conductor.begin_deal((2, 3))
    players = at_the_table(conductor)
    await players.look()
    await players.perform(replayed(players.deal, script.moves))
    path = tmp_path / "table.sqlite"
    table = Table.open(Store(path), script.ruleset, script.options)
    for event in whole.history:
        if isinstance(event, DealEnded):
            break
        table.append(event)
        state = table.state
        table.store.close()
        table, conductor = open_table(str(path))
        assert table.resumed
        assert table.state == state
        assert conductor.is_playing
    table.store.close()
    whole.store.close()
