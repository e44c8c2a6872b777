"""Seeded bots play: nothing impossible happens, and the fan of the list are reached."""

from __future__ import annotations

import pytest

from table_controller.rules.malaysian_3p import RULESET
from table_controller.rules.malaysian_3p.conduct import CONDUCT
from table_controller.rules.malaysian_3p.fan import TEN_FAN, fan
from tests.rules.korean_japanese_3p.played import play_deals

HOUSES = [
    {},
    {"chow_claim": "next_player", "min_fan": 3, "multiple_winners": "all"},
    {"fly_in_claims": True, "fly_in_kong": True, "fly_discard_claimable": True,
     "fly_limit_per_kind": False},
    {"north_in_set": False, "dead_wall_tiles": 10, "fly_substitutes": "circles_only",
     "dealer_after_drawn_hand": "passes_right", "min_fan": 8},
    {"loser_fan_flies": True, "loser_items": "all_items", "fly_bonus_on_drawn_hand": True,
     "four_flies_initial": "needs_hand", "rob_kong_kinds": "promoted_and_concealed",
     "seven_pairs_distinct": False, "instant_payment_scope": "total"},
]  # fmt: skip


@pytest.mark.parametrize("house", HOUSES, ids=[" ".join(house) or "default" for house in HOUSES])
def test_deals_of_every_kind_of_house(house):
    seen = play_deals(
        RULESET, 25 if house else 100, options=RULESET.choose(**house), conduct=CONDUCT
    )
    assert seen.wins > seen.deals // 3


# Reached at most twice in 10 000 deals; each has its constructed hand in test_fan.
RARE = {
    "all_bonus_tiles", "four_kongs", "all_honours", "four_winds", "replacement_after_two_kongs",
}  # fmt: skip


DECLARED = {entry.id for entry in fan} | {one.id for one in TEN_FAN}


def test_what_is_listed_as_rare_is_an_item():
    assert RARE <= DECLARED


@pytest.mark.long
def test_ten_thousand_deals():
    seen = play_deals(RULESET, 10_000, conduct=CONDUCT)
    assert DECLARED - set(seen.items) <= RARE
