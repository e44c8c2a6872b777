"""The worked examples T01 to T27 of the game for two, and what follows from its rules."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from table_controller.layout import geometry_for
from table_controller.rules.core.case import Case, ShownHand
from table_controller.rules.core.errors import CaseError, OptionError
from table_controller.rules.core.events import (
    DealBegan,
    Discarded,
    Drawn,
    HandDealt,
    MeldCalled,
)
from table_controller.rules.core.game import PASS, claim_actions, open_deal, play_deal
from table_controller.rules.core.melds import Meld, MeldKind
from table_controller.rules.core.seats import Seat, Wind
from table_controller.rules.core.settlement import pot_change
from table_controller.rules.core.state import Awaiting, fold
from table_controller.rules.core.tiles import Tile, format_tiles, parse_tiles
from table_controller.rules.two_player import RULESET
from table_controller.rules.two_player.options import (
    ChowSource,
    DrawFirst,
    NextFirst,
    Options,
    ScoredHands,
    Scoring,
    WinOnDiscard,
)
from table_controller.rules.two_player.play import PLAY
from table_controller.rules.two_player.scoring import best_combinations, tile_set
from table_controller.rules.two_player.table import (
    game_ends,
    next_first,
)
from vision.types import Zone, ZoneKind

FIRST, OTHER = Seat.A, Seat.B  # seat numbers 1 and 3
OPTIONS = Options()
SEAT_OF_NUMBER = {1: FIRST, 3: OTHER}


def claim(hand, winning, melds=(), bonus="", seat=1, discarded=False):
    """A case from notation; melds as (kind, tiles)."""
    winner = SEAT_OF_NUMBER[seat]
    return Case(
        winner=winner,
        source=winner.after(1, 2) if discarded else None,
        hand=parse_tiles(hand),
        winning_tile=Tile.parse(winning),
        melds=tuple(Meld.of(kind, text) for kind, text in melds),
        bonus=parse_tiles(bonus),
    )


FOUR_KONGS = [("concealed_kong", text) for text in ("1111m", "5555p", "9999s", "7777z")]
# number, hand, winning tile, melds, bonus, seat number, points by sets, points by wins
EXAMPLES = [
    ("T01", "123m 456m 789p 234s 5s", "5s", [], "", 1, 14, 5),
    ("T02", "111m 555p 999s 777z 3s", "3s", [], "", 3, 18, 5),
    ("T03", "123m 567p 222s 666z 8m", "8m", [], "", 1, 16, 5),
    ("T04", "123m 567p 222s 8m", "8m", [("concealed_kong", "6666z")], "", 3, 17, 5),
    ("T05", "3s", "3s", FOUR_KONGS, "", 1, 22, 5),
    ("T06", "123m 456m 789p 234s 5s", "5s", [], "1f", 1, 15, 6),
    ("T07", "123m 456m 789p 234s 5s", "5s", [], "2f 3g 4g", 1, 14, 5),
    ("T08", "111m 555p 999s 777z 3s", "3s", [], "3f 3g", 3, 20, 7),
    ("T09", "111m 555p 999s 777z 3s", "3s", [], "1f", 3, 18, 5),
    ("T10", "3s", "3s", FOUR_KONGS, "3f 3g", 3, 24, 7),
    ("T11", "222333444m 567p 9s", "9s", [], "", 1, 17, 5),
    ("T12", "123m 456m 789p 234s 1z", "1z", [], "", 1, 14, 5),
    ("T13", "456p 777s 123s 9m", "9m", [("chow", "345m")], "", 1, 15, 5),
    ("T14", "456p 777s 123s 9m", "9m", [("pung", "888p")], "", 3, 16, 5),
    ("T15", "456p 777s 123s 9m", "9m", [("kong", "8888p")], "", 3, 17, 5),
    ("T16", "456p 777s 123s 9m", "9m", [("added_kong", "8888p")], "", 1, 17, 5),
    (
        "T18",
        "666z 7m",
        "7m",
        [("chow", "123m"), ("pung", "555p"), ("concealed_kong", "1111s")],
        "3g",
        3,
        19,
        6,
    ),
    ("T19", "222m 234m 567p 888s 1z", "1z", [], "", 1, 16, 5),
    ("T20", "111z 222z 555z 345p 6p", "6p", [], "", 3, 17, 5),
]


@pytest.mark.parametrize(
    ("hand", "winning", "melds", "bonus", "seat", "by_sets", "by_wins"),
    [example[1:] for example in EXAMPLES],
    ids=[example[0] for example in EXAMPLES],
)
def test_worked_example(hand, winning, melds, bonus, seat, by_sets, by_wins):
    case = claim(hand, winning, melds, bonus, seat)
    for scoring, points in ((Scoring.SETS, by_sets), (Scoring.WIN_COUNT, by_wins)):
        answer = RULESET.settle_win(case, Options(scoring=scoring))
        assert answer.valid
        assert sum(item.value for item in answer.items) == points
        assert answer.totals == {"points": points}
        assert answer.deltas == ((points, 0) if seat == 1 else (0, points))
        assert pot_change(answer.payments) == -points
        assert all(item.why and item.native for item in answer.items)


def test_t17_a_claim_that_completes_the_fourth_combination_wins():
    case = claim("99s 123m 456m 789p 23s", "4s", discarded=True)
    assert RULESET.settle_win(case, Options()).deltas == (14, 0)
    never = RULESET.settle_win(case, Options(win_on_discard=WinOnDiscard.OFF))
    assert not never.valid
    assert [violation.code for violation in never.violations] == ["wrong_call"]
    assert never.deltas == (0, 0)


def on_offer(tile, *hands, options=OPTIONS):
    """What happened until the first seat discarded the tile; the others hold these hands."""
    players = options.players
    events = [
        DealBegan(
            number=0, dealer=FIRST, round_wind=Wind.EAST, points=(0,) * players, wall_left=80
        ),
        HandDealt(seat=FIRST, tiles=(None,) * 13),
    ]
    for place, hand in enumerate(hands, 1):
        events.append(HandDealt(seat=Seat(place), tiles=parse_tiles(hand)))
    return [*events, Drawn(seat=FIRST, tile=None), Discarded(seat=FIRST, tile=tile)]


def kind_of(action):
    """What an action claims: a meld, or the win."""
    return action[0].meld.kind if isinstance(action[0], MeldCalled) else "win"


def claims(events, seat, options=OPTIONS):
    """What the seat may claim."""
    state = fold(events, options.players)
    return {kind_of(action) for action in claim_actions(state, seat, PLAY, options)}


def taken(events, wishes, options):
    """Who gets the tile when the seats wish for that, and for what."""
    tiles = RULESET.tile_set(options).tiles()
    deal = open_deal(PLAY.first_deal(options), tiles, PLAY, options)
    deal.state, deal.history = fold(events, options.players), list(events)

    def choose(_, seat, actions):
        return next((action for action in actions if kind_of(action) == wishes.get(seat)), PASS)

    event = next(play_deal(deal, choose))
    return event.seat, kind_of((event,))


def test_t21_a_claim_that_completes_nothing_is_refused():
    tile = Tile.parse("7z")
    assert claims(on_offer(tile, "123m 456m 789p 23s 5s 7z"), OTHER) == set()
    assert claims(on_offer(tile, "123m 456m 789p 23s 77z"), OTHER) == {MeldKind.PUNG}


def test_t22_a_claim_for_the_pair_alone_wins_only_when_any_discard_may():
    case = claim("123m 456m 789p 234s 5s", "5s", seat=3, discarded=True)
    refused = RULESET.settle_win(case, Options())
    assert not refused.valid
    assert "5s completes only the pair" in refused.violations[0].text
    assert RULESET.settle_win(case, Options(win_on_discard=WinOnDiscard.ANY)).deltas == (0, 14)


def test_a_discard_that_may_be_pair_or_combination_counts_as_combination():
    # 4s ends 234s or the pair of 4s: only the first may be claimed, and it does win
    case = claim("123m 456m 789p 23s 44s", "4s", discarded=True)
    answer = RULESET.settle_win(case, Options())
    assert answer.deltas == (14, 0)


def test_t23_bonus_tiles_are_not_part_of_the_hand():
    with pytest.raises(CaseError, match="1f is laid aside"):
        RULESET.settle_win(claim("1f 123m 456m 789p 234s", "5s"), Options())
    with pytest.raises(CaseError, match="without them"):
        RULESET.settle_win(
            claim("123m 456m 789p 234s 5s", "5s", bonus="1f"), Options(bonus_tiles=False)
        )


def test_t24_next_round():
    assert next_first(FIRST, OTHER, Options()) is FIRST
    by_first = Options(next_first=NextFirst.LEFT_OF_FIRST)
    assert next_first(FIRST, OTHER, by_first) is OTHER


CONFLICT = (
    "12m 5p 789s 111z 222z 3z",
    "33m 5p 789s 555z 444z 6z",
    "45m 123p 456p 789p 11s",
)  # of a 3m: a chow, a pung, and a chow that wins


def test_t25_with_four_seats_a_claim_skips_seats():
    # seat 1 discards, seat 3 claims: the turn after it is seat 4's
    four = Options(seats=(1, 2, 3, 4))
    events = on_offer(Tile.parse("3m"), *CONFLICT, options=four)
    wishes = {Seat.B: MeldKind.CHOW, Seat.C: MeldKind.PUNG}
    claimant, _ = taken(events, wishes, four)
    assert claimant is Seat.C
    assert four.number_of(claimant.after(1, four.players)) == 4


def test_conflicting_claims_win_then_kong_and_pung_then_chow_then_the_next():
    four = Options(seats=(1, 2, 3, 4))
    events = on_offer(Tile.parse("3m"), *CONFLICT, options=four)
    win = {Seat.C: MeldKind.PUNG, Seat.D: "win"}
    assert taken(events, win, four) == (Seat.D, "win")
    chows = {Seat.D: MeldKind.CHOW, Seat.B: MeldKind.CHOW}
    assert taken(events, chows, four) == (Seat.B, MeldKind.CHOW)


def test_t27_after_an_exhausted_wall_the_same_player_begins():
    assert next_first(OTHER, None, Options()) is OTHER
    assert next_first(OTHER, None, Options(draw_first=DrawFirst.NEXT)) is FIRST


def test_s4_the_deal_gives_thirteen_tiles_to_each():
    tiles = range(144)
    deal = open_deal(replace(PLAY.first_deal(OPTIONS), dealer=OTHER), tiles, PLAY, OPTIONS)
    hands = [deal.state.seats[seat].hand for seat in (OTHER, FIRST)]
    assert hands[0] == (0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24)
    assert hands[1] == (4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 25)
    assert (deal.state.turn, deal.state.awaiting) == (OTHER, Awaiting.DRAW)  # no fourteenth


def test_s5_the_whole_wall_can_lie_in_the_ponds_of_two():
    geometry = geometry_for(RULESET, OPTIONS)
    for seat in geometry.seats:
        for place in range((144 - 26) // 2):
            zone = geometry.zone_of(geometry.pond_place(seat, place).centre_mm)
            assert zone == Zone(ZoneKind.POND, seat)


def test_the_wall_has_144_or_136_tiles():
    assert len(tile_set(Options())) == 144
    assert len(tile_set(Options(bonus_tiles=False))) == 136


def test_a_game_ends_after_its_rounds_and_may_be_tied():
    assert not game_ends(7, Options())
    assert game_ends(8, Options())
    start = PLAY.first_deal(OPTIONS)
    assert PLAY.final(start, (40, 40), OPTIONS).placements == (1, 1)
    assert PLAY.final(start, (40, 41), OPTIONS).placements == (2, 1)


def test_all_hands_may_be_scored():
    case = replace(
        claim("123m 456m 789p 234s 5s", "5s"),
        others={
            OTHER: ShownHand(
                hand=parse_tiles("111234m 9p 11s 5z"),
                melds=(Meld.of("kong", "8888p"),),
                bonus=parse_tiles("3f 1g"),
            )
        },
    )
    answer = RULESET.settle_win(case, Options(scored_hands=ScoredHands.ALL))
    assert answer.deltas == (14, 5 + 4 + 3 + 1)
    assert RULESET.settle_win(case, Options()).deltas == (14, 0)


def test_best_combinations_uses_no_tile_twice():
    found = best_combinations(parse_tiles("1112333m 123z 77z"))
    assert [kind for kind, _ in found] == [MeldKind.PUNG, MeldKind.PUNG]
    found = best_combinations(parse_tiles("2345m"))
    assert sum(len(tiles) for _, tiles in found) == 3


def test_a_chow_may_be_limited_to_the_previous_seat():
    three = Options(seats=(1, 2, 3), chow_source=ChowSource.PREVIOUS)
    chow = {MeldKind.CHOW}
    hands = (CONFLICT[0], CONFLICT[0].replace("1", "4"))
    events = on_offer(Tile.parse("3m"), *hands, options=three)
    assert (claims(events, Seat.B, three), claims(events, Seat.C, three)) == (chow, set())
    anyone = Options(seats=(1, 2, 3))
    assert claims(events, Seat.C, anyone) == chow


@pytest.mark.parametrize(
    ("hand", "winning", "melds", "says"),
    [
        ("123m 456m 789p 234s", "5s", [], "holds 13"),
        ("123m 456m 789p 234s 5s", "5s", [("pung", "111z")], "holds 10"),
        ("1111m 456m 789p 111z", "1m", [], "5 copies of 1m"),
        ("123m 456m 789p 234s jk", "5s", [], "jk"),
    ],
)
def test_what_cannot_lie_on_the_table_is_an_error(hand, winning, melds, says):
    with pytest.raises(CaseError, match=says):
        RULESET.settle_win(claim(hand, winning, melds), Options())


def test_an_incomplete_hand_is_refused_without_penalty():
    answer = RULESET.settle_win(claim("123m 456m 789p 234s 5s", "6s"), Options())
    assert (answer.valid, answer.deltas) == (False, (0, 0))
    assert answer.violations[0].code == "not_a_win"
    # seven pairs and thirteen orphans are no hands here
    assert not RULESET.settle_win(claim("1133m 4455p 2288s 7z", "7z"), Options()).valid


def test_an_added_kong_can_be_against_the_rules_of_the_table():
    case = claim("456p 777s 123s 9m", "9m", [("added_kong", "8888p")])
    answer = RULESET.settle_win(case, Options(extend_pung=False))
    assert [violation.code for violation in answer.violations] == ["wrong_call"]


@pytest.mark.parametrize("seats", [(1,), (3, 1), (1, 1), (1, 5)])
def test_impossible_seats_are_refused(seats):
    with pytest.raises(OptionError, match="seats"):
        Options(seats=seats)


def test_options_are_checked_and_texts_become_their_members():
    assert RULESET.choose(scoring="win_count").scoring is Scoring.WIN_COUNT
    with pytest.raises(OptionError, match="it can be sets, win_count"):
        RULESET.choose(scoring="fan")
    with pytest.raises(OptionError, match="rounds is 0"):
        RULESET.choose(rounds=0)


MELDS = st.one_of(
    st.tuples(st.just(MeldKind.CHOW), st.sampled_from("mps"), st.integers(1, 7)),
    st.tuples(st.just(MeldKind.PUNG), st.sampled_from("mps"), st.integers(1, 9)),
    st.tuples(st.just(MeldKind.PUNG), st.just("z"), st.integers(1, 7)),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(MELDS, min_size=4, max_size=4), st.sampled_from("mps"), st.integers(1, 9))
def test_a_built_hand_is_found_and_never_scores_less_than_it_was_built_for(sets, suit, rank):
    tiles = [f"{rank}{suit}"] * 2
    for kind, letter, low in sets:
        step = 1 if kind is MeldKind.CHOW else 0
        tiles += [f"{low + step * place}{letter}" for place in range(3)]
    hand = parse_tiles(" ".join(tiles))
    if max(Counter(hand).values()) > 4:
        return
    case = claim(format_tiles(hand[:-1]), str(hand[-1]))
    built = 2 + sum(3 if kind is MeldKind.CHOW else 4 for kind, _, _ in sets)
    answer = RULESET.settle_win(case, Options())
    assert built <= answer.totals["points"] <= 24
