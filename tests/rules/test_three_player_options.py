"""House rules of the three-player games that change a number: what the number does."""

from __future__ import annotations

from dataclasses import replace

import pytest

from table_controller.rules.core.case import Case, ShownHand
from table_controller.rules.core.errors import OptionError
from table_controller.rules.core.events import (
    DealBegan,
    DrawDeclared,
    HandDealt,
    HandShown,
    IndicatorShown,
    ReadyDeclared,
    WinClaimed,
)
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.seats import Seat, Wind
from table_controller.rules.core.settlement import totals
from table_controller.rules.core.state import fold
from table_controller.rules.core.tiles import Tile, parse_tiles
from table_controller.rules.japanese_3p import RULESET as HONSHU
from table_controller.rules.korean_japanese_3p import RULESET as KOREAN
from table_controller.rules.malaysian_3p import RULESET as MALAYSIAN

EAST, SOUTH, WEST = Seat.A, Seat.B, Seat.C


def pung(text, source):
    return Meld(MeldKind.PUNG, parse_tiles(text), source)


POOR = Case(  # five fan: a face, an animal, the own flower, a dragon pung, one suit with honours
    winner=SOUTH,
    source=EAST,
    hand=parse_tiles("234p 567p 34p 99p"),
    winning_tile=Tile.parse("5p"),
    melds=(pung("666z", WEST),),
    bonus=parse_tiles("1c 1a 2f"),
)
DRAGONS = replace(POOR, hand=parse_tiles("34p 99p"), melds=(
    pung("555z", WEST), pung("666z", WEST), pung("777z", EAST)))  # fmt: skip
WINDS = replace(POOR, hand=parse_tiles("34p 44z"), melds=(
    pung("111z", WEST), pung("222z", WEST), pung("333z", EAST)))  # fmt: skip
HONOURS = replace(POOR, source=WEST, hand=parse_tiles("5z"), winning_tile=Tile.parse("5z"), melds=(
    pung("111z", WEST), pung("222z", WEST), pung("666z", WEST), pung("777z", EAST)))  # fmt: skip
TWO_DRAGONS = replace(DRAGONS, hand=parse_tiles("34p 99p 777z"), melds=DRAGONS.melds[:2])
THREE_HONOURS = replace(HONOURS, hand=parse_tiles("5z 111z"), melds=HONOURS.melds[1:])
WITH_A_FLY = replace(POOR, hand=parse_tiles("234p 567p 4p 99p jk"))


@pytest.mark.parametrize(
    ("case", "changes", "deltas"),
    [
        (POOR, {}, (-400, 600, -200)),
        (POOR, {"points_per_fan": 10}, (-300, 450, -150)),
        (POOR, {"base_points": 50}, (-300, 450, -150)),
        (POOR, {"fan_counted": "above_minimum"}, (-200, 300, -100)),
        (WITH_A_FLY, {"fly_bonus_points": 0}, (-400, 600, -200)),
        (WITH_A_FLY, {"fly_bonus_points": 70}, (-470, 740, -270)),
        (DRAGONS, {}, (-900, 900, 0)),
        (TWO_DRAGONS, {}, (-600, 900, -300)),
        (TWO_DRAGONS, {"pao_dragons": 2}, (0, 900, -900)),
        (WINDS, {}, (-900, 900, 0)),
        (WINDS, {"pao_winds": 4}, (-600, 900, -300)),
        (HONOURS, {}, (-900, 900, 0)),
        (THREE_HONOURS, {}, (-300, 900, -600)),
        (THREE_HONOURS, {"pao_all_honours": 3}, (-900, 900, 0)),
        (DRAGONS, {"max_fan": 8}, (-780, 780, 0)),
    ],
)
def test_malaysian_numbers(case, changes, deltas):
    answer = MALAYSIAN.settle_win(case, MALAYSIAN.choose(**changes))
    assert answer.valid
    assert answer.deltas == deltas


@pytest.mark.parametrize(
    ("ruleset", "changes", "message"),
    [
        (MALAYSIAN, {"min_fan": 6, "max_fan": 5}, "no hand could win"),
        (MALAYSIAN, {"base_points": 10**30}, "from 0 to 100000"),
        (KOREAN, {"goulash_cap": 10**30}, "from 0 to 100000"),
        (KOREAN, {"limit_value": 10**30}, "from 2 to 100000"),
        (HONSHU, {"starting_points": 10**30}, "from 0 to 1000000"),
    ],
)
def test_numbers_that_no_table_plays_with(ruleset, changes, message):
    with pytest.raises(OptionError, match=message):
        ruleset.choose(**changes)


def test_a_loser_is_compared_up_to_the_cap():
    rich = ShownHand(
        melds=(pung("555z", EAST), pung("777z", EAST)), bonus=parse_tiles("1234f 1234g")
    )
    case = replace(POOR, others={WEST: rich})
    full = MALAYSIAN.settle_win(case, MALAYSIAN.options).deltas[WEST]
    capped = MALAYSIAN.settle_win(case, MALAYSIAN.choose(loser_fan_cap=6)).deltas[WEST]
    assert full - capped == 20 * (8 - 6)


def test_what_a_false_win_is_worth_in_fan():
    wrong = replace(POOR, hand=parse_tiles("234p 567p 18p 99p"))
    fine = MALAYSIAN.settle_win(wrong, MALAYSIAN.choose(penalty_false_win_fan=5)).violations[0]
    assert totals(fine.penalty, 3) == (200, -400, 200)


RIICHI = Case(
    winner=SOUTH,
    source=EAST,
    hand=parse_tiles("234p 678p 99s 67s"),
    winning_tile=Tile.parse("8s"),
    melds=(pung("666z", WEST),),
)


def test_honshu_counters_and_sticks():
    case = replace(RIICHI, counters=2, deposits=1)
    plain = HONSHU.settle_win(case, HONSHU.options).deltas
    dear = HONSHU.settle_win(case, HONSHU.choose(honba_per_payer=300, riichi_deposit=5000)).deltas
    assert plain == (-1400, 2400, 0)
    assert dear == (-2200, 7200, 0)


def test_honshu_starting_points():
    start = HONSHU.play.first_deal(HONSHU.choose(starting_points=25_000))
    assert start.points == (25_000,) * 3


@pytest.mark.parametrize(("points", "deltas"), [(1000, (-1000, 2000, -1000)), (0, (0, 0, 0))])
def test_honshu_hands_that_are_not_ready_pay(points, deltas):
    options = HONSHU.choose(noten_payment=points)
    events = [
        DealBegan(number=0, dealer=EAST, round_wind=Wind.EAST, points=(0,) * 3, wall_left=0),
        *(HandDealt(seat=seat, tiles=(None,) * 13) for seat in (EAST, SOUTH, WEST)),
        DrawDeclared(reason="exhaustive"),
        HandShown(seat=SOUTH, tiles=parse_tiles("234p 678p 99s 67s 666z")),
    ]
    verdict = HONSHU.play.settle_draw(fold(events, 3), events, "exhaustive", options)
    assert totals(verdict.payments, 3) == deltas


def test_ura_indicators_of_kongs_count_where_the_house_says_so():
    events = [
        DealBegan(number=0, dealer=EAST, round_wind=Wind.EAST, points=(0,) * 3, wall_left=20),
        *(HandDealt(seat=seat, tiles=(None,) * 13) for seat in (EAST, SOUTH, WEST)),
        ReadyDeclared(seat=SOUTH),
        IndicatorShown(tile=Tile.parse("1p")),
        IndicatorShown(tile=Tile.parse("2p")),
        WinClaimed(seat=SOUTH, tile=None),
        HandShown(seat=SOUTH, tiles=parse_tiles("234p 678p 99s 67s 666z"),
                  winning_tile=Tile.parse("8s")),
        IndicatorShown(tile=Tile.parse("4s"), under=True),
        IndicatorShown(tile=Tile.parse("5s"), under=True),
    ]  # fmt: skip
    state = fold(events, 3)
    for on, ura in ((True, "5s 6s"), (False, "5s")):
        case = HONSHU.play.case_of(state, state.claims[0], HONSHU.choose(kan_uradora=on))
        assert case.ura == parse_tiles(ura)


def test_the_goulash_has_a_cap():
    case = Case(
        winner=SOUTH,
        source=None,
        hand=parse_tiles("123m 456m 789m 34p 99p"),
        winning_tile=Tile.parse("5p"),
        goulash=3,
        extra={"waiting": (EAST, WEST)},
    )
    free = KOREAN.settle_win(case, KOREAN.options).deltas[SOUTH]
    capped = KOREAN.settle_win(case, KOREAN.choose(goulash_cap=7)).deltas[SOUTH]
    assert free - capped == 2 * (15 - 7)
