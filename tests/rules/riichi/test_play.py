"""Whole deals between bots, by every preset: no illegal state, no tile or point lost."""

from __future__ import annotations

import pytest

from table_controller.rules.riichi import RIICHI_3P, RIICHI_4P
from tests.rules.bot_play import play_matches

PRESETS = [(ruleset, preset) for ruleset in (RIICHI_4P, RIICHI_3P) for preset in ruleset.presets]


@pytest.mark.parametrize("deals", [6, pytest.param(1200, marks=pytest.mark.long)])
@pytest.mark.parametrize(
    ("ruleset", "preset"), PRESETS, ids=[f"{one.name}-{preset}" for one, preset in PRESETS]
)
def test_bots_play_whole_deals(ruleset, preset, deals):
    played = play_matches(ruleset, ruleset.choose(preset), deals, seed=5, calls=0.3)
    assert played.deals == deals
    assert played.wins + played.draws == deals
    for final in played.finals:
        assert sorted(final.placements)[0] == 1
