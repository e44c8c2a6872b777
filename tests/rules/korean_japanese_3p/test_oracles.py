"""Facts that a public rule page states of the Korean three-player game, against the options here.

The page has no examples. Where it differs from the specification an option plays its way.
"""

from __future__ import annotations

import json

import pytest

from table_controller.rules.core.case import Case
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.seats import Seat
from table_controller.rules.core.tiles import Tile, parse_tiles
from table_controller.rules.korean_japanese_3p import RULESET
from table_controller.rules.korean_japanese_3p.options import SacredDiscard
from tests.shared_data import shared_data

EAST, SOUTH, WEST = Seat.A, Seat.B, Seat.C
PLAIN = {"hand": parse_tiles("234m 567m 789m 67p 99p"), "winning_tile": Tile.parse("8p")}


def settle(options=RULESET.options, **case):
    return RULESET.settle_win(Case(winner=SOUTH, **case), options)


def minimum():
    return RULESET.options.min_hand_points == 3


def sacred_discard():
    return RULESET.options.sacred_discard is SacredDiscard.OWN_ANY


def discarder_pays_double():
    """The page's way is an option: by default the other player pays the bonus points."""
    options = RULESET.choose(discard_settlement="discarder_pays_all")
    answer = settle(options, source=EAST, **PLAIN, extra={"waiting": [EAST, WEST]})
    points = answer.totals["hand_points"] + answer.totals["bonus_points"]
    return answer.deltas == (-2 * points, 2 * points, 0)


def self_draw_each_pays():
    answer = settle(source=None, **PLAIN, extra={"waiting": [EAST, WEST]})
    points = answer.totals["hand_points"] + answer.totals["bonus_points"]
    return answer.deltas == (-points, 2 * points, -points)


def self_draw_adds_one():
    ids = {item.id: item.value for item in settle(source=None, **PLAIN).items}
    return ids["self_draw"] == 1 and ids["all_chows_simple_pair"] == 2


def seat_wind_kong():
    kong = Meld.of(MeldKind.CONCEALED_KONG, "2222z")
    hand = {"hand": parse_tiles("234m 567m 789p 9p"), "winning_tile": Tile.parse("9p")}
    answer = settle(source=None, melds=(kong,), **hand)
    ids = {item.id: item.value for item in answer.items}
    return ids["wind_pung"] + ids["seat_wind_pung"] + ids["kong"] == 3


def dealer_is_like_others():
    def points(winner, payer):
        answer = RULESET.settle_win(Case(winner=winner, source=payer, **PLAIN), RULESET.options)
        return answer.deltas[winner]

    return points(EAST, SOUTH) == points(SOUTH, WEST) == points(SOUTH, EAST)


FACTS = {
    "minimum 3 points to win": minimum,
    "sacred discard (own discards) applies": sacred_discard,
    "win by discard: the discarder pays double, the others nothing": discarder_pays_double,
    "self-draw: each loser pays in full": self_draw_each_pays,
    "winning bonus 2, self-draw +1, all chows 2": self_draw_adds_one,
    "a kong of the seat wind is worth 3 (1+1+1)": seat_wind_kong,
    "the dealer neither pays nor earns extra": dealer_is_like_others,
}


@pytest.mark.parametrize("fact", FACTS)
def test_a_stated_fact_holds(fact):
    path = shared_data("oracles/korean_facts/korean_cases.json")
    assert fact in json.loads(path.read_text())["three_player"]["facts"]
    assert FACTS[fact]()


def test_no_stated_fact_is_left_out():
    path = shared_data("oracles/korean_facts/korean_cases.json")
    assert set(json.loads(path.read_text())["three_player"]["facts"]) == set(FACTS)
