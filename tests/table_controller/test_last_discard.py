"""The last discard of a deal: a draw is declared, and somebody wins it all the same."""

from __future__ import annotations

import pytest

from table_controller.conductor import PATIENCE, Conductor, Key
from table_controller.rules import find_ruleset
from table_controller.rules.core.events import (
    DealEnded,
    Discarded,
    DrawDeclared,
    Drawn,
    HandDealt,
    ReadyDeclared,
    WinJudged,
)
from table_controller.rules.core.game import deal_began
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.state import Awaiting
from table_controller.rules.core.tiles import Tile, parse_tiles
from table_controller.simulation.eyes import PerfectEyes
from table_controller.store import Store
from table_controller.table import Table
from vision.zones import TableGeometry

E, S, W, N = Seat
WAITS = "123m 456p 789s 11z 23s"  # for 1s and 4s


def with_the_last_discard(tile="4s", *, ready=False):
    """East has drawn the last tile and discarded; nobody has done anything yet."""
    ruleset = find_ruleset("riichi_4p")
    table = Table.open(Store(":memory:"), ruleset)
    conductor = Conductor(ruleset, ruleset.options, table, TableGeometry())
    table.append(deal_began(conductor.start, 1, ruleset.play))
    for seat in Seat:
        table.append(HandDealt(seat=seat, tiles=(None,) * 13))
    table.append(Drawn(seat=E))
    if ready:
        table.append(ReadyDeclared(seat=E))
    table.append(Discarded(seat=E, tile=Tile.parse(tile), turned=ready))
    return table, conductor


async def shown_by(conductor, seat, tiles, *, turned=False):
    """The scene with East's discard and that seat's hand laid open."""
    geometry = conductor.geometry
    pond = geometry.pond_place(0, 0, (0,) if turned else ()).of("4s")
    hand = parse_tiles(tiles)
    poses = geometry.hand_poses(seat, len(hand), shown=True)
    laid = [pose.of(str(tile)) for pose, tile in zip(poses, hand, strict=True)]
    return await PerfectEyes(geometry).look([pond, *laid])


@pytest.mark.parametrize("first", [[W], [W, N], [S]])
async def test_a_draw_key_pressed_just_before_does_not_lose_the_win_on_the_last_discard(first):
    """riichi_4p.md, 10: a draw takes that nobody wins the last discard."""
    table, conductor = with_the_last_discard()
    for seat in first:
        conductor.press(seat, Key.DRAW_END)
    assert table.state.draw_reason == "exhaustive"
    conductor.press(S, Key.WIN)
    assert table.state.awaiting is Awaiting.CLAIMS
    conductor.see(await shown_by(conductor, S, WAITS))
    (judged,) = [event for event in table.history if isinstance(event, WinJudged)]
    assert (judged.seat, judged.answer.valid) == (S, True)
    assert judged.answer.items[0].id == "houtei"
    assert not any(isinstance(event, DrawDeclared) for event in table.history)
    again = Table.open(table.store, table.ruleset)  # after a restart
    assert again.points == table.points != (30000,) * 4


async def test_no_stick_is_paid_for_the_last_discard_that_is_won_after_all():
    table, conductor = with_the_last_discard(ready=True)
    conductor.press(W, Key.DRAW_END)
    assert table.state.deposits == 1
    conductor.press(S, Key.WIN)
    assert table.state.deposits == 0
    assert table.points == (30000,) * 4


async def test_who_discarded_last_or_has_seen_a_hand_cannot_take_the_draw_back():
    table, conductor = with_the_last_discard()
    conductor.press(W, Key.DRAW_END)
    conductor.press(E, Key.WIN)
    assert table.state.draw_reason == "exhaustive"
    conductor.see(await shown_by(conductor, N, WAITS))
    assert table.state.seats[N].shown is not None
    conductor.press(S, Key.WIN)
    assert table.state.draw_reason == "exhaustive"
    for seat in (E, S, W):
        conductor.press(seat, Key.DRAW_END)
    conductor.see(await shown_by(conductor, N, WAITS))
    assert isinstance(table.history[-1], DealEnded)
    assert table.points == (29000, 29000, 29000, 33000)


async def test_a_win_key_taken_back_leaves_the_draw_to_be_declared_again():
    table, conductor = with_the_last_discard()
    conductor.press(W, Key.DRAW_END)
    conductor.press(N, Key.DRAW_END)  # the hand is not ready
    conductor.press(S, Key.WIN)
    nothing = await shown_by(conductor, S, "")
    for _ in range(PATIENCE + 1):
        conductor.see(nothing)
    conductor.press(S, Key.WIN)  # by mistake
    conductor.see(nothing)
    assert table.state.draw_reason == "exhaustive"
