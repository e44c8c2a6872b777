"""Players who do anything that is legal, under options that bots with a plan hardly meet.

Found so: a flower that may be discarded was offered for a win, and no deal went on.
"""

from __future__ import annotations

import random

import pytest

from table_controller.rules import find_ruleset
from table_controller.rules.core.events import WinClaimed
from table_controller.rules.core.game import PASS, open_deal, play_deal
from tests.rules.bot_play import play_matches
from tests.rules.breaches import breaches_of

VARIANTS = [
    ("mcr", {"flower_discard": "allowed"}),
    (
        "mcr",
        {
            "flower_as_last_tile": "discard_required",
            "kong_after_claim": "allowed",
            "replacement_order": "bottom_first",
            "minimum": 0,
        },
    ),
    ("hong_kong_old", {"bonus_tiles": False, "min_fan": 0}),
    ("hong_kong_old", {"dead_wall": 14, "multi_win": "best_hand", "min_fan": 0}),
    ("hong_kong_old", {"rob_concealed_kong": "orphans_only", "great_flowers": False}),
    ("filipino", {"players": 2, "jokers": "printed", "printed_jokers": 13}),
    (
        "filipino",
        {
            "players": 3,
            "jokers": "turned_tile",
            "goulash": True,
            "joker_indicator_drawable": False,
            "joker_count_from": "front",
            "discarded_joker": "natural",
        },
    ),
    (
        "filipino",
        {
            "jokers": "turned_tile",
            "seven_pairs_open_pung": True,
            "chow_from_any": True,
            "rob_kong": False,
            "kong_payments": True,
            "jai_alai": True,
            "wall_reserve": 7,
        },
    ),
]


def anything(rng):
    """Wins when it can, else draws lots among what is legal, passing included."""

    def choose(state, seat, actions):
        for action in actions:
            if isinstance(action[0], WinClaimed):
                return action
        claims = state.offer is not None and state.offer.seat is not seat
        return rng.choice([*actions, PASS] if claims else list(actions))

    return choose


@pytest.mark.parametrize(("name", "changes"), VARIANTS)
def test_whatever_is_legal_can_be_played(name, changes):
    ruleset = find_ruleset(name)
    played = play_matches(ruleset, ruleset.choose(**changes), deals=3, seed=7, player=anything)
    assert played.deals == 3
    assert played.calls > 0


@pytest.mark.long
@pytest.mark.parametrize(("name", "changes"), VARIANTS)
def test_whatever_is_legal_can_be_played_for_long(name, changes):
    ruleset = find_ruleset(name)
    played = play_matches(ruleset, ruleset.choose(**changes), deals=500, seed=11, player=anything)
    assert played.kongs > 50


@pytest.mark.parametrize(("name", "changes"), VARIANTS)
def test_nothing_legal_is_announced_as_wrong(name, changes):
    ruleset = find_ruleset(name)
    options = ruleset.choose(**changes)
    rng = random.Random(5)
    tiles = ruleset.tile_set(options).tiles()
    rng.shuffle(tiles)
    deal = open_deal(ruleset.play.first_deal(options), tiles, ruleset.play, options)
    for _ in play_deal(deal, anything(rng)):
        pass
    players = deal.state.players
    assert breaches_of(ruleset.conduct, deal.history, players, options) == []
