"""The two stories every referee knows: a win in furiten and a win on a sacred discard."""

from __future__ import annotations

import pytest

from table_controller.conductor import Conductor
from table_controller.rules.core.case import Evidence
from table_controller.rules.core.errors import OptionError
from table_controller.rules.core.events import GameBegan, WinJudged
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.tiles import Tile
from table_controller.rules.core.wall import wall_order
from table_controller.simulation.eyes import PerfectEyes
from table_controller.simulation.match import Players, replayed
from table_controller.simulation.scripts import find_script
from tests.table_controller.in_memory import MemoryLog
from vision.zones import TableGeometry


@pytest.mark.parametrize(
    ("name", "code"), [("furiten_win", "furiten"), ("sacred_discard", "sacred_discard")]
)
async def test_the_verdict_names_the_tile_whose_pond_and_place(name, code):
    script = find_script(name)
    play = script.ruleset.play
    stacks = play.wall(script.options).stacks
    geometry = TableGeometry(
        seats=tuple(range(script.ruleset.players)), wall_stacks=(*stacks, 0, 0)[:4]
    )
    log = MemoryLog(script.ruleset.players)
    conductor = Conductor(script.ruleset, script.options, log, geometry)
    conductor.log.append(GameBegan(ruleset=conductor.ruleset.name))
    conductor.begin_deal()
    deal = script.open()
    players = Players(deal, wall_order(stacks, Seat.A, 5), conductor, PerfectEyes(geometry))
    await players.look()
    await players.perform(replayed(deal, script.moves))
    verdict = next(event for event in log.history if isinstance(event, WinJudged))
    assert not verdict.answer.valid
    breach = verdict.answer.violations[0]
    assert breach.code == code
    assert breach.evidence[0] == Evidence(Seat.B, 1, Tile.parse("5p"))
    assert breach.text


def test_an_unknown_script_is_refused_with_the_names_there_are():
    with pytest.raises(OptionError, match="furiten_win"):
        find_script("nothing")
