"""Tiles, walls and the order of deals (sections 3 to 5)."""

from __future__ import annotations

import pytest

from table_controller.rules.core.errors import OptionError
from table_controller.rules.core.game import DealOutcome
from table_controller.rules.core.seats import Seat, seat_wind, seats
from table_controller.rules.core.tiles import Tile
from table_controller.rules.korean_japanese_3p import RULESET
from table_controller.rules.korean_japanese_3p.match import (
    final,
    first_deal,
    next_deal,
    wall_plan,
    wall_stacks,
)

SETS = [
    ({}, 108, (14, 13, 14, 13), (18, 18, 18)),
    ({"bamboo_five_pair": True}, 110, (14, 14, 14, 13), (19, 18, 18)),
    ({"north_wind": True}, 112, (14, 14, 14, 14), (19, 19, 18)),
    ({"north_wind": True, "bamboo_five_pair": True}, 114, (15, 14, 14, 14), (19, 19, 19)),
    ({"no_bamboo": True}, 100, (13, 12, 13, 12), (17, 17, 16)),
    ({"no_bamboo": True, "north_wind": True}, 104, (13, 13, 13, 13), (18, 17, 17)),
    ({"red_fives": True}, 108, (14, 13, 14, 13), (18, 18, 18)),
]


@pytest.mark.parametrize(("changes", "number", "square", "triangle"), SETS)
def test_tiles_and_stacks(changes, number, square, triangle):
    options = RULESET.choose(**changes)
    assert len(RULESET.tile_set(options)) == number
    assert wall_stacks(options) == square
    assert wall_stacks(RULESET.choose(wall_shape="triangle", **changes)) == triangle


def test_the_summarys_stacks_stand_where_they_fit():
    printed = RULESET.choose(wall_stacks="summary", no_bamboo=True)
    assert wall_stacks(printed) == (13, 12, 12, 13)
    assert wall_stacks(RULESET.choose(wall_stacks="summary")) == (14, 13, 14, 13)


def test_red_fives_replace_plain_ones():
    copies = RULESET.tile_set(RULESET.choose(red_fives=True)).number_of
    assert [copies.get(Tile.parse(text), 0) for text in ("0m", "5m", "0p", "5p", "0s")] == [
        1, 3, 1, 3, 0,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "reserved", "indicators"),
    [
        ({}, 0, ()),
        ({"ghost_hand": True}, 13, ()),
        ({"dora_rule": "dead_wall"}, 13, (13,)),
        ({"dora_rule": "dead_wall", "ghost_hand": True}, 13, (13,)),
        ({"dora_rule": "revealed"}, 1, (1,)),
        ({"dora_rule": "revealed", "ghost_hand": True}, 13, (1,)),
    ],
)
def test_tiles_that_are_not_drawn(changes, reserved, indicators):
    plan = wall_plan(RULESET.choose(**changes))
    assert (plan.reserved, plan.indicators) == (reserved, indicators)
    assert plan.shown_at_start == len(indicators)


def test_the_table_of_a_match():
    """Section 4: prevailing wind and the seats of the players, deal by deal."""
    printed = [
        "E E S W", "E W E S", "E S W E", "S E S W", "S W E S", "S S W E",
        "W E S W", "W W E S", "W S W E",
    ]  # fmt: skip
    start = first_deal(RULESET.options)
    for row in printed:
        prevailing, *winds = row.split()
        assert start.round_wind == prevailing
        assert [seat_wind(player, start.dealer, 3) for player in seats(3)] == winds
        following = next_deal(
            start, DealOutcome(winners=(start.dealer,), points=(0, 0, 0)), RULESET.options
        )
        if following is None:
            break
        start = following
    assert start.number == 8


@pytest.mark.parametrize("matches", [1, 2, 3])
@pytest.mark.parametrize(("carry", "kept"), [("within_multi_match", 10), ("never", 1)])
def test_the_goulash_between_matches(matches, carry, kept):
    options = RULESET.choose(match_count=matches, goulash_carry_over_match=carry)
    start, deals = first_deal(options), 0
    seen = []
    while start is not None:
        deals += 1
        seen.append(start.goulash)
        drawn = DealOutcome(draw_reason="exhaustive", points=(0, 0, 0), goulash=start.goulash + 1)
        start = next_deal(start, drawn, options)
    assert deals == 9 * matches
    if matches > 1:
        assert seen[10] == kept


def test_an_annulled_deal_passes_the_deal_and_keeps_the_goulash():
    from dataclasses import replace

    start = replace(first_deal(RULESET.options), goulash=2)
    following = next_deal(start, DealOutcome(replayed=True, points=(20, -40, 20)), RULESET.options)
    assert (following.dealer, following.goulash) == (Seat.B, 2)


def test_placements_share_equal_points():
    start = first_deal(RULESET.options)
    assert final(start, (10, -20, 10), RULESET.options).placements == (1, 3, 1)


def test_a_table_that_plays_clockwise_is_refused_in_words():
    with pytest.raises(OptionError, match="play anticlockwise"):
        RULESET.play.first_deal(RULESET.choose(turn_direction="clockwise"))
