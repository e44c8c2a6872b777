"""Seeded bots play: nothing impossible happens, and the tables' patterns are reached."""

from __future__ import annotations

import pytest

from table_controller.rules.korean_japanese_3p import RULESET
from table_controller.rules.korean_japanese_3p.conduct import CONDUCT
from table_controller.rules.korean_japanese_3p.limits import LIMITS
from table_controller.rules.korean_japanese_3p.points import bonus_point, hand_point
from tests.rules.korean_japanese_3p.played import play_deals

HOUSES = [
    {},
    {"north_wind": True, "red_fives": True, "dora_rule": "revealed"},
    {"bamboo_five_pair": True, "dora_rule": "dead_wall", "seat_dragon_extra_point": 1},
    {"no_bamboo": True, "ghost_hand": True, "three_ready": "draw", "min_hand_points": 0},
    {"sacred_discard": "absolute", "rob_kong_kinds": "promoted_and_concealed",
     "flower_replacement_end": "front", "promoted_kong_replacement_end": "front"},
    {"sacred_discard": "missed", "last_flower": "discard_without_replacement",
     "three_ready": "hand_points_only", "waiting_adjustment": "cumulative"},
    {"sacred_discard": "pung_too", "discard_settlement": "other_pays_hand"},
    {"sacred_discard": "own_147", "limit_hands": False, "match_count": 2},
]  # fmt: skip


@pytest.mark.parametrize("house", HOUSES, ids=[" ".join(house) or "default" for house in HOUSES])
def test_deals_of_every_kind_of_house(house):
    options = RULESET.choose(**house)
    seen = play_deals(RULESET, 27 if house else 100, options=options, conduct=CONDUCT)
    assert seen.wins > seen.deals // 2
    assert seen.matches == seen.deals // (9 * options.match_count)


# Reached at most twice in 10 000 deals; each has its constructed hand in test_patterns.
RARE = {
    "three_kongs", "three_kongs_honour_pair", "three_concealed_kongs", "four_kongs",
    "four_concealed_kongs", "thirteen_orphans", "nine_gates", "small_dragons", "big_dragons",
    "small_winds", "big_winds", "great_jade_dragon", "all_terminals_and_or_honours",
}  # fmt: skip


OPTIONAL = {  # by other houses
    "seat_dragon_pung", "north_pair", "north_kong", "north_win", "dead_wall_dora",
    "revealed_dora", "revealed_dora_eye", "revealed_dora_pung", "revealed_dora_kong",
    "red_fives", "little_jade_dragon", "bamboo_one_nine_and_five_pair",
    "all_terminals_and_honours", "all_bamboo_and_honours",
}  # fmt: skip
DECLARED = {entry.id for entry in (*hand_point, *bonus_point)} | {
    limit.hand.value for limit in LIMITS
}


def test_what_is_listed_as_rare_is_an_item():
    assert RARE | OPTIONAL <= DECLARED


@pytest.mark.long
def test_ten_thousand_deals():
    seen = play_deals(RULESET, 10_000, conduct=CONDUCT)
    assert DECLARED - OPTIONAL - set(seen.items) <= RARE
