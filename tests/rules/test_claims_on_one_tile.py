"""Several seats press win on one discard and all show: who is paid, who is blamed, who plays on.

At a table nobody has seen the hands when the keys are pressed, so every press is a claim, in the
order of the presses; which of them stand is the referee's business.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from table_controller.rules import find_ruleset
from table_controller.rules.core.events import (
    DealBegan,
    DealEnded,
    Discarded,
    Drawn,
    HandDealt,
    HandShown,
    Penalised,
    WinClaimed,
    WinJudged,
)
from table_controller.rules.core.game import conclude, outcome
from table_controller.rules.core.seats import Seat, Wind
from table_controller.rules.core.state import Awaiting, apply, fold
from table_controller.rules.core.tiles import Tile, parse_tiles

A, B, C, D = Seat


def claimed(name, tile, hands, *, by, **changes):
    """A discards the tile; the seats press win in this order and show their hands."""
    ruleset = find_ruleset(name)
    options = ruleset.choose(**changes)
    size = ruleset.play.hand_size
    events = [
        DealBegan(
            number=0,
            dealer=A,
            round_wind=Wind.EAST,
            points=(0,) * 4,
            wall_left=60,
            hand_size=size,
        ),
        *(HandDealt(seat=seat, tiles=(None,) * size) for seat in Seat),
        Drawn(seat=A),
        Discarded(seat=A, tile=Tile.parse("1z") if name != "filipino" else Tile.parse("9s")),
        Drawn(seat=B),
        Discarded(seat=B, tile=Tile.parse("9s")),
        Drawn(seat=C),
        Discarded(seat=C, tile=Tile.parse("9s")),
        Drawn(seat=D),
        Discarded(seat=D, tile=Tile.parse("9m")),
        Drawn(seat=A),
        Discarded(seat=A, tile=Tile.parse(tile)),
        *(WinClaimed(seat=seat, tile=Tile.parse(tile), source=A) for seat in by),
        *(
            HandShown(seat=seat, tiles=parse_tiles(hands[seat]), winning_tile=Tile.parse(tile))
            for seat in by
        ),
    ]
    state = fold(events, 4)
    verdicts = conclude(state, events, ruleset.play, options)
    return state, verdicts


def judged(verdicts):
    return {
        event.seat: [breach.code for breach in event.answer.violations] or "stands"
        for event in verdicts
        if isinstance(event, WinJudged)
    }


STRAIGHT = "123456789m 46p 33z"  # waits for 5p; in Hong Kong worth nothing
TRIPLE = "234m 234p 234s 46p 77s"
PAIRS = "1133m 2244s 7799p 5p"
SIXTEEN = "123456m 222789p 347s 7s"  # waits for 5s
MORE = "123456789m 123p 46s 22s"


@pytest.mark.parametrize("by", [(B, D), (D, B)])
@pytest.mark.parametrize(
    ("name", "tile", "near", "far", "points"),
    [
        # mcr.md, 4.3 and M77: the nearest wins alone. Pure straight 16, concealed 2, mixed double
        # chow, one voided suit, closed wait.
        ("mcr", "5p", STRAIGHT, TRIPLE, (-29, 45, -8, -8)),
        # hong_kong_old.md, 4: `multi_win = nearest`. All pungs 3, three concealed 3, dragon, no
        # flowers: 8 fan, base 64.
        ("hong_kong_old", "5p", "555z 999m 111s 5p 5p 88p", PAIRS, (-256, 384, -64, -64)),
        # filipino.md, 5: exactly one winner per discard. No flowers: 125.
        ("filipino", "5s", SIXTEEN, MORE, (-250, 500, -125, -125)),
    ],
)
def test_the_nearest_of_two_good_hands_is_paid_alone(name, tile, near, far, points, by):
    state, verdicts = claimed(name, tile, {B: near, D: far}, by=by)
    assert judged(verdicts) == {B: "stands", D: ["outranked"]}
    assert not any(isinstance(event, Penalised) for event in verdicts)
    assert verdicts[-1] == DealEnded(points=points)
    assert outcome(state, verdicts).winners == (B,)
    assert not outcome(state, verdicts).replayed


def test_a_game_may_have_its_own_word_for_a_hand_that_another_one_goes_before():
    state, _ = claimed("mcr", "5p", {B: STRAIGHT, D: TRIPLE}, by=(B, D))
    ruleset = find_ruleset("mcr")
    play = replace(ruleset.play, outranked="too_far")
    verdicts = conclude(state, [], play, ruleset.options)
    assert judged(verdicts) == {B: "stands", D: ["too_far"]}
    assert not any(isinstance(event, Penalised) for event in verdicts)


def test_of_two_hong_kong_hands_the_dearest_may_be_paid_and_must_be_good():
    hands = {B: "555z 999m 111s 5p 5p 88p", D: "123p 456p 789p 46p 2z 2z"}
    state, verdicts = claimed("hong_kong_old", "5p", hands, by=(B, D), multi_win="best_hand")
    assert judged(verdicts) == {B: "stands", D: ["outranked"]}  # 8 fan against 4
    # Below the minimum with more bonus fan: hong_kong_old.md, 4: a claimant must be able to win.
    flowers = state.with_seat(D, bonus=parse_tiles("4f 4g 1f 2f 3f"))
    poor = flowers.with_seat(D, shown=parse_tiles("123m 456s 789s 46p 2m 2m"))
    play = find_ruleset("hong_kong_old").play
    best = find_ruleset("hong_kong_old").choose(multi_win="best_hand")
    assert judged(conclude(poor, [], play, best)) == {B: "stands", D: ["below_minimum"]}


def test_a_false_win_beside_a_good_one_is_paid_and_the_good_one_stands():
    _, verdicts = claimed("mcr", "5p", {B: "123456789m 47p 33z", D: TRIPLE}, by=(B, D))
    assert judged(verdicts) == {B: ["not_a_win"], D: "stands"}
    # South pays 20 to each for a hand that was not ready, and 8; East the 15 fan too.
    assert verdicts[-1].points == (20 - 23, -60 - 8, 20 - 8, 20 + 39)


def test_two_false_wins_are_both_refused_and_play_goes_on():
    wrong = "1237m 459p 11556s 4z"
    state, verdicts = claimed("mcr", "5p", {B: wrong, D: wrong}, by=(B, D))
    assert judged(verdicts) == {B: ["not_a_win"], D: ["not_a_win"]}
    assert not any(isinstance(event, DealEnded) for event in verdicts)
    for event in verdicts:
        state = apply(state, event)
    assert state.awaiting is Awaiting.CLAIMS
    assert [state.seats[seat].dead_hand for seat in Seat] == [False, True, False, True]
    assert state.points == (40, -40, 40, -40)
