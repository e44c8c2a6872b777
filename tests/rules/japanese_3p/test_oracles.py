"""The Kansai cases of an independent engine, as far as Kansai and Honshu play alike.

Kansai counts a triplet of north as a yaku and blue fives as dora; in Honshu north is never a
yakuhai and there are no blue fives. The shapes and the declarations count the same.
"""

from __future__ import annotations

import json

import pytest

from table_controller.rules.core.case import Case, Flag
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.tiles import Tile, parse_tiles
from table_controller.rules.japanese_3p import RULESET
from tests.shared_data import shared_data

NAMES = {"Double Riichi": "double_riichi", "Honitsu": "honiisou", "Ippatsu": "ippatsu",
         "Tanyao": "tanyao"}  # fmt: skip
ONLY_IN_KANSAI = {"Ao", "North Wind"}
CASES = {
    "kansai - ao doesn't break half flush": ("234p 4567p 444z 222z", "1p"),
    "kansai - ippatsu still works": ("234p 4567p 77p 888s 6p", "6p"),
    "kansai - north wind is not a seat wind": ("234p 4567p 77p 444z 6p", "6p"),
}


@pytest.mark.parametrize("test", CASES)
def test_the_same_yaku_are_found(test):
    path = shared_data("oracles/riichi_advanced/kansai_sanma.json")
    cases = {case["test"]: case for case in json.loads(path.read_text())["cases"]}
    expected = {
        name: value
        for name, (value, _) in cases[test]["expected_winners"]["east"]["yaku"]
        if name not in ONLY_IN_KANSAI
    }
    hand, won = CASES[test]
    answer = RULESET.settle_win(
        Case(
            winner=Seat.A,
            source=Seat.B,
            hand=parse_tiles(hand),
            winning_tile=Tile.parse(won),
            flags=frozenset({Flag.DOUBLE_READY, Flag.ONE_SHOT}),
        ),
        RULESET.options,
    )
    assert answer.valid
    assert {NAMES[name]: value for name, value in expected.items()} | {"bazoro": 2} == {
        item.id: item.value for item in answer.items
    }
