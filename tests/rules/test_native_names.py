"""Every pattern bears the name its players use beside the English one."""

from __future__ import annotations

import unicodedata

import pytest

from table_controller.rules import find_ruleset
from table_controller.rules.chinese_classical import values
from table_controller.rules.core.case import Case
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.tiles import Tile, parse_tiles
from table_controller.rules.hong_kong_old import fans as hong_kong
from table_controller.rules.mcr.fans import FANS

CHINESE = {
    "mcr": FANS,
    "hong_kong_old": [*hong_kong.basic, *hong_kong.bonus, *hong_kong.limit],
    "chinese_classical": [
        *values.points,
        *values.winner_points,
        *values.set_doublings,
        *values.doublings,
        *values.limit_hands,
    ],
}


def is_chinese(text):
    return bool(text) and all(unicodedata.name(sign).startswith("CJK UNIFIED") for sign in text)


@pytest.mark.parametrize("name", CHINESE)
def test_chinese_patterns_have_chinese_names(name):
    patterns = CHINESE[name]
    assert len(patterns) >= 27
    assert [each.name for each in patterns if not is_chinese(each.native)] == []
    assert is_chinese(find_ruleset(name).native)


def test_no_two_fans_of_the_competition_share_a_name():
    natives = [fan.native for fan in FANS]
    assert len(set(natives)) == len(natives) == 82  # 81, and one of melded and concealed kong
    assert {fan.number: fan.native for fan in FANS}["43"] == "无番和"


@pytest.mark.parametrize(
    ("name", "hand", "winning", "natives"),
    [
        ("two_player", "123m 456m 78p 234s 55z", "9p", {"顺子", "将"}),
        ("filipino", "123456m 222789p 3477s", "5s", {"base"}),
        ("american", "6688m 22244s 5555z", "8m", {"2468", "Jokerless"}),
    ],
)
def test_items_of_the_other_games_bear_their_players_words(name, hand, winning, natives):
    case = Case(
        winner=Seat.A,
        source=Seat.B,
        hand=parse_tiles(hand),
        winning_tile=Tile.parse(winning),
        bonus=parse_tiles("567z") if name == "filipino" else (),
    )
    ruleset = find_ruleset(name)
    answer = ruleset.settle_win(case, ruleset.options)
    assert answer.valid, answer.violations
    assert natives <= {item.native for item in answer.items}
