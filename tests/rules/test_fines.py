"""What the staff's list of penalties offers, against research/players.md, 3.3 to 3.5."""

from __future__ import annotations

import pytest

from table_controller.rules import find_ruleset
from table_controller.rules.core.events import DealBegan, HandDealt, Penalised
from table_controller.rules.core.seats import Seat, Wind
from table_controller.rules.core.state import fold
from table_controller.store import Store
from table_controller.table import Table
from table_controller.web.views import Sight, Viewer, table_view

A, B, C, D = Seat


def begun(name):
    size = find_ruleset(name).play.hand_size
    return [
        DealBegan(
            number=0,
            dealer=A,
            round_wind=Wind.EAST,
            points=(0,) * 4,
            wall_left=60,
            hand_size=size,
        ),
        *(HandDealt(seat=seat, tiles=(None,) * size) for seat in Seat),
    ]


def offered(name, *more, seat=B, preset=None, **changes):
    """Code -> points, with + where each other seat gets them and x where the hand is dead."""
    ruleset = find_ruleset(name)
    options = ruleset.choose(preset, **changes)
    state = fold([*begun(name), *more], 4)
    return {
        fine.code: f"{fine.points}{'+' * fine.to_each}{'x' * fine.dead_hand}"
        for fine in ruleset.conduct.fines(state, seat, options)
    }


@pytest.mark.parametrize(
    ("preset", "near", "far", "second", "early"),
    [
        ("wmo2006", "10+x", "20+x", "5", "0"),  # mcr.md, 14.1: paid to each; 14.3
        ("ema", "10+x", "20+x", "5", "10"),  # mcr.md, 14.2: 10 for counting too early
        ("mil2025", "40x", "80x", "10", "10"),  # players.md, 3.3: only subtracted
    ],
)
def test_the_competition_game(preset, near, far, second, early):
    found = offered("mcr", preset=preset)
    assert found == {
        "below_minimum": near,
        "not_a_win": far,
        "dead_hand": "0x",  # a false set
        "wrong_tile_count": "0x",
        "wrong_call": "0",  # the first is a warning
        "late_claim": "0",
        "out_of_turn": "0",
        "counted_early": early,
        "exposed_tile": "0",  # it must be the next discard
        "late": "10",
    }
    warned = Penalised(seat=B, code="wrong_call")
    assert offered("mcr", warned, preset=preset)["wrong_call"] == second
    assert offered("mcr", warned, preset=preset)["late_claim"] == "0"
    assert offered("mcr", warned, seat=C, preset=preset)["wrong_call"] == "0"


def test_hong_kong():
    assert offered("hong_kong_old") == {
        "false_win": "0+x",  # the tiles stay face up
        "wrong_tile_count": "0x",
        "flower_kept": "0x",
    }
    paid = offered("hong_kong_old", false_win="pay_each", wrong_count="none")
    assert paid["false_win"] == "128+x"  # players.md, 3.5: the most, to each
    assert paid["wrong_tile_count"] == "0"


def test_filipino():
    assert offered("filipino") == {
        "false_win": "0+x",
        "wrong_call": "0+x",  # found after the discard
        "wrong_tile_count": "0x",
        "out_of_turn": "0",
        "flower_kept": "0",
    }
    paid = offered("filipino", false_win="pay_all", base=40)
    assert (paid["false_win"], paid["wrong_call"]) == ("80+", "0+x")  # and the hand ends


def test_only_the_staff_is_offered_the_list():
    table = Table.open(Store(":memory:"), find_ruleset("mcr"))
    staff = Sight(viewer=Viewer.STAFF)
    assert table_view(table, staff)["fines"] == []  # before the first deal nobody is penalised
    for event in begun("mcr"):
        table.append(event)
    assert table_view(table, Sight())["fines"] == []
    by_seat = table_view(table, staff)["fines"]
    assert len(by_seat) == 4
    assert by_seat[1][1] == {"code": "not_a_win", "points": 20, "to": "others", "dead_hand": True}
    assert by_seat[1][-1] == {"code": "late", "points": 10, "to": "pot", "dead_hand": False}
