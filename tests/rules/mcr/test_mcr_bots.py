"""Whole matches between bots."""

from __future__ import annotations

import pytest

from table_controller.rules.mcr import RULESET
from tests.rules.bot_play import play_matches


def test_bots_play_matches_without_an_illegal_state():
    played = play_matches(RULESET, RULESET.options, deals=32, seed=16)
    assert played.matches == 2
    assert played.wins > 16
    assert played.calls > 100
    assert played.bonus > 100
    assert all(sum(final.scores) == pytest.approx(7) for final in played.finals)


@pytest.mark.long
def test_bots_play_ten_thousand_deals():
    played = play_matches(RULESET, RULESET.options, deals=10_000, seed=2006)
    assert played.matches == 625
    assert played.wins > 5_000
    assert len(played.items) > 50  # they collect one suit: 57 of the fans came up
