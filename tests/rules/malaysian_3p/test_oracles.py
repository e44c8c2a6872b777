"""The cases of an independent engine of Malaysian mahjong for three, as far as its rules agree.

That engine pays 20 a fan without a base, replaces the fan of single flowers by four for a complete
set, and knows thirteen orphans; the specification followed here does none of that.
"""

from __future__ import annotations

import json

import pytest

from table_controller.rules.core.case import Case
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.tiles import Tile, parse_tiles
from table_controller.rules.malaysian_3p import RULESET
from tests.shared_data import shared_data

NAMES = {
    "Face Tiles": ["face_tile"],
    "Animal Tiles": ["animal_tile"],
    "Half Flush": ["mixed_one_suit"],
    "Seat Flower": ["own_flower"],
    "Fourth Flower": ["bamboo_flower"],
    "Fourth Season": ["winter_season"],
    "Seat Season": ["own_season"],
    "White Dragon": ["dragon_pung"],
    "East Wind": ["east_pung"],
    "North Wind": ["north_pung"],
    "Seat Wind": ["seat_wind_pung"],
    "Four Fei": ["four_flies"],
    # where the engine counts a set as four or five, the items add up here
    "All Flowers": ["own_flower", "bamboo_flower", "four_flowers"],
}
CASES = {
    # the engine's test: winner, hand, winning tile, bonus tiles
    "malaysian - single flowers work":
        (Seat.A, "23p 555p 789p 555z 11p", "1p", "14f 14g 3a 1c"),
    "malaysian - all flowers override fan from individual flowers":
        (Seat.A, "23p 555p 789p 555z 11p", "1p", "1234f 1a"),
    "malaysian - white dragon via fei joker":
        (Seat.A, "234p 555p 67p 789p 5z jk", "5z", "1f 1c 1a"),
    "malaysian - winds": (Seat.B, "11z 222z 444z 11p 45p 1z", "6p", "1a"),
}  # fmt: skip


@pytest.fixture(scope="module")
def oracle():
    path = shared_data("oracles/riichi_advanced/malaysian.json")
    return {case["test"]: case for case in json.loads(path.read_text())["cases"]}


@pytest.mark.parametrize("test", CASES)
def test_the_same_items_are_found(oracle, test):
    seat, hand, won, bonus = CASES[test]
    (expected,) = oracle[test]["expected_winners"].values()
    answer = RULESET.settle_win(
        Case(
            winner=seat,
            source=Seat.C,
            hand=parse_tiles(hand),
            winning_tile=Tile.parse(won),
            bonus=parse_tiles(bonus),
        ),
        RULESET.options,
    )
    found = {item.id for item in answer.items if item.unit == "fan"}
    wanted = {id for name, _ in expected["yaku"] for id in NAMES[name]}
    assert found == wanted
    if "All Flowers" not in dict(expected["yaku"]):
        assert answer.totals["fan"] == sum(fan for _, (fan, _) in expected["yaku"])


def test_everything_set_aside_is_full_in_both(oracle):
    expected = oracle["malaysian - every single flower at start"]["expected_winners"]["east"]
    assert sum(fan for _, (fan, _) in expected["yaku"]) > 10
    answer = RULESET.settle_win(
        Case(
            winner=Seat.A,
            source=Seat.C,
            hand=parse_tiles("23p 555p 789p 555z 11p"),
            winning_tile=Tile.parse("1p"),
            bonus=parse_tiles("1234f 1234g 1234c 1234a"),
        ),
        RULESET.options,
    )
    assert answer.totals["fan"] == 10


def test_four_flies_are_a_limit_in_both(oracle):
    expected = oracle["malaysian - 4 fei win"]["expected_winners"]["east"]
    assert expected["yaku"] == [["Four Fei", [1, "Limit"]]]
    answer = RULESET.settle_win(
        Case(
            winner=Seat.A,
            source=None,
            hand=parse_tiles("123p 55p 78p 55z jk jk jk jk"),
            winning_tile=Tile.parse("1p"),
            extra={"four_flies_initial": True},
        ),
        RULESET.options,
    )
    assert [item.id for item in answer.items if item.unit == "fan"] == ["four_flies"]


def test_thirteen_orphans_are_no_hand_here(oracle):
    assert "malaysian - kokushi" in oracle
    answer = RULESET.settle_win(
        Case(
            winner=Seat.A,
            source=Seat.C,
            hand=parse_tiles("19p 1234567z 1p 2z 5z 7z"),
            winning_tile=Tile.parse("9p"),
        ),
        RULESET.options,
    )
    assert [violation.code for violation in answer.violations] == ["not_a_win"]
