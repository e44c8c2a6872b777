"""The score case: what is read, what is refused, and in which words."""

from __future__ import annotations

import json
from typing import Any

import pytest

from table_controller.rules import RULESET_NAMES, find_ruleset
from table_controller.rules.core.errors import OptionError, RulesError
from table_controller.score import answer_case

HAND: dict[str, Any] = {
    "ruleset": "riichi_4p",
    "options": {"preset": "tenhou"},
    "dealer": 0,
    "round_wind": "E",
    "seat_winds": None,
    "winner": 1,
    "from": 2,
    "hand": "123m 456p 789s 1z",
    "melds": [{"kind": "pung", "tiles": "555z", "from": 3}],
    "winning_tile": "1z",
    "bonus": "1f 2g",
    "flags": [],
    "dora": "4p",
    "ura": "",
    "counters": 0,
    "deposits": 0,
    "goulash": 0,
    "ponds": {"0": "1m 9p"},
    "others": {"0": {}, "2": {}, "3": {}},
}


def test_the_example_of_the_design():
    answer = answer_case(HAND)
    assert answer["valid"] is True
    assert answer["totals"] == {"han": 2, "fu": 30}
    assert answer["deltas"] == [0, 2000, -2000, 0]
    assert answer["payments"] == [{"from": 2, "to": 1, "points": 2000, "reason": "discard"}]
    assert [item["id"] for item in answer["items"][:2]] == ["yakuhai_white", "dora"]
    assert all(item["why"] for item in answer["items"])
    json.dumps(answer)


def test_indicators_may_be_given_instead_of_the_tiles_that_score():
    by_indicator = answer_case({**HAND, "dora": "", "dora_indicators": "3p"})
    assert by_indicator == answer_case(HAND)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"hand": "123m 456p 789s 1x"}, "hand: cannot read"),
        ({"hand": "11111m 56p 789s"}, "5 copies of 1m"),
        ({"hand": "123m 456p"}, "tiles"),
        ({"winning_tile": "12z"}, "winning_tile: expected one tile"),
        ({"from": 1}, "a seat cannot win by its own discard"),
        ({"winner": 7}, "winner"),
        ({"melds": [{"kind": "pung", "tiles": "556z", "from": 3}]}, r"melds\[0\]: .*not a pung"),
        ({"melds": [{"kind": "pong", "tiles": "555z"}]}, "pong"),
        ({"round_wind": "X"}, "round_wind"),
        ({"flags": ["riichi"]}, "riichi"),
        ({"ponds": {"9": "1m"}}, "ponds.9"),
        ({"counters": -1}, "counters"),
        ({"doras": "4p"}, "unknown key 'doras'"),
        ({"dora_indicators": "3p"}, "not both"),
        ({"seat_winds": ["E", "S"]}, "seat_winds"),
        ({"ruleset": "chess"}, "there is no ruleset 'chess'"),
        ({"options": {"preset": "tenhu"}}, "tenhu"),
        ({"options": {"kiriage": "maybe"}}, "kiriage"),
        ({"options": {"no_such": 1}}, "no_such"),
    ],
)
def test_what_cannot_be_is_refused_with_the_place(changes, says):
    with pytest.raises(RulesError, match=says):
        answer_case({**HAND, **changes})


@pytest.mark.parametrize("case", [None, 3, "hand", [HAND]])
def test_only_an_object_is_a_case(case):
    with pytest.raises(RulesError, match="JSON object"):
        answer_case(case)


@pytest.mark.parametrize("name", RULESET_NAMES)
def test_every_ruleset_says_what_it_is(name):
    ruleset = find_ruleset(name)
    assert ruleset.name == name
    assert ruleset.source
    assert len(ruleset.tile_set(ruleset.options)) > 70
    for preset in ruleset.presets.values():
        assert type(preset) is type(ruleset.options)
    with pytest.raises(OptionError):
        ruleset.choose("no such preset")
