"""Seeded bots play: nothing impossible happens, and the yaku of the tables are reached."""

from __future__ import annotations

import pytest

from table_controller.rules.japanese_3p import RULESET
from table_controller.rules.japanese_3p.conduct import CONDUCT
from table_controller.rules.japanese_3p.yaku import yaku, yakuman
from tests.rules.korean_japanese_3p.played import play_deals

HOUSES = [
    {},
    {"atozuke": "off", "menzen_tsumo": True, "akadora": 2, "flowers": "nukidora"},
    {"atozuke": "each_wait_some_yaku", "multiple_ron": "head_bump", "riichi_deposit": 2000,
     "rounds": "E", "dealer_stays_on": "win_only"},
    {"north_in_hand": "kokushi_only", "fourth_north_dora": "visible",
     "kandora_reveal": "after_discard_for_open", "concealed_kong_after_riichi": True},
    {"kandora": False, "uradora": False, "north_after_riichi": False, "akadora": 0,
     "atozuke": "yaku_complete_before", "dead_wall_extension": "fixed_fourteen"},
]  # fmt: skip


@pytest.mark.parametrize("house", HOUSES, ids=[" ".join(house) or "default" for house in HOUSES])
def test_deals_of_every_kind_of_house(house):
    seen = play_deals(
        RULESET, 20 if house else 80, options=RULESET.choose(**house), conduct=CONDUCT
    )
    assert seen.wins > seen.deals // 2
    assert seen.matches > 0


# Reached at most twice in 5 000 deals, or not at all; each has its constructed hand in test_yaku,
# and four kongs in ruling 13. The score command is held to explain every one of them.
RARE = {
    "iisou_sanjun", "chankan", "junchantaiyao", "sankantsu", "shousangen", "honroutou",
    "chiihou", "chinroutou", "chuuren_poutou", "daisangen", "kokushi_musou", "paarenchan",
    "ryuuiisou", "suukantsu", "suushiihou", "tenhou", "tsuuiisou",
}  # fmt: skip
OPTIONAL = {"menzen_tsumo", "yakuhai_round_W"}  # by another house; there is no west round
DECLARED = {one.id for one in (*yaku, *yakuman)}


def test_what_is_listed_as_rare_is_a_yaku():
    assert RARE | OPTIONAL <= DECLARED


@pytest.mark.long
def test_ten_thousand_deals():
    seen = play_deals(RULESET, 10_000, conduct=CONDUCT)
    assert DECLARED - OPTIONAL - set(seen.items) <= RARE
