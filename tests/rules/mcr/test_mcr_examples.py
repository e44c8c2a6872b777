"""The worked examples of the specification, by number."""

from __future__ import annotations

from fractions import Fraction

import pytest

from table_controller.rules.core.case import Case
from table_controller.rules.core.seats import Seat, Wind
from table_controller.rules.core.settlement import totals
from table_controller.rules.core.tiles import Tile, parse_tiles
from table_controller.rules.core.wall import WallPlace, wall_order
from table_controller.rules.mcr import RULESET, match
from table_controller.rules.mcr.counting import best_count
from table_controller.rules.mcr.options import DEFAULT, PRESETS
from table_controller.rules.mcr.scoring import settle, settle_win
from tests.rules.mcr.examples import EXAMPLES, Example, seat
from tests.rules.mcr.library import total_of


def fans_as_text(example: Example) -> str:
    count = best_count(example.case, DEFAULT)
    assert count is not None
    return " ".join(
        fan.id if number == 1 else f"{fan.id}*{number}" for fan, number in count.counted.fans
    )


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.number)
def test_a_worked_hand_scores_and_pays_what_it_must(example):
    assert fans_as_text(example) == example.fans
    answer = settle_win(example.case, DEFAULT)
    if example.payments is None:
        assert not answer.valid
        assert [breach.code for breach in answer.violations] == ["below_minimum"]
        assert totals(answer.violations[0].penalty)[example.case.winner] == -30
        assert answer.payments == ()
        return
    assert answer.valid
    flowers = len(example.case.bonus)
    assert answer.totals["fan_without_flowers"] == example.total
    assert answer.totals["fan"] == example.total + flowers
    assert sum(item.value for item in answer.items) == example.total + flowers
    assert answer.deltas == example.payments


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.number)
def test_a_worked_hand_by_the_librarys_options(example):
    count = best_count(example.case, PRESETS["library"])
    assert count is not None
    assert count.value == example.library
    assert total_of(example.case) == example.library


def test_m77_of_two_claimants_the_nearest_in_turn_wins_alone():
    assert RULESET.play is not None
    claims = {seat("W"): 40, seat("E"): 9}
    nearest = min(claims, key=lambda claimant: seat("N").turns_until(claimant, 4))
    assert nearest is seat("E")
    assert totals(settle(nearest, seat("N"), claims[nearest])) == (33, -8, -8, -17)


def test_m78_a_false_win_is_paid_and_then_the_hand_goes_on():
    case = Case(
        winner=seat("S"),
        source=seat("E"),
        hand=parse_tiles("34s 234m 678p 99p 456s"),
        winning_tile=Tile.parse("5s"),
    )
    (false,) = settle_win(case, DEFAULT).violations
    assert totals(false.penalty) == (10, -30, 10, 10)
    paid = settle(seat("N"), seat("S"), 12)
    assert totals(paid) == (-8, -20, -8, 36)
    assert totals([*false.penalty, *paid]) == (2, -50, 2, 46)


def test_m79_a_win_declared_two_tiles_short():
    case = Case(
        winner=seat("W"),
        source=seat("E"),
        hand=parse_tiles("1237m 459p 11556s 4z"),
        winning_tile=Tile.parse("9s"),
    )
    answer = settle_win(case, DEFAULT)
    assert [breach.code for breach in answer.violations] == ["not_a_win"]
    assert totals(answer.violations[0].penalty) == (20, 20, -60, 20)


def test_a_win_declared_on_a_wrong_tile_by_a_ready_hand_costs_less():
    case = Case(
        winner=seat("W"),
        source=seat("E"),
        hand=parse_tiles("123m 456p 789p 1199s"),
        winning_tile=Tile.parse("5m"),
    )
    (breach,) = settle_win(case, DEFAULT).violations
    assert totals(breach.penalty) == (10, 10, -30, 10)
    assert "waited for 19s" in breach.text


def test_m80_an_exhausted_wall_pays_nothing_and_the_deal_passes():
    start = match.first_deal(DEFAULT)
    after = match.next_deal(
        start, match.DealOutcome(draw_reason="exhaustive", points=(0,) * 4), DEFAULT
    )
    assert after is not None
    assert (after.dealer, after.round_wind, after.points) == (Seat.B, Wind.EAST, (0, 0, 0, 0))


def test_m81_table_points_are_shared_by_equal_results():
    assert match.table_points((120, 35, 35, -190)) == (4, Fraction(3, 2), Fraction(3, 2), 0)
    assert match.table_points((60, 60, 60, -180)) == (Fraction(7, 3),) * 3 + (0,)
    assert match.table_points((0, 0, 0, 0)) == (Fraction(7, 4),) * 4


def test_m82_break():
    found = match.break_wall(seat("E"), 4 + 3, 2 + 3)
    assert found == match.Break(seat("W"), 12)
    by_dome = RULESET.play.break_wall(seat("E"), (4, 3), RULESET.options)
    assert by_dome == match.Break(seat("W"), None)  # its owner's throw is to come
    places = wall_order(match.STACKS, found.side, found.stacks)
    assert places[0] == WallPlace(seat("W"), 12, 1)  # the 13th stack, its upper tile
    assert places[11] == WallPlace(seat("W"), 17, 0)
    assert places[12] == WallPlace(seat("S"), 0, 1)  # on with the right end of South's wall
