"""Whole rounds of the game for two between bots."""

from __future__ import annotations

import pytest

from table_controller.rules.core.events import (
    DealBegan,
    Discarded,
    Drawn,
    HandDealt,
    HandShown,
    WinClaimed,
    WinJudged,
)
from table_controller.rules.core.game import (
    DealOutcome,
    DealStart,
    claim_actions,
    conclude,
    own_turn_actions,
)
from table_controller.rules.core.seats import Seat, Wind
from table_controller.rules.core.state import Awaiting, PondTile, apply, fold
from table_controller.rules.core.tiles import Tile, format_tiles, parse_tiles
from table_controller.rules.two_player import RULESET
from table_controller.rules.two_player.options import Options, ScoredHands, WinOnDiscard
from table_controller.rules.two_player.play import PLAY, final, next_deal
from tests.rules.bot_play import play_matches

A, B = Seat.A, Seat.B
VARIANTS = [
    Options(),
    Options(bonus_tiles=False, win_on_discard=WinOnDiscard.ANY),
    Options(seats=(1, 2, 3), scored_hands=ScoredHands.ALL),
    Options(seats=(1, 2, 3, 4), extend_pung=False, win_on_discard=WinOnDiscard.OFF),
]


@pytest.mark.parametrize("options", VARIANTS)
def test_bots_play_whole_games(options):
    played = play_matches(RULESET, options, deals=24, seed=7)
    assert played.matches == 3
    assert played.wins > 0
    assert played.items["pair"] == played.wins


@pytest.mark.long
@pytest.mark.parametrize("options", VARIANTS)
def test_bots_play_ten_thousand_rounds(options):
    played = play_matches(RULESET, options, deals=10_000 // len(VARIANTS), seed=11)
    assert played.wins > 100


def begun(hand_a, hand_b):
    """A round in which the first seat has drawn a white dragon."""
    events = [
        DealBegan(number=0, dealer=A, round_wind=Wind.EAST, points=(0, 0), wall_left=100),
        HandDealt(seat=A, tiles=parse_tiles(hand_a)),
        HandDealt(seat=B, tiles=parse_tiles(hand_b)),
        Drawn(seat=A, tile=Tile.parse("5z")),
    ]
    return events, fold(events, 2)


def test_a_refused_win_costs_nothing_and_the_round_goes_on():
    events, state = begun("123m 456m 789p 234s 9s", "111z 222z 333z 444z 6p")
    claimed = [
        WinClaimed(seat=A, tile=Tile.parse("5z")),
        HandShown(
            seat=A, tiles=parse_tiles("123m 456m 789p 234s 9s"), winning_tile=Tile.parse("5z")
        ),
    ]
    for event in claimed:
        state = apply(state, event)
    verdicts = conclude(state, [*events, *claimed], PLAY, Options())
    assert [event.kind for event in verdicts] == ["win_judged", "penalised"]
    for event in verdicts:
        state = apply(state, event)
    assert state.awaiting is Awaiting.DISCARD
    assert not state.seats[A].dead_hand
    assert state.points == (0, 0)


def test_the_pair_is_not_claimed_but_may_be_drawn():
    _, state = begun("123m 456m 789p 234s 9s", "111z 222z 333z 444z 5z")
    offered = apply(state, Discarded(seat=A, tile=Tile.parse("5z")))
    assert not any(
        isinstance(action[0], WinClaimed) for action in claim_actions(offered, B, PLAY, Options())
    )
    anyhow = Options(win_on_discard=WinOnDiscard.ANY)
    assert claim_actions(offered, B, PLAY, anyhow)[0] == (
        WinClaimed(seat=B, tile=Tile.parse("5z"), source=A),
    )
    own = apply(offered, Drawn(seat=B, tile=Tile.parse("5z")))
    assert isinstance(own_turn_actions(own, PLAY, Options())[0][0], WinClaimed)


def test_all_hands_are_shown_and_counted_where_the_table_plays_that():
    events, state = begun("123m 456m 789p 234s 5z", "111z 222z 34m 9p 1278s")
    options = Options(scored_hands=ScoredHands.ALL)
    tail = [
        WinClaimed(seat=A, tile=Tile.parse("5z")),
        HandShown(
            seat=A, tiles=parse_tiles("123m 456m 789p 234s 5z"), winning_tile=Tile.parse("5z")
        ),
        HandShown(seat=B, tiles=parse_tiles("111z 222z 34m 9p 1278s")),
    ]
    for event in tail:
        state = apply(state, event)
    assert PLAY.must_show(state, options) == (A, B)
    judged, ended = conclude(state, [*events, *tail], PLAY, options)
    assert isinstance(judged, WinJudged)
    assert judged.answer.deltas == (14, 8)
    assert ended.points == (14, 8)


def test_rounds_follow_each_other_until_the_agreed_number():
    last = DealStart(number=6, dealer=A, round_wind=Wind.EAST, points=(0, 0))
    won = DealOutcome(winners=(B,), points=(0, 14))
    following = next_deal(last, won, Options())
    assert (following.number, following.dealer, following.points) == (7, A, (0, 14))
    assert next_deal(following, won, Options()) is None
    assert final(following, (20, 20), Options()).placements == (1, 1)


# --- what is pointed out where hands lie open --------------------------------------------------

READY = "123m 456m 789p 23s 99s"
ELSE = "147m 258p 369s 1234z"


def open_table(hand_a, hand_b, *, discard=None, drawn=None):
    events, _ = begun(hand_a, hand_b)
    events = events[:3]
    if discard is not None:
        events += [Drawn(seat=A, tile=Tile.parse(discard))]
        events += [Discarded(seat=A, tile=Tile.parse(discard))]
    state = fold(events, 2)
    if drawn is not None:
        seat = state.turn
        state = state.with_seat(seat, hand=(*state.seats[seat].hand, Tile.parse(drawn)))
    return state


def advised(state, **changes):
    options = Options(**changes)
    return [(tip.seat, tip.code, format_tiles(tip.tiles)) for tip in PLAY.advice(state, options)]


def test_a_win_is_pointed_out_when_the_tile_was_drawn_or_may_be_claimed():
    assert advised(open_table(READY, ELSE, drawn="1s")) == [(A, "win_possible", "")]
    claims = advised(open_table(ELSE, READY, discard="1s"))
    assert (B, "win_possible", "1s") in claims
    assert (B, "call_possible", "123s") in claims
    off = advised(open_table(ELSE, READY, discard="1s"), win_on_discard=WinOnDiscard.OFF)
    assert off == [(B, "call_possible", "123s")]


def test_combinations_are_pointed_out_and_hints_can_be_off():
    state = open_table(ELSE, "99m 34m 258p 369s 123z", discard="2m")
    assert advised(state) == [(B, "call_possible", "234m")]
    assert advised(state, hints=False) == []
    assert advised(open_table(ELSE, "99m 34m 258p 369s 123z", discard="8m")) == []


def test_flowers_in_the_hand_and_wrong_counts_are_told_when_the_table_teaches():
    kept = open_table("147m 258p 369s 123z 1f", ELSE)
    assert advised(kept) == [(A, "flower_kept", "1f")]
    assert advised(kept, teaching_mode=False) == []
    long = open_table(ELSE, f"{ELSE} 5z")
    assert advised(long) == [(B, "wrong_tile_count", "")]
    short = open_table(ELSE, "147m 258p 369s 123z")
    assert advised(short) == []  # a flower of the deal may have been laid aside
    after = short.with_seat(B, pond=(PondTile(Tile.parse("4z")),))
    assert advised(after) == [(B, "wrong_tile_count", "")]
    assert advised(open_table(ELSE, ELSE, drawn="5z")) == []


def test_two_players_sit_opposite_each_other():
    assert PLAY.sides(Options()) == (0, 2)
    assert PLAY.sides(Options(seats=(1, 2, 3, 4))) == (0, 3, 2, 1)
